//! The assembled unsymmetric band: tangents with follower loads or dead moments.

use nalgebra::Matrix6;

use crate::block::{add_absolute_product, add_product, six, six_mut, subtract_product};
use crate::refine::backward_error;
use crate::{FactorError, GeneralFactor};

/// A matrix of 6×6 blocks that vanish for |row − column| > half-bandwidth, stored one block column after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneralBand {
    block_rows: usize,
    half_bandwidth: usize,
    blocks: Vec<Matrix6<f64>>,
}

impl GeneralBand {
    /// The zero matrix.
    pub fn new(block_rows: usize, half_bandwidth: usize) -> Self {
        let blocks = vec![Matrix6::zeros(); block_rows * (2 * half_bandwidth + 1)];
        Self { block_rows, half_bandwidth, blocks }
    }

    /// Number of block rows; the matrix has six times as many rows.
    pub fn block_rows(&self) -> usize {
        self.block_rows
    }

    /// Largest |row − column| of a stored block.
    pub fn half_bandwidth(&self) -> usize {
        self.half_bandwidth
    }

    /// Sets every block to zero.
    pub fn clear(&mut self) {
        self.blocks.fill(Matrix6::zeros());
    }

    /// Adds to the block (row, column).
    #[inline]
    pub fn add(&mut self, row: usize, col: usize, block: &Matrix6<f64>) {
        *self.block_mut(row, col) += block;
    }

    /// The block (row, column), to write in place.
    #[inline]
    pub fn block_mut(&mut self, row: usize, col: usize) -> &mut Matrix6<f64> {
        let slot = self.slot(row, col);
        &mut self.blocks[slot]
    }

    /// The block (row, column).
    #[inline]
    pub fn block(&self, row: usize, col: usize) -> &Matrix6<f64> {
        &self.blocks[self.slot(row, col)]
    }

    #[inline]
    fn slot(&self, row: usize, col: usize) -> usize {
        let w = self.half_bandwidth;
        assert!(
            row.abs_diff(col) <= w && row < self.block_rows && col < self.block_rows,
            "block ({row}, {col}) is outside the band of half-bandwidth {w}"
        );
        col * (2 * w + 1) + w + row - col
    }

    /// Block rows of a block column.
    #[inline]
    pub(crate) fn rows(&self, col: usize) -> std::ops::Range<usize> {
        col.saturating_sub(self.half_bandwidth)..(col + self.half_bandwidth + 1).min(self.block_rows)
    }

    /// y = A x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        assert!(x.len() == 6 * self.block_rows && y.len() == x.len(), "vectors must have six numbers per block row");
        y.fill(0.0);
        for j in 0..self.block_rows {
            for i in self.rows(j) {
                add_product(six_mut(y, i), &self.block(i, j).data.0, six(x, j));
            }
        }
    }

    /// Writes r = b − A x and returns the componentwise backward error, as [`SymmetricBand::residual`] does.
    ///
    /// [`SymmetricBand::residual`]: crate::SymmetricBand::residual
    pub fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64], scale: &mut [f64]) -> f64 {
        r.copy_from_slice(b);
        for (scale, b) in scale.iter_mut().zip(b) {
            *scale = b.abs();
        }
        for j in 0..self.block_rows {
            let xj = six(x, j);
            let size = xj.map(f64::abs);
            for i in self.rows(j) {
                let a = &self.block(i, j).data.0;
                subtract_product(six_mut(r, i), a, xj);
                add_absolute_product(six_mut(scale, i), a, &size);
            }
        }
        backward_error(r, scale)
    }

    /// Factors the matrix into preallocated memory. See [`GeneralFactor`].
    pub fn factor_into(&self, factor: &mut GeneralFactor) -> Result<(), FactorError> {
        factor.factor(self)
    }
}
