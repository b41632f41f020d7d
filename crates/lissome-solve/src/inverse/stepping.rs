//! One step of a search: where it leads, and why it may not be taken.

use super::linear::{Ended, Linear, Memory, Way, linearise};
use super::{Crease, Posture, Problem, Unknown};
use crate::newton::{Iteration, LARGEST_INCREMENT, LARGEST_TURN};
use lissome_mech::{Input, State, System};
use std::sync::Arc;

/// A prediction is judged where the square of its step to equilibrium is below this part of what the gaps were to become less, and the
/// step itself below that, rad or lengths.
pub(super) const GOOD_PREDICTION: f64 = 0.1;
pub(super) const LOOSE: f64 = 0.1;
/// Pure steps to equilibrium in a row, and their largest ratio.
pub(super) const MOST_CORRECTIONS: usize = 8;
pub(super) const LARGEST_CONTRACTION: f64 = 0.6;
/// No pose moves farther in one step, rad or lengths: beyond, predictions are seldom good.
pub(super) const LONGEST: f64 = 0.7;
/// Part of the predicted decrease that a step must bring.
pub(super) const LEAST_GAIN: f64 = 1e-3;

/// Why a step was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It would turn something too far at once.
    TooLong,
    /// No equilibrium of the same branch there.
    Lost,
    /// It did not bring the gaps nearer.
    NoGain,
    /// The factor at hand says that it would not, or does not say anything so far away.
    Foreseen,
    /// The observer asked to stop.
    Stopped,
}

/// A search: the problem, its memory, and what it has done so far.
pub(super) struct Search<'a, 'o> {
    pub problem: &'a Problem<'a>,
    pub here: &'a mut Memory,
    pub there: &'a mut Memory,
    /// Where the last search ended.
    pub ended: &'a mut Option<Box<Ended>>,
    pub history: Vec<Iteration>,
    pub observer: &'o mut dyn FnMut(&Iteration) -> bool,
    /// True if it ends where gaps hardly become less any more, unfinished: what is nearest there need not be the nearest of all.
    pub hasty: bool,
    /// Creases on which the drives stay.
    pub held: &'a [Crease],
}

impl Search<'_, '_> {
    /// Tells the observer of a factor; false if it asks to stop.
    pub fn note(&mut self, at: &Linear, step: f64) -> bool {
        let load_factor = at.posture.inputs.factor;
        let iteration = Iteration { load_factor, residual: at.residual, step, fraction: 1.0, shift: 0.0 };
        self.history.push(iteration);
        (self.observer)(&iteration)
    }

    /// The posture at the end of a way of state and drives, and how far the robot moved: rad, or lengths.
    pub fn moved(&mut self, at: &Linear, way: &Way) -> Result<(Posture, f64), Refusal> {
        self.moved_under(at, way, None, LONGEST)
    }

