//! How the end of a time step changes with the numbers of a scene: what the balance of a step asks of its end, and the change of
//! the end that answers to a change of that.
//!
//! ```text
//! b(x¹; x⁰, v⁰, p) = 0           balance of a step, conditions at its end
//! K dx¹/dp = db/dp               K the tangent of the step at its end; x⁰ and v⁰ go with p in db/dp
//! ```

use super::MotionWorkspace;
use crate::impulse::StepRule;
use crate::inputs::Inputs;
use crate::sink::NoMatrix;
use crate::value_change::Demand;
use crate::{State, Step, System};

impl System {
    /// What a step asks of its end. The workspace must stand at the start of the step, its stage begun.
    pub fn step_demand(&self, rule: &StepRule, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> Demand {
        self.step_residual(rule, end, inputs, work);
        let n = self.unknowns();
        work.base.steps[n..].fill(0.0);
        self.fill_gap_steps(&self.at(end, inputs), &mut work.base.steps);
        Demand::of_rows(&work.base.right_hand_side, &work.base.steps, n)
    }

    /// The change of the end of a step that answers a change of what is asked of it, from the last factor. The workspace must have
    /// been factored at this end.
    pub fn answer_step_demand(
        &self,
        rule: &StepRule,
        end: &State,
        inputs: &Inputs,
        demand: &mut Demand,
        work: &mut MotionWorkspace,
    ) -> Step {
        let n = self.unknowns();
        if demand.prescribes(n) {
            let own = work.base.steps[n..].to_vec();
            demand.write_steps(n, &mut work.base.steps);
            self.write_step_tangent(rule, end, inputs, work, &mut NoMatrix);
            demand.charge(&work.base.held.cost);
            work.base.steps[n..].copy_from_slice(&own);
        }
        let mut step = self.answer_demand(end, demand, &mut work.base);
        for closure in &self.values.kinds.closures {
            if closure.multiplier.node.is_none() {
                // Over a step the multiplier of an embedded end has no meaning.
                step.linear[closure.multiplier.block].fill(0.0);
            }
        }
        step
    }
}

impl System {
    /// What the iteration of a step left does not go into its velocities: how the end changes is told apart from how they do.
    pub fn forget_left(&self, work: &mut MotionWorkspace) {
        work.base.right_hand_side.fill(0.0);
    }

    /// What a small change of each unknown is small beside: 1 for rad, a length for m, a force for stresses and multipliers.
    pub fn row_units(&self) -> Vec<f64> {
        let (homes, scales) = (&self.layout.homes, &self.values.scales);
        let mut units = vec![scales.force; homes.all_rows()];
        for (home, role) in homes.all().iter().zip(&self.layout.roles) {
            if let (crate::node::Home::Own(group), crate::node::Role::Pose) = (home, role) {
                let (turn, shift) = (1.0, scales.length);
                homes.write(*group, &[turn, turn, turn, shift, shift, shift].into(), &mut units);
            }
        }
        for joint in &self.values.joints {
            let (turn, shift) =
                if joint.strain_of.is_some() { (1.0 / scales.length, 1.0) } else { (1.0, scales.length) };
            if let Some(group) = self.layout.own_group(joint.node) {
                homes.write(group, &joint.subgroup.by_coordinate(turn, shift), &mut units);
            }
        }
        units
    }
}
