//! Kirchhoff's inextensible rod from its base: where the tip ends for a wrench at the base.
//!
//! q′ = ½ q (0, κ), r′ = q e₁ q̄, m′ = −r′ × n with m and n in base axes and K(κ − κ̄) the moment in section axes
//! \[muller2025cfk, eqs. (1)–(3), (6)\]. The moment is an unknown of its own, so that its balance is integrated and not
//! assumed; it is measured in units of the base's bending stiffness over the length, so that a tolerance means the same
//! for every rod.

use crate::OracleError;
use crate::extrapolation::integrate;
use crate::quaternion::Quaternion;
use lissome_lie::{Pose, Wrench};
use lissome_model::{NaturalShape, Profile};
use nalgebra::{Matrix3, SVector, Vector3, Vector4};

/// q, r, m.
type State = SVector<f64, 10>;

/// Relative tolerance of each step.
const TOLERANCE: f64 = 1e-13;

/// An inextensible rod.
#[derive(Clone, Debug)]
pub struct KirchhoffRod<'a> {
    /// Length, m.
    pub length: f64,
    /// Its sections.
    pub profile: &'a Profile,
    /// Its shape without stress; straight or by curvature.
    pub natural: &'a NaturalShape,
}

impl KirchhoffRod<'_> {
    /// Pose of the tip seen from the base when the base section carries `wrench` (N·m and N, base axes): what the rod
    /// beyond the base exerts on the base.
    pub fn tip(&self, wrench: &Wrench) -> Result<Pose, OracleError> {
        let unit = self.profile.at(0.0).stiffness()[(1, 1)] / self.length;
        let mut state = State::zeros();
        state[0] = 1.0;
        state.fixed_rows_mut::<3>(7).copy_from(&(wrench.moment / unit));
        // Never across a step of the section or of the natural curvature.
        let mut cuts: Vec<f64> = self.profile.steps().into_iter().chain(self.natural.steps()).collect();
        cuts.push(self.length);
        cuts.sort_by(f64::total_cmp);
        let mut from = 0.0;
        for to in cuts.into_iter().filter(|s| *s > 0.0) {
            let inset = 1e-12 * self.length;
            let rate = |s: f64, y: &State| self.rate(s.clamp(from + inset, to - inset), y, &wrench.force, unit);
            state = integrate(rate, from, to, state, TOLERANCE)?;
            from = to;
        }
        Ok(Pose::new(quaternion(&state).normalized().to_rotation(), Vector3::new(state[4], state[5], state[6])))
    }

    fn rate(&self, s: f64, y: &State, force: &Vector3<f64>, unit: f64) -> State {
        let q = quaternion(y).normalized();
        let turn = q.matrix();
        let moment = turn.transpose() * Vector3::new(y[7], y[8], y[9]) * unit;
        let stiffness: Matrix3<f64> = self.profile.at(s).stiffness().fixed_view::<3, 3>(0, 0).into();
        let natural = self.natural.strain_at(s).map_or_else(Vector3::zeros, |strain| strain.curvature);
        // A validated stiffness is positive definite.
        let curvature = stiffness.lu().solve(&moment).unwrap_or_else(|| Vector3::repeat(f64::NAN)) + natural;
        let tangent: Vector3<f64> = turn.column(0).into();
        let mut rate = State::zeros();
        rate.fixed_rows_mut::<4>(0).copy_from(&q.rate(&curvature).to_vector());
        rate.fixed_rows_mut::<3>(4).copy_from(&tangent);
        rate.fixed_rows_mut::<3>(7).copy_from(&(-tangent.cross(force) / unit));
        rate
    }
}

fn quaternion(y: &State) -> Quaternion {
    Quaternion::from_vector(&Vector4::new(y[0], y[1], y[2], y[3]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::analytic::elastica::{clamped_buckled, full_circle_moment};
    use lissome_model::{Material, Section};

    #[test]
    fn a_moment_bends_a_circle_and_a_push_an_arch() {
        let profile = Profile::uniform(Section::circle(1e-3, Material::from_moduli(35e9, 3e9)));
        let rod = KirchhoffRod { length: 0.6, profile: &profile, natural: &NaturalShape::Straight };
        let bending = profile.at(0.0).stiffness()[(2, 2)];
        let moment = Vector3::z() * full_circle_moment(bending, 0.6);
        let closed = rod.tip(&Wrench::new(moment, Vector3::zeros())).unwrap();
        assert!(closed.position.norm() < 1e-11 && closed.rotation.angle() < 1e-11);

        // Clamped ends at 0.7 L: the load is known, and so is the moment of the clamp, P times half the deflection.
        let arch = clamped_buckled(0.7).unwrap();
        let load = arch.load * bending / (0.6 * 0.6);
        let moment = load * 0.5 * arch.deflection * 0.6;
        let tip = rod.tip(&Wrench::new(Vector3::z() * moment, Vector3::x() * -load)).unwrap();
        assert!((tip.position - Vector3::x() * 0.42).norm() < 1e-9, "{tip:?}");
        assert!(tip.rotation.angle() < 1e-9);
    }
}
