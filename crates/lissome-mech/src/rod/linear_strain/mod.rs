//! The rod of linear-strain elements: the chain of degree one, whose stresses answer element by element.
//!
//! Its functional is Σ (μᵀΩ − C(μ)) − W. The coupling of stresses and increments is the identity, the curvature of the
//! increments is that of every chain, and what is left to do here is C: see `element`. Inertia and line loads lie on the
//! chain of degree one through the poses, at the Gauss points of the elements.
//!
//! - `element`: one element, by itself.
//! - `motion`: one time step.

pub mod element;
mod motion;

use super::curve::Curve;
use super::curve::pose_map::PoseMap;
use super::scratch::{RodCompliance, RodNodes, RodScratch};
use super::vectors::{covector, strain_vector, twist};
use crate::field::Sample;
use crate::sink::BlockSink;
use element::{LinearStrainElement, SectionPoint};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Strain};
use lissome_model::{Invalid, Rod};
use lissome_sparse::FactorError;
use nalgebra::{Cholesky, Vector6};

/// A chain of linear-strain elements, one for each increment.
#[derive(Clone, Debug)]
pub struct LinearStrainRod {
    curve: Curve,
    elements: Vec<LinearStrainElement>,
}

impl LinearStrainRod {
    /// On a compiled curve of degree one.
    pub(super) fn new(curve: Curve) -> Self {
        let elements = elements_of(&curve);
        Self { curve, elements }
    }

    pub(super) fn set_values(&mut self, model: &Rod) -> Result<(), Invalid> {
        self.curve.set_values(model)?;
        self.elements = elements_of(&self.curve);
        Ok(())
    }

    /// Its curve.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    /// Gradient, misfit Ω − ∂C/∂μ and compliance at `scratch.psi` for these stresses.
    pub(super) fn fill_tangent(&self, stress: &[Vector6<f64>], scratch: &mut RodScratch) {
        scratch.resolved = true;
        for (a, (element, mu)) in self.elements.iter().zip(stress).enumerate() {
            let response = element.respond(mu);
            scratch.gradient[a] = covector(mu);
            scratch.misfit[a] = strain_vector(&(scratch.psi[a] - response.increment));
            scratch.compliance.elements[a] = response.compliance;
            scratch.resolved &= response.resolved;
        }
    }

    /// Adds the tangent in poses and stresses: λ·∂²Ψ and the coupling, which is T itself. The compliance comes besides.
    pub(super) fn add_tangent(
        &self,
        map: &PoseMap,
        lambda: &[DualVector],
        nodes: &RodNodes<'_>,
        sink: &mut impl BlockSink,
    ) {
        self.curve.add_curvature_of_increments(map, lambda, nodes, sink);
        for (a, stress) in nodes.stress.iter().enumerate() {
            if let Some(near) = nodes.pose[a] {
                sink.add_symmetric(*stress, near, &-map.minus[a].twist_map());
            }
            if let Some(far) = nodes.pose[a + 1] {
                sink.add_symmetric(*stress, far, &map.plus[a].twist_map());
            }
        }
    }

    /// ∂²C/∂μ² at a stress.
    pub(super) fn fill_compliance(&self, stress: &[Vector6<f64>], compliance: &mut RodCompliance) {
        for ((element, mu), compliance) in self.elements.iter().zip(stress).zip(&mut compliance.elements) {
            *compliance = element.respond(mu).compliance;
        }
    }

    /// Adds `factor` times the compliance of the last evaluation to the stress blocks.
    pub(super) fn add_compliance(
        &self,
        last: &RodCompliance,
        factor: f64,
        nodes: &RodNodes<'_>,
        sink: &mut impl BlockSink,
    ) {
        for (node, compliance) in nodes.stress.iter().zip(&last.elements) {
            sink.add_symmetric(*node, *node, &(compliance * factor));
        }
    }

