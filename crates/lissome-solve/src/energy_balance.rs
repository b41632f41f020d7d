//! Does a motion keep its energy? One rule for every scheme, judged from the recorded energies alone.
//!
//! The balance is kinetic + elastic + gravity + dissipated − work. Exact motion keeps it constant. A scheme that damps
//! lets it fall, and that fall is its numerical dissipation. No scheme may let it rise: energy that appears from nowhere
//! means that an equation is wrong or that a step was far too long.
//!
//! Both are measured against the *turnover*: the most energy that any of the five terms has exchanged so far. A small
//! swing about a strongly bent shape is thus judged by the swing.

use crate::MotionEnergy;

/// The balance may rise by this part of the turnover. The same part bounds the gain of a single step in
/// [`crate::dynamics::Run`]; here it holds for the whole motion.
pub const ALLOWED_RISE: f64 = 0.02;
/// A loss to the scheme above this part of the turnover is worth a warning.
pub const NOTABLE_LOSS: f64 = 0.01;
/// Part of the stored energies that rounding and the tolerance of the start may change: where nothing moves there is no
/// turnover to compare with.
const ROUNDING: f64 = 1e-9;

/// The energy balance of a motion as far as it has been recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyBalance {
    start: Option<MotionEnergy>,
    lowest: f64,
    last: f64,
    turnover: f64,
    dissipated: f64,
    stored: f64,
    rise: f64,
    rise_time: f64,
    drift: f64,
    kinetic_and_elastic: f64,
    /// What rounding alone makes of the energies of the robot at rest, J.
    noise: f64,
}

impl EnergyBalance {
    /// Counts energies below this, J, as rounding.
    pub fn ignore_below(&mut self, noise: f64) {
        self.noise = noise;
    }

    /// Takes the energies at a time; times must not decrease.
    pub fn push(&mut self, time: f64, energy: &MotionEnergy) {
        let start = *self.start.get_or_insert(*energy);
        self.last = energy.balance() - start.balance();
        self.dissipated = energy.dissipated - start.dissipated;
        let exchanged = [
            energy.kinetic.max(start.kinetic),
            (energy.elastic - start.elastic).abs(),
            (energy.gravity - start.gravity).abs(),
            energy.dissipated.abs(),
            energy.work.abs(),
        ];
        self.turnover = exchanged.into_iter().fold(self.turnover, f64::max);
        self.stored = self.stored.max(energy.kinetic + energy.elastic + energy.gravity.abs());
        self.drift = self.drift.max(self.last.abs());
        self.kinetic_and_elastic = self.kinetic_and_elastic.max(energy.kinetic + energy.elastic);
        self.lowest = self.lowest.min(self.last);
        let rise = self.last - self.lowest;
        // Also where a number is not finite: such a balance is broken.
        if rise > self.rise || !rise.is_finite() {
            self.rise = rise;
            self.rise_time = time;
        }
    }

    /// Most energy that any term has exchanged, J.
    pub fn turnover(&self) -> f64 {
        self.turnover
    }

    /// Largest rise of the balance above an earlier value, J.
    pub fn rise(&self) -> f64 {
        self.rise
    }

    /// Time at which it had risen most, s.
    pub fn rise_time(&self) -> f64 {
        self.rise_time
    }

    /// Rise that is allowed, J.
    pub fn allowed_rise(&self) -> f64 {
        ALLOWED_RISE * self.turnover + ROUNDING * self.stored + self.noise
    }

    /// True if energy appeared from nowhere.
    pub fn is_broken(&self) -> bool {
        // Written so that a rise that is not a number breaks the balance.
        let holds = self.rise <= self.allowed_rise();
        !holds
    }

    /// Energy that the scheme has dissipated so far, J: how far the balance is below its first value.
    pub fn scheme_loss(&self) -> f64 {
        (-self.last).max(0.0)
    }

    /// The loss as a part of the turnover.
    pub fn relative_loss(&self) -> f64 {
        self.relative(self.scheme_loss())
    }

    /// What materials, dampers, friction and impacts have dissipated, as a part of the turnover.
    pub fn relative_dissipation(&self) -> f64 {
        self.relative(self.dissipated)
    }

    /// The largest rise as a part of the turnover.
    pub fn relative_rise(&self) -> f64 {
        self.relative(self.rise)
    }

    /// True if the scheme has dissipated so much that it is worth a warning.
    pub fn loses_much(&self) -> bool {
        self.scheme_loss() > NOTABLE_LOSS * self.turnover + ROUNDING * self.stored + self.noise
    }

