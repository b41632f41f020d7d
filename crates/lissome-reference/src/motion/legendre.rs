//! Legendre polynomials on [0, 1]: Gauss points, and the matrix that integrates from 0 to each of them.

use nalgebra::{DMatrix, DVector};
use std::f64::consts::PI;

/// P_0 … P_degree at 2s − 1.
pub(crate) fn legendre(degree: usize, s: f64) -> Vec<f64> {
    let x = 2.0 * s - 1.0;
    let mut p = vec![1.0, x];
    for m in 1..degree {
        let k = m as f64;
        p.push(((2.0 * k + 1.0) * x * p[m] - k * p[m - 1]) / (k + 1.0));
    }
    p.truncate(degree + 1);
    p
}

/// Derivatives by s of the same, inside the interval: (x² − 1) P_m′ = m (x P_m − P_{m−1}).
pub(crate) fn legendre_slopes(degree: usize, s: f64) -> Vec<f64> {
    let (x, p) = (2.0 * s - 1.0, legendre(degree, s));
    (0..=degree).map(|m| if m == 0 { 0.0 } else { 2.0 * m as f64 * (x * p[m] - p[m - 1]) / (x * x - 1.0) }).collect()
}

/// Gauss points on [0, 1] with their weights.
pub(crate) struct Points {
    pub at: Vec<f64>,
    pub weights: DVector<f64>,
    /// Row j times values at the points is the integral from 0 to point j, exact for the interpolating polynomial.
    pub integral: DMatrix<f64>,
}

impl Points {
    pub fn new(count: usize) -> Self {
        let mut at = Vec::with_capacity(count);
        let mut weights = DVector::zeros(count);
        for i in 0..count {
            // Newton's method from Chebyshev's points.
            let mut s = 0.5 - 0.5 * (PI * (i as f64 + 0.75) / (count as f64 + 0.5)).cos();
            for _ in 0..20 {
                s -= legendre(count, s)[count] / legendre_slopes(count, s)[count];
            }
            // In s the weight is 1/((1 − x²) P′(x)²), with P′ by x half of that by s.
            let slope = 0.5 * legendre_slopes(count, s)[count];
            weights[i] = 1.0 / ((1.0 - (2.0 * s - 1.0).powi(2)) * slope * slope);
            at.push(s);
        }
        let values: Vec<Vec<f64>> = at.iter().map(|s| legendre(count, *s)).collect();
        // A function is Σ (2m + 1) P_m ∫P_m f, and ∫₀ˢ P_m = (P_{m+1} − P_{m−1})/(2 (2m + 1)).
        let integral = DMatrix::from_fn(count, count, |j, k| {
            let rest: f64 = (1..count).map(|m| 0.5 * values[k][m] * (values[j][m + 1] - values[j][m - 1])).sum();
            weights[k] * (at[j] + rest)
        });
        Self { at, weights, integral }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_integrated_exactly() {
        let points = Points::new(12);
        for power in 0..11 {
            let values = DVector::from_iterator(12, points.at.iter().map(|s| s.powi(power)));
            let whole = points.weights.dot(&values);
            assert!((whole - 1.0 / f64::from(power + 1)).abs() < 1e-14, "{power}: {whole}");
            let parts = &points.integral * &values;
            for (s, part) in points.at.iter().zip(parts.iter()) {
                assert!((part - s.powi(power + 1) / f64::from(power + 1)).abs() < 1e-14, "{power} {s}");
            }
        }
    }

    #[test]
    fn slopes_are_derivatives() {
        for s in [0.1, 0.5, 0.93] {
            let (above, below) = (legendre(7, s + 1e-5), legendre(7, s - 1e-5));
            for (m, slope) in legendre_slopes(7, s).into_iter().enumerate() {
                assert!((slope - (above[m] - below[m]) / 2e-5).abs() < 1e-6, "{m}");
            }
        }
    }
}
