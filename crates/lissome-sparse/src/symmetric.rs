//! Block LDLᵀ of a symmetric, possibly indefinite band, with the exact count of negative eigenvalues.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | D_j | pivot: one diagonal block, or a pair of neighbours | `Pivot<6>`, `Pivot<12>` |
//! | L_j, Δ_j, P_j | D_j = P_jᵀ L_j Δ_j L_jᵀ P_j | inside `Pivot` |
//! | X_ij | A_ij P_jᵀ L_j⁻ᵀ | `panel` |
//! | L_ij | X_ij Δ_j⁻¹ | `blocks` |
//! | m_i | sum of the magnitudes added up in diagonal entry i | `magnitude` |
//!
//! One pivot after the other, A_ik ← A_ik − L_ij X_kjᵀ. Rows and columns are never exchanged between blocks, so the
//! band keeps its width. A pair (j, j+1) reaches one block further down than its first column did; its L_ij still fit
//! into the memory of the two columns, as the block between the two is no longer needed.

use crate::block::{
    Block, ZERO, copy_and_check, six, six_mut, subtract_product, subtract_product_transposed,
    subtract_transposed_product,
};
use crate::pivot::{Breakdown, Pivot, hollow_rows};
use crate::refine::refine;
use crate::{FactorError, Inertia, RETRY_GROWTH, SymmetricBand};

/// A pivot of the block elimination, in the order of elimination.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The pivot block of this block row.
    Single { first: usize },
    /// This block row and the next, and the index of their common pivot.
    Pair { first: usize, pivot: usize },
}

/// How the diagonal blocks are grouped into pivots.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grouping {
    /// One by one; a singular one is joined with its successor.
    Singles,
    /// Two by two.
    Pairs,
}

/// The factor of a [`SymmetricBand`] and its memory, allocated once.
///
/// Pivots are diagonal blocks. A block that is singular when its turn comes, such as that of a pose without stiffness
/// of its own that precedes its stresses, is joined with the next block into one pivot. If the factorisation still
/// loses too many digits, it is done once more with all blocks joined two by two, and the better one is kept.
///
/// Every decision is the same when the units of any rows change. The price: from the numbers of [K Aᵀ; A −M] alone, a
/// weak K and a weak M cannot be told apart, only their product compares with A². The order of the blocks tells: what
/// comes first is eliminated first, as if it were the strong one. With poses of weak but non-zero stiffness before their
/// stresses, [`solve`](Self::solve) is therefore inaccurate, and only [`solve_refined`](Self::solve_refined) notices and
/// repairs it.
#[derive(Clone, Debug)]
pub struct SymmetricFactor {
    block_rows: usize,
    half_bandwidth: usize,
    /// L_ij by block columns: slot s of column j is block row j + s, for a pair the row s + 1 below its first.
    blocks: Vec<Block>,
    steps: Vec<Step>,
    singles: Vec<Pivot<6>>,
    pairs: Vec<Pivot<12>>,
    magnitude: Vec<f64>,
    /// |A_ii|.
    diagonal: Vec<f64>,
    panel: Vec<Block>,
    inertia: Inertia,
    growth: f64,
    products: usize,
}

impl SymmetricBand {
    /// Factors the matrix into preallocated memory. See [`SymmetricFactor`].
    pub fn factor_into(&self, factor: &mut SymmetricFactor) -> Result<Inertia, FactorError> {
        factor.factor(self)
    }
}

impl SymmetricFactor {
    /// Memory for matrices of this size.
    pub fn new(block_rows: usize, half_bandwidth: usize) -> Self {
        Self {
            block_rows,
            half_bandwidth,
            blocks: vec![ZERO; block_rows * (half_bandwidth + 1)],
            steps: Vec::with_capacity(block_rows),
            singles: vec![Pivot::EMPTY; block_rows],
            pairs: Vec::with_capacity(block_rows / 2),
            magnitude: vec![0.0; 6 * block_rows],
            diagonal: vec![0.0; 6 * block_rows],
            panel: vec![ZERO; 2 * half_bandwidth],
            inertia: Inertia::default(),
            growth: f64::INFINITY,
            products: 0,
        }
    }

    /// Signs of the pivots of the last factorisation.
    pub fn inertia(&self) -> Inertia {
        self.inertia
    }

    /// Largest ratio of the magnitudes that were added up in a pivot to the pivot they left: its decimal logarithm is the
    /// number of digits that the weakest pivot lost. Near 10¹⁶ no sign can be trusted. Independent of the units of the
    /// rows. Whether a *solution* can be trusted is for its [residual](SymmetricBand::residual) to say.
    pub fn growth(&self) -> f64 {
        self.growth
    }

