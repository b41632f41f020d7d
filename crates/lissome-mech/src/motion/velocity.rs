//! Velocities at the end of a step: M(Q)u + Cᵀν = momentum, C u = rate of the constraints.
//!
//! The unknowns are those of poses and joints, and one multiplier for every constraint, without the stresses: a matrix of
//! its own. What has mass is eliminated first, then multipliers, then what has none and owes its motion to constraints
//! (the joint of an articulated closure).

use super::sliding::Sliding;
use super::{MotionWorkspace, Rates, Velocities};
use crate::constraints::{Acting, Standing};
use crate::contribution::{Constraint, Force, push};
use crate::damping::Damper;
use crate::impulse::momentum;
use crate::index::{Block, Group, Node, Slot};
use crate::inputs::Inputs;
use crate::kind::contact::Contact;
use crate::kind::{each_constraint, each_damper, each_force};
use crate::near::{LEAN_GROWTH, MetPattern, Over};
use crate::node::{Home, Homes, Role, Term};
use crate::rod::RodStep;
use crate::sink::{BlockSink, HeldBlocks, NoTangent, NodeSink};
use crate::{State, System};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use lissome_sparse::FactorError;
use lissome_sparse::kkt::{Group as MatrixGroup, KktFactor, KktMatrix, Pattern, Role as PivotRole};
use nalgebra::{Matrix6, Vector6};

/// Part of 1/mass by which rows that may hold the same thing give way to an impulse: their speed is off by as much of itself.
const SHARED_IMPULSE: f64 = 1e-10;

/// The linear system of the velocities.
#[derive(Clone, Debug)]
pub struct VelocitySystem {
    pub(super) homes: Homes,
    /// Group here of each group of the system; `None` for stresses.
    pub(super) groups: Vec<Option<Group>>,
    pub(super) terms: Vec<Term>,
    matrix: KktMatrix,
    pub(super) factor: KktFactor,
    /// Without what is near adds, and with it.
    pattern: Pattern,
    met: MetPattern,
    /// Groups of the matrix that have mass.
    heavy: Vec<bool>,
    /// Rates of the prescribed groups, over all groups.
    rates: Vec<f64>,
    held: HeldBlocks,
    node_rows: Vec<Vector6<f64>>,
    pub(super) slot_rows: Vec<DualVector>,
    pub(super) solution: Vec<f64>,
    /// What the rows of each constraint ask for, by block of its multiplier.
    pub(super) wanted: Vec<WantedRates>,
    /// Contacts that slide.
    pub(super) sliding: Sliding,
}

/// What the rows of a constraint ask of the velocities.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WantedRates {
    /// Rows that hold.
    pub holds: [bool; 6],
    /// C u of those.
    pub rate: Vector6<f64>,
}

