//! Block LU of an unsymmetric band, with partial pivoting over the whole band to fall back on.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | D_j | pivot: one diagonal block, or a pair of neighbours, P_j D_j = L_j U_j | `LuPivot<6>`, `LuPivot<12>` |
//! | L_ij | A_ij U_j⁻¹ | `lower`, by columns |
//! | U_jk | L_j⁻¹ P_j A_jk | `upper`, by rows |
//! | m_i | sum of the magnitudes added up in diagonal entry i | `magnitude` |
//!
//! One pivot after the other, A_ik ← A_ik − L_ij U_jk. Rows are exchanged only inside pivots, which keeps the band; the
//! price is that growth must be watched.

use crate::block::{Block, ZERO, copy_and_check, six, six_mut, subtract_block_product, subtract_product};
use crate::lu_pivot::LuPivot;
use crate::pivot::hollow_rows;
use crate::refine::refine;
use crate::scalar_lu::ScalarLu;
use crate::{FactorError, GeneralBand, RETRY_GROWTH};

/// A pivot of the block elimination, in the order of elimination.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The pivot block of this block row.
    Single { first: usize },
    /// This block row and the next, and the index of their common pivot.
    Pair { first: usize, pivot: usize },
}

/// The factor of a [`GeneralBand`] and its memory, allocated once.
///
/// Block LU with pivoting inside diagonal blocks, singular ones joined with their successors. If that breaks down or
/// loses too many digits, the band is factored again with partial pivoting, some three times slower.
#[derive(Clone, Debug)]
pub struct GeneralFactor {
    block_rows: usize,
    half_bandwidth: usize,
    diagonal: Vec<Block>,
    /// A_ij, then L_ij: slot s of column j is block row j + 1 + s, for a pair counted from its second row.
    lower: Vec<Block>,
    /// A_jk, then U_jk: slot s of row j is block column j + 1 + s, for a pair counted from its second row.
    upper: Vec<Block>,
    steps: Vec<Step>,
    singles: Vec<LuPivot<6>>,
    pairs: Vec<LuPivot<12>>,
    magnitude: Vec<f64>,
    /// |A_ii|.
    original: Vec<f64>,
    growth: f64,
    scalar: ScalarLu,
    pivoted: bool,
}

impl GeneralFactor {
    /// Memory for matrices of this size.
    pub fn new(block_rows: usize, half_bandwidth: usize) -> Self {
        Self {
            block_rows,
            half_bandwidth,
            diagonal: vec![ZERO; block_rows],
            lower: vec![ZERO; block_rows * half_bandwidth],
            upper: vec![ZERO; block_rows * half_bandwidth],
            steps: Vec::with_capacity(block_rows),
            singles: vec![LuPivot::EMPTY; block_rows],
            pairs: Vec::with_capacity(block_rows / 2),
            magnitude: vec![0.0; 6 * block_rows],
            original: vec![0.0; 6 * block_rows],
            growth: f64::INFINITY,
            scalar: ScalarLu::new(6 * block_rows, 6 * half_bandwidth + 5),
            pivoted: false,
        }
    }

    /// Largest ratio of the magnitudes that were added up in a pivot to the pivot they left, in the block elimination.
    pub fn growth(&self) -> f64 {
        self.growth
    }

    /// Whether the last factorisation fell back on partial pivoting over the whole band.
    pub fn fell_back(&self) -> bool {
        self.pivoted
    }

    pub(crate) fn factor(&mut self, a: &GeneralBand) -> Result<(), FactorError> {
        let (matrix, factor) = ((a.block_rows(), a.half_bandwidth()), (self.block_rows, self.half_bandwidth));
        if matrix != factor {
            return Err(FactorError::SizeMismatch { matrix, factor });
        }
        self.load(a)?;
        self.pivoted = !(self.block_elimination() && self.growth <= RETRY_GROWTH);
        if self.pivoted { self.partial_pivoting(a) } else { Ok(()) }
    }

