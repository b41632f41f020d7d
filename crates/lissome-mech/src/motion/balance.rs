//! Residual and tangent of a time step of a whole system.

use super::MotionWorkspace;
use crate::constraints::{Acting, Sharing, Standing, pulled};
use crate::contribution::{At, Constraint, Force, push};
use crate::damping::Damper;
use crate::impulse::{StepRule, adjoint, coadjoint};
use crate::index::{Block, Node, RodIndex, Slot};
use crate::inputs::Inputs;
use crate::kind::contact::Contact;
use crate::kind::{each_constraint, each_damper, each_force};
use crate::layout::RodPlace;
use crate::near::LEAN_GROWTH;
use crate::node::{Home, Role};
use crate::one_sided::Push;
use crate::rod::{EndLoads, StepPoint};
use crate::sink::{BlockSink, GroupMatrix, NoTangent, NodeSink, Scaled, add_impulse};
use crate::{State, System, Workspace};
use lissome_lie::dual::DualVector;
use lissome_sparse::FactorError;
use nalgebra::{Matrix6, Vector6};

impl System {
    /// Residual of the step at this end, on the right-hand side of the Newton step.
    pub fn step_residual(&self, rule: &StepRule, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) {
        self.fill_line_loads(inputs, &mut work.base.line);
        self.fill_terms(end, &mut work.base.terms);
        work.base.inputs.copy_from(inputs);
        // Constraints act through the same multipliers at both ends.
        let stresses = self.layout.stress_nodes.len();
        work.before.linear[stresses..].copy_from_slice(&end.linear[stresses..]);
        for (i, rod, place) in self.moving_rods() {
            let at = StepPoint {
                start: &work.before.poses[place.poses()],
                end: &end.poses[place.poses()],
                carried: place.carried(&end.linear),
                loads: EndLoads { at_points: &work.base.line[i], factor: 1.0 },
            };
            rod.step_residual(rule, &work.inertia[i], &at, &mut work.rods[i]);
        }
        self.fill_moving_rows(rule, end, inputs, work);
        self.gather_rows(end, inputs, work);
    }

    /// Bodies, forces, constraints and dampers on the nodes that move.
    fn fill_moving_rows(&self, rule: &StepRule, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) {
        let MotionWorkspace { before, start_inputs, start_forces, start_rows, end_rows, standing, .. } = work;
        let (at_start, at_end) = (self.at(before, start_inputs), self.at(end, inputs));
        let [stood, standing] = standing;
        self.stand(&at_end, standing);
        start_rows.copy_from_slice(start_forces);
        if rule.force[0] != 0.0 {
            self.stand_at_start(&at_start, standing, stood);
            self.add_start_forces([&at_start, &at_end], [stood, standing], start_rows);
        }
        end_rows.fill(DualVector::zero());
        each_force!(self.values.kinds, |force| {
            force.exert(&at_end, end_rows, &mut NoTangent);
        });
        self.add_constraints(&at_end, Sharing::Off, standing, end_rows, &mut NoTangent);
        start_rows.iter_mut().for_each(|row| *row = *row * -rule.force[0]);
        end_rows.iter_mut().for_each(|row| *row = *row * -rule.force[1]);
        let [at_first, at_last] = damping_weights(rule);
        each_damper!(self.values.kinds, |damper| {
            let force = damper.resistance() * damper.travelled(before, end);
            if force != Vector6::zeros() {
                damper.jacobian(before, &mut |node, j| push(start_rows, node, &(j.tr_mul(&force) * at_first)));
                damper.jacobian(end, &mut |node, j| push(end_rows, node, &(j.tr_mul(&force) * at_last)));
            }
        });
        work.duration = rule.duration;
        for (body, point) in self.values.bodies.iter().zip(&mut work.bodies) {
            let pose = end.poses[body.slot];
            let relative = before.poses[body.slot].inverse() * pose;
            point.pass(rule, &body.mass, body.way(), &relative, &pose);
            start_rows[body.slot] += coadjoint(&relative.inverse(), &point.impulse) * rule.inertia[0];
            end_rows[body.slot] += point.impulse * rule.inertia[1];
        }
    }

