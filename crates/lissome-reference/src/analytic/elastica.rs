//! Euler's elastica: inextensible, unshearable, planar.

use super::elliptic::{Amplitude, first_kind, second_kind};
use super::root::bisect;
use crate::OracleError;
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

/// A cantilever of unit length under a dead transverse force at its tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeadTipLoad {
    /// Slope of the tip, rad.
    pub tip_slope: f64,
    /// Deflection of the tip along the force, in lengths.
    pub deflection: f64,
    /// Distance by which the tip draws back towards the root, in lengths.
    pub shortening: f64,
}

/// The elastica under the force `load` = P L²/EI.
///
/// With θ the slope of the tip, k² = (1 + sin θ)/2 and sin φ₁ = 1/(k√2): √load = K(k) − F(φ₁, k),
/// deflection = 1 − 2 (E(k) − E(φ₁, k))/√load, 1 − shortening = √(2 sin θ / load).
pub fn dead_tip_load(load: f64) -> Result<DeadTipLoad, OracleError> {
    if !(load > 0.0 && load.is_finite()) {
        return Err(OracleError::OutOfDomain { quantity: "P L²/EI", value: load });
    }
    let root_load = load.sqrt();
    // Unknown: what the tip lacks to a right angle; it falls to exp(−√load) for large loads.
    let lack = bisect(f64::MIN_POSITIVE.sqrt(), FRAC_PI_2, |lack| arc(lack).0 - root_load)?;
    let (_, rise) = arc(lack);
    Ok(DeadTipLoad {
        tip_slope: FRAC_PI_2 - lack,
        deflection: 1.0 - 2.0 * rise / root_load,
        shortening: 1.0 - (2.0 * lack.cos()).sqrt() / root_load,
    })
}

/// K − F(φ₁) and E − E(φ₁) for a tip slope of π/2 − `lack`. The addition theorem makes one integral of each
/// difference: with sin ψ = cos φ₁/√(1 − k² sin²φ₁), K − F(φ₁) = F(ψ), E − E(φ₁) = E(ψ) − k² sin φ₁ sin ψ.
fn arc(lack: f64) -> (f64, f64) {
    let complement = (0.5 * lack).sin().powi(2);
    let k = (0.5 * lack).cos();
    // cos²φ₁ = 1 − 1/(2k²) = sin θ/(2k²) and 1 − k² sin²φ₁ = ½, so that sin ψ = √(sin θ)/k and cos ψ = tan(lack/2).
    let psi = Amplitude { sine: lack.cos().max(0.0).sqrt() / k, cosine: (0.5 * lack).tan() };
    (first_kind(psi, complement), second_kind(psi, complement) - k * psi.sine / SQRT_2)
}

/// A rod of unit length clamped at both ends in one line and pushed together: the symmetric first mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClampedBuckled {
    /// P L²/EI of the force between the ends.
    pub load: f64,
    /// Deflection of the middle, in lengths.
    pub deflection: f64,
    /// Largest slope, at the quarter points, rad.
    pub quarter_slope: f64,
}

/// The buckled elastica whose clamped ends are `distance` lengths apart, 0 < distance < 1.
///
/// Four equal quarters between crest and inflection, each K(k) long in units of √(EI/P):
/// load = 16 K², distance = 2 E/K − 1, deflection = k/K, quarter slope = 2 asin k.
pub fn clamped_buckled(distance: f64) -> Result<ClampedBuckled, OracleError> {
    if !(distance > 0.0 && distance < 1.0) {
        return Err(OracleError::OutOfDomain { quantity: "distance of the ends", value: distance });
    }
    let whole = |k: f64| {
        let complement = (1.0 - k) * (1.0 + k);
        (first_kind(Amplitude::RIGHT_ANGLE, complement), second_kind(Amplitude::RIGHT_ANGLE, complement))
    };
    // The ends meet at k = 0.9089.
    let k = bisect(0.0, 0.95, |k| {
        let (first, second) = whole(k);
        distance - (2.0 * second / first - 1.0)
    })?;
    let (first, _) = whole(k);
    Ok(ClampedBuckled { load: 16.0 * first * first, deflection: k / first, quarter_slope: 2.0 * k.asin() })
}