    /// Shows M x block by block.
    pub(super) fn compliance_times(
        &self,
        last: &RodCompliance,
        x: &[Vector6<f64>],
        mut see: impl FnMut(usize, Vector6<f64>),
    ) {
        for (a, (compliance, x)) in last.elements.iter().zip(x).enumerate() {
            see(a, compliance * x);
        }
    }

    /// x ← M⁻¹ x.
    pub(super) fn solve_compliance(&self, last: &RodCompliance, x: &mut [Vector6<f64>]) -> Result<(), FactorError> {
        for (block, (compliance, x)) in last.elements.iter().zip(x).enumerate() {
            // Positive definite for every stress, so only a number that is not finite can make it fail.
            let factor = Cholesky::<f64, _>::new(*compliance).ok_or(FactorError::NotFinite { block })?;
            *x = factor.solve(x);
        }
        Ok(())
    }

    /// The stress that belongs to each increment.
    pub(super) fn stress_of_strain(&self, increments: &[Vector6<f64>], stress: &mut [Vector6<f64>]) {
        for ((element, increment), mu) in self.elements.iter().zip(increments).zip(stress) {
            *mu = element.deform(&twist(increment)).stress;
        }
    }

    /// The same for increments as the curve has them.
    pub(super) fn stress_of_increments(&self, psi: &[DualVector], stress: &mut [Vector6<f64>]) {
        for ((element, psi), mu) in self.elements.iter().zip(psi).zip(stress) {
            *mu = element.deform(psi).stress;
        }
    }

    /// Σ W at these increments.
    pub(super) fn strain_energy(&self, increments: &[Vector6<f64>]) -> f64 {
        let elements = self.elements.iter().zip(increments);
        elements.map(|(element, psi)| element.energy(&element.deform(&twist(psi)).strain)).sum()
    }

    /// Σ W of the strains that answer to these stresses.
    pub(super) fn stored_energy(&self, stress: &[Vector6<f64>]) -> f64 {
        let elements = self.elements.iter().zip(stress);
        elements.map(|(element, mu)| element.energy(&element.respond(mu).strain)).sum()
    }

    /// Along the straight line of strain of each element, which leads from pose to pose.
    pub(super) fn sample_at(&self, poses: &[Pose], stress: &[Vector6<f64>], arc: &[f64]) -> Vec<Sample> {
        let one = |s: &f64| {
            let s = *s;
            let span = self.curve.knot_vector().find_span(s);
            let index = span - 1;
            let element = &self.elements[index];
            let line = element.respond(&stress[index]).strain;
            let along = s - self.curve.layout.knots[span];
            let pose = poses[index].boxplus(&line.motion(element.length, along).twist());
            let strain = strain_vector(&line.at(along - 0.5 * element.length));
            let stiffness = self.curve.section_at(span, s).stiffness();
            let natural = self.curve.natural_at(span, s, &self.curve.basis_at(span, s));
            let stress = covector(&(stiffness * (strain - natural))).wrench();
            Sample { s, pose, strain: Strain::from_vector(&strain), stress }
        };
        arc.iter().map(one).collect()
    }
}

/// One element for each span of a chain.
fn elements_of(curve: &Curve) -> Vec<LinearStrainElement> {
    let element = |span: &super::curve::layout::Span| {
        let places = &curve.layout.points[span.points.clone()];
        let values = &curve.values.points[span.points.clone()];
        let length = places.iter().map(|q| q.basis.weight).sum();
        let middle = places.iter().map(|q| q.s * q.basis.weight).sum::<f64>() / length;
        let sections: Vec<SectionPoint> = places
            .iter()
            .zip(values)
            .map(|(place, values)| SectionPoint {
                offset: place.s - middle,
                weight: place.basis.weight,
                stiffness: values.elastic.stiffness,
                natural: values.natural,
            })
            .collect();
        LinearStrainElement::new(length, &sections)
    };
    curve.layout.spans.iter().map(element).collect()
}
