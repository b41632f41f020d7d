//! A pendulum on a hinge with stops: where and when it strikes, how fast, how high it rises again.
//!
//! θ̈ = −ω² sin θ, θ counted from hanging, ω² = m g a/J for a body with its centre of mass at a and the inertia J about the
//! hinge. At a stop the speed is reversed and multiplied by the restitution e. The energy above the stop's level is multiplied
//! by e² each time, so that with the stop pressed by gravity the heights of the bounces are 1 : e² : e⁴ : … exactly.

use crate::OracleError;
use crate::analytic::elliptic::{Amplitude, first_kind};
use crate::analytic::root::bisect_fallible;
use crate::extrapolation::integrate;
use nalgebra::Vector2;

/// Relative tolerance of an integration step.
const TOLERANCE: f64 = 1e-14;
/// Steps per 1/ω, within which a stop cannot be passed twice unless speeds are far above ω.
const STEPS: f64 = 20.0;

/// A pendulum between stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pendulum {
    /// ω² = m g a/J, 1/s²; g/ℓ for a point on a thread.
    pub square_frequency: f64,
    /// Lower and upper limit of the angle, rad; infinite where there is none.
    pub stops: [f64; 2],
    /// Restitution e, 0 < e ≤ 1.
    pub restitution: f64,
}

/// A stroke against a stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Time, s.
    pub time: f64,
    /// Angle of the stop, rad.
    pub angle: f64,
    /// Angular speed before, rad/s, with its sign.
    pub before: f64,
    /// Angular speed after, rad/s.
    pub after: f64,
}

impl Pendulum {
    fn rate(&self) -> impl Fn(f64, &Vector2<f64>) -> Vector2<f64> + Copy {
        let square = self.square_frequency;
        move |_, y| Vector2::new(y[1], -square * y[0].sin())
    }

    /// Impacts from a start (angle between the stops, speed) until the time `until` (s) or until there are `most`: those
    /// against a stop that gravity presses onto pile up before a finite time.
    pub fn impacts(&self, start: [f64; 2], until: f64, most: usize) -> Result<Vec<Impact>, OracleError> {
        if !(self.restitution > 0.0 && self.restitution <= 1.0) {
            return Err(OracleError::OutOfDomain { quantity: "restitution", value: self.restitution });
        }
        let (rate, [low, high]) = (self.rate(), self.stops);
        let longest = 1.0 / (STEPS * self.square_frequency.sqrt());
        let (mut time, mut y, mut limit) = (0.0, Vector2::from(start), longest);
        let mut found: Vec<Impact> = Vec::new();
        while time < until && found.len() < most {
            let step = limit.min(until - time);
            let next = integrate(rate, 0.0, step, y, TOLERANCE)?;
            let stop = if next[0] < low && next[1] < 0.0 {
                low
            } else if next[0] > high && next[1] > 0.0 {
                high
            } else {
                (time, y) = (time + step, next);
                continue;
            };
            // Positive on the free side. A step never begins on a stop with a speed into it, and at the start of a flight
            // the place is the stop's own to the last bit.
            let side = if stop == low { 1.0 } else { -1.0 };
            let within = bisect_fallible(0.0, step, |part| {
                let gap = side * (integrate(rate, 0.0, part, y, TOLERANCE)?[0] - stop);
                Ok(if part == 0.0 { gap.max(f64::MIN_POSITIVE) } else { gap })
            })?;
            let at = integrate(rate, 0.0, within, y, TOLERANCE)?;
            let after = -self.restitution * at[1];
            time += within;
            found.push(Impact { time, angle: stop, before: at[1], after });
            y = Vector2::new(stop, after);
            // Pressed back onto the stop, the flight lasts about 2v/|θ̈|: it must not be passed over in one step.
            let flight = 2.0 * after.abs() / (self.square_frequency * stop.sin()).abs();
            limit = longest.min(0.25 * flight);
        }
        Ok(found)
    }