    /// Factors with partial pivoting over the whole band, whatever the block elimination would say.
    fn partial_pivoting(&mut self, a: &GeneralBand) -> Result<(), FactorError> {
        self.scalar.clear();
        for j in 0..self.block_rows {
            for i in a.rows(j) {
                self.scalar.set_block(i, j, &a.block(i, j).data.0);
            }
        }
        self.scalar.factor()
    }

    fn load(&mut self, a: &GeneralBand) -> Result<(), FactorError> {
        let w = self.half_bandwidth;
        for j in 0..self.block_rows {
            let mut zeros = [0.0; 6];
            for i in a.rows(j) {
                let block = &a.block(i, j).data.0;
                let target = match i.cmp(&j) {
                    std::cmp::Ordering::Less => &mut self.upper[i * w + j - i - 1],
                    std::cmp::Ordering::Equal => &mut self.diagonal[j],
                    std::cmp::Ordering::Greater => &mut self.lower[j * w + i - j - 1],
                };
                copy_and_check(target, block, &mut zeros);
            }
            if zeros != [0.0; 6] {
                return Err(FactorError::NotFinite { block: j });
            }
            let magnitude = six_mut(&mut self.magnitude, j);
            for c in 0..6 {
                magnitude[c] = self.diagonal[j][c][c].abs();
            }
            *six_mut(&mut self.original, j) = *magnitude;
        }
        Ok(())
    }

    /// False if a pivot vanished.
    fn block_elimination(&mut self) -> bool {
        self.steps.clear();
        self.pairs.clear();
        self.growth = 1.0;
        let mut j = 0;
        while j < self.block_rows && self.growth <= RETRY_GROWTH {
            let has_next = self.half_bandwidth > 0 && j + 1 < self.block_rows;
            let single = if has_next && self.needs_its_successor(j) { None } else { self.eliminate::<6>(j) };
            if let Some(pivot) = single {
                self.singles[j] = pivot;
                self.steps.push(Step::Single { first: j });
                j += 1;
                continue;
            }
            if !has_next {
                return false;
            }
            let Some(pivot) = self.eliminate::<12>(j) else { return false };
            self.steps.push(Step::Pair { first: j, pivot: self.pairs.len() });
            self.pairs.push(pivot);
            j += 2;
        }
        true
    }

    /// Whether block `j` has a row without stiffness of its own, in which the elimination so far left nothing but rounding
    /// errors, as in the symmetric factor.
    #[inline]
    fn needs_its_successor(&self, j: usize) -> bool {
        let original = six(&self.original, j);
        if !original.contains(&0.0) {
            return false;
        }
        let (below, right) = (&self.lower[j * self.half_bandwidth], &self.upper[j * self.half_bandwidth]);
        hollow_rows(original, six(&self.magnitude, j), six(&self.original, j + 1), |row, other| {
            below[row][other] * right[other][row]
        })
    }

