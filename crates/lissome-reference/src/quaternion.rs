//! Unit quaternions, the oracle's own rotations.
//!
//! A rotation `world_from_body` is q = (w, v), acting as a ↦ q a q⁻¹. Along a rod q′ = ½ q (0, κ), with κ in body
//! axes; the exact flow keeps |q|, so the norm is only divided out where rounding has moved it.

use lissome_lie::Rotation;
use nalgebra::{Matrix3, Vector3, Vector4};

/// A quaternion w + v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quaternion {
    /// Scalar part.
    pub w: f64,
    /// Vector part.
    pub v: Vector3<f64>,
}

impl Quaternion {
    /// No rotation.
    pub fn identity() -> Self {
        Self { w: 1.0, v: Vector3::zeros() }
    }

    /// From the first four numbers of a state, w first.
    pub fn from_vector(q: &Vector4<f64>) -> Self {
        Self { w: q[0], v: Vector3::new(q[1], q[2], q[3]) }
    }

    /// As four numbers, w first.
    pub fn to_vector(self) -> Vector4<f64> {
        Vector4::new(self.w, self.v.x, self.v.y, self.v.z)
    }

    /// Reads a rotation as data.
    pub fn from_rotation(rotation: &Rotation) -> Self {
        Self::from_vector(&Vector4::from(rotation.quat_wxyz()))
    }

    /// Hands a rotation over as data.
    pub fn to_rotation(self) -> Rotation {
        Rotation::from_quat_wxyz(self.to_vector().into()).expect("a quaternion that integrates a rotation is not zero")
    }

    /// Hamilton's product.
    pub fn times(self, other: Self) -> Self {
        Self {
            w: self.w * other.w - self.v.dot(&other.v),
            v: other.v * self.w + self.v * other.w + self.v.cross(&other.v),
        }
    }

    /// The inverse of a unit quaternion.
    pub fn conjugate(self) -> Self {
        Self { w: self.w, v: -self.v }
    }

    /// The same direction in ℝ⁴, of length one.
    pub fn normalized(self) -> Self {
        let n = self.w.hypot(self.v.norm());
        Self { w: self.w / n, v: self.v / n }
    }

    /// Rotation matrix of q/|q|.
    pub fn matrix(self) -> Matrix3<f64> {
        let Self { w, v } = self.normalized();
        let (x, y, z) = (v.x, v.y, v.z);
        Matrix3::new(
            w * w + x * x - y * y - z * z,
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            w * w - x * x + y * y - z * z,
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            w * w - x * x - y * y + z * z,
        )
    }

    /// The rotation by |a| about a.
    pub fn from_rotation_vector(a: &Vector3<f64>) -> Self {
        let half = 0.5 * a.norm();
        // sin(x)/x rounds to 1 below x = 1e-8.
        let sinc = if half < 1e-8 { 1.0 } else { half.sin() / half };
        Self { w: half.cos(), v: a * (0.5 * sinc) }
    }

    /// The rotation vector of length in [0, π].
    pub fn rotation_vector(self) -> Vector3<f64> {
        let sign = if self.w < 0.0 { -1.0 } else { 1.0 };
        let sine = self.v.norm();
        if sine < 1e-8 * self.w.abs() {
            return self.v * (2.0 / self.w);
        }
        self.v * (2.0 * sign * sine.atan2(sign * self.w) / sine)
    }

    /// q′ = ½ q (0, κ) for a curvature κ in body axes.
    pub fn rate(self, curvature: &Vector3<f64>) -> Self {
        let product = self.times(Self { w: 0.0, v: *curvature });
        Self { w: 0.5 * product.w, v: product.v * 0.5 }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn sample() -> Quaternion {
        Quaternion { w: 0.3, v: Vector3::new(-0.5, 0.7, 0.2) }.normalized()
    }

    #[test]
    fn matrix_of_a_product_is_the_product_of_matrices() {
        let a = sample();
        let b = Quaternion::from_rotation_vector(&Vector3::new(0.4, -2.0, 1.1));
        assert!((a.times(b).matrix() - a.matrix() * b.matrix()).amax() < 1e-15);
    }

    #[test]
    fn matrix_turns_vectors_as_conjugation_does() {
        let (q, a) = (sample(), Vector3::new(1.0, -2.0, 0.5));
        let turned = q.times(Quaternion { w: 0.0, v: a }).times(q.conjugate());
        assert!((turned.v - q.matrix() * a).amax() < 1e-15);
        assert!(turned.w.abs() < 1e-15);
    }

    #[test]
    fn rotation_vector_inverts_on_both_sides_of_its_switch() {
        for angle in [0.0, 1e-12, 1.9e-8, 2.1e-8, 1e-4, 1.0, 3.0, std::f64::consts::PI - 1e-6] {
            let a = Vector3::new(2.0, -1.0, 2.0) / 3.0 * angle;
            let back = Quaternion::from_rotation_vector(&a).rotation_vector();
            assert!((back - a).amax() <= 1e-15 * (1.0 + angle), "{angle}");
        }
    }

    #[test]
    fn exchanges_rotations_as_data() {
        let q = sample();
        assert!((q.to_rotation().matrix() - q.matrix()).amax() < 1e-15);
        assert!((Quaternion::from_rotation(&q.to_rotation()).matrix() - q.matrix()).amax() < 1e-15);
    }
}
