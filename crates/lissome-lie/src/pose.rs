//! The group SE(3) of poses `world_from_body`.

use crate::dual::{self, Coefficients, DualVector};
use crate::{Rotation, Strain, Twist, Wrench, skew};
use nalgebra::{Matrix6, Vector3};
use std::f64::consts::TAU;
use std::ops::Mul;

/// A rotation and a position: where a frame is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Orientation, `world_from_body`.
    pub rotation: Rotation,
    /// Origin of the frame, in world coordinates.
    pub position: Vector3<f64>,
}

impl Pose {
    /// From its two parts.
    #[inline]
    pub fn new(rotation: Rotation, position: Vector3<f64>) -> Self {
        Self { rotation, position }
    }

    /// The frame of the world.
    #[inline]
    pub fn identity() -> Self {
        Self::default()
    }

    /// A pure translation.
    #[inline]
    pub fn at(position: Vector3<f64>) -> Self {
        Self { rotation: Rotation::identity(), position }
    }

    /// Exponential map, equation (57): `p = V(κ)ᵀ ε`.
    pub fn exp(x: &Twist) -> Self {
        let c = Coefficients::at(x.angular.norm_squared());
        let (k, e) = (x.angular, x.linear);
        let p = e * c.c1 + k.cross(&e) * c.c2 + k * (c.c3 * k.dot(&e));
        Self { rotation: Rotation::exp(&k), position: p }
    }

    /// Logarithm with rotation angle in [0, π].
    pub fn log(&self) -> Twist {
        self.log_about(self.rotation.log())
    }

    /// The logarithm whose rotation vector is nearest to `near`, with an angle below 2π: it goes on smoothly where a turn
    /// grows beyond a half turn.
    pub fn log_near(&self, near: &Vector3<f64>) -> Twist {
        let k = self.rotation.log();
        let angle = k.norm();
        let other = k * (1.0 - TAU / angle);
        // The other way round is as far as the vector of no turn, or farther, unless `near` is beyond a quarter turn.
        if angle > 0.0 && (other - near).norm_squared() < (k - near).norm_squared() {
            self.log_about(other)
        } else {
            self.log_about(k)
        }
    }

    /// The logarithm with this rotation vector.
    #[inline]
    fn log_about(&self, k: Vector3<f64>) -> Twist {
        // V(κ)⁻ᵀ p, the real part of T₋ acting on p.
        let gamma = dual::inverse_gamma(k.norm_squared());
        let p = self.position;
        let e = p * (1.0 - gamma * k.norm_squared()) - k.cross(&p) * 0.5 + k * (gamma * k.dot(&p));
        Twist::new(k, e)
    }

    /// The inverse pose, `body_from_world`.
    #[inline]
    pub fn inverse(&self) -> Self {
        let r = self.rotation.inverse();
        Self { rotation: r, position: -r.rotate(&self.position) }
    }

    /// World coordinates of a point given in the body frame.
    #[inline]
    pub fn transform(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.rotation.rotate(point) + self.position
    }

    /// `g ⊞ x = g exp(x)`, equation (9).
    #[inline]
    pub fn boxplus(&self, x: &Twist) -> Self {
        *self * Self::exp(x)
    }

    /// `self ⊟ other = log(other⁻¹ self)`, equation (9).
    #[inline]
    pub fn boxminus(&self, other: &Self) -> Twist {
        (other.inverse() * *self).log()
    }

    /// Follows a constant strain for an arc length `ds`.
    pub fn advance(&self, strain: &Strain, ds: f64) -> Self {
        self.boxplus(&strain.times(ds))
    }

    /// Ad_g: twists from the body frame to the world frame.
    pub fn adjoint(&self) -> Matrix6<f64> {
        let r = self.rotation.matrix();
        let mut m = Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&r);
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&(skew(&self.position) * r));
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&r);
        m
    }

    /// Ad_g x.
    #[inline]
    pub fn adjoint_twist(&self, x: &Twist) -> Twist {
        let a = self.rotation.rotate(&x.angular);
        Twist::new(a, self.rotation.rotate(&x.linear) + self.position.cross(&a))
    }

    /// Ad_gᵀ w: a wrench given in the world frame (moment about the world origin), seen in the body frame.
    #[inline]
    pub fn coadjoint_wrench(&self, w: &Wrench) -> Wrench {
        let m = w.moment - self.position.cross(&w.force);
        Wrench::new(self.rotation.inverse_rotate(&m), self.rotation.inverse_rotate(&w.force))
    }

    /// True if no number in it is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(self.rotation.quat_wxyz().iter()).all(|x| x.is_finite())
    }
}

impl Mul for Pose {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Self { rotation: self.rotation * o.rotation, position: self.transform(&o.position) }
    }
}

impl From<Twist> for DualVector {
    #[inline]
    fn from(x: Twist) -> Self {
        DualVector { re: x.angular, du: x.linear }
    }
}

impl From<Strain> for DualVector {
    #[inline]
    fn from(x: Strain) -> Self {
        DualVector { re: x.curvature, du: x.stretch }
    }
}

impl From<Wrench> for DualVector {
    /// Covectors carry the force in the real part.
    #[inline]
    fn from(x: Wrench) -> Self {
        DualVector { re: x.force, du: x.moment }
    }
}
