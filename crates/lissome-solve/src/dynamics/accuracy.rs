//! What steps are measured by: the motion itself. Its amplitude says how large the error of a step may be, the energy that
//! it has exchanged says how much the scheme may take.
//!
//! The amplitude A is the way u that things have gone, root mean square over the mass, or V²/a with the speed V and the
//! acceleration a, whichever is larger. For a swing both are its amplitude, V = ωA, a = ω²A. Where fast waves run over a slow
//! swing, a is theirs and u that of the swing: what errs little beside the swing errs little. All of them are remembered for
//! a few times V/a or u/V, so that a swing is measured by its swing also where it turns, and one that dies out by what is left
//! of it.

use lissome_lie::dual::DualVector;
use lissome_mech::MechanicalState;
use lissome_mech::motion::Pace;

/// For this many times V/a or u/V, three periods of a swing, these are remembered.
const MEMORY: f64 = 20.0;
/// Part of a steady motion that counts beside what swings about it.
const STEADY_PART: f64 = 1e-3;
/// No amplitude is smaller than this part of the length: a swing of a millionth is resolved, rounding is not.
const SMALLEST_AMPLITUDE: f64 = 1e-8;
/// What the filter may take of the energy that was exchanged: half of what is worth a warning.
const FILTER_BUDGET: f64 = 0.5 * crate::energy_balance::NOTABLE_LOSS;

/// What a motion has shown of itself so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionScale {
    /// Speed and acceleration as they are remembered, m/s and m/s².
    pub speed: f64,
    /// See `speed`.
    pub acceleration: f64,
    /// The way gone, as it is remembered, m.
    pub way: f64,
    /// The way of each point that has mass, beyond a steady motion and as far as it is remembered, in body axes.
    pub displacement: Vec<DualVector>,
    /// Kinetic, elastic and gravitational energy at the beginning, and the balance; `None` before it.
    pub start: Option<[f64; 4]>,
    /// The most energy that any term of the balance has exchanged, J.
    pub turnover: f64,
    /// How far the balance is below that of the beginning: energy that the scheme has taken, J.
    pub loss: f64,
    /// Velocities of all that has mass at the beginning.
    pub steady: Vec<DualVector>,
}

impl MotionScale {
    /// Amplitude of the motion if a step of this pace is part of it, m; `length` is that of the robot.
    pub fn amplitude(&self, pace: &Pace, length: f64) -> f64 {
        let (speed, acceleration) = self.with(pace);
        let swing = speed * speed / acceleration;
        // Nothing that is accelerated: no error that could be compared with anything.
        if swing.is_nan() { length } else { swing.max(self.way).clamp(SMALLEST_AMPLITUDE * length, length) }
    }

    fn with(&self, pace: &Pace) -> (f64, f64) {
        let speed = pace.unsteady.hypot(STEADY_PART.sqrt() * pace.speed);
        (self.speed.max(speed), self.acceleration.max(pace.acceleration))
    }

    /// Remembers the pace of a step of length h that was taken.
    pub fn remember(&mut self, pace: &Pace, h: f64) {
        let (speed, acceleration) = self.with(pace);
        let fade = if speed > 0.0 { (-h * acceleration / (MEMORY * speed)).exp() } else { 1.0 };
        (self.speed, self.acceleration) = (speed * fade, acceleration * fade);
    }

    /// Goes on by a step of length h with these mean velocities. `size` is the root mean square of displacements.
    pub fn travel(&mut self, mean_velocity: &[DualVector], h: f64, size: impl Fn(&[DualVector]) -> f64) {
        let fade = if self.way > 0.0 { (-h * self.speed / (MEMORY * self.way)).exp() } else { 1.0 };
        let points = self.displacement.iter_mut().zip(mean_velocity).zip(&self.steady);
        points.for_each(|((way, velocity), steady)| *way = *way * fade + (*velocity - *steady) * h);
        self.way = (self.way * fade).max(size(&self.displacement));
    }

    /// Counts the energies at a moment, with what was dissipated and done as work until then.
    pub fn count(&mut self, now: &MechanicalState, dissipated: f64, work: f64) {
        let balance = now.energy() + dissipated - work;
        let [kinetic, elastic, gravity, start] =
            *self.start.get_or_insert([now.kinetic, now.elastic, now.gravity, balance]);
        let exchanged = [
            now.kinetic.max(kinetic),
            (now.elastic - elastic).abs(),
            (now.gravity - gravity).abs(),
            dissipated.abs(),
            work.abs(),
        ];
        self.turnover = exchanged.into_iter().fold(self.turnover, f64::max);
        self.loss = start - balance;
    }

    /// Part of its strength that the filter may act with: less as the loss comes near to what it may be, none beyond.
    pub fn filter_part(&self, noise: f64) -> f64 {
        let budget = FILTER_BUDGET * self.turnover + noise;
        if budget > 0.0 { (1.0 - self.loss / budget).clamp(0.0, 1.0) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swing(amplitude: f64, omega: f64, phase: f64) -> Pace {
        let speed = amplitude * omega * phase.cos().abs();
        let acceleration = amplitude * omega * omega * phase.sin().abs();
        Pace { speed, unsteady: speed, acceleration, jerk: speed * omega * omega }
    }

    /// Sixty steps a period: the extremes are met within a step, and what is forgotten until they come again is
    /// 1 − exp(−π/20).
    #[test]
    fn the_amplitude_of_a_swing_is_found_whatever_its_size() {
        for amplitude in [1e-7, 1e-3, 0.3] {
            let mut scale = MotionScale::default();
            let (omega, h) = (20.0, std::f64::consts::TAU / (60.0 * 20.0));
            for i in 0..300 {
                scale.remember(&swing(amplitude, omega, 0.3 + omega * h * f64::from(i)), h);
            }
            let found = scale.amplitude(&Pace::default(), 1.0) / amplitude;
            assert!((0.7..1.3).contains(&found), "{found}");
        }
    }

    #[test]
    fn what_dies_out_is_measured_by_what_is_left() {
        let mut scale = MotionScale::default();
        let (omega, h) = (1.0, 0.1);
        for i in 0..4000 {
            let t = h * f64::from(i);
            scale.remember(&swing((-0.02 * t).exp(), omega, t), h);
        }
        let (found, left) = (scale.amplitude(&Pace::default(), 1.0), (-0.02f64 * 400.0).exp());
        assert!(found < 2.0 * left && found > 0.5 * left, "{found} {left}");
    }

    #[test]
    fn the_filter_never_takes_more_than_its_budget() {
        let mut scale = MotionScale::default();
        let energy = |elastic| MechanicalState { elastic, ..MechanicalState::default() };
        scale.count(&energy(1.0), 0.0, 0.0);
        assert_eq!(scale.filter_part(1e-18), 1.0);
        scale.count(&energy(0.0), 0.0, 0.0);
        assert_eq!(scale.filter_part(1e-18), 0.0, "all is lost");
        scale.count(&energy(0.9975), 0.0, 0.0);
        assert!((scale.filter_part(1e-18) - 0.5).abs() < 1e-12, "half of the budget is spent");
    }
}
