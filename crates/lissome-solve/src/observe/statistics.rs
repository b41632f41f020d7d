//! Tails and quantiles of the distributions that judge measurements.

use std::f64::consts::PI;

/// Probability that a sum of squares of so many normal numbers is larger.
pub fn chi_squared_tail(value: f64, degrees: usize) -> f64 {
    if value.is_nan() || value <= 0.0 || degrees == 0 {
        return 1.0;
    }
    // Q(a + 1, x) = Q(a, x) + xᵃ e⁻ˣ/Γ(a + 1), from Q(½, x) = erfc √x or Q(1, x) = e⁻ˣ.
    let x = 0.5 * value;
    let (mut a, mut tail) = match degrees % 2 {
        1 => (0.5, erfc(x.sqrt())),
        _ => (1.0, (-x).exp()),
    };
    // xᵃ e⁻ˣ/Γ(a + 1), by logarithms: Γ(3/2) = √π/2, Γ(2) = 1.
    let mut logarithm = a * x.ln() - x - if degrees % 2 == 1 { (PI.sqrt() / 2.0).ln() } else { 0.0 };
    while a + 0.5 < 0.5 * degrees as f64 {
        tail += logarithm.exp();
        a += 1.0;
        logarithm += x.ln() - a.ln();
    }
    tail.min(1.0)
}

/// Complement of the error function for what is not negative, to 1e-12 of itself or better.
fn erfc(x: f64) -> f64 {
    const SERIES: f64 = 2.0;
    if x < SERIES {
        // erf x = 2/√π e^{−x²} Σ 2ⁿ x^{2n+1}/(1·3·…·(2n+1)).
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term > 1e-17 * sum {
            n += 1.0;
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
        }
        return 1.0 - 2.0 / PI.sqrt() * (-x * x).exp() * sum;
    }
    // The continued fraction x + (1/2)/(x + (2/2)/(x + …)), from far out.
    let mut fraction = x;
    for n in (1..=120).rev() {
        fraction = x + 0.5 * f64::from(n) / fraction;
    }
    (-x * x).exp() / (PI.sqrt() * fraction)
}

/// The number that Student's t with so many degrees of freedom exceeds in size with this probability.
pub fn student_quantile(probability: f64, degrees: usize) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while student_tail(high, degrees) > probability && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if student_tail(middle, degrees) > probability { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Probability that |t| is larger, by the finite sums for whole degrees of freedom \[abramowitz1964, 26.7.3, 26.7.4\].
fn student_tail(t: f64, degrees: usize) -> f64 {
    let nu = degrees.max(1) as f64;
    let theta = (t / nu.sqrt()).atan();
    let (sine, cosine) = theta.sin_cos();
    let mut sum = 0.0;
    if degrees % 2 == 1 {
        let mut term = cosine;
        let mut k = 1.0;
        while 2.0 * k < nu {
            sum += term;
            term *= cosine * cosine * (2.0 * k) / (2.0 * k + 1.0);
            k += 1.0;
        }
        return 1.0 - 2.0 / PI * (theta + sine * sum);
    }
    let (mut term, mut k) = (1.0, 1.0);
    while 2.0 * k <= nu {
        sum += term;
        term *= cosine * cosine * (2.0 * k - 1.0) / (2.0 * k);
        k += 1.0;
    }
    1.0 - sine * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of [abramowitz1964, 26.8 and 26.10], five digits.
    #[test]
    fn tails_and_quantiles_are_those_of_the_tables() {
        for (value, degrees, tail) in
            [(3.841_46, 1, 0.05), (5.991_46, 2, 0.05), (7.814_73, 3, 0.05), (12.5916, 6, 0.05), (16.2662, 3, 0.001)]
        {
            let found = chi_squared_tail(value, degrees);
            assert!((found - tail).abs() < 2e-5 * tail.max(0.05), "{degrees}: {found}");
        }
        for (degrees, quantile) in [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)] {
            let found = student_quantile(0.05, degrees);
            assert!((found - quantile).abs() < 6e-4, "{degrees}: {found}");
        }
        assert!((student_quantile(0.05, 100_000) - crate::observe::NORMAL_95).abs() < 1e-4);
    }

    #[test]
    fn both_ways_to_the_error_function_meet() {
        assert!((erfc(2.0 - 1e-12) / erfc(2.0) - 1.0).abs() < 1e-9);
        assert!((erfc(0.5) - 0.479_500_122_186_953_5).abs() < 1e-14);
    }
}