    /// The same; the equations there may be known.
    pub fn moved_under(
        &mut self,
        at: &Linear,
        way: &Way,
        known: Option<&Arc<System>>,
        longest: f64,
    ) -> Result<(Posture, f64), Refusal> {
        let Posture { system, state, inputs } = &at.posture;
        let work = &mut self.here.work;
        let changes = self.problem.unknowns.iter().zip(way.drives.iter()).map(|(own, x)| x * own.unit);
        let mut parts = vec![(if way.moves { 1.0 } else { 0.0 }, &at.plain)];
        parts.extend(way.plains.iter().map(|own| (1.0, own)));
        parts.extend(changes.clone().zip(&at.columns));
        system.combine_steps(&parts, state, work);
        let size = system.step_size(work);
        if !size.is_finite() {
            return Err(Refusal::Lost);
        }
        let turns = system.increment_turn(work) <= LARGEST_TURN;
        if size > longest || !turns || system.longest_fraction(LARGEST_INCREMENT, work) < 1.0 {
            return Err(Refusal::TooLong);
        }
        let mut next = inputs.clone();
        let mut pushed = false;
        let mut drives = drives_of(&at.posture, self.problem.unknowns);
        for ((own, change), value) in self.problem.unknowns.iter().zip(changes).zip(&mut drives) {
            *value = (*value + change).clamp(own.limits.0, own.limits.1);
        }
        self.held.iter().for_each(|own| own.bring(&mut drives, 0.0, self.problem.unknowns));
        for (own, value) in self.problem.unknowns.iter().zip(drives) {
            pushed |= matches!(own.input, Input::TubeInsertion { .. }) && value != inputs.get(own.input);
            next.set(own.input, value);
        }
        let mut driven = state.clone();
        system.drive(&next, &mut driven);
        let mut moved = driven.clone();
        system.retract_increments(&driven, 1.0, work, &mut moved);
        if !moved.is_finite() {
            return Err(Refusal::Lost);
        }
        let mut posture = Posture { system: system.clone(), state: moved, inputs: next };
        if let Some(known) = known {
            posture.system = known.clone();
        } else if pushed {
            let renew = self.problem.renew.ok_or(Refusal::Lost)?;
            let renewed = renew(system, &posture.inputs).ok_or(Refusal::Lost)?;
            if !renewed.shares_layout(system) {
                // What the other drives do is on the way already.
                let turned = self.turned(at, way);
                posture.state = renewed.carried_state(system, turned.as_ref().unwrap_or(state), &posture.inputs);
            }
            posture.system = Arc::new(renewed);
        }
        Ok((posture, size))
    }

    /// The state at the end of a way on which no tube is pushed.
    fn turned(&mut self, at: &Linear, way: &Way) -> Option<State> {
        let Posture { system, state, inputs } = &at.posture;
        let work = &mut self.here.work;
        let mut next = inputs.clone();
        let mut parts = vec![(if way.moves { 1.0 } else { 0.0 }, &at.plain)];
        for ((own, x), column) in self.problem.unknowns.iter().zip(way.drives.iter()).zip(&at.columns) {
            if !matches!(own.input, Input::TubeInsertion { .. }) {
                next.set(own.input, (inputs.get(own.input) + x * own.unit).clamp(own.limits.0, own.limits.1));
                parts.push((x * own.unit, column));
            }
        }
        system.combine_steps(&parts, state, work);
        if system.increment_turn(work) > LARGEST_TURN || system.longest_fraction(LARGEST_INCREMENT, work) < 1.0 {
            return None;
        }
        let mut driven = state.clone();
        system.drive(&next, &mut driven);
        let mut turned = driven.clone();
        system.retract_increments(&driven, 1.0, work, &mut turned);
        turned.is_finite().then_some(turned)
    }

    /// A pure step to equilibrium, in the memory of trials.
    pub fn corrected(&mut self, at: Linear) -> Option<Linear> {
        corrected(at, self.problem, self.there)
    }
}

/// A pure step to equilibrium. `None` if it would turn something too far at once, or where nothing can be said.
pub(super) fn corrected(at: Linear, problem: &Problem<'_>, memory: &mut Memory) -> Option<Linear> {
    let Posture { system, state, inputs } = &at.posture;
    let work = &mut memory.work;
    system.combine_steps(&[(1.0, &at.plain)], state, work);
    if system.increment_turn(work) > LARGEST_TURN || system.longest_fraction(LARGEST_INCREMENT, work) < 1.0 {
        return None;
    }
    let mut moved = state.clone();
    system.retract_increments(state, 1.0, work, &mut moved);
    if !moved.is_finite() {
        return None;
    }
    let posture = Posture { system: system.clone(), state: moved, inputs: inputs.clone() };
    linearise(posture, problem, memory)
}

pub(super) fn drives_of(posture: &Posture, unknowns: &[Unknown]) -> Vec<f64> {
    unknowns.iter().map(|own| posture.inputs.get(own.input)).collect()
}
