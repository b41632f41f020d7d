//! Rings: twisted until they leave their plane (Michell, Zajac), and folded into three.
//!
//! *Twisted ring.* A straight rod of round section is bent into a ring of radius R and its ends are glued after a turn by Φ.
//! The plane ring is stable up to Φ = 2π√3 EI/GJ \[zajac1962\], \[goriely2006\]. Mode n = 2, 3, … is critical at
//! Φ = 2π√(n² − 1) EI/GJ.
//!
//! With stretch and shear the plane ring is the helix of pitch zero ([`super::helix`]), all of whose sections look alike from
//! its axis. Seen from there the varied equations
//!
//! φ′ = δk, δp′ = φ × p′ + δv, δm′ = −δp′ × n − p′ × δn, δn′ = 0, with (δk, δv) = K⁻¹ (δm − φ × m, δn − φ × n),
//!
//! have constant coefficients once the rotation of the view, −ω e × , is added to each row; mode n is critical where the
//! matrix has the eigenvalue i n ω.
//!
//! *Ring folded in three.* A ring with natural radius R and a flat section, turned by 2π at opposite ends, comes to rest as
//! three circles of radius R/3 on top of each other \[goto1992\]. The curvature has grown from 1/R to 3/R in the plane, nothing
//! else has changed: U = ½ EI (2/R)² 2πR = 8π EI/(2R) = 4π EI/R.

use super::helix::{Helix, RoundRod, Winding};
use super::root::bisect_fallible;
use crate::OracleError;
use nalgebra::{Complex, Matrix3, SMatrix, Vector3};
use std::f64::consts::{PI, TAU};

/// Turn Φ of the glued ends at which mode n ≥ 2 of a ring without stretch and shear is critical, rad:
/// 2π√(n² − 1) EI/GJ.
pub fn critical_turn(bending: f64, torsion: f64, mode: usize) -> f64 {
    let n = mode as f64;
    TAU * (n * n - 1.0).sqrt() * bending / torsion
}

/// The same for a ring of the given natural length (m) that stretches and shears.
pub fn critical_turn_extensible(rod: &RoundRod, length: f64, mode: usize) -> Result<f64, OracleError> {
    let guess = critical_turn(rod.bending, rod.torsion, mode);
    bisect_fallible(0.8 * guess, 1.2 * guess, |turn| mode_determinant(&plane_ring(rod, length, turn)?, rod, mode))
}

/// The plane ring of given natural length and turn: one turn of a helix without pitch. Its radius is not L/2π when it
/// shears.
pub fn plane_ring(rod: &RoundRod, length: f64, turn: f64) -> Result<Helix, OracleError> {
    let nominal = length / TAU;
    let ring = |radius: f64| rod.wound(Winding { radius, pitch: 0.0, torsion: turn / length });
    let radius =
        bisect_fallible(0.5 * nominal, 1.5 * nominal, |radius| Ok(ring(radius)?.length_of_turns(1.0) - length))?;
    ring(radius)
}

/// The determinant that vanishes where the linearised ring has the eigenvalue i n ω; real up to a constant phase.
fn mode_determinant(ring: &Helix, rod: &RoundRod, mode: usize) -> Result<f64, OracleError> {
    let (e, normal) = (ring.axis(), Vector3::x());
    let wrench = ring.wrench(0.0);
    let along = normal * normal.transpose();
    let across = Matrix3::identity() - along;
    let flexible = along / rod.torsion + across / rod.bending;
    let stretchable = along / rod.axial + across / rod.shear;
    // Local normal, then the tangent from the stress.
    let tangent = normal + stretchable * wrench.force;
    let cross = |a: &Vector3<f64>| a.cross_matrix();
    let (m, n, p) = (cross(&wrench.moment), cross(&wrench.force), cross(&tangent));
    let view = cross(&e) * -ring.turn_rate;
    // δ(stress in section axes) = Rᵀ(δm − φ × m), and φ × m = −m × φ.
    let mut a = SMatrix::<f64, 12, 12>::zeros();
    let mut put = |row: usize, column: usize, block: Matrix3<f64>| {
        let mut place = a.fixed_view_mut::<3, 3>(3 * row, 3 * column);
        place += block;
    };
    let (by_turn, by_force) = (-p + stretchable * n, stretchable);
    put(0, 0, flexible * m);
    put(0, 2, flexible);
    put(1, 0, by_turn);
    put(1, 3, by_force);
    // −δp′ × n = n × δp′.
    put(2, 0, n * by_turn);
    put(2, 3, n * by_force - p);
    for row in 0..4 {
        put(row, row, view);
    }
    // Lengths in 1/ω, moments in EI ω and forces in EI ω², so that the determinant has no unit.
    let omega = ring.turn_rate;
    let unit = [1.0, 1.0 / omega, rod.bending * omega, rod.bending * omega * omega];
    let shifted = SMatrix::<Complex<f64>, 12, 12>::from_fn(|i, j| {
        let scaled = a[(i, j)] * unit[j / 3] / unit[i / 3] / omega;
        Complex::new(scaled, if i == j { -(mode as f64) } else { 0.0 })
    });
    let determinant = shifted.determinant();
    // A real matrix whose coefficients are even under reversal of the rod: the determinant is a polynomial in n² or n
    // times one, so that one of its parts vanishes identically.
    Ok(if determinant.re.abs() >= determinant.im.abs() { determinant.re } else { determinant.im })
}

/// The ring of the deployment test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoldedRing {
    /// Radius of the unloaded ring.
    pub radius: f64,
    /// Depth of the section across the plane of the ring.
    pub depth: f64,
    /// Thickness of the section in the plane.
    pub thickness: f64,
    /// Young's modulus.
    pub young: f64,
    /// Shear modulus.
    pub shear_modulus: f64,
}

/// The data of \[goto1992\], in the consistent units of the paper.
pub const DEPLOYABLE_RING: FoldedRing =
    FoldedRing { radius: 20.0, depth: 1.0, thickness: 1.0 / 3.0, young: 2.1e7, shear_modulus: 1.05e7 };

impl FoldedRing {
    /// EI of bending in the plane of the ring.
    pub fn bending(&self) -> f64 {
        self.young * self.depth * self.thickness.powi(3) / 12.0
    }

    /// Elastic energy of the three circles, 4π EI/R.
    pub fn folded_energy(&self) -> f64 {
        4.0 * PI * self.bending() / self.radius
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn stiff_rings_meet_zajacs_turn() {
        for mode in [2, 3] {
            let exact = critical_turn(1.3, 0.8, mode);
            let departure = |stiff: f64| {
                let rod = RoundRod { torsion: 0.8, bending: 1.3, axial: 2.6 * stiff, shear: stiff };
                critical_turn_extensible(&rod, 2.0, mode).unwrap() / exact - 1.0
            };
            // Compliance enters linearly.
            let (soft, stiff) = (departure(1e5), departure(1e6));
            assert!(soft.abs() < 1e-2 && (soft / stiff / 10.0 - 1.0).abs() < 0.05, "{mode}: {soft} {stiff}");
        }
        assert!((critical_turn(1.0, 1.0, 2) - TAU * 3f64.sqrt()).abs() < 1e-14);
    }

    #[test]
    fn energy_of_the_ring_in_three() {
        assert!((DEPLOYABLE_RING.folded_energy() - 40724.35).abs() < 5e-3, "{}", DEPLOYABLE_RING.folded_energy());
    }
}
