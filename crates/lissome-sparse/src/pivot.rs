//! LDLᵀ of one small dense symmetric pivot block, with diagonal pivoting and 2×2 pivots.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | D | the pivot block, symmetric, rows of mixed units | `a` |
//! | m_i | sum of the magnitudes that were added up in D_ii | `magnitude` |
//! | S | powers of two near 1/√m_i | `scale` |
//! | P | row order | `order` |
//! | L | unit lower triangular | `lower` |
//! | Δ | 1×1 and 2×2 diagonal blocks | `inverse`, `coupling` |
//!
//! P D Pᵀ = L Δ Lᵀ. Pivots are chosen on S D S, which does not change with the units of the rows, and so the same
//! pivots are chosen for a robot in metres and in millimetres. A diagonal entry is accepted if it is at least α times
//! the largest entry of its column: first the next one, then the largest. Otherwise the 2×2 pivot around the largest
//! off-diagonal entry is taken, exactly where Bunch and Parlett take it, so that entries grow by at most
//! 1 + 1/α = 2.57 a step.

use crate::FactorError;
use crate::block::FEW;

/// (1 + √17)/8, the ratio that balances the growth of a 2×2 pivot with that of two 1×1 pivots.
const ALPHA: f64 = 0.640_388_203_202_208_4;

/// A pivot below this multiple of the magnitudes that cancelled to produce it carries no digits: their sum is itself
/// rounded at half an ulp per term, and a block sums some tens of terms.
pub(crate) const LOST_DIGITS: f64 = 16.0 * f64::EPSILON;

/// A diagonal entry whose terms are below this is a rounding error of rounding errors, on its way to underflow, as in a
/// long chain of poses without stiffness that precede their stresses. It counts as zero. No unit brings a stiffness here,
/// and scaled entries stay below its inverse root, whose square does not overflow.
const VANISHED: f64 = 1e-200;

/// Why a pivot block has no factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breakdown {
    /// A pivot vanished to working precision.
    Vanished,
    /// A number is not finite, or left the range.
    NotFinite,
}

impl Breakdown {
    /// Of block row `block`.
    pub(crate) fn at(self, block: usize) -> FactorError {
        match self {
            Self::Vanished => FactorError::Singular { block },
            Self::NotFinite => FactorError::NotFinite { block },
        }
    }

    /// By the numbers that were left when a pivot was refused.
    #[cold]
    pub(crate) fn of<'a>(mut numbers: impl Iterator<Item = &'a f64>) -> Self {
        if numbers.all(|value| value.is_finite()) { Self::Vanished } else { Self::NotFinite }
    }
}

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
    /// Rows that were dropped because their pivots vanished.
    pub(crate) zero: usize,
    /// No row was dropped for a number that is not finite; otherwise nothing here has a meaning.
    pub(crate) finite: bool,
    /// Smallest ratio of a pivot to the magnitudes that produced it.
    pub(crate) significance: f64,
    /// Which pivot that is.
    weakest: usize,
}

impl<const N: usize> Pivot<N> {
    pub(crate) const EMPTY: Self = Self {
        order: [0; N],
        lower: [[0.0; N]; N],
        inverse: [0.0; N],
        coupling: [0.0; N],
        negative: 0,
        zero: 0,
        finite: true,
        significance: f64::INFINITY,
        weakest: 0,
    };

    /// Factors the symmetric `a`, of which the lower triangle is read. `magnitude` is raised by the terms of this
    /// elimination.
    #[inline]
    pub(crate) fn factor(a: &[[f64; N]; N], magnitude: &mut [f64; N]) -> Result<Self, Breakdown> {
        let (mut work, scale) = Elimination::new(a, magnitude, &[false; N]);
        let mut k = 0;
        while k < N {
            k += work.step(k).ok_or_else(|| work.breakdown(k))?;
        }
        Ok(work.finish(&scale, magnitude))
    }

    /// The same, but rows whose pivots vanish are dropped: their unknowns become zero, and nothing else is changed by
    /// them. When a pivot vanishes, so does the rest of its row, since the pivot was the largest entry or near it. Rows
    /// that are `padding` must be those of an identity, and keep their places in the row order.
    #[inline]
    pub(crate) fn factor_dropping(a: &[[f64; N]; N], magnitude: &mut [f64; N], padding: &[bool; N]) -> Self {
        let (mut work, scale) = Elimination::new(a, magnitude, padding);
        let mut k = 0;
        while k < N {
            k += match work.step(k) {
                Some(rows) => rows,
                None => work.drop_row(k),
            };
        }
        work.finish(&scale, magnitude)
    }

