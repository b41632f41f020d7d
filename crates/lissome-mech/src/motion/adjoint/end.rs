//! What the balance of a step wants of its end: the tangent of the step, transposed, to rounding.
//!
//! The tangent that steps are solved with is as exact as their iteration needs. A functional is answered with it first, and then again for what
//! the balance itself leaves.

use super::balance_test::BalanceTest;
use super::nodes::OnSide;
use super::shift::{OnRod, Side, ad_transpose};
use super::velocities::Massive;
use super::{MotionCovector, StepTaken};
use crate::System;
use crate::constraints::Acting;
use crate::contribution::{Constraint, covector, push};
use crate::impulse::PointStep;
use crate::index::Node;
use crate::kind::each_constraint;
use crate::motion::MotionWorkspace;
use crate::node::Home;
use crate::rod::Carried;
use crate::value_change::Covector;
use lissome_lie::dual::DualVector;
use lissome_lie::{Twist, Wrench};
use nalgebra::Vector6;

/// Most answers to what the tangent left.
const MOST_ROUNDS: usize = 8;

impl System {
    /// A functional of small motions of the end, over all groups, as one of what the step asks of its end.
    pub(super) fn answered(
        &self,
        step: &StepTaken<'_>,
        rows: &[f64],
        nothing: &MotionCovector,
        passed: &[PointStep],
        work: &MotionWorkspace,
    ) -> Covector {
        let mut answer = self.functional(rows.to_vec(), &work.base);
        for _ in 0..MOST_ROUNDS {
            let test = self.balance_test(step, &answer, work);
            let mut left = self.on_end(step, nothing, &test, passed, work);
            // Columns of multipliers are exact in the tangent, and so are those of stresses on poses with unknowns of their own.
            let mut kept = vec![false; left.len()];
            for group in &self.layout.displacements {
                kept[self.layout.homes.rows(*group)].fill(true);
            }
            for ((left, wanted), kept) in left.iter_mut().zip(rows).zip(kept) {
                *left = if kept { *left + wanted } else { 0.0 };
            }
            self.add_stress_columns(step, &test, &mut left, work);
            let more = self.functional(left, &work.base);
            if answer.add(self, &more) {
                break;
            }
        }
        answer
    }

    /// What the tangent leaves in the columns of stresses: of a pose that follows others it takes the motion at the start for that at the end,
    /// carried along.
    fn add_stress_columns(&self, step: &StepTaken<'_>, test: &BalanceTest, left: &mut [f64], work: &MotionWorkspace) {
        let carried = |slot: usize| {
            let gone = work.before.poses[slot].inverse() * step.end.poses[slot];
            test.slots[1][slot] - gone.adjoint_twist(&test.slots[0][slot])
        };
        let apart: Vec<Twist> = (0..self.layout.sources.len()).map(carried).collect();
        for (i, rod, place) in self.moving_rods().filter(|(_, rod, _)| rod.strain_basis().is_none()) {
            let mut rates = vec![Vector6::zeros(); place.stress_count];
            rod.strain_rate(&work.rods[i].start, &apart[place.poses()], &mut rates);
            for (a, rate) in rates.iter().enumerate() {
                let row = rate * step.rule.force[0];
                self.layout.homes.spread_one(place.first_stress_node.after(a), &row, &[], left);
            }
        }
    }

