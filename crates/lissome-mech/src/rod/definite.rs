//! The factor A = L D Lᵀ of a small symmetric positive definite matrix.
//!
//! The laws of points factor one at every step of their own iterations, so it is worth having loops whose ends the compiler
//! knows: it unrolls them and works on whole columns.

use nalgebra::{SMatrix, SVector};

/// L with ones on its diagonal, and 1/D.
#[derive(Clone, Copy, Debug)]
pub struct Definite<const N: usize> {
    /// Columns of L; what stands on and above the diagonal means nothing.
    columns: [[f64; N]; N],
    inverse_pivots: [f64; N],
}

impl<const N: usize> Definite<N> {
    /// Nothing if the matrix is not positive definite, or not finite.
    #[inline(always)]
    pub fn new(matrix: &SMatrix<f64, N, N>) -> Option<Self> {
        let mut columns = matrix.data.0;
        let mut inverse_pivots = [0.0; N];
        for k in 0..N {
            let own = columns[k];
            // Also false for what is not a number.
            let positive = own[k] > 0.0 && own[k].is_finite();
            if !positive {
                return None;
            }
            let inverse = 1.0 / own[k];
            inverse_pivots[k] = inverse;
            for (j, column) in columns.iter_mut().enumerate().skip(k + 1) {
                let factor = own[j] * inverse;
                for (entry, own) in column.iter_mut().zip(&own) {
                    *entry -= factor * own;
                }
            }
            for entry in &mut columns[k] {
                *entry *= inverse;
            }
        }
        Some(Self { columns, inverse_pivots })
    }

    /// A⁻¹ b.
    #[inline(always)]
    pub fn solve(&self, b: &SVector<f64, N>) -> SVector<f64, N> {
        let mut x = b.data.0[0];
        for k in 0..N {
            let own = x[k];
            for i in k + 1..N {
                x[i] -= self.columns[k][i] * own;
            }
        }
        for (x, inverse) in x.iter_mut().zip(&self.inverse_pivots) {
            *x *= inverse;
        }
        for k in (0..N).rev() {
            for i in k + 1..N {
                x[k] -= self.columns[k][i] * x[i];
            }
        }
        SVector::from_column_slice(&x)
    }

    /// A⁻¹ = L⁻ᵀ D⁻¹ L⁻¹, symmetric to the last digit.
    #[inline(always)]
    pub fn inverse(&self) -> SMatrix<f64, N, N> {
        // Columns of L⁻¹, and of D⁻¹ L⁻¹.
        let mut columns = [[0.0; N]; N];
        for (c, column) in columns.iter_mut().enumerate() {
            column[c] = 1.0;
            for k in c..N {
                let own = column[k];
                for i in k + 1..N {
                    column[i] -= self.columns[k][i] * own;
                }
            }
        }
        let mut inverse = SMatrix::zeros();
        for a in 0..N {
            let mut scaled = columns[a];
            for (entry, pivot) in scaled.iter_mut().zip(&self.inverse_pivots) {
                *entry *= pivot;
            }
            for b in 0..=a {
                // Both columns are zero above the later of the two.
                let sum: f64 = (a..N).map(|k| scaled[k] * columns[b][k]).sum();
                inverse[(a, b)] = sum;
                inverse[(b, a)] = sum;
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::Definite;
    use nalgebra::{SMatrix, SVector};

    fn matrix<const N: usize>() -> SMatrix<f64, N, N> {
        let x = SMatrix::<f64, N, N>::from_fn(|i, j| ((3 * i + 5 * j * j) as f64).sin());
        x * x.transpose() + SMatrix::from_diagonal(&SVector::from_fn(|i, _| 0.5 + i as f64))
    }

    fn agrees<const N: usize>() {
        let a = matrix::<N>();
        let factor = Definite::new(&a).expect("definite");
        let b = SVector::<f64, N>::from_fn(|i, _| (i as f64).cos());
        // The condition of the matrix is below a hundred.
        assert!((a * factor.solve(&b) - b).amax() < 1e-13);
        let inverse = factor.inverse();
        assert!((a * inverse - SMatrix::identity()).amax() < 1e-13);
        assert_eq!(inverse, inverse.transpose());
    }

    #[test]
    fn solves_and_inverts() {
        agrees::<1>();
        agrees::<6>();
        agrees::<12>();
    }

    #[test]
    fn what_is_not_definite_has_no_factor() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut a = matrix::<6>();
            a[(3, 3)] = bad;
            assert!(Definite::new(&a).is_none(), "{bad}");
        }
    }
}
