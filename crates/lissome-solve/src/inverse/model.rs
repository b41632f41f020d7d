//! The change of the drives: least squares of the gaps between bounds, and least effort among equals.
//!
//! In units of the drives, J their Jacobian, r the gaps, x the drives less their rest, E their weights, σ the largest column
//! of J:
//!
//! ```text
//! reachable       min |J Δ + r|² + ε²σ² |E (x + Δ)|² + ν |D Δ|²
//! out of reach    min ½ Δᵀ(JᵀJ + S + ν D²)Δ + (Jᵀr)ᵀΔ          S the secant of Σ r ∂²r
//! ```
//!
//! ε is so small that effort decides only what the gaps leave open: it costs them ε²σ²/σ_min, a part of 1e-13 where the least
//! singular value of J is 1e-5 of the largest.

use super::bounded::{self, Held};
use super::{Problem, Unknown};
use nalgebra::{DMatrix, DVector};

/// ε: of effort.
const EFFORT: f64 = 1e-9;
/// The same, where a drive has no weight, and no gap feels it.
const UNFELT: f64 = 1e-11;
/// A column counts at least as this part of the largest when steps are damped.
const SMALLEST_COLUMN: f64 = 1e-3;

/// What is known beside the Jacobian.
pub(super) struct Model {
    /// S.
    pub secant: DMatrix<f64>,
    /// D: the largest norm that each column has had.
    pub sizes: Vec<f64>,
}

impl Model {
    pub fn new(unknowns: usize) -> Self {
        Self { secant: DMatrix::zeros(unknowns, unknowns), sizes: vec![0.0; unknowns] }
    }

    /// Takes the columns of a Jacobian into account.
    pub fn see(&mut self, jacobian: &DMatrix<f64>) {
        for (size, column) in self.sizes.iter_mut().zip(jacobian.column_iter()) {
            *size = size.max(column.norm());
        }
    }

    /// D with what is smallest raised, and σ.
    fn scales(&self) -> (Vec<f64>, f64) {
        let largest = self.sizes.iter().copied().fold(0.0, f64::max);
        let largest = if largest > 0.0 { largest } else { 1.0 };
        (self.sizes.iter().map(|size| size.max(SMALLEST_COLUMN * largest)).collect(), largest)
    }

    /// Δ toward least squares, and with a share of what least effort asks for besides.
    pub fn toward(
        &self,
        jacobian: &DMatrix<f64>,
        gap: &DVector<f64>,
        drives: &[f64],
        problem: &Problem<'_>,
        (damping, share): (f64, f64),
    ) -> (DVector<f64>, Vec<Held>) {
        let unknowns = problem.unknowns;
        let bounds = bounds(unknowns, drives);
        let (scales, largest) = self.scales();
        let (rows, n) = jacobian.shape();
        let mut a = DMatrix::zeros(rows + 2 * n, n);
        a.rows_mut(0, rows).copy_from(jacobian);
        let mut b = DVector::zeros(rows + 2 * n);
        b.rows_mut(0, rows).copy_from(&-gap);
        for (j, unknown) in unknowns.iter().enumerate() {
            let effort = (EFFORT * unknown.weight.sqrt()).max(UNFELT) * largest;
            a[(rows + j, j)] = effort;
            b[rows + j] = -effort * (drives[j] - unknown.rest) / unknown.unit;
            a[(rows + n + j, j)] = damping.sqrt() * scales[j];
        }
        let (whole, held) = bounded::solve(&a, &b, &bounds);
        if share >= 1.0 {
            return (whole, held);
        }
        b.rows_mut(rows, n).fill(0.0);
        let (least, _) = bounded::solve(&a, &b, &bounds);
        (&least + (whole - &least) * share, held)
    }

    /// Δ with the curvature that the secant knows. `None` where that is no minimum.
    pub fn curved(
        &self,
        jacobian: &DMatrix<f64>,
        gap: &DVector<f64>,
        drives: &[f64],
        problem: &Problem<'_>,
        damping: f64,
    ) -> Option<(DVector<f64>, Vec<Held>)> {
        let (scales, largest) = self.scales();
        let mut hessian = jacobian.transpose() * jacobian + &self.secant;
        for (j, (unknown, scale)) in problem.unknowns.iter().zip(&scales).enumerate() {
            let effort = (EFFORT * unknown.weight.sqrt()).max(UNFELT) * largest;
            hessian[(j, j)] += damping * scale * scale + effort * effort;
        }
        let factor = hessian.cholesky()?;
        let mut b = -(jacobian.transpose() * gap);
        if !factor.l_dirty().solve_lower_triangular_mut(&mut b) {
            return None;
        }
        Some(bounded::solve(&factor.l().transpose(), &b, &bounds(problem.unknowns, drives)))
    }

    /// Learns from a step Δ that led from (J, r) to (J₊, r₊) [dennis1981].
    pub fn learn(
        &mut self,
        step: &DVector<f64>,
        (before, gap_before): (&DMatrix<f64>, &DVector<f64>),
        (after, gap_after): (&DMatrix<f64>, &DVector<f64>),
    ) {
        let slope = after.transpose() * gap_after;
        let change = &slope - before.transpose() * gap_before;
        let curved = slope - before.transpose() * gap_after;
        let along = change.dot(step);
        if along.abs() <= f64::EPSILON * change.norm() * step.norm() {
            return;
        }
        let known = step.dot(&(&self.secant * step));
        let size = if known == 0.0 { 1.0 } else { (step.dot(&curved) / known).abs().min(1.0) };
        let open = curved - &self.secant * step * size;
        let outer = (&open * change.transpose() + &change * open.transpose()) / along;
        let twice = &change * change.transpose() * (open.dot(step) / (along * along));
        self.secant = &self.secant * size + outer - twice;
    }
}

/// How far each drive may go, in its units.
pub(super) fn bounds(unknowns: &[Unknown], drives: &[f64]) -> Vec<(f64, f64)> {
    let of = |(own, now): (&Unknown, &f64)| {
        (((own.limits.0 - now) / own.unit).min(0.0), ((own.limits.1 - now) / own.unit).max(0.0))
    };
    unknowns.iter().zip(drives).map(of).collect()
}