    /// Forces of constraints at the start of the step: rows act there if they act at its end.
    fn add_start_forces(
        &self,
        [start, end]: [&At<'_>; 2],
        [stood, standing]: [&Standing; 2],
        forces: &mut [DualVector],
    ) {
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { condition, force, .. } = standing.acting(constraint, end);
            let mut force = condition.acting(&force);
            if let Some(penalty) = constraint.penalty() {
                let multiplier = end.state.block(constraint.multiplier().block);
                let open = constraint.open_like(start, multiplier, &condition);
                force = condition.acting(&(multiplier + open.component_mul(&penalty)));
            }
            if force != Vector6::zeros() && constraint.exerts() {
                stood.visit(constraint, start, &mut |node, j| push(forces, node, &pulled(j, &force)));
            }
        });
    }

    /// Which rows of the constraints act at this end of the step; true if that is not what the last call found.
    pub fn note_active_rows(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> bool {
        let at = self.at(end, inputs);
        let mut changed = false;
        each_constraint!(self.values.kinds, |constraint| {
            let condition = work.standing[1].acting(constraint, &at).condition;
            let mut active = condition.active;
            if constraint.size() <= 3 {
                // Who slides is another than who is held.
                (0..3).for_each(|row| active[row + 3] = condition.slides(row));
            }
            let known = &mut work.active[constraint.multiplier().block.index()];
            changed |= *known != active;
            *known = active;
        });
        changed
    }

    /// Rows of all nodes to those of the unknowns: what is carried over from the start, and what acts at the end.
    fn gather_rows(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) {
        let mut rows = std::mem::take(&mut work.node_rows);
        let negative = |covector: DualVector| (-covector).wrench().to_vector();
        rows.fill(Vector6::zeros());
        for (row, covector) in rows.iter_mut().zip(&work.start_rows) {
            *row = negative(*covector);
        }
        for (place, step) in self.layout.rods.iter().zip(&work.rods) {
            for (row, covector) in rows[place.poses()].iter_mut().zip(&step.at_start) {
                *row += negative(*covector);
            }
        }
        work.carried.fill(0.0);
        self.layout.homes.spread(rows.iter().copied(), &work.start_terms, &mut work.carried);
        self.carry_rows(&work.before, end, &mut work.carried);

        for (row, covector) in rows.iter_mut().zip(&work.end_rows) {
            *row = negative(*covector);
        }
        for (place, step) in self.layout.rods.iter().zip(&work.rods) {
            for (row, covector) in rows[place.poses()].iter_mut().zip(&step.at_end) {
                *row += negative(*covector);
            }
            for (a, misfit) in step.misfit.iter().enumerate() {
                rows[place.first_stress_node.after(a)] -= misfit;
            }
        }
        self.fill_constraint_rows(&self.at(end, inputs), &work.standing[1], &mut rows);
        work.base.right_hand_side.copy_from_slice(&work.carried);
        self.layout.homes.spread(rows.iter().copied(), &work.base.terms, &mut work.base.right_hand_side);
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
        self.fill_gap_steps(&self.at(end, inputs), &mut work.base.steps);
        let mut result = self.factor_step_in_order(rule, end, inputs, work);
        let growth = work.base.general.as_ref().map_or(1.0, |(_, factor)| factor.growth());
        if (result.is_err() || growth > LEAN_GROWTH) && self.has_obstacles() && work.base.met.take_care() {
            result = self.factor_step_in_order(rule, end, inputs, work);
        }
        crate::assemble::add_to(&work.base.held.cost, &mut work.base.right_hand_side);
        result
    }

    fn factor_step_in_order(
        &self,
        rule: &StepRule,
        end: &State,
        inputs: &Inputs,
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        let [stood, standing] = &work.standing;
        let start = (rule.force[0] != 0.0).then_some(stood);
        let coupled = |contact: &Contact, visit: &mut dyn FnMut(Node, f64)| {
            standing.coupled_nodes(start, false, contact, visit);
        };
        self.fit_coupled(&coupled, true, &mut work.base);
        let (mut matrix, mut factor) = work.base.general.take().unwrap_or_else(|| self.general_matrix());
        matrix.clear();
        self.write_step_tangent(rule, end, inputs, work, &mut matrix);
        let result = matrix.factor_into(&mut factor);
        work.base.general = Some((matrix, factor));
        result
    }

    /// Writes the tangent at the point of the last [`System::step_residual`], and what the prescribed steps cost.
    pub(super) fn write_step_tangent(
        &self,
        rule: &StepRule,
        end: &State,
        inputs: &Inputs,
        work: &mut MotionWorkspace,
        matrix: &mut impl GroupMatrix,
    ) {
        let terms = std::mem::take(&mut work.base.terms);
        let steps = std::mem::take(&mut work.base.steps);
        let mut held = std::mem::take(&mut work.base.held);
        held.clear();
        self.fill_start_rows(end, work);
        let start = std::mem::take(&mut work.start);
        let mut kept = std::mem::take(&mut work.base.kept);
        let (homes, chains) = (&self.layout.homes, &self.layout.chains);
        let mut sink = NodeSink {
            matrix,
            homes,
            terms: &terms,
            steps: &steps,
            held: &mut held,
            start: Some(&start),
            chains,
            kept: &mut kept,
        };
        self.write_step(rule, end, inputs, work, &mut sink);
        self.gather_end_rows(end, work);
        for (i, rod, _) in self.moving_rods() {
            if let Some(rod) = rod.strain_basis() {
                let Workspace { scratch, maps, lambda, .. } = &work.base;
                let nodes = self.rod_nodes(RodIndex::new(i));
                rod.add_curvature(&scratch[i], &maps[i], &lambda[i], &nodes, &mut sink);
            }
        }
        let load = |slot: Slot| work.base.total[slot];
        self.add_motion_curvature(load, &terms, |row, column, block| sink.add_pair(row, column, block));
        sink.finish();
        work.base.kept = kept;
        work.start = start;
        work.base.terms = terms;
        work.base.steps = steps;
        work.base.held = held;
    }

    /// What a rod has at the end of the step on one of its control poses; nothing on other slots.
    fn rod_row(&self, slot: Slot, work: &MotionWorkspace) -> DualVector {
        self.layout.rod_of(slot).map_or(DualVector::zero(), |(rod, local)| work.rods[rod].at_end[local])
    }

    /// What acts at the end of the step on everything that moves with a slot, and λ of the rods on strain bases. Rods with
    /// poses of their own hand nothing on.
    fn gather_end_rows(&self, end: &State, work: &mut MotionWorkspace) {
        let mut total = std::mem::take(&mut work.base.total);
        for (slot, total) in total.iter_mut().enumerate() {
            let slot = Slot::new(slot);
            *total = -(work.end_rows[slot] + self.rod_row(slot, work));
        }
        let (rods, lambda) = (&work.rods, &mut work.base.lambda);
        self.gather_loads(end, &mut total, |i, own| match self.values.rods[i].strain_basis() {
            Some(rod) => rod.curve().sweep_loads(&rods[i].psi, own, &mut lambda[i]),
            None => DualVector::zero(),
        });
        work.base.total = total;
    }

    fn write_step(
        &self,
        rule: &StepRule,
        end: &State,
        inputs: &Inputs,
        work: &mut MotionWorkspace,
        sink: &mut dyn BlockSink,
    ) {
        for (i, rod, place) in self.moving_rods() {
            let nodes = self.rod_nodes(RodIndex::new(i));
            let at = StepPoint {
                start: &work.before.poses[place.poses()],
                end: &end.poses[place.poses()],
                carried: place.carried(&end.linear),
                loads: EndLoads { at_points: &work.base.line[i], factor: 1.0 },
            };
            let (scratch, map) = (&mut work.base.scratch[i], &mut work.base.maps[i]);
            rod.add_step_tangent(rule, &work.inertia[i], &at, &mut work.rods[i], scratch, map, &nodes, sink);
        }
        for (body, point) in self.values.bodies.iter().zip(&work.bodies) {
            let (node, pose) = (body.slot.node(), &end.poses[body.slot]);
            let pi = point.impulse_tangent(rule, &body.mass, body.way(), [&work.before.poses[body.slot], pose]);
            if matches!(self.layout.homes.of(node), Home::Through { .. }) {
                add_impulse(rule, &pi, &work.before.poses[body.slot], pose, node, sink);
            } else {
                sink.add_general(node, node, &pi);
            }
        }
        // What is left of left-trivialised derivatives once every contribution has given its symmetric part.
        for slot in Slot::first(self.layout.sources.len()) {
            let (before, after) = (work.start_rows[slot], work.end_rows[slot]);
            if before != DualVector::zero() || after != DualVector::zero() {
                let carried = coadjoint(&(work.before.poses[slot].inverse() * end.poses[slot]), &before);
                sink.add_turn(slot.node(), &(carried + after * 0.5).skew().covector_map());
            }
        }
        let at_end = self.at(end, inputs);
        if rule.force[1] != 0.0 {
            let mut scaled = Scaled { factor: rule.force[1], sink };
            let unused = &mut work.base.forces;
            each_force!(self.values.kinds, |force| {
                force.exert(&at_end, unused, &mut scaled);
            });
        }
        let (whole, rods) = (rule.force[0] + rule.force[1], self.layout.rods.as_slice());
        let mut rows = ConstraintRows { force: rule.force[1], whole, rods, roles: &self.layout.roles, sink };
        self.add_constraints(&at_end, Sharing::Off, &work.standing[1], &mut work.base.forces, &mut rows);
        if rule.force[0] != 0.0 {
            self.add_start_constraints(rule.force[0], &at_end, work, sink);
        }
        self.add_damping(rule, end, work, sink);
    }

    /// Rows of the balance by multipliers, whose forces act at the start of the step too.
    fn add_start_constraints(&self, force: f64, end: &At<'_>, work: &MotionWorkspace, sink: &mut dyn BlockSink) {
        let at = self.at(&work.before, &work.start_inputs);
        let [stood, standing] = &work.standing;
        each_constraint!(self.values.kinds, |constraint| {
            if let Some(own) = constraint.multiplier().node.filter(|_| constraint.exerts()) {
                let condition = standing.acting(constraint, end).condition;
                if constraint.is_one_sided() && !condition.acts() {
                    continue;
                }
                stood.visit(constraint, &at, &mut |node, jacobian| {
                    let moved = self.carry_of(node, &work.before, end.state);
                    sink.add_from_start(node, own, &(condition.force_rows(jacobian).transpose() * force), &moved);
                });
            }
        });
    }

    fn add_damping(&self, rule: &StepRule, end: &State, work: &mut MotionWorkspace, sink: &mut dyn BlockSink) {
        let [at_first, at_last] = damping_weights(rule);
        each_damper!(self.values.kinds, |damper| {
            let resistance = damper.resistance();
            if resistance != Matrix6::zeros() {
                work.damped.clear();
                damper.jacobian(end, &mut |node, j| work.damped.push((node, *j)));
                for (row, j) in &work.damped {
                    for (column, other) in &work.damped {
                        sink.add_general(*row, *column, &(j.tr_mul(&(resistance * other)) * at_last));
                    }
                }
                damper.jacobian(&work.before, &mut |row, j| {
                    let moved = self.carry_of(row, &work.before, end);
                    for (column, other) in &work.damped {
                        let block = j.tr_mul(&(resistance * other)) * at_first;
                        sink.add_from_start(row, *column, &block, &moved);
                    }
                });
                let force = resistance * damper.travelled(&work.before, end) * at_last;
                damper.curvature(end, &force, sink);
            }
        });
    }

    /// How a small motion of a node at the end of a step looks at its start.
    fn carry_of(&self, node: Node, before: &State, end: &State) -> Matrix6<f64> {
        if node.index() < self.layout.sources.len() {
            let slot = Slot::new(node.index());
            return adjoint(&(before.poses[slot].inverse() * end.poses[slot])).twist_map();
        }
        match self.values.joints.iter().find(|joint| joint.node == node) {
            Some(joint) if !joint.subgroup.commutes => self.joint_carry(joint, before, end),
            _ => Matrix6::identity(),
        }
    }

    /// Solves for the Newton step and returns its scaled length (rad, m over the length of the rod).
    pub fn solve_step(&self, rule: &StepRule, end: &State, work: &mut MotionWorkspace) -> f64 {
        let MotionWorkspace { base, before, start_inputs, standing: [_, standing], .. } = work;
        let push = OverStep { system: self, force: rule.force, before, start_inputs, end, standing };
        self.solve_with(end, &push, base);
        for closure in &self.values.kinds.closures {
            if closure.multiplier.node.is_none() {
                // An embedded end needs no multiplier, and over a step it has no meaning.
                work.base.step.linear[closure.multiplier.block].fill(0.0);
            }
        }
        self.step_size(&work.base)
    }

    /// The largest change of a force that the last Newton step asks for, of the largest force among these blocks; what has rows for
    /// moments and forces measures moments by the length of the robot.
    pub fn force_step(&self, blocks: &[(Block, usize)], end: &State, work: &MotionWorkspace) -> f64 {
        let length = self.values.scales.length;
        let size = |own: &Vector6<f64>, rows: usize| match rows {
            6 => own.fixed_rows::<3>(0).amax().max(own.fixed_rows::<3>(3).amax() * length),
            rows => own.rows(0, rows).amax() * length,
        };
        let (mut changed, mut largest) = (0.0f64, 0.0f64);
        for (block, rows) in blocks {
            changed = changed.max(size(&work.base.step.linear[*block], *rows));
            largest = largest.max(size(&end.linear[*block], *rows));
        }
        if changed > 0.0 { changed / largest } else { 0.0 }
    }

    /// The part of the last Newton step that may be taken before something could come out on the other side of an obstacle.
    pub fn step_fraction(&self, end: &State, work: &MotionWorkspace) -> f64 {
        self.seen_fraction(&work.standing[1], end, &work.base.inputs, &work.base.step.poses)
    }

    /// Moves a fraction of the last Newton step from `end` to `to`.
    pub fn move_step(&self, end: &State, fraction: f64, work: &MotionWorkspace, to: &mut State) {
        self.retract_poses(end, fraction, &work.base.step, to);
    }

    /// Slot that the last Newton step moved most.
    pub fn most_moved(&self, work: &MotionWorkspace) -> Slot {
        let size = |slot: &Slot| work.base.step.pose(*slot).to_vector().norm();
        let slots = Slot::first(self.layout.sources.len());
        slots.max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(Slot::new(0))
    }

    /// True if the tangent must be renewed every time: gaps close with the tangent of the moment.
    pub fn has_gaps(&self) -> bool {
        !self.layout.embedded.is_empty()
    }
}

