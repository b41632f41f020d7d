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

/// Beyond θ² = 10 (just above π²) the recurrence is run upwards from sin and cos instead.
const SERIES_LIMIT: f64 = 10.0;

impl Coefficients {
    /// At t = θ².
    #[inline(always)]
    pub fn at(t: f64) -> Self {
        if t > SERIES_LIMIT {
            return Self::from_trigonometry(t);
        }
        let (mut c6, mut c7) = (0.0, 0.0);
        let mut j = SERIES_TERMS;
        while j > 0 {
            j -= 1;
            c6 = INVERSE_FACTORIAL[2 * j + 6] - t * c6;
            c7 = INVERSE_FACTORIAL[2 * j + 7] - t * c7;
        }
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
