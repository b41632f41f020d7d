//! What forces, constraints and dampers at one end of a step have in a test of its balance, by motions of the nodes there.

use super::StepTaken;
use super::balance_test::BalanceTest;
use super::shift::{PLACES, Side, WAY, ad_transpose};
use crate::constraints::Acting;
use crate::contribution::{At, Constraint, Force, push};
use crate::damping::Damper;
use crate::index::Node;
use crate::kind::{each_constraint, each_damper, each_force};
use crate::motion::MotionWorkspace;
use crate::motion::balance::damping_weights;
use crate::sink::BlockSink;
use crate::{State, System};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix6, Vector6};

/// Adds Bᵀζ of every block B of a tangent to rows of nodes.
struct Transposed<'a> {
    test: &'a [Vector6<f64>],
    rows: &'a mut [DualVector],
    factor: f64,
}

impl BlockSink for Transposed<'_> {
    fn add_symmetric(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        self.add_general(row, column, block);
        if row != column {
            self.add_general(column, row, &block.transpose());
        }
    }

    fn add_general(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        push(self.rows, column, &(block.tr_mul(&self.test[row]) * self.factor));
    }
}

/// One end of a step with a test of its balance.
pub(super) struct OnSide<'a> {
    pub side: Side,
    pub step: &'a StepTaken<'a>,
    pub test: &'a BalanceTest,
    pub work: &'a MotionWorkspace,
}

impl OnSide<'_> {
    fn state(&self) -> &State {
        match self.side {
            Side::Start => &self.work.before,
            Side::End => self.step.end,
        }
    }

    fn at<'b>(&'b self, system: &'b System) -> At<'b> {
        let inputs = match self.side {
            Side::Start => &self.work.start_inputs,
            Side::End => self.step.inputs,
        };
        system.at(self.state(), inputs)
    }

    /// hφ.
    fn weight(&self) -> f64 {
        match self.side {
            Side::Start => self.step.rule.force[0],
            Side::End => self.step.rule.force[1],
        }
    }
}

impl System {
    /// Motions of all nodes at one end of the step.
    fn tests_of_nodes(&self, side: Side, test: &BalanceTest) -> Vec<Vector6<f64>> {
        let k = usize::from(side == Side::Start);
        let mut all: Vec<Vector6<f64>> = test.slots[k].iter().map(|motion| motion.to_vector()).collect();
        let rest = (all.len()..self.layout.roles.len()).map(Node::new);
        all.extend(rest.map(|node| self.layout.homes.read_own(node, &test.groups[k])));
        all
    }

    /// Forces: what stays as it is, and how they change with the nodes.
    pub(super) fn add_forces(&self, on: &OnSide<'_>, held: &mut [DualVector], rows: &mut [DualVector]) {
        let weight = on.weight();
        if weight == 0.0 {
            return;
        }
        let (at, tests) = (on.at(self), self.tests_of_nodes(on.side, on.test));
        let mut forces = vec![DualVector::zero(); held.len()];
        let mut sink = Transposed { test: &tests, rows, factor: weight };
        each_force!(self.values.kinds, |force| {
            force.exert(&at, &mut forces, &mut sink);
        });
        for (held, force) in held.iter_mut().zip(&forces) {
            *held += *force * -weight;
        }
        // Second derivatives are told in exponential coordinates: the rows themselves turn by half a bracket.
        for slot in 0..self.layout.sources.len() {
            let motion = Twist::from_vector(&tests[slot]);
            rows[slot] += ad_transpose(&motion, &forces[slot]) * (0.5 * weight);
        }
        for joint in self.values.joints.iter().filter(|joint| !joint.subgroup.commutes) {
            let subspace = &joint.subgroup.subspace;
            let motion = Twist::from_vector(&(subspace * tests[joint.node]));
            let bracket = subspace.tr_mul(&(motion.ad() * subspace));
            let force = forces[joint.node].wrench().to_vector();
            push(rows, joint.node, &(bracket.tr_mul(&force) * (0.5 * weight)));
        }
    }

