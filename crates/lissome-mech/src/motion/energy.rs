//! Energies and momenta of a moving system, work and dissipation of a step.

use super::MotionWorkspace;
use crate::constraints::Acting;
use crate::contribution::{Account, At, Constraint, Force, push};
use crate::damping::Damper;
use crate::impulse::{PointStep, StepRule, coadjoint};
use crate::inputs::{Input, Inputs};
use crate::kind::{each_constraint, each_damper, each_force};
use crate::load::SectionLoad;
use crate::rod::{RodShape, RodStep};
use crate::sink::NoTangent;
use crate::{State, System};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Wrench};
use lissome_sparse::FactorError;
use nalgebra::Vector3;

/// Energies and momenta of a moving system. Loads other than gravity have no potential here: they do work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MechanicalState {
    /// ½ vᵀMv, J.
    pub kinetic: f64,
    /// ½ bᵀM⁻¹b and springs, J.
    pub elastic: f64,
    /// Potential of gravity, J.
    pub gravity: f64,
    /// Linear momentum, kg·m/s, world axes.
    pub linear_momentum: Vector3<f64>,
    /// Angular momentum about the world origin, kg·m²/s, world axes.
    pub angular_momentum: Vector3<f64>,
}

impl MechanicalState {
    /// Kinetic, elastic and gravitational energy, J.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }

    fn add(&mut self, velocity: &DualVector, momentum: &DualVector, pose: &Pose) {
        self.kinetic += 0.5 * momentum.dot(velocity).du;
        let spatial: Wrench = coadjoint(&pose.inverse(), momentum).wrench();
        self.linear_momentum += spatial.force;
        self.angular_momentum += spatial.moment;
    }
}

impl System {
    /// Energies and momenta at the start of the step.
    pub fn start_energies(&self, work: &mut MotionWorkspace) -> MechanicalState {
        let mut sum = MechanicalState::default();
        let mut momentary = std::mem::take(&mut work.momentary);
        self.fill_momentary(&work.before, &work.start_inputs, &mut momentary);
        let see = |point: &PointStep| (point.start_velocity, point.start_momentum);
        for (i, rod, place) in self.moving_rods() {
            let step = &work.rods[i];
            for (point, shape) in step.points.iter().zip(&step.start.points) {
                let (velocity, momentum) = see(point);
                sum.add(&velocity, &momentum, &shape.pose);
            }
            sum.elastic +=
                rod.strain_energy(&step.start.strain, place.carried(&momentary), &mut work.base.scratch[i].compliance);
            sum.gravity += self.rod_weight(i, &work.start_inputs, |q| step.start.points[q].pose);
        }
        for (body, point) in self.values.bodies.iter().zip(&work.bodies) {
            let (velocity, momentum) = see(point);
            sum.add(&velocity, &momentum, &work.before.poses[body.slot]);
        }
        self.add_potentials(&work.before, &work.start_inputs, &mut sum);
        work.momentary = momentary;
        sum
    }

