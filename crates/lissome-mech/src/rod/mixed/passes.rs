//! Sums over a mixed rod in its increments: strains, gradient, geometric stiffness and coupling.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | b_a | strain moment Σ w φ_a (ξ − ξ₀) | `RodScratch::strain` |
//! | b_a − Σ w φ_a e(n̄) | misfit of curve and stress, e the strain that the law answers with | `RodScratch::misfit` |
//! | A_ak | Σ w φ_a D_k | `RodScratch::coupling` |
//! | H | geometric stiffness of the stress | `RodScratch::geometric` |

use super::MixedRod;
use crate::rod::Carried;
use crate::rod::curve::by_degree;
use crate::rod::curve::kernel::{self, PointStrain, SpanTangent};
use crate::rod::scratch::{RodCompliance, RodScratch};
use crate::rod::vectors::{covector, strain_vector};
use lissome_lie::dual::{DualMatrix, DualVector};
use nalgebra::Vector6;

impl MixedRod {
    /// n̄ at quadrature point q of a span whose first increment is `first`.
    #[inline(always)]
    pub(super) fn stress_at<const P: usize>(&self, first: usize, q: usize, stress: &[Vector6<f64>]) -> Vector6<f64> {
        let basis = &self.curve.layout.points[q].basis;
        let mut n = Vector6::zeros();
        for a in 0..P {
            n += stress[first + a] * basis.stress_basis[a];
        }
        n
    }

    /// e(n̄) at quadrature point q. Where the law is not linear, its compliance goes into the Gram matrix of this
    /// evaluation.
    #[inline(always)]
    pub(super) fn answer_at<const P: usize>(
        &self,
        first: usize,
        q: usize,
        n: &Vector6<f64>,
        tension: &[Vector6<f64>],
        compliance: &mut RodCompliance,
    ) -> Vector6<f64> {
        if self.is_linear() {
            return self.laws[q].strain(n);
        }
        let response = self.respond(q, n, tension);
        self.add_to_gram(first, q, &response.compliance, &mut compliance.gram);
        response.strain
    }

    /// Fills `strain` (b) from `scratch.psi`.
    pub(in crate::rod) fn fill_strain(&self, scratch: &mut RodScratch) {
        by_degree!(self.curve.degree(), strain_pass(scratch) on self);
    }

    fn strain_pass<const P: usize>(&self, scratch: &mut RodScratch) {
        scratch.strain.fill(Vector6::zeros());
        for span in self.curve.layout.spans.iter() {
            let psi: &[DualVector; P] = scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            for q in span.points.clone() {
                let basis = &self.curve.layout.points[q].basis;
                let e = strain_vector(&(kernel::strain(psi, basis) - self.curve.values.points[q].natural));
                for a in 0..P {
                    scratch.strain[span.first + a] += e * (basis.weight * basis.stress_basis[a]);
                }
            }
        }
    }

    /// First order only: gradient, misfit and strain at `scratch.psi` for these stresses.
    pub(in crate::rod) fn fill_gradient(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        scratch.gradient.fill(DualVector::zero());
        scratch.misfit.fill(Vector6::zeros());
        scratch.strain.fill(Vector6::zeros());
        scratch.compliance.gram.clear();
        by_degree!(self.curve.degree(), gradient_pass(carried, scratch) on self);
    }

    fn gradient_pass<const P: usize>(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        for span in self.curve.layout.spans.iter() {
            let psi: [DualVector; P] = *scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            for q in span.points.clone() {
                let basis = &self.curve.layout.points[q].basis;
                let point = PointStrain::at(&psi, basis);
                let e = strain_vector(&(point.strain - self.curve.values.points[q].natural));
                let n = self.add_misfit::<P>(span.first, q, &e, carried, scratch);
                let weighted = covector(&n) * basis.weight;
                point.add_gradient(basis, &weighted, &mut scratch.gradient[span.first..]);
            }
        }
    }

