//! One-sided constraints of a step: those that close within it, and velocities after the impact of what touches.

use super::integrator::{Integrator, RATE_WINDOW};
use super::motion::{Event, Motion};
use super::step_report::StepFailure;
use crate::motion_record::MotionEventKind;
use lissome_mech::motion::impact::Contact;
use lissome_mech::motion::{Rates, Velocities};

impl Integrator<'_> {
    /// Looks at the one-sided constraints at both ends of the step that was last attempted. False if there are none.
    pub(super) fn see_contacts(&mut self, motion: &Motion, h: f64) -> bool {
        if !self.has_contacts {
            return false;
        }
        let [start, end] = &mut self.contacts;
        let apart = 2.0 * RATE_WINDOW * h;
        for (time, out, at_end) in [(motion.time, start, false), (motion.time + h, end, true)] {
            self.course.at(time, &mut self.inputs);
            self.course.at(time - 0.5 * apart, &mut self.behind);
            self.course.at(time + 0.5 * apart, &mut self.ahead);
            let rates = Rates { behind: &self.behind, ahead: &self.ahead, apart };
            let (state, velocities) = match at_end {
                false => (&motion.state, (motion.velocity.as_slice(), motion.joint_rates.as_slice())),
                true => (&self.end, (self.end_velocity.as_slice(), self.end_joint_rates.as_slice())),
            };
            self.system.contacts(state, &self.inputs, &rates, velocities, out);
        }
        true
    }

    /// Velocities after the impact of what touches; returns the kinetic energy that it took.
    pub(super) fn impact(&mut self, motion: &mut Motion, rebound: bool) -> Result<f64, StepFailure> {
        self.ready = false;
        let before = self.energies(motion);
        let window = RATE_WINDOW * motion.memory.last_step.max(f64::MIN_POSITIVE.sqrt());
        self.course.at(motion.time, &mut self.inputs);
        self.course.at(motion.time - window, &mut self.behind);
        self.course.at(motion.time + window, &mut self.ahead);
        let rates = Rates { behind: &self.behind, ahead: &self.ahead, apart: 2.0 * window };
        let mut velocities = Velocities { slots: &mut motion.velocity, joints: &mut motion.joint_rates };
        let (system, time, first) = (self.system.clone(), motion.time, motion.events.len());
        let events = &mut motion.events;
        let hit = &mut |contact: &Contact| {
            let part = system.path_of(contact.part);
            let kind = MotionEventKind::Limit;
            events.push(Event { time, kind, part, coordinate: contact.row, value: -contact.speed, loss: 0.0 });
        };
        let rubbed = system
            .impact(&self.inputs, &rates, rebound, &mut velocities, &mut self.work, hit)
            .map_err(|_| StepFailure::Singular)?;
        // What was remembered of the steps before does not tell of those to come.
        system.forget_steps(&mut motion.memory);
        self.reset();
        let loss = before.kinetic - self.energies(motion).kinetic;
        motion.dissipated += loss;
        motion.friction += rubbed;
        if let Some(kept) = &mut motion.kept_energy {
            *kept -= loss;
        }
        motion.events[first..].iter_mut().for_each(|event| event.loss = loss);
        Ok(loss)
    }
}