    /// The same in the first rows of a larger block, the rest of which is an identity.
    fn padded<const M: usize>(&self) -> Pivot<M> {
        let mut out = Pivot { order: std::array::from_fn(|k| k), inverse: [1.0; M], ..Pivot::EMPTY };
        out.order[..N].copy_from_slice(&self.order);
        out.inverse[..N].copy_from_slice(&self.inverse);
        out.coupling[..N].copy_from_slice(&self.coupling);
        for (to, from) in out.lower.iter_mut().zip(&self.lower) {
            to[..N].copy_from_slice(from);
        }
        let Self { negative, zero, finite, significance, weakest, .. } = *self;
        Pivot { negative, zero, finite, significance, weakest, ..out }
    }

    /// Row of the weakest pivot.
    pub(crate) fn weakest_row(&self) -> usize {
        self.order[self.weakest]
    }

    /// The null vector of the block if its weakest pivot were zero: Pᵀ L⁻ᵀ e.
    pub(crate) fn weakest_direction(&self) -> [f64; N] {
        let mut z = [0.0; N];
        z[self.weakest] = 1.0;
        self.backward(z)
    }

    /// For rows B (R rows by columns) writes X = B Pᵀ L⁻ᵀ to `x` and replaces B by X Δ⁻¹. `magnitude` is raised by the terms
    /// that the diagonal of these rows gets. What is beyond the first `size` rows of the pivot is padding: columns of B there are
    /// empty, and those of X are not written.
    #[inline]
    pub(crate) fn eliminate<const R: usize>(
        &self,
        b: &mut [[f64; R]; N],
        x: &mut [[f64; R]; N],
        magnitude: &mut [f64; R],
        size: usize,
    ) {
        match size <= FEW && FEW < N {
            true => self.eliminate_rows::<R, FEW>(b, x, magnitude),
            false => self.eliminate_rows::<R, N>(b, x, magnitude),
        }
    }

    #[inline(always)]
    fn eliminate_rows<const R: usize, const M: usize>(
        &self,
        b: &mut [[f64; R]; N],
        x: &mut [[f64; R]; N],
        magnitude: &mut [f64; R],
    ) {
        for c in 0..M {
            let mut column = b[self.order[c]];
            for k in 0..c {
                let l = self.lower[k][c];
                for r in 0..R {
                    column[r] -= x[k][r] * l;
                }
            }
            x[c] = column;
        }
        for c in 0..M {
            for r in 0..R {
                b[c][r] = x[c][r] * self.inverse[c];
            }
        }
        for c in 0..M - 1 {
            let e = self.coupling[c];
            if e != 0.0 {
                for r in 0..R {
                    b[c][r] += x[c + 1][r] * e;
                    b[c + 1][r] += x[c][r] * e;
                }
            }
        }
        for c in 0..M {
            for r in 0..R {
                magnitude[r] += (x[c][r] * b[c][r]).abs();
            }
        }
    }

    /// L⁻¹ P b.
    #[inline]
    pub(crate) fn forward(&self, b: &[f64; N]) -> [f64; N] {
        forward_substitution(&self.order, &self.lower, b)
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

impl Pivot<6> {
    /// [Factors](Pivot::factor_dropping) a block whose rows beyond the first `rows` are those of an identity.
    #[inline]
    pub(crate) fn factor_rows(a: &[[f64; 6]; 6], magnitude: &mut [f64; 6], rows: usize) -> Self {
        if rows > FEW {
            return Self::factor_dropping(a, magnitude, &std::array::from_fn(|k| k >= rows));
        }
        let few: [[f64; FEW]; FEW] = std::array::from_fn(|c| std::array::from_fn(|r| a[c][r]));
        let magnitude: &mut [f64; FEW] = magnitude.first_chunk_mut().expect("a block has as many rows");
        Pivot::factor_dropping(&few, magnitude, &std::array::from_fn(|k| k >= rows)).padded()
    }
}

/// The equilibrated block while it is being eliminated, both triangles kept.
struct Elimination<'a, const N: usize> {
    a: [[f64; N]; N],
    magnitude: [f64; N],
    padding: &'a [bool; N],
    out: Pivot<N>,
}

impl<'a, const N: usize> Elimination<'a, N> {
    /// The equilibrated block, and the scales of its rows.
    #[inline]
    fn new(a: &[[f64; N]; N], magnitude: &[f64; N], padding: &'a [bool; N]) -> (Self, [f64; N]) {
        let scale = row_scales(magnitude, |i, j| a[i.min(j)][i.max(j)].abs());
        let mut work = Self { a: [[0.0; N]; N], magnitude: [0.0; N], padding, out: Pivot::EMPTY };
        for c in 0..N {
            work.out.order[c] = c;
            work.magnitude[c] = magnitude[c] * scale[c] * scale[c];
            for r in c..N {
                let value = a[c][r] * (scale[c] * scale[r]);
                work.a[c][r] = value;
                work.a[r][c] = value;
            }
        }
        (work, scale)
    }

