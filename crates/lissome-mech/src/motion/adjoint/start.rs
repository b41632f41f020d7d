//! What the balance of a step and what follows from it want of the start of the step.

use super::points::{OnPast, OnPoint, Passing};
use super::shift::{OnRod, PLACES, Side, WAY, ad_transpose};
use super::velocities::Massive;
use super::{MotionCovector, StepTaken};
use crate::constraints::Acting;
use crate::contribution::{Constraint, Force, covector, push};
use crate::damping::Damper;
use crate::impulse::{PointStep, Way, coadjoint};
use crate::index::{Node, Slot};
use crate::kind::{each_constraint, each_damper, each_force};
use crate::motion::MotionWorkspace;
use crate::motion::balance::damping_weights;
use crate::motion::stage::points;
use crate::node::Home;
use crate::rod::Carried;
use crate::sink::BlockSink;
use crate::value_change::Covector;
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

/// A test of the balance: motions at both ends.
struct BalanceTest {
    /// Over all groups, at the end and at the start.
    groups: [Vec<f64>; 2],
    slots: [Vec<Twist>; 2],
    massive: [Massive; 2],
}

impl System {
    /// All that has mass as the balance of the step has it, points of the rods first, then bodies.
    pub(super) fn passed_points(&self, step: &StepTaken<'_>, work: &MotionWorkspace) -> Vec<PointStep> {
        let list: Vec<PointStep> = points(work).copied().collect();
        self.all_passing(step, &list, work).into_iter().map(|own| own.passed().point).collect()
    }

