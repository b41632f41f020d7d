//! Legendre's elliptic integrals by Carlson's symmetric forms.
//!
//! R_F(x, y, z) = ½ ∫₀^∞ dt / √((t+x)(t+y)(t+z)) and R_D(x, y, z) = 3/2 ∫₀^∞ dt / ((t+z) √((t+x)(t+y)(t+z))) are
//! unchanged (R_D up to an added term) when each argument a becomes (a + λ)/4 with λ = √(xy) + √(yz) + √(zx). The
//! arguments draw together by a factor of four each time, until the Taylor series about their mean is exact.

/// Spread of the arguments, relative to their mean, below which the series' remainder (sixth power) is under one ulp.
const SPREAD: f64 = 1e-3;

/// Carlson's R_F; at most one argument zero, none negative.
pub fn carlson_rf(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    loop {
        let mean = (x + y + z) / 3.0;
        let (dx, dy) = (1.0 - x / mean, 1.0 - y / mean);
        let dz = -dx - dy;
        if dx.abs().max(dy.abs()).max(dz.abs()) < SPREAD {
            let (e2, e3) = (dx * dy - dz * dz, dx * dy * dz);
            let series = 1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0;
            return series / mean.sqrt();
        }
        let lambda = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        z = 0.25 * (z + lambda);
    }
}

/// Carlson's R_D; z positive, at most one of x and y zero.
pub fn carlson_rd(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    let (mut sum, mut weight) = (0.0, 1.0);
    loop {
        let mean = (x + y + 3.0 * z) / 5.0;
        let (dx, dy) = (1.0 - x / mean, 1.0 - y / mean);
        let dz = -(dx + dy) / 3.0;
        if dx.abs().max(dy.abs()).max(dz.abs()) < SPREAD {
            let (xy, zz) = (dx * dy, dz * dz);
            let (e2, e3) = (xy - 6.0 * zz, (3.0 * xy - 8.0 * zz) * dz);
            let (e4, e5) = (3.0 * (xy - zz) * zz, xy * zz * dz);
            let series =
                1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 - 9.0 * e2 * e3 / 52.0
                    + 3.0 * e5 / 26.0;
            return 3.0 * sum + weight * series / (mean * mean.sqrt());
        }
        let lambda = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        sum += weight / (z.sqrt() * (z + lambda));
        weight *= 0.25;
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        z = 0.25 * (z + lambda);
    }
}

/// An angle φ in [0, π/2] by its sine and cosine, so that neither end of the quadrant loses digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amplitude {
    /// sin φ.
    pub sine: f64,
    /// cos φ.
    pub cosine: f64,
}

impl Amplitude {
    /// φ = π/2: the complete integrals.
    pub const RIGHT_ANGLE: Self = Self { sine: 1.0, cosine: 0.0 };

    /// From the angle.
    pub fn from_angle(angle: f64) -> Self {
        Self { sine: angle.sin(), cosine: angle.cos() }
    }

    /// cos²φ and 1 − k² sin²φ = cos²φ + (1 − k²) sin²φ.
    fn carlson_arguments(self, complement: f64) -> (f64, f64) {
        let cosine2 = self.cosine * self.cosine;
        (cosine2, cosine2 + complement * self.sine * self.sine)
    }
}

/// F(φ, k): the integral of 1/√(1 − k² sin²) from 0 to φ, with the complement 1 − k².
pub fn first_kind(amplitude: Amplitude, complement: f64) -> f64 {
    let (x, y) = amplitude.carlson_arguments(complement);
    amplitude.sine * carlson_rf(x, y, 1.0)
}

/// E(φ, k): the integral of √(1 − k² sin²) from 0 to φ, with the complement 1 − k².
pub fn second_kind(amplitude: Amplitude, complement: f64) -> f64 {
    let (x, y) = amplitude.carlson_arguments(complement);
    let k2 = 1.0 - complement;
    amplitude.sine * carlson_rf(x, y, 1.0) - k2 / 3.0 * amplitude.sine.powi(3) * carlson_rd(x, y, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    /// Gauss: K(k) = π / (2 agm(1, √(1 − k²))).
    fn complete_by_agm(complement: f64) -> f64 {
        let (mut a, mut b) = (1.0, complement.sqrt());
        for _ in 0..40 {
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
        }
        PI / (2.0 * a)
    }

    #[test]
    fn complete_first_kind_agrees_with_the_arithmetic_geometric_mean() {
        for complement in [1.0, 0.9, 0.5, 0.1, 1e-3, 1e-8] {
            let k = complete_by_agm(complement);
            assert!((first_kind(Amplitude::RIGHT_ANGLE, complement) - k).abs() < 1e-14 * k, "{complement}");
        }
    }

    #[test]
    fn circular_and_hyperbolic_limits() {
        for phi in [0.1f64, 0.7, 1.5] {
            let amplitude = Amplitude::from_angle(phi);
            assert!((first_kind(amplitude, 1.0) - phi).abs() < 1e-14);
            assert!((second_kind(amplitude, 1.0) - phi).abs() < 1e-14);
            assert!((first_kind(amplitude, 0.0) - phi.tan().asinh()).abs() < 1e-13);
            assert!((second_kind(amplitude, 0.0) - phi.sin()).abs() < 1e-14);
        }
    }

    #[test]
    fn legendre_relation() {
        // E K′ + E′ K − K K′ = π/2.
        for complement in [0.3, 0.5, 0.02] {
            let (k, e) =
                (first_kind(Amplitude::RIGHT_ANGLE, complement), second_kind(Amplitude::RIGHT_ANGLE, complement));
            let (k1, e1) = (
                first_kind(Amplitude::RIGHT_ANGLE, 1.0 - complement),
                second_kind(Amplitude::RIGHT_ANGLE, 1.0 - complement),
            );
            assert!((e * k1 + e1 * k - k * k1 - FRAC_PI_2).abs() < 1e-14);
        }
    }
}