    /// Eliminates the next pivot and returns its size.
    #[inline]
    fn step(&mut self, k: usize) -> Option<usize> {
        // The last entry has no column to dominate, and one that is not a number dominates nothing.
        if self.dominates_its_column(k, k) || k + 1 == N {
            return self.single(k);
        }
        // Padding is never here itself, as it dominates its empty column.
        let larger = |i: usize, best: usize| self.a[i][i].abs() > self.a[best][best].abs() && !self.padding[i];
        let largest = (k..N).fold(k, |best, i| if larger(i, best) { i } else { best });
        if self.dominates_its_column(largest, k) {
            self.swap(k, largest);
            self.single(k)
        } else {
            let (p, q) = self.largest_off_diagonal(k);
            self.swap(k, p);
            self.swap(k + 1, q);
            self.double(k)
        }
    }

    #[inline]
    fn dominates_its_column(&self, i: usize, k: usize) -> bool {
        let column = &self.a[i];
        let mut bound = 0.0;
        for r in k..N {
            let size = if r == i { 0.0 } else { column[r].abs() };
            bound = if size > bound { size } else { bound };
        }
        column[i].abs() >= ALPHA * bound
    }

    fn largest_off_diagonal(&self, k: usize) -> (usize, usize) {
        let (mut p, mut q) = (k, k + 1);
        for c in k..N {
            for r in c + 1..N {
                if self.a[c][r].abs() > self.a[p][q].abs() {
                    (p, q) = (c, r);
                }
            }
        }
        (p, q)
    }

    #[inline]
    fn single(&mut self, k: usize) -> Option<usize> {
        let column = self.a[k];
        let d = column[k];
        self.accept(k, d.abs(), self.magnitude[k])?;
        self.out.negative += usize::from(d < 0.0);
        let inverse = 1.0 / d;
        self.out.inverse[k] = inverse;
        let lower = &mut self.out.lower[k];
        for i in k + 1..N {
            lower[i] = column[i] * inverse;
            self.magnitude[i] += (lower[i] * column[i]).abs();
        }
        for c in k + 1..N {
            for i in k + 1..N {
                self.a[c][i] -= column[i] * lower[c];
            }
        }
        Some(1)
    }

    fn double(&mut self, k: usize) -> Option<usize> {
        let (first, second) = (self.a[k], self.a[k + 1]);
        let (d, b, e) = (first[k], first[k + 1], second[k + 1]);
        self.accept(k, b.abs(), (self.magnitude[k] * self.magnitude[k + 1]).sqrt())?;
        // The pivot rule makes |d e| < α² b²: the determinant is negative and far from zero, unless b² leaves the range.
        let determinant = d * e - b * b;
        if !invertible(determinant.abs()) {
            return None;
        }
        self.out.negative += 1;
        let (inverse0, inverse1, coupling) = (e / determinant, d / determinant, -b / determinant);
        (self.out.inverse[k], self.out.inverse[k + 1], self.out.coupling[k]) = (inverse0, inverse1, coupling);
        for i in k + 2..N {
            let l0 = first[i] * inverse0 + second[i] * coupling;
            let l1 = first[i] * coupling + second[i] * inverse1;
            (self.out.lower[k][i], self.out.lower[k + 1][i]) = (l0, l1);
            self.magnitude[i] += (l0 * first[i]).abs() + (l1 * second[i]).abs();
        }
        for c in k + 2..N {
            let (l0, l1) = (self.out.lower[k][c], self.out.lower[k + 1][c]);
            for i in k + 2..N {
                self.a[c][i] -= first[i] * l0 + second[i] * l1;
            }
        }
        Some(2)
    }

