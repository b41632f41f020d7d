//! Motions in which tubes are pushed in or out.
//!
//! Every step has the lengths of the sections that its end has, in the layout of the step before; see `lissome_mech`'s
//! `motion/feed` for what a step knows of the lengths at its start. Where places of tubes pass each other, or a section needs
//! another number of spans, the motion goes to just before that, is fitted to the new layout and goes on just behind it.

use crate::error::SimulateError;
use crate::insertion::renewed;
use crate::motion::{
    Earlier, OutputTimes, Stepper, beginning, corners, course, follow, restored, scheme, slack, step_choice, stopped,
};
use crate::motion_frame::frame;
use crate::observer::Watch;
use lissome_mech::motion::{Feed, MechanicalState, Moving};
use lissome_mech::rod::tubes::HELD;
use lissome_mech::{Inputs, System};
use lissome_model::{DriveTarget, DynamicsJob, Scene, Sections};
use lissome_solve::dynamics::{Counts, Integrator, Motion, Run, StepChoice, StepFailure, Stop, StopReason};
use lissome_solve::{MotionAnswer, MotionEnd, MotionFrame, MotionRecord};

/// How near to a change of layout a motion goes, in lengths of the robot.
const BESIDE: f64 = 1e-7;
/// How often the way to it is halved at most.
const HALVINGS: usize = 60;
/// A step is not made shorter than this part of what was planned.
const SHORTEST: f64 = 1e-4;
/// Part of a step over which the rate behind a corner is measured.
const WINDOW: f64 = 1e-3;

/// Steps of tubes that are pushed.
struct Feeding<'s> {
    scene: &'s Scene,
    job: &'s DynamicsJob,
    choice: StepChoice,
    /// The scene with its tubes where they are now, and its system.
    now: Scene,
    system: System,
    /// What the next step depends on beside the motion.
    numbers: [f64; 3],
    /// Energies at the state that was reached, if they are known.
    energies: Option<MechanicalState>,
}

/// What decides the layout of one rod of tubes: its sections, their spans and what is held at the entry.
struct Division {
    sections: Sections,
    spans: Vec<usize>,
    held: Vec<bool>,
}

impl Division {
    fn of(scene: &Scene, rod: usize) -> Option<Self> {
        let sections = scene.sections(rod)?;
        let lines = scene.rod_knots(rod).ok()?.lines();
        let mut spans = vec![0; sections.boundaries.len()];
        lines.windows(2).for_each(|pair| spans[sections.of(0.5 * (pair[0] + pair[1]))] += 1);
        let tubes = scene.rods[rod].tubes.iter().flat_map(|set| &set.tubes);
        let held = tubes.map(|tube| tube.transmission() <= HELD * tube.length).collect();
        Some(Self { sections, spans, held })
    }
}

/// True if both have one layout.
fn is_alike(a: &Scene, b: &Scene) -> bool {
    (0..a.rods.len()).all(|rod| match (Division::of(a, rod), Division::of(b, rod)) {
        (Some(a), Some(b)) => a.sections.is_alike(&b.sections) && a.spans == b.spans && a.held == b.held,
        (None, None) => true,
        _ => false,
    })
}

/// Computes a motion from its beginning, or from an earlier state.
pub(crate) fn advance(
    scene: &Scene,
    job: &DynamicsJob,
    earlier: Option<Earlier<'_>>,
    watch: &Watch<'_>,
) -> Result<MotionAnswer, SimulateError> {
    let snapshot_time = earlier.as_ref().and_then(|earlier| earlier.snapshot.time());
    let now = scene.inserted_at(snapshot_time.unwrap_or(0.0));
    now.validate()?;
    let system = System::compile(&now)?;
    let choice = step_choice(scene, job);
    let mut feeding = Feeding { scene, job, choice, now, system, numbers: [0.0; 3], energies: None };
    if let Some(earlier) = earlier {
        let (mut motion, pause, mut record) = restored(&feeding.system, earlier)?;
        feeding.numbers = pause;
        let course = OutputTimes::after(motion.time, job);
        let end = follow(scene, &mut feeding, &mut motion, course, &mut record, watch);
        return Ok(MotionAnswer { start: None, record, end });
    }
    let mut record = MotionRecord::of(scene);
    record.balance.ignore_below(feeding.system.scales().noise_energy());
    let (motion, start) = beginning(&feeding.now, &feeding.system, job, watch)?;
    let Some(mut motion) = motion else {
        return Ok(MotionAnswer { start, record, end: MotionEnd::NoStart });
    };
    let numbers = feeding.run().pause();
    feeding.numbers = numbers;
    let end = match feeding.take_up(&mut motion) {
        Ok(()) => {
            motion.work = 0.0;
            follow(scene, &mut feeding, &mut motion, OutputTimes::from_the_start(job), &mut record, watch)
        }
        Err(stop) => stopped(scene, &feeding.system, &motion, &stop),
    };
    Ok(MotionAnswer { start, record, end })
}

