//! Localised helical buckling: a long straight rod, twisted and slackened, throws one loop in its middle.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | B, C | bending and torsional stiffness | `bending`, `torsion` | N·m² |
//! | L | length | `length` | m |
//! | D | slack, by which the ends approach | `slack` | m |
//! | Φ | turn of one end relative to the other about the axis | `turn` | rad |
//! | M, T | moment about the axis, tension | `moment`, `tension` | N·m, N |
//! | ϑ | angle between tangent and axis | `tilt` | rad |
//!
//! The homoclinic orbit of an infinite inextensible rod with round section \[vanderheijden2000\]: with
//! cos a = M/(2√(BT)) and arc length from the middle,
//!
//! sin(ϑ/2) = sin a / cosh(s sin a √(T/B)).
//!
//! Integrated over the rod, D = ∫(1 − cos ϑ) ds = 4 sin a √(B/T), and Φ = M L/C + 4a: the twist M/C along the rod, and
//! what the loop takes up. The largest tilt is 2a. A rod of length L between clamps differs from the infinite one by
//! exp(−L sin a √(T/B)).

use super::root::bisect;
use crate::OracleError;

/// A localised loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalisedLoop {
    /// Moment about the line of the ends, N·m.
    pub moment: f64,
    /// Tension, N.
    pub tension: f64,
    /// Largest angle between the rod and the line of its ends, in the middle, rad.
    pub largest_tilt: f64,
    /// 1/(sin a √(T/B)): over this length the loop decays, m.
    pub width: f64,
    /// Elastic energy, J.
    pub energy: f64,
}

/// A long rod, straight without load, of round section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongRod {
    /// Length, m.
    pub length: f64,
    /// B, N·m².
    pub bending: f64,
    /// C, N·m².
    pub torsion: f64,
}

impl LongRod {
    /// The loop of a rod whose ends have approached by `slack` (m) and are turned by `turn` (rad).
    ///
    /// D = 4 sin a √(B/T) gives T, then M = 2 cos a √(BT) = 8 B sin a cos a / D, and
    /// Φ = 4 B L sin 2a / (C D) + 4a is one equation for a. Its right side grows up to some a and falls beyond, so that two
    /// loops may share slack and turn; this is the one with the smaller tilt.
    pub fn localised_loop(&self, slack: f64, turn: f64) -> Result<LocalisedLoop, OracleError> {
        if !(slack > 0.0 && slack < self.length) {
            return Err(OracleError::OutOfDomain { quantity: "slack", value: slack });
        }
        let stiff = 4.0 * self.bending * self.length / (self.torsion * slack);
        // Greatest turn where 2 stiff cos 2a + 4 = 0.
        let steepest = if stiff > 2.0 { 0.5 * (-2.0 / stiff).acos() } else { std::f64::consts::FRAC_PI_2 };
        let a = bisect(0.0, steepest, |a| stiff * (2.0 * a).sin() + 4.0 * a - turn)?;
        Ok(self.loop_of(slack, a))
    }

    fn loop_of(&self, slack: f64, a: f64) -> LocalisedLoop {
        let tension = self.bending * (4.0 * a.sin() / slack).powi(2);
        let moment = 2.0 * a.cos() * (self.bending * tension).sqrt();
        // ½ B ∫κ² + ½ M² L/C: the first integral ½Bκ² = T (1 − cos ϑ) of the homoclinic orbit makes the bending energy T D.
        let energy = tension * slack + 0.5 * moment * moment * self.length / self.torsion;
        LocalisedLoop {
            moment,
            tension,
            largest_tilt: 2.0 * a,
            width: (self.bending / tension).sqrt() / a.sin(),
            energy,
        }
    }
}

impl LocalisedLoop {
    /// Angle between the rod and the line of its ends at arc length `s` from the middle, rad.
    pub fn tilt(&self, s: f64) -> f64 {
        2.0 * ((0.5 * self.largest_tilt).sin() / (s / self.width).cosh()).asin()
    }

