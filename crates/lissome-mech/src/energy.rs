//! Energies and the work of loads.

use crate::cable::Driven;
use crate::element::spline::SplineRod;
use crate::inputs::Inputs;
use crate::load::{FactorOf, SectionLoad};
use crate::{State, System, Workspace};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Rotation};
use lissome_model::StrainForm;
use nalgebra::{Vector3, Vector6};

/// The elastic energy along a step of stresses, E(α) − E(0) = α linear + ½ α² quadratic, for mixed rods.
#[derive(Clone, Copy, Debug, Default)]
pub struct StressWork {
    /// βᵀ M Δβ.
    pub linear: f64,
    /// Δβᵀ M Δβ.
    pub quadratic: f64,
}

/// A wrench as it was at the last assembly, for the work along a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frozen {
    force: Vector3<f64>,
    moment_body: Vector3<f64>,
    rotation: Rotation,
}

impl Frozen {
    pub(crate) fn at(load: &SectionLoad, rotation: Rotation, factor: f64) -> Self {
        let wrench = load.evaluate(&rotation, factor).wrench;
        Self { force: rotation.rotate(&wrench.force), moment_body: wrench.moment, rotation }
    }

    /// −work of the frozen wrench on the way to `pose`, up to a constant.
    fn potential(&self, pose: &Pose) -> f64 {
        let mut potential = -self.force.dot(&pose.position);
        if self.moment_body != Vector3::zeros() {
            potential -= self.moment_body.dot(&(self.rotation.inverse() * pose.rotation).log());
        }
        potential
    }
}

impl System {
    /// Sets the stresses of printed rods to what their strain implies; mixed rods carry their own.
    pub fn refresh_printed_stress(&self, state: &mut State, work: &mut Workspace) {
        for (i, rod) in self.rods.iter().enumerate().filter(|(_, rod)| rod.form == StrainForm::Printed) {
            self.make_rod_consistent(i, rod, state, work);
        }
    }

    /// Sets every stress to what the strain of the poses implies, and returns the elastic energy.
    pub fn make_stress_consistent(&self, state: &mut State, work: &mut Workspace) -> f64 {
        let rods = self.rods.iter().enumerate();
        rods.map(|(i, rod)| self.make_rod_consistent(i, rod, state, work)).sum()
    }

    fn make_rod_consistent(&self, i: usize, rod: &SplineRod, state: &mut State, work: &mut Workspace) -> f64 {
        let scratch = &mut work.scratch[i];
        rod.fill_increments(&state.poses, &mut scratch.psi);
        rod.fill_strain(scratch);
        let stress = &mut state.stress[rod.first_stress..][..rod.stress_count()];
        rod.consistent_stress(scratch, &mut work.buffer, stress);
        rod.elastic_energy(scratch, stress)
    }

    /// What the stresses of the mixed rods do along the last solved step.
    pub fn stress_work(&self, state: &State, work: &mut Workspace) -> StressWork {
        let mut sum = StressWork::default();
        for (i, rod) in self.rods.iter().enumerate().filter(|(_, rod)| rod.form == StrainForm::Mixed) {
            let own = rod.first_stress..rod.first_stress + rod.stress_count();
            let n = 6 * rod.stress_count();
            let (x, y) = work.buffer.split_at_mut(n);
            for (x, step) in x.chunks_exact_mut(6).zip(&work.stress_step[own.clone()]) {
                x.copy_from_slice(step.as_slice());
            }
            rod.compliance_times(&work.scratch[i], x, &mut y[..n]);
            for ((x, y), beta) in x.chunks_exact(6).zip(y.chunks_exact(6)).zip(&state.stress[own]) {
                let y = Vector6::from_column_slice(y);
                sum.linear += beta.dot(&y);
                sum.quadratic += Vector6::from_column_slice(x).dot(&y);
            }
        }
        sum
    }

    /// Elastic energy of the printed rods at a state.
    pub fn printed_energy(&self, state: &State, work: &mut Workspace) -> f64 {
        let mut energy = 0.0;
        for (i, rod) in self.rods.iter().enumerate().filter(|(_, rod)| rod.form == StrainForm::Printed) {
            let scratch = &mut work.scratch[i];
            rod.fill_increments(&state.poses, &mut scratch.psi);
            rod.fill_strain(scratch);
            energy += scratch
                .strain
                .iter()
                .zip(&rod.points)
                .map(|(e, q)| 0.5 * q.basis.weight * e.dot(&(q.stiffness * e)))
                .sum::<f64>();
        }
        energy
    }

