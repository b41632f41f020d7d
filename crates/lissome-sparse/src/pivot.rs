//! LDLᵀ of one small dense symmetric pivot block, with diagonal pivoting and 2×2 pivots.
//!
//! P D Pᵀ = L Δ Lᵀ, L unit lower triangular, Δ of 1×1 and 2×2 blocks. The pivot rule accepts the largest diagonal
//! entry if it is at least α times the largest entry of its column, else the 2×2 pivot around the largest off-diagonal
//! entry. Its second branch is only reached where Bunch and Parlett's rule takes the same branch, so that their bound
//! on the growth, 2.57 per step, holds.

/// (1 + √17)/8, the ratio that balances the growth of a 2×2 pivot with that of two 1×1 pivots.
const ALPHA: f64 = 0.640_388_203_202_208_4;

/// A pivot below this multiple of the magnitudes that cancelled to produce it carries no digits: their sum is
/// itself rounded at half an ulp per term, and a block has some tens of terms.
const LOST_DIGITS: f64 = 16.0 * f64::EPSILON;

/// The factored pivot block.
#[derive(Clone, Debug)]
pub(crate) struct Pivot<const N: usize> {
    /// Row `k` of P D Pᵀ is row `order[k]` of D.
    order: [usize; N],
    /// L by columns, strictly lower part.
    lower: [[f64; N]; N],
    /// Diagonal of Δ⁻¹.
    inverse: [f64; N],
    /// Entry (k+1, k) of Δ⁻¹; not zero exactly for 2×2 pivots.
    coupling: [f64; N],
    /// Negative eigenvalues of the block.
    pub(crate) negative: usize,
    /// Smallest ratio of a pivot to the magnitudes that produced it.
    pub(crate) significance: f64,
}

impl<const N: usize> Pivot<N> {
    pub(crate) const EMPTY: Self = Self {
        order: [0; N],
        lower: [[0.0; N]; N],
        inverse: [0.0; N],
        coupling: [0.0; N],
        negative: 0,
        significance: f64::INFINITY,
    };

    /// Factors the symmetric `a` (lower triangle read). `magnitude[i]` bounds the terms whose sum is `a[i][i]`; it is
    /// raised by the terms of this elimination. `None`: singular to working precision.
    pub(crate) fn factor(mut a: [[f64; N]; N], magnitude: &mut [f64; N]) -> Option<Self> {
        let mut out = Self::EMPTY;
        for c in 0..N {
            out.order[c] = c;
            for r in 0..c {
                a[c][r] = a[r][c];
            }
        }
        let mut k = 0;
        while k < N {
            let (r, mut largest) =
                (k..N).fold((k, -1.0), |best, i| if a[i][i].abs() > best.1 { (i, a[i][i].abs()) } else { best });
            let off = (k..N).filter(|&i| i != r).fold(0.0, |m: f64, i| m.max(a[r][i].abs()));
            if largest >= ALPHA * off {
                out.swap(&mut a, magnitude, k, r);
                out.record(largest, magnitude[k])?;
                let d = a[k][k];
                out.negative += usize::from(d < 0.0);
                out.inverse[k] = 1.0 / d;
                let column = a[k];
                for i in k + 1..N {
                    let l = column[i] / d;
                    out.lower[k][i] = l;
                    magnitude[i] += (l * column[i]).abs();
                }
                for c in k + 1..N {
                    for i in k + 1..N {
                        a[c][i] -= column[i] * out.lower[k][c];
                    }
                }
                k += 1;
            } else {
                let (mut p, mut q) = (k, k + 1);
                largest = 0.0;
                for c in k..N {
                    for i in c + 1..N {
                        if a[c][i].abs() > largest {
                            (p, q, largest) = (c, i, a[c][i].abs());
                        }
                    }
                }
                out.swap(&mut a, magnitude, k, p);
                out.swap(&mut a, magnitude, k + 1, q);
                out.record(largest, (magnitude[k] * magnitude[k + 1]).sqrt())?;
                let (d, b, e) = (a[k][k], a[k][k + 1], a[k + 1][k + 1]);
                // The rule makes |d e| < α² b²: the determinant is negative and well away from zero.
                let determinant = d * e - b * b;
                out.negative += 1;
                (out.inverse[k], out.inverse[k + 1]) = (e / determinant, d / determinant);
                out.coupling[k] = -b / determinant;
                let (first, second) = (a[k], a[k + 1]);
                for i in k + 2..N {
                    let l0 = first[i] * out.inverse[k] + second[i] * out.coupling[k];
                    let l1 = first[i] * out.coupling[k] + second[i] * out.inverse[k + 1];
                    (out.lower[k][i], out.lower[k + 1][i]) = (l0, l1);
                    magnitude[i] += (l0 * first[i]).abs() + (l1 * second[i]).abs();
                }
                for c in k + 2..N {
                    for i in k + 2..N {
                        a[c][i] -= first[i] * out.lower[k][c] + second[i] * out.lower[k + 1][c];
                    }
                }
                k += 2;
            }
        }
        Some(out)
    }