impl VelocitySystem {
    pub(crate) fn new(system: &System, terms: &[Term]) -> Self {
        let layout = &system.layout;
        let mut pattern = Pattern::new();
        let mut declared: Vec<MatrixGroup> = Vec::new();
        let mut groups: Vec<Option<Group>> = vec![None; layout.homes.free_groups().count()];
        for group in &layout.displacements {
            groups[*group] = Some(Group::new(declared.len()));
            declared.push(pattern.group(layout.homes.rows(*group).len(), PivotRole::Primal));
        }
        let of = |node: Node| -> Vec<MatrixGroup> {
            let own = |group: Group| groups.get(group.index()).copied().flatten().map(|group| declared[group]);
            match layout.homes.of(node) {
                Home::Fixed => Vec::new(),
                Home::Own(group) => own(group).into_iter().collect(),
                Home::Through { first, count } => {
                    terms[first..first + count].iter().filter_map(|term| own(term.group)).collect()
                }
            }
        };
        let mut heavy = vec![false; declared.len()];
        let mut couple_mass = |pattern: &mut Pattern, a: &[MatrixGroup], b: &[MatrixGroup]| {
            couple(pattern, a, b);
            a.iter().chain(b).for_each(|group| heavy[group.index()] = true);
        };
        for (rod, place) in system.values.rods.iter().zip(&layout.rods) {
            let node = |i: usize| place.first_pose.after(i).node();
            for i in 0..place.pose_count {
                for k in i.saturating_sub(rod.curve().degree())..=i {
                    couple_mass(&mut pattern, &of(node(i)), &of(node(k)));
                }
            }
        }
        for body in &system.values.bodies {
            let own = of(body.slot.node());
            couple_mass(&mut pattern, &own, &own);
        }
        let mut multipliers: Vec<(Node, MatrixGroup)> = Vec::new();
        each_constraint!(system.values.kinds, |constraint| {
            if let Some(node) = constraint.multiplier().node {
                let own = pattern.group(constraint.size(), PivotRole::Primal);
                multipliers.push((node, own));
                let mut nodes = Vec::new();
                if constraint.exerts() && constraint.stays() {
                    constraint.nodes(&mut |node| nodes.extend(of(node)));
                }
                couple(&mut pattern, &[own], &nodes);
                let any_heavy = nodes.iter().any(|group| heavy[group.index()]);
                for group in nodes {
                    if !any_heavy || heavy[group.index()] {
                        pattern.after(own, group);
                    } else {
                        pattern.after(group, own);
                    }
                }
            }
        });
        let displacements = declared.len();
        declared.extend(multipliers.iter().map(|(_, group)| *group));
        let held: Vec<usize> = layout.homes.held_groups().map(|group| layout.homes.rows(group).len()).collect();
        groups.extend((0..held.len()).map(|k| Some(Group::new(declared.len() + k))));
        let mut homes: Vec<Home> = layout
            .homes
            .all()
            .iter()
            .zip(&layout.roles)
            .map(|(home, role)| match *home {
                Home::Own(group) if role.is_motion() => groups[group].map_or(Home::Fixed, Home::Own),
                Home::Through { first, count } => Home::Through { first, count },
                _ => Home::Fixed,
            })
            .collect();
        for (k, (node, _)) in multipliers.iter().enumerate() {
            homes[*node] = Home::Own(Group::new(displacements + k));
        }
        let homes = Homes::new(homes, &pattern, &declared, &held);
        let rows = homes.all_rows();
        Self {
            groups,
            terms: terms.to_vec(),
            matrix: KktMatrix::new(&pattern),
            factor: KktFactor::new(&pattern).expect("what has mass, multipliers and what has none wait in this order"),
            pattern,
            met: MetPattern::default(),
            heavy,
            rates: vec![0.0; rows],
            // No row of a prescribed group is asked for.
            held: HeldBlocks::new(rows, Group::new(declared.len() + held.len())),
            node_rows: vec![Vector6::zeros(); layout.roles.len()],
            slot_rows: vec![DualVector::zero(); layout.sources.len()],
            solution: vec![0.0; rows],
            wanted: vec![WantedRates::default(); layout.block_nodes.len()],
            sliding: Sliding::new(system.values.kinds.contacts.len()),
            homes,
        }
    }

    /// y = M x; multipliers of x do not count.
    pub fn mass_times(&self, x: &[f64], y: &mut [f64]) {
        self.matrix.multiply(x, y);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.matrix.rows()
    }

    /// Forgets that care was needed.
    pub(super) fn trust(&mut self) {
        self.met.trust();
    }
}

fn couple(pattern: &mut Pattern, a: &[MatrixGroup], b: &[MatrixGroup]) {
    for a in a {
        for b in b {
            pattern.couple(*a, *b);
        }
    }
}

