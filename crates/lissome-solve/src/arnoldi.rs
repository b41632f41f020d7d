//! Eigenvalues of an operator without symmetry, with their vectors: those of largest magnitude, by block Arnoldi iteration.

use crate::krylov::{Operator, Reach, Space};
use crate::schur::schur;
use nalgebra::{Complex, DMatrix, DVector};

/// An eigenvalue and its vector x = a + ib, with xᴴMx = 1 and a as large as a turn of the phase makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenpair {
    /// Eigenvalue.
    pub value: Complex<f64>,
    /// a.
    pub real: Vec<f64>,
    /// b; zero where the eigenvalue is real.
    pub imaginary: Vec<f64>,
    /// ‖(operator) x − value x‖ over |value|.
    pub error: f64,
}

/// Imaginary parts below this, relative to the eigenvalue, are round-off.
const REAL: f64 = 1e-10;

/// An eigenvalue, its vector in terms of those of a space, and its error.
type Ritz = (Complex<f64>, DVector<Complex<f64>>, f64);

/// Eigenvalues of the operator on the space, largest magnitude first. `None` if the arithmetic breaks down.
fn ritz(space: &Space) -> Option<Vec<Ritz>> {
    let m = space.columns.len();
    let square = DMatrix::from_fn(m, m, |i, j| Complex::from(space.entry(i, j)));
    let beyond = DMatrix::from_fn(space.vectors.len() - m, m, |i, j| Complex::from(space.entry(m + i, j)));
    let [turn, triangle] = schur(square)?;
    let scale = triangle.diagonal().iter().map(|theta| theta.norm()).fold(f64::MIN_POSITIVE, f64::max);
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|a, b| triangle[(*b, *b)].norm().total_cmp(&triangle[(*a, *a)].norm()));
    let pair = |k: usize| {
        let theta = triangle[(k, k)];
        // Back substitution in the triangle; equal eigenvalues are kept apart by the last digit.
        let least = f64::EPSILON * scale;
        let mut y: DVector<Complex<f64>> = DVector::zeros(m);
        y[k] = Complex::from(1.0);
        for i in (0..k).rev() {
            let sum: Complex<f64> = (i + 1..=k).map(|j| triangle[(i, j)] * y[j]).sum();
            let apart = triangle[(i, i)] - theta;
            y[i] = -sum / if apart.norm() < least { Complex::from(least) } else { apart };
        }
        let y = &turn * y.unscale(y.norm());
        let error = (&beyond * &y).norm() / theta.norm().max(f64::MIN_POSITIVE);
        (theta, y, error)
    };
    Some(order.into_iter().map(pair).collect())
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The eigenvalues that converged, largest magnitude first; of a pair of conjugates the one with positive imaginary part.
    pub pairs: Vec<Eigenpair>,
    /// True if all that were wanted converged, so that none of larger magnitude is missing.
    pub complete: bool,
}

/// The eigenvalues of largest magnitude. The space grows from `starts`. `None` if the arithmetic broke down.
pub fn largest(operator: &mut impl Operator, starts: Vec<Vec<f64>>, reach: Reach) -> Option<Found> {
    let mut space = Space::new(operator, starts);
    if space.vectors.is_empty() {
        return Some(Found { pairs: Vec::new(), complete: true });
    }
    let found = space.grow(operator, &reach, |space| {
        let pairs = ritz(space)?;
        let enough = pairs.iter().take(reach.wanted).all(|(_, _, error)| *error < reach.tolerance);
        Some((pairs, enough))
    })?;
    let good = |pair: &Ritz| pair.2 < reach.tolerance.sqrt();
    let complete = found.iter().take(reach.wanted).all(good);
    let upper = found.into_iter().filter(good).filter(|(theta, _, _)| theta.im >= -REAL * theta.norm());
    Some(Found { pairs: upper.map(|pair| in_full(pair, &space)).collect(), complete })
}

