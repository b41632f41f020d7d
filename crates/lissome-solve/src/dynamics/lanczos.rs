//! The largest eigenvalues of an operator that is symmetric in its inner product, by block Lanczos iteration with full
//! reorthogonalisation.

pub use crate::krylov::Operator;
use crate::krylov::{Reach, Space};
use nalgebra::DMatrix;

/// An eigenvalue and its vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenpair {
    /// Eigenvalue.
    pub value: f64,
    /// Vector with xᵀMx = 1.
    pub vector: Vec<f64>,
    /// ‖(operator) x − value x‖ over the largest eigenvalue.
    pub error: f64,
}

/// The `reach.wanted` largest eigenvalues, or as many as there are; with fewer vectors than they need, their errors tell.
/// The space grows from `starts`.
pub fn largest_from(operator: &mut impl Operator, starts: Vec<Vec<f64>>, reach: Reach) -> Vec<Eigenpair> {
    let mut space = Space::new(operator, starts);
    let found = space.grow(operator, &reach, |space| {
        let pairs = ritz(space, reach.wanted);
        let enough = pairs.iter().all(|pair| pair.2 < reach.tolerance);
        Some((pairs, enough))
    });
    let in_full =
        |(value, weights, error): Ritz| Eigenpair { value, vector: space.combine(weights.into_iter()), error };
    found.unwrap_or_default().into_iter().map(in_full).collect()
}

/// The `count` largest eigenvalues from at most `most` vectors, starting from one; an eigenvalue that occurs several times is
/// found once.
pub fn largest(
    operator: &mut impl Operator,
    start: Vec<f64>,
    count: usize,
    most: usize,
    tolerance: f64,
) -> Vec<Eigenpair> {
    largest_from(operator, vec![start], Reach { wanted: count, most, tolerance })
}

/// An eigenvalue, its vector in terms of those of a space, and its error.
type Ritz = (f64, Vec<f64>, f64);

fn ritz(space: &Space, count: usize) -> Vec<Ritz> {
    let m = space.columns.len();
    let beyond = DMatrix::from_fn(space.vectors.len() - m, m, |i, j| space.entry(m + i, j));
    let eigen = DMatrix::from_fn(m, m, |i, j| 0.5 * (space.entry(i, j) + space.entry(j, i))).symmetric_eigen();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let scale = eigen.eigenvalues.amax();
    let pair = |i: usize| {
        let weights = eigen.eigenvectors.column(i);
        (eigen.eigenvalues[i], weights.iter().copied().collect(), (&beyond * weights).norm() / scale)
    };
    order.into_iter().take(count).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// diag(1 … n) in the inner product of diag(1, 2, 1, 2, …).
    struct Diagonal;
    impl Operator for Diagonal {
        fn mass(&mut self, x: &[f64], y: &mut [f64]) {
            for (i, (x, y)) in x.iter().zip(y).enumerate() {
                *y = x * (1.0 + (i % 2) as f64);
            }
        }
        fn apply(&mut self, x: &[f64], _: &[f64], y: &mut [f64]) {
            for (i, (x, y)) in x.iter().zip(y).enumerate() {
                *y = x * (i + 1) as f64;
            }
        }
    }

    #[test]
    fn finds_the_largest_and_their_vectors() {
        let start = (0..60).map(|i| 1.0 + 0.3 * (i as f64).sin()).collect();
        let pairs = largest(&mut Diagonal, start, 4, 60, 1e-12);
        assert_eq!(pairs.len(), 4);
        for (k, pair) in pairs.iter().enumerate() {
            let expected = 60 - k;
            assert!((pair.value - expected as f64).abs() < 1e-9, "{} is not {expected}", pair.value);
            let weight = 1.0 + ((expected - 1) % 2) as f64;
            assert!((pair.vector[expected - 1].abs() - 1.0 / weight.sqrt()).abs() < 1e-5);
        }
    }
}
