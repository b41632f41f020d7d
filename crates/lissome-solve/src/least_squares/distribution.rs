//! Quantiles and tails of the normal, Student's and the χ² distribution: what standard errors become intervals with.

/// Terms of a continued fraction at most; 60 are enough for every argument the callers have.
const MOST_TERMS: usize = 500;
const TINY: f64 = 1e-300;
/// Halvings of an interval of quantiles: all bits of a double.
const HALVINGS: usize = 200;

/// ln Γ(x) of a positive number, to 1e-14 or so: Lanczos with g = 7.
pub fn ln_gamma(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let shifted = x - 1.0;
    let mut sum = COEFFICIENTS[0];
    for (index, coefficient) in COEFFICIENTS.iter().enumerate().skip(1) {
        sum += coefficient / (shifted + index as f64);
    }
    let t = shifted + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (shifted + 0.5) * t.ln() - t + sum.ln()
}

/// The continued fraction b₀ + a₁/(b₁ + a₂/(b₂ + …)) by the method of Lentz; `term` gives (aₖ, bₖ) from k = 1 on.
fn continued_fraction(first: f64, term: impl Fn(usize) -> (f64, f64)) -> f64 {
    let safe = |x: f64| if x.abs() < TINY { TINY } else { x };
    let mut value = safe(first);
    let (mut c, mut d) = (value, 0.0);
    for k in 1..MOST_TERMS {
        let (a, b) = term(k);
        d = 1.0 / safe(b + a * d);
        c = safe(b + a / c);
        value *= c * d;
        if (c * d - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

/// The regularised incomplete beta function.
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast on this side of the mean alone.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    let term = |k: usize| {
        let m = (k / 2) as f64;
        let numerator = match k {
            1 => 1.0,
            // The k-th term of the fraction is counted from the one in front.
            k if k % 2 == 0 => {
                let m = m - 1.0;
                -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
            }
            _ => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
        };
        (numerator, 1.0)
    };
    front / a * continued_fraction(0.0, term)
}

/// The part of Student's distribution below t.
pub fn student_below(t: f64, degrees: f64) -> f64 {
    let tail = 0.5 * incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + t * t));
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The part of the normal distribution below z: that of Student's is the same from 1e10 degrees of freedom on.
pub fn normal_below(z: f64) -> f64 {
    let tail = 0.5 * chi_squared_above(z * z, 1.0);
    if z > 0.0 { 1.0 - tail } else { tail }
}

/// The part of the χ² distribution above x.
pub fn chi_squared_above(x: f64, degrees: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let (a, x) = (0.5 * degrees, 0.5 * x);
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut k) = (1.0 / a, 1.0 / a, a);
        for _ in 0..MOST_TERMS.max(8 * degrees.sqrt() as usize) {
            k += 1.0;
            term *= x / k;
            sum += term;
            if term < f64::EPSILON * sum {
                break;
            }
        }
        return (1.0 - front * sum).clamp(0.0, 1.0);
    }
    let term = |k: usize| match k {
        1 => (1.0, x + 1.0 - a),
        k => {
            let i = (k - 1) as f64;
            (-i * (i - a), x + 2.0 * i + 1.0 - a)
        }
    };
    (front * continued_fraction(0.0, term)).clamp(0.0, 1.0)
}

/// Half the width of the interval that holds this part of Student's distribution, or of the normal one without degrees of freedom.
pub fn half_width(part: f64, degrees: Option<f64>) -> f64 {
    let below = |t: f64| match degrees {
        Some(degrees) => student_below(t, degrees),
        None => normal_below(t),
    };
    let wanted = 0.5 * (1.0 + part);
    let (mut low, mut high) = (0.0, 1.0);
    while below(high) < wanted && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) < wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of the distributions, to the digits printed there.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, expected) in
            [(1.0, 12.706_204_736), (2.0, 4.302_652_730), (5.0, 2.570_581_836), (30.0, 2.042_272_456)]
        {
            let found = half_width(0.95, Some(degrees));
            assert!((found - expected).abs() < 2e-9 * expected, "{degrees}: {found}");
        }
        assert!((half_width(0.95, None) - 1.959_963_985).abs() < 2e-9);
        assert!((half_width(0.95, Some(1e7)) - 1.959_963_985).abs() < 1e-6);
        // χ²: the 95 % points.
        for (degrees, point) in [(1.0, 3.841_458_821), (5.0, 11.070_497_69), (100.0, 124.342_113_4)] {
            let above = chi_squared_above(point, degrees);
            assert!((above - 0.05).abs() < 1e-9, "{degrees}: {above}");
        }
        assert!((ln_gamma(0.5) - 0.5 * std::f64::consts::PI.ln()).abs() < 1e-13);
        assert!((ln_gamma(101.0) - 363.739_375_555_563_5).abs() < 1e-11);
    }
}
