//! Motions with constant body twist (θ, ρ), followed for a unit of time: the turn exp(θ) and the shift V(θ) ρ.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | V | mean of exp(xθ), x from 0 to 1: I + c₂ θ~ + c₃ θ~² | `mean_turn` |
//! | c₂, c₃ | (1 − cos t)/t², (t − sin t)/t³, t = \|θ\| | `series` |
//! | d₂, d₃ | c₂′/t, c₃′/t | `series` |
//! | D | ∂(V(θ) ρ)/∂θ | `shift_by_turn` |
//!
//! The angular velocity of exp(θ(t)) is V(θ)ᵀ θ̇ in moving axes. All four functions are summed as power series of t², which
//! neither cancel nor need a switch for angles up to a full turn.

use crate::cosserat::equations::cross;
use nalgebra::{Matrix3, Vector3};

/// Terms of the series: (2π)⁴⁶/48! is below 1e-24.
const TERMS: usize = 24;

/// Σ (−1)ᵏ t²ᵏ/(2k + n)! and its derivative by t, divided by t.
fn series(n: usize, squared: f64) -> (f64, f64) {
    let mut term = 1.0 / (1..=n).product::<usize>() as f64;
    let (mut value, mut slope) = (term, 0.0);
    for k in 1..TERMS {
        let next = -term / ((2 * k + n - 1) * (2 * k + n)) as f64;
        slope += 2.0 * k as f64 * next * squared.powi(k as i32 - 1);
        value += next * squared.powi(k as i32);
        term = next;
    }
    (value, slope)
}

/// V(θ).
pub(crate) fn mean_turn(theta: &Vector3<f64>) -> Matrix3<f64> {
    let skew = cross(theta);
    let ((c2, _), (c3, _)) = (series(2, theta.norm_squared()), series(3, theta.norm_squared()));
    Matrix3::identity() + skew * c2 + skew * skew * c3
}

/// (θ, ρ) from the turn θ, of at most half a turn, and the shift V(θ) ρ.
pub(crate) fn twist_to(theta: &Vector3<f64>, shift: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let back = mean_turn(theta).try_inverse().expect("V(θ) is regular for turns of less than 2π");
    (*theta, back * shift)
}

/// D = −c₂ ρ~ + c₃ ((θ·ρ) I + θ ρᵀ − 2 ρ θᵀ) + (d₂ θ×ρ + d₃ θ×(θ×ρ)) θᵀ.
pub(crate) fn shift_by_turn(theta: &Vector3<f64>, rho: &Vector3<f64>) -> Matrix3<f64> {
    let ((c2, d2), (c3, d3)) = (series(2, theta.norm_squared()), series(3, theta.norm_squared()));
    let once = theta.cross(rho);
    let twice = theta.cross(&once);
    Matrix3::identity() * (c3 * theta.dot(rho)) - cross(rho) * c2
        + (theta * rho.transpose() - rho * theta.transpose() * 2.0) * c3
        + (once * d2 + twice * d3) * theta.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_the_closed_forms() {
        // Where the closed forms cancel by no more than a factor of a hundred.
        for t in [1.0, 2.0, 3.0, 6.0f64] {
            let ((c2, d2), (c3, d3)) = (series(2, t * t), series(3, t * t));
            assert!((c2 - (1.0 - t.cos()) / (t * t)).abs() < 1e-14);
            assert!((c3 - (t - t.sin()) / t.powi(3)).abs() < 1e-14);
            assert!((d2 - (t * t.sin() - 2.0 * (1.0 - t.cos())) / t.powi(4)).abs() < 1e-14);
            assert!((d3 - (3.0 * t.sin() - 2.0 * t - t * t.cos()) / t.powi(5)).abs() < 1e-14);
        }
    }

    #[test]
    fn shift_by_turn_is_the_derivative_of_the_shift() {
        let (theta, rho) = (Vector3::new(0.7, -1.1, 0.4), Vector3::new(0.3, 0.8, -0.5));
        // Central differences: truncation h² and rounding 1e-16/h, both under 1e-9.
        let h = 1e-5;
        let d = shift_by_turn(&theta, &rho);
        for i in 0..3 {
            let step = Vector3::ith(i, h);
            let column = (mean_turn(&(theta + step)) * rho - mean_turn(&(theta - step)) * rho) / (2.0 * h);
            assert!((column - d.column(i)).amax() < 1e-9);
        }
    }
}
