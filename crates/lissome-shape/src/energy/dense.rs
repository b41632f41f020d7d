//! A small dense symmetric solver that reports when a matrix is not positive definite.

/// Cholesky factor L of A = LLᵀ, stored over the lower triangle of A (row by row).
#[derive(Clone, Debug)]
pub struct Cholesky {
    n: usize,
    entries: Vec<f64>,
}

impl Cholesky {
    /// Room for an n×n matrix.
    pub fn sized(n: usize) -> Self {
        Self { n, entries: vec![0.0; n * n] }
    }

    /// Lower triangle to be filled before [`Self::factor`], row by row.
    pub fn lower(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Factors in place; false as soon as a pivot is not safely positive.
    pub fn factor(&mut self) -> bool {
        /// A pivot below this part of its diagonal entry is rounding, not curvature.
        const PIVOT: f64 = 1e-11;
        let n = self.n;
        for i in 0..n {
            let (above, rest) = self.entries.split_at_mut(i * n);
            let row = &mut rest[..n];
            let diagonal = row[i];
            let mut pivot = diagonal;
            for j in 0..i {
                let other = &above[j * n..j * n + n];
                let mut sum = row[j];
                for k in 0..j {
                    sum -= row[k] * other[k];
                }
                row[j] = sum * other[j];
                pivot -= row[j] * row[j];
            }
            // The diagonal keeps 1/L_ii, which is all the solves need.
            if pivot.partial_cmp(&(PIVOT * diagonal.abs())) != Some(std::cmp::Ordering::Greater) {
                return false;
            }
            row[i] = 1.0 / pivot.sqrt();
        }
        true
    }

    /// Solves A x = b in place.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.entries[i * n..i * n + n];
            let mut sum = b[i];
            for k in 0..i {
                sum -= row[k] * b[k];
            }
            b[i] = sum * row[i];
        }
        for i in (0..n).rev() {
            let value = b[i] * self.entries[i * n + i];
            b[i] = value;
            for k in 0..i {
                b[k] -= self.entries[i * n + k] * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_refuses() {
        // A = MMᵀ + I is positive definite; A − 20 I is not.
        let n = 7;
        let m = |i: usize, j: usize| ((3 * i + 5 * j + i * j) % 11) as f64 / 7.0 - 0.6;
        let a = |i: usize, j: usize| (0..n).map(|k| m(i, k) * m(j, k)).sum::<f64>() + f64::from(i == j);
        let mut factor = Cholesky::sized(n);
        for i in 0..n {
            for j in 0..=i {
                factor.lower()[i * n + j] = a(i, j);
            }
        }
        assert!(factor.factor());
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 2.5).collect();
        let mut b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a(i, j) * x[j]).sum()).collect();
        factor.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-12));
        for i in 0..n {
            for j in 0..=i {
                factor.lower()[i * n + j] = a(i, j) - if i == j { 20.0 } else { 0.0 };
            }
        }
        assert!(!factor.factor());
    }
}
