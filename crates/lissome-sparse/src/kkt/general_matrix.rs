//! The values of an unsymmetric matrix on a symmetric pattern: tangents with follower loads or dead moments.

use nalgebra::storage::RawStorage;
use nalgebra::{Dim, Matrix, Matrix6};

use super::KktMatrix;
use super::layout::{Layout, gather, scatter};
use super::matrix::add;
use super::pattern::{Pattern, Slot};
use crate::FactorError;
use crate::block::{
    Block, ZERO, add_absolute_product, add_block, add_product, add_transposed_product, cropped, is_finite,
    subtract_product, transpose,
};
use crate::refine::{Residual, backward_error};

/// An unsymmetric matrix over a [`Pattern`]: every coupling stands for two blocks with values of their own.
#[derive(Clone, Debug)]
pub struct GeneralKktMatrix {
    pub(crate) layout: Layout,
    pub(crate) diagonal: Vec<Block>,
    /// The blocks (row, column) of the couplings as they were declared.
    pub(crate) declared: Vec<Block>,
    /// The blocks (column, row).
    pub(crate) mirrored: Vec<Block>,
}

impl GeneralKktMatrix {
    /// The zero matrix over a pattern. Blocks that are declared later are not part of it.
    pub fn new(pattern: &Pattern) -> Self {
        let count = pattern.couplings.len();
        Self {
            layout: Layout::new(pattern),
            diagonal: vec![ZERO; pattern.nodes.len()],
            declared: vec![ZERO; count],
            mirrored: vec![ZERO; count],
        }
    }

    /// Makes this the zero matrix over another pattern, in the memory it has.
    pub fn rebuild(&mut self, pattern: &Pattern) {
        self.layout.rebuild(pattern);
        self.diagonal.resize(pattern.nodes.len(), ZERO);
        self.declared.resize(pattern.couplings.len(), ZERO);
        self.mirrored.resize(pattern.couplings.len(), ZERO);
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

    /// The block of two groups by their [indices](super::Group::index); `None` if they were not coupled. A slot of a
    /// [`KktMatrix`] over the same pattern is the same.
    #[inline]
    pub fn slot(&self, row: usize, col: usize) -> Option<Slot> {
        self.layout.slot(row, col)
    }

    /// Sets every value to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill(ZERO);
        self.declared.fill(ZERO);
        self.mirrored.fill(ZERO);
    }

    /// Adds to a block, in the orientation in which the slot was asked for; nothing is added to its
    /// [mirror image](Slot::mirrored).
    #[inline]
    pub fn add<R: Dim, C: Dim, S: RawStorage<f64, R, C>>(&mut self, slot: Slot, values: &Matrix<f64, R, C, S>) {
        self.layout.check_shape(slot, values.shape());
        let (at, coupling) = slot.place();
        let blocks = match (coupling, slot.transposed) {
            (false, _) => &mut self.diagonal,
            (true, false) => &mut self.declared,
            (true, true) => &mut self.mirrored,
        };
        add(&mut blocks[at], values);
    }

    /// Adds to the block of two groups by their [indices](super::Group::index), and nothing to its mirror image. Rows and
    /// columns beyond the sizes of the groups are left out. The way to write many blocks: one look-up for each.
    ///
    /// # Panics
    /// If the groups were not coupled.
    #[inline]
    pub fn add_block(&mut self, row: usize, col: usize, values: &Matrix6<f64>) {
        let values = &values.data.0;
        let nodes = &self.layout.nodes;
        let (target, whole) = if row == col {
            (&mut self.diagonal[row], nodes[row].size == 6)
        } else {
            let found = self.layout.find(row, col).expect("every block that is written was declared as a coupling");
            let blocks = if found.transposed { &mut self.mirrored } else { &mut self.declared };
            (&mut blocks[found.coupling], found.whole)
        };
        if whole {
            add_block(target, values);
        } else {
            add_block(target, &cropped(values, nodes[row].size, nodes[col].size));
        }
    }

