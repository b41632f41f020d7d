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

use super::Carried;
use super::curve::Curve;
use super::curve::pose_map::PoseMap;
use super::scratch::{RodCompliance, RodNodes, RodScratch};
use super::tendons::SpanTendons;
use super::tendons::rates::StrainedPoint;
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

    /// The tendons that pass an element.
    fn tendons_of<'a>(&'a self, element: usize, tension: &'a [Vector6<f64>]) -> Option<SpanTendons<'a>> {
        SpanTendons::of(&self.curve.tendons, self.curve.layout.spans[element].points.start, tension)
    }

    /// Gradient, misfit Ω − ∂C/∂μ and compliance at `scratch.psi` for these stresses.
    pub(super) fn fill_tangent(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        scratch.resolved = true;
        for (a, (element, mu)) in self.elements.iter().zip(carried.stress).enumerate() {
            let response = element.respond_with(mu, self.tendons_of(a, carried.tension));
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
        sink: &mut dyn BlockSink,
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
    pub(super) fn fill_compliance(&self, carried: Carried<'_>, compliance: &mut RodCompliance) {
        let elements = self.elements.iter().zip(carried.stress).enumerate();
        for ((a, (element, mu)), compliance) in elements.zip(&mut compliance.elements) {
            *compliance = element.respond_with(mu, self.tendons_of(a, carried.tension)).compliance;
        }
    }

    /// Adds `factor` times the compliance of the last evaluation to the stress blocks.
    pub(super) fn add_compliance(
        &self,
        last: &RodCompliance,
        factor: f64,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
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
    pub(super) fn stress_of_strain(
        &self,
        increments: &[Vector6<f64>],
        tension: &[Vector6<f64>],
        stress: &mut [Vector6<f64>],
    ) {
        for (a, (increment, mu)) in increments.iter().zip(stress).enumerate() {
            *mu = self.elements[a].deform(&twist(increment), self.tendons_of(a, tension)).stress;
        }
    }

    /// The same for increments as the curve has them.
    pub(super) fn stress_of_increments(
        &self,
        psi: &[DualVector],
        tension: &[Vector6<f64>],
        stress: &mut [Vector6<f64>],
    ) {
        for (a, (psi, mu)) in psi.iter().zip(stress).enumerate() {
            *mu = self.elements[a].deform(psi, self.tendons_of(a, tension)).stress;
        }
    }

    /// Σ W at these increments.
    pub(super) fn strain_energy(&self, increments: &[Vector6<f64>], tension: &[Vector6<f64>]) -> f64 {
        let elements = self.elements.iter().zip(increments).enumerate();
        let of = |(a, (element, psi)): (usize, (&LinearStrainElement, &Vector6<f64>))| {
            element.energy(&element.deform(&twist(psi), self.tendons_of(a, tension)).strain)
        };
        elements.map(of).sum()
    }

    /// Σ W of the strains that answer to these stresses.
    pub(super) fn stored_energy(&self, carried: Carried<'_>) -> f64 {
        let elements = self.elements.iter().zip(carried.stress).enumerate();
        let of = |(a, (element, mu)): (usize, (&LinearStrainElement, &Vector6<f64>))| {
            element.energy(&element.respond_with(mu, self.tendons_of(a, carried.tension)).strain)
        };
        elements.map(of).sum()
    }

    /// Shows every point with the strain that answers to what the rod carries.
    pub(super) fn visit_strains(&self, carried: Carried<'_>, mut see: impl FnMut(StrainedPoint)) {
        for (a, (element, mu)) in self.elements.iter().zip(carried.stress).enumerate() {
            let line = element.respond_with(mu, self.tendons_of(a, carried.tension)).strain;
            for (k, q) in self.curve.layout.spans[a].points.clone().enumerate() {
                let strain = strain_vector(&line.at(element.offset(k)));
                see(StrainedPoint { q, strain });
            }
        }
    }

    /// Adds how far the length of one tendon gives way to the tension of each of the others at given stresses.
    pub(super) fn add_tension_couplings(&self, route: usize, others: &[usize], carried: Carried<'_>, sums: &mut [f64]) {
        for (a, (element, mu)) in self.elements.iter().zip(carried.stress).enumerate() {
            if let Some(tendons) = self.tendons_of(a, carried.tension) {
                element.add_tension_couplings(mu, tendons, (route, others), sums);
            }
        }
    }

    /// Shows how far each element's increment falls behind by a tension: −∂(∂C/∂μ)/∂T.
    pub(super) fn visit_tension_rates(
        &self,
        route: usize,
        carried: Carried<'_>,
        mut see: impl FnMut(usize, Vector6<f64>),
    ) {
        for (a, (element, mu)) in self.elements.iter().zip(carried.stress).enumerate() {
            if let Some(tendons) = self.tendons_of(a, carried.tension) {
                see(a, element.tension_rate(mu, tendons, route));
            }
        }
    }

    /// Along the straight line of strain of each element, which leads from pose to pose.
    pub(super) fn sample_at(&self, poses: &[Pose], carried: Carried<'_>, arc: &[f64]) -> Vec<Sample> {
        let one = |s: &f64| {
            let s = *s;
            let span = self.curve.knot_vector().find_span(s);
            let index = span - 1;
            let element = &self.elements[index];
            let tendons = self.tendons_of(index, carried.tension);
            let line = element.respond_with(&carried.stress[index], tendons).strain;
            let along = s - self.curve.layout.knots[span];
            let pose = poses[index].boxplus(&line.motion(element.length, along).twist());
            let strain = strain_vector(&line.at(along - 0.5 * element.length));
            let stiffness = self.curve.section_at(span, s).stiffness();
            let natural = self.curve.natural_at(span, s);
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
                stiffness: values.section.elastic.stiffness,
                natural: values.natural,
            })
            .collect();
        LinearStrainElement::new(length, &sections)
    };
    curve.layout.spans.iter().map(element).collect()
}