    /// Energies and momenta at the end of the step, once its velocities are known.
    pub fn end_energies(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> MechanicalState {
        let mut sum = MechanicalState::default();
        let mut momentary = std::mem::take(&mut work.momentary);
        self.fill_momentary(end, inputs, &mut momentary);
        for (i, rod, place) in self.moving_rods() {
            let step = &work.rods[i];
            for (point, shape) in step.points.iter().zip(&step.end.points) {
                sum.add(&point.end_velocity, &point.end_momentum, &shape.pose);
            }
            sum.elastic +=
                rod.strain_energy(&step.end.strain, place.carried(&momentary), &mut work.base.scratch[i].compliance);
            sum.gravity += self.rod_weight(i, inputs, |q| step.end.points[q].pose);
        }
        for (body, point) in self.values.bodies.iter().zip(&work.bodies) {
            sum.add(&point.end_velocity, &point.end_momentum, &end.poses[body.slot]);
        }
        self.add_potentials(end, inputs, &mut sum);
        work.momentary = momentary;
        sum
    }

    fn add_potentials(&self, state: &State, inputs: &Inputs, sum: &mut MechanicalState) {
        sum.gravity += self.potential_of(Account::Gravity, state, inputs);
        sum.elastic += self.potential_of(Account::Stored, state, inputs);
    }

    /// Energy as the step sees it: with the velocities of the points, not yet those of the poses.
    pub fn energy_within_step(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> f64 {
        let mut sum = MechanicalState::default();
        self.add_potentials(end, inputs, &mut sum);
        let mut energy = sum.energy();
        let mut momentary = std::mem::take(&mut work.momentary);
        self.fill_momentary(end, inputs, &mut momentary);
        let kinetic = |point: &PointStep| 0.5 * point.end_momentum.dot(&point.end_velocity).du;
        for (i, rod, place) in self.moving_rods() {
            let step = &work.rods[i];
            energy += step.points.iter().map(kinetic).sum::<f64>();
            energy += self.rod_weight(i, inputs, |q| step.end.points[q].pose);
            energy +=
                rod.strain_energy(&step.end_strain, place.carried(&momentary), &mut work.base.scratch[i].compliance);
        }
        work.momentary = momentary;
        energy + work.bodies.iter().map(kinetic).sum::<f64>()
    }

    /// Σ Δbᵀ M⁻¹ Δb over the step, and the energy that materials and dampers dissipate in it.
    pub fn strain_change_energy(&self, rule: &StepRule, end: &State, work: &mut MotionWorkspace) -> (f64, f64) {
        let (mut square, mut dissipated) = (0.0, 0.0);
        for (i, rod, place) in self.moving_rods() {
            let RodStep { compliance, end_strain, start, .. } = &mut work.rods[i];
            if let Some(rod) = rod.strain_basis() {
                let (own, viscous) = rod.change_squares(&start.strain, end_strain);
                square += own;
                dissipated += viscous / rule.duration;
                continue;
            }
            let change = |a: usize| end_strain[a] - start.strain[a];
            let stress = &mut work.base.step.linear[place.stresses()];
            for (a, stress) in stress.iter_mut().enumerate() {
                *stress = change(a);
            }
            if rod.solve_compliance(compliance, stress).is_err() {
                // An energy that is no number: the step is not taken.
                return (f64::NAN, f64::NAN);
            }
            for (a, stress) in stress.iter().enumerate() {
                square += stress.dot(&change(a));
                if let Some(theta) = work.inertia[i].relaxation.get(a) {
                    dissipated += stress.dot(&(theta * change(a))) / rule.duration;
                }
            }
        }
        each_damper!(self.values.kinds, |damper| {
            let travelled = damper.travelled(&work.before, end);
            dissipated += travelled.dot(&(damper.resistance() * travelled)) / rule.duration;
        });
        (square, dissipated)
    }

    /// Work of loads, cables, efforts and drives over the step: means of both ends times the motion.
    pub fn work_of_step(&self, rule: &StepRule, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> f64 {
        let [mut start_forces, mut end_forces] = std::mem::take(&mut work.applied);
        self.fill_applied(&self.at(&work.before, &work.start_inputs), &mut start_forces);
        self.fill_applied(&self.at(end, inputs), &mut end_forces);
        let mut sum = 0.0;
        let slots = self.layout.sources.len();
        for (slot, (start, after)) in start_forces.iter().zip(&end_forces).take(slots).enumerate() {
            if *start == DualVector::zero() && *after == DualVector::zero() {
                continue;
            }
            let x: DualVector = end.poses[slot].boxminus(&work.before.poses[slot]).into();
            sum += 0.5 * (start.dot(&x).du + after.dot(&x).du);
        }
        for joint in &self.values.joints {
            let travelled = joint.subgroup.travelled(work.before.joint(joint.index), end.joint(joint.index));
            match self.held_group(joint.node) {
                None => {
                    let mean = start_forces[joint.node] + end_forces[joint.node];
                    sum += 0.5 * mean.wrench().to_vector().dot(&travelled);
                }
                // What the drive must exert along the joint so that everything beyond it moves as it does.
                Some(group) => {
                    let impulse = -self.layout.homes.read(group, &work.base.right_hand_side);
                    sum += impulse.dot(&travelled) / (rule.force[0] + rule.force[1]);
                }
            }
        }
        work.applied = [start_forces, end_forces];
        let drives = self.work_of_gravity_drive(end, inputs, work) + self.work_of_tube_drives(end, inputs, work);
        let tendons = self.work_of_tendons(rule, end, inputs, work);
        sum + self.work_of_line_loads(inputs, work) + drives + tendons
    }

    /// Work of bases of tubes that turn, through the springs of their transmissions: what the change of the inputs alone adds
    /// to the energy of the tubes, the mean of both places.
    fn work_of_tube_drives(&self, end: &State, inputs: &Inputs, work: &MotionWorkspace) -> f64 {
        let start = &work.start_inputs;
        if start.tubes == inputs.tubes {
            return 0.0;
        }
        let change = |state: &State| {
            let tubes = self.values.kinds.tubes.iter();
            let added = tubes.map(|own| own.potential(&self.at(state, inputs)) - own.potential(&self.at(state, start)));
            added.sum::<f64>()
        };
        0.5 * (change(&work.before) + change(end))
    }

    /// Work of a drive of gravity: what its change alone adds to the potential, the mean of both places.
    fn work_of_gravity_drive(&self, end: &State, inputs: &Inputs, work: &MotionWorkspace) -> f64 {
        let start = &work.start_inputs;
        if start.acting(Input::Gravity) == inputs.acting(Input::Gravity) {
            return 0.0;
        }
        let here = |state: &State, inputs: &Inputs, shape: fn(&RodStep) -> &RodShape| {
            let rods = (0..self.values.rods.len()).map(|i| {
                let points = &shape(&work.rods[i]).points;
                self.rod_weight(i, inputs, |q| points[q].pose)
            });
            self.potential_of(Account::Gravity, state, inputs) + rods.sum::<f64>()
        };
        let first = here(&work.before, inputs, |step| &step.start) - here(&work.before, start, |step| &step.start);
        let last = here(end, inputs, |step| &step.end) - here(end, start, |step| &step.end);
        0.5 * (first + last)
    }

    /// Forces on the nodes that do work from outside.
    fn fill_applied(&self, at: &At<'_>, forces: &mut [DualVector]) {
        forces.fill(DualVector::zero());
        each_force!(self.values.kinds, |force| {
            if force.account() == Account::Applied {
                force.exert(at, forces, &mut NoTangent);
            }
        });
        each_constraint!(self.values.kinds, |constraint| {
            if constraint.does_work() {
                let acting = Acting::of(constraint, at).force;
                constraint.jacobian(at, &mut |node, j| push(forces, node, &-j.tr_mul(&acting)));
            }
        });
    }

    /// Work of what acts along the rods, gravity left out.
    fn work_of_line_loads(&self, inputs: &Inputs, work: &MotionWorkspace) -> f64 {
        let mut sum = 0.0;
        for (i, rod, _) in self.moving_rods() {
            let curve = rod.curve();
            for (q, (start, after)) in work.start_line[i].iter().zip(&work.base.line[i]).enumerate() {
                let (from, to) = (&work.rods[i].start.points[q].pose, &work.rods[i].end.points[q].pose);
                let weight = self.values.gravity * (curve.line_density(q) * curve.point_weight(q));
                let other = |load: &SectionLoad, inputs: &Inputs, at: &Pose| {
                    let mut wrench = load.wrench(&at.rotation, 1.0);
                    wrench.force -= at.rotation.inverse_rotate(&(weight * (inputs.gravity * inputs.factor)));
                    DualVector::from(wrench)
                };
                let x: DualVector = work.rods[i].points[q].motion;
                let mean = other(start, &work.start_inputs, from) + other(after, inputs, to);
                sum += 0.5 * mean.dot(&x).du;
            }
        }
        sum
    }

    fn rod_weight(&self, rod: usize, inputs: &Inputs, pose: impl Fn(usize) -> Pose) -> f64 {
        let gravity = self.values.gravity * (inputs.gravity * inputs.factor);
        if gravity == Vector3::zeros() {
            return 0.0;
        }
        let curve = self.values.rods[rod].curve();
        let weight = |q: usize| curve.line_density(q) * curve.point_weight(q);
        -(0..curve.point_count()).map(|q| weight(q) * gravity.dot(&pose(q).position)).sum::<f64>()
    }

    /// Sets every stress to what the strain at the start of the step implies. An error if none answers to it.
    pub fn set_start_stress(&self, state: &mut State, work: &mut MotionWorkspace) -> Result<(), FactorError> {
        for (i, rod, place) in self.moving_rods() {
            let compliance = &mut work.base.scratch[i].compliance;
            let (stress, tension) = place.carried_mut(&mut state.linear);
            rod.stress_of_strain(&work.rods[i].start.strain, tension, compliance, stress)?;
        }
        Ok(())
    }

    /// Sets every stress to what the strain at the last evaluation implies. An error if none answers to it.
    pub fn set_consistent_stress(&self, end: &mut State, work: &mut MotionWorkspace) -> Result<(), FactorError> {
        for (i, rod, place) in self.moving_rods() {
            let compliance = &mut work.base.scratch[i].compliance;
            let (stress, tension) = place.carried_mut(&mut end.linear);
            rod.stress_of_strain(&work.rods[i].end_strain, tension, compliance, stress)?;
            if let Some(rod) = rod.strain_basis() {
                let RodStep { end_strain, coordinate_stress, .. } = &mut work.rods[i];
                rod.fill_rows(end_strain, &end.linear[place.tensions()], coordinate_stress);
            }
        }
        Ok(())
    }
}
