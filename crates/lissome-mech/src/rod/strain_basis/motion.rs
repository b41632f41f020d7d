//! One time step of a rod on a strain basis. See `rod::motion`.
//!
//! Impulses and loads are those of the poses, which follow. The strain b of the other models is q itself and their A is the
//! identity, so the stress over a step acts on the coordinates with the sum of the weights of both ends,
//!
//! ```text
//! r = (hφ⁰ + hφ¹) (Σ w Φᵀ Λ(Φ q̄) + D (q¹ − q⁰)/h)        q̄ = C q¹ + k + μ(q¹ − q⁰)        D = Σ w Φᵀ K_v Φ
//! ```

use super::StrainBasisRod;
use crate::impulse::{StepRule, Way};
use crate::rod::Carried;
use crate::rod::curve::inertia::RodInertia;
use crate::rod::motion::{RodShape, RodStep, StepPoint};
use crate::rod::scratch::{RodNodes, RodScratch};
use crate::sink::{BlockSink, add_impulse};
use lissome_lie::Pose;
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix6, Vector6};

impl StrainBasisRod {
    /// Fills the points of a shape at its increments.
    pub(in crate::rod) fn complete_shape(&self, poses: Option<&[Pose]>, shape: &mut RodShape) {
        for span in self.curve.layout.spans.iter() {
            self.curve.shape_span::<1>(span, &shape.psi, poses, &mut shape.points, |_, _, _| {});
        }
    }

    /// Adds the points of a step: impulses and loads.
    pub(in crate::rod) fn add_step(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &mut RodStep,
    ) {
        self.curve.step_pass::<1>(rule, inertia, at, step, |_, _| DualVector::zero());
        step.end_strain.copy_from_slice(at.carried.stress);
    }

    /// Rows of the coordinates, from the strain q̄ that stands in `step.misfit`.
    pub(in crate::rod) fn finish_step(&self, rule: &StepRule, tension: &[Vector6<f64>], step: &mut RodStep) {
        let RodStep { misfit, coordinate_stress, end_strain, start, .. } = step;
        self.fill_rows(misfit, tension, coordinate_stress);
        for (point, viscosity) in self.basis.points.iter().zip(&self.viscosity) {
            let change =
                self.basis.strain(&point.functions, end_strain) - self.basis.strain(&point.functions, &start.strain);
            let weighted = viscosity * change * (point.weight / rule.duration);
            self.add_pulled_stress(&point.functions, &weighted, coordinate_stress);
        }
        let weight = rule.force[0] + rule.force[1];
        for (row, stress) in misfit.iter_mut().zip(coordinate_stress) {
            *row = *stress * weight;
        }
    }

    /// Adds Π of every point that has mass or a load. Points are poses.
    pub(in crate::rod) fn add_step_inertia(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &RodStep,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        for (k, point) in self.basis.points.iter().enumerate() {
            let (Some(node), true) = (nodes.pose[k + 1], point.weight > 0.0) else { continue };
            let (before, after) = (&step.start.points[k].pose, &step.end.points[k].pose);
            let mut pi = step.points[k].impulse_tangent(rule, &inertia.mass[k], Way::Screw, [before, after]);
            if let Some(load) = at.loads.at_points.get(k) {
                let load = load.evaluate(&after.rotation, at.loads.factor);
                let half = DualVector::from(load.wrench).skew().covector_map() * 0.5;
                pi -= (load.tangent - half) * rule.force[1];
            }
            add_impulse(rule, &pi, before, after, node, sink);
        }
    }

    /// Adds the derivative of the rows of the coordinates by the coordinates.
    pub(in crate::rod) fn add_step_stiffness(
        &self,
        rule: &StepRule,
        at: &StepPoint<'_>,
        scratch: &mut RodScratch,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        self.fill_moments(at.carried.stress, scratch);
        let weight = rule.force[0] + rule.force[1];
        self.fill_stiffness(at.carried.stress, at.carried.tension, &mut scratch.material);
        self.add_band(&scratch.material, weight * (rule.strain + rule.correction), nodes, sink);
        if !self.viscosity.is_empty() {
            self.fill_viscosity(&mut scratch.material);
            self.add_band(&scratch.material, weight / rule.duration, nodes, sink);
        }
    }

    /// Δqᵀ K Δq of a change of the coordinates, and the same of the viscosity.
    pub fn change_squares(&self, from: &[Vector6<f64>], to: &[Vector6<f64>]) -> (f64, f64) {
        let (mut square, mut viscous) = (0.0, 0.0);
        for (k, point) in self.basis.points.iter().enumerate() {
            let change = self.basis.strain(&point.functions, to) - self.basis.strain(&point.functions, from);
            let stiffness: &Matrix6<f64> = &self.curve.values.points[k].section.elastic.stiffness;
            square += point.weight * change.dot(&(stiffness * change));
            if let Some(viscosity) = self.viscosity.get(k) {
                viscous += point.weight * change.dot(&(viscosity * change));
            }
        }
        (square, viscous)
    }

    /// Adds `factor` times the damping Σ w Φᵀ K_v Φ.
    pub fn add_damping(&self, factor: f64, nodes: &RodNodes<'_>, sink: &mut dyn BlockSink) {
        if !self.viscosity.is_empty() {
            let mut blocks = vec![Matrix6::zeros(); self.block_count() * self.basis.band()];
            self.fill_viscosity(&mut blocks);
            self.add_band(&blocks, factor, nodes, sink);
        }
    }

    /// y = D x.
    pub fn damping_times(&self, x: &[Vector6<f64>], y: &mut [Vector6<f64>]) {
        y.fill(Vector6::zeros());
        for (point, viscosity) in self.basis.points.iter().zip(&self.viscosity) {
            let force = viscosity * self.basis.strain(&point.functions, x) * point.weight;
            self.add_pulled_stress(&point.functions, &force, y);
        }
    }

    /// y = K x, K the stiffness of the material at the coordinates q.
    pub fn stiffness_times(&self, carried: Carried<'_>, x: &[Vector6<f64>], y: &mut [Vector6<f64>]) {
        y.fill(Vector6::zeros());
        for (k, point) in self.basis.points.iter().enumerate() {
            let strain = self.basis.strain(&point.functions, carried.stress);
            let tangent = self.respond(k, &strain, carried.tension).tangent;
            let force = tangent * self.basis.strain(&point.functions, x) * point.weight;
            self.add_pulled_stress(&point.functions, &force, y);
        }
    }
}
