//! Residual and tangent of a time step of a whole system.

use super::MotionWorkspace;
use crate::element::spline::pose_map::RodBlocks;
use crate::element::spline::step::EndLoads;
use crate::element::spline::step_tangent::StepPoint;
use crate::impulse::{StepRule, adjoint, coadjoint};
use crate::inputs::Inputs;
use crate::load::FactorOf;
use crate::sink::{BlockSink, NoTangent, NodeSink};
use crate::{State, System};
use lissome_lie::Pose;
use lissome_lie::dual::DualVector;
use lissome_sparse::FactorError;
use nalgebra::{Matrix6, Vector6};

impl System {
    /// Residual of the step at this end, on the right-hand side of the Newton step.
    pub fn step_residual(&self, rule: &StepRule, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) {
        self.fill_line_loads(inputs, &mut work.base.line);
        self.fill_terms(end, &mut work.base.terms);
        // Constraints act through the same multipliers at both ends.
        work.before.reactions.copy_from_slice(&end.reactions);
        work.before.tensions.copy_from_slice(&end.tensions);
        for (before, after) in work.before.joints.iter_mut().zip(&end.joints) {
            before.limit_force = after.limit_force;
        }
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            let stress = &end.stress[rod.first_stress..][..rod.stress_count()];
            let loads = EndLoads { at_points: &work.base.line[i], factor: 1.0 };
            let (start, step) = (&work.before.poses[own.clone()], &mut work.rods[i]);
            rod.step_residual(rule, &work.inertia[i], start, &end.poses[own], stress, loads, step);
        }
        self.fill_slot_rows(rule, end, inputs, work);
        self.gather_rows(end, inputs, work);
    }

    /// Bodies, loads and constraints on the slots, springs and efforts of the joints.
    fn fill_slot_rows(&self, rule: &StepRule, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) {
        let MotionWorkspace { before, start_inputs, start_rows, end_rows, start_loads, end_loads, .. } = work;
        start_loads.fill(DualVector::zero());
        end_loads.fill(DualVector::zero());
        self.add_slot_loads(before, start_inputs, false, start_loads);
        self.add_slot_loads(end, inputs, false, end_loads);
        start_rows.fill(DualVector::zero());
        end_rows.fill(DualVector::zero());
        self.add_slot_loads(before, start_inputs, true, start_rows);
        self.add_slot_loads(end, inputs, true, end_rows);
        self.add_closures(before, start_rows, &mut NoTangent);
        self.add_closures(end, end_rows, &mut NoTangent);
        for (row, load) in start_rows.iter_mut().zip(start_loads) {
            *row = (*row + *load) * -rule.force[0];
        }
        for (row, load) in end_rows.iter_mut().zip(end_loads) {
            *row = (*row + *load) * -rule.force[1];
        }
        for (body, point) in self.bodies.iter().zip(&mut work.bodies) {
            let pose = end.poses[body.slot];
            let relative = before.poses[body.slot].inverse() * pose;
            point.pass(rule, &body.mass, &relative, &pose);
            start_rows[body.slot] += coadjoint(&relative.inverse(), &point.impulse) * rule.inertia[0];
            end_rows[body.slot] += point.impulse * rule.inertia[1];
        }
        self.add_joints(before, start_inputs, &mut work.start_joints, &mut NoTangent);
        self.add_joints(end, inputs, &mut work.end_joints, &mut NoTangent);
        for (i, joint) in self.joints.iter().enumerate() {
            work.start_joints[i] *= rule.force[0];
            work.end_joints[i] *= rule.force[1];
            if joint.node.is_some() {
                work.end_joints[i] += joint.damping.component_mul(&joint.travelled(&before.joints[i], &end.joints[i]));
            }
        }
    }

    /// Wrenches on slots: gravity alone, or everything else (cables included, closures not).
    fn add_slot_loads(&self, state: &State, inputs: &Inputs, gravity: bool, loads: &mut [DualVector]) {
        for at in self.pose_loads.iter().filter(|at| (at.factor == FactorOf::Gravity) == gravity) {
            let load = at.load.evaluate(&state.poses[at.pose].rotation, at.factor.of(inputs));
            loads[at.pose] += load.wrench.into();
        }
        if !gravity {
            self.add_cables(state, inputs, loads, &mut NoTangent);
        }
    }

    /// Gravity, loads and cables on slots.
    pub(super) fn add_all_slot_loads(&self, state: &State, inputs: &Inputs, loads: &mut [DualVector]) {
        self.add_slot_loads(state, inputs, true, loads);
        self.add_slot_loads(state, inputs, false, loads);
    }

    /// Rows of all nodes to those of the unknowns: what is carried over from the start, and what acts at the end.
    fn gather_rows(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) {
        let slots = self.sources.len();
        let mut rows = std::mem::take(&mut work.node_rows);
        let negative = |covector: DualVector| (-covector).wrench().to_vector();
        rows.fill(Vector6::zeros());
        for (row, covector) in rows[..slots].iter_mut().zip(&work.start_rows) {
            *row = negative(*covector);
        }
        for (rod, step) in self.rods.iter().zip(&work.rods) {
            for (row, covector) in rows[rod.first_pose..].iter_mut().zip(&step.at_start) {
                *row += negative(*covector);
            }
        }
        for (joint, row) in self.joints.iter().zip(&work.start_joints) {
            if let Some(node) = joint.node {
                rows[node] = -row;
            }
        }
        work.carried.fill(0.0);
        self.spread_rows(&rows, &work.start_terms, &mut work.carried);
        self.carry_rows(&work.before, end, &mut work.carried);

        for (row, covector) in rows[..slots].iter_mut().zip(&work.end_rows) {
            *row = negative(*covector);
        }
        for (rod, step) in self.rods.iter().zip(&work.rods) {
            for (row, covector) in rows[rod.first_pose..].iter_mut().zip(&step.at_end) {
                *row += negative(*covector);
            }
            for (node, misfit) in self.stress_node[rod.first_stress..].iter().zip(&step.misfit) {
                rows[*node] = -misfit;
            }
        }
        for (joint, row) in self.joints.iter().zip(&work.end_joints) {
            if let Some(node) = joint.node {
                rows[node] = -row;
            }
        }
        self.fill_closure_rows(end, &mut rows);
        self.fill_cable_rows(end, inputs, &mut rows);
        self.fill_limit_rows(end, &mut rows);
        work.base.right_hand_side.copy_from_slice(&work.carried);
        self.spread_rows(&rows, &work.base.terms, &mut work.base.right_hand_side);
        work.node_rows = rows;
    }

    /// Assembles and factors the tangent at the point of the last [`System::step_residual`].
    pub fn factor_step(
        &self,
        rule: &StepRule,
        end: &State,
        inputs: &Inputs,
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        let Some((mut matrix, mut factor)) = work.base.general.take() else {
            unreachable!("a workspace for motion has a general matrix")
        };
        matrix.clear();
        let terms = std::mem::take(&mut work.base.terms);
        let mut decided = std::mem::take(&mut work.base.decided);
        let mut costs = std::mem::take(&mut work.base.node_costs);
        let mut rows = std::mem::take(&mut work.base.rows);
        self.fill_decided(end, &mut decided);
        costs.fill(Vector6::zeros());
        rows.clear();
        let mut sink = NodeSink {
            matrix: &mut matrix,
            nodes: &self.nodes,
            terms: &terms,
            decided: &decided,
            right_hand_side: &mut costs,
            rows: &mut rows,
        };
        self.write_step(rule, end, inputs, work, &mut sink);
        let gradient = |slot: usize| work.end_rows[slot] + self.rod_row(slot, work);
        self.add_motion_curvature(gradient, &terms, |row, column, block| sink.pair(row, column, block));
        self.spread_rows(&costs, &terms, &mut work.base.right_hand_side);
        work.base.terms = terms;
        work.base.decided = decided;
        work.base.node_costs = costs;
        work.base.rows = rows;
        let result = matrix.factor_into(&mut factor);
        work.base.general = Some((matrix, factor));
        result
    }

    /// What a rod has at the end of the step on one of its control poses; nothing on other slots.
    fn rod_row(&self, slot: usize, work: &MotionWorkspace) -> DualVector {
        let rod = self.rods.partition_point(|rod| rod.first_pose + rod.pose_count <= slot);
        self.rods.get(rod).map_or(DualVector::zero(), |own| work.rods[rod].at_end[slot - own.first_pose])
    }

    fn write_step(
        &self,
        rule: &StepRule,
        end: &State,
        inputs: &Inputs,
        work: &mut MotionWorkspace,
        sink: &mut impl BlockSink,
    ) {
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            let stress = rod.first_stress..rod.first_stress + rod.stress_count();
            let blocks = RodBlocks { pose: &self.pose_node[own.clone()], stress: &self.stress_node[stress.clone()] };
            let at = StepPoint {
                start: &work.before.poses[own.clone()],
                end: &end.poses[own],
                stress: &end.stress[stress],
                loads: EndLoads { at_points: &work.base.line[i], factor: 1.0 },
            };
            let (scratch, map) = (&mut work.base.scratch[i], &mut work.base.maps[i]);
            rod.add_step_tangent(rule, &work.inertia[i], &at, &mut work.rods[i], scratch, map, &blocks, sink);
        }
        for (body, point) in self.bodies.iter().zip(&work.bodies) {
            let pi = point.impulse_tangent(rule, &body.mass, &end.poses[body.slot]);
            sink.add_general(body.slot, body.slot, &pi);
        }
        // What is left of left-trivialised derivatives once every contribution has given its symmetric part.
        for (slot, (before, after)) in work.start_rows.iter().zip(&work.end_rows).enumerate() {
            if *before != DualVector::zero() || *after != DualVector::zero() {
                let carried = coadjoint(&(work.before.poses[slot].inverse() * end.poses[slot]), before);
                sink.add_general(slot, slot, &(carried + *after * 0.5).skew().covector_map());
            }
        }
        let slots = self.sources.len();
        if rule.force[1] != 0.0 {
            let mut at_end = AtEnd { force: rule.force[1], slots, sink };
            for at in &self.pose_loads {
                let load = at.load.evaluate(&end.poses[at.pose].rotation, at.factor.of(inputs));
                let half = DualVector::from(load.wrench).skew().covector_map() * 0.5;
                at_end.add_general(at.pose, at.pose, &-(load.tangent - half));
            }
        }
        let mut unused = std::mem::take(&mut work.base.loads);
        let mut at_end = AtEnd { force: rule.force[1], slots, sink };
        self.add_cables(end, inputs, &mut unused, &mut at_end);
        self.add_closures(end, &mut unused, &mut at_end);
        if rule.force[0] != 0.0 {
            let poses = (&work.before.poses[..], &end.poses[..]);
            let mut at_start = AtStart { force: rule.force[0], slots, poses, sink };
            self.add_cables(&work.before, &work.start_inputs, &mut unused, &mut at_start);
            self.add_closures(&work.before, &mut unused, &mut at_start);
        }
        work.base.loads = unused;
        let mut springs = Springs { force: rule.force[1], system: self, sink };
        self.add_joints(end, inputs, &mut work.base.joint_gradient, &mut springs);
        for joint in &self.joints {
            if let Some(node) = joint.node {
                sink.add_symmetric(node, node, &Matrix6::from_diagonal(&joint.damping));
            }
        }
    }

    /// Solves for the Newton step and returns its scaled length (rad, m over the length of the rod).
    pub fn solve_step(&self, end: &State, work: &mut MotionWorkspace) -> f64 {
        self.solve(end, &mut work.base);
        for (closure, step) in self.closures.iter().zip(&mut work.base.reaction_step) {
            if closure.node.is_none() {
                // An embedded end needs no multiplier, and over a step it has no meaning.
                step.fill(0.0);
            }
        }
        self.step_size(&work.base)
    }

    /// Moves a fraction of the last Newton step from `end` to `to`.
    pub fn move_step(&self, end: &State, fraction: f64, work: &MotionWorkspace, to: &mut State) {
        to.aims.clone_from(&end.aims);
        self.retract_poses(end, fraction, &work.base, to);
    }

    /// Slot that the last Newton step moved most.
    pub fn most_moved(&self, work: &MotionWorkspace) -> usize {
        let size = |slot: &usize| work.base.pose_step[*slot].to_vector().norm();
        (0..self.sources.len()).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0)
    }
}