    /// Forces of constraints, whose multipliers are those of the end.
    pub(super) fn add_conditions(&self, on: &OnSide<'_>, held: &mut [Vector6<f64>], rows: &mut [DualVector]) {
        let weight = on.weight();
        if weight == 0.0 {
            return;
        }
        let tests = self.tests_of_nodes(on.side, on.test);
        let (at, end) = (on.at(self), self.at(on.step.end, on.step.inputs));
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { condition, force, .. } = Acting::of(constraint, &end);
            let mut force = condition.acting(&force);
            let block = constraint.multiplier().block;
            if let Some(penalty) = constraint.penalty().filter(|_| constraint.exerts()) {
                let multiplier = end.state.block(block);
                let open = constraint.open_like(&at, multiplier, &condition);
                force = condition.acting(&(multiplier + open.component_mul(&penalty)));
                let mut moved = Vector6::zeros();
                constraint.jacobian(&at, &mut |node, j| moved += j * tests[node]);
                let stiff = condition.acting(&moved.component_mul(&penalty)) * weight;
                constraint.jacobian(&at, &mut |node, j| push(rows, node, &j.tr_mul(&stiff)));
            }
            held[block] = force * weight;
        });
    }

    /// Dampers, by their Jacobians and by what they went through.
    pub(super) fn add_dampings(&self, on: &OnSide<'_>, held: &mut Vec<Vector6<f64>>, rows: &mut [DualVector]) {
        let weights @ [at_first, at_last] = damping_weights(on.step.rule);
        let own = weights[usize::from(on.side == Side::End)];
        let [starts, ends] = [Side::Start, Side::End].map(|side| self.tests_of_nodes(side, on.test));
        let (before, after) = (&on.work.before, on.step.end);
        let mut here = on.state().clone();
        each_damper!(self.values.kinds, |damper| {
            let resistance = damper.resistance();
            let force = resistance * damper.travelled(before, after) * own;
            if resistance == Matrix6::zeros() {
                held.push(force);
                continue;
            }
            let (mut rate, mut nodes) = (Vector6::zeros(), Vec::new());
            damper.jacobian(before, &mut |node, j| {
                rate += j * starts[node] * at_first;
                if !nodes.contains(&node) {
                    nodes.push(node);
                }
            });
            damper.jacobian(after, &mut |node, j| rate += j * ends[node] * at_last);
            // What a damper of turns in space feels is no change of coordinates: its row is one in the axes of the joint.
            let turning = self.values.joints.iter().filter(|joint| !joint.subgroup.commutes);
            let turning = turning.filter(|joint| nodes.contains(&joint.node)).collect::<Vec<_>>();
            held.push(if turning.is_empty() { force } else { Vector6::zeros() });
            for joint in turning {
                let test = if on.side == Side::Start { starts[joint.node] } else { ends[joint.node] };
                let row = self.changed_by(joint.node, &mut here, |here| {
                    let mut sum = 0.0;
                    damper.jacobian(here, &mut |_, j| sum += (j * test).dot(&force));
                    sum
                });
                push(rows, joint.node, &row);
                if on.side == Side::Start {
                    let (subspace, mut own) = (&joint.subgroup.subspace, Vector6::zeros());
                    damper.jacobian(before, &mut |_, j| own += j.tr_mul(&force));
                    let motion = Twist::from_vector(&(subspace * test));
                    push(rows, joint.node, &subspace.tr_mul(&(motion.ad() * subspace)).tr_mul(&own));
                }
            }
            let wanted = resistance * rate;
            for node in nodes {
                let row = self.changed_by(node, &mut here, |here| {
                    wanted.dot(&match on.side {
                        Side::Start => damper.travelled(here, after),
                        Side::End => damper.travelled(before, here),
                    })
                });
                push(rows, node, &row);
            }
        });
    }

    /// How a number changes with small motions of a node, by differences.
    fn changed_by(&self, node: Node, state: &mut State, number: impl Fn(&State) -> f64) -> Vector6<f64> {
        let length = self.values.scales.length;
        let joint = self.values.joints.iter().find(|joint| joint.node == node);
        let freedom = joint.map_or(6, |joint| joint.subgroup.freedom);
        let mut row = Vector6::zeros();
        for i in 0..freedom {
            let turns = joint.map_or(i < 3, |joint| joint.subgroup.turns(i));
            let way = if turns { WAY } else { WAY * length };
            for (at, weight) in PLACES {
                let step = Vector6::ith(i, at * way);
                match joint {
                    Some(joint) => {
                        let kept = *state.joint(joint.index);
                        state.joints[joint.index] = joint.subgroup.moved(&kept, &step);
                        row[i] += weight * number(state) / way;
                        state.joints[joint.index] = kept;
                    }
                    None => {
                        let kept = state.poses[node.index()];
                        state.poses[node.index()] = kept.boxplus(&Twist::from_vector(&step));
                        row[i] += weight * number(state) / way;
                        state.poses[node.index()] = kept;
                    }
                }
            }
        }
        row
    }
}
