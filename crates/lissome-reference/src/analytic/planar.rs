//! A planar rod with bending, stretch and shear, integrated from one end.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | θ, x, y | direction and place of the section | `angle`, `x`, `y` | rad, ℓ |
//! | M | moment of what lies beyond on what lies before | `moment` | EI/ℓ |
//! | F | force of the same, constant between point loads | `force` | EI/ℓ² |
//! | N, Q | its parts along and across the section's normal | – | EI/ℓ² |
//!
//! θ′ = κ₀ + M, (x, y)′ = (1 + N/EA) (cos θ, sin θ) + (Q/GA) (−sin θ, cos θ), M′ = F_x y′ − F_y x′. The unit of length ℓ
//! is the caller's choice, EI is one.

use crate::OracleError;
use crate::extrapolation::integrate;
use nalgebra::SVector;

/// Relative tolerance of an integration step.
const TOLERANCE: f64 = 1e-13;

/// The rod's constants, in units of EI and ℓ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarRod {
    /// Natural curvature κ₀, 1/ℓ.
    pub natural_curvature: f64,
    /// EI/(EA ℓ²); zero for an inextensible rod.
    pub axial_compliance: f64,
    /// EI/(kGA ℓ²); zero for an unshearable rod.
    pub shear_compliance: f64,
}

/// A section of the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Direction of the normal of the section against the x axis, rad.
    pub angle: f64,
    /// Place, ℓ.
    pub x: f64,
    /// Place, ℓ.
    pub y: f64,
    /// Internal moment, EI/ℓ.
    pub moment: f64,
    /// Elastic energy from the start, EI/ℓ.
    pub energy: f64,
}

impl PlanarRod {
    /// The section at arc length `length` beyond `start` under the internal force `force`.
    pub fn carry(&self, start: &Station, force: [f64; 2], length: f64) -> Result<Station, OracleError> {
        let rate = |_: f64, y: &SVector<f64, 5>| {
            let (sin, cos) = y[0].sin_cos();
            let (normal, across) = (force[0] * cos + force[1] * sin, force[1] * cos - force[0] * sin);
            let (stretch, slip) = (1.0 + self.axial_compliance * normal, self.shear_compliance * across);
            let (dx, dy) = (stretch * cos - slip * sin, stretch * sin + slip * cos);
            let energy = y[3] * y[3] + self.axial_compliance * normal * normal + slip * across;
            SVector::from([self.natural_curvature + y[3], dx, dy, force[0] * dy - force[1] * dx, 0.5 * energy])
        };
        let begin = SVector::from([start.angle, start.x, start.y, start.moment, start.energy]);
        let end = integrate(rate, 0.0, length, begin, TOLERANCE)?;
        Ok(Station { angle: end[0], x: end[1], y: end[2], moment: end[3], energy: end[4] })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::analytic::elastica::dead_tip_load;

    #[test]
    fn a_cantilever_under_a_dead_force_is_the_elastica() {
        for load in [1.0, 5.0] {
            let exact = dead_tip_load(load).unwrap();
            // At the root the moment is the force times its arm.
            let moment = load * (1.0 - exact.shortening);
            let rod = PlanarRod { natural_curvature: 0.0, axial_compliance: 0.0, shear_compliance: 0.0 };
            let root = Station { angle: 0.0, x: 0.0, y: 0.0, moment, energy: 0.0 };
            let tip = rod.carry(&root, [0.0, load], 1.0).unwrap();
            assert!((tip.y - exact.deflection).abs() < 1e-12 && (tip.angle - exact.tip_slope).abs() < 1e-12);
            assert!(tip.moment.abs() < 1e-12, "{tip:?}");
        }
    }

    #[test]
    fn pulled_and_sheared() {
        let rod = PlanarRod { natural_curvature: 0.0, axial_compliance: 0.1, shear_compliance: 0.3 };
        let root = Station { angle: 0.0, x: 0.0, y: 0.0, moment: 0.0, energy: 0.0 };
        let tip = rod.carry(&root, [2.0, 0.0], 1.5).unwrap();
        assert!((tip.x - 1.8).abs() < 1e-14 && (tip.energy - 0.5 * 0.1 * 4.0 * 1.5).abs() < 1e-14);
        // Turned by a right angle the force along x is across the section.
        let root = Station { angle: -std::f64::consts::FRAC_PI_2, ..root };
        let tip = rod.carry(&root, [1e-9, 0.0], 1e-3).unwrap();
        // The moment of the force turns the rod by F s²/2, which moves x by 1e-9 · 1e-9/6.
        assert!((tip.x - 0.3 * 1e-9 * 1e-3).abs() < 2e-19 && (tip.y + 1e-3).abs() < 1e-15, "{tip:?}");
    }
}
