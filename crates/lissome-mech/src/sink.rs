//! Where contributions write their blocks: a symmetric or a general band behind one small trait.

use lissome_sparse::{GeneralBand, SymmetricBand};
use nalgebra::Matrix6;

/// Receives 6×6 blocks of the tangent.
pub trait BlockSink {
    /// Adds a block and, unless on the diagonal, its transpose at the mirrored place.
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>);

    /// Adds a block at one place only. A symmetric matrix keeps the symmetric part of what lands on its diagonal
    /// and the lower triangle of the rest.
    fn add_general(&mut self, row: usize, column: usize, block: &Matrix6<f64>);
}

/// Drops every block, for when only the residual is wanted.
pub struct NoTangent;

impl BlockSink for NoTangent {
    fn add_symmetric(&mut self, _: usize, _: usize, _: &Matrix6<f64>) {}
    fn add_general(&mut self, _: usize, _: usize, _: &Matrix6<f64>) {}
}

impl BlockSink for SymmetricBand {
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        if row >= column {
            self.add(row, column, block);
        } else {
            self.add(column, row, &block.transpose());
        }
    }

    fn add_general(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        if row == column {
            self.add(row, row, &((block + block.transpose()) * 0.5));
        } else if row > column {
            self.add(row, column, block);
        }
    }
}

impl BlockSink for GeneralBand {
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        self.add(row, column, block);
        if row != column {
            self.add(column, row, &block.transpose());
        }
    }

    fn add_general(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        self.add(row, column, block);
    }
}
