//! Nonlinear least squares with limits: numbers x that make residuals r(x) small, and how well the residuals tell them.
//!
//! ```text
//! x = argmin ½ Σ ρ(rᵢ(x)²)     low ≤ x ≤ high
//! ```
//!
//! [`solve`] is the search, a method of Levenberg and Marquardt in variables scaled by the columns of the Jacobian \[more1978\]: what
//! stands at a limit and is pushed against it is held, a step that would pass a limit ends there and the rest of it is found anew.
//! Where a step kept its promise, the Jacobian behind it is that before with the secant of the step (Broyden's update) \[broyden1965\]; the one
//! at the end is always the exact one, and no search ends on another. [`estimate()`] turns the point found into standard errors, intervals, and directions that the residuals do not tell. Problems
//! are dense and small: tens of numbers, thousands of residuals.

pub mod distribution;
mod estimate;
mod linear;
pub mod loss;

pub use estimate::{Direction, Estimate, Noise, estimate};
pub use loss::Loss;

use linear::Scaled;
use nalgebra::{DMatrix, DVector};

/// First damping, of the square of the largest column.
const FIRST_DAMPING: f64 = 1e-6;
/// No step is short enough beyond this.
const MOST_DAMPING: f64 = 1e16;
/// Part of the promised decrease that a step must keep.
const KEPT: f64 = 1e-4;
/// A step whose decrease is the promised one but for this part is followed by a secant in the place of derivatives.
const STRAIGHT: f64 = 0.25;
/// A step is the last if it moves the point by less than this part of what the noise lets it be known to \[bates1981\].
const OFFSET: f64 = 1e-6;
/// The same where rounding lets no step go down any more.
const ROUNDED_OFFSET: f64 = 1e-3;
/// A step of Newton's kind that is this small, of the sizes of the numbers, is followed by one that is nothing.
const LAST_STEP: f64 = 1e-9;
/// The same where rounding lets no step go down any more.
const ROUNDED_STEP: f64 = 1e-6;

/// What is made small.
pub trait Problem {
    /// Residuals at a point, in units of their noise; `None` where there is none, and the step that led there is shortened.
    fn residuals(&mut self, x: &[f64]) -> Option<DVector<f64>>;

    /// Their derivatives, a column for each number, at the point that is accepted; `None` if there are none, which ends the search.
    fn jacobian(&mut self, x: &[f64]) -> Option<DMatrix<f64>>;

    /// Sees every accepted point, and the last one again where a step had no residuals; false stops the search.
    fn see(&mut self, _round: &Round<'_>) -> bool {
        true
    }
}

/// A point that was accepted.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// The point.
    pub x: &'a [f64],
    /// ½ Σ ρ(r²).
    pub cost: f64,
}

/// A number that is sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variable {
    /// Where the search begins.
    pub start: f64,
    /// Least and greatest value; infinite if there is none.
    pub limits: (f64, f64),
    /// What counts as a large change of it.
    pub size: f64,
}

impl Variable {
    /// Without limits; its size is its own, or 1.
    pub fn free(start: f64) -> Self {
        let size = if start == 0.0 { 1.0 } else { start.abs() };
        Self { start, limits: (f64::NEG_INFINITY, f64::INFINITY), size }
    }
}

/// How the search goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How much residuals count.
    pub loss: Loss,
    /// Accepted points at most.
    pub max_rounds: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { loss: Loss::Square, max_rounds: 100 }
    }
}

/// How the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At a least point.
    Converged,
    /// After the rounds allowed.
    Unfinished,
    /// Where no step goes down and it is no least point: the residuals have a jump there, or end.
    Stuck,
    /// There are no residuals where it was to begin.
    NoStart,
    /// There are no derivatives at a point.
    NoJacobian,
    /// It was told to stop.
    Stopped,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The point.
    pub x: Vec<f64>,
    /// Residuals there, in units of their noise.
    pub residuals: DVector<f64>,
    /// Their derivatives.
    pub jacobian: DMatrix<f64>,
    /// ½ Σ ρ(r²).
    pub cost: f64,
    /// How it ended.
    pub end: End,
    /// Points that were accepted after the first.
    pub rounds: usize,
    /// Points at which residuals were asked for.
    pub evaluations: usize,
    /// Numbers that stand at a limit and are pushed against it.
    pub at_limit: Vec<bool>,
}

/// The cost at residuals.
pub fn cost(residuals: &DVector<f64>, loss: Loss) -> f64 {
    0.5 * residuals.iter().map(|r| loss.rho(*r)).sum::<f64>()
}

/// Looks for the least point from where the variables begin.
pub fn solve(problem: &mut dyn Problem, variables: &[Variable], options: &Options) -> Found {
    let clamp = |variable: &Variable, x: f64| x.clamp(variable.limits.0, variable.limits.1);
    let x: Vec<f64> = variables.iter().map(|variable| clamp(variable, variable.start)).collect();
    let first = problem.residuals(&x).filter(|r| r.iter().all(|value| value.is_finite()));
    let mut found = Found {
        residuals: first.clone().unwrap_or_else(|| DVector::zeros(0)),
        jacobian: DMatrix::zeros(first.as_ref().map_or(0, DVector::len), x.len()),
        cost: first.as_ref().map_or(f64::NAN, |r| cost(r, options.loss)),
        end: End::NoStart,
        rounds: 0,
        evaluations: 1,
        at_limit: vec![false; x.len()],
        x,
    };
    if first.is_some() {
        found.end = Search { problem, variables, options, damping: FIRST_DAMPING, norms: vec![0.0; variables.len()] }
            .descend(&mut found);
    }
    found
}