impl System {
    /// Velocities of slots and joints at the end of the step, from the momenta of its points, less `kick` times the
    /// forces at the end and less what the iteration left of the balance: what it missed is not lost.
    pub fn end_velocities(
        &self,
        kick: f64,
        end: &State,
        inputs: &Inputs,
        rates: &Rates<'_>,
        velocities: &mut Velocities<'_>,
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        let mut on = std::mem::take(&mut work.velocity.slot_rows);
        on.fill(DualVector::zero());
        for (i, rod, place) in self.moving_rods() {
            let (own, curve) = (place.poses(), rod.curve());
            let step = &mut work.rods[i];
            // The last evaluation of the step has left increments and poses of the points.
            step.end.psi.copy_from_slice(&step.psi);
            rod.complete_shape(None, &mut step.end);
            if rod.strain_basis().is_some() {
                step.end.strain.copy_from_slice(&step.end_strain);
            }
            curve.add_pulled(&step.end.points, |q| step.points[q].end_momentum, &mut on[own.clone()]);
            if kick != 0.0 {
                rod.add_stress_gradient(&step.end, &end.linear[place.stresses()], -kick, &mut on[own.clone()]);
                let line = &work.base.line[i];
                if !line.is_empty() {
                    let load = |q: usize| {
                        let rotation = &step.end.points[q].pose.rotation;
                        DualVector::from(line[q].wrench(rotation, 1.0)) * kick
                    };
                    curve.add_pulled(&step.end.points, load, &mut on[own]);
                }
            }
        }
        for (body, point) in self.values.bodies.iter().zip(&work.bodies) {
            on[body.slot] += point.end_momentum;
        }
        work.velocity.slot_rows = on;
        self.fill_kick(kick, end, inputs, work);
        self.want_rates(end, inputs, rates, true, work);
        self.solve_velocities(end, rates, true, velocities, work)?;
        if kick == 0.0 {
            self.brake(end, inputs, rates, velocities, work)?;
        }
        for (i, rod, place) in self.moving_rods() {
            let (RodStep { end, points, .. }, inertia) = (&mut work.rods[i], &work.inertia[i]);
            let own = &velocities.slots[place.poses()];
            rod.curve().velocities_at_points(&end.points, own, |q, eta| points[q].end(&inertia.mass[q], eta));
        }
        for (body, point) in self.values.bodies.iter().zip(&mut work.bodies) {
            point.end(&body.mass, velocities.slots[body.slot].into());
        }
        Ok(())
    }

    /// `kick` times the forces at a state, constraints that hold velocities left out: those find their own.
    fn fill_kick(&self, kick: f64, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) {
        let forces = &mut work.base.forces;
        forces.fill(DualVector::zero());
        if kick == 0.0 {
            return;
        }
        let at = self.at(end, inputs);
        each_force!(self.values.kinds, |force| {
            force.exert(&at, forces, &mut NoTangent);
        });
        each_constraint!(self.values.kinds, |constraint| {
            let acting = Acting::of(constraint, &at);
            if acting.condition.compliance != 0.0 && constraint.exerts() {
                constraint.jacobian(&at, &mut |node, j| push(forces, node, &-j.tr_mul(&acting.force)));
            }
        });
        let (before, duration) = (&work.before, work.duration);
        each_damper!(self.values.kinds, |damper| {
            let force = damper.resistance() * damper.travelled(before, end) / duration;
            if force != Vector6::zeros() {
                damper.jacobian(end, &mut |node, j| push(forces, node, &-j.tr_mul(&force)));
            }
        });
        for (place, step) in self.layout.rods.iter().zip(&work.rods) {
            for (a, stress) in step.coordinate_stress.iter().enumerate() {
                push(forces, place.first_stress_node.after(a), &-stress);
            }
        }
        forces.iter_mut().for_each(|force| *force = *force * kick);
    }

    /// What constraints that act ask of the velocities: rows that do not give way keep up with what drives them. At the end of a step
    /// they are what its last residual found.
    pub(super) fn want_rates(
        &self,
        state: &State,
        inputs: &Inputs,
        rates: &Rates<'_>,
        end: bool,
        work: &mut MotionWorkspace,
    ) {
        let nothing = Standing::default();
        let standing = if end { &work.standing[1] } else { &nothing };
        let at = self.at(state, inputs);
        let driven = rates.ahead != rates.behind;
        let (behind, ahead) = (self.at(state, rates.behind), self.at(state, rates.ahead));
        let wanted = &mut work.velocity.wanted;
        each_constraint!(self.values.kinds, |constraint| {
            let block = constraint.multiplier().block;
            let Acting { multiplier, condition, .. } = standing.acting(constraint, &at);
            let rigid = condition.compliance == 0.0;
            let mut rate = Vector6::zeros();
            if driven && rigid {
                let [before, after] = [&behind, &ahead].map(|at| constraint.open_like(at, &multiplier, &condition));
                rate = (before - after) / rates.apart;
            }
            wanted[block.index()] = WantedRates { holds: condition.active.map(|active| active && rigid), rate };
        });
    }

