//! Sparse block LDLᵀ: the kernels of the band on the pattern that the ordering gives.

use super::matrix::{KktMatrix, gather, scatter};
use super::ordering::minimum_degree;
use super::pattern::{Node, Pattern, PatternError};
use crate::block::{
    Block, ZERO, copy_and_check, subtract_product, subtract_product_transposed, subtract_transposed_product,
};
use crate::pivot::Pivot;
use crate::refine::refine;
use crate::{FactorError, Inertia};

/// Where a coupling of the matrix goes.
#[derive(Clone, Copy, Debug)]
struct Load {
    target: u32,
    transposed: bool,
}

/// The factor of a [`KktMatrix`] and its memory, allocated once.
#[derive(Clone, Debug)]
pub struct KktFactor {
    nodes: Vec<Node>,
    /// Group at each position of the elimination.
    group_at: Vec<u32>,
    loads: Vec<Load>,
    /// First block of each column in `lower`, and one past the last.
    column_start: Vec<usize>,
    /// Position of the row of each block, ascending in each column.
    rows: Vec<u32>,
    /// For each column and each pair of its rows, second ≤ first: the block that their product updates.
    targets: Vec<u32>,
    target_start: Vec<usize>,
    diagonal: Vec<Block>,
    lower: Vec<Block>,
    pivots: Vec<Pivot<6>>,
    panel: Vec<Block>,
    /// Sum of the magnitudes added up in each diagonal entry, by positions.
    magnitude: Vec<[f64; 6]>,
    work: Vec<[f64; 6]>,
    inertia: Inertia,
    growth: f64,
}

impl KktFactor {
    /// Finds the order of elimination and allocates the factor.
    pub fn new(pattern: &Pattern) -> Result<Self, PatternError> {
        let ordering = minimum_degree(pattern)?;
        let count = pattern.nodes.len();
        let mut column_start = Vec::with_capacity(count + 1);
        let mut rows = Vec::new();
        for column in &ordering.columns {
            column_start.push(rows.len());
            rows.extend_from_slice(column);
        }
        column_start.push(rows.len());

        let block = |row: u32, col: u32| {
            let start = column_start[col as usize];
            let column = &rows[start..column_start[col as usize + 1]];
            let at = column.binary_search(&row).expect("the ordering adds all fill to the pattern");
            (start + at) as u32
        };
        let loads = pattern
            .couplings
            .iter()
            .map(|&(a, b)| {
                let (row, col) = (ordering.position[a as usize], ordering.position[b as usize]);
                let transposed = row < col;
                Load { target: if transposed { block(col, row) } else { block(row, col) }, transposed }
            })
            .collect();
        let mut target_start = Vec::with_capacity(count);
        let mut targets = Vec::new();
        for column in &ordering.columns {
            target_start.push(targets.len());
            for (k, &col) in column.iter().enumerate() {
                targets.extend(column[k + 1..].iter().map(|&row| block(row, col)));
            }
        }
        let longest = ordering.columns.iter().map(Vec::len).max().unwrap_or(0);
        Ok(Self {
            nodes: pattern.nodes.clone(),
            loads,
            lower: vec![ZERO; rows.len()],
            column_start,
            rows,
            targets,
            target_start,
            group_at: ordering.group_at,
            diagonal: vec![ZERO; count],
            pivots: vec![Pivot::EMPTY; count],
            panel: vec![ZERO; longest],
            magnitude: vec![[0.0; 6]; count],
            work: vec![[0.0; 6]; count],
            inertia: Inertia::default(),
            growth: f64::INFINITY,
        })
    }

    /// Signs of the pivots of the last factorisation.
    pub fn inertia(&self) -> Inertia {
        self.inertia
    }

    /// Digits lost in the weakest pivot, as [`SymmetricFactor::growth`](crate::SymmetricFactor::growth).
    pub fn growth(&self) -> f64 {
        self.growth
    }

    /// Number of 6×6 products that the trailing updates take: the cost of a factorisation.
    pub fn block_products(&self) -> usize {
        self.targets.len() + self.rows.len()
    }

    /// Factors the matrix. The block of an error is the group by order of declaration.
    pub fn factor(&mut self, a: &KktMatrix) -> Result<Inertia, FactorError> {
        let (matrix, factor) = ((a.nodes.len(), a.couplings.len()), (self.nodes.len(), self.loads.len()));
        if matrix != factor {
            return Err(FactorError::SizeMismatch { matrix, factor });
        }
        self.load(a)?;
        self.inertia = Inertia::default();
        self.growth = 1.0;
        for j in 0..self.group_at.len() {
            self.eliminate(j).ok_or(FactorError::Singular { block: self.group_at[j] as usize })?;
        }
        Ok(self.inertia)
    }