    /// y = A x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        self.accumulate(x, y, add_product);
    }

    /// y = Aᵀ x.
    pub fn multiply_transposed(&self, x: &[f64], y: &mut [f64]) {
        let nodes = &self.layout.nodes;
        y.fill(0.0);
        let mut add = |to: u32, a: &Block, from: u32| {
            let (to, from) = (&nodes[to as usize], &nodes[from as usize]);
            let mut sum = gather(to, y);
            add_transposed_product(&mut sum, a, &gather(from, x));
            scatter(to, &sum, y);
        };
        for (group, a) in (0u32..).zip(&self.diagonal) {
            add(group, a, group);
        }
        let blocks = self.declared.iter().zip(&self.mirrored);
        for (&(row, col), (declared, mirrored)) in self.layout.couplings.iter().zip(blocks) {
            add(col, declared, row);
            add(row, mirrored, col);
        }
    }

    /// Writes r = b − A x and returns the componentwise backward error, as [`KktMatrix::residual`] does.
    pub fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64], scale: &mut [f64]) -> f64 {
        r.copy_from_slice(b);
        for (scale, b) in scale.iter_mut().zip(b) {
            *scale = b.abs();
        }
        self.accumulate(x, r, subtract_product);
        self.accumulate(x, scale, |y, a, x| add_absolute_product(y, a, &x.map(f64::abs)));
        backward_error(r, scale)
    }

    /// Runs over all blocks, on padded groups.
    #[inline]
    fn accumulate(&self, x: &[f64], y: &mut [f64], product: impl Fn(&mut [f64; 6], &Block, &[f64; 6])) {
        let nodes = &self.layout.nodes;
        for (node, a) in nodes.iter().zip(&self.diagonal) {
            let mut sum = gather(node, y);
            product(&mut sum, a, &gather(node, x));
            scatter(node, &sum, y);
        }
        let blocks = self.declared.iter().zip(&self.mirrored);
        for (&(row, col), (declared, mirrored)) in self.layout.couplings.iter().zip(blocks) {
            let (row, col) = (&nodes[row as usize], &nodes[col as usize]);
            let mut sum = gather(row, y);
            product(&mut sum, declared, &gather(col, x));
            scatter(row, &sum, y);
            let mut sum = gather(col, y);
            product(&mut sum, mirrored, &gather(row, x));
            scatter(col, &sum, y);
        }
    }

    /// Writes (A + Aᵀ)/2 to a matrix over the same pattern.
    pub fn symmetric_part_into(&self, part: &mut KktMatrix) {
        assert!(self.layout.size() == part.layout.size(), "both matrices must be over the same pattern");
        let mean = |a: &Block, b: &Block| {
            let b = transpose(b);
            std::array::from_fn(|c| std::array::from_fn(|r| 0.5 * (a[c][r] + b[c][r])))
        };
        for (to, a) in part.diagonal.iter_mut().zip(&self.diagonal) {
            *to = mean(a, a);
        }
        for ((to, a), b) in part.off_diagonal.iter_mut().zip(&self.declared).zip(&self.mirrored) {
            *to = mean(a, b);
        }
    }

    /// A group with a number that is not finite.
    #[cold]
    pub(crate) fn not_finite(&self) -> FactorError {
        let bad = |block: &Block| !is_finite(block);
        let diagonal = self.diagonal.iter().position(bad);
        let declared = || self.declared.iter().position(bad).map(|at| self.layout.couplings[at].0 as usize);
        let mirrored = || self.mirrored.iter().position(bad).map(|at| self.layout.couplings[at].1 as usize);
        FactorError::NotFinite { block: diagonal.or_else(declared).or_else(mirrored).unwrap_or_default() }
    }
}

impl Residual for GeneralKktMatrix {
    fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64], scale: &mut [f64]) -> f64 {
        GeneralKktMatrix::residual(self, b, x, r, scale)
    }
}
