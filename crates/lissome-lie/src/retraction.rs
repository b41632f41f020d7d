//! Maps τ from tangents to the group, with their left-trivialised tangents: exp and Cayley behind one trait.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | τ(x) | group element of a tangent, τ(−x) = τ(x)⁻¹ | [`Retraction::retract`] |
//! | τ⁻¹(g) | its inverse near the identity | [`Retraction::local`] |
//! | g ⊞ x, h ⊟ g | g τ(x), τ⁻¹(g⁻¹h); [xun2025, eq. (9)] | [`Retraction::plus`], [`Retraction::minus`] |
//! | dτ_x y | τ(x)⁻¹ times the derivative of τ at x along y; [xun2025, definition 7] | [`Retraction::tangent`] |
//! | d(dτ_x) y | derivative of the operator dτ_x along y | [`Retraction::tangent_rate`] |
//!
//! The printed series of dexp and the printed Cayley tangents are right-trivialised; here, as everywhere in
//! this crate, dexp_x = Σ (−1)ʲ/(j+1)! ad_xʲ and dcay_x y = (I + x/2)⁻¹ y (I − x/2)⁻¹.

use crate::dual::{DualVector, ExpMap, InverseMap};
use crate::{LieGroup, Pose, Rotation, Twist};
use nalgebra::{Matrix3, Matrix6, Vector3};
use std::fmt::Debug;

/// A map from tangents to the group G whose differential at zero is the identity.
pub trait Retraction<G: LieGroup>: Copy + Debug {
    /// τ(x).
    fn retract(x: &G::Tangent) -> G;

    /// The x nearest zero with τ(x) = g; `None` where the map does not reach g.
    fn local(g: &G) -> Option<G::Tangent>;

    /// dτ_x.
    fn tangent(x: &G::Tangent) -> G::Operator;

    /// dτ_x⁻¹.
    fn tangent_inverse(x: &G::Tangent) -> G::Operator;

    /// The derivative of dτ_x along y.
    fn tangent_rate(x: &G::Tangent, y: &G::Tangent) -> G::Operator;

    /// dτ_{bψ} ψ: the body velocity of τ(bψ) when b grows at unit speed.
    fn velocity_along(b: f64, psi: &G::Tangent) -> G::Tangent {
        G::apply(&Self::tangent(&(*psi * b)), psi)
    }

    /// d/db (b dτ_{bψ}) as a function of x = bψ.
    fn scaled_tangent_slope(x: &G::Tangent) -> G::Operator {
        Self::tangent(x) + Self::tangent_rate(x, x)
    }

    /// The x with dτ_x x = `velocity`, nearest zero; `None` if there is none.
    fn increment_with_end_velocity(velocity: &G::Tangent) -> Option<G::Tangent>;

    /// g ⊞ x = g τ(x).
    fn plus(g: &G, x: &G::Tangent) -> G {
        *g * Self::retract(x)
    }

    /// h ⊟ g = τ⁻¹(g⁻¹h).
    fn minus(h: &G, g: &G) -> Option<G::Tangent> {
        Self::local(&(g.inverse() * *h))
    }
}

/// The exponential map: screw motions, constant strain along an increment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exponential;

impl Retraction<Pose> for Exponential {
    fn retract(x: &Twist) -> Pose {
        Pose::exp(x)
    }

    fn local(g: &Pose) -> Option<Twist> {
        Some(g.log())
    }

    fn tangent(x: &Twist) -> Matrix6<f64> {
        ExpMap::at((*x).into()).dexp().twist_map()
    }

    fn tangent_inverse(x: &Twist) -> Matrix6<f64> {
        InverseMap::at((*x).into()).plus().twist_map()
    }

    fn tangent_rate(x: &Twist, y: &Twist) -> Matrix6<f64> {
        ExpMap::at((*x).into()).dexp_rate(&(*y).into()).twist_map()
    }

    fn velocity_along(_: f64, psi: &Twist) -> Twist {
        // ad_ψ ψ = 0: only the first term of the series of dexp is left.
        *psi
    }

    fn scaled_tangent_slope(x: &Twist) -> Matrix6<f64> {
        ExpMap::at((*x).into()).ad_exp_neg().twist_map()
    }

    fn increment_with_end_velocity(velocity: &Twist) -> Option<Twist> {
        Some(*velocity)
    }
}

/// A rotation vector as a dual vector without dual part: the real parts of the dual maps are those of SO(3).
fn real(k: &Vector3<f64>) -> DualVector {
    DualVector { re: *k, du: Vector3::zeros() }
}

impl Retraction<Rotation> for Exponential {
    fn retract(x: &Vector3<f64>) -> Rotation {
        Rotation::exp(x)
    }

    fn local(g: &Rotation) -> Option<Vector3<f64>> {
        Some(g.log())
    }

    fn tangent(x: &Vector3<f64>) -> Matrix3<f64> {
        ExpMap::at(real(x)).dexp().re
    }

    fn tangent_inverse(x: &Vector3<f64>) -> Matrix3<f64> {
        InverseMap::at(real(x)).plus().re
    }

    fn tangent_rate(x: &Vector3<f64>, y: &Vector3<f64>) -> Matrix3<f64> {
        ExpMap::at(real(x)).dexp_rate(&real(y)).re
    }

    fn velocity_along(_: f64, psi: &Vector3<f64>) -> Vector3<f64> {
        *psi
    }

    fn scaled_tangent_slope(x: &Vector3<f64>) -> Matrix3<f64> {
        ExpMap::at(real(x)).ad_exp_neg().re
    }

    fn increment_with_end_velocity(velocity: &Vector3<f64>) -> Option<Vector3<f64>> {
        Some(*velocity)
    }
}
