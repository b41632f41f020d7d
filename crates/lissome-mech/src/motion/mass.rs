//! The mass over all unknowns of a system, for natural frequencies: M beside the tangent K of statics.

use super::MotionWorkspace;
use crate::chain::ChainBlocks;
use crate::constraints::Acting;
use crate::contribution::Constraint;
use crate::impulse::momentum;
use crate::index::{RodIndex, Slot};
use crate::kind::each_constraint;
use crate::sink::{BlockSink, HeldBlocks, NodeSink, Scaled};
use crate::{Inputs, State, System, Workspace};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use lissome_sparse::kkt::KktMatrix;
use lissome_sparse::{FactorError, Inertia};
use nalgebra::Vector6;

impl System {
    /// M at the start of the step, zero for stresses and multipliers.
    pub fn mass_matrix(&self, work: &mut MotionWorkspace) -> KktMatrix {
        let mut matrix = KktMatrix::new(&self.layout.pattern);
        self.write_mass(1.0, &mut matrix, work);
        matrix
    }

    /// Adds σM to an assembled tangent and factors it; the tangent must belong to the start of the step.
    pub fn factor_shifted(
        &self,
        sigma: f64,
        tangent: &mut Workspace,
        work: &mut MotionWorkspace,
    ) -> Result<Inertia, FactorError> {
        if let Some((matrix, _)) = &tangent.general {
            matrix.symmetric_part_into(&mut tangent.symmetric);
        }
        self.write_mass(sigma, &mut tangent.symmetric, work);
        tangent.symmetric.factor_into(&mut tangent.symmetric_factor)
    }

    fn write_mass(&self, factor: f64, matrix: &mut KktMatrix, work: &mut MotionWorkspace) {
        let homes = &self.layout.homes;
        let steps = vec![0.0; homes.all_rows()];
        let mut held = HeldBlocks::new(homes.all_rows(), self.layout.first_gap);
        let chains = &self.layout.chains;
        let mut kept = ChainBlocks::new(chains);
        let (terms, held, kept) = (&work.start_terms, &mut held, &mut kept);
        let mut sink = NodeSink { matrix, homes, terms, steps: &steps, held, start: None, chains, kept };
        self.add_mass(false, work, &mut Scaled { factor, sink: &mut sink });
        sink.finish();
    }

    /// Adds the mass of rods and bodies at one end of the step.
    pub(super) fn add_mass(&self, end: bool, work: &MotionWorkspace, sink: &mut dyn BlockSink) {
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            let shape = if end { &work.rods[i].end } else { &work.rods[i].start };
            rod.curve().add_mass(&work.inertia[i], &shape.points, &self.layout.pose_nodes[place.poses()], sink);
        }
        for body in &self.values.bodies {
            sink.add_symmetric(body.slot.node(), body.slot.node(), &body.mass);
        }
    }

    /// Motion of every slot for a vector over the unknowns, at the start of the step.
    pub fn slot_motions(&self, x: &[f64], work: &MotionWorkspace) -> Vec<Twist> {
        let homes = &self.layout.homes;
        let mut all = vec![0.0; homes.all_rows()];
        all[..x.len()].copy_from_slice(x);
        let motion = |slot: Slot| Twist::from_vector(&homes.motion(slot.node(), &work.start_terms, &all));
        Slot::first(self.layout.sources.len()).map(motion).collect()
    }

    /// Rows over all unknowns of the forces of inertia at the start of the step: those of a field of accelerations along every rod, by
    /// arc length and in the axes of its sections, and of the accelerations of the bodies.
    pub fn inertia_rows(
        &self,
        along: impl Fn(RodIndex, f64) -> Twist,
        bodies: impl Iterator<Item = Twist>,
        work: &MotionWorkspace,
    ) -> Vec<f64> {
        let mut on = vec![DualVector::zero(); self.layout.sources.len()];
        for (i, rod, place) in self.moving_rods() {
            let (curve, mass) = (rod.curve(), &work.inertia[i].mass);
            let load = |q: usize| momentum(&mass[q], &along(RodIndex::new(i), curve.point_place(q)).into());
            curve.add_pulled(&work.rods[i].start.points, load, &mut on[place.poses()]);
        }
        for (body, acceleration) in self.values.bodies.iter().zip(bodies) {
            on[body.slot] += momentum(&body.mass, &acceleration.into());
        }
        let homes = &self.layout.homes;
        let mut rows = vec![0.0; homes.all_rows()];
        homes.spread(on.iter().map(|on| on.wrench().to_vector()), &work.start_terms, &mut rows);
        rows
    }

    /// Right-hand side over the unknowns without what is left open of rows that hold.
    pub fn forget_gaps(&self, state: &State, inputs: &Inputs, rows: &mut [f64]) {
        let at = self.at(state, inputs);
        each_constraint!(self.values.kinds, |constraint| {
            let multiplier = constraint.multiplier();
            if let Some(group) = multiplier.node.and_then(|node| self.layout.own_group(node)) {
                let condition = Acting::of(constraint, &at).condition;
                let first = self.layout.homes.rows(group).start;
                let holds = |row: &usize| condition.active[*row] && !condition.follows(*row);
                if condition.compliance == 0.0 {
                    (0..constraint.size()).filter(holds).for_each(|row| rows[first + row] = 0.0);
                }
            }
        });
    }

    /// Adds what a vector over the unknowns has of multipliers to those of a state.
    pub fn add_to_reactions(&self, x: &[f64], state: &mut State) {
        each_constraint!(self.values.kinds, |constraint| {
            let multiplier = constraint.multiplier();
            if let Some(group) = multiplier.node.and_then(|node| self.layout.own_group(node)) {
                state.linear[multiplier.block] += self.layout.homes.read(group, x);
            }
        });
    }

    /// How far a vector over the unknowns goes into stops that are closed at a state, as a part of how far it moves anything: rows of
    /// one-sided constraints give way by rounding alone, and what moves against them is no motion.
    pub fn part_into_stops(&self, x: &[f64], state: &State, inputs: &Inputs, work: &MotionWorkspace) -> f64 {
        let homes = &self.layout.homes;
        let mut all = vec![0.0; homes.all_rows()];
        all[..x.len()].copy_from_slice(x);
        let at = self.at(state, inputs);
        let mut into = 0.0f64;
        each_constraint!(self.values.kinds, |constraint| {
            let condition = Acting::of(constraint, &at).condition;
            let closed = |row: usize| condition.active[row] && condition.sides[row].is_some();
            if condition.compliance == 0.0 && (0..constraint.size()).any(closed) {
                let mut rate = Vector6::zeros();
                constraint.jacobian(&at, &mut |node, j| rate += j * homes.motion(node, &work.start_terms, &all));
                let unit = constraint.unit(at.scales);
                let rows = (0..constraint.size()).filter(|row| closed(*row));
                into = rows.map(|row| rate[row].abs() / unit[row]).fold(into, f64::max);
            }
        });
        let length = at.scales.length;
        let size = |slot: &Twist| slot.angular.norm().max(slot.linear.norm() / length);
        into / self.slot_motions(x, work).iter().map(size).fold(f64::MIN_POSITIVE, f64::max)
    }
}
