//! The compliance of a mixed rod's stresses: the constant Gram matrix, or that of the last evaluation.

use super::MixedRod;
use crate::rod::Carried;
use crate::rod::curve::by_degree;
use crate::rod::scratch::{RodCompliance, RodNodes};
use crate::sink::BlockSink;
use lissome_sparse::{FactorError, SymmetricBand, SymmetricFactor};
use nalgebra::{Matrix6, Vector6};

impl MixedRod {
    /// M = Σ w φφᵀ ⊗ K⁻¹ and its factor. It is positive definite as the sections are, unless their numbers leave the range of
    /// an f64 on the way.
    pub(super) fn constant_gram(&self) -> SymmetricBand {
        let (blocks, half_width) = (self.curve.increments(), self.curve.degree() - 1);
        let mut matrix = SymmetricBand::new(blocks, half_width);
        for span in self.curve.layout.spans.iter() {
            for q in span.points.clone() {
                let flexibility = self.curve.values.points[q].section.elastic.flexibility;
                self.add_to_gram(span.first, q, &flexibility, &mut matrix);
            }
        }
        matrix
    }

    /// Adds w φφᵀ ⊗ C of quadrature point q.
    #[inline(always)]
    pub(super) fn add_to_gram(&self, first: usize, q: usize, compliance: &Matrix6<f64>, gram: &mut SymmetricBand) {
        let basis = &self.curve.layout.points[q].basis;
        for a in 0..self.curve.degree() {
            for b in 0..=a {
                let k = basis.weight * basis.stress_basis[a] * basis.stress_basis[b];
                gram.add(first + a, first + b, &(compliance * k));
            }
        }
    }

    /// Fills the Gram matrix at a stress, where it is not constant.
    pub(in crate::rod) fn fill_compliance(&self, carried: Carried<'_>, compliance: &mut RodCompliance) {
        if !self.is_linear() {
            compliance.gram.clear();
            by_degree!(self.curve.degree(), compliance_pass(carried, compliance) on self);
        }
    }

    fn compliance_pass<const P: usize>(&self, carried: Carried<'_>, compliance: &mut RodCompliance) {
        for span in self.curve.layout.spans.iter() {
            for q in span.points.clone() {
                let n = self.stress_at::<P>(span.first, q, carried.stress);
                self.answer_at::<P>(span.first, q, &n, carried.tension, compliance);
            }
        }
    }

    fn gram<'a>(&'a self, last: &'a RodCompliance) -> &'a SymmetricBand {
        self.constant_matrix().unwrap_or(&last.gram)
    }

    /// Adds `factor` M to the stress blocks.
    pub(in crate::rod) fn add_compliance(
        &self,
        last: &RodCompliance,
        factor: f64,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        let gram = self.gram(last);
        for a in 0..self.curve.increments() {
            for b in a.saturating_sub(self.curve.degree() - 1)..=a {
                sink.add_symmetric(nodes.stress[a], nodes.stress[b], &(gram.block(a, b) * factor));
            }
        }
    }

    /// Shows M x block by block.
    pub(in crate::rod) fn compliance_times(
        &self,
        last: &mut RodCompliance,
        x: &[Vector6<f64>],
        mut see: impl FnMut(usize, Vector6<f64>),
    ) {
        let RodCompliance { gram: own, flat, .. } = last;
        let gram = self.constant_matrix().unwrap_or(own);
        let (from, to) = flat.split_at_mut(6 * x.len());
        for (flat, x) in from.chunks_exact_mut(6).zip(x) {
            flat.copy_from_slice(x.as_slice());
        }
        gram.multiply(from, to);
        for (a, y) in to.chunks_exact(6).enumerate() {
            see(a, Vector6::from_column_slice(y));
        }
    }

    /// x ← M⁻¹ x.
    pub(in crate::rod) fn solve_compliance(
        &self,
        last: &mut RodCompliance,
        x: &mut [Vector6<f64>],
    ) -> Result<(), FactorError> {
        let RodCompliance { gram, factor, flat, .. } = last;
        match self.constant_factor() {
            Some(constant) => solve_blocks(&*constant?, x, flat),
            None => {
                gram.factor_into(factor)?;
                solve_blocks(factor, x, flat);
            }
        }
        Ok(())
    }
}

/// x ← (factor)⁻¹ x; `flat` must hold six numbers for each vector.
pub(super) fn solve_blocks(factor: &SymmetricFactor, x: &mut [Vector6<f64>], flat: &mut [f64]) {
    let flat = &mut flat[..6 * x.len()];
    for (flat, x) in flat.chunks_exact_mut(6).zip(x.iter()) {
        flat.copy_from_slice(x.as_slice());
    }
    factor.solve(flat);
    for (flat, x) in flat.chunks_exact(6).zip(x) {
        *x = Vector6::from_column_slice(flat);
    }
}
