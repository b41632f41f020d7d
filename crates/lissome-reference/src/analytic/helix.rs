//! A straight rod of round section wound into a helix by a dead force and moment at its tip.
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | e | axis of the helix | `axis` | – | base |
//! | d, c | normal of the section; direction across it that lies in the plane of d and e | – | – | base |
//! | β | angle between d and e | `lean` | rad | |
//! | ω | turn about e per arc length | `winding` | rad/m | |
//! | υ | material torsion: curvature about d | `torsion` | 1/m | body |
//! | N | force, along e | `force` | N | |
//!
//! All sections look alike when seen from the axis: R(s) = exp(ω s e) R(0) exp((υ − ω cos β) s d). The curvature across d is
//! ω sin β about c, so that m = GJ υ d + EI ω sin β c, and n = N e causes p′ = (1 + N cos β/EA) d + (N sin β/GA) c. The
//! balance m′ = −p′ × n, with m′ = ω e × m, leaves one equation,
//!
//! ω (GJ υ − EI ω cos β) = N (1 + N cos β (1/EA − 1/GA)),
//!
//! and radius and pitch are ωr = sin β (1 + N cos β (1/EA − 1/GA)) and
//! ω·pitch/2π = cos β (1 + N cos β/EA) + N sin²β/GA. Without stretch and shear it is Kirchhoff's helix
//! \[love1944\].

use super::newton;
use crate::OracleError;
use crate::quaternion::Quaternion;
use lissome_lie::{Pose, Wrench};
use nalgebra::{DVector, Vector3};
use std::f64::consts::{PI, TAU};

/// Stiffnesses of a uniform rod of round section, straight without load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundRod {
    /// GJ, N·m².
    pub torsion: f64,
    /// EI, N·m².
    pub bending: f64,
    /// EA, N; infinite for an inextensible rod.
    pub axial: f64,
    /// kGA, N; infinite for an unshearable rod.
    pub shear: f64,
}

/// What the helix is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Winding {
    /// Radius of the centre line, m, positive.
    pub radius: f64,
    /// Rise along the axis per turn, m; zero for a ring, negative for a left-handed helix.
    pub pitch: f64,
    /// Material torsion υ, rad/m; the torsion of the curve itself, ω cos β, for a frame that does not spin in the curve's.
    pub torsion: f64,
}

/// A helical equilibrium whose base section is the frame of reference: its normal is x, its curvature is about z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Helix {
    rod: RoundRod,
    winding: Winding,
    /// Angle β between the section's normal and the axis, rad.
    pub lean: f64,
    /// ω, rad per metre of arc length.
    pub turn_rate: f64,
    /// Tension N along the axis, N.
    pub tension: f64,
}

impl RoundRod {
    /// The equilibrium with this winding.
    pub fn wound(&self, winding: Winding) -> Result<Helix, OracleError> {
        if !(winding.radius > 0.0 && winding.radius.is_finite()) {
            return Err(OracleError::OutOfDomain { quantity: "radius of the helix", value: winding.radius });
        }
        let rise = winding.pitch / TAU;
        // Kirchhoff's helix: the normal is the tangent of the curve.
        let lean = winding.radius.atan2(rise);
        let turn_rate = 1.0 / winding.radius.hypot(rise);
        let tension = turn_rate * (self.torsion * winding.torsion - self.bending * turn_rate * lean.cos());
        // Unknown: lean, winding and force, the last two in units of their first values and of EI ω².
        let force_unit = self.bending * turn_rate * turn_rate;
        let slip = 1.0 / self.axial - 1.0 / self.shear;
        let root = newton::solve(DVector::from_vec(vec![lean, 1.0, tension / force_unit]), 1e-14, |u| {
            let (beta, omega, force) = (u[0], u[1] * turn_rate, u[2] * force_unit);
            let (sin, cos) = beta.sin_cos();
            let inward = 1.0 + force * cos * slip;
            let along = cos * (1.0 + force * cos / self.axial) + force * sin * sin / self.shear;
            let balance = omega * (self.torsion * winding.torsion - self.bending * omega * cos) - force * inward;
            Ok(DVector::from_vec(vec![
                omega * winding.radius - sin * inward,
                omega * rise - along,
                balance / force_unit,
            ]))
        })?;
        // A soft rod may have no such helix; the equations then lead to one that is wound backwards or turned inside out.
        if !(root.x[1] > 0.0 && root.x[0] > 0.0 && root.x[0] < PI) {
            return Err(OracleError::OutOfDomain {
                quantity: "turn per length of the helix",
                value: root.x[1] * turn_rate,
            });
        }
        let (turn_rate, tension) = (root.x[1] * turn_rate, root.x[2] * force_unit);
        Ok(Helix { rod: *self, winding, lean: root.x[0], turn_rate, tension })
    }
}

impl Helix {
    /// Direction of the axis, in base axes.
    pub fn axis(&self) -> Vector3<f64> {
        Vector3::new(self.lean.cos(), 0.0, self.lean.sin())
    }

    /// Direction of the winding at the base, e × (from the axis outwards).
    fn around(&self) -> Vector3<f64> {
        Vector3::new(self.lean.sin(), 0.0, -self.lean.cos())
    }

    /// Length of a rod of so many turns, m.
    pub fn length_of_turns(&self, turns: f64) -> f64 {
        turns * TAU / self.turn_rate
    }

