//! A symmetric solve that says how far it can be trusted.

use crate::block::transpose;
use crate::refine::refine;
use crate::scalar_lu::ScalarLu;
use crate::{FactorError, Inertia, SymmetricBand, SymmetricFactor};

/// How a solution was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Block LDLᵀ as [`SymmetricBand::factor_into`] does it.
    Blocks,
    /// Block LDLᵀ with blocks joined two by two, because the first was too inaccurate.
    Pairs,
    /// LU with partial pivoting over the whole band, because block LDLᵀ failed or was too inaccurate.
    PartialPivoting,
}

/// What is known about a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trust {
    /// How the solution was obtained.
    pub method: Method,
    /// Signs of the eigenvalues, if the pivots kept enough digits to tell.
    pub inertia: Option<Inertia>,
    /// See [`SymmetricFactor::growth`]; infinite after partial pivoting.
    pub growth: f64,
    /// Componentwise backward error, see [`SymmetricBand::residual`].
    pub residual: f64,
}

/// A pivot that lost all but two digits has a sign that rounding may have chosen.
const GROWTH_THAT_HIDES_SIGNS: f64 = 1e-2 / f64::EPSILON;

/// Factor, solution, refinement, checks and fallback for symmetric bands, with memory allocated once.
#[derive(Clone, Debug)]
pub struct CheckedSolver {
    factor: SymmetricFactor,
    fallback: ScalarLu,
    work: Vec<f64>,
}

impl CheckedSolver {
    /// Memory for matrices of this size. That of the fallback is only touched when the fallback is used.
    pub fn new(block_rows: usize, half_bandwidth: usize) -> Self {
        Self {
            factor: SymmetricFactor::new(block_rows, half_bandwidth),
            fallback: ScalarLu::new(6 * block_rows, 6 * half_bandwidth + 5),
            work: vec![0.0; 18 * block_rows],
        }
    }

    /// The factor of the last solve, for further right-hand sides. Not that of [`Method::PartialPivoting`].
    pub fn factor(&self) -> &SymmetricFactor {
        &self.factor
    }

    /// Solves A x = b to a backward error of `tolerance`, with refinement.
    pub fn solve(&mut self, a: &SymmetricBand, b: &[f64], x: &mut [f64], tolerance: f64) -> Result<Trust, FactorError> {
        for method in [Method::Blocks, Method::Pairs] {
            let inertia = match method {
                Method::Blocks => a.factor_into(&mut self.factor),
                _ => self.factor.factor_in_pairs(a),
            };
            match inertia {
                Ok(inertia) => {
                    let residual = self.factor.solve_refined(a, b, x, &mut self.work);
                    if residual <= tolerance {
                        let growth = self.factor.growth();
                        let inertia = (growth < GROWTH_THAT_HIDES_SIGNS).then_some(inertia);
                        return Ok(Trust { method, inertia, growth, residual });
                    }
                }
                // Pairs have already been tried.
                Err(FactorError::Singular { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        let residual = self.solve_with_partial_pivoting(a, b, x)?;
        if residual <= tolerance {
            Ok(Trust { method: Method::PartialPivoting, inertia: None, growth: f64::INFINITY, residual })
        } else {
            Err(FactorError::Inaccurate { residual, tolerance })
        }
    }

    fn solve_with_partial_pivoting(&mut self, a: &SymmetricBand, b: &[f64], x: &mut [f64]) -> Result<f64, FactorError> {
        self.fallback.clear();
        for j in 0..a.block_rows() {
            for (offset, block) in a.column(j).enumerate() {
                self.fallback.set_block(j + offset, j, block);
                if offset > 0 {
                    self.fallback.set_block(j, j + offset, &transpose(block));
                }
            }
        }
        self.fallback.factor()?;
        Ok(refine(a, b, x, &mut self.work, |x| self.fallback.solve(x)))
    }
}
