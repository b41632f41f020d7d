//! The rotation group SO(3), stored as a unit quaternion.
//!
//! A quaternion renormalises in one division, so a million compositions stay a rotation, and its
//! logarithm by `atan2` is accurate from 0 to π, where the trace of a matrix is not.

use nalgebra::{Matrix3, Vector3};
use std::ops::Mul;

/// The matrix of the cross product, `skew(a) b = a × b`.
#[inline]
pub fn skew(a: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// A rotation `world_from_body`, as a unit quaternion `w + v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    w: f64,
    v: Vector3<f64>,
}

impl Default for Rotation {
    fn default() -> Self {
        Self::identity()
    }
}

/// A quaternion shorter than this is taken for a mistake, not for a rotation to be normalised.
pub const SHORTEST_QUATERNION: f64 = 1e-6;

/// Below this squared angle sin and cos quotients use their series (remainder under one ulp).
const SMALL_ANGLE_SQUARED: f64 = 1e-4;

impl Rotation {
    /// No rotation.
    #[inline]
    pub fn identity() -> Self {
        Self { w: 1.0, v: Vector3::zeros() }
    }

    /// From `[w, x, y, z]`; normalises. `None` if it is not finite or shorter than [`SHORTEST_QUATERNION`].
    pub fn from_quat_wxyz(q: [f64; 4]) -> Option<Self> {
        let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !n.is_finite() || n < SHORTEST_QUATERNION {
            return None;
        }
        Some(Self { w: q[0] / n, v: Vector3::new(q[1], q[2], q[3]) / n })
    }

    /// As `[w, x, y, z]` with `w ≥ 0`.
    pub fn quat_wxyz(&self) -> [f64; 4] {
        let s = if self.w < 0.0 { -1.0 } else { 1.0 };
        [s * self.w, s * self.v.x, s * self.v.y, s * self.v.z]
    }

    /// The four numbers as they are kept, `[w, x, y, z]`: what [`Self::from_stored`] gives back bit for bit.
    pub fn stored(&self) -> [f64; 4] {
        [self.w, self.v.x, self.v.y, self.v.z]
    }

    /// From [`Self::stored`], without normalising; `None` if they are not those of a rotation.
    pub fn from_stored(q: [f64; 4]) -> Option<Self> {
        let square = q.iter().map(|x| x * x).sum::<f64>();
        let slack = SHORTEST_QUATERNION;
        (1.0 - slack..=1.0 + slack).contains(&square).then(|| Self { w: q[0], v: Vector3::new(q[1], q[2], q[3]) })
    }

