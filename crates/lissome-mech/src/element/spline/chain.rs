//! A rod of linear-strain elements: the chain of degree one, whose stresses answer element by element.
//!
//! Its functional is Σ (μᵀΩ − C(μ)) − W. The coupling of stresses and increments is the identity, the curvature of the
//! increments is that of every chain, and what is left to do here is C.

use super::SplineRod;
use super::tangent::{RodScratch, covector, strain_vector};
use crate::element::linear_strain::{LinearStrainElement, SectionPoint};
use lissome_lie::dual::{DualMatrix, DualVector};
use nalgebra::Vector6;

impl SplineRod {
    /// True if the rod is a chain of linear-strain elements.
    pub fn is_linear_strain(&self) -> bool {
        !self.compliance.elements.is_empty()
    }

    /// One element for each span of a compiled chain.
    pub(crate) fn linear_strain_elements(&self) -> Vec<LinearStrainElement> {
        self.spans
            .iter()
            .map(|span| {
                let points = &self.points[span.points.clone()];
                let length = points.iter().map(|q| q.basis.weight).sum();
                let middle = points.iter().map(|q| q.s * q.basis.weight).sum::<f64>() / length;
                let sections: Vec<SectionPoint> = points
                    .iter()
                    .map(|q| SectionPoint {
                        offset: q.s - middle,
                        weight: q.basis.weight,
                        stiffness: q.stiffness,
                        natural: q.natural,
                    })
                    .collect();
                LinearStrainElement::new(length, &sections)
            })
            .collect()
    }

    /// Gradient, misfit Ω − ∂C/∂μ and compliance at `scratch.psi` for these stresses.
    pub(crate) fn fill_from_stresses(&self, stress: &[Vector6<f64>], scratch: &mut RodScratch) {
        scratch.resolved = true;
        // One coupling block for each element, since p = 1.
        scratch.coupling.fill(DualMatrix::identity());
        for (a, (element, mu)) in self.compliance.elements.iter().zip(stress).enumerate() {
            let response = element.respond(mu);
            scratch.gradient[a] = covector(mu);
            scratch.misfit[a] = strain_vector(&(scratch.psi[a] - response.increment));
            scratch.compliance[a] = response.compliance;
            scratch.resolved &= response.resolved;
        }
    }

    /// The stress that belongs to each increment.
    pub(crate) fn stress_of_increments(&self, psi: &[DualVector], stress: &mut [Vector6<f64>]) {
        for ((element, psi), mu) in self.compliance.elements.iter().zip(psi).zip(stress) {
            *mu = element.deform(psi).stress;
        }
    }

    /// Σ W of the strains that belong to these stresses.
    pub(crate) fn energy_of_stresses(&self, stress: &[Vector6<f64>]) -> f64 {
        let elements = self.compliance.elements.iter().zip(stress);
        elements.map(|(element, mu)| element.energy(&element.respond(mu).strain)).sum()
    }
}
