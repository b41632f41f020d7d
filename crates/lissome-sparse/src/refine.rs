//! Iterative refinement and its measure, shared by all factors.
//!
//! No solver of the program refines: Newton's next iteration does the same. It stays because a factor that lost digits
//! cannot be judged otherwise, and the tests of every factor judge it by the residual that refinement leaves.

/// Steps after which refinement that still gains is not worth its time: each gains the digits that the factor kept, at
/// least four by the limit on growth.
const MOST_STEPS: usize = 3;

/// A backward error that refinement cannot improve: a rounding of each entry.
const ROUNDING: f64 = 2.0 * f64::EPSILON;

/// Matrices that can measure a solution.
pub(crate) trait Residual {
    /// Writes b − A x and returns its backward error.
    fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64], scale: &mut [f64]) -> f64;
}

/// Solves A x = b with `solve` and refines while that at least halves the backward error, which is returned.
pub(crate) fn refine(
    a: &impl Residual,
    b: &[f64],
    x: &mut [f64],
    work: &mut Vec<f64>,
    mut solve: impl FnMut(&mut [f64]),
) -> f64 {
    let n = b.len();
    work.resize(3 * n, 0.0);
    let (r, rest) = work.split_at_mut(n);
    let (scale, candidate) = rest.split_at_mut(n);
    x.copy_from_slice(b);
    solve(x);
    let mut error = a.residual(b, x, r, scale);
    for _ in 0..MOST_STEPS {
        if error <= ROUNDING {
            break;
        }
        candidate.copy_from_slice(r);
        solve(candidate);
        for (candidate, x) in candidate.iter_mut().zip(&*x) {
            *candidate += x;
        }
        let refined = a.residual(b, candidate, r, scale);
        if refined < error {
            x.copy_from_slice(candidate);
        }
        let stalled = refined > 0.5 * error;
        error = error.min(refined);
        if stalled {
            break;
        }
    }
    error
}

/// max r_i / scale_i, see [`SymmetricBand::residual`](crate::SymmetricBand::residual).
pub(crate) fn backward_error(r: &[f64], scale: &[f64]) -> f64 {
    let largest = scale.iter().fold(0.0, |m: f64, &s| m.max(s));
    let floor = f64::EPSILON * f64::EPSILON * largest;
    let mut error = 0.0;
    for (r, s) in r.iter().zip(scale) {
        if !(r.is_finite() && s.is_finite()) {
            return f64::INFINITY;
        }
        if *r != 0.0 {
            error = f64::max(error, r.abs() / s.max(floor));
        }
    }
    error
}
