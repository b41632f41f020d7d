//! LU of a scalar band with row equilibration and partial pivoting: slower than the block factors, but it needs no luck.

use crate::FactorError;
use crate::block::Block;

/// A pivot below this multiple of the largest original entry of its equilibrated row carries no digits.
const LOST_DIGITS: f64 = 16.0 * f64::EPSILON;

/// Band storage by columns. Interchanges widen the upper band to twice the half-bandwidth.
#[derive(Clone, Debug)]
pub(crate) struct ScalarLu {
    size: usize,
    half_bandwidth: usize,
    /// Column `j` holds rows j − 2b … j + b.
    columns: Vec<f64>,
    interchange: Vec<usize>,
    /// Powers of two by row, then by column.
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
}

impl ScalarLu {
    pub(crate) fn new(size: usize, half_bandwidth: usize) -> Self {
        let half_bandwidth = half_bandwidth.min(size.saturating_sub(1));
        Self {
            size,
            half_bandwidth,
            columns: vec![0.0; size * (3 * half_bandwidth + 1)],
            interchange: vec![0; size],
            row_scale: vec![1.0; size],
            column_scale: vec![1.0; size],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.columns.fill(0.0);
    }

    /// Writes one 6×6 block of the matrix.
    pub(crate) fn set_block(&mut self, row: usize, col: usize, block: &Block) {
        for c in 0..6 {
            let first = self.at(6 * row, 6 * col + c);
            self.columns[first..first + 6].copy_from_slice(&block[c]);
        }
    }

    #[inline]
    fn at(&self, row: usize, col: usize) -> usize {
        col * (3 * self.half_bandwidth + 1) + 2 * self.half_bandwidth + row - col
    }

    /// Rows of column `j` in the band of the original matrix.
    fn rows(&self, j: usize) -> std::ops::Range<usize> {
        j.saturating_sub(self.half_bandwidth)..(j + self.half_bandwidth + 1).min(self.size)
    }

    fn equilibrate(&mut self) -> Result<(), FactorError> {
        self.row_scale.fill(0.0);
        for j in 0..self.size {
            for i in self.rows(j) {
                let value = self.columns[self.at(i, j)];
                if !value.is_finite() {
                    return Err(FactorError::NotFinite { block: i / 6 });
                }
                self.row_scale[i] = self.row_scale[i].max(value.abs());
            }
        }
        for (i, scale) in self.row_scale.iter_mut().enumerate() {
            if *scale == 0.0 {
                return Err(FactorError::Singular { block: i / 6 });
            }
            *scale = power_of_two(1.0 / *scale);
        }
        for j in 0..self.size {
            let largest =
                self.rows(j).map(|i| self.columns[self.at(i, j)].abs() * self.row_scale[i]).fold(0.0, f64::max);
            if largest == 0.0 {
                return Err(FactorError::Singular { block: j / 6 });
            }
            self.column_scale[j] = power_of_two(1.0 / largest);
            for i in self.rows(j) {
                let at = self.at(i, j);
                self.columns[at] *= self.row_scale[i] * self.column_scale[j];
            }
        }
        Ok(())
    }

    pub(crate) fn factor(&mut self) -> Result<(), FactorError> {
        self.equilibrate()?;
        let (n, b) = (self.size, self.half_bandwidth);
        let stride = 3 * b + 1;
        for j in 0..n {
            let below = b.min(n - 1 - j);
            let diagonal = self.at(j, j);
            let (mut p, mut largest) = (0, -1.0);
            for (i, value) in self.columns[diagonal..=diagonal + below].iter().enumerate() {
                if value.abs() > largest {
                    (p, largest) = (i, value.abs());
                }
            }
            if !(largest > LOST_DIGITS && largest < f64::INFINITY) {
                return Err(FactorError::Singular { block: j / 6 });
            }
            self.interchange[j] = j + p;
            self.columns.swap(diagonal, diagonal + p);
            let inverse = 1.0 / self.columns[diagonal];
            for value in &mut self.columns[diagonal + 1..=diagonal + below] {
                *value *= inverse;
            }
            let (head, tail) = self.columns.split_at_mut((j + 1) * stride);
            let lower = &head[diagonal + 1..=diagonal + below];
            for c in 1..=(2 * b).min(n - 1 - j) {
                let top = (c - 1) * stride + 2 * b - c;
                tail.swap(top, top + p);
                let factor = tail[top];
                if factor != 0.0 {
                    for (value, l) in tail[top + 1..].iter_mut().zip(lower) {
                        *value -= factor * l;
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn solve(&self, x: &mut [f64]) {
        let (n, b) = (self.size, self.half_bandwidth);
        for (x, s) in x.iter_mut().zip(&self.row_scale) {
            *x *= s;
        }
        for j in 0..n {
            x.swap(j, self.interchange[j]);
            let (head, tail) = x.split_at_mut(j + 1);
            let first = self.at(j, j) + 1;
            for (value, l) in tail.iter_mut().zip(&self.columns[first..first + b.min(n - 1 - j)]) {
                *value -= head[j] * l;
            }
        }
        for j in (0..n).rev() {
            let diagonal = self.at(j, j);
            x[j] /= self.columns[diagonal];
            let above = (2 * b).min(j);
            let xj = x[j];
            for (value, u) in x[j - above..j].iter_mut().zip(&self.columns[diagonal - above..diagonal]) {
                *value -= xj * u;
            }
        }
        for (x, s) in x.iter_mut().zip(&self.column_scale) {
            *x *= s;
        }
    }
}

/// The power of two at or below x > 0: its exponent bits.
fn power_of_two(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000)
}