    /// Judges a pivot against the magnitudes it came from; written so that a NaN fails.
    #[inline]
    fn accept(&mut self, k: usize, pivot: f64, magnitude: f64) -> Option<()> {
        let ratio = pivot / magnitude;
        if ratio < self.out.significance {
            (self.out.significance, self.out.weakest) = (ratio, k);
        }
        (pivot > LOST_DIGITS * magnitude && invertible(pivot)).then_some(())
    }

    /// Why the pivot at `k` was refused.
    fn breakdown(&self, k: usize) -> Breakdown {
        Breakdown::of(self.a[k..].iter().flat_map(|column| &column[k..]).chain(&self.magnitude[k..]))
    }

    /// Leaves a row whose pivot vanished out of everything that follows.
    #[cold]
    fn drop_row(&mut self, k: usize) -> usize {
        self.out.finite &= self.breakdown(k) == Breakdown::Vanished;
        self.out.zero += 1;
        if self.out.significance > LOST_DIGITS {
            // Nothing was ever added up in this row: zero over zero.
            (self.out.significance, self.out.weakest) = (0.0, k);
        }
        1
    }

    #[inline]
    fn swap(&mut self, k: usize, r: usize) {
        if k != r {
            self.a.swap(k, r);
            for column in &mut self.a {
                column.swap(k, r);
            }
            for column in &mut self.out.lower[..k] {
                column.swap(k, r);
            }
            self.out.order.swap(k, r);
            self.magnitude.swap(k, r);
        }
    }

