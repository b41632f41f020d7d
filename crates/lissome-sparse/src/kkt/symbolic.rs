//! What a factorisation over a pattern does, found once: order, pattern of the factor, and which block updates which.

use super::extension::extended;
use super::layout::{Layout, gather, scatter};
use super::ordering::{Ordering, ordering};
use super::pattern::{Node, Pattern, PatternError};
use crate::FactorError;
use crate::block::{Block, copy_and_check, subtract_part};

/// Where a coupling of the matrix goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Its block below the diagonal of the factor.
    pub(crate) target: u32,
    /// The row of the coupling is eliminated before its column: it belongs above the diagonal.
    pub(crate) above: bool,
}

/// The plan of a factorisation. Positions count the groups in the order of elimination.
#[derive(Clone, Debug)]
pub(crate) struct Symbolic {
    /// Group at each position.
    pub(crate) group_at: Vec<u32>,
    /// Its unknowns.
    pub(crate) nodes: Vec<Node>,
    /// One for every coupling of the pattern.
    pub(crate) loads: Vec<Load>,
    /// Blocks that no coupling fills.
    pub(crate) fill: Vec<u32>,
    /// First block of each column below the diagonal, and one past the last of all.
    column_start: Vec<u32>,
    /// Position of the row of each block, ascending in each column.
    pub(crate) rows: Vec<u32>,
    target_start: Vec<u32>,
    /// For each column and each pair of its rows, second < first: the block that their product updates.
    targets: Vec<u32>,
    /// Blocks of the longest column.
    pub(crate) longest: usize,
    /// The order that was searched for, and the products it took; patterns that grow at their end start from it.
    base: Vec<u32>,
    base_cost: usize,
}

impl Symbolic {
    pub(crate) fn new(pattern: &Pattern) -> Result<Self, PatternError> {
        let order = ordering(pattern)?;
        let (base, cost) = (order.group_at.clone(), order.cost());
        Ok(Self::with(pattern, order, base, cost))
    }

    /// The plan for a pattern that begins with the groups this plan was [made](Self::new) for, without a new search for the
    /// order unless what was added makes the factorisation more than twice as dear.
    pub(crate) fn rebuilt(&self, pattern: &Pattern) -> Result<Self, PatternError> {
        if pattern.nodes.len() < self.base.len() {
            return Self::new(pattern);
        }
        let order = match extended(pattern, &self.base) {
            None => ordering(pattern)?,
            Some(order) if order.cost() <= 2 * self.base_cost => order,
            Some(order) => match ordering(pattern)? {
                searched if searched.cost() < order.cost() => searched,
                _ => order,
            },
        };
        Ok(Self::with(pattern, order, self.base.clone(), self.base_cost))
    }

    fn with(pattern: &Pattern, order: Ordering, base: Vec<u32>, base_cost: usize) -> Self {
        let count = pattern.nodes.len();
        let mut column_start = Vec::with_capacity(count + 1);
        let mut rows = Vec::with_capacity(order.columns.iter().map(Vec::len).sum());
        for column in &order.columns {
            column_start.push(rows.len() as u32);
            rows.extend_from_slice(column);
        }
        column_start.push(rows.len() as u32);

        let block = |row: u32, col: u32| {
            let start = column_start[col as usize];
            let column = &rows[start as usize..column_start[col as usize + 1] as usize];
            start + column.binary_search(&row).expect("the ordering adds all fill to the pattern") as u32
        };
        let mut is_fill = vec![true; rows.len()];
        let mut loads = Vec::with_capacity(pattern.couplings.len());
        for &(a, b) in &pattern.couplings {
            let (row, col) = (order.position[a as usize], order.position[b as usize]);
            let above = row < col;
            let target = block(row.max(col), row.min(col));
            is_fill[target as usize] = false;
            loads.push(Load { target, above });
        }
        let mut target_start = Vec::with_capacity(count);
        let mut targets = Vec::with_capacity(order.cost() - 2 * rows.len());
        for column in &order.columns {
            target_start.push(targets.len() as u32);
            for (k, &col) in column.iter().enumerate() {
                targets.extend(column[k + 1..].iter().map(|&row| block(row, col)));
            }
        }
        Self {
            nodes: order.group_at.iter().map(|&group| pattern.nodes[group as usize]).collect(),
            group_at: order.group_at,
            loads,
            fill: (0..rows.len() as u32).filter(|&at| is_fill[at as usize]).collect(),
            longest: order.columns.iter().map(Vec::len).max().unwrap_or(0),
            column_start,
            rows,
            target_start,
            targets,
            base,
            base_cost,
        }
    }

    /// Number of groups.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The blocks of a column below the diagonal.
    #[inline]
    pub(crate) fn column(&self, position: usize) -> std::ops::Range<usize> {
        self.column_start[position] as usize..self.column_start[position + 1] as usize
    }

    /// What the pairs of rows of a column update, and more.
    #[inline]
    pub(crate) fn targets(&self, position: usize) -> &[u32] {
        &self.targets[self.target_start[position] as usize..]
    }

    /// Number of 6×6 products: one for every block and every pair of blocks of a column.
    pub(crate) fn block_products(&self) -> usize {
        self.targets.len() + self.rows.len()
    }

    /// Forward substitution in all positions: `own(j, b)` is that of the pivot at j.
    #[inline]
    pub(crate) fn forward(&self, lower: &[Block], x: &mut [f64], own: impl Fn(usize, &[f64; 6]) -> [f64; 6]) {
        for (j, node) in self.nodes.iter().enumerate() {
            let b = gather(node, x);
            // Right-hand sides that act on few groups reach no more than those.
            if b == [0.0; 6] {
                continue;
            }
            let y = own(j, &b);
            scatter(node, &y, x);
            let (column, own) = (self.column(j), node.size);
            for (l, &row) in lower[column.clone()].iter().zip(&self.rows[column]) {
                let node = &self.nodes[row as usize];
                let mut sum = gather(node, x);
                subtract_part(&mut sum, l, &y, own);
                scatter(node, &sum, x);
            }
        }
    }

    /// Copies the diagonal blocks of a matrix to their positions and starts the magnitudes with their diagonals. The padding
    /// becomes an identity block of its own. See [`copy_and_check`] for `zeros`.
    #[inline]
    pub(crate) fn load_diagonal(
        &self,
        source: &[Block],
        target: &mut [Block],
        magnitude: &mut [[f64; 6]],
        zeros: &mut [f64; 6],
    ) {
        for (j, &group) in self.group_at.iter().enumerate() {
            let block = &mut target[j];
            copy_and_check(block, &source[group as usize], zeros);
            for k in self.nodes[j].size..6 {
                block[k][k] = 1.0;
            }
            magnitude[j] = std::array::from_fn(|k| block[k][k].abs());
        }
    }

    /// Names the first group whose unknowns are not finite.
    pub(crate) fn check_solution(&self, x: &[f64]) -> Result<(), FactorError> {
        if x.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        let bad = |node: &Node| x[node.first..node.first + node.size].iter().any(|value| !value.is_finite());
        let groups = self.nodes.iter().zip(&self.group_at).filter(|&(node, _)| bad(node));
        let block = groups.map(|(_, &group)| group as usize).min();
        Err(FactorError::NotFinite { block: block.unwrap_or_default() })
    }

    pub(crate) fn check_size(&self, matrix: &Layout) -> Result<(), FactorError> {
        let (matrix, factor) = (matrix.size(), (self.nodes.len(), self.loads.len()));
        if matrix == factor { Ok(()) } else { Err(FactorError::SizeMismatch { matrix, factor }) }
    }
}