    /// Momentum of given velocities at the start of the step, on the slots; nothing kicks.
    pub(super) fn take_momentum(&self, velocities: &Velocities<'_>, work: &mut MotionWorkspace) {
        let mut on = std::mem::take(&mut work.velocity.slot_rows);
        on.fill(DualVector::zero());
        for (i, rod, place) in self.moving_rods() {
            let own = place.poses();
            let (RodStep { start, points, .. }, inertia) = (&mut work.rods[i], &work.inertia[i]);
            let see = |q: usize, eta| points[q].start(&inertia.mass[q], eta);
            rod.curve().velocities_at_points(&start.points, &velocities.slots[own.clone()], see);
            rod.curve().add_pulled(&start.points, |q| points[q].start_momentum, &mut on[own]);
        }
        for body in &self.values.bodies {
            on[body.slot] += momentum(&body.mass, &velocities.slots[body.slot].into());
        }
        work.velocity.slot_rows = on;
        work.base.forces.fill(DualVector::zero());
        work.base.right_hand_side.fill(0.0);
    }

    /// Lays the matrix out for what is near at a state.
    fn fit_velocities(&self, at: &State, standing: &Standing, matrix: &mut KktMatrix, own: &mut VelocitySystem) {
        let VelocitySystem { pattern, met, homes, terms, factor, heavy, wanted, .. } = own;
        let at = self.at(at, &self.values.nominal);
        let coupled = |contact: &Contact, visit: &mut dyn FnMut(Node, f64)| {
            let holds = wanted[contact.multiplier.block.index()].holds.contains(&true);
            match standing.is_near(contact) {
                // What is far need not be looked at again.
                Some(false) if !holds => {}
                // What slips freely between rods is held where it is nearest now.
                Some(_) if contact.friction.is_some() || !contact.slides() => {
                    standing.coupled_nodes(None, holds, contact, visit);
                }
                _ => contact.coupled_nodes(&at, holds, &mut |node| visit(node, 0.0)),
            }
        };
        let over = Over { homes, terms, heavy: Some(heavy), lean: true, coupled: &coupled };
        if let Some(pattern) = self.met_pattern(|| pattern.clone(), &over, met) {
            matrix.rebuild(pattern);
            factor.rebuild(pattern).expect("multipliers wait for what they act on, and nothing waits for them");
        }
    }

    /// Fills and factors the mass at one end of the step, with the rows of constraints.
    fn factor_mass(&self, at: &State, end: bool, work: &mut MotionWorkspace) -> Result<(), FactorError> {
        let result = self.factor_mass_in_order(at, end, work);
        let growth = work.velocity.factor.growth();
        match (result.is_err() || growth > LEAN_GROWTH) && self.has_obstacles() && work.velocity.met.take_care() {
            true => self.factor_mass_in_order(at, end, work),
            false => result,
        }
    }

    fn factor_mass_in_order(&self, at: &State, end: bool, work: &mut MotionWorkspace) -> Result<(), FactorError> {
        let mut system = std::mem::take(&mut work.velocity.matrix);
        system.clear();
        let mut held = std::mem::take(&mut work.velocity.held);
        held.clear();
        let own_terms = if end { &work.base.terms } else { &work.start_terms };
        let VelocitySystem { groups, terms, .. } = &mut work.velocity;
        for (to, from) in terms.iter_mut().zip(own_terms) {
            let group = groups[from.group].expect("only what moves or is prescribed carries a slot");
            *to = Term { group, jacobian: from.jacobian };
        }
        let nothing = Standing::default();
        let standing = if end { &work.standing[1] } else { &nothing };
        self.fit_velocities(at, standing, &mut system, &mut work.velocity);
        let mut kept = std::mem::take(&mut work.base.kept);
        let VelocitySystem { homes, terms, rates, wanted, .. } = &work.velocity;
        let mut sink = NodeSink {
            matrix: &mut system,
            homes,
            terms,
            steps: rates,
            held: &mut held,
            start: None,
            chains: &self.layout.chains,
            kept: &mut kept,
        };
        self.add_mass(end, work, &mut sink);
        let state = self.at(at, &self.values.nominal);
        // Velocities of what slips without friction are held where it is nearest; the step holds the points that it began with, and
        // tight knots would rattle by the difference.
        let slips_freely = |kept: Option<usize>| kept.is_some_and(|k| self.values.kinds.contacts[k].friction.is_none());
        each_constraint!(self.values.kinds, |constraint| {
            let multiplier = constraint.multiplier();
            if let Some(own) = multiplier.node {
                let holds = wanted[multiplier.block.index()].holds;
                if constraint.exerts() && (constraint.stays() || holds.contains(&true)) {
                    let mut add = |node: Node, jacobian: &Matrix6<f64>| {
                        let rows = Matrix6::from_fn(|i, j| if holds[i] { jacobian[(i, j)] } else { 0.0 });
                        sink.add_symmetric(own, node, &rows);
                    };
                    match slips_freely(constraint.kept_as()) {
                        true => constraint.jacobian(&state, &mut add),
                        false => standing.visit(constraint, &state, &mut add),
                    }
                }
                let shared = constraint.shared_mass().map_or(0.0, |mass| -SHARED_IMPULSE / mass);
                let lets_go = |i: usize| if holds[i] { shared } else { -1.0 };
                sink.add_symmetric(own, own, &Matrix6::from_diagonal(&Vector6::from_fn(|i, _| lets_go(i))));
            }
        });
        sink.finish();
        work.base.kept = kept;
        let result = system.factor_into(&mut work.velocity.factor).map(|_| ());
        work.velocity.matrix = system;
        work.velocity.held = held;
        result
    }

