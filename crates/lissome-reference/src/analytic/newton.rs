//! Newton's method for a few unknowns, with a Jacobian by central differences.
//!
//! For boundary value problems that are integrated to 1e-13, where writing out variations would double the code. The
//! differences err by h² ≈ 1e-10 of the derivative, which costs no digit of the root: the residual is exact.

use crate::OracleError;
use nalgebra::{DMatrix, DVector};

/// Step of the differences, in units of 1 + |x|: ε^{1/3} balances truncation and rounding.
const DIFFERENCE: f64 = 6e-6;
/// Iterations after which a start was too far away.
const MOST_ITERATIONS: usize = 60;
/// Halvings of a step that does not reduce the residual.
const MOST_HALVINGS: usize = 12;

/// A root and the derivative of the function there.
#[derive(Clone, Debug)]
pub struct Root {
    /// Where the function vanishes.
    pub x: DVector<f64>,
    /// ∂f/∂x there.
    pub jacobian: DMatrix<f64>,
}

/// The derivative of `function` at `x` by central differences.
pub fn jacobian(
    x: &DVector<f64>,
    function: &mut impl FnMut(&DVector<f64>) -> Result<DVector<f64>, OracleError>,
) -> Result<DMatrix<f64>, OracleError> {
    let columns = (0..x.len()).map(|i| {
        let h = DIFFERENCE * (1.0 + x[i].abs());
        let (mut above, mut below) = (x.clone(), x.clone());
        above[i] += h;
        below[i] -= h;
        Ok((function(&above)? - function(&below)?) / (2.0 * h))
    });
    Ok(DMatrix::from_columns(&columns.collect::<Result<Vec<_>, OracleError>>()?))
}

/// The root of `function` near `start`, until the largest residual is below `tolerance`.
pub fn solve(
    start: DVector<f64>,
    tolerance: f64,
    mut function: impl FnMut(&DVector<f64>) -> Result<DVector<f64>, OracleError>,
) -> Result<Root, OracleError> {
    let mut x = start;
    let mut residual = function(&x)?;
    for _ in 0..MOST_ITERATIONS {
        let slope = jacobian(&x, &mut function)?;
        if residual.amax() < tolerance {
            return Ok(Root { x, jacobian: slope });
        }
        let Some(step) = slope.lu().solve(&residual) else { break };
        let mut length = 1.0;
        let mut next = None;
        for _ in 0..MOST_HALVINGS {
            let trial = &x - &step * length;
            // A trial from which the equations cannot be integrated is too long a step as well.
            if let Ok(value) = function(&trial)
                && value.norm() < residual.norm()
            {
                next = Some((trial, value));
                break;
            }
            length *= 0.5;
        }
        match next {
            Some(found) => (x, residual) = found,
            None => break,
        }
    }
    Err(OracleError::NotConverged { load_factor: 1.0, iterations: MOST_ITERATIONS, residual: residual.amax() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn circle_and_parabola(x: &DVector<f64>) -> Result<DVector<f64>, OracleError> {
        Ok(DVector::from_vec(vec![x[0] * x[0] + x[1] * x[1] - 1.0, x[1] - x[0] * x[0]]))
    }

    #[test]
    fn circle_meets_parabola() {
        let root = solve(DVector::from_vec(vec![2.0, 1.0]), 1e-14, circle_and_parabola).unwrap();
        let golden = (5f64.sqrt() - 1.0) / 2.0;
        assert!((root.x[1] - golden).abs() < 1e-14 && (root.x[0] - golden.sqrt()).abs() < 1e-14);
        assert!((root.jacobian[(1, 0)] + 2.0 * golden.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn no_root_is_an_error() {
        let parabola = |x: &DVector<f64>| Ok(x.map(|x| x * x + 1.0));
        let found = solve(DVector::from_element(1, 0.3), 1e-12, parabola);
        assert!(matches!(found, Err(OracleError::NotConverged { .. })));
    }
}
