//! Motions in which tubes are pushed in or out.
//!
//! ```text
//! push to the lengths in the middle of the step ─▶ half of ḟ ─▶ step with these lengths ─▶ half of ḟ ─▶ push to its end
//! ```
//!
//! See `lissome_mech`'s `motion/feed` for the push and for ḟ. Whatever energy the push changes is work of the drives. Where
//! places of tubes pass each other the motion goes to just before that, takes on the new layout and goes on.

use crate::error::SimulateError;
use crate::insertion_division::Division;
use crate::motion_course::{
    Earlier, OutputTimes, Recorded, Stepper, beginning, corners, course, follow, restored, scheme, slack, step_choice,
    stopped,
};
use crate::motion_frame::frame;
use crate::observer::Watch;
use lissome_mech::System;
use lissome_mech::motion::{Feed, MechanicalState, Moving};
use lissome_model::{DynamicsJob, Scene};
use lissome_solve::dynamics::{Integrator, Motion, Run, StepChoice, StepFailure, Stop, StopReason, SystemOf};
use lissome_solve::{MotionAnswer, MotionEnd, MotionFrame};

/// The way to a change of layout is halved until it is this part of a step.
const NEXT_TO: f64 = 1e-9;

/// Steps of tubes that are pushed.
struct Pushing<'s> {
    scene: &'s Scene,
    job: &'s DynamicsJob,
    choice: StepChoice,
    division: Division<'s>,
    /// Time whose insertions the system has.
    inserted: f64,
    system: System,
    /// What the next step depends on beside the motion.
    numbers: [f64; 3],
    /// Energies at the state that was reached, if they are known.
    energies: Option<MechanicalState>,
}

/// Computes a motion from its beginning, or from an earlier state.
pub(crate) fn advance(
    scene: &Scene,
    job: &DynamicsJob,
    earlier: Option<Earlier<'_>>,
    watch: &Watch<'_>,
) -> Result<MotionAnswer, SimulateError> {
    let division = Division::new(scene, job);
    let time = earlier.as_ref().and_then(|earlier| earlier.snapshot.time()).unwrap_or(0.0);
    let inserted = division.clear(time);
    let now = division.scene_at(inserted);
    now.validate()?;
    let system = System::compile(&now)?;
    let choice = step_choice(scene, job);
    let mut pushing = Pushing { scene, job, choice, division, inserted, system, numbers: [0.0; 3], energies: None };
    if let Some(earlier) = earlier {
        let (mut motion, pause, mut recorded) = restored(&pushing.system, earlier)?;
        pushing.numbers = pause;
        let course = OutputTimes::after(motion.time, job);
        let end = follow(scene, &mut pushing, &mut motion, course, &mut recorded, watch);
        return Ok(MotionAnswer { start: None, record: recorded.record, end });
    }
    let mut recorded = Recorded::nothing(scene, &pushing.system);
    let (motion, start) = beginning(&now, &pushing.system, job, watch)?;
    let Some(mut motion) = motion else {
        return Ok(MotionAnswer { start, record: recorded.record, end: MotionEnd::NoStart });
    };
    let mut run = pushing.run();
    let consistent = run.integrator.make_consistent(&mut motion);
    let numbers = run.pause();
    drop(run);
    pushing.numbers = numbers;
    let end = match consistent {
        Ok(()) => follow(scene, &mut pushing, &mut motion, OutputTimes::from_the_start(job), &mut recorded, watch),
        Err(failure) => stopped(scene, &pushing.system, &motion, &failed(0.0, failure)),
    };
    Ok(MotionAnswer { start, record: recorded.record, end })
}

fn failed(time: f64, failure: StepFailure) -> Stop {
    Stop { time, step: 0.0, reason: StopReason::Failed(failure) }
}

fn moving(motion: &Motion) -> Moving {
    Moving { state: motion.state.clone(), velocity: motion.velocity.clone(), joint_rates: motion.joint_rates.clone() }
}