    /// Number of 6×6 products that the trailing updates of the last factorisation took: its cost.
    pub fn block_products(&self) -> usize {
        self.products
    }

    fn factor(&mut self, a: &SymmetricBand) -> Result<Inertia, FactorError> {
        let (matrix, factor) = ((a.block_rows(), a.half_bandwidth()), (self.block_rows, self.half_bandwidth));
        if matrix != factor {
            return Err(FactorError::SizeMismatch { matrix, factor });
        }
        self.products = 0;
        let singles = self.run(a, Grouping::Singles, RETRY_GROWTH);
        if singles.is_ok() && self.growth <= RETRY_GROWTH {
            return singles;
        }
        let pairs = self.factor_in_pairs(a);
        let pairs_growth = self.growth;
        if pairs.is_ok() && pairs_growth <= RETRY_GROWTH {
            return pairs;
        }
        // Neither is good: the better one.
        let singles = self.run(a, Grouping::Singles, f64::INFINITY);
        match (&singles, &pairs) {
            (Err(_), Ok(_)) => self.factor_in_pairs(a),
            (Ok(_), Ok(_)) if pairs_growth < self.growth => self.factor_in_pairs(a),
            _ => singles,
        }
    }

    /// Factors with all blocks joined two by two, whatever single blocks would say.
    pub(crate) fn factor_in_pairs(&mut self, a: &SymmetricBand) -> Result<Inertia, FactorError> {
        self.run(a, Grouping::Pairs, f64::INFINITY)
    }

    /// Factors, but stops with the inertia so far when the growth exceeds its limit.
    fn run(&mut self, a: &SymmetricBand, grouping: Grouping, limit: f64) -> Result<Inertia, FactorError> {
        self.load(a)?;
        self.steps.clear();
        self.pairs.clear();
        self.inertia = Inertia::default();
        self.growth = 1.0;
        let mut j = 0;
        while j < self.block_rows && self.growth <= limit {
            let has_next = self.half_bandwidth > 0 && j + 1 < self.block_rows;
            let single = match grouping {
                Grouping::Pairs if has_next => Err(Breakdown::Vanished),
                Grouping::Singles if has_next && self.needs_its_successor(j) => Err(Breakdown::Vanished),
                _ => self.eliminate::<6>(j),
            };
            j += match single {
                Ok(pivot) => {
                    self.singles[j] = pivot;
                    self.steps.push(Step::Single { first: j });
                    1
                }
                Err(_) if has_next => {
                    let pivot = self.eliminate::<12>(j).map_err(|breakdown| breakdown.at(j))?;
                    self.steps.push(Step::Pair { first: j, pivot: self.pairs.len() });
                    self.pairs.push(pivot);
                    2
                }
                Err(breakdown) => return Err(breakdown.at(j)),
            };
        }
        Ok(self.inertia)
    }

    /// Copies the matrix and starts the magnitudes with its diagonal.
    fn load(&mut self, a: &SymmetricBand) -> Result<(), FactorError> {
        let stride = self.half_bandwidth + 1;
        for j in 0..self.block_rows {
            let mut zeros = [0.0; 6];
            for (target, block) in self.blocks[j * stride..].iter_mut().zip(a.column(j)) {
                copy_and_check(target, block, &mut zeros);
            }
            if zeros != [0.0; 6] {
                return Err(FactorError::NotFinite { block: j });
            }
            let diagonal = &self.blocks[j * stride];
            let magnitude = six_mut(&mut self.magnitude, j);
            for c in 0..6 {
                magnitude[c] = diagonal[c][c].abs();
            }
            *six_mut(&mut self.diagonal, j) = *magnitude;
        }
        Ok(())
    }

    /// Whether block `j` has a row without stiffness of its own, in which the elimination so far left nothing but rounding
    /// errors. A pivot made of them is regular, but swamps the block that the row depends on.
    #[inline]
    fn needs_its_successor(&self, j: usize) -> bool {
        let original = six(&self.diagonal, j);
        if !original.contains(&0.0) {
            return false;
        }
        let coupling = &self.blocks[j * (self.half_bandwidth + 1) + 1];
        hollow_rows(original, six(&self.magnitude, j), six(&self.diagonal, j + 1), |row, other| {
            coupling[row][other] * coupling[row][other]
        })
    }

