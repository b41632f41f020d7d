//! Where the iteration of a step begins: a guess of its end, and what may touch on the way there.

use super::integrator::Integrator;
use super::motion::Motion;
use lissome_mech::impulse::StepRule;
use lissome_mech::kind::contact::law::Phase;

impl Integrator<'_> {
    /// Prepares a stage of length h from the start of a step, inputs those of its end.
    pub(super) fn begin(&mut self, motion: &Motion, h: f64, rule: &StepRule) {
        let (system, memory) = (self.system.clone(), &motion.memory);
        self.begin_anew(motion, h, rule);
        let (velocity, rates) = (&motion.velocity, &motion.joint_rates);
        let missed = self.missed.expected(h);
        system.guess_end(&motion.state, velocity, rates, memory, missed, h, &self.inputs, &mut self.end);
        self.begin_contacts(motion, h, rule);
        self.missed.complete(&mut self.end, h);
    }

    /// The same, with the end that another rule led to for a guess.
    pub(super) fn begin_again(&mut self, motion: &Motion, h: f64, rule: &StepRule) {
        self.begin_anew(motion, h, rule);
        self.system.place_stage_tensions(rule, &self.inputs, &mut self.end, &self.work);
    }

    /// The same, with the start of the step for a guess: what runs into something hardly moves on.
    pub(super) fn begin_at_rest(&mut self, motion: &Motion, h: f64, rule: &StepRule) {
        let system = self.system.clone();
        self.begin_anew(motion, h, rule);
        self.end.copy_from(&motion.state);
        system.extrapolate(&motion.velocity, &motion.joint_rates, 0.0, &self.inputs, &mut self.end);
        self.begin_contacts(motion, h, rule);
    }

    fn begin_contacts(&mut self, motion: &Motion, h: f64, rule: &StepRule) {
        match self.met_for == Some(h) {
            true => self.system.meet_like(&self.met, &mut self.end),
            false => self.system.meet_at(&motion.state, motion.reach(h), &mut self.end),
        }
        self.system.anchor_contacts_from(&motion.state, &self.inputs, Phase::Free, &mut self.end);
        self.system.place_stage_tensions(rule, &self.inputs, &mut self.end, &self.work);
    }

    fn begin_anew(&mut self, motion: &Motion, h: f64, rule: &StepRule) {
        let (system, memory) = (self.system.clone(), &motion.memory);
        system.begin_stage(
            rule,
            &self.acting().recall(),
            memory,
            (&motion.velocity, &motion.joint_rates),
            h,
            &mut self.work,
        );
        self.course.at(motion.time + h, &mut self.inputs);
        self.inputs.duration = h;
    }
}