    /// Pose of the section at arc length s, in base axes.
    pub fn pose(&self, s: f64) -> Pose {
        let about_axis = Quaternion::from_rotation_vector(&(self.axis() * (self.turn_rate * s)));
        let spin = (self.winding.torsion - self.turn_rate * self.lean.cos()) * s;
        let turn = about_axis.times(Quaternion::from_rotation_vector(&(Vector3::x() * spin)));
        let outwards = self.around().cross(&self.axis()) * self.winding.radius;
        let rise = self.axis() * (self.turn_rate * s * self.winding.pitch / TAU);
        Pose::new(turn.normalized().to_rotation(), about_axis.matrix() * outwards - outwards + rise)
    }

    /// Internal wrench at arc length s, of the part beyond on the part before, in base axes; at the length of the rod it is
    /// the dead force and moment to be applied to the tip.
    pub fn wrench(&self, s: f64) -> Wrench {
        let about_axis = Quaternion::from_rotation_vector(&(self.axis() * (self.turn_rate * s)));
        let bending = self.rod.bending * self.turn_rate * self.lean.sin();
        let moment = Vector3::new(self.rod.torsion * self.winding.torsion, 0.0, bending);
        Wrench::new(about_axis.matrix() * moment, self.axis() * self.tension)
    }

    /// Elastic energy per length, J/m.
    pub fn energy_per_length(&self) -> f64 {
        let (sin, cos) = self.lean.sin_cos();
        let bend = self.turn_rate * sin;
        0.5 * (self.rod.torsion * self.winding.torsion.powi(2)
            + self.rod.bending * bend * bend
            + (self.tension * cos).powi(2) / self.rod.axial
            + (self.tension * sin).powi(2) / self.rod.shear)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ROD: RoundRod = RoundRod { torsion: 0.7, bending: 1.1, axial: 90.0, shear: 40.0 };

    #[test]
    fn kirchhoffs_helix() {
        let rod = RoundRod { axial: f64::INFINITY, shear: f64::INFINITY, ..ROD };
        let helix = rod.wound(Winding { radius: 0.3, pitch: 0.5, torsion: 0.4 }).unwrap();
        let rise = 0.5 / TAU;
        let (square, curvature) = (0.09 + rise * rise, 0.3 / (0.09 + rise * rise));
        let torsion = rise / square;
        // Force √(κ² + τ²) (GJ υ − EI τ) along the axis, moment (EI κ² + GJ υ τ)/√(κ² + τ²) about it.
        let total = curvature.hypot(torsion);
        assert!((helix.tension - total * (0.7 * 0.4 - 1.1 * torsion)).abs() < 1e-12);
        let about = helix.wrench(0.0).moment.dot(&helix.axis());
        assert!((about - (1.1 * curvature * curvature + 0.7 * 0.4 * torsion) / total).abs() < 1e-12);
    }

    #[test]
    fn strain_and_balance_hold_along_the_rod() {
        let helix = ROD.wound(Winding { radius: 0.3, pitch: -0.4, torsion: 1.5 }).unwrap();
        let h = 1e-5;
        for s in [0.0, 0.37, 2.0] {
            let (a, b, here) = (helix.pose(s + h), helix.pose(s - h), helix.pose(s));
            let qt = Quaternion::from_rotation(&here.rotation).matrix().transpose();
            let wrench = helix.wrench(s);
            let (moment, force) = (qt * wrench.moment, qt * wrench.force);
            // Strain by differences, their error h² ω³ ≈ 1e-8.
            let tangent = (a.position - b.position) / (2.0 * h);
            let stretch = qt * tangent;
            let expected = Vector3::new(1.0 + force.x / 90.0, force.y / 40.0, force.z / 40.0);
            assert!((stretch - expected).amax() < 1e-7, "{s}: {stretch} {expected}");
            let (qa, qb) = (Quaternion::from_rotation(&a.rotation), Quaternion::from_rotation(&b.rotation));
            let turn = qb.conjugate().times(qa);
            let curvature = turn.v * (2.0 * turn.w.signum()) / (2.0 * h);
            let expected = Vector3::new(moment.x / 0.7, moment.y / 1.1, moment.z / 1.1);
            assert!((curvature - expected).amax() < 1e-6, "{s}: {curvature} {expected}");
            let change = (helix.wrench(s + h).moment - helix.wrench(s - h).moment) / (2.0 * h);
            assert!((change + tangent.cross(&wrench.force)).amax() < 1e-6, "{s}");
            let density = 0.5 * (moment.dot(&expected) + force.x.powi(2) / 90.0 + force.yz().norm_squared() / 40.0);
            assert!((density - helix.energy_per_length()).abs() < 1e-12);
        }
        let turn = helix.pose(helix.length_of_turns(1.0)).position;
        assert!((turn - helix.axis() * -0.4).amax() < 1e-13);
    }

    #[test]
    fn a_ring_needs_a_force_to_hold_its_twist() {
        let helix = ROD.wound(Winding { radius: 1.0, pitch: 0.0, torsion: 0.3 }).unwrap();
        assert!(helix.tension > 0.0 && helix.pose(helix.length_of_turns(1.0)).position.norm() < 1e-13);
        let bent = ROD.wound(Winding { radius: 1.0, pitch: 0.0, torsion: 0.0 }).unwrap();
        assert!(bent.tension.abs() < 1e-14 && (bent.turn_rate - 1.0).abs() < 1e-14);
        // Twisted so hard that stretch and shear are of order one.
        let soft = RoundRod { torsion: 0.8, bending: 1.0, axial: 4e3, shear: 1.5e3 };
        assert!(soft.wound(Winding { radius: 0.02, pitch: 0.0, torsion: 80.0 }).is_err());
        assert!(ROD.wound(Winding { radius: 0.0, pitch: 0.0, torsion: 0.0 }).is_err());
    }
}