    /// The misfit alone, where ξ at the points is known.
    pub(in crate::rod) fn fill_misfit(&self, carried: Carried<'_>, strains: &[DualVector], scratch: &mut RodScratch) {
        scratch.misfit.fill(Vector6::zeros());
        by_degree!(self.curve.degree(), misfit_pass(carried, strains, &mut scratch.misfit) on self);
    }

    fn misfit_pass<const P: usize>(&self, carried: Carried<'_>, strains: &[DualVector], misfits: &mut [Vector6<f64>]) {
        for span in self.curve.layout.spans.iter() {
            for q in span.points.clone() {
                let basis = &self.curve.layout.points[q].basis;
                let e = strain_vector(&(strains[q] - self.curve.values.points[q].natural));
                let n = self.stress_at::<P>(span.first, q, carried.stress);
                let answered = match self.is_linear() {
                    true => self.laws[q].strain(&n),
                    false => self.answer(q, &n, carried.tension).strain,
                };
                let misfit = e - answered;
                for a in 0..P {
                    misfits[span.first + a] += misfit * (basis.weight * basis.stress_basis[a]);
                }
            }
        }
    }

    /// Adds what point q says of strain and misfit, and returns n̄ there.
    #[inline(always)]
    fn add_misfit<const P: usize>(
        &self,
        first: usize,
        q: usize,
        e: &Vector6<f64>,
        carried: Carried<'_>,
        scratch: &mut RodScratch,
    ) -> Vector6<f64> {
        let basis = &self.curve.layout.points[q].basis;
        let n = self.stress_at::<P>(first, q, carried.stress);
        let misfit = e - self.answer_at::<P>(first, q, &n, carried.tension, &mut scratch.compliance);
        for a in 0..P {
            let k = basis.weight * basis.stress_basis[a];
            scratch.misfit[first + a] += misfit * k;
            scratch.strain[first + a] += e * k;
        }
        n
    }

    /// Everything second-order at `scratch.psi`, with the geometric stiffness of `stress`.
    pub(in crate::rod) fn fill_tangent(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        scratch.gradient.fill(DualVector::zero());
        scratch.geometric.fill(DualMatrix::zero());
        scratch.coupling.fill(DualMatrix::zero());
        scratch.misfit.fill(Vector6::zeros());
        scratch.strain.fill(Vector6::zeros());
        scratch.compliance.gram.clear();
        by_degree!(self.curve.degree(), tangent_pass(carried, scratch) on self);
        self.sum_gradient(carried.stress, scratch);
    }

    fn tangent_pass<const P: usize>(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        for span in self.curve.layout.spans.iter() {
            let psi: [DualVector; P] = *scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            let mut sum = SpanTangent::<P>::zero();
            for q in span.points.clone() {
                let basis = &self.curve.layout.points[q].basis;
                let j = kernel::jacobians(&psi, basis, false);
                let e = strain_vector(&(j.strain(&psi, basis) - self.curve.values.points[q].natural));
                let n = self.add_misfit::<P>(span.first, q, &e, carried, scratch);
                sum.add_coupling(basis, &j);
                sum.add_geometric(basis, &j, &(covector(&n) * basis.weight));
            }
            sum.finish(&psi);
            for i in 0..P {
                for k in 0..=i {
                    scratch.geometric[(span.first + i) * P + (i - k)] += sum.geometric[i][k];
                }
                for k in 0..P {
                    scratch.coupling[(span.first + i) * (2 * P - 1) + (k + P - 1 - i)] += sum.coupling[i][k];
                }
            }
        }
    }

    /// Σ_a A_akᵀ β_a.
    fn sum_gradient(&self, stress: &[Vector6<f64>], scratch: &mut RodScratch) {
        let (p, n) = (self.curve.degree(), self.curve.increments());
        for a in 0..n {
            let beta = covector(&stress[a]);
            for k in a.saturating_sub(p - 1)..(a + p).min(n) {
                let block = &scratch.coupling[a * (2 * p - 1) + (k + p - 1 - a)];
                scratch.gradient[k] += block.apply_transpose(&beta);
            }
        }
    }
}