    /// Factors the pivot of N/6 blocks at `j`, replaces its columns by L_ij and its rows by U_jk, updates the rest.
    /// Nothing is changed if the pivot is singular.
    #[inline]
    fn eliminate<const N: usize>(&mut self, j: usize) -> Option<LuPivot<N>> {
        let (group, w) = (N / 6, self.half_bandwidth);
        let next = j + group;
        let below = w.min(self.block_rows - next);

        let mut d = [[0.0; N]; N];
        for c in 0..group {
            for r in 0..group {
                let block = match r.cmp(&c) {
                    std::cmp::Ordering::Less => &self.upper[(j + r) * w + c - r - 1],
                    std::cmp::Ordering::Equal => &self.diagonal[j + c],
                    std::cmp::Ordering::Greater => &self.lower[(j + c) * w + r - c - 1],
                };
                for k in 0..6 {
                    d[6 * c + k][6 * r..6 * r + 6].copy_from_slice(&block[k]);
                }
            }
        }
        let mut magnitude = [0.0; N];
        magnitude.copy_from_slice(&self.magnitude[6 * j..6 * next]);
        let pivot = LuPivot::factor(&d, &magnitude)?;
        self.growth = self.growth.max(1.0 / pivot.significance);

        for i in 0..below {
            // The blocks (next + i, j + c) and (j + c, next + i); those outside the band are zero.
            let mut left = [[0.0; 6]; N];
            let mut top = [[0.0; N]; 6];
            for c in 0..group {
                let slot = group - 1 - c + i;
                if slot < w {
                    left[6 * c..6 * c + 6].copy_from_slice(&self.lower[(j + c) * w + slot]);
                    let block = &self.upper[(j + c) * w + slot];
                    for k in 0..6 {
                        top[k][6 * c..6 * c + 6].copy_from_slice(&block[k]);
                    }
                }
            }
            pivot.eliminate(&mut left, &mut top, six_mut(&mut self.magnitude, next + i));
            for c in 0..group {
                for k in 0..6 {
                    self.upper[(j + c) * w + i][k].copy_from_slice(&top[k][6 * c..6 * c + 6]);
                }
                self.lower[(j + c) * w + i].copy_from_slice(&left[6 * c..6 * c + 6]);
            }
        }

        let (lower_done, lower) = self.lower.split_at_mut(next * w);
        let (upper_done, upper) = self.upper.split_at_mut(next * w);
        for c in 0..group {
            let l = &lower_done[(j + c) * w..][..below];
            let u = &upper_done[(j + c) * w..][..below];
            for k in 0..below {
                subtract_block_product(&mut self.diagonal[next + k], &l[k], &u[k]);
                for i in k + 1..below {
                    subtract_block_product(&mut lower[k * w + i - k - 1], &l[i], &u[k]);
                    subtract_block_product(&mut upper[k * w + i - k - 1], &l[k], &u[i]);
                }
            }
        }
        Some(pivot)
    }

    /// Solves A x = b with iterative refinement and returns the [residual](GeneralBand::residual) that is left.
    /// `work` grows on first use.
    pub fn solve_refined(&self, a: &GeneralBand, b: &[f64], x: &mut [f64], work: &mut Vec<f64>) -> f64 {
        refine(a, b, x, work, |x| self.solve(x))
    }

    /// Solves A x = b in place.
    pub fn solve(&self, x: &mut [f64]) {
        assert!(x.len() == 6 * self.block_rows, "the right-hand side must have six numbers per block row");
        if self.pivoted {
            return self.scalar.solve(x);
        }
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
    fn forward<const N: usize>(&self, pivot: &LuPivot<N>, j: usize, x: &mut [f64]) {
        let (head, tail) = x[6 * j..].split_at_mut(N);
        let own: &mut [f64; N] = head.try_into().expect("the slice was split at N");
        *own = pivot.forward(own);
        for (c, y) in own.as_chunks::<6>().0.iter().enumerate() {
            let lower = &self.lower[(j + c) * self.half_bandwidth..][..self.half_bandwidth];
            for (target, l) in tail.as_chunks_mut::<6>().0.iter_mut().zip(lower) {
                subtract_product(target, l, y);
            }
        }
    }

    #[inline]
    fn backward<const N: usize>(&self, pivot: &LuPivot<N>, j: usize, x: &mut [f64]) {
        let (head, tail) = x[6 * j..].split_at_mut(N);
        let own: &mut [f64; N] = head.try_into().expect("the slice was split at N");
        for (c, y) in own.as_chunks_mut::<6>().0.iter_mut().enumerate() {
            let upper = &self.upper[(j + c) * self.half_bandwidth..][..self.half_bandwidth];
            for (x, u) in tail.as_chunks::<6>().0.iter().zip(upper) {
                subtract_product(y, u, x);
            }
        }
        *own = pivot.backward(*own);
    }
}
