//! Step control: a tolerance chooses the step, or it is fixed; a step that fails is halved, and everything is counted.

use super::impact_count::{Impacts, RESTART};
use super::integrator::Integrator;
use super::motion::Motion;
use super::scheme::Scheme;
use super::step_report::{StepFailure, StepReport};
use lissome_mech::motion::Pace;
use lissome_mech::{MechanicalState, System};
use std::fmt;

/// How long steps are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepChoice {
    /// Always this long, s (halved where it must be).
    Fixed(f64),
    /// As long as the estimated local error stays below a part of the amplitude of the motion.
    Tolerance {
        /// Error of a step over the amplitude, both root mean squares over the mass.
        error: f64,
        /// Longest step, s.
        longest: f64,
    },
}

/// Why a run ended before its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Time of the last good state, s.
    pub time: f64,
    /// Length of the step that failed last, s.
    pub step: f64,
    /// Why.
    pub reason: StopReason,
}

/// Why a step could not be taken at any length that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopReason {
    /// The step itself failed.
    Failed(StepFailure),
    /// Energy appeared from nowhere.
    EnergyGain {
        /// As a fraction of the kinetic and elastic energy.
        fraction: f64,
    },
    /// The error stayed above the tolerance.
    ErrorTooLarge {
        /// The error over what is allowed.
        excess: f64,
    },
    /// An explicit scheme was asked for a step beyond its limit.
    BeyondLimit {
        /// The limit, s.
        limit: f64,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no step from t = {:.6} s, not even of {:.3e} s: ", self.time, self.step)?;
        match self.reason {
            StopReason::Failed(StepFailure::NotConverged { step, slot }) => {
                write!(f, "the iteration did not settle (last step {step:.1e}, most at pose {})", slot.index())
            }
            StopReason::Failed(StepFailure::Singular) => write!(f, "the tangent is singular"),
            StopReason::Failed(StepFailure::NotFinite) => write!(f, "a number became infinite"),
            StopReason::Failed(StepFailure::PassesThrough) => {
                write!(f, "something would come out on the other side of an obstacle or a rod")
            }
            StopReason::Failed(StepFailure::Sections) => {
                write!(f, "places of too many tubes pass each other at once: let them be pushed one after the other")
            }
            StopReason::EnergyGain { fraction } => write!(f, "energy rose by {:.1} %", 100.0 * fraction),
            StopReason::ErrorTooLarge { excess } => write!(f, "its error is {excess:.1} times what is allowed"),
            StopReason::BeyondLimit { limit } => write!(f, "the explicit scheme is stable below {limit:.3e} s only"),
        }
    }
}

impl std::error::Error for Stop {}

/// A gain of energy in one step above this fraction of the kinetic and elastic energy, or above that of the energy that
/// was exchanged so far, is no solution.
const LARGEST_GAIN: f64 = 0.02;
const LARGEST_GAIN_OF_TURNOVER: f64 = 1e-3;
/// How often a fixed step may be halved.
const MOST_HALVINGS: u32 = 14;
/// How often a step that gains energy while something touches is halved for that alone.
const STRICT_HALVINGS: u32 = 7;
/// After as many of a halved length that went well it is doubled again.
const EASY_STEPS: u32 = 2;
/// How often in a row a step that is chosen may fail and be made shorter: by nine decades.
const MOST_FAILURES: u32 = 30;
/// How often in a row it may be made shorter for its error alone: what is still too large then is a shock, and is taken.
const MOST_REJECTIONS: u32 = 10;
/// Safety on the step that the error estimate suggests, and the bounds of its change.
const SAFETY: f64 = 0.8;
const GROWTH: [f64; 2] = [0.3, 1.8];
/// A step is taken back if its error is this many times what is allowed: what is aimed at is half of that.
const REJECT_ABOVE: f64 = 2.0;
/// Longest step of the explicit scheme, of its limit.
const BELOW_LIMIT: f64 = 0.9;
/// The first step, of √(mL/F), and how far it may move things, in lengths of the robot.
const FIRST_STEP: f64 = 1e-3;
const FIRST_MOTION: f64 = 1e-4;
/// A Newton step is small if it is this part of the error that is allowed.
const NEWTON_PART: f64 = 0.01;

