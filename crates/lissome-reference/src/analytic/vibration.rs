//! Small vibrations of a uniform rod clamped at its root: bending, with and without shear and rotary inertia, stretching
//! and twisting.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | L | length | `length` | m |
//! | EI, kGA, EA, GJ | stiffnesses | `bending`, `shear`, `axial`, `torsion` | N·m², N, N, N·m² |
//! | ρA, ρI, ρI_p | inertias per length | `mass`, `rotary`, `polar` | kg/m, kg·m, kg·m |

use super::root::bisect;
use crate::OracleError;
use nalgebra::{Matrix4, Vector4};
use std::f64::consts::{FRAC_PI_2, PI};

/// A uniform cantilever, in one plane of bending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cantilever {
    /// Length, m.
    pub length: f64,
    /// EI, N·m².
    pub bending: f64,
    /// kGA, N; infinite for a rod that does not shear.
    pub shear: f64,
    /// ρA, kg/m.
    pub mass: f64,
    /// ρI, kg·m; zero without rotary inertia.
    pub rotary: f64,
}

/// Root number n = 1, 2, … of 1 + cos β cosh β = 0: 1.8751, 4.6941, 7.8548, …
pub fn clamped_free_root(n: usize) -> Result<f64, OracleError> {
    if n == 0 {
        return Err(OracleError::OutOfDomain { quantity: "number of the frequency", value: 0.0 });
    }
    // Roots lie near (n − ½) π; divided by cosh β the function stays of order one.
    let middle = (n as f64 - 0.5) * PI;
    bisect(middle - 0.6, middle + 0.6, |beta: f64| beta.cos() + 1.0 / beta.cosh())
}

/// Root number n of 1 − cos β cosh β = 0, of a rod clamped (or free) at both ends: 4.7300, 7.8532, …
pub fn clamped_clamped_root(n: usize) -> Result<f64, OracleError> {
    if n == 0 {
        return Err(OracleError::OutOfDomain { quantity: "number of the frequency", value: 0.0 });
    }
    let middle = (n as f64 + 0.5) * PI;
    bisect(middle - 0.6, middle + 0.6, |beta: f64| beta.cos() - 1.0 / beta.cosh())
}

/// Frequency n = 1, 2, … of stretching, rad/s: (n − ½) π √(EA/ρA)/L.
pub fn axial(n: usize, length: f64, axial: f64, mass: f64) -> f64 {
    (2.0 * n as f64 - 1.0) * FRAC_PI_2 * (axial / mass).sqrt() / length
}

/// Frequency n = 1, 2, … of twisting, rad/s: (n − ½) π √(GJ/ρI_p)/L.
pub fn torsional(n: usize, length: f64, torsion: f64, polar: f64) -> f64 {
    self::axial(n, length, torsion, polar)
}

impl Cantilever {
    /// Frequency n = 1, 2, … of bending by Euler and Bernoulli, rad/s: β² √(EI/ρA)/L². Shear and rotary inertia are left
    /// out, whatever the rod has.
    pub fn euler_bernoulli(&self, n: usize) -> Result<f64, OracleError> {
        let beta = clamped_free_root(n)?;
        Ok(beta * beta * (self.bending / self.mass).sqrt() / self.length.powi(2))
    }

    /// The lowest `count` frequencies of bending by Timoshenko, rad/s.
    ///
    /// For w(x) e^{iωt}: w′ = θ + V/kGA, θ′ = M/EI, M′ = −V − ρI ω² θ, V′ = −ρA ω² w, with w = θ = 0 at the root and
    /// M = V = 0 at the tip. The transfer over the length is the exponential of a matrix, which holds on both sides of the
    /// cut-off frequency √(kGA/ρI); frequencies are the zeros of a 2 × 2 determinant.
    pub fn timoshenko(&self, count: usize) -> Result<Vec<f64>, OracleError> {
        let unit = (self.bending / self.mass).sqrt() / self.length.powi(2);
        // In β = √(ω/unit) Euler and Bernoulli's roots are π apart, and Timoshenko's, which are lower, no nearer than this
        // up to the cut-off. Where two spectra mingle beyond it, a pair nearer than this step would be missed.
        let step = 0.02;
        let mut found = Vec::with_capacity(count);
        let (mut low, mut at_low) = (0.1, self.tip_determinant(0.01 * unit));
        while found.len() < count {
            let high = low + step;
            let at_high = self.tip_determinant(high * high * unit);
            if !at_high.is_finite() {
                return Err(OracleError::OutOfDomain { quantity: "√(ω L² √(ρA/EI))", value: high });
            }
            if (at_low > 0.0) != (at_high > 0.0) {
                let beta = bisect(low, high, |beta| self.tip_determinant(beta * beta * unit))?;
                found.push(beta * beta * unit);
            }
            (low, at_low) = (high, at_high);
        }
        Ok(found)
    }