/// Forces at the end of the step: weight hφ¹ on the rows of poses, rows of constraints as they are.
struct AtEnd<'a, S> {
    force: f64,
    slots: usize,
    sink: &'a mut S,
}

impl<S: BlockSink> BlockSink for AtEnd<'_, S> {
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        if row < self.slots {
            self.sink.add_symmetric(row, column, &(block * self.force));
        } else if row == column {
            self.sink.add_symmetric(row, row, block);
        } else {
            self.sink.add_general(row, column, block);
            self.sink.add_general(column, row, &(block.transpose() * self.force));
        }
    }
    fn add_general(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        self.sink.add_general(row, column, &(block * self.force));
    }
}

/// Forces of constraints at the start of the step, carried to its end: weight hφ⁰.
struct AtStart<'a, S> {
    force: f64,
    slots: usize,
    poses: (&'a [Pose], &'a [Pose]),
    sink: &'a mut S,
}

impl<S: BlockSink> BlockSink for AtStart<'_, S> {
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        if row >= self.slots && column < self.slots {
            let moved = adjoint(&(self.poses.0[column].inverse() * self.poses.1[column])).twist_map();
            self.sink.add_general(column, row, &((block * moved).transpose() * self.force));
        }
    }
    fn add_general(&mut self, _: usize, _: usize, _: &Matrix6<f64>) {}
}

/// Springs and efforts of joints at the end of the step, and the rows of their limits.
struct Springs<'a, S> {
    force: f64,
    system: &'a System,
    sink: &'a mut S,
}

impl<S: BlockSink> BlockSink for Springs<'_, S> {
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        if !self.system.joints.iter().any(|joint| joint.limit_node == Some(row)) {
            self.sink.add_symmetric(row, column, &(block * self.force));
        } else if row == column {
            self.sink.add_symmetric(row, row, block);
        } else {
            self.sink.add_general(row, column, block);
            self.sink.add_general(column, row, &(block.transpose() * self.force));
        }
    }
    fn add_general(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        self.sink.add_general(row, column, &(block * self.force));
    }
}