/// Multipliers push at the start and at the end of a step.
struct OverStep<'a> {
    system: &'a System,
    force: [f64; 2],
    before: &'a State,
    start_inputs: &'a Inputs,
    end: &'a State,
    standing: &'a Standing,
}

impl Push for OverStep<'_> {
    const SHARING: Sharing = Sharing::Off;

    fn standing(&self) -> Option<&Standing> {
        Some(self.standing)
    }

    fn visit(&self, constraint: &impl Constraint, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        if self.force[1] != 0.0 {
            constraint.jacobian(at, &mut |node, jacobian| visit(node, &(jacobian * self.force[1])));
        }
        if self.force[0] != 0.0 {
            let start = self.system.at(self.before, self.start_inputs);
            constraint.jacobian(&start, &mut |node, jacobian| {
                let moved = jacobian * self.system.carry_of(node, self.before, self.end);
                visit(node, &(moved * self.force[0]));
            });
        }
    }
}

/// Weights of D(r¹ − r⁰) at the start and at the end of a step. Where forces at the end come as a kick after the step,
/// so does damping.
pub(super) fn damping_weights(rule: &StepRule) -> [f64; 2] {
    if rule.force[1] == 0.0 {
        return [rule.force[0] / rule.duration, 0.0];
    }
    [0.5 * (rule.force[0] + rule.force[1]) / rule.duration; 2]
}

