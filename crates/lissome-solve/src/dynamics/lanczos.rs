//! Lanczos iteration with full reorthogonalisation: the largest eigenvalues of an operator that is symmetric in the inner
//! product of a mass matrix.

use nalgebra::{DMatrix, DVector};

/// An eigenvalue and its vector, of unit mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenpair {
    /// Eigenvalue.
    pub value: f64,
    /// Vector with xᵀMx = 1.
    pub vector: Vec<f64>,
    /// Estimated error of the eigenvalue relative to the largest.
    pub error: f64,
}

/// A pair of matrices (operator, mass) known by their products.
pub trait Operator {
    /// y = M x.
    fn mass(&mut self, x: &[f64], y: &mut [f64]);
    /// y = (operator) x, given x and M x.
    fn apply(&mut self, x: &[f64], mass_x: &[f64], y: &mut [f64]);
}

/// Vectors whose mass falls below this fraction of what it was have nothing new.
const EXHAUSTED: f64 = 1e-12;
/// Vectors between two looks at the errors.
const CHECK_EVERY: usize = 5;

/// The `count` largest eigenvalues from at most `most` vectors, starting from `start`; stops when their estimated errors
/// are below `tolerance` (relative to the largest).
pub fn largest(
    operator: &mut impl Operator,
    start: Vec<f64>,
    count: usize,
    most: usize,
    tolerance: f64,
) -> Vec<Eigenpair> {
    let n = start.len();
    let (mut vectors, mut images): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let (mut diagonal, mut below): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut next = start;
    let mut image = vec![0.0; n];
    let mut size: f64 = 0.0;
    for k in 0..most.min(n) {
        operator.mass(&next, &mut image);
        // Twice is enough: the second pass removes what round-off of the first left.
        for _ in 0..2 {
            for (v, mv) in vectors.iter().zip(&images) {
                let overlap = dot(mv, &next);
                add(&mut next, -overlap, v);
                add(&mut image, -overlap, mv);
            }
        }
        let norm = dot(&next, &image).max(0.0).sqrt();
        if k > 0 {
            below.push(norm);
        }
        // Also where a number is not finite.
        let fresh = norm > EXHAUSTED * size && norm.is_finite();
        if !fresh {
            break;
        }
        next.iter_mut().chain(&mut image).for_each(|x| *x /= norm);
        vectors.push(next.clone());
        images.push(image.clone());
        operator.apply(&vectors[k], &images[k], &mut next);
        let alpha = dot(&images[k], &next);
        diagonal.push(alpha);
        size = size.max(alpha.abs());
        if k + 1 >= count && (k + 1) % CHECK_EVERY == 0 {
            let left = residual_norm(operator, &next, &vectors, &images);
            if ritz(&diagonal, &below, &vectors, count, left).iter().all(|pair| pair.error < tolerance) {
                break;
            }
        }
    }
    let left = residual_norm(operator, &next, &vectors, &images);
    ritz(&diagonal, &below, &vectors, count, left)
}

/// Size of what the operator made of the last vector, beyond the vectors already there.
fn residual_norm(operator: &mut impl Operator, next: &[f64], vectors: &[Vec<f64>], images: &[Vec<f64>]) -> f64 {
    let mut rest = next.to_vec();
    for (v, mv) in vectors.iter().zip(images) {
        let overlap = dot(mv, &rest);
        add(&mut rest, -overlap, v);
    }
    let mut image = vec![0.0; rest.len()];
    operator.mass(&rest, &mut image);
    dot(&rest, &image).max(0.0).sqrt()
}

fn ritz(diagonal: &[f64], below: &[f64], vectors: &[Vec<f64>], count: usize, left: f64) -> Vec<Eigenpair> {
    let m = diagonal.len();
    if m == 0 {
        return Vec::new();
    }
    let mut t = DMatrix::from_diagonal(&DVector::from_column_slice(diagonal));
    for (i, b) in below.iter().enumerate().take(m - 1) {
        t[(i + 1, i)] = *b;
        t[(i, i + 1)] = *b;
    }
    let eigen = t.symmetric_eigen();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let scale = eigen.eigenvalues.amax();
    order
        .into_iter()
        .take(count)
        .map(|i| {
            let weights = eigen.eigenvectors.column(i);
            let mut vector = vec![0.0; vectors[0].len()];
            for (w, v) in weights.iter().zip(vectors) {
                add(&mut vector, *w, v);
            }
            Eigenpair { value: eigen.eigenvalues[i], vector, error: (left * weights[m - 1]).abs() / scale }
        })
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(y: &mut [f64], k: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += k * x;
    }
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
        for (k, pair) in pairs.iter().enumerate() {
            let expected = 60 - k;
            assert!((pair.value - expected as f64).abs() < 1e-9, "{} is not {expected}", pair.value);
            let weight = 1.0 + ((expected - 1) % 2) as f64;
            assert!((pair.vector[expected - 1].abs() - 1.0 / weight.sqrt()).abs() < 1e-5);
        }
    }
}
