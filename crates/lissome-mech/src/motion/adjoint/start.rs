//! What the balance of a step and what follows from it want of the start of the step.

use super::balance_test::BalanceTest;
use super::nodes::OnSide;
use super::points::{OnPast, OnPoint, Passing};
use super::shift::{OnRod, Side, ad_transpose, shape_of};
use super::velocities::Massive;
use super::{MotionCovector, StepTaken};
use crate::System;
use crate::contribution::covector;
use crate::impulse::{PointStep, Way, coadjoint};
use crate::index::{Node, Slot};
use crate::motion::MotionWorkspace;
use crate::motion::stage::points;
use crate::node::{Home, Term};
use crate::rod::Carried;
use crate::value_change::Covector;
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use nalgebra::Vector6;

impl System {
    /// All that has mass as the balance of the step has it, points of the rods first, then bodies.
    pub(super) fn passed_points(&self, step: &StepTaken<'_>, work: &MotionWorkspace) -> Vec<PointStep> {
        let list: Vec<PointStep> = points(work).copied().collect();
        self.all_passing(step, &list, work).into_iter().map(|own| own.passed().point).collect()
    }

    pub(super) fn all_passing<'a>(
        &'a self,
        step: &'a StepTaken<'_>,
        list: &[PointStep],
        work: &'a MotionWorkspace,
    ) -> Vec<Passing<'a>> {
        let length = self.values.scales.length;
        let mut rest = list.iter().copied();
        let mut all = Vec::with_capacity(list.len());
        for (rod, inertia) in work.rods.iter().zip(&work.inertia) {
            let places = rod.start.points.iter().zip(&rod.end.points).zip(&inertia.mass);
            for (((before, after), mass), point) in places.zip(rest.by_ref()) {
                let (before, after) = (&before.pose, &after.pose);
                all.push(Passing { rule: step.rule, mass, way: Way::Screw, before, after, point, length });
            }
        }
        for (body, point) in self.values.bodies.iter().zip(rest) {
            let (before, after) = (&work.before.poses[body.slot], &step.end.poses[body.slot]);
            all.push(Passing { rule: step.rule, mass: &body.mass, way: body.way(), before, after, point, length });
        }
        all
    }

    /// Functionals of all that has mass, by what they are of.
    pub(super) fn on_past(
        &self,
        step: &StepTaken<'_>,
        on: &MotionCovector,
        impulses: &Massive,
        momenta: &Massive,
        passed: &[PointStep],
        work: &MotionWorkspace,
    ) -> Vec<OnPast> {
        let ratio = ratio(step);
        let changes = on.velocity_change[0].iter().zip(&on.velocity_change[1]);
        let past = step.memory.velocity_change[0].iter();
        let all = self.all_passing(step, passed, work).into_iter();
        all.zip(impulses.all().zip(momenta.all()))
            .zip(changes.zip(past))
            .map(|((own, (impulse, momentum)), ((first, last), past))| {
                let earlier = *past * ratio;
                own.pull(&OnPoint { impulse: *impulse, momentum: *momentum, change: [*first, *last], earlier })
            })
            .collect()
    }

    /// Adds rows of strains: to those of slots, of strain coordinates to their own.
    pub(super) fn add_strain_rows(
        &self,
        side: Side,
        strain: &[Vector6<f64>],
        slots: &mut [DualVector],
        rows: &mut [f64],
        work: &MotionWorkspace,
    ) {
        for (i, rod, place) in self.moving_rods() {
            let own = &strain[place.stresses()];
            if rod.strain_basis().is_some() {
                for (a, row) in own.iter().enumerate() {
                    self.layout.homes.spread_one(place.first_stress_node.after(a), row, &[], rows);
                }
            } else {
                let shape = shape_of(side, &work.rods[i]);
                rod.add_stress_gradient(shape, own, 1.0, &mut slots[place.poses()]);
            }
        }
    }

    pub(super) fn balance_test(&self, step: &StepTaken<'_>, answer: &Covector, work: &MotionWorkspace) -> BalanceTest {
        let homes = &self.layout.homes;
        let at_end: Vec<f64> = answer.on_rows().iter().map(|x| -x).collect();
        let mut at_start = at_end.clone();
        for (slot, (from, to)) in work.before.poses.iter().zip(&step.end.poses).enumerate() {
            if let Home::Own(group) = homes.of(Node::new(slot)) {
                let moved = Twist::from_vector(&homes.read(group, &at_end));
                homes.write(group, &(from.inverse() * *to).adjoint_twist(&moved).to_vector(), &mut at_start);
            }
        }
        for joint in self.values.joints.iter().filter(|joint| !joint.subgroup.commutes) {
            if let Home::Own(group) = homes.of(joint.node) {
                let moved = self.joint_carry(joint, &work.before, step.end) * homes.read(group, &at_end);
                homes.write(group, &moved, &mut at_start);
            }
        }
        let all = || Slot::first(self.layout.sources.len());
        let of = |terms: &[Term], x: &[f64]| -> Vec<Twist> {
            all().map(|slot| Twist::from_vector(&homes.motion(slot.node(), terms, x))).collect()
        };
        let slots = [of(&work.base.terms, &at_end), of(&work.start_terms, &at_start)];
        let massive =
            [self.massive_motions(Side::End, &slots[0], work), self.massive_motions(Side::Start, &slots[1], work)];
        BalanceTest { groups: [at_end, at_start], slots, massive }
    }

    /// The functional of the start of a step.
    pub(super) fn on_start(
        &self,
        step: &StepTaken<'_>,
        on: &MotionCovector,
        answer: &Covector,
        momenta: &Massive,
        passed: &[PointStep],
        work: &MotionWorkspace,
    ) -> MotionCovector {
        let StepTaken { rule, recall, memory, .. } = *step;
        let test = self.balance_test(step, answer, work);
        let mut out = self.motion_covector();
        let (all, first) = (self.all_passing(step, passed, work), memory.last_step == 0.0);
        let (ratio, h) = (ratio(step), rule.step);

        // Points and bodies.
        let [first_part, last_part] = test.impulses(rule.inertia, &all);
        let impulses: Vec<DualVector> = first_part.iter().zip(&last_part).map(|(a, b)| *a + *b).collect();
        let past = self.on_past(step, on, &Massive::of_list(self, &impulses), momenta, passed, work);
        let part = 0.5 * rule.rate * h * recall.filter * ratio;
        let (mut poses, mut velocity, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for (k, ((own, past), test)) in all.iter().zip(&past).zip(test.massive[1].all()).enumerate() {
            let back = own.relative().inverse();
            let impulse = coadjoint(&back, &own.point.impulse) * rule.inertia[0];
            // The impulse belongs to the end: in the axes of the start it changes as they turn.
            poses.push(-coadjoint(&back, &(past.moved[0] + past.moved[1])) - ad_transpose(&test.twist(), &impulse));
            let mut of_velocity = past.velocity;
            if recall.reflects_velocity {
                of_velocity += past.known * (1.0 - rule.rate * h);
                out.velocity_change[0][k] += past.known * (4.0 * part);
                out.velocity_change[1][k] += -past.known * part;
            }
            out.velocity_change[0][k] += past.earlier * ratio;
            velocity.push(of_velocity);
            held.push(impulse);
        }
        let [mut poses, velocity, held] = [poses, velocity, held].map(|list| Massive::of_list(self, &list));

        // Strains, and loads along the rods.
        let strain = self.on_strains(step, on, &test.groups[0], &mut out, work);
        let mut on_rods: Vec<OnRod> =
            held.rods.iter().map(|points| OnRod { points: points.clone(), stress: Vec::new() }).collect();
        let mut rates: Vec<OnRod> =
            velocity.rods.iter().map(|points| OnRod { points: points.clone(), stress: Vec::new() }).collect();
        for (i, rod, place) in self.moving_rods() {
            for (q, load) in work.start_line[i].iter().enumerate() {
                let load = load.evaluate(&work.rods[i].start.points[q].pose.rotation, 1.0);
                on_rods[i].points[q] += DualVector::from(load.wrench) * -rule.force[0];
                let turn = load.tangent.tr_mul(&test.massive[1].rods[i][q].twist().to_vector());
                poses.rods[i][q] += covector(&(turn * -rule.force[0]));
            }
            if rod.strain_basis().is_none() {
                let stress = &step.end.linear[place.stresses()];
                on_rods[i].stress = stress.iter().map(|stress| stress * rule.force[0]).collect();
                if first {
                    rates[i].stress = strain.rates[place.stresses()].to_vec();
                }
            } else if let (true, Some(joint)) = (first, place.first_coordinate) {
                for (a, rate) in strain.rates[place.stresses()].iter().enumerate() {
                    out.joint_rates[joint.after(a)] += rate;
                }
            }
        }
        let mut slots = self.pulled_massive(Side::Start, &poses, work);
        self.add_strain_rows(Side::Start, &strain.start, &mut slots, &mut out.state, work);
        let mut velocities = self.pulled(Side::Start, &rates, work);
        for (body, covector) in self.values.bodies.iter().zip(&velocity.bodies) {
            velocities[body.slot] += *covector;
        }
        out.velocity = velocities;
        let start = &work.before.poses;
        let along_test = self.change_on_rods(Side::Start, start, &test.slots[1], &on_rods, work);
        let along_velocity = self.change_on_rods(Side::Start, start, step.velocity, &rates, work);
        for ((row, a), b) in slots.iter_mut().zip(along_test).zip(along_velocity) {
            *row += a + b;
        }
        self.spread_slots(Side::Start, &slots, work, &mut out.state);

        // Forces, conditions and dampers; what is on all nodes turns with them.
        let mut on_nodes = self.nothing_on_nodes();
        on_nodes.set_slots(self.pulled(Side::Start, &on_rods, work));
        for (body, covector) in self.values.bodies.iter().zip(&held.bodies) {
            on_nodes.rows[body.slot] += *covector;
        }
        let mut nodes = vec![DualVector::zero(); self.layout.moving_nodes()];
        let at = OnSide { side: Side::Start, step, test: &test, work };
        self.add_forces(&at, &mut on_nodes.rows, &mut nodes);
        self.add_conditions(&at, &mut on_nodes.conditions, &mut nodes);
        self.add_dampings(&at, &mut on_nodes.dampers, &mut nodes);
        self.spread_slots(Side::Start, &nodes, work, &mut out.state);
        let turned = self.change_on_nodes(&work.before, &work.start_inputs, &test.groups[1], true, &on_nodes);
        crate::assemble::add_to(&turned, &mut out.state);
        out
    }

    /// What the strains at the start have, their rates there, and what is remembered of them.
    fn on_strains(
        &self,
        step: &StepTaken<'_>,
        on: &MotionCovector,
        groups: &[f64],
        out: &mut MotionCovector,
        work: &MotionWorkspace,
    ) -> OnStrains {
        let StepTaken { rule, recall, memory, .. } = *step;
        let (ratio, h, first) = (ratio(step), rule.step, memory.last_step == 0.0);
        let zero = vec![Vector6::zeros(); self.layout.stress_nodes.len()];
        let mut all = OnStrains { start: zero.clone(), rates: zero };
        for (i, rod, place) in self.moving_rods() {
            let own = &work.rods[i];
            let nodes = (0..place.stress_count).map(|a| place.first_stress_node.after(a));
            let test: Vec<Vector6<f64>> = nodes.map(|node| self.layout.homes.read_own(node, groups)).collect();
            let mut known = test.clone();
            if let Some(rod) = rod.strain_basis() {
                let weight = rule.force[0] + rule.force[1];
                let pairs = own.known_strain.iter().zip(&own.end_strain);
                let middle: Vec<Vector6<f64>> = pairs.map(|(known, end)| known + end * rule.strain).collect();
                let tension = place.carried(&step.end.linear).tension;
                rod.stiffness_times(Carried { stress: &middle, tension }, &test, &mut known);
                known.iter_mut().for_each(|row| *row *= weight);
                let mut viscous = vec![Vector6::zeros(); test.len()];
                rod.damping_times(&test, &mut viscous);
                for (start, row) in all.start[place.stresses()].iter_mut().zip(viscous) {
                    *start -= row * (weight / rule.duration);
                }
            }
            for (a, block) in place.stresses().enumerate() {
                all.start[block] += known[a] * recall.start_strain - on.strain_change[0][block];
                if let Some(theta) = work.inertia[i].relaxation.get(a) {
                    all.start[block] -= theta.tr_mul(&known[a]) / rule.duration;
                }
                if first {
                    all.rates[block] = known[a] * (-1.5 * recall.filter * h) + on.strain_change[1][block] * h;
                } else {
                    let part = 0.5 * recall.filter * ratio;
                    out.strain_change[0][block] += known[a] * (-4.0 * part) + on.strain_change[1][block] * ratio;
                    out.strain_change[1][block] += known[a] * part;
                }
            }
        }
        all
    }
}

/// Functionals of strains.
struct OnStrains {
    /// Of those at the start.
    start: Vec<Vector6<f64>>,
    /// Of their rates there.
    rates: Vec<Vector6<f64>>,
}

/// How long the step is compared with the last.
fn ratio(step: &StepTaken<'_>) -> f64 {
    let last = step.memory.last_step;
    if last > 0.0 { step.rule.step / last } else { 1.0 }
}