    /// Judges a pivot against the magnitudes it came from; written so that a NaN fails.
    fn record(&mut self, pivot: f64, magnitude: f64) -> Option<()> {
        let sound = pivot > LOST_DIGITS * magnitude && pivot > 0.0 && pivot < f64::INFINITY;
        self.significance = self.significance.min(pivot / magnitude);
        sound.then_some(())
    }

    fn swap(&mut self, a: &mut [[f64; N]; N], magnitude: &mut [f64; N], k: usize, r: usize) {
        if k != r {
            a.swap(k, r);
            for column in a.iter_mut() {
                column.swap(k, r);
            }
            for column in &mut self.lower[..k] {
                column.swap(k, r);
            }
            self.order.swap(k, r);
            magnitude.swap(k, r);
        }
    }

    /// For rows `b` (R rows by columns): X = B Pᵀ L⁻ᵀ, and returns (X, X Δ⁻¹).
    #[inline]
    pub(crate) fn eliminate<const R: usize>(&self, b: &[[f64; R]; N]) -> ([[f64; R]; N], [[f64; R]; N]) {
        let mut x = [[0.0; R]; N];
        for c in 0..N {
            let mut column = b[self.order[c]];
            for k in 0..c {
                let l = self.lower[k][c];
                for r in 0..R {
                    column[r] -= x[k][r] * l;
                }
            }
            x[c] = column;
        }
        let mut scaled = x;
        for c in 0..N {
            for r in 0..R {
                scaled[c][r] *= self.inverse[c];
            }
        }
        for c in 0..N - 1 {
            let e = self.coupling[c];
            if e != 0.0 {
                for r in 0..R {
                    scaled[c][r] += x[c + 1][r] * e;
                    scaled[c + 1][r] += x[c][r] * e;
                }
            }
        }
        (x, scaled)
    }

    /// L⁻¹ P b.
    #[inline]
    pub(crate) fn forward(&self, b: &[f64; N]) -> [f64; N] {
        let mut y: [f64; N] = std::array::from_fn(|k| b[self.order[k]]);
        for k in 0..N {
            let yk = y[k];
            for i in k + 1..N {
                y[i] -= self.lower[k][i] * yk;
            }
        }
        y
    }

    /// Δ⁻¹ y.
    #[inline]
    pub(crate) fn middle(&self, y: &[f64; N]) -> [f64; N] {
        let mut z: [f64; N] = std::array::from_fn(|k| self.inverse[k] * y[k]);
        for k in 0..N - 1 {
            z[k] += self.coupling[k] * y[k + 1];
            z[k + 1] += self.coupling[k] * y[k];
        }
        z
    }

    /// Pᵀ L⁻ᵀ z.
    #[inline]
    pub(crate) fn backward(&self, mut z: [f64; N]) -> [f64; N] {
        for k in (0..N).rev() {
            let mut sum = z[k];
            for i in k + 1..N {
                sum -= self.lower[k][i] * z[i];
            }
            z[k] = sum;
        }
        let mut x = [0.0; N];
        for k in 0..N {
            x[self.order[k]] = z[k];
        }
        x
    }
}