    /// Returns to the units of the rows: exact, as the scales are powers of two.
    #[inline]
    fn finish(mut self, scale: &[f64; N], magnitude: &mut [f64; N]) -> Pivot<N> {
        let ordered: [f64; N] = std::array::from_fn(|k| scale[self.out.order[k]]);
        let inverse_scale: [f64; N] = std::array::from_fn(|k| 1.0 / ordered[k]);
        for k in 0..N {
            magnitude[self.out.order[k]] = self.magnitude[k] * (inverse_scale[k] * inverse_scale[k]);
            self.out.inverse[k] *= ordered[k] * ordered[k];
            if k + 1 < N {
                self.out.coupling[k] *= ordered[k] * ordered[k + 1];
            }
            for i in k + 1..N {
                self.out.lower[k][i] *= ordered[k] * inverse_scale[i];
            }
        }
        self.out
    }
}

/// Whether a positive number and its inverse are in the range of normal numbers; a NaN is not.
#[inline]
pub(crate) fn invertible(x: f64) -> bool {
    (f64::MIN_POSITIVE..f64::INFINITY).contains(&x)
}

/// L⁻¹ P b, with the strictly lower part of `lower` and a diagonal of ones.
#[inline]
pub(crate) fn forward_substitution<const N: usize>(
    order: &[usize; N],
    lower: &[[f64; N]; N],
    b: &[f64; N],
) -> [f64; N] {
    let mut y: [f64; N] = std::array::from_fn(|k| b[order[k]]);
    for k in 0..N {
        let yk = y[k];
        for i in k + 1..N {
            y[i] -= lower[k][i] * yk;
        }
    }
    y
}

/// Powers of two near 1/√m_i. A row whose diagonal vanished is measured by its largest entry in rows that have
/// a scale; a block without any diagonal keeps its units. `size(i, j)` is the size of the entries (i, j) and (j, i).
#[inline]
pub(crate) fn row_scales<const N: usize>(magnitude: &[f64; N], size: impl Fn(usize, usize) -> f64) -> [f64; N] {
    let mut scale: [f64; N] = std::array::from_fn(|i| inverse_root(magnitude[i]));
    if magnitude.iter().any(|&m| m < VANISHED) {
        let known = scale;
        for i in 0..N {
            if magnitude[i] < VANISHED {
                let largest =
                    (0..N).filter(|&j| magnitude[j] >= VANISHED).fold(0.0, |m: f64, j| m.max(size(i, j) * known[j]));
                scale[i] = if largest > 0.0 { inverse_root(largest * largest) } else { 1.0 };
            }
        }
    }
    scale
}

/// Whether a row without an original diagonal entry has also got none by elimination, next to what the `other` rows,
/// still to come, would give it: a_rk a_kr / |a_kk|. `product(row, other)` is the numerator.
pub(crate) fn hollow_rows(
    original: &[f64; 6],
    magnitude: &[f64; 6],
    other: &[f64; 6],
    product: impl Fn(usize, usize) -> f64,
) -> bool {
    /// Half of the digits: neither a stiffness that is merely soft nor one that is merely polluted.
    const HOLLOW: f64 = 1.5e-8;
    (0..6).any(|row| {
        original[row] == 0.0
            && (0..6).any(|k| other[k] > 0.0 && magnitude[row] * other[k] < HOLLOW * product(row, k).abs())
    })
}

/// 2^−⌊e/2⌋ for a number with binary exponent e. For zero and numbers near the ends of the range, a scale that does
/// not overflow.
#[inline]
fn inverse_root(x: f64) -> f64 {
    const BIAS: i64 = 1023;
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i64 - BIAS;
    f64::from_bits(((BIAS - (exponent >> 1)) as u64) << 52)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn rebuilt<const N: usize>(pivot: &Pivot<N>) -> [[f64; N]; N] {
        // Column c of D⁻¹ by solving; D is compared through D D⁻¹ = I in the tests.
        std::array::from_fn(|c| {
            let mut e = [0.0; N];
            e[c] = 1.0;
            pivot.backward(pivot.middle(&pivot.forward(&e)))
        })
    }

    fn check_inverse<const N: usize>(a: &[[f64; N]; N], tolerance: f64) -> Pivot<N> {
        let mut magnitude = std::array::from_fn(|i| a[i][i].abs());
        let pivot = Pivot::factor(a, &mut magnitude).unwrap();
        let inverse = rebuilt(&pivot);
        for c in 0..N {
            for r in 0..N {
                let product: f64 = (0..N).map(|k| a[k][r] * inverse[c][k]).sum();
                let expected = if r == c { 1.0 } else { 0.0 };
                assert!((product - expected).abs() < tolerance, "({r}, {c}): {product}");
            }
        }
        pivot
    }

    #[test]
    fn a_block_with_zero_diagonal_takes_2x2_pivots() {
        let mut a = [[0.0; 6]; 6];
        for k in 0..3 {
            (a[k][k + 3], a[k + 3][k]) = (1.0 + k as f64, 1.0 + k as f64);
        }
        assert_eq!(check_inverse(&a, 1e-15).negative, 3);
    }

    #[test]
    fn units_of_rows_do_not_change_the_pivots() {
        let mut a = [[0.0; 6]; 6];
        for c in 0..6 {
            for r in 0..6 {
                a[c][r] = ((c * r) as f64).sin() + if r == c { [2.0, -2.0][r % 2] } else { 0.0 };
            }
        }
        let plain = Pivot::factor(&a, &mut std::array::from_fn(|i| a[i][i].abs())).unwrap();
        // Three rows in units 2²⁰ times smaller.
        let unit = |i: usize| if i < 3 { 1.0 } else { 2f64.powi(20) };
        let scaled: [[f64; 6]; 6] = std::array::from_fn(|c| std::array::from_fn(|r| a[c][r] * unit(c) * unit(r)));
        let other = Pivot::factor(&scaled, &mut std::array::from_fn(|i| scaled[i][i].abs())).unwrap();
        assert_eq!(plain.order, other.order);
        assert_eq!(plain.significance, other.significance);
        for k in 0..6 {
            for i in k + 1..6 {
                assert_eq!(plain.lower[k][i] * unit(plain.order[i]) / unit(plain.order[k]), other.lower[k][i]);
            }
        }
    }

    #[test]
    fn inverse_root_halves_the_exponent() {
        assert_eq!(inverse_root(1.0), 1.0);
        assert_eq!(inverse_root(4.0), 0.5);
        assert_eq!(inverse_root(0.25), 2.0);
        assert_eq!(inverse_root(1.9e-10) / inverse_root(1.9e-10 * 4f64.powi(-7)), 2f64.powi(-7));
        assert!(inverse_root(0.0).is_finite() && inverse_root(f64::MAX) > 0.0);
    }
}
