//! What the curve of a rod contributes to the balance of one time step: impulses and loads of its points. See
//! `rod::motion` for the equations.

use super::inertia::RodInertia;
use super::{Curve, kernel};
use crate::impulse::{StepRule, Way, coadjoint};
use crate::rod::motion::{RodStep, StepPoint};
use lissome_lie::dual::{DualVector, ExpMap, InverseMap};
use nalgebra::Vector6;

/// What a model is told of a point on the way, and answers with its stress there.
pub(in crate::rod) struct PassedPoint<'a> {
    /// First increment of the span.
    pub first: usize,
    /// The quadrature point.
    pub q: usize,
    /// ξ at the end of the step.
    pub strain: &'a DualVector,
}

impl Curve {
    /// Empties the sums of a step.
    pub(in crate::rod) fn begin_step(&self, at: &StepPoint<'_>, step: &mut RodStep) {
        self.fill_increments_near(at.end, &step.start.psi, &mut step.psi);
        step.at_end.fill(DualVector::zero());
        step.gradient.fill(DualVector::zero());
        step.at_start.fill(DualVector::zero());
        step.end_strain.fill(Vector6::zeros());
        step.misfit.copy_from_slice(&step.known_strain);
    }

    /// Impulses and loads of the points, and the stress that `stress_at` answers with (a covector with its weight and
    /// that of its force). It may write to strains and misfits.
    #[inline(always)]
    pub(in crate::rod) fn step_pass<const P: usize>(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &mut RodStep,
        mut stress_at: impl FnMut(PassedPoint<'_>, &mut RodStep) -> DualVector,
    ) {
        for span in self.layout.spans.iter() {
            let psi: [DualVector; P] = *step.psi[span.first..].first_chunk().expect("a span has p increments");
            for q in span.points.clone() {
                let basis = &self.layout.points[q].basis;
                // Written in place: an array that a function hands over is copied on its way.
                let mut maps = [ExpMap::at(DualVector::zero()); P];
                maps.iter_mut().enumerate().for_each(|(i, map)| *map = ExpMap::at(psi[i] * basis.value[i]));
                let mut carried = [DualVector::zero(); P];
                let mut xi = psi[0] * basis.slope[0];
                for i in 1..P {
                    carried[i] = maps[i].transport(&xi);
                    xi = carried[i] + psi[i] * basis.slope[i];
                }
                let mut lambda = stress_at(PassedPoint { first: span.first, q, strain: &xi }, step);
                let pose = at.end[span.first] * kernel::relative_pose(&psi, basis);
                step.end.points[q].pose = pose;
                let relative = step.start.points[q].pose.inverse() * pose;
                step.points[q].pass(rule, &inertia.mass[q], Way::Screw, &relative, &pose);
                let impulse = step.points[q].impulse;

                let mut mu = impulse * rule.inertia[1];
                if let Some(load) = at.loads.at_points.get(q) {
                    let wrench: DualVector = load.wrench(&pose.rotation, at.loads.factor).into();
                    mu = mu - wrench * rule.force[1];
                }
                for i in (1..P).rev() {
                    let pulled = maps[i].dexp_transpose_apply(&(lambda.cross(&carried[i]) + mu));
                    step.gradient[span.first + i] += lambda * basis.slope[i] + pulled * basis.value[i];
                    lambda = maps[i].transport_transpose(&lambda);
                    mu = maps[i].transport_transpose(&mu);
                }
                step.gradient[span.first] +=
                    lambda * basis.slope[0] + maps[0].dexp_transpose_apply(&mu) * basis.value[0];
                step.at_end[span.first] += maps[0].transport_transpose(&mu);

                let before = coadjoint(&relative.inverse(), &impulse) * rule.inertia[0]
                    - step.points[q].start_load * rule.force[0];
                let jacobian = &step.start.points[q].jacobian;
                for m in 0..=P {
                    step.at_start[span.first + m] += jacobian[m].apply_transpose(&before);
                }
            }
        }
    }

    /// From increments to poses, from the start to the end; the strain that makes the stress.
    pub(in crate::rod) fn finish_step(&self, rule: &StepRule, at: &StepPoint<'_>, step: &mut RodStep) {
        for (k, psi) in step.psi.iter().enumerate() {
            let inverse = InverseMap::at(*psi);
            step.at_end[k + 1] += inverse.plus().apply_transpose(&step.gradient[k]);
            step.at_end[k] = step.at_end[k] - inverse.minus().apply_transpose(&step.gradient[k]);
        }
        for (m, balance) in step.balance.iter_mut().enumerate() {
            *balance = step.at_end[m] + coadjoint(&(at.start[m].inverse() * at.end[m]), &step.at_start[m]);
        }
        for (a, misfit) in step.misfit.iter_mut().enumerate() {
            *misfit += (step.end_strain[a] - step.start.strain[a]) * rule.correction;
            *misfit += match step.gain.get(a) {
                Some(gain) => gain * step.end_strain[a],
                None => step.end_strain[a] * rule.strain,
            };
        }
    }
}