    /// Solves for velocities from the momenta of the slots in `slot_rows` and the kicks in `base.forces`.
    pub(super) fn solve_velocities(
        &self,
        at: &State,
        rates: &Rates<'_>,
        end: bool,
        velocities: &mut Velocities<'_>,
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        self.prescribe_rates(rates, work);
        self.factor_mass(at, end, work)?;
        self.solve_factored_velocities(velocities, work);
        Ok(())
    }

    /// The same with the mass that was factored last.
    pub(super) fn solve_factored_velocities(&self, velocities: &mut Velocities<'_>, work: &mut MotionWorkspace) {
        let system = &mut work.velocity;
        system.node_rows.fill(Vector6::zeros());
        for (row, force) in system.node_rows.iter_mut().zip(&work.base.forces) {
            *row = force.wrench().to_vector();
        }
        for (row, on) in system.node_rows.iter_mut().zip(&system.slot_rows) {
            *row += on.wrench().to_vector();
        }
        each_constraint!(self.values.kinds, |constraint| {
            let multiplier = constraint.multiplier();
            if let Some(own) = multiplier.node {
                let wanted = &system.wanted[multiplier.block.index()];
                let rate = |i: usize| if wanted.holds[i] { wanted.rate[i] } else { 0.0 };
                system.node_rows[own] = Vector6::from_fn(|i, _| rate(i));
            }
        });
        system.solution.fill(0.0);
        system.homes.spread(system.node_rows.iter().copied(), &system.terms, &mut system.solution);
        crate::assemble::add_to(&system.held.cost, &mut system.solution);
        // What the iteration left, unknown by unknown.
        for group in &self.layout.displacements {
            if let Some(own) = system.groups[*group] {
                let left = self.layout.homes.read(*group, &work.base.right_hand_side);
                system.homes.add(own, &left, &mut system.solution);
            }
        }
        let n = system.matrix.rows();
        system.factor.solve(&mut system.solution[..n]);
        system.solution[n..].copy_from_slice(&system.rates[n..]);
        for (slot, v) in velocities.slots.iter_mut().enumerate() {
            let moved = system.homes.motion(Slot::new(slot).node(), &system.terms, &system.solution);
            *v = Twist::from_vector(&moved);
        }
        for (joint, rate) in self.values.joints.iter().zip(velocities.joints.iter_mut()) {
            *rate = system.homes.read_own(joint.node, &system.solution);
        }
    }

    /// Rates of driven joints; gaps stay closed.
    fn prescribe_rates(&self, rates: &Rates<'_>, work: &mut MotionWorkspace) {
        let VelocitySystem { homes, rates: prescribed, .. } = &mut work.velocity;
        prescribed.fill(0.0);
        if rates.ahead == rates.behind {
            return;
        }
        for joint in &self.values.joints {
            if let (Some(behind), Some(ahead), Home::Own(group)) =
                (joint.driven_to(rates.behind), joint.driven_to(rates.ahead), homes.of(joint.node))
            {
                let rate = joint.subgroup.travelled(&behind, &ahead) / rates.apart;
                homes.write(group, &rate, prescribed);
            }
        }
    }

