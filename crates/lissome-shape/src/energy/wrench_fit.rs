//! The wrench that best explains a shape that is not quite in equilibrium.
//!
//! In equilibrium the moment is M(τ) = m₀ − r×n with constant m₀ and n (base frame). For a given shape and its own
//! moments M_i = R K(κ̂−κ̄) this is linear in (m₀, n); least squares over the rod, with the mean taken off first.
//! (The moments of the two ends alone leave the force along the chord undetermined.)

use crate::elastic::ElasticRod;
use crate::polynomial::PolynomialCurve;
use crate::quadrature;
use lissome_lie::Wrench;
use nalgebra::{Matrix3, Vector3};

/// Points along the rod: enough to average a cubic's moments.
const POINTS: usize = 5;

/// Wrench at the base, dimensionless.
pub fn wrench_of(rod: &ElasticRod, curve: &PolynomialCurve) -> Wrench {
    let (nodes, weights) = quadrature::rule(POINTS);
    let (mut at, mut moment) = ([Vector3::zeros(); POINTS], [Vector3::zeros(); POINTS]);
    let (mut mean_at, mut mean_moment) = (Vector3::zeros(), Vector3::zeros());
    for i in 0..POINTS {
        let (rotation, position) = curve.pose(nodes[i]);
        let (bending, natural) = rod.bending_at(nodes[i]);
        at[i] = position;
        moment[i] = rotation * (bending.stiffness * (curve.curvature(nodes[i]) - natural));
        mean_at += at[i] * weights[i];
        mean_moment += moment[i] * weights[i];
    }
    let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for i in 0..POINTS {
        let d = at[i] - mean_at;
        normal += (Matrix3::from_diagonal_element(d.norm_squared()) - d * d.transpose()) * weights[i];
        right += d.cross(&(moment[i] - mean_moment)) * weights[i];
    }
    // A straight rod does not tell its tension: the smallest force is taken there.
    let ridge = 1e-9 * normal.trace().max(f64::MIN_POSITIVE);
    let force = (normal + Matrix3::from_diagonal_element(ridge)).try_inverse().map_or(Vector3::zeros(), |m| m * right);
    Wrench::new(mean_moment + mean_at.cross(&force), force)
}