    /// Determinant of the tip's moment and shear force as they depend on those of the root, in units of length L,
    /// moment EI/L and force EI/L².
    fn tip_determinant(&self, frequency: f64) -> f64 {
        let l2 = self.length * self.length;
        let square = frequency * frequency;
        let b2 = self.mass * l2 * l2 * square / self.bending;
        let (shear, rotary) = (self.bending / (self.shear * l2), self.rotary * l2 * square / self.bending);
        let rate = Matrix4::from_rows(&[
            Vector4::new(0.0, 1.0, 0.0, shear).transpose(),
            Vector4::new(0.0, 0.0, 1.0, 0.0).transpose(),
            Vector4::new(0.0, -rotary, 0.0, -1.0).transpose(),
            Vector4::new(-b2, 0.0, 0.0, 0.0).transpose(),
        ]);
        let transfer = rate.exp();
        transfer[(2, 2)] * transfer[(3, 3)] - transfer[(2, 3)] * transfer[(3, 2)]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn roots_of_the_textbooks() {
        for (n, beta) in [(1, 1.875104068711961), (2, 4.694091132974174), (3, 7.854757438237613)] {
            assert!((clamped_free_root(n).unwrap() - beta).abs() < 1e-14, "{n}");
        }
        for (n, beta) in [(1, 4.730040744862704), (2, 7.853204624095838)] {
            assert!((clamped_clamped_root(n).unwrap() - beta).abs() < 1e-14, "{n}");
        }
        assert!(clamped_free_root(0).is_err());
    }

    fn rod(shear: f64, rotary: f64) -> Cantilever {
        Cantilever { length: 2.0, bending: 3.0, shear, mass: 0.7, rotary }
    }

    #[test]
    fn without_shear_and_rotary_inertia_it_is_eulers() {
        let rod = rod(f64::INFINITY, 0.0);
        for (n, found) in rod.timoshenko(5).unwrap().into_iter().enumerate() {
            let expected = rod.euler_bernoulli(n + 1).unwrap();
            // The exponential loses cosh β ≈ 1e6 at the fifth root.
            assert!((found - expected).abs() < 1e-9 * expected, "{n}: {found} {expected}");
        }
    }

    /// Huang's frequency equation of the cantilever \[huang1961\], with b² = ρA L⁴ ω²/EI, r² = ρI/(ρA L²), s² = EI/(kGA L²),
    /// below the cut-off b r s = 1.
    fn huang(b: f64, r2: f64, s2: f64) -> f64 {
        let root = ((r2 - s2).powi(2) + 4.0 / (b * b)).sqrt();
        let (alpha, beta) = (((root - r2 - s2) / 2.0).sqrt(), ((root + r2 + s2) / 2.0).sqrt());
        2.0 + (b * b * (r2 - s2).powi(2) + 2.0) * (b * alpha).cosh() * (b * beta).cos()
            - b * (r2 + s2) / (1.0 - b * b * r2 * s2).sqrt() * (b * alpha).sinh() * (b * beta).sin()
    }

    #[test]
    fn thick_rods_meet_huangs_equation() {
        for (r2, s2) in [(0.01, 0.03), (0.0025, 0.008), (1e-4, 3e-4), (0.0, 0.02), (0.01, 0.0)] {
            let rod = rod(3.0 / (4.0 * s2), r2 * 0.7 * 4.0);
            let unit = (3.0f64 / 0.7).sqrt() / 4.0;
            for frequency in rod.timoshenko(3).unwrap() {
                let b = frequency / unit;
                let slope = (huang(b * 1.0001, r2, s2) - huang(b * 0.9999, r2, s2)) / 2e-4;
                assert!((huang(b, r2, s2) / slope).abs() < 1e-10, "{r2} {s2}: {b}");
            }
        }
    }

    #[test]
    fn beyond_the_cut_off_the_count_goes_on() {
        // A very thick rod, b r s = 1 at b = 20: more frequencies lie above than Euler and Bernoulli would have.
        let rod = rod(3.0 / (4.0 * 0.05), 0.05 * 0.7 * 4.0);
        let found = rod.timoshenko(8).unwrap();
        assert!(found.windows(2).all(|pair| pair[1] > pair[0]));
        assert!(found[7] < rod.euler_bernoulli(5).unwrap());
    }

    #[test]
    fn stretching_and_twisting_are_quarter_waves() {
        assert!((axial(1, 2.0, 8.0, 2.0) - PI / 2.0).abs() < 1e-15);
        assert!((torsional(3, 1.0, 4.0, 1.0) - 5.0 * PI).abs() < 1e-14);
    }
}