    /// Angle by which the tangent has gone round the axis at arc length `s` from the middle, rad: M s/(2B) of the steady
    /// helix, and atan(tan a tanh(s/width)) of the loop.
    pub fn azimuth(&self, s: f64, bending: f64) -> f64 {
        let a = 0.5 * self.largest_tilt;
        self.moment * s / (2.0 * bending) + (a.tan() * (s / self.width).tanh()).atan()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::extrapolation::integrate;
    use nalgebra::Vector6;
    use std::f64::consts::TAU;

    const ROD: LongRod = LongRod { length: 100.0, bending: 1.345, torsion: 0.789 };

    #[test]
    fn rod_of_twenty_seven_turns() {
        // Stiffnesses, slack and turns are those of the test in [bergou2008].
        let found = ROD.localised_loop(3.0, 27.0 * TAU).unwrap();
        assert!((found.moment * 100.0 / 1.345 - 98.5415).abs() < 5e-5, "{found:?}");
        assert!((found.tension * 1e4 / 1.345 - 2900.99).abs() < 5e-3, "{found:?}");
        // 0.831676, to the four digits that are usually told.
        assert!((found.largest_tilt - 0.8316).abs() < 1e-4, "{found:?}");
        // The clamps are 21 decay lengths apart: what the infinite rod leaves out is below 1e-8.
        assert!((-100.0 / found.width).exp() < 1e-8);
    }

    #[test]
    fn the_orbit_is_an_equilibrium_and_its_integrals_are_those_of_the_formulas() {
        let found = ROD.localised_loop(3.0, 27.0 * TAU).unwrap();
        let (m, t, b) = (found.moment, found.tension, ROD.bending);
        // Tangent (cos ϑ, sin ϑ cos ψ, sin ϑ sin ψ) and moment M e + T e × r: B t × t′ + M cos ϑ t = moment, so that
        // t′ = moment × t / B. State: tangent and position across the axis, slack.
        let rate = |_: f64, y: &Vector6<f64>| {
            let tangent = nalgebra::Vector3::new(y[0], y[1], y[2]);
            let moment = nalgebra::Vector3::new(m, -t * y[4], t * y[3]);
            let turn = moment.cross(&tangent) / b;
            Vector6::new(turn.x, turn.y, turn.z, y[1], y[2], 1.0 - y[0])
        };
        let tilt = found.largest_tilt;
        // With the tangent in the first two axes and r = ρ along the third, the moment along the tangent is
        // M cos ϑ − T ρ sin ϑ; it is M as at the ends.
        let offset = -(m / t) * (0.5 * tilt).tan();
        let start = Vector6::new(tilt.cos(), tilt.sin(), 0.0, 0.0, offset, 0.0);
        for s in [1.0, 4.0, 10.0] {
            let y = integrate(rate, 0.0, s, start, 1e-13).unwrap();
            // The orbit is a saddle's: errors grow by exp(s/width).
            assert!((y[0].acos() - found.tilt(s)).abs() < 1e-10 * (s / found.width).exp(), "{s}");
            let psi = found.azimuth(s, b);
            assert!((y[1] - found.tilt(s).sin() * psi.cos()).abs() < 1e-9, "{s}");
            assert!((y[2] - found.tilt(s).sin() * psi.sin()).abs() < 1e-9, "{s}");
        }
        let half = integrate(rate, 0.0, 8.0 * found.width, start, 1e-13).unwrap();
        assert!((2.0 * half[5] - 3.0).abs() < 1e-5, "{half:?}");
    }

    #[test]
    fn energy_is_what_the_ends_have_done() {
        // dU = M dΦ − T dD along the family of loops.
        let (slack, turn, h) = (3.0, 27.0 * TAU, 1e-4);
        let at = |slack: f64, turn: f64| ROD.localised_loop(slack, turn).unwrap();
        let here = at(slack, turn);
        let by_turn = (at(slack, turn + h).energy - at(slack, turn - h).energy) / (2.0 * h);
        let by_slack = (at(slack + h, turn).energy - at(slack - h, turn).energy) / (2.0 * h);
        assert!((by_turn - here.moment).abs() < 1e-7, "{by_turn} {here:?}");
        assert!((by_slack + here.tension).abs() < 1e-7, "{by_slack} {here:?}");
    }

    #[test]
    fn too_many_turns_have_no_loop() {
        assert!(ROD.localised_loop(3.0, 100.0 * TAU).is_err());
        assert!(ROD.localised_loop(0.0, TAU).is_err());
    }
}
