//! The plain Newton iteration from a point near a branch of equilibria, with the bounds that keep it on that branch.
//!
//! A correction may overshoot once; then its steps must shrink by a half each, as they do within the ball in which Newton's
//! method has one limit. Whether that limit is on the branch is asked of the tangents at both ends of the step
//! ([`crate::continuation`]).

use crate::driver::Driver;
use crate::newton::{Iteration, LARGEST_INCREMENT, LARGEST_TURN, NEUTRAL_SHIFT, ROUND_OFF_STEP, STEP_TOLERANCE};
use lissome_mech::{CurvatureOf, Inputs, State};

/// Corrections at most.
const MOST_CORRECTIONS: usize = 10;
/// Largest ratio of the first two steps, and of later ones.
const LARGEST_OVERSHOOT: f64 = 1.0;
const LARGEST_CONTRACTION: f64 = 0.5;
/// A ratio below this is that of a quadratic iteration.
const QUADRATIC: f64 = 0.05;
/// Steps shorter than this need not shrink at once: cables that fall slack and limits that are met kink a branch, and the
/// iteration across a kink takes one step more. rad, or fractions of the length.
pub(crate) const KINK: f64 = 1e-3;

/// What came of a correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Correction {
    /// An equilibrium.
    Converged {
        /// Ratio of the second step to the first; zero if one was enough.
        contraction: f64,
    },
    /// The iteration does not contract.
    Refused {
        /// The ratio that was too large; infinite if nothing could be solved.
        contraction: f64,
    },
    /// The observer asked to stop.
    Stopped,
}

impl Driver<'_> {
    /// Corrects a prediction under these inputs.
    pub fn correct(&mut self, state: &mut State, inputs: &Inputs) -> Correction {
        const LOST: Correction = Correction::Refused { contraction: f64::INFINITY };
        let mut trial = state.clone();
        let (mut previous, mut contraction) = (f64::INFINITY, 0.0_f64);
        for k in 0..MOST_CORRECTIONS {
            self.system.refresh_dependent_stress(state, self.work);
            let residual = self.system.assemble(state, inputs, CurvatureOf::Increments, self.work);
            self.system.shift_to(NEUTRAL_SHIFT, self.work);
            if self.system.factor(self.work).is_err() {
                return LOST;
            }
            self.system.solve(state, self.work);
            let step = self.system.step_size(self.work);
            let turns = self.system.increment_turn(self.work) <= LARGEST_TURN
                && self.system.longest_fraction(LARGEST_INCREMENT, self.work) == 1.0;
            if !step.is_finite() || !turns {
                return LOST;
            }
            self.system.retract_increments(state, 1.0, self.work, &mut trial);
            std::mem::swap(state, &mut trial);
            let residual = residual.balance.max(residual.misfit);
            let iteration = Iteration { load_factor: inputs.factor, residual, step, fraction: 1.0, shift: 0.0 };
            self.history.push(iteration);
            if !(self.observer)(&iteration) {
                return Correction::Stopped;
            }
            let ratio = step / previous;
            if k == 1 {
                contraction = ratio;
            }
            let allowed = if k == 1 { LARGEST_OVERSHOOT } else { LARGEST_CONTRACTION };
            if k > 0 && previous > KINK && ratio > allowed {
                return Correction::Refused { contraction: ratio };
            }
            // The next step will be shorter by the square of the ratio, or by the ratio if that is not small.
            let next = match k {
                0 => step,
                _ if ratio < QUADRATIC => step * ratio * ratio / QUADRATIC,
                _ => step * ratio,
            };
            let arrived = next < STEP_TOLERANCE || (step < ROUND_OFF_STEP && ratio > LARGEST_CONTRACTION);
            if arrived && residual.is_finite() && state.is_finite() {
                self.system.refresh_dependent_stress(state, self.work);
                return Correction::Converged { contraction };
            }
            previous = step;
        }
        LOST
    }
}