/// Forces of constraints at the end of the step: weight hφ¹ on the balance, rows of conditions as they are.
struct ConstraintRows<'a> {
    force: f64,
    /// hφ⁰ + hφ¹, with which strain coordinates are balanced, and where these are.
    whole: f64,
    rods: &'a [RodPlace],
    roles: &'a [Role],
    sink: &'a mut dyn BlockSink,
}

impl BlockSink for ConstraintRows<'_> {
    fn is_moved(&self, node: Node) -> bool {
        self.sink.is_moved(node)
    }

    fn add_symmetric(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        if self.roles[row].is_motion() {
            self.sink.add_symmetric(row, column, &(block * self.force));
        } else if row == column {
            self.sink.add_symmetric(row, row, block);
        } else {
            self.add_condition(row, column, block, block);
        }
    }
    fn add_condition(&mut self, own: Node, node: Node, rows: &Matrix6<f64>, forces: &Matrix6<f64>) {
        self.sink.add_general(own, node, rows);
        let weight = match self.roles[node].is_motion() {
            true if self.rods.iter().any(|place| place.has_coordinate(node)) => self.whole,
            true => self.force,
            false => 1.0,
        };
        self.sink.add_general(node, own, &(forces.transpose() * weight));
    }

    fn add_general(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        self.sink.add_general(row, column, &(block * self.force));
    }
}