    /// Impulse ν of each row of the constraint with this multiplier in the last solve.
    pub(super) fn impulse_of(&self, block: Block, work: &MotionWorkspace) -> Vector6<f64> {
        let node = self.layout.block_nodes[block];
        node.map_or(Vector6::zeros(), |node| work.velocity.homes.read_own(node, &work.velocity.solution))
    }

    /// Mass at the start of the step, factored. Returns the number of rows of its vectors.
    pub fn prepare_mass(&self, work: &mut MotionWorkspace) -> Result<usize, FactorError> {
        let (before, inputs) = (work.before.clone(), work.start_inputs.clone());
        let still = Rates { behind: &inputs, ahead: &inputs, apart: 1.0 };
        self.want_rates(&before, &inputs, &still, false, work);
        work.velocity.rates.fill(0.0);
        self.factor_mass(&before, false, work)?;
        Ok(work.velocity.rows())
    }

    /// y = M x at the start of the step.
    pub fn mass_times(&self, x: &[f64], y: &mut [f64], work: &MotionWorkspace) {
        work.velocity.mass_times(x, y);
    }

    /// K x on the strain coordinates of every rod that has some, at a state.
    fn elastic_rows_of_coordinates(
        &self,
        x: &[f64],
        state: &State,
        system: &VelocitySystem,
    ) -> Vec<(Group, Vector6<f64>)> {
        let mut rows = Vec::new();
        for (rod, place) in self.values.rods.iter().zip(&self.layout.rods) {
            let Some(rod) = rod.strain_basis() else { continue };
            let nodes = || (0..place.stress_count).map(|a| place.first_stress_node.after(a));
            let own: Vec<Vector6<f64>> = nodes().map(|node| system.homes.read_own(node, x)).collect();
            let mut force = vec![Vector6::zeros(); own.len()];
            rod.stiffness_times(place.carried(&state.linear), &own, &mut force);
            for (node, force) in nodes().zip(force) {
                if let Home::Own(group) = system.homes.of(node) {
                    rows.push((group, force));
                }
            }
        }
        rows
    }

    /// y = M⁻¹ AᵀM⁻¹A x over the displacements, constraints held, at the start of the step.
    pub fn elastic_acceleration(
        &self,
        x: &[f64],
        y: &mut [f64],
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        let mut velocity = std::mem::take(&mut work.base.step.poses);
        let system = &mut work.velocity;
        system.solution.fill(0.0);
        system.solution[..x.len()].copy_from_slice(x);
        for (slot, v) in velocity.iter_mut().enumerate() {
            *v = Twist::from_vector(&system.homes.motion(Slot::new(slot).node(), &system.terms, &system.solution));
        }
        system.slot_rows.fill(DualVector::zero());
        for (i, rod, place) in self.moving_rods() {
            let own = place.poses();
            if rod.strain_basis().is_some() {
                continue;
            }
            let stress = &mut work.base.step.linear[place.stresses()];
            let RodStep { start, compliance, .. } = &mut work.rods[i];
            rod.strain_rate(start, &velocity[own.clone()], stress);
            rod.solve_compliance(compliance, stress)?;
            rod.add_stress_gradient(start, stress, 1.0, &mut system.slot_rows[own]);
        }
        work.base.step.poses = velocity;
        let coordinates: Vec<(Group, Vector6<f64>)> =
            self.elastic_rows_of_coordinates(&system.solution, &work.before, system);
        system.solution.fill(0.0);
        let rows = system.slot_rows.iter().map(|on| on.wrench().to_vector());
        system.homes.spread(rows, &system.terms, &mut system.solution);
        for (group, row) in &coordinates {
            system.homes.add(*group, row, &mut system.solution);
        }
        y.copy_from_slice(&system.solution[..y.len()]);
        system.factor.solve(y);
        for (home, role) in system.homes.all().iter().zip(&self.layout.roles) {
            // Multipliers are no displacement.
            if let (Home::Own(group), Role::Multiplier) = (home, role) {
                y[system.homes.rows(*group)].fill(0.0);
            }
        }
        Ok(())
    }
}
