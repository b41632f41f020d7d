//! The Cayley map cay(x) = (I − x/2)⁻¹(I + x/2) on SO(3) and on the 4×4 matrices of SE(3), [xun2025, eq. (8)].
//!
//! Only square roots and quotients: no trigonometry and no small-angle case. It agrees with exp to third
//! order and reaches every rotation but half turns. With x = (k, e), m = 1 + k·k/4, A = (I − k~/2)⁻¹:
//!
//! | symbol | closed form | code |
//! |---|---|---|
//! | cay(x) | quaternion (1, k/2)/√m, position A e | [`Rotation::cayley`], [`Pose::cayley`] |
//! | A | (I + k~/2 + kkᵀ/4)/m | `resolvent` |
//! | D | angular block of dcay_x: (I − k~/2)/m | `rotation_tangent` |
//! | dcay_x | `[[D, 0], [−½ e~ D, Aᵀ]]` | [`Cayley`] |
//! | dcay_x⁻¹ | `[[I + k~/2 + kkᵀ/4, 0], [½(I + k~/2) e~, I + k~/2]]` | [`Cayley`] |
//!
//! Rods use exp. This map stays because the curves of the papers are defined for either map, and because a curve drawn
//! with another map is the only check of what [`crate::curve`] and [`crate::jacobian`] do with dτ where exp makes it
//! trivial (dexp_ψ ψ = ψ).
//!
//! The linear and the angular diagonal block differ, so dcay is no dual matrix: it is not the Cayley map of
//! the screw (dual quaternion) coordinates.

use crate::{Pose, Retraction, Rotation, Twist, skew};
use nalgebra::{Matrix3, Matrix6, Vector3};

/// The Cayley map as a retraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cayley;

impl Pose {
    /// cay(x) of the 4×4 matrix of x: position (I − k~/2)⁻¹ e.
    pub fn cayley(x: &Twist) -> Self {
        Self { rotation: Rotation::cayley(&x.angular), position: resolvent(&x.angular) * x.linear }
    }

    /// The x with cay(x) = self; `None` for a half turn.
    pub fn cayley_inverse(&self) -> Option<Twist> {
        let k = self.rotation.cayley_inverse()?;
        let e = self.position - k.cross(&self.position) * 0.5;
        Some(Twist::new(k, e))
    }
}

fn m(k: &Vector3<f64>) -> f64 {
    1.0 + 0.25 * k.norm_squared()
}

/// A = (I − k~/2)⁻¹; its transpose is (I + k~/2)⁻¹.
fn resolvent(k: &Vector3<f64>) -> Matrix3<f64> {
    inverse_rotation_tangent(k) / m(k)
}

fn rotation_tangent(k: &Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() - skew(k) * 0.5) / m(k)
}

fn inverse_rotation_tangent(k: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::identity() + skew(k) * 0.5 + k * k.transpose() * 0.25
}

/// D′ along y: −(½ y~ + ½ (k·y) D)/m.
fn rotation_tangent_rate(k: &Vector3<f64>, y: &Vector3<f64>) -> Matrix3<f64> {
    (skew(y) + rotation_tangent(k) * k.dot(y)) * (-0.5 / m(k))
}

/// k/m = `velocity` has the root k = 2v/(1 + √(1 − v·v)) nearest zero, for |v| ≤ 1 (a turn of a right angle).
fn rotation_increment(velocity: &Vector3<f64>) -> Option<Vector3<f64>> {
    let rest = 1.0 - velocity.norm_squared();
    (rest >= 0.0).then(|| velocity * (2.0 / (1.0 + rest.sqrt())))
}

/// `[[angular, 0], [coupling, linear]]`.
fn blocks(angular: &Matrix3<f64>, coupling: &Matrix3<f64>, linear: &Matrix3<f64>) -> Matrix6<f64> {
    let mut operator = Matrix6::zeros();
    operator.fixed_view_mut::<3, 3>(0, 0).copy_from(angular);
    operator.fixed_view_mut::<3, 3>(3, 0).copy_from(coupling);
    operator.fixed_view_mut::<3, 3>(3, 3).copy_from(linear);
    operator
}

impl Retraction<Rotation> for Cayley {
    fn retract(x: &Vector3<f64>) -> Rotation {
        Rotation::cayley(x)
    }

    fn local(g: &Rotation) -> Option<Vector3<f64>> {
        g.cayley_inverse()
    }

    fn tangent(x: &Vector3<f64>) -> Matrix3<f64> {
        rotation_tangent(x)
    }

    fn tangent_inverse(x: &Vector3<f64>) -> Matrix3<f64> {
        inverse_rotation_tangent(x)
    }

    fn tangent_rate(x: &Vector3<f64>, y: &Vector3<f64>) -> Matrix3<f64> {
        rotation_tangent_rate(x, y)
    }

    fn increment_with_end_velocity(velocity: &Vector3<f64>) -> Option<Vector3<f64>> {
        rotation_increment(velocity)
    }
}

impl Retraction<Pose> for Cayley {
    fn retract(x: &Twist) -> Pose {
        Pose::cayley(x)
    }

    fn local(g: &Pose) -> Option<Twist> {
        g.cayley_inverse()
    }

    fn tangent(x: &Twist) -> Matrix6<f64> {
        let (k, e) = (&x.angular, skew(&x.linear));
        let d = rotation_tangent(k);
        blocks(&d, &(e * d * -0.5), &resolvent(k).transpose())
    }

    fn tangent_inverse(x: &Twist) -> Matrix6<f64> {
        let (k, e) = (&x.angular, skew(&x.linear));
        let linear = Matrix3::identity() + skew(k) * 0.5;
        blocks(&inverse_rotation_tangent(k), &(linear * e * 0.5), &linear)
    }

    fn tangent_rate(x: &Twist, y: &Twist) -> Matrix6<f64> {
        let (k, e) = (&x.angular, skew(&x.linear));
        let d = rotation_tangent(k);
        let d_rate = rotation_tangent_rate(k, &y.angular);
        // (I + k~/2)⁻¹ differentiates to −(I + k~/2)⁻¹ (y~/2) (I + k~/2)⁻¹.
        let a = resolvent(k).transpose();
        let a_rate = a * skew(&y.angular) * a * -0.5;
        blocks(&d_rate, &((skew(&y.linear) * d + e * d_rate) * -0.5), &a_rate)
    }

    fn increment_with_end_velocity(velocity: &Twist) -> Option<Twist> {
        // dcay_x x = (k/m, (e + k(k·e)/4)/m); across k the second is e/m, along k it is e.
        let k = rotation_increment(&velocity.angular)?;
        let v = velocity.linear;
        Some(Twist::new(k, v * m(&k) - k * (0.25 * k.dot(&v))))
    }
}
