//! One time step of a rod of linear-strain elements. See `rod::motion`.
//!
//! Impulses and loads are those of the chain of degree one. The strain b_a is the increment itself, natural one included,
//! since an element answers to it as a whole; so A is T, and −Mβ̄ becomes −∂C/∂β̄.

use super::LinearStrainRod;
use crate::impulse::StepRule;
use crate::rod::curve::inertia::RodInertia;
use crate::rod::curve::pose_map::PoseMap;
use crate::rod::motion::{RodShape, RodStep, StepPoint};
use crate::rod::scratch::{RodNodes, RodScratch};
use crate::rod::vectors::{covector, strain_vector};
use crate::sink::BlockSink;
use lissome_lie::Pose;
use lissome_lie::dual::{DualVector, InverseMap};

impl LinearStrainRod {
    /// Fills a shape at its increments.
    pub(in crate::rod) fn complete_shape(&self, poses: Option<&[Pose]>, shape: &mut RodShape) {
        for span in self.curve.layout.spans.iter() {
            self.curve.shape_span::<1>(span, &shape.psi, poses, &mut shape.points, |_, _, _| {});
        }
        couple(shape);
    }

    /// Adds the points of a step: impulses and loads; the stress with its misfit.
    pub(in crate::rod) fn add_step(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &mut RodStep,
    ) {
        // Along a chain of degree one a stress acts on its increment as a whole.
        self.curve.step_pass::<1>(rule, inertia, at, step, |_, _| DualVector::zero());
        for (a, (element, stress)) in self.elements.iter().zip(at.carried.stress).enumerate() {
            let response = element.respond_with(stress, self.tendons_of(a, at.carried.tension));
            step.gradient[a] += covector(stress) * rule.force[1];
            step.end_strain[a] = strain_vector(&step.psi[a]);
            step.misfit[a] -= strain_vector(&response.increment);
            step.compliance.elements[a] = response.compliance;
        }
    }

    /// Fills `step.end` and sums the curvature of impulses and loads; a stress has none along a chain of degree one.
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
        self.curve
            .curvature_pass::<1>(rule, at, step, scratch, map, nodes, sink, |_, _, _, _, _, _| DualVector::zero());
        couple(&mut step.end);
    }
}

/// b = Ω and A = T.
fn couple(shape: &mut RodShape) {
    for (a, psi) in shape.psi.iter().enumerate() {
        let inverse = InverseMap::at(*psi);
        shape.strain[a] = strain_vector(psi);
        shape.coupling[2 * a] = inverse.minus() * -1.0;
        shape.coupling[2 * a + 1] = inverse.plus();
    }
}
