//! The change of the drives: least squares of the gaps between bounds, and least effort among equals.
//!
//! In units of the drives, J their Jacobian, r the gaps, x the drives less their rest, E their weights, σ the largest column
//! of J:
//!
//! ```text
//! reachable       min |J Δ + r|² + 2 ε²σ² (½ ΔᵀBΔ + (E²x)ᵀΔ) + ν |D Δ|²
//! out of reach    min ½ Δᵀ(JᵀJ + S + ν D²)Δ + (Jᵀr)ᵀΔ          S the secant of Σ r ∂²r
//! ```
//!
//! B is E² and, learned along the way, the curvature of the set on which the targets are met, times its multipliers:
//! without it steps along that set would not settle. ε is so small that effort decides only what the gaps leave open: it costs them ε²σ²/σ_min, a part of 1e-13 where the least
//! singular value of J is 1e-5 of the largest.

use super::bounded::{self, Held};
use super::{Crease, Problem, Unknown};
use nalgebra::{DMatrix, DVector};

/// ε: of effort.
const EFFORT: f64 = 1e-9;
/// Combinations of drives that gaps feel less than this are not felt, in parts of σ.
const UNFELT: f64 = 1e-9;
/// A weight of zero counts as this.
const LEAST_WEIGHT: f64 = 1e-4;
/// B shrinks at most to this part along one step.
const LEAST_CURVATURE: f64 = 0.2;
/// A column counts at least as this part of the largest when steps are damped.
const SMALLEST_COLUMN: f64 = 1e-3;

/// How strongly creases are held: drives leave them by the inverse of the square of this in parts of the gaps, and are brought back after each step.
const HOLD: f64 = 1e4;

/// What is known beside the Jacobian.
pub(super) struct Model<'a> {
    /// S.
    pub secant: DMatrix<f64>,
    /// B.
    pub effort: DMatrix<f64>,
    /// D: the largest norm that each column has had.
    pub sizes: Vec<f64>,
    /// Drives stay on these.
    pub held: &'a [Crease],
}

impl<'a> Model<'a> {
    pub fn new(unknowns: &[Unknown], held: &'a [Crease]) -> Self {
        let n = unknowns.len();
        let effort = DMatrix::from_diagonal(&DVector::from_iterator(n, unknowns.iter().map(least_weight)));
        Self { secant: DMatrix::zeros(n, n), effort, sizes: vec![0.0; n], held }
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
        let creases = rows + 2 * n;
        let mut a = DMatrix::zeros(creases + self.held.len(), n);
        a.rows_mut(0, rows).copy_from(jacobian);
        let mut b = DVector::zeros(creases + self.held.len());
        b.rows_mut(0, rows).copy_from(&-gap);
        // B = L Lᵀ: its part is |Lᵀ Δ + L⁻¹E²x|².
        let factor = self.effort.clone().cholesky().expect("damped updates keep B positive definite");
        let mut pull = slope(unknowns, drives);
        factor.l_dirty().solve_lower_triangular_mut(&mut pull);
        a.rows_mut(rows, n).copy_from(&(factor.l().transpose() * (EFFORT * largest)));
        b.rows_mut(rows, n).copy_from(&(pull * (-EFFORT * largest)));
        for (j, scale) in scales.iter().enumerate() {
            a[(rows + n + j, j)] = damping.sqrt() * scale;
        }
        for (k, crease) in self.held.iter().enumerate() {
            let (row, off) = crease.row(drives, unknowns);
            a.row_mut(creases + k).copy_from(&(row.transpose() * (HOLD * largest)));
            b[creases + k] = -off * HOLD * largest;
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
            let effort = EFFORT * largest;
            hessian[(j, j)] += damping * scale * scale + effort * effort * least_weight(unknown);
        }
        let mut b = -(jacobian.transpose() * gap);
        for crease in self.held {
            let (row, off) = crease.row(drives, problem.unknowns);
            let weight = (HOLD * largest).powi(2);
            b.axpy(-off * weight, &row, 1.0);
            hessian.ger(weight, &row, &row, 1.0);
        }
        let factor = hessian.cholesky()?;
        if !factor.l_dirty().solve_lower_triangular_mut(&mut b) {
            return None;
        }
        Some(bounded::solve(&factor.l().transpose(), &b, &bounds(problem.unknowns, drives)))
    }

    /// Learns B from a step Δ along the set on which the targets are met: what the drives that nothing holds gain on their way is
    /// balanced by multipliers λ, and the slope of effort and λ·r together changes by BΔ. Damped, so that B stays positive.
    pub fn learn_effort(
        &mut self,
        step: &DVector<f64>,
        (before, after): (&DMatrix<f64>, &DMatrix<f64>),
        (drives, held): (&[f64], &[Held]),
        unknowns: &[Unknown],
    ) {
        let free: Vec<usize> = (0..held.len()).filter(|j| held[*j] == Held::Free).collect();
        if free.is_empty() {
            return;
        }
        let slope = slope(unknowns, drives);
        let wanted = DVector::from_iterator(free.len(), free.iter().map(|j| -slope[*j]));
        let columns = after.select_columns(&free).transpose();
        let Ok(multipliers) = columns.svd(true, true).solve(&wanted, UNFELT * self.scales().1) else { return };
        let weights = unknowns.iter().zip(step.iter()).map(|(own, x)| least_weight(own) * x);
        let mut change = DVector::from_iterator(step.len(), weights) + (after - before).transpose() * multipliers;
        let known = &self.effort * step;
        let (curvature, along) = (step.dot(&known), step.dot(&change));
        if curvature <= 0.0 || !curvature.is_finite() || !along.is_finite() {
            return;
        }
        if along < LEAST_CURVATURE * curvature {
            let part = (1.0 - LEAST_CURVATURE) * curvature / (curvature - along);
            change = change * part + &known * (1.0 - part);
        }
        let along = step.dot(&change);
        let next = &self.effort + &change * change.transpose() / along - &known * known.transpose() / curvature;
        if next.clone().cholesky().is_some() {
            self.effort = next;
        }
    }

    /// True if the secant foretold what a step Δ from (J, r) left of the gaps better than the Jacobian alone.
    pub fn foresees(
        &self,
        step: &DVector<f64>,
        (jacobian, gap): (&DMatrix<f64>, &DVector<f64>),
        left: &DVector<f64>,
    ) -> bool {
        let plain = (gap + jacobian * step).norm_squared();
        let curved = plain + step.dot(&(&self.secant * step));
        let left = left.norm_squared();
        (left - curved).abs() < (left - plain).abs()
    }

    /// Learns from a step Δ that led from (J, r) to (J₊, r₊).
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

/// E² of a drive; one without a weight has the least that can be told.
fn least_weight(unknown: &Unknown) -> f64 {
    unknown.weight.max(LEAST_WEIGHT)
}

/// E²x.
fn slope(unknowns: &[Unknown], drives: &[f64]) -> DVector<f64> {
    let of = |(own, now): (&Unknown, &f64)| least_weight(own) * (now - own.rest) / own.unit;
    DVector::from_iterator(unknowns.len(), unknowns.iter().zip(drives).map(of))
}

/// How far each drive may go, in its units.
pub(super) fn bounds(unknowns: &[Unknown], drives: &[f64]) -> Vec<(f64, f64)> {
    let of = |(own, now): (&Unknown, &f64)| {
        (((own.limits.0 - now) / own.unit).min(0.0), ((own.limits.1 - now) / own.unit).max(0.0))
    };
    unknowns.iter().zip(drives).map(of).collect()
}