/// The vector of an eigenvalue, its phase turned so that its real part is as large as it can be.
fn in_full((value, y, error): Ritz, space: &Space) -> Eigenpair {
    // Vectors are orthonormal, so Σ y² is xᵀMx.
    let square: Complex<f64> = y.iter().map(|y| y * y).sum();
    let y = y * Complex::from_polar(1.0, -0.5 * square.arg());
    let real = space.combine(y.iter().map(|y| y.re));
    if value.im.abs() <= REAL * value.norm() {
        let imaginary = vec![0.0; real.len()];
        return Eigenpair { value: Complex::from(value.re), real, imaginary, error };
    }
    Eigenpair { value, real, imaginary: space.combine(y.iter().map(|y| y.im)), error }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::krylov::starts;

    /// Blocks on a diagonal: 40, 39, 39 and 38 ± 5i, then 30, 29 … 1, in the inner product of diag(1, 2, 1, 2, …).
    struct Blocks;
    const SIZE: usize = 35;
    impl Operator for Blocks {
        fn mass(&mut self, x: &[f64], y: &mut [f64]) {
            for (i, (x, y)) in x.iter().zip(y).enumerate() {
                *y = x * (1.0 + (i % 2) as f64);
            }
        }
        fn apply(&mut self, x: &[f64], _: &[f64], y: &mut [f64]) {
            for (i, y) in y.iter_mut().enumerate() {
                *y = match i {
                    0 => 40.0 * x[0],
                    1 | 2 => 39.0 * x[i],
                    3 => 38.0 * x[3] - 5.0 * x[4],
                    4 => 38.0 * x[4] + 5.0 * x[3],
                    _ => (SIZE - i) as f64 * x[i],
                };
            }
        }
    }

    #[test]
    fn pairs_and_repeated_eigenvalues_are_found() {
        let starts = starts(SIZE, std::iter::once(0..SIZE));
        let reach = Reach { wanted: 6, most: 100, tolerance: 1e-12 };
        let Found { pairs: found, complete } = largest(&mut Blocks, starts, reach).unwrap();
        assert!(complete);
        let expected = [(40.0, 0.0), (39.0, 0.0), (39.0, 0.0), (38.0, 5.0), (30.0, 0.0)];
        // |38 + 5i| = 38.3.
        for (pair, (re, im)) in found.iter().zip(expected) {
            assert!((pair.value - Complex::new(re, im)).norm() < 1e-9, "{} is not {re} + {im}i", pair.value);
        }
        // Both vectors of the double eigenvalue, not one twice.
        let (a, b) = (&found[1].real, &found[2].real);
        assert!((a[1] * b[2] - a[2] * b[1]).abs() > 1e-3);
        // x₄ = −i x₃ for 38 + 5i.
        let (a, b) = (&found[3].real, &found[3].imaginary);
        let (x3, x4) = (Complex::new(a[3], b[3]), Complex::new(a[4], b[4]));
        assert!((x4 + Complex::new(0.0, 1.0) * x3).norm() < 1e-8 && x3.norm() > 0.1, "{x3} {x4}");
        // The vector satisfies the equation in full.
        let mut image = vec![0.0; SIZE];
        Blocks.apply(&found[0].real, &[], &mut image);
        let worst = image.iter().zip(&found[0].real).map(|(y, x)| (y - 40.0 * x).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{worst}");
    }

    #[test]
    fn a_defective_eigenvalue_does_not_break_it() {
        struct Jordan;
        impl Operator for Jordan {
            fn mass(&mut self, x: &[f64], y: &mut [f64]) {
                y.copy_from_slice(x);
            }
            fn apply(&mut self, x: &[f64], _: &[f64], y: &mut [f64]) {
                y.copy_from_slice(&[2.0 * x[0] + x[1], 2.0 * x[1], x[2]]);
            }
        }
        let reach = Reach { wanted: 2, most: 10, tolerance: 1e-10 };
        let found = largest(&mut Jordan, vec![vec![0.3, 0.5, 0.7]], reach).unwrap().pairs;
        // A double root moves by the square root of a rounding error.
        assert!((found[0].value - 2.0).norm() < 1e-7, "{}", found[0].value);
    }
}
