//! What the curve of a rod contributes to the tangent of one time step.
//!
//! With ∂Φ/∂ζ¹ = Π at a point, in the left-trivialised coordinates of the poses at the end of the step,
//!
//! ```text
//! ∂R = Σ (θ⁰Ĵ⁰ + θ¹J¹)ᵀ Π J¹ + hφ¹ (G(β̄) + H) + Mx(R − ½R¹)          ∂R/∂β̄ = (hφ⁰ A⁰Ad_x + hφ¹ A¹)ᵀ
//! ∂s = C A¹                                                           ∂s/∂β̄ = −M
//! ```
//!
//! Ĵ⁰ = Ad_{exp(−y)} J⁰ Ad_x is the Jacobian of the start seen at the end, R¹ the part of R that is not carried over,
//! G the geometric stiffness of the stress. H is the same for the covector F = θ¹Φ − hφ¹f of a point:
//!
//! ```text
//! H_ik = ½ J_iᵀ Mx(F) J_k  (k < i)        H_ii = b_i² sym S(x_i, C_iᵀF)                                    symmetric
//! ```
//!
//! which is F·∂²ζ of `point_tangent` before it is mapped to the poses; in the increments it shares its sums with G. What
//! is left of the load rule goes into Π: Π = ∂Φ − ½Mx(Φ) − hφ¹(L − ½Mx(f)), and ∂Φ − Mx(Φ) for the start. The weighted
//! mean of the two is used for both, which leaves an error of θ⁰θ¹(Ĵ⁰ − J¹)ᵀMx(Φ)J¹/2.

use super::inertia::{RodInertia, add_pulled_matrix};
use super::kernel::{PointBasis, PointJacobians, cross_columns};
use super::pose_map::PoseMap;
use super::{Curve, by_degree};
use crate::impulse::{StepRule, Way, adjoint};
use crate::rod::motion::{RodShape, RodStep, StepPoint};
use crate::rod::scratch::{RodNodes, RodScratch};
use crate::sink::BlockSink;
use lissome_lie::dual::{Dual, DualMatrix, DualVector};
use lissome_lie::knots::MAX_DEGREE;
use nalgebra::{Matrix6, Vector6};

/// G and H of one span in its increments (and its first pose), summed over its points.
struct SpanCurvature<const P: usize> {
    /// Increments i, k ≤ i.
    within: [[DualMatrix; P]; P],
    /// Increment i with the motion of the first pose.
    with_first: [DualMatrix; P],
    scalar: [Dual; P],
    vector: [DualVector; P],
}

impl<const P: usize> SpanCurvature<P> {
    fn zero() -> Self {
        Self {
            within: [[DualMatrix::zero(); P]; P],
            with_first: [DualMatrix::zero(); P],
            scalar: [Dual::default(); P],
            vector: [DualVector::zero(); P],
        }
    }

    #[inline(always)]
    fn add(&mut self, at: &PointBasis, j: &PointJacobians<P>, stress: &DualVector, force: &DualVector) {
        for i in 0..P {
            let f = cross_columns(force, &j.jacobian[i]) * -0.5;
            self.with_first[i] += f.transpose_mul(&j.transport_first);
            let mut nu = *force;
            if i > 0 {
                let x = cross_columns(stress, &j.jacobian[i]) * -1.0;
                for k in 0..i {
                    self.within[i][k] += x.transpose_mul(&j.strain_jacobian[k]) + f.transpose_mul(&j.jacobian[k]);
                }
                let v = cross_columns(&j.partial_strain[i], &j.jacobian[i]);
                self.within[i][i] += x.transpose_mul(&v).symmetric_part();
                nu += stress.cross(&j.partial_strain[i]);
            }
            let (scalar, vector) = j.maps[i].symmetric_curvature(&j.transport[i].apply_transpose(&nu));
            let b = at.value[i];
            self.scalar[i] += scalar * (b * b);
            self.vector[i] += vector * (b * b * b);
        }
    }

    #[inline(always)]
    fn finish(&mut self, psi: &[DualVector; P]) {
        for i in 0..P {
            self.within[i][i] += DualMatrix::diagonal(self.scalar[i]) + self.vector[i].outer(&psi[i]).symmetric_part();
        }
    }
}