/// Moment at the tip that bends a straight rod to a full circle, 2π EI/L.
pub fn full_circle_moment(bending_stiffness: f64, length: f64) -> f64 {
    2.0 * PI * bending_stiffness / length
}

/// Elastic energy of that circle, 2π² EI/L.
pub fn full_circle_energy(bending_stiffness: f64, length: f64) -> f64 {
    2.0 * PI * PI * bending_stiffness / length
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// P L²/EI, tip slope, deflection, shortening.
    const TABLE: [[f64; 4]; 13] = [
        [0.25, 0.12429244211363742, 0.08274591535441633, 0.004117818409975271],
        [0.5, 0.2445336471332187, 0.16214357565836912, 0.015918962470836684],
        [1.0, 0.461351949711879, 0.3017207737998133, 0.05643323628337682],
        [2.0, 0.7817498315565432, 0.4934574803967118, 0.16064172082516714],
        [3.0, 0.9860169467113545, 0.6032534411299773, 0.254420184564187],
        [4.0, 1.1212393474875757, 0.6699641812776667, 0.32894124224684607],
        [5.0, 1.2153681176116815, 0.7137915236119129, 0.38762836072442985],
        [6.0, 1.2836972858012456, 0.7445711488895155, 0.43458882868190507],
        [7.0, 1.3349598574718557, 0.7673690997404634, 0.47292742838633683],
        [8.0, 1.3744315067013937, 0.7849823749533147, 0.5048277321335316],
        [9.0, 1.4054653336239533, 0.7990555274708404, 0.5318205626725272],
        [10.0, 1.4302855388038578, 0.8106090248802966, 0.5549955977537513],
        [15.0, 1.5018401541771553, 0.8477156743322972, 0.6352857803620853],
    ];

    #[test]
    fn table_of_dead_tip_loads() {
        for [load, slope, deflection, shortening] in TABLE {
            let tip = dead_tip_load(load).unwrap();
            assert!((tip.tip_slope - slope).abs() < 1e-13, "{load}: {tip:?}");
            assert!((tip.deflection - deflection).abs() < 1e-13, "{load}: {tip:?}");
            assert!((tip.shortening - shortening).abs() < 1e-13, "{load}: {tip:?}");
        }
    }

    #[test]
    fn small_loads_are_linear_and_large_ones_align() {
        // Series of the linear theory: v = P/3, slope = P/2, next terms relative P².
        let small = dead_tip_load(1e-3).unwrap();
        assert!((small.deflection / 1e-3 - 1.0 / 3.0).abs() < 1e-6);
        assert!((small.tip_slope / 1e-3 - 0.5).abs() < 1e-6);
        // A long boundary layer: the tip misses the right angle by 8 tan(π/8) exp(−√P).
        let large = dead_tip_load(900.0).unwrap();
        let lack = 8.0 * (PI / 8.0).tan() * (-30f64).exp();
        assert!((FRAC_PI_2 - large.tip_slope - lack).abs() < 1e-15);
    }

    #[test]
    fn a_little_compression_gives_eulers_load_and_a_cosine() {
        // Distance 1 − k² and deflection 2k/π to first order; the load exceeds 4π² by a factor 1 + k²/2.
        let buckled = clamped_buckled(1.0 - 1e-6).unwrap();
        assert!((buckled.load / (4.0 * PI * PI) - 1.0 - 0.5e-6).abs() < 1e-9);
        assert!((buckled.deflection - 2e-3 / PI).abs() < 1e-8);
        assert!((buckled.quarter_slope - 2e-3).abs() < 1e-8);
    }

    #[test]
    fn refuses_loads_without_a_meaning() {
        for load in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(dead_tip_load(load), Err(OracleError::OutOfDomain { .. })));
        }
    }
}
