//! Sums over a rod in its displacement form: strains, gradient, geometric and material stiffness.

use super::DisplacementRod;
use crate::rod::Carried;
use crate::rod::curve::by_degree;
use crate::rod::curve::kernel::{self, PointJacobians, PointStrain, SpanTangent};
use crate::rod::scratch::RodScratch;
use crate::rod::tendons::stretch;
use crate::rod::vectors::{covector, strain_vector};
use lissome_lie::dual::{DualMatrix, DualVector};
use nalgebra::{Matrix6, Vector6};

impl DisplacementRod {
    /// Fills ξ − ξ₀ of each point from `scratch.psi`.
    pub(in crate::rod) fn fill_strain(&self, scratch: &mut RodScratch) {
        by_degree!(self.curve.degree(), strain_pass(scratch) on self);
    }

    fn strain_pass<const P: usize>(&self, scratch: &mut RodScratch) {
        for span in self.curve.layout.spans.iter() {
            let psi: &[DualVector; P] = scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            for q in span.points.clone() {
                let xi = kernel::strain(psi, &self.curve.layout.points[q].basis);
                scratch.strain[q] = strain_vector(&(xi - self.curve.values.points[q].natural));
            }
        }
    }

    /// First order only: gradient and strain at `scratch.psi`.
    pub(in crate::rod) fn fill_gradient(&self, tension: &[Vector6<f64>], scratch: &mut RodScratch) {
        scratch.gradient.fill(DualVector::zero());
        by_degree!(self.curve.degree(), gradient_pass(tension, scratch) on self);
    }

    fn gradient_pass<const P: usize>(&self, tension: &[Vector6<f64>], scratch: &mut RodScratch) {
        for span in self.curve.layout.spans.iter() {
            let psi: [DualVector; P] = *scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            for q in span.points.clone() {
                let (basis, values) = (&self.curve.layout.points[q].basis, &self.curve.values.points[q]);
                let point = PointStrain::at(&psi, basis);
                let e = strain_vector(&(point.strain - values.natural));
                scratch.strain[q] = e;
                let weighted = covector(&self.resist(q, &e, tension).0) * basis.weight;
                point.add_gradient(basis, &weighted, &mut scratch.gradient[span.first..]);
            }
        }
    }

    /// Adds `change` times the derivative of the gradient by the tension of a route, strains those of the last assembly.
    pub(in crate::rod) fn add_tension_gradient(
        &self,
        route: usize,
        change: f64,
        tension: &[Vector6<f64>],
        scratch: &RodScratch,
        gradient: &mut [DualVector],
    ) {
        by_degree!(self.curve.degree(), tension_pass(route, change, tension, scratch, gradient) on self);
    }

    fn tension_pass<const P: usize>(
        &self,
        route: usize,
        change: f64,
        tension: &[Vector6<f64>],
        scratch: &RodScratch,
        gradient: &mut [DualVector],
    ) {
        let tendons = &self.curve.tendons;
        for span in self.curve.layout.spans.iter() {
            let psi: [DualVector; P] = *scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            for q in span.points.clone() {
                let Some(hole) = tendons.hole(q, route) else { continue };
                let basis = &self.curve.layout.points[q].basis;
                let point = PointStrain::at(&psi, basis);
                let along = stretch(&hole, &strain_vector(&point.strain)).gradient;
                let weight = basis.weight * change * tendons.share(q, route, tension);
                point.add_gradient(basis, &(covector(&along) * weight), &mut gradient[span.first..]);
            }
        }
    }

    /// Everything second-order at `scratch.psi`, with the geometric stiffness of `stress`.
    pub(in crate::rod) fn fill_tangent(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        scratch.gradient.fill(DualVector::zero());
        scratch.geometric.fill(DualMatrix::zero());
        scratch.material.fill(Matrix6::zeros());
        by_degree!(self.curve.degree(), tangent_pass(carried, scratch) on self);
    }

    fn tangent_pass<const P: usize>(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        for span in self.curve.layout.spans.iter() {
            let psi: [DualVector; P] = *scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            let mut sum = SpanTangent::<P>::zero();
            for q in span.points.clone() {
                let (basis, values) = (&self.curve.layout.points[q].basis, &self.curve.values.points[q]);
                let j = kernel::jacobians(&psi, basis, false);
                let e = strain_vector(&(j.strain(&psi, basis) - values.natural));
                scratch.strain[q] = e;
                let resisted = self.resist(q, &e, carried.tension);
                add_material_of_point(span.first, basis.weight, &resisted, &j, scratch);
                sum.add_geometric(basis, &j, &(covector(&carried.stress[q]) * basis.weight));
            }
            sum.finish(&psi);
            for i in 0..P {
                for k in 0..=i {
                    scratch.geometric[(span.first + i) * P + (i - k)] += sum.geometric[i][k];
                }
            }
        }
    }
}

/// Adds w DᵀKD and the gradient w DᵀΛ of one point from its stress Λ and its stiffness K.
fn add_material_of_point<const P: usize>(
    first: usize,
    weight: f64,
    (stress, stiffness): &(Vector6<f64>, Matrix6<f64>),
    j: &PointJacobians<P>,
    scratch: &mut RodScratch,
) {
    let lambda = covector(stress) * weight;
    let d: [Matrix6<f64>; P] = std::array::from_fn(|i| j.strain_jacobian[i].twist_map());
    for i in 0..P {
        scratch.gradient[first + i] += j.strain_jacobian[i].apply_transpose(&lambda);
        let kd = stiffness * d[i] * weight;
        for k in 0..=i {
            scratch.material[(first + i) * P + (i - k)] += kd.tr_mul(&d[k]);
        }
    }
}
