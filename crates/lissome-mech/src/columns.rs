//! Columns of the inputs: how the residual changes with a number of the inputs, and the step that answers it.
//!
//! ```text
//! dR/du = ∂R/∂u + K z_u        z_u the motion that the input prescribes (a driven joint)
//! ```

use crate::assemble::{CurvatureOf, add_to};
use crate::contribution::{Constraint, Force};
use crate::index::{RodIndex, Slot};
use crate::inputs::{Input, Inputs};
use crate::joint::Joint;
use crate::kind::{each_constraint, each_force};
use crate::load::SectionLoad;
use crate::sink::{NoMatrix, NoTangent};
use crate::{State, Step, System, Workspace};
use lissome_lie::Wrench;
use lissome_lie::dual::DualVector;
use nalgebra::Vector6;

/// The answer of a factor to one right-hand side, kept while it answers another.
#[derive(Clone, Debug)]
pub struct KeptStep {
    solution: Vec<f64>,
    right_hand_side: Vec<f64>,
}

impl KeptStep {
    /// The last answer.
    pub fn of(work: &Workspace) -> Self {
        Self { solution: work.solution.clone(), right_hand_side: work.right_hand_side.clone() }
    }
}

impl System {
    /// Puts −dR/du on the right-hand side. The workspace must have been assembled at this state under these inputs.
    pub fn assemble_input_column(&self, state: &State, inputs: &Inputs, input: Input, work: &mut Workspace) {
        self.assemble_columns(state, inputs, inputs, &[(input, 1.0)], work);
    }

    /// Puts on the right-hand side what a change from some inputs to others asks for, to first order in it: −Σ dR/du Δu, and
    /// where closures are to bring their tied poses. The workspace must have been assembled at this state under the first.
    pub fn assemble_input_change(&self, state: &State, from: &Inputs, to: &Inputs, work: &mut Workspace) {
        self.assemble_columns(state, from, to, &from.changes(to), work);
    }

    fn assemble_columns(
        &self,
        state: &State,
        inputs: &Inputs,
        to: &Inputs,
        changes: &[(Input, f64)],
        work: &mut Workspace,
    ) {
        let n = self.unknowns();
        let gaps = work.steps[n..].to_vec();
        work.steps[n..].fill(0.0);
        let mut prescribed = false;
        for (input, change) in changes {
            prescribed |= self.prescribe_joint(inputs, *input, *change, &mut work.steps);
        }
        let (here, there) = (self.at(state, inputs), self.at(state, to));
        let aimed = inputs.closures != to.closures;
        for closure in self.values.kinds.closures.iter().filter(|_| aimed) {
            if let Some(gap) = closure.gap.and_then(|gap| self.held_group(gap)) {
                let opened = closure.relative(&there).value() - closure.relative(&here).value();
                self.layout.homes.write(gap, &-opened, &mut work.steps);
                prescribed = true;
            }
        }
        if prescribed {
            self.write_tangent(state, inputs, CurvatureOf::Poses, work, &mut NoMatrix);
        } else {
            work.held.cost.fill(0.0);
        }
        let mut rows = std::mem::take(&mut work.node_rows);
        rows.fill(Vector6::zeros());
        for (input, change) in changes {
            self.fill_force_rates(state, inputs, *input, work);
            for (row, force) in rows.iter_mut().zip(&work.forces) {
                *row += force.wrench().to_vector() * *change;
            }
            self.add_tension_changes(state, inputs, (*input, *change), work, &mut rows);
            each_constraint!(self.values.kinds, |constraint| {
                let multiplier = constraint.multiplier();
                if let Some(node) = multiplier.node {
                    let condition = constraint.evaluate(&here, state.block(multiplier.block));
                    rows[node] -= condition.acting(&constraint.input_rate(&here, *input)) * *change;
                }
            });
            self.add_length_rates(state, *input, *change, &mut rows);
        }
        for closure in self.values.kinds.closures.iter().filter(|_| aimed) {
            if let Some(node) = closure.multiplier.node {
                rows[node] -= closure.relative(&there).value() - closure.relative(&here).value();
            }
        }
        work.right_hand_side.fill(0.0);
        self.layout.homes.spread(rows.iter().copied(), &work.terms, &mut work.right_hand_side);
        add_to(&work.held.cost, &mut work.right_hand_side);
        work.node_rows = rows;
        work.solution.fill(0.0);
        work.solution[n..].copy_from_slice(&work.steps[n..]);
        work.steps[n..].copy_from_slice(&gaps);
    }