/// Drives an [`Integrator`] with a step control.
pub struct Run<'a> {
    /// The scheme at work.
    pub integrator: Integrator<'a>,
    choice: StepChoice,
    /// Step to try next, s.
    pub(super) next: f64,
    /// Energies at the last state.
    pub(super) energies: Option<MechanicalState>,
    pub(super) impacts: Impacts,
    /// True while a step that gains energy in contact is worth a shorter one.
    is_strict: bool,
}

impl<'a> Run<'a> {
    /// With a choice of step.
    pub fn new(integrator: Integrator<'a>, choice: StepChoice) -> Self {
        let next = match choice {
            StepChoice::Fixed(h) => h,
            StepChoice::Tolerance { longest, .. } => (FIRST_STEP * integrator.units().1).min(longest),
        };
        Self { integrator, choice, next, energies: None, impacts: Impacts::default(), is_strict: true }
    }

    /// Numbers that, with the motion, decide everything that follows: next step, correction and loss of energy. What was
    /// prepared for the next step is prepared again, so that a run that paused and one that was resumed agree bit for
    /// bit.
    pub fn pause(&mut self) -> [f64; 3] {
        let [correction, loss] = self.integrator.memory();
        let numbers = [self.next, correction, loss];
        self.resume(numbers);
        numbers
    }

    /// Takes up the numbers of [`Self::pause`].
    pub fn resume(&mut self, [next, correction, loss]: [f64; 3]) {
        self.next = next;
        self.energies = None;
        self.impacts = Impacts::default();
        self.integrator.remember([correction, loss]);
    }

    /// Length of the step that it would try next, s.
    pub fn planned_step(&self) -> f64 {
        self.next
    }

    /// Energies at the state that it has reached.
    pub fn energies_at(&mut self, motion: &Motion) -> MechanicalState {
        *self.energies.get_or_insert_with(|| self.integrator.energies(motion))
    }

    /// Begins anew where a drive changes its rate at once: velocities follow it, which is its work, and the steps before do
    /// not tell of those to come.
    pub fn restart(&mut self, motion: &mut Motion, system: &System) -> Result<(), Stop> {
        system.forget_steps(&mut motion.memory);
        self.integrator.reset();
        let before = self.integrator.energies(motion);
        let (time, step) = (motion.time, self.next);
        let failed = |failure| Stop { time, step, reason: StopReason::Failed(failure) };
        self.integrator.make_consistent(motion).map_err(failed)?;
        self.integrator.reset();
        let after = self.integrator.energies(motion);
        let work = after.kinetic - before.kinetic;
        motion.work += work;
        if let Some(kept) = &mut motion.kept_energy {
            *kept += work;
        }
        self.energies = Some(after);
        if let StepChoice::Tolerance { .. } = self.choice {
            self.next *= RESTART;
        }
        Ok(())
    }

    /// Goes on to a time, exactly. What was reached stays in `motion` if it stops before. A copy of the motion would go on so, to the
    /// bit: nothing counts that was prepared for other steps.
    pub fn advance(
        &mut self,
        motion: &mut Motion,
        until: f64,
        observer: &mut dyn FnMut(&Motion, &StepReport) -> bool,
    ) -> Result<(), Stop> {
        self.integrator.forget_tangent();
        self.go_on(motion, until, observer)
    }

    /// The same with what the steps before have prepared, which a motion that was restored has only from its last pause on.
    pub fn go_on(
        &mut self,
        motion: &mut Motion,
        until: f64,
        observer: &mut dyn FnMut(&Motion, &StepReport) -> bool,
    ) -> Result<(), Stop> {
        let mut limit = f64::INFINITY;
        if self.integrator.scheme() == Scheme::Explicit {
            let failed = |failure| Stop { time: motion.time, step: self.next, reason: StopReason::Failed(failure) };
            limit = self.integrator.step_limit(motion).map_err(failed)?;
        }
        if self.integrator.scheme() == Scheme::Conserving && motion.kept_energy.is_none() {
            motion.kept_energy = Some(self.integrator.energies(motion).energy());
        }
        if motion.scale.start.is_none() {
            self.integrator.begin_scale(motion);
        }
        match self.choice {
            StepChoice::Fixed(h) if h >= limit => {
                Err(Stop { time: motion.time, step: h, reason: StopReason::BeyondLimit { limit } })
            }
            StepChoice::Fixed(h) => self.march(motion, h, until, observer),
            StepChoice::Tolerance { error, longest } => {
                let longest = longest.min(BELOW_LIMIT * limit);
                self.next = self.next.min(longest);
                self.glide(motion, (error, longest), until, observer)
            }
        }
    }

