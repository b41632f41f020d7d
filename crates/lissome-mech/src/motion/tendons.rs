//! Tendons over a time step: the tension that stands for the step, and its work.

use super::MotionWorkspace;
use crate::impulse::StepRule;
use crate::inputs::Inputs;
use crate::rod::Carried;
use crate::rod::tendons::line::TendonLine;
use crate::{State, System};
use nalgebra::Vector6;

impl System {
    /// Gives tendons driven by their tension what they have when the strain of the stage does: between what the inputs say at
    /// its start and at its end.
    pub fn place_stage_tensions(&self, rule: &StepRule, inputs: &Inputs, end: &mut State, work: &MotionWorkspace) {
        let part = if is_two_sided(rule) { rule.force[1] / (rule.force[0] + rule.force[1]) } else { rule.strain };
        for line in self.tendons() {
            if let (Some(before), Some(after)) = (line.prescribed(&work.start_inputs), line.prescribed(inputs)) {
                end.linear[line.block][0] = before + (after - before) * part;
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

    /// Work of all tendons on their rods over the step: the mean of the tensions at both ends times what the tendons become
    /// shorter by. Not a number where no stress answers to the strain.
    pub(super) fn work_of_tendons(
        &self,
        rule: &StepRule,
        end: &State,
        inputs: &Inputs,
        work: &mut MotionWorkspace,
    ) -> f64 {
        if self.tendons().is_empty() {
            return 0.0;
        }
        let mut momentary = std::mem::take(&mut work.momentary);
        let mut lengths = [vec![0.0; self.tendons().len()], vec![0.0; self.tendons().len()]];
        for (at_end, lengths) in [false, true].into_iter().zip(&mut lengths) {
            match at_end {
                false => self.fill_momentary(&work.before, &work.start_inputs, &mut momentary),
                true => self.fill_momentary(end, inputs, &mut momentary),
            }
            for (i, rod, place) in self.moving_rods() {
                let own = &self.values.rods[i];
                if own.tendons().is_empty() {
                    continue;
                }
                let step = &work.rods[i];
                let strain = if at_end { &step.end_strain } else { &step.start.strain };
                let (stress, tension) = place.carried_mut(&mut momentary);
                let compliance = &mut work.base.scratch[i].compliance;
                if rod.stress_of_strain(strain, tension, compliance, stress).is_err() {
                    return f64::NAN;
                }
                for (route, line) in own.tendons().routes().iter().enumerate() {
                    lengths[line.tendon] += own.pulling_length(route, Carried { stress, tension });
                }
            }
        }
        let [before, after] = lengths;
        let work_of = |line: &TendonLine| {
            let (first, last) = (before[line.tendon], after[line.tendon]);
            let mean = match line.is_given() {
                true => 0.5 * (line.law.given_tension(&work.start_inputs) + line.law.given_tension(inputs)),
                // That of the stage is that of its middle, what materials damp included.
                false if is_two_sided(rule) => line.tension(end),
                false => 0.5 * (line.law.stretched(first, &work.start_inputs) + line.law.stretched(last, inputs)),
            };
            mean * (first - last)
        };
        let sum = self.tendons().iter().map(work_of).sum();
        work.momentary = momentary;
        sum
    }
}

/// True if forces act at both ends of the stage, by the stress of its middle.
fn is_two_sided(rule: &StepRule) -> bool {
    rule.force[0] != 0.0 && rule.force[1] != 0.0 && rule.strain != 1.0
}
