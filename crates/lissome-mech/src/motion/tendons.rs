//! Tendons over a time step: the tension that stands for the step, and its work.

use super::MotionWorkspace;
use crate::impulse::StepRule;
use crate::inputs::Inputs;
use crate::rod::Carried;
use crate::{State, System};
use nalgebra::Vector6;

impl System {
    /// Gives tendons driven by their tension what they have when the strain of the stage does: between what the inputs say at
    /// its start and at its end.
    pub fn place_stage_tensions(&self, rule: &StepRule, inputs: &Inputs, end: &mut State, work: &MotionWorkspace) {
        for line in self.tendons() {
            if let (Some(before), Some(after)) = (line.prescribed(&work.start_inputs), line.prescribed(inputs)) {
                end.linear[line.block][0] = before + (after - before) * rule.strain;
            }
        }
        self.settle_tensions(end);
        // Friction is that of the shape at the start of the step.
        self.renew_friction(end);
    }

    /// The linear part of a state with the tensions of a moment rather than those of a step.
    pub(super) fn fill_momentary(&self, state: &State, inputs: &Inputs, linear: &mut Vec<Vector6<f64>>) {
        linear.clone_from(&state.linear);
        for line in self.tendons() {
            let Some(tension) = line.prescribed(inputs) else { continue };
            for run in &line.runs {
                let own = &mut linear[self.layout.rods[run.rod].tensions()];
                self.values.rods[run.rod].tendons().set_tension(run.route, tension, own);
            }
        }
    }

    /// Work of all tendons on their rods over the step: tensions times what the tendons become shorter by. Not a number where
    /// no stress answers to the strain.
    pub(super) fn work_of_tendons(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> f64 {
        if self.tendons().is_empty() {
            return 0.0;
        }
        let mut sum = 0.0;
        let mut momentary = std::mem::take(&mut work.momentary);
        for (sign, at_end) in [(1.0, false), (-1.0, true)] {
            match at_end {
                false => self.fill_momentary(&work.before, &work.start_inputs, &mut momentary),
                true => self.fill_momentary(end, inputs, &mut momentary),
            }
            for (i, rod, place) in self.moving_rods() {
                if self.values.rods[i].tendons().is_empty() {
                    continue;
                }
                let step = &work.rods[i];
                let strain = if at_end { &step.end_strain } else { &step.start.strain };
                let (stress, tension) = place.carried_mut(&mut momentary);
                let compliance = &mut work.base.scratch[i].compliance;
                if rod.stress_of_strain(strain, tension, compliance, stress).is_err() {
                    return f64::NAN;
                }
                let over_step = &end.linear[place.tensions()];
                sum += sign * self.values.rods[i].pull_energy(Carried { stress, tension }, over_step);
            }
        }
        work.momentary = momentary;
        sum
    }
}
