//! One time step of a mixed rod: its stresses beside the impulses of its curve. See `rod::motion`.

use super::MixedRod;
use crate::impulse::StepRule;
use crate::rod::curve::by_degree;
use crate::rod::curve::inertia::RodInertia;
use crate::rod::curve::kernel::PointJacobians;
use crate::rod::curve::pose_map::PoseMap;
use crate::rod::motion::{RodShape, RodStep, StepPoint};
use crate::rod::scratch::{RodNodes, RodScratch};
use crate::rod::vectors::{covector, strain_vector};
use crate::sink::BlockSink;
use lissome_lie::Pose;
use lissome_lie::dual::{DualMatrix, DualVector, InverseMap};
use nalgebra::Vector6;

impl MixedRod {
    /// Fills a shape at its increments.
    pub(in crate::rod) fn complete_shape(&self, poses: Option<&[Pose]>, shape: &mut RodShape) {
        by_degree!(self.curve.degree(), shape_pass(poses, shape) on self);
        self.couple_with_poses(shape);
    }

    fn shape_pass<const P: usize>(&self, poses: Option<&[Pose]>, shape: &mut RodShape) {
        clear(shape);
        let RodShape { psi, points, strain, in_increments, .. } = shape;
        for span in self.curve.layout.spans.iter() {
            let own: &[DualVector; P] = psi[span.first..].first_chunk().expect("a span has p increments");
            self.curve.shape_span::<P>(span, psi, poses, points, |q, j, _| {
                self.add_strain(span.first, q, own, j, strain, in_increments);
            });
        }
    }

    /// Adds what point q has in b and in ∂b/∂Ψ.
    #[inline(always)]
    fn add_strain<const P: usize>(
        &self,
        first: usize,
        q: usize,
        psi: &[DualVector; P],
        j: &PointJacobians<P>,
        strain: &mut [Vector6<f64>],
        in_increments: &mut [DualMatrix],
    ) {
        let basis = &self.curve.layout.points[q].basis;
        let e = strain_vector(&(j.strain(psi, basis) - self.curve.values.points[q].natural));
        for a in 0..P {
            let k = basis.weight * basis.stress_basis[a];
            strain[first + a] += e * k;
            let row = &mut in_increments[(first + a) * (2 * P - 1) + P - 1 - a..][..P];
            for (entry, d) in row.iter_mut().zip(&j.strain_jacobian) {
                *entry += *d * k;
            }
        }
    }

    /// A in poses: A_am = A^Ψ_{a,m−1} T₊ − A^Ψ_{a,m} T₋.
    fn couple_with_poses(&self, shape: &mut RodShape) {
        let (n, p) = (self.curve.increments(), self.curve.degree());
        shape.coupling.fill(DualMatrix::zero());
        for k in 0..n {
            let inverse = InverseMap::at(shape.psi[k]);
            let (plus, minus) = (inverse.plus(), inverse.minus());
            for a in (k + 1).saturating_sub(p)..(k + p).min(n) {
                let entry = shape.in_increments[a * (2 * p - 1) + (k + p - 1 - a)];
                let row = &mut shape.coupling[a * 2 * p..][..2 * p];
                row[k + p - a] += entry * plus;
                row[k + p - 1 - a] = row[k + p - 1 - a] - entry * minus;
            }
        }
    }

    /// Adds the points of a step: impulses, loads, and the stress with its misfit.
    pub(in crate::rod) fn add_step(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &mut RodStep,
    ) {
        step.compliance.gram.clear();
        by_degree!(self.curve.degree(), step_pass(rule, inertia, at, step) on self);
    }

    fn step_pass<const P: usize>(&self, rule: &StepRule, inertia: &RodInertia, at: &StepPoint<'_>, step: &mut RodStep) {
        self.curve.step_pass::<P>(rule, inertia, at, step, |point, step| {
            let (first, q) = (point.first, point.q);
            let basis = &self.curve.layout.points[q].basis;
            let e = strain_vector(&(*point.strain - self.curve.values.points[q].natural));
            let n = self.stress_at::<P>(first, q, at.carried.stress);
            let answered = self.answer_at::<P>(first, q, &n, at.carried.tension, &mut step.compliance);
            for a in 0..P {
                let k = basis.weight * basis.stress_basis[a];
                step.end_strain[first + a] += e * k;
                step.misfit[first + a] -= answered * k;
            }
            covector(&n) * (basis.weight * rule.force[1])
        });
    }

    /// Fills `step.end` and sums the curvature of impulses, loads and stress.
    #[allow(clippy::too_many_arguments)]
    pub(in crate::rod) fn add_step_curvature(
        &self,
        rule: &StepRule,
        at: &StepPoint<'_>,
        step: &mut RodStep,
        scratch: &mut RodScratch,
        map: &PoseMap,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        clear(&mut step.end);
        by_degree!(self.curve.degree(), step_curvature_pass(rule, at, step, scratch, map, nodes, sink) on self);
        self.couple_with_poses(&mut step.end);
    }

    #[allow(clippy::too_many_arguments)]
    fn step_curvature_pass<const P: usize>(
        &self,
        rule: &StepRule,
        at: &StepPoint<'_>,
        step: &mut RodStep,
        scratch: &mut RodScratch,
        map: &PoseMap,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        self.curve.curvature_pass::<P>(
            rule,
            at,
            step,
            scratch,
            map,
            nodes,
            sink,
            |first, q, psi, j, strain, coupling| {
                self.add_strain(first, q, psi, j, strain, coupling);
                let n = self.stress_at::<P>(first, q, at.carried.stress);
                covector(&n) * (self.curve.point_weight(q) * rule.force[1])
            },
        );
    }
}

/// Empties the sums of a shape.
fn clear(shape: &mut RodShape) {
    shape.strain.fill(Vector6::zeros());
    shape.in_increments.fill(DualMatrix::zero());
}
