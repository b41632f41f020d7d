//! Unsymmetric block bands: tangents with follower loads or dead moments.

use nalgebra::Matrix6;

use crate::FactorError;
use crate::block::{add_product, six, six_mut};
use crate::scalar_lu::ScalarLu;

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

    /// First and one past the last block row of a block column.
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

    /// Factors the matrix into preallocated memory. See [`GeneralFactor`].
    pub fn factor_into(&self, factor: &mut GeneralFactor) -> Result<(), FactorError> {
        factor.factor(self)
    }
}

/// LU of a [`GeneralBand`] with partial pivoting, and the memory it needs, allocated once.
#[derive(Clone, Debug)]
pub struct GeneralFactor {
    block_rows: usize,
    half_bandwidth: usize,
    scalar: ScalarLu,
}

impl GeneralFactor {
    /// Memory for matrices of this size.
    pub fn new(block_rows: usize, half_bandwidth: usize) -> Self {
        Self { block_rows, half_bandwidth, scalar: ScalarLu::new(6 * block_rows, 6 * half_bandwidth + 5) }
    }

    fn factor(&mut self, a: &GeneralBand) -> Result<(), FactorError> {
        let (matrix, factor) = ((a.block_rows(), a.half_bandwidth()), (self.block_rows, self.half_bandwidth));
        if matrix != factor {
            return Err(FactorError::SizeMismatch { matrix, factor });
        }
        self.scalar.clear();
        for j in 0..self.block_rows {
            for i in a.rows(j) {
                let block = a.block(i, j);
                for c in 0..6 {
                    for r in 0..6 {
                        self.scalar.set(6 * i + r, 6 * j + c, block[(r, c)]);
                    }
                }
            }
        }
        self.scalar.factor()
    }

    /// Solves A x = b in place.
    pub fn solve(&self, x: &mut [f64]) {
        assert!(x.len() == 6 * self.block_rows, "the right-hand side must have six numbers per block row");
        self.scalar.solve(x);
    }
}