    /// Factors the pivot of N/6 blocks at `j`, replaces its columns by L_ij and updates the columns to the right.
    /// Nothing is changed if the pivot is singular.
    #[inline]
    fn eliminate<const N: usize>(&mut self, j: usize) -> Result<Pivot<N>, Breakdown> {
        let (group, w) = (N / 6, self.half_bandwidth);
        let (stride, next) = (w + 1, j + group);
        let below = w.min(self.block_rows - next);

        let mut d = [[0.0; N]; N];
        for c in 0..group {
            for r in c..group {
                let block = &self.blocks[(j + c) * stride + r - c];
                for k in 0..6 {
                    d[6 * c + k][6 * r..6 * r + 6].copy_from_slice(&block[k]);
                }
            }
        }
        let mut magnitude = [0.0; N];
        magnitude.copy_from_slice(&self.magnitude[6 * j..6 * next]);
        let pivot = Pivot::factor(&d, &mut magnitude)?;
        self.magnitude[6 * j..6 * next].copy_from_slice(&magnitude);
        self.growth = larger(self.growth, 1.0 / pivot.significance);
        self.inertia.negative += pivot.negative;
        self.inertia.positive += N - pivot.negative;

        for i in 0..below {
            let mut b = [[0.0; 6]; N];
            for c in 0..group {
                // Block row next + i lies group − c + i below the diagonal of column j + c.
                if group - c + i <= w {
                    b[6 * c..6 * c + 6].copy_from_slice(&self.blocks[(j + c) * stride + group - c + i]);
                }
            }
            let mut x = [[0.0; 6]; N];
            pivot.eliminate(&mut b, &mut x, six_mut(&mut self.magnitude, next + i), N);
            let (x, l) = (x.as_chunks::<6>().0, b.as_chunks::<6>().0);
            for c in 0..group {
                self.panel[c * w + i] = x[c];
                self.blocks[(j + c) * stride + 1 + i] = l[c];
            }
        }

        let (head, tail) = self.blocks.split_at_mut(next * stride);
        for c in 0..group {
            let lower = &head[(j + c) * stride + 1..][..below];
            let panel = &self.panel[c * w..][..below];
            for (k, x) in panel.iter().enumerate() {
                for (target, l) in tail[k * stride..].iter_mut().zip(&lower[k..]) {
                    subtract_product_transposed(target, l, x, 6, 6);
                }
            }
        }
        self.products += group * below * (below + 1) / 2;
        Ok(pivot)
    }

    /// Solves A x = b in place.
    pub fn solve(&self, x: &mut [f64]) {
        assert!(x.len() == 6 * self.block_rows, "the right-hand side must have six numbers per block row");
        for step in &self.steps {
            match *step {
                Step::Single { first } => self.forward(&self.singles[first], first, x),
                Step::Pair { first, pivot } => self.forward(&self.pairs[pivot], first, x),
            }
        }
        for step in self.steps.iter().rev() {
            match *step {
                Step::Single { first } => self.backward(&self.singles[first], first, x),
                Step::Pair { first, pivot } => self.backward(&self.pairs[pivot], first, x),
            }
        }
    }

    #[inline]
    fn forward<const N: usize>(&self, pivot: &Pivot<N>, j: usize, x: &mut [f64]) {
        let (head, tail) = x[6 * j..].split_at_mut(N);
        let own: &mut [f64; N] = head.try_into().expect("the slice was split at N");
        let y = pivot.forward(own);
        for (c, y) in y.as_chunks::<6>().0.iter().enumerate() {
            for (target, l) in tail.as_chunks_mut::<6>().0.iter_mut().zip(self.lower(j + c)) {
                subtract_product(target, l, y);
            }
        }
        *own = y;
    }

    #[inline]
    fn backward<const N: usize>(&self, pivot: &Pivot<N>, j: usize, x: &mut [f64]) {
        let (head, tail) = x[6 * j..].split_at_mut(N);
        let own: &mut [f64; N] = head.try_into().expect("the slice was split at N");
        let mut z = pivot.middle(own);
        for (c, z) in z.as_chunks_mut::<6>().0.iter_mut().enumerate() {
            for (x, l) in tail.as_chunks::<6>().0.iter().zip(self.lower(j + c)) {
                subtract_transposed_product(z, l, x);
            }
        }
        *own = pivot.backward(z);
    }

    /// L_ij of one block column; longer than the matrix at its end.
    #[inline]
    fn lower(&self, j: usize) -> &[Block] {
        let first = j * (self.half_bandwidth + 1) + 1;
        &self.blocks[first..first + self.half_bandwidth]
    }

    /// Solves A x = b and improves x by iterative refinement, at most three steps, while that at least halves the
    /// residual. Returns the [residual](SymmetricBand::residual) that is left. `work` grows on first use.
    pub fn solve_refined(&self, a: &SymmetricBand, b: &[f64], x: &mut [f64], work: &mut Vec<f64>) -> f64 {
        refine(a, b, x, work, |x| self.solve(x))
    }
}

/// The larger number; `f64::max` costs more for its treatment of NaN.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