/// A search under way.
struct Search<'a> {
    problem: &'a mut dyn Problem,
    variables: &'a [Variable],
    options: &'a Options,
    damping: f64,
    /// Largest norm that each column had.
    norms: Vec<f64>,
}

/// What became of a try to go down.
enum Tried {
    Down { step: f64, kept: f64 },
    Nowhere,
    Stopped,
}

impl Search<'_> {
    fn descend(&mut self, found: &mut Found) -> End {
        // True if the Jacobian is that of the last point with secants.
        let mut is_secant = false;
        loop {
            let round = Round { number: found.rounds, x: &found.x, cost: found.cost };
            if !self.problem.see(&round) {
                return End::Stopped;
            }
            if !is_secant {
                let exact = self.problem.jacobian(&found.x).filter(|j| j.iter().all(|value| value.is_finite()));
                let Some(jacobian) = exact else { return End::NoJacobian };
                found.jacobian = jacobian;
            }
            let loss = self.options.loss;
            let scaled = Scaled::new(found, self.variables, loss, &mut self.norms);
            found.at_limit.clone_from(&scaled.held);
            let (offset, step) = scaled.offset(found, self.variables);
            let ends = offset <= OFFSET || found.rounds >= self.options.max_rounds;
            if ends && std::mem::take(&mut is_secant) {
                continue;
            }
            if offset <= OFFSET {
                return End::Converged;
            }
            if ends {
                return End::Unfinished;
            }
            let before = (found.x.clone(), found.residuals.clone());
            let damping = self.damping;
            match self.go_down(found, &scaled, is_secant) {
                Tried::Down { step, .. } if step <= LAST_STEP && !is_secant => {
                    // Derivatives and what is held are those of the point that is handed out.
                    if let Some(jacobian) = self.problem.jacobian(&found.x) {
                        found.jacobian = jacobian;
                    }
                    return End::Converged;
                }
                Tried::Down { step, kept } => {
                    is_secant = step > LAST_STEP && (kept - 1.0).abs() < STRAIGHT && self.add_secant(found, &before);
                }
                Tried::Stopped => return End::Stopped,
                // It is the secant that leads nowhere.
                Tried::Nowhere if std::mem::take(&mut is_secant) => self.damping = damping,
                Tried::Nowhere if offset <= ROUNDED_OFFSET || step <= ROUNDED_STEP => return End::Converged,
                Tried::Nowhere => return End::Stuck,
            }
        }
    }

    /// Adds to the Jacobian what it misses of the last step, s: (Δr − J s) (D²s)ᵀ / sᵀD²s, D the norms of the columns. False if that is
    /// nothing.
    fn add_secant(&self, found: &mut Found, (x, residuals): &(Vec<f64>, DVector<f64>)) -> bool {
        let step = DVector::from_iterator(x.len(), found.x.iter().zip(x).map(|(new, old)| new - old));
        let scaled = step.zip_map(&DVector::from_column_slice(&self.norms), |s, norm| s * norm * norm);
        let size = scaled.dot(&step);
        if !(size > 0.0 && size.is_finite()) {
            return false;
        }
        let missed = &found.residuals - residuals - &found.jacobian * &step;
        found.jacobian += missed * scaled.transpose() / size;
        found.jacobian.iter().all(|value| value.is_finite())
    }

    /// Takes one step down, shortened until it is one; with `once` it is not shortened.
    fn go_down(&mut self, found: &mut Found, scaled: &Scaled, once: bool) -> Tried {
        let mut growth = 2.0;
        while self.damping < MOST_DAMPING {
            let (trial, promised) = scaled.step(&found.x, self.variables, self.damping);
            let size = |(index, variable): (usize, &Variable)| (trial[index] - found.x[index]).abs() / variable.size;
            let moved = self.variables.iter().enumerate().map(size).fold(0.0, f64::max);
            if moved <= f64::EPSILON {
                return Tried::Nowhere;
            }
            let residuals = self.problem.residuals(&trial);
            found.evaluations += 1;
            if residuals.is_none() && !self.problem.see(&Round { number: found.rounds, x: &found.x, cost: found.cost })
            {
                return Tried::Stopped;
            }
            let cost = residuals.as_ref().map_or(f64::NAN, |r| cost(r, self.options.loss));
            let kept = (found.cost - cost) / promised;
            if let Some(residuals) = residuals.filter(|_| promised > 0.0 && kept > KEPT) {
                (found.x, found.residuals, found.cost) = (trial, residuals, cost);
                found.rounds += 1;
                // Damping falls as far as the promise was kept [nielsen1999].
                let undamped = self.damping < LAST_STEP || kept > 0.5;
                self.damping *= (1.0 - (2.0 * kept - 1.0).powi(3)).max(1.0 / 3.0);
                return Tried::Down { step: if undamped { moved } else { f64::INFINITY }, kept };
            }
            if once {
                break;
            }
            self.damping *= growth;
            growth *= 2.0;
        }
        Tried::Nowhere
    }
}

#[cfg(test)]
mod tests;
