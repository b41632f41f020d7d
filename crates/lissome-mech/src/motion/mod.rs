//! A whole system over one time step: balance of momentum, its linear system, the velocities that follow, energies.
//!
//! Everything is written by nodes, as in statics. What acts at the start of a step is pulled back to the unknowns with the
//! motion of the nodes there, carried to the end by the motion of each unknown, and added to what acts at the end. See
//! `rod/motion` for the equations of a rod.
//!
//! - `stage`: what a stage of a scheme knows from the past, and the first guess of its end.
//! - `balance`: residual and tangent of a step; `at_end`: what contacts do where it ends.
//! - `change`: how the end of a step changes with the numbers of a scene.
//! - `adjoint`: functionals of the end of a step as ones of its start.
//! - `velocity`: velocities at the end of a step, constraints and drives included; `sliding`: what contacts do to them.
//! - `impact`: one-sided constraints that close; `rubbing`: their friction.
//! - `energy`: energies, momenta, work and dissipation.
//! - `feed`: tubes that are pushed between steps; `push_load`: the inertia that steps leave out then.
//! - `pace`: how fast what has mass moves, and how fast that changes, for the choice of the step.
//! - `tendons`: the tension that stands for a step, and its work.
//! - `initial`: the velocities that a scene begins with.
//! - `mass`: the mass over all unknowns, for natural frequencies.
//! - `vibration`: damping and factors without symmetry, for small motions about rest.

pub mod adjoint;
mod at_end;
pub mod balance;
pub mod change;
pub mod energy;
pub mod feed;
pub mod impact;
pub mod initial;
pub mod mass;
pub mod pace;
pub mod push_load;
mod readings;
mod rubbing;
mod sliding;
pub mod stage;
mod tendons;
pub mod velocity;
pub mod vibration;

pub use crate::rod::tubes::Feed;
pub use energy::MechanicalState;
pub use feed::Moving;
pub use pace::Pace;
pub use stage::{Recall, StepMemory};

use crate::constraints::Standing;
use crate::contribution::Force;
use crate::impulse::{PointStep, adjoint, coadjoint};
use crate::inputs::Inputs;
use crate::kind::each_force;
use crate::layout::RodPlace;
use crate::load::SectionLoad;
use crate::node::{Home, Term};
use crate::rod::{MovingRod, RodInertia, RodStep};
use crate::sink::{NoTangent, StartRows};
use crate::{State, System, Workspace};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Twist, Wrench};
use nalgebra::{Matrix6, Vector6};
use velocity::VelocitySystem;

/// Inputs a little before and after a moment: the rates of what is driven.
#[derive(Clone, Copy, Debug)]
pub struct Rates<'a> {
    /// Inputs before.
    pub behind: &'a Inputs,
    /// Inputs after.
    pub ahead: &'a Inputs,
    /// Time between them, s.
    pub apart: f64,
}

/// Velocities of slots and rates of joints.
#[derive(Debug)]
pub struct Velocities<'a> {
    /// Body velocity of every slot.
    pub slots: &'a mut [Twist],
    /// Rates of every joint's coordinates.
    pub joints: &'a mut [Vector6<f64>],
}

