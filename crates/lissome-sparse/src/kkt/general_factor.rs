//! Sparse block LU on the pattern and in the order of the symmetric factor.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | D_j | pivot of the group at position j, P_j D_j = L_j U_j | `pivots` |
//! | L_ij | A_ij U_j⁻¹ | `lower` |
//! | U_jk | L_j⁻¹ P_j A_jk | `upper`, at the place of the mirrored block of `lower` |
//! | m_i | sum of the magnitudes added up in diagonal entry i | `magnitude` |
//!
//! One group after the other, A_ik ← A_ik − L_ij U_jk. Rows are exchanged only inside groups.

use super::general_matrix::GeneralKktMatrix;
use super::layout::{gather, scatter};
use super::pattern::{Pattern, PatternError};
use super::symbolic::Symbolic;
use super::weak::WeakPivot;
use crate::FactorError;
use crate::block::{Block, ZERO, copy_and_check, subtract_block_product, subtract_part, subtract_transposed_product};
use crate::lu_pivot::LuPivot;
use crate::pivot::Breakdown;
use crate::refine::refine;

/// The factor of a [`GeneralKktMatrix`] and its memory, allocated once.
///
/// The elimination stops at the first group whose pivot vanishes, and names it. For more, factor the
/// [symmetric part](GeneralKktMatrix::symmetric_part_into): closures are the same there.
#[derive(Clone, Debug)]
pub struct GeneralKktFactor {
    symbolic: Symbolic,
    diagonal: Vec<Block>,
    lower: Vec<Block>,
    upper: Vec<Block>,
    pivots: Vec<LuPivot>,
    /// By positions.
    magnitude: Vec<[f64; 6]>,
    growth: f64,
    /// Groups that were eliminated.
    done: usize,
}

impl GeneralKktMatrix {
    /// Factors the matrix into preallocated memory. See [`GeneralKktFactor`].
    pub fn factor_into(&self, factor: &mut GeneralKktFactor) -> Result<(), FactorError> {
        factor.factor(self)
    }
}

impl GeneralKktFactor {
    /// Finds the order of elimination and allocates the factor.
    pub fn new(pattern: &Pattern) -> Result<Self, PatternError> {
        let mut factor = Self {
            symbolic: Symbolic::new(pattern)?,
            diagonal: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            pivots: Vec::new(),
            magnitude: Vec::new(),
            growth: f64::INFINITY,
            done: 0,
        };
        factor.allocate();
        Ok(factor)
    }

    /// Makes this the factor for a pattern that begins with the groups it was [made](Self::new) for, as
    /// [`KktFactor::rebuild`](super::KktFactor::rebuild).
    pub fn rebuild(&mut self, pattern: &Pattern) -> Result<(), PatternError> {
        self.symbolic = self.symbolic.rebuilt(pattern)?;
        self.allocate();
        Ok(())
    }

    fn allocate(&mut self) {
        let (count, blocks) = (self.symbolic.count(), self.symbolic.rows.len());
        self.diagonal.resize(count, ZERO);
        self.lower.resize(blocks, ZERO);
        self.upper.resize(blocks, ZERO);
        self.pivots.clear();
        self.pivots.resize(count, LuPivot::EMPTY);
        self.magnitude.resize(count, [0.0; 6]);
        (self.growth, self.done) = (f64::INFINITY, 0);
    }

    /// Digits lost in the weakest pivot, as [`KktFactor::growth`](super::KktFactor::growth).
    pub fn growth(&self) -> f64 {
        self.growth
    }

    /// Factors the matrix. The block of an error is the group by order of declaration.
    pub(crate) fn factor(&mut self, a: &GeneralKktMatrix) -> Result<(), FactorError> {
        self.symbolic.check_size(&a.layout)?;
        (self.done, self.growth) = (0, f64::INFINITY);
        self.load(a)?;
        self.growth = 1.0;
        for j in 0..self.pivots.len() {
            self.done = j;
            self.eliminate(j).map_err(|breakdown| breakdown.at(self.symbolic.group_at[j] as usize))?;
        }
        self.done = self.pivots.len();
        Ok(())
    }

    /// Pivots of the last factorisation that lost more than a factor of `growth`, as
    /// [`KktFactor::weak_pivots`](super::KktFactor::weak_pivots); without the one at which it stopped.
    pub fn weak_pivots(&self, growth: f64) -> impl Iterator<Item = WeakPivot> {
        let pivots = self.pivots[..self.done].iter().zip(&self.symbolic.group_at);
        pivots.filter_map(move |(pivot, &group)| {
            WeakPivot::beyond(growth, group, pivot.weakest_row(), pivot.significance)
        })
    }