    /// From a rotation matrix; `None` if `RᵀR` is farther than `tolerance` from I or det R < 0.
    pub fn from_matrix(m: &Matrix3<f64>, tolerance: f64) -> Option<Self> {
        let defect = (m.transpose() * m - Matrix3::identity()).amax();
        // `partial_cmp` so that a NaN is refused too.
        if defect.partial_cmp(&tolerance) != Some(std::cmp::Ordering::Less) || m.determinant() < 0.0 {
            return None;
        }
        // The largest of the four squared components gives the well-conditioned square root.
        let (a, b, c) = (m[(0, 0)], m[(1, 1)], m[(2, 2)]);
        let q = [1.0 + a + b + c, 1.0 + a - b - c, 1.0 - a + b - c, 1.0 - a - b + c];
        let skew_part = [m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]];
        let sum = |i: usize, j: usize| m[(i, j)] + m[(j, i)];
        let quat = if q[0] >= q[1] && q[0] >= q[2] && q[0] >= q[3] {
            [q[0], skew_part[0], skew_part[1], skew_part[2]]
        } else if q[1] >= q[2] && q[1] >= q[3] {
            [skew_part[0], q[1], sum(0, 1), sum(0, 2)]
        } else if q[2] >= q[3] {
            [skew_part[1], sum(0, 1), q[2], sum(1, 2)]
        } else {
            [skew_part[2], sum(0, 2), sum(1, 2), q[3]]
        };
        Self::from_quat_wxyz(quat)
    }

    /// The shortest rotation that turns the x axis to `tangent` (need not be of unit length);
    /// for the direction −x, a half turn about z. `None` for a zero or non-finite vector.
    pub fn from_tangent(tangent: &Vector3<f64>) -> Option<Self> {
        // By the largest component first: squares of very small or very large ones leave the range.
        let largest = tangent.amax();
        if largest == 0.0 || tangent.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let t = (tangent / largest).normalize();
        // cos(θ/2) of the turn; behind the x axis, where 1 + cos θ cancels, from sin²θ = (1 + cos θ)(1 − cos θ).
        let w = if t.x < 0.0 { t.y.hypot(t.z) / (2.0 * (1.0 - t.x)).sqrt() } else { (0.5 * (1.0 + t.x)).sqrt() };
        if w == 0.0 {
            return Some(Self { w, v: Vector3::z() });
        }
        // x × t = sin θ axis = 2 sin(θ/2) cos(θ/2) axis.
        Some(Self { w, v: Vector3::new(0.0, -t.z, t.y) / (2.0 * w) })
    }

    /// The rotation about `k` by the angle `|k|` (equation (7) on SO(3)).
    pub fn exp(k: &Vector3<f64>) -> Self {
        let t = k.norm_squared();
        if t < SMALL_ANGLE_SQUARED {
            // sin(θ/2)/θ and cos(θ/2); the first terms left out are t³/645120 < 2e-18 and t⁴/10321920 < 1e-23.
            let s = 0.5 - t / 48.0 * (1.0 - t / 80.0);
            let w = 1.0 - t / 8.0 * (1.0 - t / 48.0 * (1.0 - t / 120.0));
            return Self { w, v: k * s };
        }
        let half = 0.5 * t.sqrt();
        Self { w: half.cos(), v: k * (half.sin() / (2.0 * half)) }
    }

    /// The rotation vector of length in [0, π] with `exp(log(R)) = R`.
    pub fn log(&self) -> Vector3<f64> {
        let (w, v) = if self.w < 0.0 { (-self.w, -self.v) } else { (self.w, self.v) };
        let t = v.norm_squared();
        if t < SMALL_ANGLE_SQUARED {
            // 2 asin(x)/x in x² = sin²(θ/2); the first term left out is 63 x¹⁰/1408 < 1e-21.
            return v
                * (2.0 + t / 3.0 * (1.0 + t * (9.0 / 20.0) * (1.0 + t * (25.0 / 42.0) * (1.0 + t * (49.0 / 72.0)))));
        }
        let n = t.sqrt();
        v * (2.0 * n.atan2(w) / n)
    }

    /// The Cayley map: the rotation about `k` by the angle 2 atan(|k|/2), equation (8) on SO(3).
    pub fn cayley(k: &Vector3<f64>) -> Self {
        let square = 1.0 + 0.25 * k.norm_squared();
        if square == f64::INFINITY {
            // A half turn to the last digit, or not a number if k is not finite.
            return Self { w: 0.0, v: (k / k.amax()).normalize() };
        }
        let w = 1.0 / square.sqrt();
        Self { w, v: k * (0.5 * w) }
    }

    /// The `k` with `cayley(k)` = self; `None` for a half turn, which the map does not reach.
    pub fn cayley_inverse(&self) -> Option<Vector3<f64>> {
        let k = self.v * (2.0 / self.w);
        k.iter().all(|x| x.is_finite()).then_some(k)
    }

    /// As a 3×3 matrix.
    #[inline]
    pub fn matrix(&self) -> Matrix3<f64> {
        let (w, x, y, z) = (self.w, self.v.x, self.v.y, self.v.z);
        Matrix3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        )
    }

    /// The inverse rotation.
    #[inline]
    pub fn inverse(&self) -> Self {
        Self { w: self.w, v: -self.v }
    }

    /// Turns a vector from body to world.
    #[inline]
    pub fn rotate(&self, a: &Vector3<f64>) -> Vector3<f64> {
        let t = self.v.cross(a) * 2.0;
        a + t * self.w + self.v.cross(&t)
    }

    /// Turns a vector from world to body.
    #[inline]
    pub fn inverse_rotate(&self, a: &Vector3<f64>) -> Vector3<f64> {
        self.inverse().rotate(a)
    }

    /// The angle of the rotation, in [0, π].
    pub fn angle(&self) -> f64 {
        2.0 * self.v.norm().atan2(self.w.abs())
    }
}

impl Mul for Rotation {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        let w = self.w * o.w - self.v.dot(&o.v);
        let v = o.v * self.w + self.v * o.w + self.v.cross(&o.v);
        // One Newton step of 1/√n² keeps the norm at one to the last bit.
        let k = 1.5 - 0.5 * (w * w + v.norm_squared());
        Self { w: w * k, v: v * k }
    }
}