    fn load(&mut self, a: &KktMatrix) -> Result<(), FactorError> {
        self.lower.fill(ZERO);
        for (at, (load, source)) in self.loads.iter().zip(&a.off_diagonal).enumerate() {
            let target = &mut self.lower[load.target as usize];
            let mut zeros = [0.0; 6];
            if load.transposed {
                let transposed = std::array::from_fn(|c| std::array::from_fn(|r| source[r][c]));
                copy_and_check(target, &transposed, &mut zeros);
            } else {
                copy_and_check(target, source, &mut zeros);
            }
            if zeros != [0.0; 6] {
                return Err(FactorError::NotFinite { block: a.couplings[at].0 as usize });
            }
        }
        for (j, &group) in self.group_at.iter().enumerate() {
            let mut zeros = [0.0; 6];
            copy_and_check(&mut self.diagonal[j], &a.diagonal[group as usize], &mut zeros);
            if zeros != [0.0; 6] {
                return Err(FactorError::NotFinite { block: group as usize });
            }
            for k in 0..6 {
                // The padding is an identity block of its own.
                if k >= self.nodes[group as usize].size {
                    self.diagonal[j][k][k] = 1.0;
                }
                self.magnitude[j][k] = self.diagonal[j][k][k].abs();
            }
        }
        Ok(())
    }

    /// `None` if the pivot is singular.
    fn eliminate(&mut self, j: usize) -> Option<()> {
        let pivot = Pivot::factor(&self.diagonal[j], &mut self.magnitude[j])?;
        self.growth = self.growth.max(1.0 / pivot.significance);
        self.inertia.negative += pivot.negative;
        self.inertia.positive += self.nodes[self.group_at[j] as usize].size - pivot.negative;

        let column = self.column_start[j]..self.column_start[j + 1];
        let rows = &self.rows[column.clone()];
        for (x_out, (l_out, &row)) in self.panel.iter_mut().zip(self.lower[column.clone()].iter_mut().zip(rows)) {
            let (x, l) = pivot.eliminate(l_out);
            let magnitude = &mut self.magnitude[row as usize];
            for c in 0..6 {
                for r in 0..6 {
                    magnitude[r] += (x[c][r] * l[c][r]).abs();
                }
            }
            (*x_out, *l_out) = (x, l);
        }
        // All columns that are updated come after this one.
        let (done, later) = self.lower.split_at_mut(column.end);
        let lower = &done[column.start..];
        let mut targets = self.targets[self.target_start[j]..].iter();
        for (k, (&row, x)) in rows.iter().zip(&self.panel).enumerate() {
            subtract_product_transposed(&mut self.diagonal[row as usize], &lower[k], x);
            for (l, &target) in lower[k + 1..].iter().zip(&mut targets) {
                subtract_product_transposed(&mut later[target as usize - column.end], l, x);
            }
        }
        self.pivots[j] = pivot;
        Some(())
    }

    /// Solves A x = b in place.
    pub fn solve(&mut self, x: &mut [f64]) {
        for (work, &group) in self.work.iter_mut().zip(&self.group_at) {
            *work = gather(&self.nodes[group as usize], x);
        }
        for j in 0..self.work.len() {
            let y = self.pivots[j].forward(&self.work[j]);
            self.work[j] = y;
            let column = self.column_start[j]..self.column_start[j + 1];
            for (l, &row) in self.lower[column.clone()].iter().zip(&self.rows[column]) {
                subtract_product(&mut self.work[row as usize], l, &y);
            }
        }
        for j in (0..self.work.len()).rev() {
            let mut z = self.pivots[j].middle(&self.work[j]);
            let column = self.column_start[j]..self.column_start[j + 1];
            for (l, &row) in self.lower[column.clone()].iter().zip(&self.rows[column]) {
                subtract_transposed_product(&mut z, l, &self.work[row as usize]);
            }
            self.work[j] = self.pivots[j].backward(z);
        }
        for (work, &group) in self.work.iter().zip(&self.group_at) {
            scatter(&self.nodes[group as usize], work, x);
        }
    }

    /// Solves A x = b with iterative refinement and returns the [residual](KktMatrix::residual) that is left. `work` grows
    /// on first use.
    pub fn solve_refined(&mut self, a: &KktMatrix, b: &[f64], x: &mut [f64], work: &mut Vec<f64>) -> f64 {
        refine(a, b, x, work, |x| self.solve(x))
    }
}