    /// −work of the loads as they were at the last assembly, up to a constant; exact for dead forces, cables and joints.
    pub fn frozen_load_potential(&self, state: &State, work: &mut Workspace) -> f64 {
        let mut potential = self.cable_potential(state, &work.inputs) + self.joint_potential(state, &work.inputs);
        for (at, frozen) in self.pose_loads.iter().zip(&work.frozen_poses) {
            potential += frozen.potential(&state.poses[at.pose]);
        }
        for (i, rod) in self.rods.iter().enumerate() {
            if work.frozen_points[i].is_empty() {
                continue;
            }
            rod.fill_increments(&state.poses, &mut work.scratch[i].psi);
            for (q, frozen) in work.frozen_points[i].iter().enumerate() {
                potential += frozen.potential(&rod.point_pose(q, &state.poses, &work.scratch[i].psi));
            }
        }
        potential
    }

    /// Potential of gravity and of everything else that acts separately, J: −Σ f·p of dead forces, T ℓ of cables under
    /// prescribed tension, −τ q of efforts.
    pub fn load_energies(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> (f64, f64) {
        let mut gravity = 0.0;
        let mut loads = 0.0;
        for at in &self.pose_loads {
            let energy = -at.factor.of(inputs) * at.load.dead.force.dot(&state.poses[at.pose].position);
            *(if at.factor == FactorOf::Gravity { &mut gravity } else { &mut loads }) += energy;
        }
        for (i, rod) in self.rods.iter().enumerate() {
            rod.fill_increments(&state.poses, &mut work.scratch[i].psi);
            for line in &self.line_loads[i] {
                let factor = line.factor.of(inputs);
                let sum = if line.factor == FactorOf::Gravity { &mut gravity } else { &mut loads };
                for (q, load) in line.at_points.iter().enumerate() {
                    let position = rod.point_pose(q, &state.poses, &work.scratch[i].psi).position;
                    *sum -= factor * load.dead.force.dot(&position);
                }
            }
        }
        for (i, cable) in self.cables.iter().enumerate().filter(|(_, cable)| cable.drive == Driven::Tension) {
            loads += self.tension(i, state, inputs) * cable.length(state);
        }
        loads += self.joint_potential(state, inputs) - self.spring_energy(state);
        (gravity, loads)
    }

    /// Energy in the springs of the joints, and in cables that stretch.
    pub fn spring_energy(&self, state: &State) -> f64 {
        self.joints
            .iter()
            .zip(&state.joints)
            .filter(|(joint, _)| joint.node.is_some())
            .map(|(joint, at)| joint.energy(at))
            .sum()
    }

    /// Slope of the printed rods' elastic energy along the last solved step.
    pub fn printed_slope(&self, work: &Workspace) -> f64 {
        let printed = self.rods.iter().enumerate().filter(|(_, rod)| rod.form == StrainForm::Printed);
        printed
            .flat_map(|(i, _)| work.scratch[i].gradient.iter().zip(&work.increments[i]))
            .map(|(gradient, (_, step))| gradient.dot(step).du)
            .sum()
    }

    /// W·δ: the work of the loads along the last solved step, to first order.
    pub fn load_slope(&self, work: &Workspace) -> f64 {
        let steps = work.pose_step.iter().map(|step| DualVector::from(*step));
        // The dual part of covector · twist is the power.
        let poses: f64 = work.loads.iter().zip(steps).map(|(load, step)| load.dot(&step).du).sum();
        let joints: f64 = work.joint_gradient.iter().zip(&work.joint_step).map(|(r, step)| r.dot(step)).sum();
        poses - joints
    }
}

impl SplineRod {
    /// World pose of quadrature point q on the spline.
    pub(crate) fn point_pose(&self, q: usize, poses: &[Pose], psi: &[DualVector]) -> Pose {
        let span = &self.spans[q / self.points_per_span];
        let mut g = poses[self.first_pose + span.first];
        for (i, psi) in psi[span.first..][..self.degree].iter().enumerate() {
            g = g * Pose::exp(&(*psi * self.points[q].basis.value[i]).twist());
        }
        g
    }
}
