//! The values of a symmetric sparse matrix.

use nalgebra::storage::RawStorage;
use nalgebra::{Dim, Matrix, Matrix6};

use super::layout::{Layout, gather, scatter};
use super::pattern::{Pattern, Slot};
use crate::FactorError;
use crate::block::{
    Block, ZERO, add_absolute_product, add_absolute_transposed_product, add_block, cropped, is_finite,
    subtract_product, subtract_transposed_product, transpose,
};
use crate::refine::{Residual, backward_error};

/// A symmetric matrix over a [`Pattern`]. Blocks of groups with fewer than six unknowns are padded with zeros. The default
/// is a place holder without rows that allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct KktMatrix {
    pub(crate) layout: Layout,
    pub(crate) diagonal: Vec<Block>,
    pub(crate) off_diagonal: Vec<Block>,
}

impl KktMatrix {
    /// The zero matrix over a pattern. Blocks that are declared later are not part of it.
    pub fn new(pattern: &Pattern) -> Self {
        Self {
            layout: Layout::new(pattern),
            diagonal: vec![ZERO; pattern.nodes.len()],
            off_diagonal: vec![ZERO; pattern.couplings.len()],
        }
    }

    /// Makes this the zero matrix over another pattern, in the memory it has.
    pub fn rebuild(&mut self, pattern: &Pattern) {
        self.layout.rebuild(pattern);
        self.diagonal.resize(pattern.nodes.len(), ZERO);
        self.off_diagonal.resize(pattern.couplings.len(), ZERO);
        self.clear();
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.layout.rows()
    }

    /// Rows of a group in vectors; groups count in order of declaration.
    #[inline]
    pub fn rows_of(&self, group: usize) -> std::ops::Range<usize> {
        self.layout.rows_of(group)
    }

    /// The block of two groups by their [indices](super::Group::index); `None` if they were not coupled.
    #[inline]
    pub fn slot(&self, row: usize, col: usize) -> Option<Slot> {
        self.layout.slot(row, col)
    }

    /// Sets every value to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill(ZERO);
        self.off_diagonal.fill(ZERO);
    }

    /// Adds to a block, in the orientation in which the slot was asked for; its mirror image is implied. A diagonal block
    /// must be symmetric; its upper triangle is not read by the factorisation.
    #[inline]
    pub fn add<R: Dim, C: Dim, S: RawStorage<f64, R, C>>(&mut self, slot: Slot, values: &Matrix<f64, R, C, S>) {
        self.layout.check_shape(slot, values.shape());
        let (at, coupling) = slot.place();
        let target = if coupling { &mut self.off_diagonal[at] } else { &mut self.diagonal[at] };
        if slot.transposed {
            add_transposed(target, values);
        } else {
            add(target, values);
        }
    }

    /// Adds to the block of two groups by their [indices](super::Group::index); its mirror image is implied. Rows and columns
    /// beyond the sizes of the groups are left out. The way to write many blocks: one look-up for each.
    ///
    /// # Panics
    /// If the groups were not coupled.
    #[inline]
    pub fn add_block(&mut self, row: usize, col: usize, values: &Matrix6<f64>) {
        let values = &values.data.0;
        if row == col {
            let size = self.layout.nodes[row].size;
            let target = &mut self.diagonal[row];
            return if size == 6 { add_block(target, values) } else { add_block(target, &cropped(values, size, size)) };
        }
        let found = self.layout.find(row, col).expect("every block that is written was declared as a coupling");
        let target = &mut self.off_diagonal[found.coupling];
        match (found.whole, found.transposed) {
            (true, false) => add_block(target, values),
            (true, true) => add_block(target, &transpose(values)),
            (false, transposed) => {
                let values = cropped(values, self.layout.nodes[row].size, self.layout.nodes[col].size);
                add_block(target, &if transposed { transpose(&values) } else { values });
            }
        }
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
        let nodes = &self.layout.nodes;
        for (node, a) in nodes.iter().zip(&self.diagonal) {
            let mut sum = gather(node, y);
            plain(&mut sum, a, &gather(node, x));
            scatter(node, &sum, y);
        }
        for (&(row, col), a) in self.layout.couplings.iter().zip(&self.off_diagonal) {
            let (row, col) = (&nodes[row as usize], &nodes[col as usize]);
            let mut sum = gather(row, y);
            plain(&mut sum, a, &gather(col, x));
            scatter(row, &sum, y);
            let mut sum = gather(col, y);
            transposed(&mut sum, a, &gather(row, x));
            scatter(col, &sum, y);
        }
    }

    /// A group with a number that is not finite.
    #[cold]
    pub(crate) fn not_finite(&self) -> FactorError {
        let bad = |block: &Block| !is_finite(block);
        let diagonal = self.diagonal.iter().position(bad);
        let coupling = || self.off_diagonal.iter().position(bad).map(|at| self.layout.couplings[at].0 as usize);
        FactorError::NotFinite { block: diagonal.or_else(coupling).unwrap_or_default() }
    }
}

impl Residual for KktMatrix {
    fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64], scale: &mut [f64]) -> f64 {
        KktMatrix::residual(self, b, x, r, scale)
    }
}

/// Adds values to the first rows and columns of a block.
#[inline]
pub(crate) fn add<R: Dim, C: Dim, S: RawStorage<f64, R, C>>(target: &mut Block, values: &Matrix<f64, R, C, S>) {
    for c in 0..values.ncols() {
        for r in 0..values.nrows() {
            target[c][r] += values[(r, c)];
        }
    }
}

/// Adds the transpose of values to the first rows and columns of a block.
#[inline]
fn add_transposed<R: Dim, C: Dim, S: RawStorage<f64, R, C>>(target: &mut Block, values: &Matrix<f64, R, C, S>) {
    for c in 0..values.ncols() {
        for r in 0..values.nrows() {
            target[r][c] += values[(r, c)];
        }
    }
}
