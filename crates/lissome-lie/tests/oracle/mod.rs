//! Independent oracles: both groups as 4×4 matrices, maps as power series, derivatives as five-point differences.
//!
//! Nothing here calls a closed form of the crate.
#![allow(dead_code)] // Each test binary uses its own part.

use lissome_lie::{Cayley, Exponential, LieGroup, Pose, Retraction, Rotation, Twist};
use nalgebra::{Matrix4, SMatrix, Vector3};

/// Rotation angles on both sides of every switch of the crate (0.01 and √10) and at the ends of its range.
pub const ANGLES: [f64; 12] = [0.0, 1e-9, 1e-4, 0.0099999, 0.0100001, 0.05, 0.5, 1.5, 2.5, 3.1, 3.1622, 3.1623];

/// A group that can show itself as 4×4 matrices.
pub trait Probe: LieGroup {
    fn tangent(components: &[f64]) -> Self::Tangent;
    fn covector(components: &[f64]) -> Self::Cotangent;
    fn components(x: &Self::Tangent) -> Vec<f64>;
    fn entries(operator: &Self::Operator) -> Vec<f64>;
    fn matrix(&self) -> Matrix4<f64>;

    /// The 4×4 matrix of a tangent.
    fn hat(x: &Self::Tangent) -> Matrix4<f64> {
        let c = Self::components(x);
        let mut m = Matrix4::zeros();
        m[(2, 1)] = c[0];
        m[(0, 2)] = c[1];
        m[(1, 0)] = c[2];
        m[(1, 2)] = -c[0];
        m[(2, 0)] = -c[1];
        m[(0, 1)] = -c[2];
        for (i, e) in c[3..].iter().enumerate() {
            m[(i, 3)] = *e;
        }
        m
    }

    /// The tangent of a 4×4 matrix.
    fn vee(m: &Matrix4<f64>) -> Self::Tangent {
        Self::tangent(&[m[(2, 1)], m[(0, 2)], m[(1, 0)], m[(0, 3)], m[(1, 3)], m[(2, 3)]])
    }

    /// A tangent of the given rotation angle, in a direction that depends on `seed`.
    fn sample(angle: f64, seed: usize) -> Self::Tangent {
        let a = seed as f64;
        let axis = Vector3::new((1.3 * a + 0.4).sin(), (2.1 * a + 1.0).cos(), (0.7 * a - 0.3).sin() + 0.2);
        let k = axis * (angle / axis.norm());
        Self::tangent(&[k.x, k.y, k.z, (0.9 * a).cos(), (1.7 * a).sin() - 0.3, 0.6 * (2.3 * a).cos()])
    }
}

impl Probe for Rotation {
    fn tangent(c: &[f64]) -> Vector3<f64> {
        Vector3::new(c[0], c[1], c[2])
    }
    fn covector(c: &[f64]) -> Vector3<f64> {
        Vector3::new(c[0], c[1], c[2])
    }
    fn components(x: &Vector3<f64>) -> Vec<f64> {
        x.as_slice().to_vec()
    }
    fn entries(operator: &Self::Operator) -> Vec<f64> {
        operator.as_slice().to_vec()
    }
    fn matrix(&self) -> Matrix4<f64> {
        Rotation::matrix(self).to_homogeneous()
    }
}

impl Probe for Pose {
    fn tangent(c: &[f64]) -> Twist {
        Twist::new(Vector3::new(c[0], c[1], c[2]), Vector3::new(c[3], c[4], c[5]))
    }
    fn covector(c: &[f64]) -> lissome_lie::Wrench {
        lissome_lie::Wrench::new(Vector3::new(c[0], c[1], c[2]), Vector3::new(c[3], c[4], c[5]))
    }
    fn components(x: &Twist) -> Vec<f64> {
        x.to_vector().as_slice().to_vec()
    }
    fn entries(operator: &Self::Operator) -> Vec<f64> {
        operator.as_slice().to_vec()
    }
    fn matrix(&self) -> Matrix4<f64> {
        let mut m = self.rotation.matrix().to_homogeneous();
        for i in 0..3 {
            m[(i, 3)] = self.position[i];
        }
        m
    }
}

