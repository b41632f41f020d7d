//! What a curve needs of the group it lives on: one small trait for SO(3) and SE(3).
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | Ad_g x | g x g⁻¹: a twist of the body frame seen in the world frame | [`LieGroup::adjoint`] |
//! | Ad_gᵀ w | the covector that does on x the power w does on Ad_g x | [`LieGroup::coadjoint`] |
//! | ad_x y | the bracket x y − y x | [`LieGroup::ad`] |
//!
//! All operators act on tangents of the body frame; on SE(3) the angular part comes first.

use crate::{Pose, Rotation, Twist, Wrench, skew};
use nalgebra::{Matrix3, Matrix6, Vector3};
use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

/// A matrix Lie group with its tangents, covectors and operators of fixed size. Composition is `*`.
pub trait LieGroup: Copy + Debug + PartialEq + Mul<Output = Self> {
    /// Dimension of the group.
    const DIMENSION: usize;

    /// An element of the Lie algebra as a vector; `default()` is zero.
    type Tangent: Copy
        + Debug
        + Default
        + PartialEq
        + Add<Output = Self::Tangent>
        + Sub<Output = Self::Tangent>
        + Neg<Output = Self::Tangent>
        + Mul<f64, Output = Self::Tangent>;

    /// A linear form on tangents: a moment, a wrench.
    type Cotangent: Copy + Debug + Default + PartialEq;

    /// A linear map of tangents to tangents; `default()` is zero.
    type Operator: Copy
        + Debug
        + Default
        + PartialEq
        + Add<Output = Self::Operator>
        + Sub<Output = Self::Operator>
        + Neg<Output = Self::Operator>
        + Mul<Output = Self::Operator>
        + Mul<f64, Output = Self::Operator>;

    /// The neutral element.
    fn identity() -> Self;

    /// g⁻¹.
    fn inverse(&self) -> Self;

    /// Ad_g, [xun2025, appendix A.2].
    fn adjoint(&self) -> Self::Operator;

    /// Ad_gᵀ w.
    fn coadjoint(&self, w: &Self::Cotangent) -> Self::Cotangent;

    /// ad_x, [xun2025, appendix A.1].
    fn ad(x: &Self::Tangent) -> Self::Operator;

    /// The identity operator.
    fn identity_operator() -> Self::Operator;

    /// The image of a tangent under an operator.
    fn apply(operator: &Self::Operator, x: &Self::Tangent) -> Self::Tangent;

    /// The image of a covector under the transpose of an operator.
    fn apply_transpose(operator: &Self::Operator, w: &Self::Cotangent) -> Self::Cotangent;

    /// The power w · x.
    fn pairing(w: &Self::Cotangent, x: &Self::Tangent) -> f64;

    /// The i-th unit tangent.
    fn unit_tangent(i: usize) -> Self::Tangent;

    /// True if no component is NaN or infinite.
    fn is_finite(x: &Self::Tangent) -> bool;

    /// The bracket ad_x y.
    fn bracket(x: &Self::Tangent, y: &Self::Tangent) -> Self::Tangent {
        Self::apply(&Self::ad(x), y)
    }
}

impl LieGroup for Rotation {
    const DIMENSION: usize = 3;
    type Tangent = Vector3<f64>;
    type Cotangent = Vector3<f64>;
    type Operator = Matrix3<f64>;

    fn identity() -> Self {
        Rotation::identity()
    }

    fn inverse(&self) -> Self {
        Rotation::inverse(self)
    }

    fn adjoint(&self) -> Matrix3<f64> {
        self.matrix()
    }

    fn coadjoint(&self, w: &Vector3<f64>) -> Vector3<f64> {
        self.inverse_rotate(w)
    }

    fn ad(x: &Vector3<f64>) -> Matrix3<f64> {
        skew(x)
    }

    fn identity_operator() -> Matrix3<f64> {
        Matrix3::identity()
    }

    fn apply(operator: &Matrix3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
        operator * x
    }

    fn apply_transpose(operator: &Matrix3<f64>, w: &Vector3<f64>) -> Vector3<f64> {
        operator.tr_mul(w)
    }

    fn pairing(w: &Vector3<f64>, x: &Vector3<f64>) -> f64 {
        w.dot(x)
    }

    fn unit_tangent(i: usize) -> Vector3<f64> {
        Matrix3::identity().column(i).into_owned()
    }

    fn is_finite(x: &Vector3<f64>) -> bool {
        x.iter().all(|c| c.is_finite())
    }

    fn bracket(x: &Vector3<f64>, y: &Vector3<f64>) -> Vector3<f64> {
        x.cross(y)
    }
}

impl LieGroup for Pose {
    const DIMENSION: usize = 6;
    type Tangent = Twist;
    type Cotangent = Wrench;
    type Operator = Matrix6<f64>;

    fn identity() -> Self {
        Pose::identity()
    }

    fn inverse(&self) -> Self {
        Pose::inverse(self)
    }

    fn adjoint(&self) -> Matrix6<f64> {
        Pose::adjoint(self)
    }

    fn coadjoint(&self, w: &Wrench) -> Wrench {
        self.coadjoint_wrench(w)
    }

    fn ad(x: &Twist) -> Matrix6<f64> {
        x.ad()
    }

    fn identity_operator() -> Matrix6<f64> {
        Matrix6::identity()
    }

    fn apply(operator: &Matrix6<f64>, x: &Twist) -> Twist {
        Twist::from(operator * x.to_vector())
    }

    fn apply_transpose(operator: &Matrix6<f64>, w: &Wrench) -> Wrench {
        Wrench::from(operator.tr_mul(&w.to_vector()))
    }

    fn pairing(w: &Wrench, x: &Twist) -> f64 {
        x.dot(w)
    }

    fn unit_tangent(i: usize) -> Twist {
        Twist::from(Matrix6::identity().column(i).into_owned())
    }

    fn is_finite(x: &Twist) -> bool {
        x.is_finite()
    }

    fn bracket(x: &Twist, y: &Twist) -> Twist {
        Twist::new(x.angular.cross(&y.angular), x.angular.cross(&y.linear) + x.linear.cross(&y.angular))
    }
}
