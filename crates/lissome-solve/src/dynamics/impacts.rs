//! Impacts in the course of a run: a step that ends with a one-sided constraint closed which was open when it began is cut
//! at the instant of closing, velocities jump there, and the run goes on from there.

use super::closing::{any_closes, runs_in, time_left};
use super::control::{Run, StopReason};
use super::impact_count::RESTART;
use super::motion::Motion;
use super::step_report::StepReport;
use lissome_mech::motion::impact::Contact;

/// Attempts to find the instant of an impact.
const MOST_ATTEMPTS: usize = 60;
/// The instant is known to this part of the step.
const SAME_INSTANT: f64 = 1e-9;
/// A gap this small, in its unit, is closed: well below what counts as touching.
const CLOSED: f64 = 1e-9;
impl Run<'_> {
    /// True if the step that was last attempted runs into something.
    pub(super) fn closes(&mut self, motion: &mut Motion, h: f64) -> bool {
        self.integrator.see_contacts(motion, h)
            && (self.integrator.closed_between || any_closes(&self.integrator.contacts, h))
    }

    /// Goes on to the first impact within a step of length h and past it. The report is that of the flight before, if
    /// there was one.
    pub(super) fn reach_impact(&mut self, motion: &mut Motion, h: f64) -> Result<Option<StepReport>, StopReason> {
        let flight = self.find_impact(motion, h)?;
        let fresh = self.integrator.contacts[0].iter().any(|contact| !contact.touches());
        let mut report = flight.map(|(length, report)| {
            self.take(motion, length, &report);
            report
        });
        let rebound = self.impacts.count(motion.time, h, report.is_some(), fresh);
        let loss = self.integrator.impact(motion, rebound).map_err(StopReason::Failed)?;
        let end = self.integrator.energies(motion);
        self.energies = Some(end);
        motion.scale.count(&end, motion.dissipated, motion.work);
        if let Some(report) = &mut report {
            report.end = end;
            report.dissipated += loss;
        }
        self.next *= RESTART;
        Ok(report)
    }

    /// The longest flight without impact, attempted last; `None` if there is none.
    fn find_impact(&mut self, motion: &mut Motion, h: f64) -> Result<Option<(f64, StepReport)>, StopReason> {
        if self.integrator.contacts[0].iter().any(|contact| runs_in(contact, h)) {
            return Ok(None);
        }
        let (mut open, mut closed) = (0.0, h);
        let mut found: Option<StepReport> = None;
        let mut stands_at = h;
        let mut next = self.soonest(0).filter(|time| *time < h).unwrap_or(0.5 * h);
        for _ in 0..MOST_ATTEMPTS {
            if closed - open <= SAME_INSTANT * h {
                break;
            }
            // Within the bracket, and not so near its ends that it hardly shrinks.
            let (first, last) = (open + SAME_INSTANT * h, closed - 1e-3 * (closed - open));
            next = if first < last { next.clamp(first, last) } else { 0.5 * (open + closed) };
            let report = self.attempt(motion, next)?;
            stands_at = next;
            if self.closes(motion, next) {
                closed = next;
                next = 0.5 * (open + closed);
                continue;
            }
            open = next;
            found = Some(report);
            let gap = |contact: &Contact| contact.speed < 0.0 && contact.gap <= CLOSED * contact.unit;
            if self.integrator.contacts[1].iter().any(gap) {
                break;
            }
            next = self.soonest(1).map_or(0.5 * (open + closed), |time| open + time);
            if next >= closed {
                next = 0.5 * (open + closed);
            }
        }
        if found.is_some() && stands_at != open {
            found = Some(self.attempt(motion, open)?);
            self.closes(motion, open);
        }
        Ok(found.map(|report| (open, report)))
    }

    /// When the first row that is open at one end of the step will close.
    fn soonest(&self, end: usize) -> Option<f64> {
        let open = self.integrator.contacts[end].iter().filter(|contact| !contact.closed);
        open.filter_map(time_left).min_by(f64::total_cmp)
    }
}
