//! The assembled symmetric matrix: its lower block band.

use nalgebra::Matrix6;

use crate::block::{
    Block, add_absolute_product, add_absolute_transposed_product, add_product, add_transposed_product, six, six_mut,
    subtract_product, subtract_transposed_product,
};
use crate::refine::{Residual, backward_error};

/// A symmetric matrix of 6×6 blocks that vanish for |row − column| > half-bandwidth.
///
/// Stored is the lower block triangle, one block column after the other: the diagonal block, then those below.
/// The last columns keep room for blocks below the matrix, which are never read.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricBand {
    block_rows: usize,
    half_bandwidth: usize,
    blocks: Vec<Matrix6<f64>>,
}

impl SymmetricBand {
    /// The zero matrix.
    pub fn new(block_rows: usize, half_bandwidth: usize) -> Self {
        let blocks = vec![Matrix6::zeros(); block_rows * (half_bandwidth + 1)];
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

    /// Adds to the block (row, column) with row ≥ column. A diagonal block must be symmetric; its upper triangle is
    /// not read by the factorisation.
    #[inline]
    pub fn add(&mut self, row: usize, col: usize, block: &Matrix6<f64>) {
        *self.block_mut(row, col) += block;
    }

    /// The block (row, column), row ≥ column, to write in place.
    #[inline]
    pub fn block_mut(&mut self, row: usize, col: usize) -> &mut Matrix6<f64> {
        let slot = self.slot(row, col);
        &mut self.blocks[slot]
    }

    /// The block (row, column), row ≥ column.
    #[inline]
    pub fn block(&self, row: usize, col: usize) -> &Matrix6<f64> {
        &self.blocks[self.slot(row, col)]
    }

    #[inline]
    fn slot(&self, row: usize, col: usize) -> usize {
        assert!(
            col <= row && row - col <= self.half_bandwidth && row < self.block_rows,
            "block ({row}, {col}) is outside the lower band of half-bandwidth {}",
            self.half_bandwidth
        );
        col * (self.half_bandwidth + 1) + row - col
    }

    /// Block column `col` from its diagonal block down to the last row of the matrix.
    #[inline]
    pub(crate) fn column(&self, col: usize) -> impl ExactSizeIterator<Item = &Block> {
        let first = col * (self.half_bandwidth + 1);
        let count = (self.half_bandwidth + 1).min(self.block_rows - col);
        self.blocks[first..first + count].iter().map(|b| &b.data.0)
    }

    /// y = A x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        assert!(x.len() == 6 * self.block_rows && y.len() == x.len(), "vectors must have six numbers per block row");
        y.fill(0.0);
        for j in 0..self.block_rows {
            let xj = six(x, j);
            let mut yj = *six(y, j);
            for (offset, a) in self.column(j).enumerate() {
                if offset == 0 {
                    add_product(&mut yj, a, xj);
                } else {
                    add_product(six_mut(y, j + offset), a, xj);
                    add_transposed_product(&mut yj, a, six(x, j + offset));
                }
            }
            *six_mut(y, j) = yj;
        }
    }

    /// Writes r = b − A x and returns the componentwise backward error max |r|_i / (|A| |x| + |b|)_i: x solves exactly a
    /// system whose entries differ by at most this fraction (Oettli and Prager). It does not depend on any units. Rows
    /// whose terms are below the square of the roundoff of the largest row hold only rounding of rounding, and count
    /// against that. `scale` is workspace. Infinite if a number is not finite.
    pub fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64], scale: &mut [f64]) -> f64 {
        r.copy_from_slice(b);
        for (scale, b) in scale.iter_mut().zip(b) {
            *scale = b.abs();
        }
        for j in 0..self.block_rows {
            let xj = six(x, j);
            let size = xj.map(f64::abs);
            let (mut rj, mut scale_j) = (*six(r, j), *six(scale, j));
            for (offset, a) in self.column(j).enumerate() {
                if offset == 0 {
                    subtract_product(&mut rj, a, xj);
                    add_absolute_product(&mut scale_j, a, &size);
                } else {
                    let other = six(x, j + offset);
                    subtract_product(six_mut(r, j + offset), a, xj);
                    add_absolute_product(six_mut(scale, j + offset), a, &size);
                    subtract_transposed_product(&mut rj, a, other);
                    add_absolute_transposed_product(&mut scale_j, a, &other.map(f64::abs));
                }
            }
            *six_mut(r, j) = rj;
            *six_mut(scale, j) = scale_j;
        }
        backward_error(r, scale)
    }
}

impl Residual for SymmetricBand {
    fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64], scale: &mut [f64]) -> f64 {
        SymmetricBand::residual(self, b, x, r, scale)
    }
}