/// Memory for stepping a system through time.
#[derive(Clone, Debug)]
pub struct MotionWorkspace {
    /// Constant inertia of each rod.
    pub(crate) inertia: Vec<RodInertia>,
    /// What each rod knows of the current step.
    pub(crate) rods: Vec<RodStep>,
    /// What each body knows of it.
    pub(crate) bodies: Vec<PointStep>,
    /// Matrices, terms and steps, as in statics.
    pub(crate) base: Workspace,
    /// Where everything is at the start of the step.
    pub(crate) before: State,
    pub(crate) start_inputs: Inputs,
    pub(crate) start_terms: Vec<Term>,
    /// The same with how groups move over the step, for its tangent.
    pub(crate) start: StartRows,
    /// Forces at the start of the step, constraints left out.
    pub(crate) start_forces: Vec<DualVector>,
    /// Bodies and forces on each node that moves, at the start and at the end, with the weights of the step.
    pub(crate) start_rows: Vec<DualVector>,
    pub(crate) end_rows: Vec<DualVector>,
    pub(crate) node_rows: Vec<Vector6<f64>>,
    pub(crate) carried: Vec<f64>,
    pub(crate) start_line: Vec<Vec<SectionLoad>>,
    pub(crate) velocity: VelocitySystem,
    /// Two lists of forces for the balance of work.
    pub(crate) applied: [Vec<DualVector>; 2],
    /// Duration of the stage under way, s.
    pub(crate) duration: f64,
    /// Which rows of each constraint acted at the last look, by block of its multiplier.
    pub(crate) active: Vec<[bool; 6]>,
    /// The linear part of a state with the tensions of a moment.
    pub(crate) momentary: Vec<Vector6<f64>>,
    /// Contacts at the start and at the end of the step.
    pub(crate) standing: [Standing; 2],
    /// Nodes and Jacobians of one damper.
    pub(crate) damped: Vec<(crate::index::Node, Matrix6<f64>)>,
}

impl System {
    /// Memory for stepping. No rod may be in its displacement form.
    pub fn motion_workspace(&self) -> MotionWorkspace {
        let mut base = self.workspace();
        base.general.get_or_insert_with(|| self.general_matrix());
        let before = self.natural_state();
        self.fill_terms(&before, &mut base.terms);
        let velocity = VelocitySystem::new(self, &base.terms);
        let forces = vec![DualVector::zero(); self.layout.moving_nodes()];
        MotionWorkspace {
            inertia: self.values.rods.iter().map(|rod| RodInertia::of(rod)).collect(),
            rods: self.values.rods.iter().map(|rod| RodStep::new(rod)).collect(),
            bodies: vec![PointStep::default(); self.values.bodies.len()],
            start_terms: base.terms.clone(),
            start: StartRows::default(),
            start_forces: forces.clone(),
            start_rows: forces.clone(),
            end_rows: forces.clone(),
            applied: [forces.clone(), forces],
            node_rows: vec![Vector6::zeros(); self.layout.roles.len()],
            carried: vec![0.0; self.layout.homes.all_rows()],
            start_line: base.line.clone(),
            start_inputs: self.values.nominal.clone(),
            duration: 0.0,
            active: vec![[false; 6]; self.layout.block_nodes.len()],
            momentary: before.linear.clone(),
            standing: Default::default(),
            damped: Vec::with_capacity(8),
            before,
            velocity,
            base,
        }
    }

    /// Makes a state with its velocities (of the slots) the start of a step.
    pub fn start_motion(&self, state: &State, velocity: &[Twist], inputs: &Inputs, work: &mut MotionWorkspace) {
        work.before.copy_from(state);
        self.fill_terms(state, &mut work.start_terms);
        for (i, rod, place) in self.moving_rods() {
            let own = place.poses();
            let (step, inertia) = (&mut work.rods[i], &work.inertia[i]);
            rod.fill_shape(&state.poses[own.clone()], &mut step.start);
            if rod.strain_basis().is_some() {
                step.start.strain.copy_from_slice(&state.linear[place.stresses()]);
            }
            let RodStep { start, points, .. } = step;
            let see = |q: usize, eta| points[q].start(&inertia.mass[q], eta);
            rod.curve().velocities_at_points(&start.points, &velocity[own], see);
            rod.fill_compliance(place.carried(&state.linear), &mut step.compliance);
        }
        for (body, point) in self.values.bodies.iter().zip(&mut work.bodies) {
            point.start(&body.mass, velocity[body.slot].into());
        }
        self.set_start_inputs(inputs, work);
    }

    /// The rods, each with its number and its place. A rod in its displacement form does not move.
    pub(crate) fn moving_rods(&self) -> impl Iterator<Item = (usize, MovingRod<'_>, &RodPlace)> {
        let rods = self.values.rods.iter().zip(&self.layout.rods).enumerate();
        rods.filter_map(|(i, (rod, place))| Some((i, rod.moving()?, place)))
    }