    fn all_passing<'a>(&'a self, step: &'a StepTaken<'_>, list: &[PointStep], work: &'a MotionWorkspace) -> Vec<Passing<'a>> {
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
                let shape = super::shift::shape_of(side, &work.rods[i]);
                rod.add_stress_gradient(shape, own, 1.0, &mut slots[place.poses()]);
            }
        }
    }

    fn balance_test(&self, step: &StepTaken<'_>, answer: &Covector, work: &MotionWorkspace) -> BalanceTest {
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
        let of = |terms: &[crate::node::Term], x: &[f64]| -> Vec<Twist> {
            all().map(|slot| Twist::from_vector(&homes.motion(slot.node(), terms, x))).collect()
        };
        let slots = [of(&work.base.terms, &at_end), of(&work.start_terms, &at_start)];
        let massive = [
            self.massive_motions(Side::End, &slots[0], work),
            self.massive_motions(Side::Start, &slots[1], work),
        ];
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
        work: &mut MotionWorkspace,
    ) -> MotionCovector {
        let StepTaken { rule, recall, memory, .. } = *step;
        let test = self.balance_test(step, answer, work);
        let mut out = self.motion_covector();
        let (all, first) = (self.all_passing(step, passed, work), memory.last_step == 0.0);
        let (ratio, h) = (ratio(step), rule.step);

        // Points and bodies.
        let tests = test.massive[0].all().zip(test.massive[1].all()).zip(&all);
        let impulses: Vec<DualVector> = tests
            .map(|((end, start), own)| {
                let back = own.relative().inverse().adjoint_twist(&start.twist());
                *end * rule.inertia[1] + DualVector::from(back) * rule.inertia[0]
            })
            .collect();
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
        let mut on_rods: Vec<OnRod> = held.rods.iter().map(|points| OnRod { points: points.clone(), stress: Vec::new() }).collect();
        let mut rates: Vec<OnRod> = velocity.rods.iter().map(|points| OnRod { points: points.clone(), stress: Vec::new() }).collect();
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
        self.add_forces(step, &test, &mut on_nodes.rows, &mut nodes, work);
        self.add_conditions(step, &test, &mut on_nodes.conditions, &mut nodes, work);
        self.add_damper_rows(step, &test, &mut on_nodes.dampers, &mut nodes, work);
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

    /// Forces at the start.
    fn add_forces(
        &self,
        step: &StepTaken<'_>,
        test: &BalanceTest,
        held: &mut [DualVector],
        rows: &mut [DualVector],
        work: &MotionWorkspace,
    ) {
        let weight = step.rule.force[0];
        if weight == 0.0 {
            return;
        }
        for (held, force) in held.iter_mut().zip(&work.start_forces) {
            *held += *force * -weight;
        }
        let tests = self.tests_of_nodes(test);
        let (at, mut unused) = (self.at(&work.before, &work.start_inputs), rows.to_vec());
        let mut sink = Transposed { test: &tests, rows, factor: weight };
        each_force!(self.values.kinds, |force| {
            force.exert(&at, &mut unused, &mut sink);
        });
        // Second derivatives are told in exponential coordinates: the rows themselves turn by half a bracket.
        for (slot, motion) in test.slots[1].iter().enumerate() {
            rows[slot] += ad_transpose(motion, &work.start_forces[slot]) * (0.5 * weight);
        }
        for joint in self.values.joints.iter().filter(|joint| !joint.subgroup.commutes) {
            let subspace = &joint.subgroup.subspace;
            let motion = Twist::from_vector(&(subspace * tests[joint.node]));
            let bracket = subspace.tr_mul(&(motion.ad() * subspace));
            let force = work.start_forces[joint.node].wrench().to_vector();
            push(rows, joint.node, &(bracket.tr_mul(&force) * (0.5 * weight)));
        }
    }

    /// Motions of all nodes at the start of the step.
    fn tests_of_nodes(&self, test: &BalanceTest) -> Vec<Vector6<f64>> {
        let mut all: Vec<Vector6<f64>> = test.slots[1].iter().map(|motion| motion.to_vector()).collect();
        let rest = (all.len()..self.layout.roles.len()).map(Node::new);
        all.extend(rest.map(|node| self.layout.homes.read_own(node, &test.groups[1])));
        all
    }

    /// Forces of constraints at the start: multipliers are those of the end.
    fn add_conditions(
        &self,
        step: &StepTaken<'_>,
        test: &BalanceTest,
        held: &mut [Vector6<f64>],
        rows: &mut [DualVector],
        work: &MotionWorkspace,
    ) {
        let weight = step.rule.force[0];
        if weight == 0.0 {
            return;
        }
        let tests = self.tests_of_nodes(test);
        let (start, end) = (self.at(&work.before, &work.start_inputs), self.at(step.end, step.inputs));
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { condition, force, .. } = Acting::of(constraint, &end);
            let mut force = condition.acting(&force);
            let block = constraint.multiplier().block;
            if let Some(penalty) = constraint.penalty().filter(|_| constraint.exerts()) {
                let multiplier = end.state.block(block);
                let open = constraint.open_like(&start, multiplier, &condition);
                force = condition.acting(&(multiplier + open.component_mul(&penalty)));
                let mut moved = Vector6::zeros();
                constraint.jacobian(&start, &mut |node, j| moved += j * tests[node]);
                let stiff = condition.acting(&moved.component_mul(&penalty)) * weight;
                constraint.jacobian(&start, &mut |node, j| push(rows, node, &j.tr_mul(&stiff)));
            }
            held[block] = force * weight;
        });
    }

    /// Dampers, by the Jacobians at the start and by what they went through.
    fn add_damper_rows(
        &self,
        step: &StepTaken<'_>,
        test: &BalanceTest,
        held: &mut Vec<Vector6<f64>>,
        rows: &mut [DualVector],
        work: &MotionWorkspace,
    ) {
        let [at_first, at_last] = damping_weights(step.rule);
        let at_start = self.tests_of_nodes(test);
        let homes = &self.layout.homes;
        let motion = |node: Node| match node.index() < test.slots[0].len() {
            true => test.slots[0][node.index()].to_vector(),
            false => homes.read_own(node, &test.groups[0]),
        };
        let mut before: State = work.before.clone();
        each_damper!(self.values.kinds, |damper| {
            let resistance = damper.resistance();
            held.push(resistance * damper.travelled(&before, step.end) * at_first);
            if resistance == Matrix6::zeros() {
                continue;
            }
            let (mut rate, mut nodes) = (Vector6::zeros(), Vec::new());
            damper.jacobian(&before, &mut |node, j| {
                rate += j * at_start[node] * at_first;
                if !nodes.contains(&node) {
                    nodes.push(node);
                }
            });
            damper.jacobian(step.end, &mut |node, j| rate += j * motion(node) * at_last);
            let wanted = resistance * rate;
            for node in nodes {
                let row = self.travelled_by(node, &mut before, |before| wanted.dot(&damper.travelled(before, step.end)));
                push(rows, node, &row);
            }
        });
    }

    /// How a number changes with small motions of a node, by differences.
    fn travelled_by(&self, node: Node, state: &mut State, number: impl Fn(&State) -> f64) -> Vector6<f64> {
        let length = self.values.scales.length;
        let joint = self.values.joints.iter().find(|joint| joint.node == node);
        Vector6::from_fn(|i, _| {
            let way = if i < 3 { WAY } else { WAY * length };
            PLACES.iter().fold(0.0, |sum, (at, weight)| {
                let step = Vector6::ith(i, at * way);
                let value = match joint {
                    Some(joint) if i >= joint.subgroup.freedom => return 0.0,
                    Some(joint) => {
                        let kept = *state.joint(joint.index);
                        state.joints[joint.index] = joint.subgroup.moved(&kept, &step);
                        let value = number(state);
                        state.joints[joint.index] = kept;
                        value
                    }
                    None => {
                        let kept = state.poses[node.index()];
                        state.poses[node.index()] = kept.boxplus(&Twist::from_vector(&step));
                        let value = number(state);
                        state.poses[node.index()] = kept;
                        value
                    }
                };
                sum + weight * value / way
            })
        })
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
