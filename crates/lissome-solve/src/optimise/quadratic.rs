//! The quadratic problem of one round, solved by Clarabel's interior-point method.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use nalgebra::{DMatrix, DVector};

/// Added to the curvature, so that steps in directions that change nothing stay short.
const REGULAR: f64 = 1e-10;
/// What the method leaves of its conditions.
const TOLERANCE: f64 = 1e-11;
const MOST_ITERATIONS: u32 = 100;

/// min g·d + ½ d·B d + ν Σ t under J d + c ≤ t (both signs where equal), t ≥ 0, low ≤ d ≤ high.
pub(super) struct Quadratic<'a> {
    pub gradient: &'a DVector<f64>,
    pub curvature: &'a DMatrix<f64>,
    pub values: &'a [f64],
    pub slopes: &'a DMatrix<f64>,
    pub equal: &'a [bool],
    pub low: &'a DVector<f64>,
    pub high: &'a DVector<f64>,
    pub penalty: f64,
}

/// Its solution.
pub(super) struct Step {
    pub d: DVector<f64>,
    /// Of each constraint: positive pushes its value down.
    pub multipliers: Vec<f64>,
}

impl Quadratic<'_> {
    /// What the constraints are violated by in the end of a step, as they are linearised.
    pub fn violation(&self, d: &DVector<f64>) -> f64 {
        let moved = self.slopes * d;
        let one = |row: usize| match (self.equal[row], self.values[row] + moved[row]) {
            (true, value) => value.abs(),
            (false, value) => value.max(0.0),
        };
        (0..self.values.len()).map(one).sum()
    }

    /// Decrease of objective and penalty that the model tells of a step.
    pub fn decrease(&self, d: &DVector<f64>) -> f64 {
        let smooth = self.gradient.dot(d) + 0.5 * (d.transpose() * self.curvature * d)[0];
        let none = DVector::zeros(d.len());
        -smooth + self.penalty * (self.violation(&none) - self.violation(d))
    }

    /// `None` if the method fails.
    pub fn solve(&self) -> Option<Step> {
        let (n, m) = (self.gradient.len(), self.values.len());
        // One row for J d − t ≤ −c, and where equal another for −J d − t ≤ c; they share a slack.
        let mut signs: Vec<(usize, f64)> = (0..m).map(|row| (row, 1.0)).collect();
        signs.extend((0..m).filter(|row| self.equal[*row]).map(|row| (row, -1.0)));
        let (mut rows, mut columns, mut entries, mut right) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut put = |row: usize, column: usize, value: f64| {
            if value != 0.0 {
                rows.push(row);
                columns.push(column);
                entries.push(value);
            }
        };
        for (index, (row, sign)) in signs.iter().enumerate() {
            (0..n).for_each(|column| put(index, column, sign * self.slopes[(*row, column)]));
            put(index, n + row, -1.0);
            right.push(-sign * self.values[*row]);
        }
        for slack in 0..m {
            put(right.len(), n + slack, -1.0);
            right.push(0.0);
        }
        for column in 0..n {
            for (sign, limit) in [(1.0, self.high[column]), (-1.0, -self.low[column])] {
                put(right.len(), column, sign);
                right.push(limit);
            }
        }
        let a = CscMatrix::new_from_triplets(right.len(), n + m, rows, columns, entries);
        let (mut rows, mut columns, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for column in 0..n {
            for row in 0..=column {
                let regular = if row == column { REGULAR } else { 0.0 };
                rows.push(row);
                columns.push(column);
                entries.push(0.5 * (self.curvature[(row, column)] + self.curvature[(column, row)]) + regular);
            }
        }
        let p = CscMatrix::new_from_triplets(n + m, n + m, rows, columns, entries);
        let costs: Vec<f64> = self.gradient.iter().copied().chain((0..m).map(|_| self.penalty)).collect();
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_iter(MOST_ITERATIONS)
            .tol_gap_abs(TOLERANCE)
            .tol_gap_rel(TOLERANCE)
            .tol_feas(TOLERANCE)
            .build()
            .ok()?;
        let mut solver = DefaultSolver::new(&p, &costs, &a, &right, &[NonnegativeConeT(right.len())], settings).ok()?;
        solver.solve();
        let found = &solver.solution;
        let usable = matches!(
            found.status,
            SolverStatus::Solved
                | SolverStatus::AlmostSolved
                | SolverStatus::InsufficientProgress
                | SolverStatus::MaxIterations
        );
        if !usable || found.x.iter().chain(&found.z).any(|value| !value.is_finite()) {
            return None;
        }
        // The method stays inside; what lies at a limit but for rounding is at it.
        let d = DVector::from_iterator(n, (0..n).map(|i| found.x[i].clamp(self.low[i], self.high[i])));
        let mut multipliers = vec![0.0; m];
        for ((row, sign), z) in signs.iter().zip(&found.z) {
            multipliers[*row] += sign * z;
        }
        Some(Step { d, multipliers })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn problem<'a>(
        gradient: &'a DVector<f64>,
        curvature: &'a DMatrix<f64>,
        values: &'a [f64],
        slopes: &'a DMatrix<f64>,
        equal: &'a [bool],
        limits: &'a [DVector<f64>; 2],
    ) -> Quadratic<'a> {
        Quadratic { gradient, curvature, values, slopes, equal, low: &limits[0], high: &limits[1], penalty: 10.0 }
    }

    #[test]
    fn a_constraint_and_a_limit_hold_with_their_prices() {
        // min ½|d|² − 2 d₁ − 2 d₂ under d₁ + d₂ ≤ 1 and d₁ ≤ 0.2: d = (0.2, 0.8), the price of the first 2 − 0.8.
        let (gradient, curvature) = (DVector::from_vec(vec![-2.0, -2.0]), DMatrix::identity(2, 2));
        let slopes = DMatrix::from_row_slice(1, 2, &[1.0, 1.0]);
        let limits = [DVector::from_vec(vec![-5.0, -5.0]), DVector::from_vec(vec![0.2, 5.0])];
        let own = problem(&gradient, &curvature, &[-1.0], &slopes, &[false], &limits);
        let step = own.solve().unwrap();
        assert!((step.d[0] - 0.2).abs() < 1e-7 && (step.d[1] - 0.8).abs() < 1e-7, "{:?}", step.d);
        assert!((step.multipliers[0] - 1.2).abs() < 1e-6);
    }

    #[test]
    fn what_cannot_hold_is_violated_as_little_as_it_can() {
        // d₁ = 3 within |d₁| ≤ 1.
        let (gradient, curvature) = (DVector::zeros(1), DMatrix::identity(1, 1));
        let slopes = DMatrix::from_row_slice(1, 1, &[1.0]);
        let limits = [DVector::from_vec(vec![-1.0]), DVector::from_vec(vec![1.0])];
        let own = problem(&gradient, &curvature, &[-3.0], &slopes, &[true], &limits);
        let step = own.solve().unwrap();
        assert!((step.d[0] - 1.0).abs() < 1e-7);
        assert!((own.violation(&step.d) - 2.0).abs() < 1e-6);
    }
}
