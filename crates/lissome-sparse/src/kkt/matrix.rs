//! The values of a symmetric sparse matrix.

use nalgebra::storage::RawStorage;
use nalgebra::{Dim, Matrix};

use super::pattern::{Node, OFF_DIAGONAL, Pattern, Slot};
use crate::block::{
    Block, ZERO, add_absolute_product, add_absolute_transposed_product, subtract_product, subtract_transposed_product,
};
use crate::refine::{Residual, backward_error};

/// A symmetric matrix over a [`Pattern`]. Blocks of groups with fewer than six unknowns are padded with zeros.
#[derive(Clone, Debug)]
pub struct KktMatrix {
    pub(crate) nodes: Vec<Node>,
    pub(crate) couplings: Vec<(u32, u32)>,
    pub(crate) diagonal: Vec<Block>,
    pub(crate) off_diagonal: Vec<Block>,
}

impl KktMatrix {
    /// The zero matrix over a pattern. Blocks that are declared later are not part of it.
    pub fn new(pattern: &Pattern) -> Self {
        Self {
            nodes: pattern.nodes.clone(),
            couplings: pattern.couplings.clone(),
            diagonal: vec![ZERO; pattern.nodes.len()],
            off_diagonal: vec![ZERO; pattern.couplings.len()],
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.first + node.size)
    }

    /// Sets every value to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill(ZERO);
        self.off_diagonal.fill(ZERO);
    }

    /// Adds to a block, in the orientation in which the slot was asked for. A diagonal block must be symmetric; its
    /// upper triangle is not read by the factorisation.
    #[inline]
    pub fn add<R: Dim, C: Dim, S: RawStorage<f64, R, C>>(&mut self, slot: Slot, values: &Matrix<f64, R, C, S>) {
        let at = (slot.index & !OFF_DIAGONAL) as usize;
        let (target, row, col) = if slot.index & OFF_DIAGONAL == 0 {
            (&mut self.diagonal[at], at, at)
        } else {
            let (row, col) = self.couplings[at];
            (&mut self.off_diagonal[at], row as usize, col as usize)
        };
        let (row, col) = if slot.transposed { (col, row) } else { (row, col) };
        let expected = (self.nodes[row].size, self.nodes[col].size);
        assert!(values.shape() == expected, "the block has shape {expected:?}, the values {:?}", values.shape());
        for c in 0..expected.1 {
            for r in 0..expected.0 {
                if slot.transposed {
                    target[r][c] += values[(r, c)];
                } else {
                    target[c][r] += values[(r, c)];
                }
            }
        }
    }

    /// Adds to a block of one row and one column.
    #[inline]
    pub fn add_scalar(&mut self, slot: Slot, value: f64) {
        self.add(slot, &nalgebra::Matrix1::new(value));
    }

    /// y = A x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        self.accumulate(x, y, subtract_product, subtract_transposed_product);
        for y in y {
            *y = -*y;
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
        self.accumulate(x, r, subtract_product, subtract_transposed_product);
        self.accumulate(
            x,
            scale,
            |y, a, x| add_absolute_product(y, a, &x.map(f64::abs)),
            |y, a, x| add_absolute_transposed_product(y, a, &x.map(f64::abs)),
        );
        backward_error(r, scale)
    }

    /// Runs over all blocks and their transposes, on padded groups.
    #[inline]
    fn accumulate(
        &self,
        x: &[f64],
        y: &mut [f64],
        plain: impl Fn(&mut [f64; 6], &Block, &[f64; 6]),
        transposed: impl Fn(&mut [f64; 6], &Block, &[f64; 6]),
    ) {
        for (node, a) in self.nodes.iter().zip(&self.diagonal) {
            let mut sum = gather(node, y);
            plain(&mut sum, a, &gather(node, x));
            scatter(node, &sum, y);
        }
        for (&(row, col), a) in self.couplings.iter().zip(&self.off_diagonal) {
            let (row, col) = (&self.nodes[row as usize], &self.nodes[col as usize]);
            let mut sum = gather(row, y);
            plain(&mut sum, a, &gather(col, x));
            scatter(row, &sum, y);
            let mut sum = gather(col, y);
            transposed(&mut sum, a, &gather(row, x));
            scatter(col, &sum, y);
        }
    }
}

impl Residual for KktMatrix {
    fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64], scale: &mut [f64]) -> f64 {
        KktMatrix::residual(self, b, x, r, scale)
    }
}

/// The unknowns of a group, padded with zeros.
#[inline]
pub(crate) fn gather(node: &Node, x: &[f64]) -> [f64; 6] {
    let mut out = [0.0; 6];
    out[..node.size].copy_from_slice(&x[node.first..node.first + node.size]);
    out
}

/// Writes the unknowns of a group, without the padding.
#[inline]
pub(crate) fn scatter(node: &Node, values: &[f64; 6], x: &mut [f64]) {
    x[node.first..node.first + node.size].copy_from_slice(&values[..node.size]);
}
