//! The eigenvector of the pair (A, B) whose eigenvalue is nearest to zero: A x = λ B x by inverse iteration.

use crate::SymmetricFactor;

/// Result of [`inverse_iteration`]; the vector is left in the argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigenpair {
    /// Rayleigh quotient xᵀA x / xᵀB x.
    pub value: f64,
    /// Relative change of the value in the last iteration.
    pub change: f64,
    /// Iterations made.
    pub iterations: usize,
}

/// Iterates x ← A⁻¹ B x, with xᵀB x = ±1 after each iteration, until the eigenvalue changes by less than `tolerance`
/// relatively or `iterations` are done. `factor` is that of A, `apply_b(x, y)` writes y = B x. To find the eigenvalue
/// nearest to σ, factor A − σB and add σ.
///
/// In the mixed form B may be the stiffness of the poses with zeros for the stresses; all that is needed is xᵀB x ≠ 0.
/// `None` if it vanishes, or if a number is not finite.
pub fn inverse_iteration(
    factor: &SymmetricFactor,
    mut apply_b: impl FnMut(&[f64], &mut [f64]),
    x: &mut [f64],
    iterations: usize,
    tolerance: f64,
) -> Option<Eigenpair> {
    let mut image = vec![0.0; x.len()];
    let mut right = vec![0.0; x.len()];
    apply_b(x, &mut right);
    let mut pair = Eigenpair { value: f64::INFINITY, change: f64::INFINITY, iterations: 0 };
    for iteration in 1..=iterations {
        x.copy_from_slice(&right);
        factor.solve(x);
        apply_b(x, &mut image);
        // With A x = `right`, the numerator of the quotient needs no product with A.
        let (energy, size) = (dot(x, &right), dot(x, &image));
        let value = energy / size;
        if !(value.is_finite() && size != 0.0) {
            return None;
        }
        let norm = 1.0 / size.abs().sqrt();
        for k in 0..x.len() {
            x[k] *= norm;
            right[k] = image[k] * norm;
        }
        let change = ((value - pair.value) / value).abs();
        pair = Eigenpair { value, change, iterations: iteration };
        if change <= tolerance {
            break;
        }
    }
    Some(pair)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
