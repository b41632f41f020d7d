//! Sparse block LDLᵀ: the kernels of the band on the pattern that the ordering gives.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | D_j | pivot of the group at position j | `pivots` |
//! | X_ij | A_ij P_jᵀ L_j⁻ᵀ | `panel` |
//! | L_ij | X_ij Δ_j⁻¹ | `lower` |
//! | m_i | sum of the magnitudes added up in diagonal entry i | `magnitude` |
//!
//! One group after the other, A_ik ← A_ik − L_ij X_kjᵀ.

use super::layout::{gather, scatter};
use super::matrix::KktMatrix;
use super::pattern::{Pattern, PatternError};
use super::symbolic::Symbolic;
use super::weak::WeakPivot;
use crate::block::{
    Block, ZERO, copy_and_check, subtract_product_transposed, subtract_symmetric_product, subtract_transposed_product,
    transpose,
};
use crate::pivot::Pivot;
use crate::refine::refine;
use crate::{FactorError, Inertia};

/// The factor of a [`KktMatrix`] and its memory, allocated once.
///
/// A singular matrix is refused, but factored to the end without the rows whose pivots vanished: [`Self::weak_pivots`] names
/// them, [`Inertia::zero`] counts them, and [`Self::solve`] gives zero for their unknowns. If what it gives leaves a residual
/// in these rows, they contradict the others; if not, they only repeat them.
#[derive(Clone, Debug)]
pub struct KktFactor {
    symbolic: Symbolic,
    /// Of what is left to eliminate; lower triangles.
    diagonal: Vec<Block>,
    lower: Vec<Block>,
    pivots: Vec<Pivot<6>>,
    panel: Vec<Block>,
    /// By positions.
    magnitude: Vec<[f64; 6]>,
    inertia: Inertia,
    growth: f64,
}

impl KktMatrix {
    /// Factors the matrix into preallocated memory. See [`KktFactor`].
    pub fn factor_into(&self, factor: &mut KktFactor) -> Result<Inertia, FactorError> {
        factor.factor(self)
    }
}

impl KktFactor {
    /// Finds the order of elimination and allocates the factor.
    pub fn new(pattern: &Pattern) -> Result<Self, PatternError> {
        let mut factor = Self {
            symbolic: Symbolic::new(pattern)?,
            diagonal: Vec::new(),
            lower: Vec::new(),
            pivots: Vec::new(),
            panel: Vec::new(),
            magnitude: Vec::new(),
            inertia: Inertia::default(),
            growth: f64::INFINITY,
        };
        factor.allocate();
        Ok(factor)
    }

    /// Makes this the factor for a pattern that begins with the groups it was [made](Self::new) for; the others may come
    /// and go. What is added is eliminated as soon as it may be, and the rest in the order it had, unless that makes the
    /// factorisation more than twice as dear: then the order is searched anew. Nothing is factored yet.
    pub fn rebuild(&mut self, pattern: &Pattern) -> Result<(), PatternError> {
        self.symbolic = self.symbolic.rebuilt(pattern)?;
        self.allocate();
        Ok(())
    }

    fn allocate(&mut self) {
        let count = self.symbolic.count();
        self.diagonal.resize(count, ZERO);
        self.lower.resize(self.symbolic.rows.len(), ZERO);
        self.pivots.clear();
        self.pivots.resize(count, Pivot::EMPTY);
        self.panel.resize(self.symbolic.longest, ZERO);
        self.magnitude.resize(count, [0.0; 6]);
        (self.inertia, self.growth) = (Inertia::default(), f64::INFINITY);
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
        self.symbolic.block_products()
    }

    /// Factors the matrix. The block of an error is the group by order of declaration. After numbers that are not finite
    /// nothing is known: no inertia, no weak pivots.
    fn factor(&mut self, a: &KktMatrix) -> Result<Inertia, FactorError> {
        self.symbolic.check_size(&a.layout)?;
        let result = self.load(a).and_then(|()| self.eliminate_all());
        if matches!(result, Err(FactorError::NotFinite { .. })) {
            self.pivots.fill(Pivot::EMPTY);
            (self.inertia, self.growth) = (Inertia::default(), f64::INFINITY);
        }
        result
    }

    fn eliminate_all(&mut self) -> Result<Inertia, FactorError> {
        self.inertia = Inertia::default();
        self.growth = 1.0;
        let mut singular = None;
        for j in 0..self.pivots.len() {
            let pivot = self.factor_pivot(j);
            if pivot.zero > 0 {
                let block = self.symbolic.group_at[j] as usize;
                if !pivot.finite {
                    return Err(FactorError::NotFinite { block });
                }
                singular = singular.or(Some(block));
            }
            self.eliminate(j, pivot);
        }
        singular.map_or(Ok(self.inertia), |block| Err(FactorError::Singular { block }))
    }