    /// Time from rest at the angle `from` until the pendulum first passes `to`, |to| < |from| < π, s:
    /// (K(k) − F(χ, k))/ω with k = sin(from/2) and sin χ = sin(to/2)/k.
    pub fn fall_time(&self, from: f64, to: f64) -> Result<f64, OracleError> {
        let k = (0.5 * from).sin();
        if !(k.abs() > 0.0 && from.abs() < std::f64::consts::PI && to.abs() < from.abs()) {
            return Err(OracleError::OutOfDomain { quantity: "angle of rest", value: from });
        }
        let complement = (0.5 * from).cos().powi(2);
        let sine = (0.5 * to).sin() / k;
        let amplitude = Amplitude { sine, cosine: (1.0 - sine * sine).sqrt() };
        let quarter = first_kind(Amplitude::RIGHT_ANGLE, complement);
        Ok((quarter - first_kind(amplitude, complement)) / self.square_frequency.sqrt())
    }

    /// Height above hanging of a body at rest at `angle`, over the length ℓ = g/ω²: 1 − cos θ.
    pub fn height(angle: f64) -> f64 {
        2.0 * (0.5 * angle).sin().powi(2)
    }

    /// The angle of rest that the pendulum reaches from a speed at an angle, or none if it goes over the top.
    pub fn highest_angle(&self, angle: f64, speed: f64) -> Option<f64> {
        let height = Self::height(angle) + 0.5 * speed * speed / self.square_frequency;
        (height < 2.0).then(|| 2.0 * (0.5 * height).sqrt().asin())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn pendulum(restitution: f64, stop: f64) -> Pendulum {
        Pendulum { square_frequency: 9.81 / 0.4, stops: [stop, f64::INFINITY], restitution }
    }

    #[test]
    fn heights_fall_by_the_square_of_the_restitution() {
        for stop in [0.4, 0.0, -0.3] {
            let swing = pendulum(0.5, stop);
            let impacts = swing.impacts([1.5, 0.0], 20.0, 4).unwrap();
            assert_eq!(impacts.len(), 4);
            let above = |angle: f64| Pendulum::height(angle) - Pendulum::height(stop);
            for (n, impact) in impacts.iter().take(3).enumerate() {
                let top = swing.highest_angle(impact.angle, impact.after).unwrap();
                let ratio = above(top) / above(1.5) / 0.25f64.powi(n as i32 + 1);
                assert!((ratio - 1.0).abs() < 1e-10, "{stop} {n}: {ratio}");
            }
        }
    }

    #[test]
    fn times_are_those_of_the_elliptic_integrals() {
        for stop in [0.4, 0.0, -0.3] {
            let swing = pendulum(0.6, stop);
            let impacts = swing.impacts([1.2, 0.0], 20.0, 3).unwrap();
            let mut time = swing.fall_time(1.2, stop).unwrap();
            assert!((impacts[0].time - time).abs() < 1e-12, "{stop}: {impacts:?} {time}");
            for pair in impacts.windows(2) {
                // Up and down again take the same time.
                let top = swing.highest_angle(stop, pair[0].after).unwrap();
                time += 2.0 * swing.fall_time(top, stop).unwrap();
                assert!((pair[1].time - time).abs() < 1e-11, "{stop}: {pair:?} {time}");
            }
        }
    }

    #[test]
    fn between_two_stops_without_loss_it_returns() {
        let swing = Pendulum { square_frequency: 4.0, stops: [-0.2, 0.5], restitution: 1.0 };
        let impacts = swing.impacts([0.1, 1.5], 5.0, 9).unwrap();
        assert!(impacts.len() == 9 && (impacts[0].angle - 0.5).abs() < 1e-15 && (impacts[1].angle + 0.2).abs() < 1e-15);
        for impact in impacts {
            let energy = 0.5 * impact.before.powi(2) + 4.0 * Pendulum::height(impact.angle);
            assert!((energy - 0.5 * 1.5 * 1.5 - 4.0 * Pendulum::height(0.1)).abs() < 1e-11, "{impact:?}");
        }
    }

    #[test]
    fn the_period_of_a_wide_swing() {
        // K(sin 45°) = 1.8540746773013719: a swing of ±90° lasts 4 K/ω.
        let swing = Pendulum { square_frequency: 1.0, stops: [f64::NEG_INFINITY, f64::INFINITY], restitution: 1.0 };
        let quarter = swing.fall_time(std::f64::consts::FRAC_PI_2, 0.0).unwrap();
        assert!((quarter - 1.8540746773013719).abs() < 1e-14);
        assert!(swing.impacts([1.0, 0.0], 10.0, 5).unwrap().is_empty());
        assert!(Pendulum { restitution: 0.0, ..swing }.impacts([1.0, 0.0], 1.0, 5).is_err());
    }
}
