//! Steps of what touches: those that would pass through something, and those in which something lands.

use super::integrator::{Integrator, StepFailure, StepReport};
use super::motion::Motion;

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

    /// True if something touches at the end of the step that did not at its start, or no longer does; or if a step with
    /// something touching gains energy, as those do that follow close on an impact.
    pub(super) fn jolts(&mut self, motion: &Motion, result: &Result<StepReport, StepFailure>) -> bool {
        let [start, end] = &mut self.touching;
        self.system.touching(&motion.state, &self.inputs, start);
        self.system.touching(&self.end, &self.inputs, end);
        if start != end {
            return true;
        }
        let Ok(report) = result else { return false };
        let before = self.system.start_energies(&mut self.work).energy();
        let gain = report.end.energy() + report.dissipated - report.work - before;
        end.contains(&true) && gain > CONTACT_GAIN * motion.scale.turnover + self.noise_energy()
    }
}
