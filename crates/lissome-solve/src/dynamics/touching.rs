//! Steps of what touches: those that would pass through something, and those in which something lands.

use super::integrator::Integrator;
use super::motion::{Counts, Motion};
use super::scheme::Scheme;
use super::step_report::{StepFailure, StepReport};
use lissome_mech::impulse::StepRule;

/// Gain of energy of a step, of all that was exchanged so far, above which it is taken by implicit Euler if something touches.
const CONTACT_GAIN: f64 = 1e-6;

/// Two steps are of one length within this part of it.
const SAME_STEP: f64 = 1e-9;

/// How often a step takes in rods that it ran into unseen.
const MOST_MEETINGS: usize = 4;

impl Integrator<'_> {
    /// Newton to the end of a step, `kept` the energy to arrive at: with rods that it ran into on the way, too.
    pub(super) fn settle(
        &mut self,
        motion: &Motion,
        rule: StepRule,
        kept: Option<f64>,
        counts: &mut Counts,
    ) -> Result<(StepRule, usize), StepFailure> {
        let (mut rule, mut iterations) = self.iterate(rule, kept, counts)?;
        for _ in 0..MOST_MEETINGS {
            if !self.system.meet_within(&motion.state, &self.inputs, &mut self.end) {
                break;
            }
            let (settled, more) = self.iterate(rule, kept, counts)?;
            (rule, iterations) = (settled, iterations + more);
        }
        Ok((rule, iterations))
    }

    /// True if something moves so far in a step that it could come out on the other side of an obstacle.
    pub(super) fn passes_through(&mut self, motion: &Motion, h: f64) -> bool {
        self.course.at(motion.time, &mut self.inputs);
        let at = if self.system.has_meetings() {
            self.met.copy_from(&motion.state);
            self.system.meet_at(&motion.state, motion.reach(h), &mut self.met);
            self.met_for = Some(h);
            &self.met
        } else {
            &motion.state
        };
        self.system.flight_fraction(at, &self.inputs, &motion.velocity, h) < 1.0
    }

    /// Refuses a step on whose way rods came inside each other, whatever contacts know of it.
    pub(super) fn stays_outside(&mut self, motion: &Motion) -> Result<(), StepFailure> {
        if self.strands.passing(&motion.state, &self.end).is_some() {
            return Err(StepFailure::PassesThrough);
        }
        Ok(())
    }

    /// The rule of a step of length h. Where something lands and moves along a curve, as what spins on a floor or slides over
    /// something round, forces of implicit Euler act at both ends of the step: at its end alone they would work along its tangent there.
    pub(super) fn rule(&self, h: f64) -> StepRule {
        let rule = self.acting().rule(h);
        match self.lands && self.curves {
            true => StepRule { force: [0.5 * h, 0.5 * h], ..rule },
            false => rule,
        }
    }

    /// One step where things may touch. Where the first guess of its end runs into something it is a landing at once: what the scheme
    /// makes of an impact would be thrown away.
    pub(super) fn stage_among_obstacles(
        &mut self,
        motion: &Motion,
        h: f64,
        counts: &mut Counts,
    ) -> Result<StepReport, StepFailure> {
        self.course.at(motion.time + h, &mut self.inputs);
        self.inputs.duration = h;
        // The last step has seen it at its end if it was as long.
        if self.touching_after.is_none_or(|after| (after - h).abs() > SAME_STEP * h) {
            self.system.touching(&motion.state, &self.inputs, &mut self.touching[0]);
            self.touching_after = Some(h);
        }
        let result = match self.scheme {
            Scheme::TrBdf2 => self.two_stages(motion, h, counts),
            Scheme::ImplicitEuler => self.one_stage(motion, h, counts),
            _ => {
                let rule = self.rule(h);
                self.begin(motion, h, &rule);
                self.system.touching(&self.end, &self.inputs, &mut self.touching[1]);
                if self.changes_touch() == Some(Jolt::Lands) {
                    (self.lands, self.curves) = (true, false);
                    let rule = self.rule(h);
                    self.begin_at_rest(motion, h, &rule);
                    let landed = self.go_through(motion, rule, counts);
                    if landed.is_ok() && self.jolt(motion, &landed) == Jolt::Lands {
                        return self.settle_landing(motion, h, Jolt::Lands, landed, counts);
                    }
                    self.lands = false;
                    self.stage_again(motion, h, landed.is_ok(), counts)
                } else {
                    self.go_through(motion, rule, counts)
                }
            }
        };
        let jolt = self.jolt(motion, &result);
        self.lands = jolt != Jolt::None;
        if !self.lands || self.scheme == Scheme::ImplicitEuler {
            return result;
        }
        let landed = self.land(motion, h, result.is_ok(), counts);
        self.settle_landing(motion, h, jolt, landed, counts)
    }

    /// Takes a step in which something begins or ceases to touch, or that gains energy while something touches, by implicit Euler,
    /// which does not throw back what runs in.
    fn land(&mut self, motion: &Motion, h: f64, found: bool, counts: &mut Counts) -> Result<StepReport, StepFailure> {
        (self.lands, self.curves) = (true, false);
        self.stage_again(motion, h, found, counts)
    }

    /// Where a landing gains energy, the step is taken without the filter, or with forces at both of its ends.
    fn settle_landing(
        &mut self,
        motion: &Motion,
        h: f64,
        jolt: Jolt,
        landed: Result<StepReport, StepFailure>,
        counts: &mut Counts,
    ) -> Result<StepReport, StepFailure> {
        let bearable = self.bearable(motion);
        let gain = self.gain(&landed);
        if landed.is_err() || gain <= bearable {
            return landed;
        }
        self.lands = false;
        let mut found = true;
        if jolt == Jolt::Parts || jolt == Jolt::Gains && self.acting().filter() > 0.0 {
            // What the filter remembers is from before something landed or parted.
            self.begins = true;
            let unfiltered = self.stage_again(motion, h, true, counts);
            if self.gain(&unfiltered) <= bearable {
                return unfiltered;
            }
            found = unfiltered.is_ok();
        }
        (self.lands, self.curves) = (true, true);
        let curved = self.stage_again(motion, h, found, counts);
        if self.gain(&curved) < gain {
            return curved;
        }
        self.curves = false;
        self.stage_again(motion, h, curved.is_ok(), counts)
    }

    /// Goes through a step by another rule. Who touches and where things are at its end is much the same by all of them: where
    /// the last one came to an end, that is the first guess of this one.
    fn stage_again(
        &mut self,
        motion: &Motion,
        h: f64,
        found: bool,
        counts: &mut Counts,
    ) -> Result<StepReport, StepFailure> {
        let rule = self.rule(h);
        if found {
            self.begin_again(motion, h, &rule);
            let again = self.go_through(motion, rule, counts);
            if again.is_ok() {
                return again;
            }
        }
        self.begin(motion, h, &rule);
        self.go_through(motion, rule, counts)
    }

    /// What friction took in the step of length h that was last attempted, in which something landed, J.
    pub(super) fn landing_friction(&self, motion: &Motion, h: f64) -> f64 {
        let ends = [motion.velocity.as_slice(), self.end_velocity.as_slice()];
        self.system.landing_friction(h, (&self.end, &self.inputs), ends, &self.work)
    }

    /// True if the step that was last attempted gains energy where things may touch, also on their way from one touch to the next: a
    /// shorter one gains less.
    pub(super) fn gains_in_contact(&mut self, motion: &Motion, gain: f64) -> bool {
        self.has_obstacles && gain > self.bearable(motion)
    }

    /// Energy that a step gains; infinite if there is no step.
    fn gain(&self, result: &Result<StepReport, StepFailure>) -> f64 {
        let Ok(report) = result else { return f64::INFINITY };
        report.end.energy() + report.dissipated - report.work - self.start_energy
    }

    /// Gain that is not worth another attempt.
    fn bearable(&self, motion: &Motion) -> f64 {
        CONTACT_GAIN * motion.scale.turnover + self.noise_energy()
    }

    /// What is the matter with a step that was attempted.
    fn jolt(&mut self, motion: &Motion, result: &Result<StepReport, StepFailure>) -> Jolt {
        match result.is_ok() {
            // The iteration ended there.
            true => self.system.touching_at_end(&self.work, &mut self.touching[1]),
            false => self.system.touching(&self.end, &self.inputs, &mut self.touching[1]),
        }
        match self.changes_touch() {
            Some(_) if result.is_err() => Jolt::Lands,
            Some(jolt) => jolt,
            None if result.is_err() || !self.touching[1].contains(&true) => Jolt::None,
            None if self.gain(result) > self.bearable(motion) => Jolt::Gains,
            None => Jolt::None,
        }
    }

    /// Whether something lands or parts on the way from who touches at the start to who does at the end.
    fn changes_touch(&self) -> Option<Jolt> {
        let [start, end] = &self.touching;
        if start == end {
            return None;
        }
        let lands = start.iter().zip(end).any(|(was, is)| *is && !was);
        Some(if lands { Jolt::Lands } else { Jolt::Parts })
    }
}

/// What may be the matter with a step of what touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Jolt {
    /// Nothing.
    None,
    /// Something touches at its end that did not at its start.
    Lands,
    /// Something no longer touches, and nothing lands.
    Parts,
    /// Something touches, and energy rises, as it does in steps that follow close on an impact.
    Gains,
}
