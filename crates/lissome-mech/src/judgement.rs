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
use crate::one_sided::rate_of;
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
                energy += rod.pose_energy(place.carried(&state.linear), &mut work.scratch[i]);
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

    /// ρ⁺·c + ½ cᵀWc at a state, multipliers and active sets those of the last solve from `from`.
    pub fn open_merit(&self, from: &State, at: &State, work: &Workspace) -> f64 {
        let (start, here) = (self.at(from, &work.inputs), self.at(at, &work.inputs));
        let mut merit = 0.0;
        each_constraint!(self.values.kinds, |constraint| {
            let block = constraint.multiplier().block;
            let mut active = constraint.evaluate(&start, from.block(block));
            if constraint.is_one_sided() {
                active.active = work.one_sided.acts[block.index()];
            }
            let expected = from.block(block) + work.step.block(block);
            let open = active.acting(&constraint.open_like(&here, at.block(block), &active));
            let firmness = constraint.firmness(start.scales, &expected);
            let penalty = constraint.penalty().unwrap_or_default();
            // What does not exert on its own has ρ·c in the energy of the rods.
            let weight = if constraint.exerts() { expected } else { *work.step.block(block) };
            merit += weight.dot(&open) + 0.5 * open.component_mul(&(firmness + penalty)).dot(&open);
            if constraint.exerts() {
                merit += 0.5 * active.compliance * active.acting(at.block(block)).norm_squared();
            }
        });
        merit
    }

    /// Its slope along the last solved step, less what of it stands in the slope of the forces already.
    pub fn open_slope(&self, state: &State, work: &Workspace) -> f64 {
        let at = self.at(state, &work.inputs);
        let mut slope = 0.0;
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { multiplier, mut condition, force } = Acting::of(constraint, &at);
            let block = constraint.multiplier().block;
            let step = work.step.block(block);
            let expected = multiplier + step;
            let firmness = constraint.firmness(at.scales, &expected);
            if constraint.is_one_sided() {
                // The rows that act in the step need not be those that act at its start.
                let rate = rate_of(constraint, &at, &self.layout.homes, &work.terms, &work.solution);
                condition.active = work.one_sided.acts[block.index()];
                let open = condition.acting(&condition.open);
                let step = condition.acting(step);
                let closing = condition.acting(&rate) - step * condition.compliance;
                if !constraint.exerts() {
                    slope += (step + open.component_mul(&firmness)).dot(&closing);
                    continue;
                }
                slope += (condition.acting(&expected) + open.component_mul(&firmness)).dot(&closing)
                    + condition.compliance * multiplier.dot(&step)
                    - force.dot(&rate);
            } else {
                let open = condition.acting(&condition.open);
                slope -= step.dot(&open) + open.component_mul(&firmness).dot(&open);
            }
        });
        slope
    }
}