    fn load(&mut self, a: &GeneralKktMatrix) -> Result<(), FactorError> {
        let mut zeros = [0.0; 6];
        for &at in &self.symbolic.fill {
            self.lower[at as usize] = ZERO;
            self.upper[at as usize] = ZERO;
        }
        for (load, (declared, mirrored)) in self.symbolic.loads.iter().zip(a.declared.iter().zip(&a.mirrored)) {
            let (below, above) = if load.above { (mirrored, declared) } else { (declared, mirrored) };
            copy_and_check(&mut self.lower[load.target as usize], below, &mut zeros);
            copy_and_check(&mut self.upper[load.target as usize], above, &mut zeros);
        }
        // The rows of the padding are never exchanged, as its columns are empty.
        self.symbolic.load_diagonal(&a.diagonal, &mut self.diagonal, &mut self.magnitude, &mut zeros);
        if zeros == [0.0; 6] { Ok(()) } else { Err(a.not_finite()) }
    }

    #[inline]
    fn eliminate(&mut self, j: usize) -> Result<(), Breakdown> {
        let pivot = LuPivot::factor(&self.diagonal[j], &self.magnitude[j], self.symbolic.nodes[j].size)?;
        self.growth = self.growth.max(1.0 / pivot.significance);

        let column = self.symbolic.column(j);
        let rows = &self.symbolic.rows[column.clone()];
        let nodes = &self.symbolic.nodes;
        let (size, size_of) = (nodes[j].size, |row: u32| nodes[row as usize].size);
        // All columns and rows that are updated come after this one.
        let (lower_done, lower_later) = self.lower.split_at_mut(column.end);
        let (upper_done, upper_later) = self.upper.split_at_mut(column.end);
        let (lower, upper) = (&mut lower_done[column.start..], &mut upper_done[column.start..]);
        for ((l, u), &row) in lower.iter_mut().zip(&mut *upper).zip(rows) {
            pivot.eliminate(l, u, &mut self.magnitude[row as usize], size_of(row));
        }
        let mut targets = self.symbolic.targets(j).iter();
        for (k, &row) in rows.iter().enumerate() {
            let columns = size_of(row);
            subtract_block_product(&mut self.diagonal[row as usize], &lower[k], &upper[k], size, columns);
            for ((i, &other), &target) in rows.iter().enumerate().skip(k + 1).zip(&mut targets) {
                let target = target as usize - column.end;
                subtract_block_product(&mut lower_later[target], &lower[i], &upper[k], size, columns);
                subtract_block_product(&mut upper_later[target], &lower[k], &upper[i], size, size_of(other));
            }
        }
        self.pivots[j] = pivot;
        Ok(())
    }

    /// Solves A x = b in place, and refuses a solution that is not finite.
    pub fn solve_checked(&self, x: &mut [f64]) -> Result<(), FactorError> {
        self.solve(x);
        self.symbolic.check_solution(x)
    }

    /// Solves A x = b in place. Numbers that are not finite in b stay so in x.
    pub fn solve(&self, x: &mut [f64]) {
        self.symbolic.forward(&self.lower, x, |j, b| self.pivots[j].forward(b));
        let nodes = &self.symbolic.nodes;
        for (j, pivot) in self.pivots.iter().enumerate().rev() {
            let (mut y, column) = (gather(&nodes[j], x), self.symbolic.column(j));
            // What is far from all that it may touch stands alone.
            if column.is_empty() && y == [0.0; 6] {
                continue;
            }
            for (u, &row) in self.upper[column.clone()].iter().zip(&self.symbolic.rows[column]) {
                let node = &nodes[row as usize];
                subtract_part(&mut y, u, &gather(node, x), node.size);
            }
            scatter(&nodes[j], &pivot.backward(y), x);
        }
    }

    /// Solves Aᵀ x = b in place, with the same factor.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        let nodes = &self.symbolic.nodes;
        for (j, pivot) in self.pivots.iter().enumerate() {
            let y = pivot.forward_transposed(gather(&nodes[j], x));
            scatter(&nodes[j], &y, x);
            let column = self.symbolic.column(j);
            for (u, &row) in self.upper[column.clone()].iter().zip(&self.symbolic.rows[column]) {
                let node = &nodes[row as usize];
                let mut sum = gather(node, x);
                subtract_transposed_product(&mut sum, u, &y);
                scatter(node, &sum, x);
            }
        }
        for (j, pivot) in self.pivots.iter().enumerate().rev() {
            let mut y = gather(&nodes[j], x);
            let column = self.symbolic.column(j);
            for (l, &row) in self.lower[column.clone()].iter().zip(&self.symbolic.rows[column]) {
                subtract_transposed_product(&mut y, l, &gather(&nodes[row as usize], x));
            }
            scatter(&nodes[j], &pivot.backward_transposed(y), x);
        }
    }

    /// Solves A x = b with iterative refinement and returns the [residual](GeneralKktMatrix::residual) that is left. `work`
    /// grows on first use.
    pub fn solve_refined(&self, a: &GeneralKktMatrix, b: &[f64], x: &mut [f64], work: &mut Vec<f64>) -> f64 {
        refine(a, b, x, work, |x| self.solve(x))
    }
}
