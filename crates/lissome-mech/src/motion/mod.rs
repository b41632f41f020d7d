//! A whole system over one time step: balance of momentum, its linear system, the velocities that follow, energies.
//!
//! Everything is written by slots, as in statics: the rods' control poses, bodies, joints and places on them. What acts
//! at the start of a step is pulled back to the unknowns with the motion of the slots there, carried to the end by the
//! motion of each unknown, and added to what acts at the end. See `element/spline/step` for the equations of a rod.
//!
//! - `balance`: residual and tangent of a step.
//! - `velocity`: velocities at the end of a step, constraints and drives included.
//! - `energy`: energies, momenta, work and dissipation.
//! - `mass`: the mass over all unknowns, for natural frequencies.

pub mod balance;
pub mod energy;
pub mod mass;
pub mod velocity;

pub use energy::MechanicalState;

use crate::element::spline::inertia::RodInertia;
use crate::element::spline::step::RodStep;
use crate::impulse::{PointStep, coadjoint};
use crate::inputs::Inputs;
use crate::load::SectionLoad;
use crate::sink::{Node, Term};
use crate::{State, System, Workspace};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Twist};
use lissome_sparse::kkt::{GeneralKktFactor, GeneralKktMatrix};
use nalgebra::Vector6;
use velocity::VelocitySystem;

/// Memory for stepping a system through time.
#[derive(Clone, Debug)]
pub struct MotionWorkspace {
    /// Constant inertia of each rod.
    pub inertia: Vec<RodInertia>,
    /// What each rod knows of the current step.
    pub rods: Vec<RodStep>,
    /// What each body knows of it.
    pub bodies: Vec<PointStep>,
    /// Matrices, terms and steps, as in statics.
    pub(crate) base: Workspace,
    /// Where everything is at the start of the step.
    pub(crate) before: State,
    pub(crate) start_inputs: Inputs,
    pub(crate) start_terms: Vec<Term>,
    /// Bodies and loads on each slot, carried over from the start and at the end.
    pub(crate) start_rows: Vec<DualVector>,
    pub(crate) end_rows: Vec<DualVector>,
    /// Loads alone, without gravity and constraints, for their work.
    pub(crate) start_loads: Vec<DualVector>,
    pub(crate) end_loads: Vec<DualVector>,
    pub(crate) node_rows: Vec<Vector6<f64>>,
    pub(crate) start_joints: Vec<Vector6<f64>>,
    pub(crate) end_joints: Vec<Vector6<f64>>,
    pub(crate) carried: Vec<f64>,
    pub(crate) start_line: Vec<Vec<SectionLoad>>,
    pub(crate) velocity: VelocitySystem,
}

impl System {
    /// Memory for stepping. Every rod must be mixed.
    pub fn motion_workspace(&self) -> MotionWorkspace {
        let mut base = self.workspace();
        if base.general.is_none() {
            let factor = GeneralKktFactor::new(&self.pattern).expect("numbering waits in one direction only");
            base.general = Some((GeneralKktMatrix::new(&self.pattern), factor));
        }
        let before = self.natural_state();
        self.fill_terms(&before, &mut base.terms);
        let velocity = VelocitySystem::new(self, &base.terms);
        let slots = self.sources.len();
        MotionWorkspace {
            inertia: self.rods.iter().map(RodInertia::new).collect(),
            rods: self.rods.iter().map(RodStep::new).collect(),
            bodies: vec![PointStep::default(); self.bodies.len()],
            start_terms: base.terms.clone(),
            start_rows: vec![DualVector::zero(); slots],
            end_rows: vec![DualVector::zero(); slots],
            start_loads: vec![DualVector::zero(); slots],
            end_loads: vec![DualVector::zero(); slots],
            node_rows: vec![Vector6::zeros(); self.nodes.len()],
            start_joints: vec![Vector6::zeros(); self.joints.len()],
            end_joints: vec![Vector6::zeros(); self.joints.len()],
            carried: vec![0.0; self.unknowns()],
            start_line: base.line.clone(),
            start_inputs: self.nominal.clone(),
            before,
            velocity,
            base,
        }
    }

    /// Makes a state with its velocities (of the slots) the start of a step.
    pub fn start_motion(&self, state: &State, velocity: &[Twist], inputs: &Inputs, work: &mut MotionWorkspace) {
        work.before.copy_from(state);
        self.fill_terms(state, &mut work.start_terms);
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            let (step, inertia) = (&mut work.rods[i], &work.inertia[i]);
            rod.fill_shape(&state.poses[own.clone()], &mut step.start);
            rod.velocities_at_points(&step.start, &velocity[own], |q, eta| step.points[q].start(&inertia.mass[q], eta));
            let stress = &state.stress[rod.first_stress..][..rod.stress_count()];
            for ((element, stress), compliance) in rod.compliance.elements.iter().zip(stress).zip(&mut step.compliance)
            {
                *compliance = element.respond(stress).compliance;
            }
        }
        for (body, point) in self.bodies.iter().zip(&mut work.bodies) {
            point.start(&body.mass, velocity[body.slot].into());
        }
        self.set_start_inputs(inputs, work);
    }

    /// What acts at the start of the step.
    pub fn set_start_inputs(&self, inputs: &Inputs, work: &mut MotionWorkspace) {
        work.start_inputs.copy_from(inputs);
        self.fill_line_loads(inputs, &mut work.start_line);
        for (step, line) in work.rods.iter_mut().zip(&work.start_line) {
            for (q, load) in line.iter().enumerate() {
                step.points[q].start_load = load.evaluate(&step.start.points[q].pose.rotation, 1.0).wrench.into();
            }
        }
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
        for (joint, at) in self.joints.iter().zip(&mut state.joints) {
            if joint.node.is_none() {
                *at = joint.at(&self.driven_value(joint, inputs));
            }
        }
        for place in &self.places {
            let slot = match *place {
                crate::slots::Place::Own(_) => continue,
                crate::slots::Place::Follow(slot) => slot,
                crate::slots::Place::Chain(rod) => self.rods[rod].first_pose + self.rods[rod].anchor(),
            };
            state.poses[slot] = self.followed(slot, state);
        }
    }

    /// Carries rows of the unknowns from their frames at the start of the step to those at the end.
    fn carry_rows(&self, before: &State, end: &State, rows: &mut [f64]) {
        let mut carry = |group: usize, with: &dyn Fn(Vector6<f64>) -> Vector6<f64>| {
            let own = &mut rows[self.group_rows[group].clone()];
            let moved = with(Vector6::from_fn(|i, _| own.get(i).copied().unwrap_or(0.0)));
            own.iter_mut().zip(moved.iter()).for_each(|(own, moved)| *own = *moved);
        };
        for slot in 0..self.sources.len() {
            if let Node::Own(group) = self.nodes[slot] {
                let relative = before.poses[slot].inverse() * end.poses[slot];
                carry(group, &|row| {
                    let covector = lissome_lie::Wrench::from_vector(&row).into();
                    coadjoint(&relative, &covector).wrench().to_vector()
                });
            }
        }
        for (i, joint) in self.joints.iter().enumerate() {
            if let (Some(Node::Own(group)), false) = (joint.node.map(|node| self.nodes[node]), joint.commutes) {
                let relative: Pose = before.joints[i].motion.inverse() * end.joints[i].motion;
                carry(group, &|row| joint.subspace.tr_mul(&(relative.adjoint().tr_mul(&(joint.subspace * row)))));
            }
        }
    }
}
