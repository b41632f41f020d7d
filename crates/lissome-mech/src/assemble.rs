//! Filling the linear system of one Newton iteration.
//!
//! ```text
//! [ G   Aᵀ        ] [ δ  ]     [ Aᵀβ − W ]
//! [ A  −M/(1 + μ) ] [ Δβ ] = − [ b − Mβ  ]
//! ```
//!
//! G is the geometric stiffness of the stresses β and of the forces W; μ shifts the condensed matrix by μ AᵀM⁻¹A.
//! With β = M⁻¹b it is Newton on the potential; with β carried along independently it is Newton on the mixed
//! functional. In the displacement form the stress is condensed at each quadrature point. Constraints add rows of their
//! own.

use crate::constraints::{Sharing, Standing};
use crate::contribution::{Force, Scales};
use crate::frozen_load::FrozenLoad;
use crate::index::{Group, RodIndex, Slot};
use crate::inputs::Inputs;
use crate::kind::each_force;
use crate::load::SectionLoad;
use crate::node::{Home, Term};
use crate::rod::curve::line_load::OnSpan;
use crate::rod::{Rod, RodNodes, RodScratch};
use crate::sink::{BlockSink, GroupMatrix, NoTangent, NodeSink};
use crate::{State, System, Workspace};
use lissome_lie::Pose;
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix6, Vector6};

/// Whose second derivative enters the tangent: it decides which retraction the step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurvatureOf {
    /// Step in exponential coordinates of the poses, [`System::retract_poses`].
    Poses,
    /// Step in the increments, [`System::retract_increments`].
    Increments,
}

/// How far a state is from equilibrium.
#[derive(Clone, Copy, Debug, Default)]
pub struct Residual {
    /// Largest unbalanced wrench: force over F, moment over F L, with F the larger of the loads and EI/L² of the rod.
    pub balance: f64,
    /// Largest misfit of strain and stress, and of constraints, in the units of a scaled step.
    pub misfit: f64,
}

/// What a workspace holds of an evaluation already.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<'a> {
    /// Of each rod.
    pub rods: &'a [KnownRod],
    /// How slots move with what carries them.
    pub terms: bool,
}

/// What a workspace holds of a rod, each with all that stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Held {
    /// Nothing.
    Nothing,
    /// Its shape.
    Shape,
    /// What its stresses exert in that shape.
    Gradient,
    /// How far its strains are from those of its stresses.
    Misfit,
}

/// What is known of a rod in one state.
#[derive(Clone, Debug)]
pub(crate) struct KnownRod {
    /// What a workspace holds of it.
    pub held: Held,
    /// ξ at its points.
    pub strains: Vec<DualVector>,
    /// True if it lies there to the last digit, with the same points.
    pub lies: bool,
    /// Loads along it.
    pub line: Vec<SectionLoad>,
    /// What they do to the poses of each span where it lies.
    pub on_spans: Vec<OnSpan>,
}

impl KnownRod {
    /// Of a rod that was evaluated last in a workspace, at these poses.
    pub fn of(rod: &Rod, poses: &[Pose], scratch: &RodScratch, line: &[SectionLoad]) -> Self {
        let curve = rod.curve();
        Self {
            held: Held::Misfit,
            strains: curve.point_strains(&scratch.psi),
            lies: true,
            line: line.to_vec(),
            on_spans: curve.line_loads_on_spans(line, poses, &scratch.psi),
        }
    }
}

