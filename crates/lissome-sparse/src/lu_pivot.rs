//! LU of one small dense unsymmetric pivot block with row pivoting.
//!
//! P D = L U, L unit lower triangular. As for symmetric blocks, rows are compared after scaling rows and columns by
//! powers of two near 1/√m_i, m_i the sum of the magnitudes that were added up in D_ii, so that units do not matter.

use crate::block::FEW;
use crate::pivot::{Breakdown, LOST_DIGITS, invertible, row_scales};

/// Rows of a block.
const N: usize = 6;

/// The factored pivot block.
#[derive(Clone, Debug)]
pub(crate) struct LuPivot {
    /// Row `k` of P D is row `order[k]` of D.
    order: [usize; N],
    /// L below and U above the diagonal, by columns.
    lu: [[f64; N]; N],
    /// 1/U_kk.
    inverse: [f64; N],
    /// Smallest ratio of a pivot to the magnitudes of its row and column.
    pub(crate) significance: f64,
    /// Which pivot that is.
    weakest: usize,
    /// True if all rows beyond the first few are padding.
    few: bool,
}

impl LuPivot {
    pub(crate) const EMPTY: Self = Self {
        order: [0, 1, 2, 3, 4, 5],
        lu: [[0.0; N]; N],
        inverse: [1.0; N],
        significance: f64::INFINITY,
        weakest: 0,
        few: false,
    };

    /// Factors `a`, given by columns. Rows and columns beyond the first `rows` are those of an identity.
    #[inline]
    pub(crate) fn factor(a: &[[f64; N]; N], magnitude: &[f64; N], rows: usize) -> Result<Self, Breakdown> {
        let mut out = Self::EMPTY;
        out.few = rows <= FEW;
        match out.few {
            true => out.factor_rows::<FEW>(a, magnitude)?,
            false => out.factor_rows::<N>(a, magnitude)?,
        }
        Ok(out)
    }

    #[inline]
    fn factor_rows<const M: usize>(&mut self, a: &[[f64; N]; N], magnitude: &[f64; N]) -> Result<(), Breakdown> {
        let out = self;
        let magnitude: &[f64; M] = magnitude.first_chunk().expect("a block has as many rows");
        let scale = row_scales(magnitude, |i, j| a[i][j].abs().max(a[j][i].abs()));
        let mut size: [f64; M] = std::array::from_fn(|i| magnitude[i] * (scale[i] * scale[i]));
        for c in 0..M {
            for r in 0..M {
                out.lu[c][r] = a[c][r] * (scale[c] * scale[r]);
            }
        }
        let column_size = size;
        for k in 0..M {
            let mut best = k;
            for i in k + 1..M {
                best = if out.lu[k][i].abs() > out.lu[k][best].abs() { i } else { best };
            }
            if best != k {
                for column in &mut out.lu[..M] {
                    column.swap(k, best);
                }
                out.order.swap(k, best);
                size.swap(k, best);
            }
            let pivot = out.lu[k][k].abs();
            let magnitude = (size[k] * column_size[k]).sqrt();
            let ratio = pivot / magnitude;
            if ratio < out.significance {
                (out.significance, out.weakest) = (ratio, k);
            }
            // Written so that a NaN fails.
            if !(pivot > LOST_DIGITS * magnitude && invertible(pivot)) {
                return Err(Breakdown::of(out.lu.as_flattened().iter().chain(&size)));
            }
            out.inverse[k] = 1.0 / out.lu[k][k];
            for i in k + 1..M {
                out.lu[k][i] *= out.inverse[k];
            }
            let lower = out.lu[k];
            for c in k + 1..M {
                let u = out.lu[c][k];
                for i in k + 1..M {
                    out.lu[c][i] -= lower[i] * u;
                }
            }
        }
        out.take_units(&scale);
        Ok(())
    }

