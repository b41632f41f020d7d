//! Energies and momenta of a moving system, work and dissipation of a step.

use super::MotionWorkspace;
use crate::impulse::{PointStep, StepRule, coadjoint};
use crate::inputs::Inputs;
use crate::load::FactorOf;
use crate::sink::Node;
use crate::{State, System};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Wrench};
use nalgebra::{Vector3, Vector6};

/// Energies and momenta of a moving system. Loads other than gravity have no potential here: they do work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MechanicalState {
    /// ½ vᵀMv, J.
    pub kinetic: f64,
    /// ½ bᵀM⁻¹b and springs of joints, J.
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
        let see = |point: &PointStep| (point.start_velocity, point.start_momentum);
        for (i, rod) in self.rods.iter().enumerate() {
            let step = &work.rods[i];
            for (point, shape) in step.points.iter().zip(&step.start.points) {
                let (velocity, momentum) = see(point);
                sum.add(&velocity, &momentum, &shape.pose);
            }
            sum.elastic += rod.strain_energy(&step.start.strain, &mut work.base.buffer);
            sum.gravity += self.rod_weight(i, work.start_inputs.gravity, |q| step.start.points[q].pose);
        }
        for (body, point) in self.bodies.iter().zip(&work.bodies) {
            let (velocity, momentum) = see(point);
            sum.add(&velocity, &momentum, &work.before.poses[body.slot]);
        }
        sum.gravity += self.body_weight(&work.before, &work.start_inputs);
        sum.elastic += self.spring_energy(&work.before);
        sum
    }

    /// Energies and momenta at the end of the step, once its velocities are known.
    pub fn end_energies(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> MechanicalState {
        let mut sum = MechanicalState::default();
        for (i, rod) in self.rods.iter().enumerate() {
            let step = &work.rods[i];
            for (point, shape) in step.points.iter().zip(&step.end.points) {
                sum.add(&point.end_velocity, &point.end_momentum, &shape.pose);
            }
            sum.elastic += rod.strain_energy(&step.end.strain, &mut work.base.buffer);
            sum.gravity += self.rod_weight(i, inputs.gravity, |q| step.end.points[q].pose);
        }
        for (body, point) in self.bodies.iter().zip(&work.bodies) {
            sum.add(&point.end_velocity, &point.end_momentum, &end.poses[body.slot]);
        }
        sum.gravity += self.body_weight(end, inputs);
        sum.elastic += self.spring_energy(end);
        sum
    }

    /// Energy as the step sees it: with the velocities of the points, not yet those of the poses.
    pub fn energy_within_step(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> f64 {
        let mut energy = self.body_weight(end, inputs) + self.spring_energy(end);
        let kinetic = |point: &PointStep| 0.5 * point.end_momentum.dot(&point.end_velocity).du;
        for (i, rod) in self.rods.iter().enumerate() {
            let step = &work.rods[i];
            energy += step.points.iter().map(kinetic).sum::<f64>();
            energy += self.rod_weight(i, inputs.gravity, |q| step.end.points[q].pose);
            energy += rod.strain_energy(&step.end_strain, &mut work.base.buffer);
        }
        energy + work.bodies.iter().map(kinetic).sum::<f64>()
    }

    /// Σ Δbᵀ M⁻¹ Δb over the step, and the energy that materials and joints dissipate in it.
    pub fn strain_change_energy(&self, rule: &StepRule, end: &State, work: &mut MotionWorkspace) -> (f64, f64) {
        let (mut square, mut dissipated) = (0.0, 0.0);
        for (i, rod) in self.rods.iter().enumerate() {
            let step = &work.rods[i];
            let change = |a: usize| step.end_strain[a] - step.start.strain[a];
            let stress = &mut work.base.stress_step[rod.first_stress..][..rod.stress_count()];
            for (a, stress) in stress.iter_mut().enumerate() {
                *stress = change(a);
            }
            rod.solve_compliance(&step.compliance, stress, &mut work.base.buffer);
            for (a, stress) in stress.iter().enumerate() {
                square += stress.dot(&change(a));
                if let Some(theta) = work.inertia[i].relaxation.get(a) {
                    dissipated += stress.dot(&(theta * change(a))) / rule.step;
                }
            }
        }
        for (i, joint) in self.joints.iter().enumerate().filter(|(_, joint)| joint.node.is_some()) {
            let travelled = joint.travelled(&work.before.joints[i], &end.joints[i]);
            dissipated += joint.damping.component_mul(&travelled).dot(&travelled) / rule.step;
        }
        (square, dissipated)
    }

    /// Work of loads, cables, efforts and drives over the step: means of both ends times the motion.
    pub fn work_of_step(&self, rule: &StepRule, end: &State, inputs: &Inputs, work: &MotionWorkspace) -> f64 {
        let mut sum = 0.0;
        let driven = work.start_inputs != *inputs || self.joints.iter().any(|joint| joint.actuated);
        let loads = work.start_loads.iter().zip(&work.end_loads).enumerate();
        for (slot, (start, after)) in loads {
            if *start == DualVector::zero() && *after == DualVector::zero() {
                continue;
            }
            let x: DualVector = end.poses[slot].boxminus(&work.before.poses[slot]).into();
            sum += 0.5 * (start.dot(&x).du + after.dot(&x).du);
        }
        for (i, rod) in self.rods.iter().enumerate() {
            for (q, (start, after)) in work.start_line[i].iter().zip(&work.base.line[i]).enumerate() {
                let (from, to) = (&work.rods[i].start.points[q].pose, &work.rods[i].end.points[q].pose);
                let weight = self.gravity * (rod.points[q].line_density * rod.points[q].basis.weight);
                let other = |load: &crate::load::SectionLoad, inputs: &Inputs, at: &Pose| {
                    let mut wrench = load.evaluate(&at.rotation, 1.0).wrench;
                    wrench.force -= at.rotation.inverse_rotate(&(weight * (inputs.gravity * inputs.factor)));
                    DualVector::from(wrench)
                };
                let x: DualVector = work.rods[i].points[q].motion;
                let mean = other(start, &work.start_inputs, from) + other(after, inputs, to);
                sum += 0.5 * mean.dot(&x).du;
            }
        }
        if driven {
            sum += self.work_of_drives(rule, end, inputs, work);
        }
        sum
    }

    /// Efforts of actuated joints, and what drives prescribe: the balance that is left on a prescribed motion.
    fn work_of_drives(&self, rule: &StepRule, end: &State, inputs: &Inputs, work: &MotionWorkspace) -> f64 {
        let mut sum = 0.0;
        for (i, joint) in self.joints.iter().enumerate() {
            let travelled = joint.travelled(&work.before.joints[i], &end.joints[i]);
            if joint.node.is_some() {
                if joint.actuated {
                    let (start, after) =
                        (self.driven_value(joint, &work.start_inputs), self.driven_value(joint, inputs));
                    sum += 0.5 * (start + after).dot(&travelled);
                }
                continue;
            }
            // What must act along the joint so that everything beyond it moves as it does.
            let moment = joint.subspace.tr_mul(&self.handed_through(joint.slot, end, work));
            sum += moment.dot(&travelled) / rule.step;
        }
        sum
    }

    /// Impulse that all slots beyond one leave to what carries it, in its frame at the end of the step.
    fn handed_through(&self, slot: usize, end: &State, work: &MotionWorkspace) -> Vector6<f64> {
        let mut sum = Vector6::zeros();
        for other in 0..self.sources.len() {
            if !self.is_carried(other, slot) || matches!(self.nodes[other], Node::Own(_)) {
                continue;
            }
            let relative = work.before.poses[other].inverse() * end.poses[other];
            let mut row = coadjoint(&relative, &work.start_rows[other]) + work.end_rows[other];
            let rod = self.rods.partition_point(|rod| rod.first_pose + rod.pose_count <= other);
            if let Some(own) = self.rods.get(rod) {
                row += work.rods[rod].balance[other - own.first_pose];
            }
            let across = end.poses[other].inverse() * end.poses[slot];
            sum += coadjoint(&across, &row).wrench().to_vector();
        }
        sum
    }

    /// True if `other` is `slot` or follows it.
    fn is_carried(&self, other: usize, slot: usize) -> bool {
        let mut at = other;
        loop {
            if at == slot {
                return true;
            }
            match self.sources[at] {
                crate::slots::Source::Follows { parent, .. } => at = parent,
                _ => return false,
            }
        }
    }

    fn rod_weight(&self, rod: usize, factor: f64, pose: impl Fn(usize) -> Pose) -> f64 {
        if self.gravity == Vector3::zeros() {
            return 0.0;
        }
        let weight = |point: &crate::element::spline::rod::Point| point.line_density * point.basis.weight * factor;
        let points = self.rods[rod].points.iter().enumerate();
        -points.map(|(q, point)| weight(point) * self.gravity.dot(&pose(q).position)).sum::<f64>()
    }

    fn body_weight(&self, state: &State, inputs: &Inputs) -> f64 {
        let weights = self.pose_loads.iter().filter(|at| at.factor == FactorOf::Gravity);
        -weights.map(|at| at.factor.of(inputs) * at.load.dead.force.dot(&state.poses[at.pose].position)).sum::<f64>()
    }

    /// Sets every stress to what the strain at the start of the step implies.
    pub fn set_start_stress(&self, state: &mut State, work: &mut MotionWorkspace) {
        for (i, rod) in self.rods.iter().enumerate() {
            let stress = &mut state.stress[rod.first_stress..][..rod.stress_count()];
            if rod.is_linear_strain() {
                rod.stress_of_increments(&work.rods[i].start.psi, stress);
                continue;
            }
            stress.copy_from_slice(&work.rods[i].start.strain);
            rod.solve_compliance(&[], stress, &mut work.base.buffer);
        }
    }

    /// Sets every stress to what the strain at the last evaluation implies.
    pub fn set_consistent_stress(&self, end: &mut State, work: &mut MotionWorkspace) {
        for (i, rod) in self.rods.iter().enumerate() {
            let stress = &mut end.stress[rod.first_stress..][..rod.stress_count()];
            if rod.is_linear_strain() {
                rod.stress_of_increments(&work.rods[i].psi, stress);
                continue;
            }
            stress.copy_from_slice(&work.rods[i].end_strain);
            rod.solve_compliance(&[], stress, &mut work.base.buffer);
        }
    }
}

impl crate::element::spline::SplineRod {
    /// ½ bᵀM⁻¹b, or the energy of linear-strain elements at these increments. `buffer` must hold six numbers per stress.
    pub fn strain_energy(&self, strain: &[Vector6<f64>], buffer: &mut [f64]) -> f64 {
        if self.is_linear_strain() {
            let elements = self.compliance.elements.iter().zip(strain);
            let increment = |b: &Vector6<f64>| lissome_lie::Twist::from_vector(b).into();
            return elements.map(|(element, b)| element.energy(&element.deform(&increment(b)).strain)).sum();
        }
        let x = &mut buffer[..6 * strain.len()];
        for (x, b) in x.chunks_exact_mut(6).zip(strain) {
            x.copy_from_slice(b.as_slice());
        }
        self.compliance.gram_factor.solve(x);
        let pairs = x.chunks_exact(6).zip(strain);
        0.5 * pairs.map(|(x, b)| x.iter().zip(b.iter()).map(|(x, b)| x * b).sum::<f64>()).sum::<f64>()
    }
}