/// A retraction and what it should be on 4×4 matrices.
pub trait MatrixMap<G: Probe>: Retraction<G> {
    fn map(x: &Matrix4<f64>) -> Matrix4<f64>;
    fn left_tangent(x: &Matrix4<f64>, y: &Matrix4<f64>) -> Matrix4<f64>;
    /// The rotation angle of the map at a tangent of angle `angle`.
    fn turn(angle: f64) -> f64;
}

impl<G: Probe> MatrixMap<G> for Exponential
where
    Exponential: Retraction<G>,
{
    fn map(x: &Matrix4<f64>) -> Matrix4<f64> {
        let (mut sum, mut term) = (Matrix4::identity(), Matrix4::identity());
        for j in 1..60 {
            term = term * x / f64::from(j);
            sum += term;
        }
        sum
    }
    /// Σ (−1)ʲ/(j+1)! [x, [x, … y]].
    fn left_tangent(x: &Matrix4<f64>, y: &Matrix4<f64>) -> Matrix4<f64> {
        let (mut sum, mut term) = (*y, *y);
        for j in 1..60 {
            term = (x * term - term * x) / f64::from(-(j + 1));
            sum += term;
        }
        sum
    }
    fn turn(angle: f64) -> f64 {
        angle
    }
}

impl<G: Probe> MatrixMap<G> for Cayley
where
    Cayley: Retraction<G>,
{
    fn map(x: &Matrix4<f64>) -> Matrix4<f64> {
        let i = Matrix4::identity();
        (i - x * 0.5).try_inverse().unwrap() * (i + x * 0.5)
    }
    fn left_tangent(x: &Matrix4<f64>, y: &Matrix4<f64>) -> Matrix4<f64> {
        let i = Matrix4::identity();
        (i + x * 0.5).try_inverse().unwrap() * y * (i - x * 0.5).try_inverse().unwrap()
    }
    fn turn(angle: f64) -> f64 {
        2.0 * (0.5 * angle).atan()
    }
}

/// Largest difference of two lists of numbers.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m })
}

/// Fails unless two lists agree to `tolerance` of the larger of one and their size; refuses NaN.
#[track_caller]
pub fn assert_close(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    let scale = b.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let d = distance(a, b);
    assert!(d <= tolerance * scale, "{what}: off by {d:e}, allowed {:e}", tolerance * scale);
}

/// The five-point first difference of a list of numbers, error ~ h⁴/30.
pub fn slope(h: f64, f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let (a, b, c, d) = (f(-2.0 * h), f(-h), f(h), f(2.0 * h));
    (0..a.len()).map(|i| (8.0 * (c[i] - b[i]) - (d[i] - a[i])) / (12.0 * h)).collect()
}

/// The five-point second difference, error ~ h⁴/90.
pub fn bend(h: f64, f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let (a, b, m, c, d) = (f(-2.0 * h), f(-h), f(0.0), f(h), f(2.0 * h));
    (0..a.len()).map(|i| (16.0 * (b[i] + c[i]) - (a[i] + d[i]) - 30.0 * m[i]) / (12.0 * h * h)).collect()
}

/// Σ coefficient(j) Pʲ and its derivative along P′, term by term.
pub fn power_series<const N: usize>(
    p: &SMatrix<f64, N, N>,
    rate: &SMatrix<f64, N, N>,
    terms: usize,
    coefficient: impl Fn(usize) -> f64,
) -> (SMatrix<f64, N, N>, SMatrix<f64, N, N>) {
    let (mut power, mut power_rate) = (SMatrix::identity(), SMatrix::zeros());
    let (mut sum, mut sum_rate) = (SMatrix::zeros(), SMatrix::zeros());
    for j in 0..terms {
        sum += power * coefficient(j);
        sum_rate += power_rate * coefficient(j);
        power_rate = p * power_rate + rate * power;
        power = p * power;
    }
    (sum, sum_rate)
}