    /// Returns to the units of the rows: exact, as the scales are powers of two.
    #[inline]
    fn take_units<const M: usize>(&mut self, scale: &[f64; M]) {
        let row: [f64; M] = std::array::from_fn(|k| scale[self.order[k]]);
        let inverse_row: [f64; M] = std::array::from_fn(|k| 1.0 / row[k]);
        for c in 0..M {
            let inverse_column = 1.0 / scale[c];
            for r in 0..=c {
                self.lu[c][r] *= inverse_row[r] * inverse_column;
            }
            for r in c + 1..M {
                self.lu[c][r] *= inverse_row[r] * row[c];
            }
            self.inverse[c] *= row[c] * scale[c];
        }
    }

    /// Row of the weakest pivot.
    pub(crate) fn weakest_row(&self) -> usize {
        self.order[self.weakest]
    }

    /// For six rows `left` below the pivot and the six columns `top` at its right, both by columns: replaces them by left U⁻¹
    /// and L⁻¹ P top. `magnitude` is raised by the terms that the diagonal of these rows gets. Of the six rows all beyond
    /// the first `others` are padding.
    #[inline]
    pub(crate) fn eliminate(
        &self,
        left: &mut [[f64; 6]; N],
        top: &mut [[f64; N]; 6],
        magnitude: &mut [f64; 6],
        others: usize,
    ) {
        match self.few {
            true => self.eliminate_rows::<FEW>(left, top, magnitude, others),
            false => self.eliminate_rows::<N>(left, top, magnitude, others),
        }
    }

    #[inline]
    fn eliminate_rows<const M: usize>(
        &self,
        left: &mut [[f64; 6]; N],
        top: &mut [[f64; N]; 6],
        magnitude: &mut [f64; 6],
        others: usize,
    ) {
        for c in 0..M {
            let mut column = left[c];
            for k in 0..c {
                let u = self.lu[c][k];
                for r in 0..6 {
                    column[r] -= left[k][r] * u;
                }
            }
            left[c] = column.map(|value| value * self.inverse[c]);
        }
        for k in 0..others.min(6) {
            self.forward_rows::<M>(&mut top[k]);
            for c in 0..M {
                magnitude[k] += (left[c][k] * top[k][c]).abs();
            }
        }
    }

    /// L⁻¹ P b.
    #[inline]
    pub(crate) fn forward(&self, b: &[f64; N]) -> [f64; N] {
        let mut y = *b;
        match self.few {
            true => self.forward_rows::<FEW>(&mut y),
            false => self.forward_rows::<N>(&mut y),
        }
        y
    }

    #[inline]
    fn forward_rows<const M: usize>(&self, b: &mut [f64; N]) {
        let mut y: [f64; M] = std::array::from_fn(|k| b[self.order[k]]);
        for k in 0..M {
            let yk = y[k];
            for i in k + 1..M {
                y[i] -= self.lu[k][i] * yk;
            }
        }
        b[..M].copy_from_slice(&y);
    }

    /// U⁻ᵀ b.
    #[inline]
    pub(crate) fn forward_transposed(&self, mut b: [f64; N]) -> [f64; N] {
        for k in 0..N {
            for i in 0..k {
                b[k] -= self.lu[k][i] * b[i];
            }
            b[k] *= self.inverse[k];
        }
        b
    }

    /// Pᵀ L⁻ᵀ y.
    #[inline]
    pub(crate) fn backward_transposed(&self, mut y: [f64; N]) -> [f64; N] {
        for k in (0..N).rev() {
            for r in k + 1..N {
                y[k] -= self.lu[k][r] * y[r];
            }
        }
        let mut x = [0.0; N];
        for (row, value) in self.order.iter().zip(y) {
            x[*row] = value;
        }
        x
    }

    /// U⁻¹ y.
    #[inline]
    pub(crate) fn backward(&self, mut y: [f64; N]) -> [f64; N] {
        match self.few {
            true => self.backward_rows::<FEW>(&mut y),
            false => self.backward_rows::<N>(&mut y),
        }
        y
    }

    #[inline]
    fn backward_rows<const M: usize>(&self, y: &mut [f64; N]) {
        for k in (0..M).rev() {
            let yk = y[k] * self.inverse[k];
            y[k] = yk;
            for i in 0..k {
                y[i] -= self.lu[k][i] * yk;
            }
        }
    }
}
