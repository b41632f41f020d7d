//! Steps of what touches: those that would pass through something, and those in which something lands.

use super::integrator::{Integrator, StepFailure, StepReport};
use super::motion::{Counts, Motion};
use super::scheme::Scheme;
use lissome_mech::impulse::StepRule;

/// Gain of energy of a step, of all that was exchanged so far, above which it is taken by implicit Euler if something touches.
const CONTACT_GAIN: f64 = 1e-6;

impl Integrator<'_> {
    /// True if something moves so far in a step that it could come out on the other side of an obstacle.
    pub(super) fn passes_through(&mut self, motion: &Motion, h: f64) -> bool {
        self.course.at(motion.time, &mut self.inputs);
        let at = if self.system.has_meetings() {
            self.end.copy_from(&motion.state);
            self.system.meet_at(&motion.state, motion.reach(h), &mut self.end);
            &self.end
        } else {
            &motion.state
        };
        self.system.flight_fraction(at, &self.inputs, &motion.velocity, h) < 1.0
    }

    /// The rule of a step of length h. Where something lands, forces of implicit Euler act at both ends of the step: what spins
    /// on a floor or slides over something round moves along a curve, and forces at its end alone would work along its tangent there.
    /// Whoever asks for implicit Euler throughout gets it as it is, which damps more.
    pub(super) fn rule(&self, h: f64) -> StepRule {
        let rule = self.acting().rule(h);
        match self.lands && self.scheme != Scheme::ImplicitEuler {
            true => StepRule { force: [0.5 * h, 0.5 * h], ..rule },
            false => rule,
        }
    }

    /// Takes a step again in which something begins or ceases to touch, or that gains energy while something touches.
    pub(super) fn settle_jolt(
        &mut self,
        motion: &Motion,
        h: f64,
        mut result: Result<StepReport, StepFailure>,
        counts: &mut Counts,
    ) -> Result<StepReport, StepFailure> {
        let mut jolt = self.jolt(motion, &result);
        if jolt == Jolt::Gains && self.acting().filter() > 0.0 {
            // What the filter remembers is from before something landed.
            self.begins = true;
            result = self.one_stage(motion, h, counts);
            jolt = self.jolt(motion, &result);
        }
        self.lands = jolt != Jolt::None;
        if self.lands && self.scheme != Scheme::ImplicitEuler { self.one_stage(motion, h, counts) } else { result }
    }

    /// What is the matter with a step that was attempted.
    fn jolt(&mut self, motion: &Motion, result: &Result<StepReport, StepFailure>) -> Jolt {
        let [start, end] = &mut self.touching;
        self.system.touching(&motion.state, &self.inputs, start);
        self.system.touching(&self.end, &self.inputs, end);
        if start != end {
            return Jolt::Lands;
        }
        let touches = end.contains(&true);
        let Ok(report) = result else { return Jolt::None };
        let before = self.system.start_energies(&mut self.work).energy();
        let gain = report.end.energy() + report.dissipated - report.work - before;
        let much = gain > CONTACT_GAIN * motion.scale.turnover + self.noise_energy();
        if much && touches { Jolt::Gains } else { Jolt::None }
    }
}

/// What may be the matter with a step of what touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Jolt {
    /// Nothing.
    None,
    /// Something touches at its end that did not at its start, or no longer does.
    Lands,
    /// Something touches, and energy rises, as it does in steps that follow close on an impact.
    Gains,
}