impl System {
    /// Fills the tangent and the right-hand side at `state` with its own stresses.
    pub fn assemble(&self, state: &State, inputs: &Inputs, curvature: CurvatureOf, work: &mut Workspace) -> Residual {
        work.shift = 0.0;
        work.inputs.copy_from(inputs);
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            let scratch = &mut work.scratch[i];
            rod.fill_increments(&state.poses[place.poses()], scratch);
            rod.fill_tangent(place.carried(&state.linear), scratch);
            work.maps[i].fill(&scratch.psi);
            for (kept, psi) in work.increments[i].iter_mut().zip(&scratch.psi) {
                kept.0 = *psi;
            }
        }
        self.fill_line_loads(inputs, &mut work.line);
        self.fill_terms(state, &mut work.terms);
        self.fill_gap_steps(&self.at(state, inputs), &mut work.steps);
        self.fit_near(state, inputs, work);
        match work.general.take() {
            Some((mut matrix, factor)) => {
                matrix.clear();
                self.write_tangent(state, inputs, curvature, work, &mut matrix);
                work.general = Some((matrix, factor));
            }
            None => {
                let mut matrix = std::mem::take(&mut work.symmetric);
                matrix.clear();
                self.write_tangent(state, inputs, curvature, work, &mut matrix);
                work.symmetric = matrix;
            }
        }
        self.freeze_line_loads(state, work);
        self.fill_right_hand_side(state, inputs, work)
    }

    /// Residual at `state` without its tangent; what [`System::reaction`] needs.
    pub fn evaluate(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> Residual {
        self.evaluate_forces(state, inputs, &Known::default(), work);
        self.fill_right_hand_side(state, inputs, work)
    }

    /// The rows of that alone, where the workspace holds some of it already.
    pub(crate) fn evaluate_rows(&self, state: &State, inputs: &Inputs, known: &Known<'_>, work: &mut Workspace) {
        self.evaluate_forces(state, inputs, known, work);
        self.fill_rows(state, inputs, work);
    }

    fn evaluate_forces(&self, state: &State, inputs: &Inputs, known: &Known<'_>, work: &mut Workspace) {
        let rods = self.values.rods.iter().zip(&self.layout.rods).enumerate();
        for (i, (rod, place)) in rods {
            let scratch = &mut work.scratch[i];
            let (known, carried) = (known.rods.get(i), place.carried(&state.linear));
            let held = known.map_or(Held::Nothing, |known| known.held);
            if held < Held::Shape {
                rod.fill_increments(&state.poses[place.poses()], scratch);
                work.maps[i].fill(&scratch.psi);
            }
            match known {
                _ if held == Held::Misfit => {}
                Some(known) if held == Held::Gradient => rod.fill_misfit(carried, &known.strains, scratch),
                _ => rod.fill_gradient(carried, scratch),
            }
        }
        self.fill_line_loads(inputs, &mut work.line);
        if !known.terms {
            self.fill_terms(state, &mut work.terms);
        }
        work.held.clear();
        self.write_forces(state, inputs, known, work, &mut NoTangent);
    }

    /// Writes the tangent into a matrix, and what prescribed steps cost into `work.held`.
    pub(crate) fn write_tangent<M: GroupMatrix>(
        &self,
        state: &State,
        inputs: &Inputs,
        curvature: CurvatureOf,
        work: &mut Workspace,
        matrix: &mut M,
    ) {
        let (terms, steps) = (std::mem::take(&mut work.terms), std::mem::take(&mut work.steps));
        let mut held = std::mem::take(&mut work.held);
        held.clear();
        let mut kept = std::mem::take(&mut work.kept);
        let (homes, chains) = (&self.layout.homes, &self.layout.chains);
        let mut sink = NodeSink {
            matrix,
            homes,
            terms: &terms,
            steps: &steps,
            held: &mut held,
            start: None,
            chains,
            kept: &mut kept,
        };
        self.write_forces(state, inputs, &Known::default(), work, &mut sink);
        self.gather_gradient(state, curvature, work);
        self.write_elastic(work, &mut sink);
        let load = |slot: Slot| work.total[slot];
        self.add_motion_curvature(load, &terms, |row, column, block| sink.add_pair(row, column, block));
        sink.finish();
        work.terms = terms;
        work.steps = steps;
        work.held = held;
        work.kept = kept;
    }

    /// Every force on its node, and −∂W in the tangent; constraints.
    fn write_forces(
        &self,
        state: &State,
        inputs: &Inputs,
        known: &Known<'_>,
        work: &mut Workspace,
        sink: &mut dyn BlockSink,
    ) {
        let Workspace { scratch, forces, line, .. } = work;
        forces.fill(DualVector::zero());
        let at = self.at(state, inputs);
        each_force!(self.values.kinds, |force| {
            force.exert(&at, forces, sink);
        });
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            let own = place.poses();
            let (poses, psi) = (&state.poses[own.clone()], &scratch[i].psi);
            match known.rods.get(i).filter(|known| known.lies && known.line == line[i]) {
                Some(known) => rod.curve().add_loads_on_spans(&known.on_spans, &mut forces[own]),
                None => {
                    let nodes = self.rod_nodes(RodIndex::new(i));
                    rod.curve().add_line_loads(&line[i], poses, psi, &mut forces[own], &nodes, sink);
                }
            }
        }
        self.add_constraints(&at, Sharing::On, &Standing::default(), forces, sink);
    }

    /// What acts on everything that moves with a slot, and λ of every rod. In exponential coordinates of the poses a rod with
    /// poses of its own hands nothing on: its stress holds what loads it, and the sum of both counts.
    fn gather_gradient(&self, state: &State, curvature: CurvatureOf, work: &mut Workspace) {
        let mut total = std::mem::take(&mut work.total);
        match curvature {
            CurvatureOf::Increments => total.copy_from_slice(&work.forces[..self.layout.sources.len()]),
            CurvatureOf::Poses => {
                for (slot, total) in total.iter_mut().enumerate() {
                    *total = -self.open_wrench(Slot::new(slot), work);
                }
            }
        }
        let Workspace { scratch, lambda, .. } = work;
        self.gather_loads(state, &mut total, |i, own| {
            let rod = &self.values.rods[i];
            if curvature == CurvatureOf::Increments || rod.strain_basis().is_some() {
                return rod.curve().sweep_loads(&scratch[i].psi, own, &mut lambda[i]);
            }
            lambda[i].copy_from_slice(&scratch[i].gradient);
            DualVector::zero()
        });
        work.total = total;
    }

    fn write_elastic(&self, work: &mut Workspace, sink: &mut dyn BlockSink) {
        let Workspace { scratch, maps, lambda, .. } = work;
        for (i, rod) in self.values.rods.iter().enumerate() {
            let nodes = self.rod_nodes(RodIndex::new(i));
            rod.add_tangent(&scratch[i], &maps[i], &lambda[i], &nodes, sink);
            rod.add_compliance(&scratch[i], -1.0, &nodes, sink);
        }
    }

    /// Second derivative of poses that follow through a joint: z = a + b + ½ [a, b], a the motion of what carries it, whose own
    /// second derivative counts there, and b that of the joint; against the load on all that moves with the pose.
    pub(crate) fn add_motion_curvature(
        &self,
        load: impl Fn(Slot) -> DualVector,
        terms: &[Term],
        mut add: impl FnMut(Group, Group, &Matrix6<f64>),
    ) {
        for slot in self.layout.branching.iter() {
            let Home::Through { first, count } = self.layout.homes.of(slot.node()) else { continue };
            let own = &terms[first + count - 1];
            let right = load(*slot).skew().covector_map() * 0.5 * own.jacobian;
            for term in &terms[first..first + count - 1] {
                add(term.group, own.group, &term.jacobian.tr_mul(&right));
            }
        }
    }

    /// Shifts the assembled matrix: its condensed form becomes K + μ K_mat, K_mat the stiffness without stress and
    /// load. Cheap: only the stress blocks change (and the material blocks of displacement rods, and the joints).
    pub fn shift_to(&self, mu: f64, work: &mut Workspace) {
        if mu == work.shift {
            return;
        }
        match work.general.take() {
            Some((mut matrix, factor)) => {
                self.write_shift(mu, work, &mut matrix);
                work.general = Some((matrix, factor));
            }
            None => {
                let mut matrix = std::mem::take(&mut work.symmetric);
                self.write_shift(mu, work, &mut matrix);
                work.symmetric = matrix;
            }
        }
        work.shift = mu;
    }

    fn write_shift<M: GroupMatrix>(&self, mu: f64, work: &mut Workspace, matrix: &mut M) {
        let from = work.shift;
        let Workspace { scratch, maps, terms, steps, held, kept, .. } = work;
        held.cost.fill(0.0);
        let (homes, chains) = (&self.layout.homes, &self.layout.chains);
        let mut sink = NodeSink { matrix, homes, terms, steps, held, start: None, chains, kept };
        for (i, rod) in self.values.rods.iter().enumerate() {
            rod.add_shift(&scratch[i], &maps[i], from, mu, &self.rod_nodes(RodIndex::new(i)), &mut sink);
        }
        for (group, stiffness) in self.nominal_stiffness() {
            let own = Matrix6::from_diagonal(&(stiffness * (mu - work.shift)));
            sink.matrix.add_block(group, group, &own);
        }
        sink.finish();
        add_to(&work.held.cost, &mut work.right_hand_side);
    }

    /// Groups that count as having a stiffness where only rods have one: joints, and bodies that nothing else holds.
    pub(crate) fn nominal_stiffness(&self) -> impl Iterator<Item = (Group, Vector6<f64>)> + '_ {
        let Scales { force, length } = self.values.scales;
        let joints = self.values.joints.iter().filter(|joint| joint.strain_of.is_none()).filter_map(move |joint| {
            Some((self.layout.own_group(joint.node)?, joint.subgroup.stiffness_scale(&Scales { force, length })))
        });
        let (turn, shift) = (force * length, force / length);
        let body = Vector6::new(turn, turn, turn, shift, shift, shift);
        joints.chain(self.layout.loose_bodies.iter().map(move |group| (*group, body)))
    }

    /// Loads along each rod with their factors.
    pub(crate) fn fill_line_loads(&self, inputs: &Inputs, line: &mut [Vec<SectionLoad>]) {
        for (sum, lines) in line.iter_mut().zip(&self.values.line_loads) {
            sum.fill(SectionLoad::default());
            for own in lines {
                let factor = inputs.acting(own.scaled_by);
                for (sum, load) in sum.iter_mut().zip(&own.at_points) {
                    sum.add(&load.scaled(factor));
                }
            }
        }
    }

    /// Keeps the loads along the rods as they are at this state, for judging steps.
    fn freeze_line_loads(&self, state: &State, work: &mut Workspace) {
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            let frozen = &mut work.frozen_points[i];
            frozen.clear();
            let (own, psi) = (&state.poses[place.poses()], &work.scratch[i].psi);
            let pose = |q: usize| rod.curve().point_pose(q, own, psi);
            frozen.extend(work.line[i].iter().enumerate().map(|(q, load)| FrozenLoad::at(load, || pose(q).rotation)));
        }
    }

    /// Gradient of the potential at a slot: what its rod's stress exerts less what loads it.
    pub(crate) fn open_wrench(&self, slot: Slot, work: &Workspace) -> DualVector {
        match self.layout.rod_of(slot) {
            Some((rod, local)) => work.maps[rod].pull_back(&work.scratch[rod].gradient, local) - work.forces[slot],
            None => -work.forces[slot],
        }
    }

    fn fill_right_hand_side(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> Residual {
        let misfit = self.fill_rows(state, inputs, work);
        let mut residual = Residual { balance: self.balance(work), misfit };
        for (rod, scratch) in self.values.rods.iter().zip(&work.scratch) {
            if !rod.has_independent_stress() {
                continue;
            }
            if !scratch.resolved {
                residual.misfit = f64::INFINITY;
            }
            for misfit in &scratch.misfit {
                // An increment gains the misfit; its turn counts as it is, its length relative to the rod.
                let size =
                    misfit.fixed_rows::<3>(0).norm().max(misfit.fixed_rows::<3>(3).norm() / rod.curve().length());
                residual.misfit = residual.misfit.max(size);
            }
        }
        add_to(&work.held.cost, &mut work.right_hand_side);
        residual
    }

    /// The right-hand side without what prescribed steps cost; tells how far constraints are left open.
    fn fill_rows(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> f64 {
        let mut rows = std::mem::take(&mut work.node_rows);
        let vector = |force: &DualVector| force.wrench().to_vector();
        for (row, force) in rows.iter_mut().zip(&work.forces) {
            *row = vector(force);
        }
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            let scratch = &work.scratch[i];
            for (local, row) in rows[place.poses()].iter_mut().enumerate() {
                *row -= vector(&work.maps[i].pull_back(&scratch.gradient, local));
            }
            if rod.strain_basis().is_some() {
                for (a, row) in scratch.misfit.iter().enumerate() {
                    rows[place.first_stress_node.after(a)] -= row;
                }
            }
            if rod.has_independent_stress() {
                for (a, misfit) in scratch.misfit.iter().enumerate() {
                    rows[place.first_stress_node.after(a)] = -misfit;
                }
            }
        }
        let left_open = self.fill_constraint_rows(&self.at(state, inputs), &Standing::default(), &mut rows);
        work.right_hand_side.fill(0.0);
        self.layout.homes.spread(rows.iter().copied(), &work.terms, &mut work.right_hand_side);
        work.node_rows = rows;
        left_open
    }

    /// Largest unbalanced wrench on a group of poses or a joint, scaled.
    fn balance(&self, work: &Workspace) -> f64 {
        let length = self.values.scales.length;
        let mut largest: f64 = 0.0;
        let mut strongest = self.values.scales.force;
        let mut measure = |slot: Slot, force: f64, length: f64| {
            if let Home::Own(group) = self.layout.homes.of(slot.node()) {
                let row = self.layout.homes.read(group, &work.right_hand_side);
                let (moment, push) = (row.fixed_rows::<3>(0).norm(), row.fixed_rows::<3>(3).norm());
                largest = largest.max(push / force).max(moment / (force * length));
            }
        };
        let mut in_rods = 0;
        for (rod, place) in self.values.rods.iter().zip(&self.layout.rods) {
            let force = force_scale_of(rod, &work.forces[place.poses()]);
            strongest = strongest.max(force);
            place.poses().for_each(|slot| measure(Slot::new(slot), force, rod.curve().length()));
            in_rods = place.poses().end;
        }
        let slots = self.layout.sources.len();
        for force in &work.forces[in_rods..slots] {
            strongest = strongest.max(force.re.norm());
        }
        (in_rods..slots).for_each(|slot| measure(Slot::new(slot), strongest, length));
        for joint in &self.values.joints {
            let Some(group) = self.layout.own_group(joint.node) else { continue };
            for (i, row) in self.layout.homes.rows(group).enumerate() {
                let scale = if joint.subgroup.turns(i) { strongest * length } else { strongest };
                largest = largest.max(work.right_hand_side[row].abs() / scale);
            }
        }
        largest
    }

    pub(crate) fn rod_nodes(&self, rod: RodIndex) -> RodNodes<'_> {
        let place = &self.layout.rods[rod];
        RodNodes { pose: &self.layout.pose_nodes[place.poses()], stress: &self.layout.stress_nodes[place.stresses()] }
    }
}

/// Force scale of a rod: the larger of what its bending resists and what loads it.
fn force_scale_of(rod: &Rod, forces: &[DualVector]) -> f64 {
    let total: DualVector = forces
        .iter()
        .fold(DualVector::zero(), |sum, w| DualVector { re: sum.re + w.re.abs(), du: sum.du + w.du.abs() });
    rod.curve().bending_force().max(total.re.norm()).max(total.du.norm() / rod.curve().length())
}

pub(crate) fn add_to(from: &[f64], to: &mut [f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}