    /// Takes off the rate of the misfits of a rod of tubes whose sections lengthen.
    fn add_length_rates(&self, state: &State, input: Input, change: f64, rows: &mut [Vector6<f64>]) {
        let Input::TubeInsertion { rod, tube } = input else { return };
        let rod = RodIndex::new(rod);
        let Some(tubes) = self.tubes(rod) else { return };
        let first = self.layout.rods[rod].first_stress_node;
        let add = |a: usize, rate: Vector6<f64>| rows[first.after(a)] -= rate * change;
        self.values.rods[rod].add_misfit_rate(&tubes.stretches(tube), self.rod_carried(rod, state), add);
    }

    /// ds/du of the whole state from the last factor and the column on the right-hand side.
    pub fn solve_input_column(&self, state: &State, work: &mut Workspace) -> Step {
        self.solve_input_change(state, work);
        work.step.clone()
    }

    /// The step that answers a change of the inputs, from the last factor and the right-hand side of that change; it is
    /// left as the last step, ready to be moved along.
    pub fn solve_input_change(&self, state: &State, work: &mut Workspace) {
        let n = self.unknowns();
        work.solution[..n].copy_from_slice(&work.right_hand_side[..n]);
        self.solve_in_place(work);
        self.read_step(work);
        self.read_embedded_reactions(state, work);
    }

    /// The step that answers a wrench on a slot, body axes, from the last factor.
    pub fn solve_wrench(&self, slot: usize, wrench: &Wrench, state: &State, work: &mut Workspace) -> Step {
        work.right_hand_side.fill(0.0);
        let node = Slot::new(slot).node();
        let rows = (0..=slot).map(|own| if own == node.index() { wrench.to_vector() } else { Vector6::zeros() });
        self.layout.homes.spread(rows, &work.terms, &mut work.right_hand_side);
        work.solution.fill(0.0);
        self.solve_input_change(state, work);
        work.step.clone()
    }

    /// A sum of earlier answers of one factor, left as the last step.
    pub fn combine_steps(&self, parts: &[(f64, &KeptStep)], state: &State, work: &mut Workspace) {
        work.solution.fill(0.0);
        work.right_hand_side.fill(0.0);
        for (factor, kept) in parts {
            let add = |sum: &mut [f64], other: &[f64]| sum.iter_mut().zip(other).for_each(|(a, b)| *a += factor * b);
            add(&mut work.solution, &kept.solution);
            add(&mut work.right_hand_side, &kept.right_hand_side);
        }
        self.read_step(work);
        self.read_embedded_reactions(state, work);
    }

    /// The step that a change of an input gives a driven joint; false if the input drives none.
    fn prescribe_joint(&self, inputs: &Inputs, input: Input, change: f64, steps: &mut [f64]) -> bool {
        let (model, base, coordinate) = match input {
            Input::Joint { joint, coordinate } => (Some(joint), None, coordinate),
            Input::TubeRotation { rod, tube } => (None, Some((rod, tube)), 0),
            _ => return false,
        };
        let is_meant =
            |joint: &&Joint| joint.driven && joint.model == model && joint.tube.map(|own| (own.rod, own.tube)) == base;
        for joint in self.values.joints.iter().filter(is_meant) {
            let subgroup = &joint.subgroup;
            let Some(own) = coordinate.checked_sub(joint.first).filter(|own| *own < subgroup.freedom) else { continue };
            let step = subgroup.motions(&joint.input(inputs)).column(own) * change;
            if let Some(group) = self.held_group(joint.node) {
                self.layout.homes.add(group, &step, steps);
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
                self.add_lengthened(i, input, inputs.acting(own.scaled_by), &own.at_points, &mut line[i]);
            }
            let own = place.poses();
            let nodes = self.rod_nodes(RodIndex::new(i));
            let (poses, psi) = (&state.poses[own.clone()], &scratch[i].psi);
            rod.curve().add_line_loads(&line[i], poses, psi, &mut forces[own], &nodes, &mut NoTangent);
        }
        self.fill_line_loads(inputs, &mut work.line);
    }

    /// Loads along a rod of tubes whose sections lengthen: what acts per length acts on more of it.
    fn add_lengthened(&self, i: usize, input: Input, acting: f64, loads: &[SectionLoad], line: &mut [SectionLoad]) {
        let Input::TubeInsertion { rod, tube } = input else { return };
        let Some(tubes) = self.tubes(RodIndex::new(i)).filter(|_| i == rod) else { return };
        let stretches = tubes.stretches(tube);
        let each = loads.len() / stretches.len().max(1);
        let points = stretches.iter().flat_map(|stretch| std::iter::repeat_n(*stretch, each));
        for ((sum, load), stretch) in line.iter_mut().zip(loads).zip(points) {
            sum.add(&load.scaled(acting * stretch));
        }
    }
}
