//! How a Newton step is judged: the elastic energy along it, the work of what acts, and what constraints leave open.
//!
//! Let c be what constraints are to close, ρ⁺ = ρ + Δρ the multipliers that the last solve expects and W a stiffness. A
//! step is judged by V + ρ⁺·c + ½ cᵀWc. Since δV = ρ⁺·c − δᵀHδ along a Newton step and δc = −c, its slope is
//! −δᵀHδ − cᵀWc, a descent. And since ρ·∂²c stands in H, the gap of second order that a long step opens is not held
//! against it, as it would be by |c| alone: that cut every step along a soft direction of a loop short. A condition that
//! gives way counts as rods do: ½ ρ² ∂c/∂ρ with its multiplier moving linearly, and c the misfit.

use crate::constraints::Acting;
use crate::contribution::{Constraint, Force};
use crate::kind::{each_constraint, each_force};
use crate::rod::StressWork;
use crate::{State, System, Workspace};
use lissome_lie::dual::DualVector;

impl System {
    /// What independent stresses do along the last solved step.
    pub fn stress_work(&self, state: &State, work: &mut Workspace) -> StressWork {
        let mut sum = StressWork::default();
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            if !rod.has_independent_stress() {
                continue;
            }
            let own = place.stresses();
            let (stress, step) = (&state.linear[own.clone()], &work.step.linear[own]);
            let part = rod.stress_work(&mut work.scratch[i], stress, step);
            sum.linear += part.linear;
            sum.quadratic += part.quadratic;
        }
        sum
    }

    /// Elastic energy at a state of the rods whose stress follows from their strain.
    pub fn displacement_energy(&self, state: &State, work: &mut Workspace) -> f64 {
        let mut energy = 0.0;
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            if !rod.has_independent_stress() {
                rod.fill_increments(&state.poses[place.poses()], &mut work.scratch[i]);
                energy += rod.pose_energy(&state.linear[place.stresses()], &mut work.scratch[i]);
            }
        }
        energy
    }

    /// Slope of that energy along the last solved step.
    pub fn displacement_slope(&self, work: &Workspace) -> f64 {
        let rods = self.values.rods.iter().zip(&self.layout.rods).enumerate();
        rods.map(|(i, (rod, place))| {
            let coordinates = place.first_coordinate.map_or(&[][..], |first| &work.step.joints[first.index()..]);
            rod.pose_energy_slope(&work.scratch[i], &work.increments[i], coordinates)
        })
        .sum()
    }

    /// −work of the forces from `from`, the state of the last assembly, up to a constant; what has no potential acts as it
    /// did there.
    pub fn force_potential(&self, from: &State, state: &State, work: &mut Workspace) -> f64 {
        let (from, at) = (self.at(from, &work.inputs), self.at(state, &work.inputs));
        let mut potential = 0.0;
        each_force!(self.values.kinds, |force| {
            potential += force.potential_from(&from, &at);
        });
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            if work.frozen_points[i].is_empty() {
                continue;
            }
            let own = &state.poses[place.poses()];
            rod.fill_increments(own, &mut work.scratch[i]);
            for (q, frozen) in work.frozen_points[i].iter().enumerate() {
                potential += frozen.potential(&rod.curve().point_pose(q, own, &work.scratch[i].psi));
            }
        }
        potential
    }

    /// W·δ: the work of all forces along the last solved step, to first order.
    pub fn force_slope(&self, work: &Workspace) -> f64 {
        let slots = work.step.poses.iter().map(|step| DualVector::from(*step));
        // The dual part of covector · twist is the power.
        let poses: f64 = work.forces.iter().zip(slots).map(|(force, step)| force.dot(&step).du).sum();
        let joints = self.values.joints.iter().zip(&work.step.joints);
        poses + joints.map(|(joint, step)| work.forces[joint.node].wrench().to_vector().dot(step)).sum::<f64>()
    }

    /// ρ⁺·c + ½ cᵀWc at a state, multipliers and active sets those of `from` and its last solve.
    pub fn open_merit(&self, from: &State, at: &State, work: &Workspace) -> f64 {
        let (start, here) = (self.at(from, &work.inputs), self.at(at, &work.inputs));
        let mut merit = 0.0;
        each_constraint!(self.values.kinds, |constraint| {
            let block = constraint.multiplier().block;
            let active = constraint.evaluate(&start, from.block(block));
            let expected = from.block(block) + work.step.block(block);
            let open = active.acting(&constraint.open_like(&here, at.block(block), &active));
            let firmness = constraint.firmness(start.scales, &expected);
            let penalty = constraint.penalty().unwrap_or_default();
            merit += expected.dot(&open) + 0.5 * open.component_mul(&(firmness + penalty)).dot(&open);
            merit += 0.5 * active.compliance * active.acting(at.block(block)).norm_squared();
        });
        merit
    }

    /// Its slope along the last solved step, less what of it stands in the slope of the forces already.
    pub fn open_slope(&self, state: &State, work: &Workspace) -> f64 {
        let at = self.at(state, &work.inputs);
        let mut slope = 0.0;
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { multiplier, condition, .. } = Acting::of(constraint, &at);
            let step = work.step.block(constraint.multiplier().block);
            let open = condition.acting(&condition.open);
            let firmness = constraint.firmness(at.scales, &(multiplier + step));
            slope -= step.dot(&open) + open.component_mul(&firmness).dot(&open);
        });
        slope
    }
}