impl Curve {
    /// Fills the points of `step.end` and sums the curvature on the way: G and H of the increments go to
    /// `scratch.geometric`. `stress_at` is told the first increment of a span, the point, the increments of the span and
    /// the derivatives; it gives the stress (a covector with its weight and that of its force) and may add to the strains
    /// and couplings of the shape.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    pub(in crate::rod) fn curvature_pass<const P: usize>(
        &self,
        rule: &StepRule,
        at: &StepPoint<'_>,
        step: &mut RodStep,
        scratch: &mut RodScratch,
        map: &PoseMap,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
        mut stress_at: impl FnMut(
            usize,
            usize,
            &[DualVector; P],
            &PointJacobians<P>,
            &mut [Vector6<f64>],
            &mut [DualMatrix],
        ) -> DualVector,
    ) {
        scratch.geometric.fill(DualMatrix::zero());
        let RodStep { end, points, psi, .. } = step;
        let RodShape { points: shapes, strain, in_increments, .. } = end;
        for span in self.layout.spans.iter() {
            let own: &[DualVector; P] = psi[span.first..].first_chunk().expect("a span has p increments");
            let mut sum = SpanCurvature::<P>::zero();
            self.shape_span::<P>(span, psi, None, shapes, |q, j, pose| {
                let mut force = points[q].impulse * rule.inertia[1];
                if let Some(load) = at.loads.at_points.get(q) {
                    let wrench: DualVector = load.wrench(&pose.rotation, at.loads.factor).into();
                    force = force - wrench * rule.force[1];
                }
                let stress = stress_at(span.first, q, own, j, strain, in_increments);
                sum.add(&self.layout.points[q].basis, j, &stress, &force);
            });
            sum.finish(own);
            for i in 0..P {
                for k in 0..=i {
                    scratch.geometric[(span.first + i) * P + (i - k)] += sum.within[i][k];
                }
                add_with_first(span.first, span.first + i, &sum.with_first[i], map, nodes, sink);
            }
        }
    }

    /// Mx(R − ½R¹) on the diagonal.
    pub(in crate::rod) fn add_step_turns(&self, step: &RodStep, nodes: &RodNodes<'_>, sink: &mut dyn BlockSink) {
        for (m, node) in nodes.pose.iter().enumerate() {
            if let Some(node) = node {
                let turned = step.balance[m] - step.at_end[m] * 0.5;
                sink.add_turn(*node, &turned.skew().covector_map());
            }
        }
    }

    /// Rows of the balance by β̄, rows of the misfit by the poses.
    pub(in crate::rod) fn add_step_coupling(
        &self,
        rule: &StepRule,
        at: &StepPoint<'_>,
        step: &RodStep,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        let p = self.degree();
        for a in 0..self.increments() {
            let column = nodes.stress[a];
            for m in self.coupled_poses(a) {
                let Some(row) = nodes.pose[m] else { continue };
                let entry = a * 2 * p + (m + p - 1 - a);
                let (before, after) = (step.start.coupling[entry], step.end.coupling[entry]);
                let mut force = after * rule.force[1];
                if rule.force[0] != 0.0 {
                    force += before * adjoint(&(at.start[m].inverse() * at.end[m])) * rule.force[0];
                }
                sink.add_general(row, column, &force.twist_map().transpose());
                let strain = match step.gain.get(a) {
                    Some(gain) => gain * after.twist_map() + after.twist_map() * rule.correction,
                    None => (after * (rule.strain + rule.correction)).twist_map(),
                };
                sink.add_general(column, row, &strain);
            }
        }
    }

    /// Σ (θ⁰Ĵ⁰ + θ¹J¹)ᵀ Π J¹.
    pub(in crate::rod) fn add_step_inertia(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &RodStep,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        by_degree!(self.degree(), inertia_pass(rule, inertia, at, step, nodes, sink) on self);
    }

    fn inertia_pass<const P: usize>(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &RodStep,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        for span in self.layout.spans.iter() {
            let mut sum = [[Matrix6::zeros(); MAX_DEGREE + 1]; MAX_DEGREE + 1];
            let moved: [DualMatrix; MAX_DEGREE + 1] = std::array::from_fn(|m| match m <= P {
                true => adjoint(&(at.start[span.first + m].inverse() * at.end[span.first + m])),
                false => DualMatrix::zero(),
            });
            for q in span.points.clone() {
                let (before, after) = (&step.start.points[q], &step.end.points[q]);
                let ends = [&before.pose, &after.pose];
                let mut pi = step.points[q].impulse_tangent(rule, &inertia.mass[q], Way::Screw, ends);
                if let Some(load) = at.loads.at_points.get(q) {
                    let load = load.evaluate(&after.pose.rotation, at.loads.factor);
                    let half = DualVector::from(load.wrench).skew().covector_map() * 0.5;
                    pi -= (load.tangent - half) * rule.force[1];
                }
                let back = adjoint(&(after.pose.inverse() * before.pose));
                let mut test = [DualMatrix::zero(); MAX_DEGREE + 1];
                for m in 0..=P {
                    test[m] = after.jacobian[m] * rule.inertia[1];
                    if rule.inertia[0] != 0.0 {
                        test[m] += back * before.jacobian[m] * moved[m] * rule.inertia[0];
                    }
                }
                for k in 0..=P {
                    let change = pi * after.jacobian[k].twist_map();
                    for m in 0..=P {
                        add_pulled_matrix(&test[m], &change, &mut sum[m][k]);
                    }
                }
            }
            for m in 0..=P {
                for k in 0..=P {
                    if let (Some(row), Some(column)) = (nodes.pose[span.first + m], nodes.pose[span.first + k]) {
                        sink.add_general(row, column, &sum[m][k]);
                    }
                }
            }
        }
    }
}

/// What couples increment i with the first pose of a span, symmetric.
fn add_with_first(
    first: usize,
    i: usize,
    h: &DualMatrix,
    map: &PoseMap,
    nodes: &RodNodes<'_>,
    sink: &mut dyn BlockSink,
) {
    let Some(column) = nodes.pose[first] else { return };
    for (pose, t, sign) in [(i + 1, &map.plus[i], 1.0), (i, &map.minus[i], -1.0)] {
        let Some(row) = nodes.pose[pose] else { continue };
        let block = t.transpose_mul(h) * sign;
        // On the diagonal the block and its mirror image coincide.
        let block = if pose == first { block.symmetric_part() * 2.0 } else { block };
        sink.add_symmetric(row, column, &block.covector_map());
    }
}