    /// Largest distance of the balance from its first value, over the largest kinetic and elastic energy.
    pub fn relative_drift(&self) -> f64 {
        // Where nothing moves there is rounding to compare with.
        let scale = self.kinetic_and_elastic.max(ROUNDING * self.stored).max(self.noise);
        if scale > 0.0 { self.drift / scale } else { self.drift }
    }

    fn relative(&self, energy: f64) -> f64 {
        let scale = self.turnover.max(ROUNDING * self.stored).max(self.noise);
        if scale > 0.0 { energy / scale } else { energy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energy(kinetic: f64, elastic: f64, dissipated: f64, work: f64) -> MotionEnergy {
        MotionEnergy { kinetic, elastic, dissipated, work, ..MotionEnergy::default() }
    }

    fn judged(all: &[MotionEnergy]) -> EnergyBalance {
        let mut balance = EnergyBalance::default();
        all.iter().enumerate().for_each(|(i, energy)| balance.push(i as f64, energy));
        balance
    }

    #[test]
    fn a_swing_that_exchanges_energy_holds() {
        let swing: Vec<_> = (0..100).map(|i| f64::from(i) * 0.1).map(|t| (t.cos().powi(2), t.sin().powi(2))).collect();
        let balance = judged(&swing.iter().map(|(k, e)| energy(*k, *e, 0.0, 0.0)).collect::<Vec<_>>());
        assert!(!balance.is_broken() && !balance.loses_much());
        assert!(balance.rise() < 1e-12 && balance.scheme_loss() < 1e-12 && balance.turnover() > 0.99);
    }

    #[test]
    fn heat_and_work_are_accounted_for() {
        let balance = judged(&[energy(0.0, 0.0, 0.0, 0.0), energy(2.0, 1.0, 4.0, 7.0), energy(0.0, 0.0, 9.0, 9.0)]);
        assert!(!balance.is_broken() && balance.scheme_loss() == 0.0);
        assert_eq!(balance.turnover(), 9.0);
    }

    #[test]
    fn kinetic_energy_from_nowhere_breaks_it() {
        // A bob that hangs still while its kinetic energy climbs.
        let climb: Vec<_> = (0..6).map(|i| energy(1.5 * f64::from(i), 0.0, 0.0, 0.0)).collect();
        let balance = judged(&climb);
        assert!(balance.is_broken());
        assert_eq!((balance.rise(), balance.rise_time(), balance.relative_rise()), (7.5, 5.0, 1.0));
    }

    #[test]
    fn a_rise_after_a_loss_is_a_rise() {
        let balance = judged(&[energy(0.0, 1.0, 0.0, 0.0), energy(0.9, 0.0, 0.0, 0.0), energy(0.0, 1.0, 0.0, 0.0)]);
        assert!(balance.is_broken(), "a tenth was lost and came back");
        assert_eq!(balance.scheme_loss(), 0.0);
    }

    #[test]
    fn the_bound_is_two_hundredths_of_the_turnover() {
        for (end, broken) in [(1.019, false), (1.021, true)] {
            let balance = judged(&[energy(0.0, 1.0, 0.0, 0.0), energy(1.0, 0.0, 0.0, 0.0), energy(0.0, end, 0.0, 0.0)]);
            assert_eq!(balance.is_broken(), broken, "{end}");
        }
    }

    #[test]
    fn a_fall_is_the_loss_of_the_scheme() {
        let balance = judged(&[energy(0.0, 1.0, 0.0, 0.0), energy(0.95, 0.0, 0.0, 0.0), energy(0.0, 0.9, 0.0, 0.0)]);
        assert!(!balance.is_broken() && balance.loses_much());
        assert!((balance.scheme_loss() - 0.1).abs() < 1e-15 && (balance.relative_loss() - 0.1 / 1.0).abs() < 1e-15);
    }

    #[test]
    fn rounding_about_rest_is_no_motion() {
        let balance = judged(&[energy(0.0, 5.0, 0.0, 0.0), energy(1e-20, 5.0 + 1e-14, 0.0, 0.0)]);
        assert!(!balance.is_broken() && !balance.loses_much());
    }

    #[test]
    fn what_is_not_a_number_breaks_it() {
        assert!(judged(&[energy(0.0, 1.0, 0.0, 0.0), energy(f64::NAN, 1.0, 0.0, 0.0)]).is_broken());
        assert!(!EnergyBalance::default().is_broken());
    }
}
