//! The compliance of a rod's stresses: the constant Gram matrix of a mixed spline, or what its linear-strain elements
//! answered at the last assembly.

use super::pose_map::RodBlocks;
use super::rod::SplineRod;
use super::tangent::RodScratch;
use crate::sink::BlockSink;
use nalgebra::{Cholesky, Vector6};

impl SplineRod {
    /// Adds `factor` M to the stress blocks.
    pub fn add_compliance(&self, scratch: &RodScratch, factor: f64, blocks: &RodBlocks<'_>, sink: &mut impl BlockSink) {
        if !self.has_independent_stress() {
            return;
        }
        for (block, compliance) in blocks.stress.iter().zip(&scratch.compliance) {
            sink.add_symmetric(*block, *block, &(compliance * factor));
        }
        if self.is_linear_strain() {
            return;
        }
        let gram = &self.compliance.gram;
        for a in 0..self.increments() {
            for b in a.saturating_sub(self.degree - 1)..=a {
                sink.add_symmetric(blocks.stress[a], blocks.stress[b], &(gram.block(a, b) * factor));
            }
        }
    }

    /// y = M x, six numbers for each stress.
    pub fn compliance_times(&self, scratch: &RodScratch, x: &[f64], y: &mut [f64]) {
        if !self.is_linear_strain() {
            return self.compliance.gram.multiply(x, y);
        }
        for ((x, y), compliance) in x.chunks_exact(6).zip(y.chunks_exact_mut(6)).zip(&scratch.compliance) {
            y.copy_from_slice((compliance * Vector6::from_column_slice(x)).as_slice());
        }
    }

    /// x ← M⁻¹ x.
    pub fn compliance_solve(&self, scratch: &RodScratch, x: &mut [f64]) {
        if !self.is_linear_strain() {
            return self.compliance.gram_factor.solve(x);
        }
        for (x, compliance) in x.chunks_exact_mut(6).zip(&scratch.compliance) {
            let factor = Cholesky::new(*compliance).expect("the compliance of an element is positive definite");
            x.copy_from_slice(factor.solve(&Vector6::from_column_slice(x)).as_slice());
        }
    }
}
