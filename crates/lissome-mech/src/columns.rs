//! Columns of the inputs: how the residual changes with a number of the inputs, and the step that answers it.
//!
//! ```text
//! dR/du = ∂R/∂u + K z_u        z_u the motion that the input prescribes (a driven joint)
//! ```

use crate::assemble::{CurvatureOf, add_to};
use crate::contribution::{Constraint, Force};
use crate::index::RodIndex;
use crate::inputs::{Input, Inputs};
use crate::kind::{each_constraint, each_force};
use crate::load::SectionLoad;
use crate::sink::{NoMatrix, NoTangent};
use crate::{State, Step, System, Workspace};
use lissome_lie::Twist;
use lissome_lie::dual::{DualVector, ExpMap};
use nalgebra::Vector6;

impl System {
    /// Puts −dR/du on the right-hand side. The workspace must have been assembled at this state under these inputs.
    pub fn assemble_input_column(&self, state: &State, inputs: &Inputs, input: Input, work: &mut Workspace) {
        let n = self.unknowns();
        let gaps = work.steps[n..].to_vec();
        work.steps[n..].fill(0.0);
        let driven = self.prescribe_joint(inputs, input, &mut work.steps);
        if driven {
            self.write_tangent(state, inputs, CurvatureOf::Poses, work, &mut NoMatrix);
        } else {
            work.held.clear();
        }
        let mut rows = std::mem::take(&mut work.node_rows);
        rows.fill(Vector6::zeros());
        self.fill_force_rates(state, inputs, input, work);
        for (row, force) in rows.iter_mut().zip(&work.forces) {
            *row = force.wrench().to_vector();
        }
        let at = self.at(state, inputs);
        each_constraint!(self.values.kinds, |constraint| {
            let multiplier = constraint.multiplier();
            if let Some(node) = multiplier.node {
                let condition = constraint.evaluate(&at, state.block(multiplier.block));
                rows[node] = -condition.acting(&constraint.input_rate(&at, input));
            }
        });
        work.right_hand_side.fill(0.0);
        self.layout.homes.spread(rows.iter().copied(), &work.terms, &mut work.right_hand_side);
        add_to(&work.held.cost, &mut work.right_hand_side);
        work.node_rows = rows;
        work.solution.fill(0.0);
        work.solution[n..].copy_from_slice(&work.steps[n..]);
        work.steps[n..].copy_from_slice(&gaps);
    }

    /// ds/du of the whole state from the last factor and the column on the right-hand side.
    pub fn solve_input_column(&self, work: &mut Workspace) -> Step {
        let n = self.unknowns();
        work.solution[..n].copy_from_slice(&work.right_hand_side[..n]);
        match &work.general {
            Some((_, factor)) => factor.solve(&mut work.solution[..n]),
            None => work.symmetric_factor.solve(&mut work.solution[..n]),
        }
        self.read_step(work);
        work.step.clone()
    }

    /// The step that one unit of an input gives a driven joint; false if the input drives none.
    fn prescribe_joint(&self, inputs: &Inputs, input: Input, steps: &mut [f64]) -> bool {
        let Input::Joint { joint: model, coordinate } = input else { return false };
        for joint in self.values.joints.iter().filter(|joint| joint.driven && joint.model == model) {
            let subgroup = &joint.subgroup;
            let Some(own) = coordinate.checked_sub(joint.first).filter(|own| *own < subgroup.freedom) else { continue };
            let column: Vector6<f64> = subgroup.subspace.column(own).into();
            // J⁻¹ dJ = dexp_{Sq} S e.
            let value = Twist::from_vector(&(subgroup.subspace * joint.input(inputs)));
            let moved = ExpMap::at(value.into()).dexp().apply(&Twist::from_vector(&column).into());
            let step = subgroup.subspace.tr_mul(&moved.twist().to_vector());
            if let Some(group) = self.held_group(joint.node) {
                self.layout.homes.write(group, &step, steps);
            }
            return true;
        }
        false
    }

    /// ∂W/∂u on all nodes that move.
    fn fill_force_rates(&self, state: &State, inputs: &Inputs, input: Input, work: &mut Workspace) {
        let Workspace { forces, scratch, line, .. } = work;
        forces.fill(DualVector::zero());
        let at = self.at(state, inputs);
        each_force!(self.values.kinds, |force| {
            force.input_rate(&at, input, forces);
        });
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            line[i].fill(SectionLoad::default());
            for own in &self.values.line_loads[i] {
                let rate = inputs.acting_rate(own.scaled_by, input);
                for (sum, load) in line[i].iter_mut().zip(&own.at_points) {
                    sum.add(&load.scaled(rate));
                }
            }
            let own = place.poses();
            let nodes = self.rod_nodes(RodIndex::new(i));
            let (poses, psi) = (&state.poses[own.clone()], &scratch[i].psi);
            rod.curve().add_line_loads(&line[i], poses, psi, &mut forces[own], &nodes, &mut NoTangent);
        }
        self.fill_line_loads(inputs, &mut work.line);
    }
}
