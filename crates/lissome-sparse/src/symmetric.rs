//! Block LDLᵀ of a symmetric, possibly indefinite band, with the exact count of negative eigenvalues.

use crate::block::{
    Block, ZERO, six, six_mut, subtract_product, subtract_product_transposed, subtract_transposed_product,
};
use crate::pivot::Pivot;
use crate::{FactorError, Inertia, SymmetricBand};

/// Passes of row equilibration. Each halves the logarithm of the rows' spread.
const EQUILIBRATION_PASSES: usize = 2;

/// The factor of a [`SymmetricBand`] and the memory it needs, allocated once.
///
/// The matrix is first equilibrated, S A S with powers of two, so that moments and forces, metres and radians
/// compare. Then, one block column after the other, with pivot block D_j = P_jᵀ L_j Δ_j L_jᵀ P_j:
///
/// ```text
/// X_ij = A_ij P_jᵀ L_j⁻ᵀ,   L_ij = X_ij Δ_j⁻¹,   A_ik ← A_ik − L_ij X_kjᵀ
/// ```
#[derive(Clone, Debug)]
pub struct SymmetricFactor {
    block_rows: usize,
    half_bandwidth: usize,
    /// L_ij by block columns, first the slot of the diagonal block, which only serves during the elimination.
    blocks: Vec<Block>,
    pivots: Vec<Pivot<6>>,
    /// Powers of two, one per row.
    scale: Vec<f64>,
    /// Sum of the magnitudes that were added up in each diagonal entry.
    magnitude: Vec<f64>,
    /// X_ij of the current block column.
    panel: Vec<Block>,
    inertia: Inertia,
    growth: f64,
    significance: f64,
}

impl SymmetricFactor {
    /// Memory for matrices of this size.
    pub fn new(block_rows: usize, half_bandwidth: usize) -> Self {
        Self {
            block_rows,
            half_bandwidth,
            blocks: vec![ZERO; block_rows * (half_bandwidth + 1)],
            pivots: vec![Pivot::EMPTY; block_rows],
            scale: vec![1.0; 6 * block_rows],
            magnitude: vec![0.0; 6 * block_rows],
            panel: vec![ZERO; half_bandwidth],
            inertia: Inertia::default(),
            growth: 1.0,
            significance: 1.0,
        }
    }

    /// Signs of the pivots of the last factorisation.
    pub fn inertia(&self) -> Inertia {
        self.inertia
    }

    /// Largest sum of magnitudes in a diagonal entry of L Δ Lᵀ, relative to the largest entry of the equilibrated
    /// matrix. The backward error of a solve is about this times the unit roundoff.
    pub fn growth(&self) -> f64 {
        self.growth
    }

    /// Smallest ratio of a pivot to the magnitudes that cancelled to produce it: how many digits the weakest pivot kept.
    pub fn weakest_pivot(&self) -> f64 {
        self.significance
    }

    pub(crate) fn factor(&mut self, a: &SymmetricBand) -> Result<Inertia, FactorError> {
        let (matrix, factor) = ((a.block_rows(), a.half_bandwidth()), (self.block_rows, self.half_bandwidth));
        if matrix != factor {
            return Err(FactorError::SizeMismatch { matrix, factor });
        }
        self.equilibrate(a)?;
        self.load(a);
        self.inertia = Inertia::default();
        (self.growth, self.significance) = (1.0, f64::INFINITY);
        for j in 0..self.block_rows {
            self.eliminate(j)?;
        }
        Ok(self.inertia)
    }

    /// Powers of two that bring the largest entry of each row near one.
    fn equilibrate(&mut self, a: &SymmetricBand) -> Result<(), FactorError> {
        self.scale.fill(1.0);
        // `magnitude` holds the largest entries of the rows until `load` overwrites it.
        for _ in 0..EQUILIBRATION_PASSES {
            self.magnitude.fill(0.0);
            for j in 0..self.block_rows {
                let scale_column = *six(&self.scale, j);
                let mut column_largest = [[0.0; 6]; 6];
                for (offset, block) in a.column(j).enumerate() {
                    let scale_row = six(&self.scale, j + offset);
                    let mut row_largest = *six(&self.magnitude, j + offset);
                    for c in 0..6 {
                        for r in 0..6 {
                            let size = block[c][r].abs() * (scale_row[r] * scale_column[c]);
                            row_largest[r] = larger(row_largest[r], size);
                            column_largest[c][r] = larger(column_largest[c][r], size);
                        }
                    }
                    *six_mut(&mut self.magnitude, j + offset) = row_largest;
                }
                let largest = six_mut(&mut self.magnitude, j);
                for c in 0..6 {
                    largest[c] = column_largest[c].iter().fold(largest[c], |m, &x| larger(m, x));
                }
            }
            for (i, (scale, &largest)) in self.scale.iter_mut().zip(&self.magnitude).enumerate() {
                if largest == 0.0 {
                    return Err(FactorError::Singular { block: i / 6 });
                }
                if !largest.is_finite() {
                    return Err(FactorError::NotFinite { block: i / 6 });
                }
                *scale *= 1.0 / largest.sqrt();
            }
        }
        for scale in &mut self.scale {
            *scale = power_of_two(*scale);
        }
        Ok(())
    }