fn failed(time: f64, failure: StepFailure) -> Stop {
    Stop { time, step: 0.0, reason: StopReason::Failed(failure) }
}

impl Feeding<'_> {
    /// A run of the system as it is.
    fn run(&self) -> Run<'_> {
        let course = Box::new(course(&self.system, self.scene, self.job));
        let mut run = Run::new(Integrator::with_course(&self.system, scheme(self.job), course), self.choice);
        if self.numbers[0] > 0.0 {
            run.resume(self.numbers);
        }
        run
    }

    /// How fast each tube is pushed on the way from one time to another, and how that compares with the last step.
    fn feeds(&self, from: f64, to: f64, last_step: f64) -> Vec<Feed> {
        let of = |drive: &lissome_model::Drive| {
            let DriveTarget::TubeInsertion { rod, tube } = drive.target else { return None };
            let rate = (drive.signal.at(to) - drive.signal.at(from)) / (to - from);
            let acceleration = match last_step > 0.0 {
                true => {
                    let before = (drive.signal.at(from) - drive.signal.at(from - last_step)) / last_step;
                    2.0 * (rate - before) / (to - from + last_step)
                }
                false => 0.0,
            };
            Some(Feed { rod, tube, rate, acceleration })
        };
        self.scene.drives.iter().filter_map(of).collect()
    }

    /// Where rates of insertion change at once tubes take them up as they lie, which is work of the drives.
    fn take_up(&mut self, motion: &mut Motion) -> Result<(), Stop> {
        let window = WINDOW * self.numbers[0];
        let time = motion.time;
        let behind = if time > 0.0 { self.feeds(time - window, time, 0.0) } else { Vec::new() };
        self.system.count_transport((&motion.state, &motion.velocity), &[]);
        let mut feeds = self.feeds(time, time + window, 0.0);
        for (feed, behind) in feeds.iter_mut().zip(&behind) {
            feed.rate -= behind.rate;
        }
        let mut run = self.run();
        let before = self.energies.unwrap_or_else(|| run.energies_at(motion));
        self.system.add_feed(&motion.state, &feeds, &mut motion.velocity);
        run.integrator.reset();
        let moving = run.integrator.energies(motion);
        motion.work += moving.kinetic - before.kinetic;
        run.restart(motion, &self.system)?;
        let numbers = run.pause();
        drop(run);
        (self.numbers, self.energies) = (numbers, None);
        Ok(())
    }

    /// True if no tube is pushed between two times, as far as drives have no corner there.
    fn stands(&self, from: f64, to: f64) -> bool {
        let middle = 0.5 * (from + to);
        let at =
            |time: f64| self.scene.drives.iter().filter(|d| d.target.is_insertion()).map(move |d| d.signal.at(time));
        at(from).zip(at(middle)).zip(at(to)).all(|((a, b), c)| a == b && b == c)
    }

    /// Goes on to a time at which no drive has a corner before.
    fn go(&mut self, motion: &mut Motion, until: f64, see: &mut dyn FnMut(&Motion) -> bool) -> Result<bool, Stop> {
        let mut go_on = true;
        if self.stands(motion.time, until) {
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
            let target = match left {
                left if left <= step => until,
                left if left < 1.5 * step => motion.time + 0.5 * left,
                _ => motion.time + step,
            };
            let next = self.scene.inserted_at(target);
            if is_alike(&self.now, &next) {
                go_on = self.step(motion, target, next, see)?;
                continue;
            }
            let [before, behind] = self.change_between(motion.time, target);
            if before > motion.time {
                go_on = self.step(motion, before, self.scene.inserted_at(before), see)?;
            }
            if go_on {
                self.renew(motion, behind)?;
            }
        }
        Ok(go_on)
    }

    fn planned(&self) -> f64 {
        match self.choice {
            StepChoice::Fixed(step) => step,
            StepChoice::Tolerance { longest, .. } => self.numbers[0].min(longest),
        }
    }

    /// Times just before and just behind the first change of layout between two.
    fn change_between(&self, from: f64, to: f64) -> [f64; 2] {
        let [mut before, mut behind] = [from, to];
        let insertions = |time: f64| {
            let drives = self.scene.drives.iter().filter(|drive| drive.target.is_insertion());
            drives.map(move |drive| drive.signal.at(time))
        };
        for _ in 0..HALVINGS {
            let moved = insertions(before).zip(insertions(behind)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if moved < BESIDE * self.system.scales().length {
                break;
            }
            let middle = 0.5 * (before + behind);
            match is_alike(&self.now, &self.scene.inserted_at(middle)) {
                true => before = middle,
                false => behind = middle,
            }
        }
        [before, behind]
    }

    /// One step with the lengths of its end. One that would have to be divided is taken back, and a shorter one is tried: its
    /// parts would have the push of the whole.
    fn step(
        &mut self,
        motion: &mut Motion,
        target: f64,
        next: Scene,
        see: &mut dyn FnMut(&Motion) -> bool,
    ) -> Result<bool, Stop> {
        let time = motion.time;
        let mut system = renewed(Some(&self.system), &next).map_err(|_| failed(time, StepFailure::Singular))?;
        if !system.shares_layout(&self.system) {
            self.renew(motion, target)?;
            return Ok(true);
        }
        let feeds = self.feeds(time, target, motion.memory.last_step);
        system.count_transport((&motion.state, &motion.velocity), &feeds);
        let before = match self.energies {
            Some(energies) => energies,
            None => self.run().energies_at(motion),
        };
        let kept = motion.clone();
        let course = Box::new(course(&system, self.scene, self.job));
        let integrator = Integrator::with_course(&system, scheme(self.job), course).fed_from(&self.system);
        let mut run = Run::new(integrator, self.choice);
        run.resume(self.numbers);
        run.take_over(motion, &before);
        let reached = run.advance(motion, target, &mut |_, _| true);
        let tried = |counts: &Counts| counts.halved + counts.rejected;
        let divided = reached.is_err() || tried(&motion.counts) > tried(&kept.counts);
        if divided && target - time > SHORTEST * self.planned() {
            let numbers = run.pause();
            drop(run);
            let counts = motion.counts;
            *motion = kept;
            motion.counts = Counts { steps: motion.counts.steps, ..counts };
            if let StepChoice::Tolerance { .. } = self.choice {
                self.numbers[0] = numbers[0].min(self.numbers[0]);
            }
            self.energies = Some(before);
            let half = time + 0.5 * (target - time);
            return self.step(motion, half, self.scene.inserted_at(half), see);
        }
        let energies = run.energies_at(motion);
        self.numbers = run.pause();
        drop(run);
        (self.energies, self.system, self.now) = (Some(energies), system, next);
        reached.map(|()| see(motion))
    }

    /// Fits the motion to the layout that it has at a time, next to where it is.
    fn renew(&mut self, motion: &mut Motion, at: f64) -> Result<(), Stop> {
        let next = self.scene.inserted_at(at);
        let system = System::compile(&next).map_err(|_| failed(at, StepFailure::Singular))?;
        let before = self.energies.unwrap_or_else(|| self.run().energies_at(motion));
        let mut inputs: Inputs = system.nominal_inputs().clone();
        course(&system, self.scene, self.job)(at, &mut inputs);
        let moving = Moving {
            state: motion.state.clone(),
            velocity: motion.velocity.clone(),
            joint_rates: motion.joint_rates.clone(),
        };
        let window = WINDOW * self.numbers[0];
        let feeds = self.feeds(motion.time - window, motion.time, 0.0);
        let Moving { state, velocity, joint_rates } = system.refitted(&self.system, &moving, &inputs, &feeds);
        let fresh = Motion::new(&system, state, velocity);
        (motion.state, motion.velocity, motion.memory) = (fresh.state, fresh.velocity, fresh.memory);
        motion.joint_rates = joint_rates;
        (motion.scale.steady, motion.scale.displacement) = (fresh.scale.steady, fresh.scale.displacement);
        motion.time = at;
        (self.system, self.now, self.energies) = (system, next, None);
        let mut run = self.run();
        run.integrator.make_consistent(motion).map_err(|failure| failed(at, failure))?;
        run.integrator.reset();
        run.take_over(motion, &before);
        Ok(())
    }
}

impl Stepper for Feeding<'_> {
    fn reach(&mut self, motion: &mut Motion, until: f64, see: &mut dyn FnMut(&Motion) -> bool) -> Result<(), Stop> {
        for corner in corners(self.scene, motion.time, until) {
            if !self.go(motion, corner - slack(until), see)? {
                return Ok(());
            }
            motion.time = corner;
            self.take_up(motion)?;
        }
        self.go(motion, until, see).map(|_| ())
    }

    fn output(&mut self, motion: &Motion) -> (MotionFrame, [f64; 3]) {
        // What was known of the energies is found again, so that a motion that is resumed here takes the same steps.
        self.energies = None;
        let course = Box::new(course(&self.system, self.scene, self.job));
        let mut integrator = Integrator::with_course(&self.system, scheme(self.job), course);
        (frame(&self.now, &self.system, &mut integrator, motion), self.numbers)
    }

    fn system(&self) -> &System {
        &self.system
    }
}
