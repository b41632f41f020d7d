//! The lowest eigenvalues of K x = λ K_mat x, by Lanczos' iteration on (K + μ K_mat)⁻¹ K_mat in the inner product of K_mat.
//!
//! All but a few eigenvalues lie near one, so a dozen vectors are enough; then the space is exhausted. K_mat is far from the
//! identity (stretch against bending, 10⁸ and more), so what is left of a vector when it is, is round-off of a millionth or
//! so of its former length, and must not be taken for a direction.

use nalgebra::{DMatrix, DVector};

/// An eigenvalue θ of the operator and its vector, of unit size in the inner product.
pub(crate) struct Pair {
    pub value: f64,
    pub vector: Vec<f64>,
}

/// The operator and the inner product, known by their products.
pub(crate) trait Pencil {
    /// y = K_mat x.
    fn material(&mut self, x: &[f64], y: &mut [f64]);
    /// y = (K + μ K_mat)⁻¹ m, on displacements.
    fn solve(&mut self, m: &[f64], y: &mut [f64]);
}

/// Vectors at most.
const MOST_VECTORS: usize = 60;
/// A vector shorter than this part of what it was has nothing new.
const EXHAUSTED: f64 = 1e-6;
/// Vectors between two looks at the errors.
const CHECK_EVERY: usize = 3;

/// The `count` largest θ, in falling order, from a start; the residual of each below `tolerance` of the θ itself, unless the
/// vectors are exhausted before.
pub(crate) fn largest(pencil: &mut impl Pencil, start: Vec<f64>, count: usize, tolerance: f64) -> Vec<Pair> {
    let n = start.len();
    let (mut vectors, mut images): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let (mut diagonal, mut below): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut next = start;
    let mut image = vec![0.0; n];
    let mut pairs = Vec::new();
    for k in 0..MOST_VECTORS.min(n) {
        pencil.material(&next, &mut image);
        let whole = dot(&next, &image).max(0.0).sqrt();
        // Twice is enough: the second pass removes what round-off of the first left.
        for _ in 0..2 {
            for (v, mv) in vectors.iter().zip(&images) {
                let overlap = dot(mv, &next);
                add(&mut next, -overlap, v);
            }
        }
        pencil.material(&next, &mut image);
        let norm = dot(&next, &image).max(0.0).sqrt();
        if k > 0 {
            below.push(norm);
        }
        let exhausted = norm.is_nan() || norm <= EXHAUSTED * whole;
        if k >= count && (exhausted || k % CHECK_EVERY == 0) {
            let (found, settled) = ritz(&diagonal, &below, &vectors, count, tolerance);
            pairs = found;
            if settled {
                return pairs;
            }
        }
        if exhausted || !norm.is_finite() {
            break;
        }
        next.iter_mut().chain(&mut image).for_each(|x| *x /= norm);
        vectors.push(next.clone());
        images.push(image.clone());
        pencil.solve(&images[k], &mut next);
        diagonal.push(dot(&images[k], &next));
    }
    if pairs.is_empty() || below.len() > diagonal.len() {
        pairs = ritz(&diagonal, &below, &vectors, count, tolerance).0;
    }
    pairs
}

/// Eigenvalues of the operator on the vectors, and whether the residuals of those asked for are small.
fn ritz(diagonal: &[f64], below: &[f64], vectors: &[Vec<f64>], count: usize, tolerance: f64) -> (Vec<Pair>, bool) {
    let m = diagonal.len();
    if m == 0 {
        return (Vec::new(), true);
    }
    let mut t = DMatrix::from_diagonal(&DVector::from_column_slice(diagonal));
    for (i, b) in below.iter().enumerate().take(m - 1) {
        t[(i + 1, i)] = *b;
        t[(i, i + 1)] = *b;
    }
    let left = below.get(m - 1).copied().unwrap_or(0.0);
    let eigen = t.symmetric_eigen();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let mut settled = true;
    let pairs = order.into_iter().take(count).map(|i| {
        let (value, weights) = (eigen.eigenvalues[i], eigen.eigenvectors.column(i));
        settled &= (left * weights[m - 1]).abs() <= tolerance * value.abs();
        let mut vector = vec![0.0; vectors[0].len()];
        for (w, v) in weights.iter().zip(vectors) {
            add(&mut vector, *w, v);
        }
        Pair { value, vector }
    });
    let pairs = pairs.collect();
    (pairs, settled)
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

    /// K_mat = diag(1, 10⁸, 1, 10⁸, …) and eigenvalues θ = 1 but for three.
    struct Crowded;
    impl Pencil for Crowded {
        fn material(&mut self, x: &[f64], y: &mut [f64]) {
            for (i, (x, y)) in x.iter().zip(y).enumerate() {
                *y = x * if i % 2 == 0 { 1.0 } else { 1e8 };
            }
        }
        fn solve(&mut self, m: &[f64], y: &mut [f64]) {
            for (i, (m, y)) in m.iter().zip(y).enumerate() {
                let theta = [50.0, 7.0, 5.0].get(i).copied().unwrap_or(1.0);
                *y = m * theta / if i % 2 == 0 { 1.0 } else { 1e8 };
            }
        }
    }

    #[test]
    fn a_space_that_is_exhausted_gives_no_more() {
        let start = (0..40).map(|i| 1.0 + 0.3 * (i as f64).sin()).collect();
        let pairs = largest(&mut Crowded, start, 5, 1e-10);
        let expected = [50.0, 7.0, 5.0, 1.0];
        assert_eq!(pairs.len(), expected.len());
        for (pair, expected) in pairs.iter().zip(expected) {
            assert!((pair.value / expected - 1.0).abs() < 1e-9, "{} is not {expected}", pair.value);
        }
    }
}