    /// What a test of the balance has, by motions of the end, over all groups.
    fn on_end(
        &self,
        step: &StepTaken<'_>,
        nothing: &MotionCovector,
        test: &BalanceTest,
        passed: &[PointStep],
        work: &MotionWorkspace,
    ) -> Vec<f64> {
        let rule = step.rule;
        let homes = &self.layout.homes;
        let mut rows = vec![0.0; homes.all_rows()];
        // What is carried over from the start turns with its groups.
        for (slot, motion) in test.slots[0].iter().enumerate() {
            if let Home::Own(group) = homes.of(Node::new(slot)) {
                let carried: DualVector = Wrench::from_vector(&homes.read(group, &work.carried)).into();
                homes.add(group, &ad_transpose(motion, &carried).wrench().to_vector(), &mut rows);
            }
        }
        for joint in self.values.joints.iter().filter(|joint| !joint.subgroup.commutes) {
            if let Home::Own(group) = homes.of(joint.node) {
                let subspace = &joint.subgroup.subspace;
                let motion = Twist::from_vector(&(subspace * homes.read(group, &test.groups[0])));
                let bracket = subspace.tr_mul(&(motion.ad() * subspace));
                homes.add(group, &bracket.tr_mul(&homes.read(group, &work.carried)), &mut rows);
            }
        }

        // Points and bodies.
        let all = self.all_passing(step, passed, work);
        let [first, last] = test.impulses(rule.inertia, &all);
        let both: Vec<DualVector> = first.iter().zip(&last).map(|(a, b)| *a + *b).collect();
        let still = Massive::of_list(self, &vec![DualVector::zero(); both.len()]);
        let past = self.on_past(step, nothing, &Massive::of_list(self, &both), &still, passed, work);
        let points = past.iter().zip(&first).zip(&all);
        let poses: Vec<DualVector> = points
            .map(|((past, first), own)| past.moved[0] + ad_transpose(&first.twist(), &own.point.impulse))
            .collect();
        let mut poses = Massive::of_list(self, &poses);
        let held: Vec<DualVector> = all.iter().map(|own| own.point.impulse * rule.inertia[1]).collect();
        let held = Massive::of_list(self, &held);
        let mut on_rods = held.on_rods();
        let mut strain = vec![Vector6::zeros(); self.layout.stress_nodes.len()];
        for (i, rod, place) in self.moving_rods() {
            for (q, load) in work.base.line[i].iter().enumerate() {
                let load = load.evaluate(&work.rods[i].end.points[q].pose.rotation, 1.0);
                on_rods[i].points[q] += DualVector::from(load.wrench) * -rule.force[1];
                let turn = load.tangent.tr_mul(&test.massive[0].rods[i][q].twist().to_vector());
                poses.rods[i][q] += covector(&(turn * -rule.force[1]));
            }
            let nodes = (0..place.stress_count).map(|a| place.first_stress_node.after(a));
            let own: Vec<Vector6<f64>> = nodes.map(|node| homes.read_own(node, &test.groups[0])).collect();
            let to = &mut strain[place.stresses()];
            match rod.strain_basis() {
                Some(rod) => {
                    let weight = rule.force[0] + rule.force[1];
                    let step_of_rod = &work.rods[i];
                    let pairs = step_of_rod.known_strain.iter().zip(&step_of_rod.end_strain);
                    let middle: Vec<Vector6<f64>> = pairs.map(|(known, end)| known + end * rule.strain).collect();
                    let tension = place.carried(&step.end.linear).tension;
                    rod.stiffness_times(Carried { stress: &middle, tension }, &own, to);
                    let mut viscous = vec![Vector6::zeros(); own.len()];
                    rod.damping_times(&own, &mut viscous);
                    for (to, viscous) in to.iter_mut().zip(viscous) {
                        *to = *to * (weight * rule.strain) + viscous * (weight / rule.duration);
                    }
                }
                None => {
                    on_rods[i].stress = step.end.linear[place.stresses()].iter().map(|s| s * rule.force[1]).collect();
                    for (a, (to, own)) in to.iter_mut().zip(&own).enumerate() {
                        *to = match work.rods[i].gain.get(a) {
                            Some(gain) => gain.tr_mul(own),
                            None => own * rule.strain,
                        };
                    }
                }
            }
        }
        let mut slots = self.pulled_massive(Side::End, &poses, work);
        self.add_strain_rows(Side::End, &strain, &mut slots, &mut rows, work);
        let along = self.change_on_rods(Side::End, &step.end.poses, &test.slots[0], &on_rods, work);
        slots.iter_mut().zip(along).for_each(|(row, more)| *row += more);
        self.spread_slots(Side::End, &slots, work, &mut rows);
        self.add_nodes_of_end(step, test, (&on_rods, &held), &mut rows, work);
        rows
    }

    /// Forces, conditions and dampers at the end, and what turns with the nodes there.
    fn add_nodes_of_end(
        &self,
        step: &StepTaken<'_>,
        test: &BalanceTest,
        (on_rods, held): (&[OnRod], &Massive),
        rows: &mut [f64],
        work: &MotionWorkspace,
    ) {
        let mut on_nodes = self.nothing_on_nodes();
        on_nodes.set_slots(self.pulled(Side::End, on_rods, work));
        for (body, covector) in self.values.bodies.iter().zip(&held.bodies) {
            on_nodes.rows[body.slot] += *covector;
        }
        let mut nodes = vec![DualVector::zero(); self.layout.moving_nodes()];
        let on = OnSide { side: Side::End, step, test, work };
        self.add_forces(&on, &mut on_nodes.rows, &mut nodes);
        self.add_conditions(&on, &mut on_nodes.conditions, &mut nodes);
        self.add_dampings(&on, &mut on_nodes.dampers, &mut nodes);
        // Rows of the conditions themselves.
        let at = self.at(step.end, step.inputs);
        each_constraint!(self.values.kinds, |constraint| {
            if let Some(node) = constraint.multiplier().node {
                let condition = Acting::of(constraint, &at).condition;
                let own = self.layout.homes.read_own(node, &test.groups[0]);
                let acting = Vector6::from_fn(|i, _| if condition.active[i] { own[i] } else { 0.0 });
                constraint.jacobian(&at, &mut |node, j| {
                    if node.index() < nodes.len() {
                        push(&mut nodes, node, &j.tr_mul(&acting));
                    }
                });
            }
        });
        self.spread_slots(Side::End, &nodes, work, rows);
        let turned = self.change_on_nodes(step.end, step.inputs, &test.groups[0], false, &on_nodes);
        crate::assemble::add_to(&turned, rows);
    }
}