impl Pushing<'_> {
    /// A run of the system as it is.
    fn run(&self) -> Run<'_> {
        let course = Box::new(course(SystemOf::Lent(&self.system), self.scene, self.job));
        let integrator = Integrator::with_course(&self.system, scheme(self.job), course);
        let integrator = integrator.with_shortest(self.division.shortest(self.inserted));
        let mut run = Run::new(integrator, self.choice);
        if self.numbers[0] > 0.0 {
            run.resume(self.numbers);
        }
        run
    }

    /// Pushes the tubes to where they are at a time; `feeds` are their rates then.
    fn push(&mut self, motion: &mut Motion, time: f64, feeds: &[Feed]) -> Result<(), Stop> {
        let inserted = self.division.clear(time);
        if inserted == self.inserted {
            return Ok(());
        }
        let reached = motion.time;
        let fail = |failure| failed(reached, failure);
        let before = self.energies_at(motion);
        let next = self.division.scene_at(inserted);
        let mut system = self.system.clone();
        if system.set_values(&next).is_err() {
            system = System::compile(&next).map_err(|_| fail(StepFailure::Singular))?;
        }
        let mut inputs = system.nominal_inputs().clone();
        course(SystemOf::Lent(&system), self.scene, self.job)(motion.time, &mut inputs);
        let pushed =
            system.pushed(&self.system, &moving(motion), &inputs, feeds).ok_or_else(|| fail(StepFailure::Sections))?;
        let same = system.shares_layout(&self.system);
        (self.system, self.inserted) = (system, inserted);
        self.put(motion, pushed);
        if !same {
            // Steps before the change tell nothing of those behind it.
            let fresh = Motion::new(&self.system, motion.state.clone(), motion.velocity.clone());
            motion.memory = fresh.memory;
            (motion.scale.steady, motion.scale.displacement) = (fresh.scale.steady, fresh.scale.displacement);
            let mut run = self.run();
            run.integrator.make_consistent(motion).map_err(|failure| failed(motion.time, failure))?;
        }
        self.book(motion, &before);
        Ok(())
    }

    fn put(&mut self, motion: &mut Motion, moving: Moving) {
        (motion.state, motion.velocity, motion.joint_rates) = (moving.state, moving.velocity, moving.joint_rates);
        self.energies = None;
    }

    fn energies_at(&mut self, motion: &Motion) -> MechanicalState {
        let known = self.energies.unwrap_or_else(|| self.run().energies_at(motion));
        self.energies = Some(known);
        known
    }

    /// What the push has changed in the energy since `before` is work of the drives.
    fn book(&mut self, motion: &mut Motion, before: &MechanicalState) {
        let now = self.energies_at(motion);
        motion.work += now.energy() - before.energy();
    }

    /// One step, in as many as it takes.
    fn step(&mut self, motion: &mut Motion, target: f64) -> Result<(), Stop> {
        let (time, h) = (motion.time, target - motion.time);
        let feeds = self.division.feeds(time, target);
        self.push(motion, 0.5 * (time + target), &feeds)?;
        self.system.load_push((&motion.state, &motion.velocity), &motion.memory, h, &feeds);
        let mut run = self.run();
        let reached = run.advance(motion, target, &mut |_, _| true);
        let energies = run.energies_at(motion);
        let numbers = run.pause();
        drop(run);
        (self.numbers, self.energies) = (numbers, Some(energies));
        reached
    }

    /// True if no tube is pushed between two times, as far as drives have no corner there.
    fn stands(&self, from: f64, to: f64) -> bool {
        let feeds = self.division.feeds(from, to);
        feeds.iter().all(|feed| feed.rate == 0.0 && feed.acceleration == 0.0)
    }

    fn planned(&self) -> f64 {
        match self.choice {
            StepChoice::Fixed(step) => step,
            StepChoice::Tolerance { longest, .. } => self.numbers[0].min(longest),
        }
    }

    /// The last time before the layout changes on the way from one time to another.
    fn before_change(&self, from: f64, to: f64) -> f64 {
        let (mut before, mut behind) = (from, to);
        while behind - before > NEXT_TO * (to - from) {
            let middle = 0.5 * (before + behind);
            match self.division.is_alike(self.inserted, self.division.clear(middle)) {
                true => before = middle,
                false => behind = middle,
            }
        }
        before
    }

    /// Goes on to a time at which no drive has a corner before.
    fn go(&mut self, motion: &mut Motion, until: f64, see: &mut dyn FnMut(&Motion) -> bool) -> Result<bool, Stop> {
        let mut go_on = true;
        if self.stands(motion.time, until) {
            self.push(motion, until, &[])?;
            self.system.load_push((&motion.state, &motion.velocity), &motion.memory, 0.0, &[]);
            let mut run = self.run();
            let reached = run.advance(motion, until, &mut |motion, _| {
                go_on = see(motion);
                go_on
            });
            let numbers = run.pause();
            drop(run);
            (self.numbers, self.energies) = (numbers, None);
            return reached.map(|()| go_on);
        }
        while go_on && until - motion.time > 1e-12 * until.abs().max(self.numbers[0]) {
            let (left, step) = (until - motion.time, self.planned());
            // No sliver at the end.
            let mut target = match left {
                left if left <= step * (1.0 + 1e-9) => until,
                left if left < 1.5 * step => motion.time + 0.5 * left,
                _ => motion.time + step,
            };
            if !self.division.is_alike(self.inserted, self.division.clear(target)) {
                let before = self.before_change(motion.time, target);
                if before - motion.time <= NEXT_TO * step {
                    let behind = motion.time + 2.0 * NEXT_TO * step;
                    let feeds = self.division.feeds(motion.time, behind);
                    self.push(motion, motion.time, &feeds)?;
                    self.push(motion, behind, &feeds)?;
                    continue;
                }
                target = before;
            }
            self.step(motion, target)?;
            go_on = see(motion);
        }
        if go_on {
            self.push(motion, until, &self.division.feeds(until - slack(until), until))?;
        }
        Ok(go_on)
    }
}

impl Stepper for Pushing<'_> {
    fn reach(&mut self, motion: &mut Motion, until: f64, see: &mut dyn FnMut(&Motion) -> bool) -> Result<(), Stop> {
        for corner in corners(self.scene, motion.time, until) {
            if !self.go(motion, corner - slack(until), see)? {
                return Ok(());
            }
            // What happens in a billionth of the time is not seen.
            motion.time = corner;
            let mut run = self.run();
            run.restart(motion, &self.system)?;
            let numbers = run.pause();
            drop(run);
            (self.numbers, self.energies) = (numbers, None);
        }
        self.go(motion, until, see).map(|_| ())
    }

    fn output(&mut self, motion: &Motion) -> (MotionFrame, Option<[f64; 3]>) {
        // What was known of the energies is found again, so that a motion that is resumed here takes the same steps.
        self.energies = None;
        let now = self.scene.inserted_at(self.inserted);
        let course = Box::new(course(SystemOf::Lent(&self.system), self.scene, self.job));
        let mut integrator = Integrator::with_course(&self.system, scheme(self.job), course);
        (frame(&now, &self.system, &mut integrator, motion), Some(self.numbers))
    }

    fn system(&self) -> &System {
        &self.system
    }
}