    /// Pivots of the last factorisation that lost more than a factor of `growth`, one for each group, in the order of
    /// elimination. Closures that repeat each other through different bodies leave more than rounding; a sound robot stays
    /// below 10⁸ or so, see [`SymmetricFactor::growth`](crate::SymmetricFactor::growth).
    pub fn weak_pivots(&self, growth: f64) -> impl Iterator<Item = WeakPivot> {
        let pivots = self.pivots.iter().zip(&self.symbolic.group_at);
        pivots.filter_map(move |(pivot, &group)| {
            WeakPivot::beyond(growth, group, pivot.weakest_row(), pivot.significance)
        })
    }

    /// Writes the vector with A x ≈ 0 that a weak pivot stands for, one in its own row or nearly so: the motion that nothing
    /// resists, or the reactions of closures that are in balance by themselves. Only rows that take part are not zero.
    pub fn undetermined(&self, weak: &WeakPivot, x: &mut [f64]) {
        x.fill(0.0);
        let at = self.symbolic.group_at.iter().position(|&group| group as usize == weak.group);
        let at = at.expect("the weak pivot is one of this factor");
        scatter(&self.symbolic.nodes[at], &self.pivots[at].weakest_direction(), x);
        self.backward(at, x);
    }

    fn load(&mut self, a: &KktMatrix) -> Result<(), FactorError> {
        let mut zeros = [0.0; 6];
        for &at in &self.symbolic.fill {
            self.lower[at as usize] = ZERO;
        }
        for (load, source) in self.symbolic.loads.iter().zip(&a.off_diagonal) {
            let target = &mut self.lower[load.target as usize];
            if load.above {
                copy_and_check(target, &transpose(source), &mut zeros);
            } else {
                copy_and_check(target, source, &mut zeros);
            }
        }
        self.symbolic.load_diagonal(&a.diagonal, &mut self.diagonal, &mut self.magnitude, &mut zeros);
        if zeros == [0.0; 6] { Ok(()) } else { Err(a.not_finite()) }
    }

    #[inline]
    fn factor_pivot(&mut self, j: usize) -> Pivot<6> {
        let (block, magnitude, size) = (&self.diagonal[j], &mut self.magnitude[j], self.symbolic.nodes[j].size);
        Pivot::factor_rows(block, magnitude, size)
    }

    #[inline]
    fn eliminate(&mut self, j: usize, pivot: Pivot<6>) {
        let size = self.symbolic.nodes[j].size;
        self.growth = self.growth.max(1.0 / pivot.significance);
        self.inertia.negative += pivot.negative;
        self.inertia.zero += pivot.zero;
        self.inertia.positive += size - pivot.negative - pivot.zero;

        let column = self.symbolic.column(j);
        let rows = &self.symbolic.rows[column.clone()];
        // All columns that are updated come after this one.
        let (done, later) = self.lower.split_at_mut(column.end);
        let lower = &mut done[column.start..];
        for ((x, l), &row) in self.panel.iter_mut().zip(&mut *lower).zip(rows) {
            pivot.eliminate(l, x, &mut self.magnitude[row as usize], size);
        }
        let mut targets = self.symbolic.targets(j).iter();
        for (k, (&row, x)) in rows.iter().zip(&self.panel).enumerate() {
            let columns = self.symbolic.nodes[row as usize].size;
            subtract_symmetric_product(&mut self.diagonal[row as usize], &lower[k], x, size, columns);
            for (l, &target) in lower[k + 1..].iter().zip(&mut targets) {
                subtract_product_transposed(&mut later[target as usize - column.end], l, x, size, columns);
            }
        }
        self.pivots[j] = pivot;
    }

    /// Solves A x = b in place, and refuses a solution that is not finite.
    pub fn solve_checked(&self, x: &mut [f64]) -> Result<(), FactorError> {
        self.solve(x);
        self.symbolic.check_solution(x)
    }

    /// Solves A x = b in place. Numbers that are not finite in b stay so in x.
    pub fn solve(&self, x: &mut [f64]) {
        self.symbolic.forward(&self.lower, x, |j, b| self.pivots[j].forward(b));
        self.backward(self.pivots.len(), x);
    }

    /// Back substitution in the positions before `end`.
    #[inline]
    fn backward(&self, end: usize, x: &mut [f64]) {
        let nodes = &self.symbolic.nodes;
        for (j, pivot) in self.pivots[..end].iter().enumerate().rev() {
            let (own, column) = (gather(&nodes[j], x), self.symbolic.column(j));
            // What is far from all that it may touch stands alone.
            if column.is_empty() && own == [0.0; 6] {
                continue;
            }
            let mut z = pivot.middle(&own);
            for (l, &row) in self.lower[column.clone()].iter().zip(&self.symbolic.rows[column]) {
                subtract_transposed_product(&mut z, l, &gather(&nodes[row as usize], x));
            }
            scatter(&nodes[j], &pivot.backward(z), x);
        }
    }

    /// Solves A x = b with iterative refinement and returns the [residual](KktMatrix::residual) that is left. `work` grows
    /// on first use.
    pub fn solve_refined(&self, a: &KktMatrix, b: &[f64], x: &mut [f64], work: &mut Vec<f64>) -> f64 {
        refine(a, b, x, work, |x| self.solve(x))
    }
}
