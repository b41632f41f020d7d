//! Tangent of one time step of a spline rod.
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
//! what is left of the load rule of `line_load` goes into Π: Π = ∂Φ − ½Mx(Φ) − hφ¹(L − ½Mx(f)), and ∂Φ − Mx(Φ) for the
//! start. The weighted mean of the two is used for both, which leaves an error of θ⁰θ¹(Ĵ⁰ − J¹)ᵀMx(Φ)J¹/2.

use super::by_degree;
use super::inertia::{RodInertia, add_pulled_matrix};
use super::kernel::{PointBasis, PointJacobians, cross_columns};
use super::pose_map::{PoseMap, RodBlocks};
use super::rod::SplineRod;
use super::step::{EndLoads, RodStep};
use super::tangent::{RodScratch, covector};
use crate::impulse::{StepRule, adjoint};
use crate::sink::BlockSink;
use lissome_lie::Pose;
use lissome_lie::dual::{Dual, DualMatrix, DualVector};
use lissome_lie::knots::MAX_DEGREE;
use nalgebra::{Matrix6, Vector6};

/// Where the tangent of a step is taken, and what loads it.
#[derive(Clone, Copy, Debug)]
pub struct StepPoint<'a> {
    /// Control poses at the start.
    pub start: &'a [Pose],
    /// Control poses at the end.
    pub end: &'a [Pose],
    /// β̄.
    pub stress: &'a [Vector6<f64>],
    /// Loads along the rod.
    pub loads: EndLoads<'a>,
}

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

impl SplineRod {
    /// Adds the tangent of a step at the point of the last [`SplineRod::step_residual`], and fills `step.end`.
    #[allow(clippy::too_many_arguments)]
    pub fn add_step_tangent(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &mut RodStep,
        scratch: &mut RodScratch,
        map: &mut PoseMap,
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        map.fill(&step.psi);
        if rule.inertia[1] == 0.0 && rule.force[1] == 0.0 {
            step.end.psi.copy_from_slice(&step.psi);
            self.complete_shape(None, &mut step.end);
        } else {
            scratch.geometric.fill(DualMatrix::zero());
            by_degree!(self.degree, curvature_pass(rule, at, step, scratch, map, blocks, sink) on self);
            self.couple_with_poses(&mut step.end);
            self.take_increments_for_strain(&mut step.end);
            self.add_curvature_of_increments(map, &step.gradient, blocks, sink);
            self.add_banded(scratch, map, blocks, sink);
        }
        for (m, block) in blocks.pose.iter().enumerate() {
            if let Some(block) = block {
                let turned = step.balance[m] - step.at_end[m] * 0.5;
                sink.add_general(*block, *block, &turned.skew().covector_map());
            }
        }
        self.add_step_coupling(rule, at, step, blocks, sink);
        by_degree!(self.degree, inertia_pass(rule, inertia, at, step, blocks, sink) on self);
    }

    /// Fills `step.end` and sums the curvature on the way.
    #[allow(clippy::too_many_arguments)]
    fn curvature_pass<const P: usize>(
        &self,
        rule: &StepRule,
        at: &StepPoint<'_>,
        step: &mut RodStep,
        scratch: &mut RodScratch,
        map: &PoseMap,
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        let RodStep { end, points, psi, .. } = step;
        end.clear();
        end.psi.copy_from_slice(psi);
        for span in &self.spans {
            let beta: &[Vector6<f64>; P] = at.stress[span.first..].first_chunk().expect("a span has p stresses");
            let mut sum = SpanCurvature::<P>::zero();
            self.shape_span::<P>(span, None, end, |q, j, pose| {
                let basis = &self.points[q].basis;
                let mut n = Vector6::zeros();
                for a in 0..P {
                    n += beta[a] * basis.stress_basis[a];
                }
                let mut force = points[q].impulse * rule.inertia[1];
                if let Some(load) = at.loads.at_points.get(q) {
                    let wrench: DualVector = load.evaluate(&pose.rotation, at.loads.factor).wrench.into();
                    force = force - wrench * rule.force[1];
                }
                sum.add(basis, j, &(covector(&n) * (basis.weight * rule.force[1])), &force);
            });
            sum.finish(psi[span.first..].first_chunk().expect("a span has p increments"));
            for i in 0..P {
                for k in 0..=i {
                    scratch.geometric[(span.first + i) * P + (i - k)] += sum.within[i][k];
                }
                self.add_with_first(span.first, span.first + i, &sum.with_first[i], map, blocks, sink);
            }
        }
    }

    /// What couples increment i with the first pose of a span, symmetric.
    fn add_with_first(
        &self,
        first: usize,
        i: usize,
        h: &DualMatrix,
        map: &PoseMap,
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        let Some(column) = blocks.pose[first] else { return };
        for (pose, t, sign) in [(i + 1, &map.plus[i], 1.0), (i, &map.minus[i], -1.0)] {
            let Some(row) = blocks.pose[pose] else { continue };
            let block = t.transpose_mul(h) * sign;
            // On the diagonal the block and its mirror image coincide.
            let block = if row == column { block.symmetric_part() * 2.0 } else { block };
            sink.add_symmetric(row, column, &block.covector_map());
        }
    }

    /// Rows of the balance by β̄, rows of the misfit by the poses, and −M.
    fn add_step_coupling(
        &self,
        rule: &StepRule,
        at: &StepPoint<'_>,
        step: &RodStep,
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        let p = self.degree;
        for a in 0..self.increments() {
            let column = blocks.stress[a];
            for m in self.coupled_poses(a) {
                let Some(row) = blocks.pose[m] else { continue };
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
            if let Some(compliance) = step.compliance.get(a) {
                sink.add_symmetric(column, column, &-compliance);
                continue;
            }
            for b in a.saturating_sub(p - 1)..=a {
                sink.add_symmetric(column, blocks.stress[b], &-self.compliance.gram.block(a, b));
            }
        }
    }

    fn inertia_pass<const P: usize>(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &RodStep,
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        for span in &self.spans {
            let mut sum = [[Matrix6::zeros(); MAX_DEGREE + 1]; MAX_DEGREE + 1];
            let moved: [DualMatrix; MAX_DEGREE + 1] = std::array::from_fn(|m| match m <= P {
                true => adjoint(&(at.start[span.first + m].inverse() * at.end[span.first + m])),
                false => DualMatrix::zero(),
            });
            for q in span.points.clone() {
                let (before, after) = (&step.start.points[q], &step.end.points[q]);
                let mut pi = step.points[q].impulse_tangent(rule, &inertia.mass[q], &after.pose);
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
                    if let (Some(row), Some(column)) = (blocks.pose[span.first + m], blocks.pose[span.first + k]) {
                        sink.add_general(row, column, &sum[m][k]);
                    }
                }
            }
        }
    }
}