    /// In equal steps.
    fn march(
        &mut self,
        motion: &mut Motion,
        h: f64,
        until: f64,
        observer: &mut dyn FnMut(&Motion, &StepReport) -> bool,
    ) -> Result<(), Stop> {
        let begin = motion.time;
        let mut steps = 0.0;
        while until - motion.time > 1e-12 * until.abs().max(h) {
            // Counted from the beginning, so that round-off does not add up.
            steps += 1.0;
            if !self.reach(motion, (begin + steps * h).min(until), observer)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Goes to `target` in one step, or in as many as it takes. False if the observer asked to stop.
    fn reach(
        &mut self,
        motion: &mut Motion,
        target: f64,
        observer: &mut dyn FnMut(&Motion, &StepReport) -> bool,
    ) -> Result<bool, Stop> {
        let whole = target - motion.time;
        let mut h = whole;
        let (mut halvings, mut taken) = (0, 0);
        while target - motion.time > 1e-9 * whole {
            h = h.min(target - motion.time);
            self.is_strict = halvings < STRICT_HALVINGS;
            let failure = match self.go(motion, h, &|_, _| 0.0, false, observer) {
                Ok(Taken { go_on: false, .. }) => return Ok(false),
                Ok(_) => {
                    if target - motion.time <= 1e-9 * whole {
                        motion.time = target;
                    }
                    taken += 1;
                    // What made it short is behind.
                    if halvings > 0 && taken == EASY_STEPS {
                        (h, halvings, taken) = (2.0 * h, halvings - 1, 0);
                    }
                    continue;
                }
                Err(failure) => failure,
            };
            if halvings == MOST_HALVINGS {
                return Err(Stop { time: motion.time, step: h, reason: failure });
            }
            (h, halvings, taken) = (0.5 * h, halvings + 1, 0);
        }
        Ok(true)
    }

    /// In steps as long as their error allows.
    fn glide(
        &mut self,
        motion: &mut Motion,
        (error, longest): (f64, f64),
        until: f64,
        observer: &mut dyn FnMut(&Motion, &StepReport) -> bool,
    ) -> Result<(), Stop> {
        let (length, _) = self.integrator.units();
        let (mut failures, mut rejections) = (0, 0);
        while until - motion.time > 1e-12 * until.abs().max(self.next) {
            let left = until - motion.time;
            // No sliver at the end.
            let h = if left <= self.next {
                left
            } else if left < 1.5 * self.next {
                0.5 * left
            } else {
                self.next
            };
            let allowed = error * motion.scale.amplitude(&Pace::default(), length);
            // A step that fails is taken back by a filter of full strength, whatever it costs.
            let part = if failures > 1 { 1.0 } else { motion.scale.filter_part(self.integrator.noise_energy()) };
            self.integrator.refine(part, NEWTON_PART * allowed / length);
            let judge = |motion: &Motion, report: &StepReport| match motion.counts.steps {
                0 => report.pace.unsteady * h / (FIRST_MOTION * length),
                _ => report.error / (error * motion.scale.amplitude(&report.pace, length)),
            };
            self.is_strict = failures < STRICT_HALVINGS;
            match self.go(motion, h, &judge, rejections < MOST_REJECTIONS, observer) {
                Ok(Taken { go_on: false, .. }) => return Ok(()),
                Ok(Taken { excess, .. }) => {
                    if let Some(excess) = excess {
                        if h == left {
                            motion.time = until;
                        }
                        // Nothing is known of the error of a step without one before.
                        if motion.memory.earlier_step > 0.0 {
                            self.adapt(h, excess, longest);
                        }
                    }
                    (failures, rejections) = (0, 0);
                }
                Err(StopReason::ErrorTooLarge { excess }) => {
                    rejections += 1;
                    motion.counts.rejected += 1;
                    self.next = h * (SAFETY * excess.powf(-self.exponent())).clamp(0.1, 0.7);
                }
                Err(failure) => {
                    failures += 1;
                    if failures > MOST_FAILURES {
                        return Err(Stop { time: motion.time, step: h, reason: failure });
                    }
                    self.next = 0.5 * h;
                }
            }
        }
        Ok(())
    }

    /// Attempts a step and takes it, or what lies before the first impact within it. `judge` gives its error over what is
    /// allowed; one that is too large is a failure if `strict`.
    fn go(
        &mut self,
        motion: &mut Motion,
        h: f64,
        judge: &dyn Fn(&Motion, &StepReport) -> f64,
        strict: bool,
        observer: &mut dyn FnMut(&Motion, &StepReport) -> bool,
    ) -> Result<Taken, StopReason> {
        let report = self.attempt(motion, h)?;
        if self.closes(motion, h) {
            let flight = self.reach_impact(motion, h)?;
            return Ok(Taken { excess: None, go_on: flight.is_none_or(|report| observer(motion, &report)) });
        }
        let excess = judge(motion, &report);
        if excess > REJECT_ABOVE && strict {
            return Err(StopReason::ErrorTooLarge { excess });
        }
        self.take(motion, h, &report);
        Ok(Taken { excess: Some(excess), go_on: observer(motion, &report) })
    }

    /// Takes the step that was last attempted.
    pub(super) fn take(&mut self, motion: &mut Motion, h: f64, report: &StepReport) {
        self.integrator.take(motion, h, report);
        motion.scale.remember(&report.pace, h);
        motion.scale.count(&report.end, motion.dissipated, motion.work);
        self.energies = Some(report.end);
    }

    pub(super) fn attempt(&mut self, motion: &mut Motion, h: f64) -> Result<StepReport, StopReason> {
        let before = match self.energies {
            Some(energies) => energies,
            None => self.integrator.energies(motion),
        };
        let mut counts = motion.counts;
        let attempt = self.integrator.attempt(motion, h, &mut counts);
        motion.counts = counts;
        let mut report = attempt.map_err(|failure| {
            motion.counts.halved += 1;
            StopReason::Failed(failure)
        })?;
        let gain = report.end.energy() + report.dissipated - report.work - before.energy();
        if self.integrator.lands && gain < 0.0 {
            // What lands without bouncing loses what it had, a part of it to friction.
            report.dissipated -= gain;
            report.friction = self.integrator.landing_friction(motion, h).clamp(0.0, report.friction.max(0.0) - gain);
        }
        let stored = (before.kinetic + before.elastic).max(report.end.kinetic + report.end.elastic);
        let allowed = (LARGEST_GAIN * stored).max(LARGEST_GAIN_OF_TURNOVER * motion.scale.turnover);
        let too_large = gain > allowed + self.integrator.noise_energy()
            || self.is_strict && self.integrator.gains_in_contact(motion, gain);
        if too_large && self.integrator.watches_energy() {
            motion.counts.halved += 1;
            return Err(StopReason::EnergyGain { fraction: gain / stored });
        }
        Ok(report)
    }

    /// A local error of order p + 1 grows with h to that power.
    fn exponent(&self) -> f64 {
        1.0 / (self.integrator.scheme().order() + 1) as f64
    }

    /// The next step from the error of the last over what was allowed.
    fn adapt(&mut self, h: f64, excess: f64, longest: f64) {
        let factor = SAFETY * excess.max(1e-300).powf(-self.exponent());
        // A step that was cut short for a time to be met says nothing against the one that was planned.
        let planned = h * factor.clamp(GROWTH[0], GROWTH[1]);
        self.next = if h < 0.9 * self.next && factor > 1.0 { self.next.max(planned) } else { planned };
        self.next = self.next.min(longest);
    }
}

/// What became of a step.
struct Taken {
    /// Its error over what is allowed if all of it was taken, nothing if it ended at an impact.
    excess: Option<f64>,
    /// False if the observer asked to stop.
    go_on: bool,
}
