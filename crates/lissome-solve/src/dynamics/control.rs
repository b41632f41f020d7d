//! Step control: a tolerance chooses the step, or it is fixed; a step that fails is halved, and everything is counted.

use super::impacts::Impacts;
use super::integrator::{Integrator, StepFailure, StepReport};
use super::motion::Motion;
use super::scheme::Scheme;
use lissome_mech::MechanicalState;
use std::fmt;

/// How long steps are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepChoice {
    /// Always this long, s (halved where it must be).
    Fixed(f64),
    /// As long as the estimated local error stays below a tolerance.
    Tolerance {
        /// Error of a step, m: root mean square over the mass.
        error: f64,
        /// First step, s.
        first: f64,
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
        /// The error, m.
        error: f64,
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
            StopReason::EnergyGain { fraction } => write!(f, "energy rose by {:.1} %", 100.0 * fraction),
            StopReason::ErrorTooLarge { error } => write!(f, "the error of a step is {error:.1e} m"),
            StopReason::BeyondLimit { limit } => write!(f, "the explicit scheme is stable below {limit:.3e} s only"),
        }
    }
}

impl std::error::Error for Stop {}

/// A gain of energy in one step above this fraction of the kinetic and elastic energy is no solution.
const LARGEST_GAIN: f64 = 0.02;
/// How often a step may be halved.
const MOST_HALVINGS: u32 = 14;
/// Safety on the step that the error estimate suggests, and the bounds of its change.
const SAFETY: f64 = 0.85;
const GROWTH: [f64; 2] = [0.3, 1.8];

/// Drives an [`Integrator`] with a step control.
pub struct Run<'a> {
    /// The scheme at work.
    pub integrator: Integrator<'a>,
    choice: StepChoice,
    /// Step to try next, s.
    pub(super) next: f64,
    /// Energies at the last state.
    pub(super) energies: Option<MechanicalState>,
}

impl<'a> Run<'a> {
    /// With a choice of step.
    pub fn new(integrator: Integrator<'a>, choice: StepChoice) -> Self {
        let next = match choice {
            StepChoice::Fixed(h) => h,
            StepChoice::Tolerance { first, .. } => first,
        };
        Self { integrator, choice, next, energies: None }
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
        self.integrator.remember([correction, loss]);
    }

    /// Goes on to a time, exactly. What was reached stays in `motion` if it stops before.
    pub fn advance(
        &mut self,
        motion: &mut Motion,
        until: f64,
        observer: &mut dyn FnMut(&Motion, &StepReport) -> bool,
    ) -> Result<(), Stop> {
        if self.integrator.scheme() == Scheme::Explicit {
            let failed = |failure| Stop { time: motion.time, step: self.next, reason: StopReason::Failed(failure) };
            let limit = self.integrator.step_limit(motion).map_err(failed)?;
            if self.next >= limit {
                let reason = StopReason::BeyondLimit { limit };
                return Err(Stop { time: motion.time, step: self.next, reason });
            }
        }
        if self.integrator.scheme() == Scheme::Conserving && motion.kept_energy.is_none() {
            motion.kept_energy = Some(self.integrator.energies(motion).energy());
        }
        let begin = motion.time;
        let mut fixed_steps = 0.0;
        while until - motion.time > 1e-12 * until.abs().max(self.next) {
            let left = until - motion.time;
            let target = match self.choice {
                // Counted from the beginning, so that round-off does not add up.
                StepChoice::Fixed(h) => {
                    fixed_steps += 1.0;
                    (begin + fixed_steps * h).min(until)
                }
                // No sliver at the end.
                StepChoice::Tolerance { .. } if left < 1.5 * self.next => {
                    if left <= self.next {
                        until
                    } else {
                        motion.time + 0.5 * left
                    }
                }
                StepChoice::Tolerance { .. } => motion.time + self.next,
            };
            if !self.reach(motion, target, observer)? {
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
        let mut halvings = 0;
        let mut impacts = Impacts::default();
        while target - motion.time > 1e-9 * whole {
            h = h.min(target - motion.time);
            let failure = match self.attempt(motion, h) {
                Ok(report) if !self.closes(motion, h) => {
                    self.take(motion, h, &report);
                    if target - motion.time <= 1e-9 * whole {
                        motion.time = target;
                    }
                    self.adapt(motion, h, report.error);
                    if !observer(motion, &report) {
                        return Ok(false);
                    }
                    continue;
                }
                Ok(_) => match self.reach_impact(motion, h, &mut impacts) {
                    Ok(Some(report)) if !observer(motion, &report) => return Ok(false),
                    Ok(_) => continue,
                    Err(failure) => failure,
                },
                Err(failure) => failure,
            };
            if halvings == MOST_HALVINGS {
                return Err(Stop { time: motion.time, step: h, reason: failure });
            }
            halvings += 1;
            h *= 0.5;
        }
        Ok(true)
    }

    /// Takes the step that was last attempted.
    pub(super) fn take(&mut self, motion: &mut Motion, h: f64, report: &StepReport) {
        self.integrator.take(motion, h, report);
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
        let report = attempt.map_err(|failure| {
            motion.counts.halved += 1;
            StopReason::Failed(failure)
        })?;
        let gain = report.end.energy() + report.dissipated - report.work - before.energy();
        let scale = (before.kinetic + before.elastic).max(report.end.kinetic + report.end.elastic);
        let noise = self.integrator.noise_energy();
        if gain > LARGEST_GAIN * scale + noise && self.integrator.watches_energy() {
            motion.counts.halved += 1;
            return Err(StopReason::EnergyGain { fraction: gain / scale });
        }
        if let StepChoice::Tolerance { error, .. } = self.choice
            && report.error > error
            && motion.memory.last_step > 0.0
        {
            motion.counts.rejected += 1;
            return Err(StopReason::ErrorTooLarge { error: report.error });
        }
        Ok(report)
    }

    /// A local error of order p + 1 grows with h to that power.
    fn exponent(&self) -> f64 {
        1.0 / (self.integrator.scheme().order() + 1) as f64
    }

    fn adapt(&mut self, motion: &Motion, h: f64, found: f64) {
        let StepChoice::Tolerance { error, longest, .. } = self.choice else { return };
        if motion.counts.steps < 2 {
            return;
        }
        let factor = SAFETY * (error / found.max(1e-300)).powf(self.exponent());
        // A step that was cut short for a time to be met says nothing against the one that was planned.
        let planned = h * factor.clamp(GROWTH[0], GROWTH[1]);
        self.next = if h < 0.9 * self.next && factor > 1.0 { self.next.max(planned) } else { planned };
        self.next = self.next.min(longest);
    }
}