    /// What acts at the start of the step.
    pub fn set_start_inputs(&self, inputs: &Inputs, work: &mut MotionWorkspace) {
        work.start_inputs.copy_from(inputs);
        self.fill_line_loads(inputs, &mut work.start_line);
        for (step, line) in work.rods.iter_mut().zip(&work.start_line) {
            for (q, load) in line.iter().enumerate() {
                step.points[q].start_load = load.wrench(&step.start.points[q].pose.rotation, 1.0).into();
            }
        }
        let at = self.at(&work.before, &work.start_inputs);
        work.start_forces.fill(DualVector::zero());
        each_force!(self.values.kinds, |force| {
            force.exert(&at, &mut work.start_forces, &mut NoTangent);
        });
    }

    /// The end of the step, whose velocities are known, becomes the start of the next.
    pub fn advance_motion(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) {
        work.before.copy_from(end);
        self.fill_terms(end, &mut work.start_terms);
        for step in &mut work.rods {
            std::mem::swap(&mut step.start, &mut step.end);
            step.points.iter_mut().for_each(PointStep::advance);
        }
        work.bodies.iter_mut().for_each(PointStep::advance);
        self.set_start_inputs(inputs, work);
    }

    /// Puts driven joints where the inputs say, and all that follows others after them; control poses stay.
    pub fn place_followers(&self, inputs: &Inputs, state: &mut State) {
        self.place_driven(inputs, state);
        self.renew_followers(state);
    }

    /// Carries rows of the unknowns from their frames at the start of the step to those at the end.
    fn carry_rows(&self, before: &State, end: &State, rows: &mut [f64]) {
        let homes = &self.layout.homes;
        for (slot, (from, to)) in before.poses.iter().zip(&end.poses).enumerate() {
            if let Home::Own(group) = homes.of(crate::index::Node::new(slot)) {
                let row = Wrench::from_vector(&homes.read(group, rows)).into();
                homes.write(group, &coadjoint(&(from.inverse() * *to), &row).wrench().to_vector(), rows);
            }
        }
        for joint in self.values.joints.iter().filter(|joint| !joint.subgroup.commutes) {
            if let Some(group) = self.layout.own_group(joint.node) {
                let moved = self.joint_carry(joint, before, end);
                let row = moved.tr_mul(&homes.read(group, rows));
                homes.write(group, &row, rows);
            }
        }
    }

    /// How rows at the start of the step arrive at the groups.
    fn fill_start_rows(&self, end: &State, work: &mut MotionWorkspace) {
        let MotionWorkspace { start, start_terms, before, .. } = work;
        start.terms.clone_from(start_terms);
        start.moved.clear();
        let groups = self.layout.homes.free_groups().chain(self.layout.homes.held_groups());
        start.moved.extend(groups.map(|_| Matrix6::identity()));
        start.flat.clear();
        start.flat.resize(start.moved.len(), false);
        for joint in self.values.joints.iter().filter(|joint| joint.strain_of.is_some()) {
            if let Home::Own(group) = self.layout.homes.of(joint.node) {
                start.flat[group] = true;
            }
        }
        for (slot, (from, to)) in before.poses.iter().zip(&end.poses).enumerate() {
            if let Home::Own(group) = self.layout.homes.of(crate::index::Node::new(slot)) {
                start.moved[group] = adjoint(&(from.inverse() * *to)).twist_map();
            }
        }
        for joint in self.values.joints.iter().filter(|joint| !joint.subgroup.commutes) {
            if let Home::Own(group) = self.layout.homes.of(joint.node) {
                start.moved[group] = self.joint_carry(joint, before, end);
            }
        }
    }

    /// How a small motion of a joint at the end of a step looks at its start, in its coordinates.
    fn joint_carry(&self, joint: &crate::joint::Joint, before: &State, end: &State) -> Matrix6<f64> {
        let relative: Pose = before.joint(joint.index).motion.inverse() * end.joint(joint.index).motion;
        let subspace = &joint.subgroup.subspace;
        subspace.tr_mul(&(relative.adjoint() * subspace))
    }
}
