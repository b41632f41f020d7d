//! The trigonometric coefficients c_m shared by all tangent maps, accurate at every angle.

/// The functions c_m(t) = Σⱼ (−t)ʲ/(2j+m)!, without a branch at small angles.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Coefficients {
    pub c0: f64,
    pub c1: f64,
    pub c2: f64,
    pub c3: f64,
    pub c4: f64,
    pub c5: f64,
    pub c6: f64,
    pub c7: f64,
}

/// 1/m! for m = 0 … 29.
const INVERSE_FACTORIAL: [f64; 30] = {
    let mut table = [1.0; 30];
    let mut m = 1;
    while m < 30 {
        table[m] = table[m - 1] / m as f64;
        m += 1;
    }
    table
};

/// Terms of the two series: the first left out is below 1e-17 of the sum for θ ≤ π.
const SERIES_TERMS: usize = 12;

/// Up to this θ² so many are enough: the first left out is 6! tᴶ/(2J+6)! < 1e-18 of the sum. What rods turn by from one control pose to
/// the next, and most of all within a time step, is as little as that.
const SHORT_LIMIT: f64 = 0.1;
const SHORT_TERMS: usize = 6;

/// Beyond θ² = 10 (just above π²) the recurrence is run upwards from sin and cos instead.
const SERIES_LIMIT: f64 = 10.0;

/// c₆ and c₇.
#[inline(always)]
fn series<const TERMS: usize>(t: f64) -> [f64; 2] {
    let (mut c6, mut c7) = (0.0, 0.0);
    for j in (0..TERMS).rev() {
        c6 = INVERSE_FACTORIAL[2 * j + 6] - t * c6;
        c7 = INVERSE_FACTORIAL[2 * j + 7] - t * c7;
    }
    [c6, c7]
}

impl Coefficients {
    /// At t = θ².
    #[inline(always)]
    pub fn at(t: f64) -> Self {
        if t > SERIES_LIMIT {
            return Self::from_trigonometry(t);
        }
        let [c6, c7] = if t < SHORT_LIMIT { series::<SHORT_TERMS>(t) } else { series::<SERIES_TERMS>(t) };
        // The Horner sums above carry 1/(2j+m)! with alternating powers of t.
        let c5 = INVERSE_FACTORIAL[5] - t * c7;
        let c4 = INVERSE_FACTORIAL[4] - t * c6;
        let c3 = INVERSE_FACTORIAL[3] - t * c5;
        let c2 = INVERSE_FACTORIAL[2] - t * c4;
        let c1 = 1.0 - t * c3;
        let c0 = 1.0 - t * c2;
        Self { c0, c1, c2, c3, c4, c5, c6, c7 }
    }

    #[cold]
    fn from_trigonometry(t: f64) -> Self {
        let theta = t.sqrt();
        let (c0, c1) = (theta.cos(), theta.sin() / theta);
        let next = |m: usize, c: f64| (INVERSE_FACTORIAL[m] - c) / t;
        let (c2, c3) = (next(0, c0), next(1, c1));
        let (c4, c5) = (next(2, c2), next(3, c3));
        let (c6, c7) = (next(4, c4), next(5, c5));
        Self { c0, c1, c2, c3, c4, c5, c6, c7 }
    }
}

/// γ(t) of dexp⁻¹ on SO(3): (1 − (θ/2) cot(θ/2))/θ², valid for θ < 2π.
#[inline]
pub fn inverse_gamma(t: f64) -> f64 {
    let c = Coefficients::at(0.25 * t);
    0.25 * (c.c2 - c.c3) / c.c1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where fewer terms are enough, the sum of all is the same to its last digits.
    #[test]
    fn short_series_are_as_good_as_long_ones() {
        for t in [0.0, 1e-300, 1e-9, 1e-4, 0.01, 0.05, 0.0999, SHORT_LIMIT] {
            for (short, long) in series::<SHORT_TERMS>(t).iter().zip(series::<SERIES_TERMS>(t)) {
                assert!((short - long).abs() <= 2.0 * f64::EPSILON * long, "{t}: {short} {long}");
            }
        }
    }
}