    /// Copies S A S and starts the magnitudes with its diagonal.
    fn load(&mut self, a: &SymmetricBand) {
        for j in 0..self.block_rows {
            let first = j * (self.half_bandwidth + 1);
            let scale_column = *six(&self.scale, j);
            for (offset, block) in a.column(j).enumerate() {
                let scale_row = six(&self.scale, j + offset);
                let target = &mut self.blocks[first + offset];
                for c in 0..6 {
                    for r in 0..6 {
                        target[c][r] = block[c][r] * (scale_row[r] * scale_column[c]);
                    }
                }
            }
            let diagonal = &self.blocks[first];
            let magnitude = six_mut(&mut self.magnitude, j);
            for c in 0..6 {
                magnitude[c] = diagonal[c][c].abs();
            }
        }
    }

    /// Factors pivot block `j`, replaces its column by L_ij and updates the columns to the right.
    fn eliminate(&mut self, j: usize) -> Result<(), FactorError> {
        let stride = self.half_bandwidth + 1;
        let below = self.half_bandwidth.min(self.block_rows - 1 - j);
        let magnitude = six_mut(&mut self.magnitude, j);
        let (head, tail) = self.blocks[j * stride..].split_at_mut(stride);
        let pivot = Pivot::factor(head[0], magnitude).ok_or(FactorError::Singular { block: j })?;
        self.growth = magnitude.iter().fold(self.growth, |g, &m| larger(g, m));
        self.significance = self.significance.min(pivot.significance);
        self.inertia.negative += pivot.negative;
        self.inertia.positive += 6 - pivot.negative;

        for i in 1..=below {
            let (x, l) = pivot.eliminate(&head[i]);
            let magnitude = six_mut(&mut self.magnitude, j + i);
            for c in 0..6 {
                for r in 0..6 {
                    magnitude[r] += (x[c][r] * l[c][r]).abs();
                }
            }
            self.panel[i - 1] = x;
            head[i] = l;
        }
        for k in 1..=below {
            let x = &self.panel[k - 1];
            let column = &mut tail[(k - 1) * stride..][..below - k + 1];
            for (target, l) in column.iter_mut().zip(&head[k..]) {
                subtract_product_transposed(target, l, x);
            }
        }
        self.pivots[j] = pivot;
        Ok(())
    }

    /// Solves A x = b in place.
    pub fn solve(&self, x: &mut [f64]) {
        assert!(x.len() == 6 * self.block_rows, "the right-hand side must have six numbers per block row");
        let stride = self.half_bandwidth + 1;
        for (value, scale) in x.iter_mut().zip(&self.scale) {
            *value *= scale;
        }
        for j in 0..self.block_rows {
            let y = self.pivots[j].forward(six(x, j));
            let below = self.half_bandwidth.min(self.block_rows - 1 - j);
            for (i, l) in self.blocks[j * stride + 1..][..below].iter().enumerate() {
                subtract_product(six_mut(x, j + 1 + i), l, &y);
            }
            *six_mut(x, j) = y;
        }
        for j in (0..self.block_rows).rev() {
            let mut z = self.pivots[j].middle(six(x, j));
            let below = self.half_bandwidth.min(self.block_rows - 1 - j);
            for (i, l) in self.blocks[j * stride + 1..][..below].iter().enumerate() {
                subtract_transposed_product(&mut z, l, six(x, j + 1 + i));
            }
            *six_mut(x, j) = self.pivots[j].backward(z);
        }
        for (value, scale) in x.iter_mut().zip(&self.scale) {
            *value *= scale;
        }
    }

    /// Solves A x = b and improves x by one step of iterative refinement, kept if it lowers the residual.
    /// Returns the relative residual max |s (b − A x)| / max |s b|, s the equilibration. `work` grows on first use.
    pub fn solve_refined(&self, a: &SymmetricBand, b: &[f64], x: &mut [f64], work: &mut Vec<f64>) -> f64 {
        work.resize(2 * b.len(), 0.0);
        let (residual, step) = work.split_at_mut(b.len());
        x.copy_from_slice(b);
        self.solve(x);
        let before = self.residual(a, b, x, residual);
        step.copy_from_slice(residual);
        self.solve(step);
        for (s, x) in step.iter_mut().zip(&*x) {
            *s += x;
        }
        let after = self.residual(a, b, step, residual);
        if after < before {
            x.copy_from_slice(step);
            after
        } else {
            before
        }
    }

    /// Writes b − A x and returns its size relative to b, both in equilibrated rows.
    fn residual(&self, a: &SymmetricBand, b: &[f64], x: &[f64], residual: &mut [f64]) -> f64 {
        a.multiply(x, residual);
        let (mut error, mut size) = (0.0, 0.0);
        for ((r, b), s) in residual.iter_mut().zip(b).zip(&self.scale) {
            *r = b - *r;
            // `f64::max` would hide a NaN.
            if !r.is_finite() {
                return f64::INFINITY;
            }
            error = larger(error, (*r * s).abs());
            size = larger(size, (b * s).abs());
        }
        if error == 0.0 { 0.0 } else { error / size }
    }
}

/// The larger number; `f64::max` costs three times as much for its treatment of NaN.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The power of two at or below x > 0: its exponent bits.
#[inline]
fn power_of_two(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000)
}
