//! What motions have in common: how they begin, the steps from one output time to the next, what is recorded, how they end.

use crate::equilibrium_record::record;
use crate::error::SimulateError;
use crate::motion_frame::{frame, place_of};
use crate::observer::{OutputState, Progress, Watch};
use lissome_mech::{Inputs, System};
use lissome_model::{DynamicsJob, Invalid, Problem, Scene, Scheme as SchemeName, Start, StepControl};
use lissome_solve::accuracy::Finer;
use lissome_solve::dynamics::{
    Event, Motion, Run, Scheme, Snapshot, StepChoice, StepFailure, StepReport, Stop, StopReason, SystemOf,
};
use lissome_solve::statics::{self, StaticOptions};
use lissome_solve::{Equilibrium, MotionEnd, MotionEvent, MotionFrame, MotionRecord, MotionStop};

/// No step is longer than this part of the duration.
const LONGEST_STEP: f64 = 0.02;
/// A state within this part of the robot's length of an equilibrium is that equilibrium, where only the places that touch differ: fixed to
/// long spans they lie as far from where rods come nearest to what is round.
const NEARBY: f64 = 1e-2;
/// A loop that gapes by less than this, rad or lengths of the robot, is closed.
const CLOSED: f64 = 1e-9;
/// Rotation between two control poses, rad, near to the full turn at which their logarithm ends.
const COILED: f64 = 5.5;
/// Steps between two pauses at least: what a pause forgets has to be found again, and a motion that is resumed takes the steps since
/// the last one again.
const STEPS_BETWEEN_PAUSES: u64 = 64;
/// Two times nearer than this part of the duration are the same.
const SAME_TIME: f64 = 1e-9;

/// What a motion goes on from: its last output state, and the record of what came before.
pub(crate) struct Earlier<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) record: MotionRecord,
}

/// What takes a motion from one time to the next, and shows it at output times.
pub(crate) trait Stepper {
    /// Goes on to a time; where a drive has a corner on the way, a step ends before it and the next begins after it.
    fn reach(&mut self, motion: &mut Motion, until: f64, see: &mut dyn FnMut(&Motion) -> bool) -> Result<(), Stop>;

    /// What is recorded at an output time, and the numbers with which it goes on from there if it pauses, as it does at the first.
    fn output(&mut self, motion: &Motion) -> (MotionFrame, Option<[f64; 3]>);

    /// The system as it is now.
    fn system(&self) -> &System;
}

/// A motion from its snapshot, with the numbers to go on with and the record of what came before.
pub(crate) fn restored(system: &System, earlier: Earlier<'_>) -> Result<(Motion, [f64; 3], Recorded), SimulateError> {
    let Earlier { snapshot, mut record } = earlier;
    record.balance.ignore_below(system.scales().noise_energy());
    let (motion, pause) = snapshot.restore(system).ok_or_else(|| {
        Invalid::new("job", Problem::Contradiction { reason: "the checkpoint is not of this scene".into() })
    })?;
    Ok((motion, pause, Recorded { record, last_pause: snapshot.clone() }))
}

/// What is known of a motion at its last output time.
pub(crate) struct Recorded {
    pub(crate) record: MotionRecord,
    last_pause: Snapshot,
}

impl Recorded {
    /// Of a motion that is to begin.
    pub(crate) fn nothing(scene: &Scene, system: &System) -> Self {
        let mut record = MotionRecord::of(scene);
        record.balance.ignore_below(system.scales().noise_energy());
        Self { record, last_pause: Snapshot::default() }
    }
}

/// The state and the velocities that a motion begins with, and the equilibrium that it is, if it is one; no motion if that was
/// not found.
pub(crate) fn beginning(
    scene: &Scene,
    system: &System,
    job: &DynamicsJob,
    watch: &Watch<'_>,
) -> Result<(Option<Motion>, Option<Equilibrium>), SimulateError> {
    let (state, start) = match job.start {
        Start::Natural if is_closed(system) => {
            let mut state = system.natural_state();
            system.drive(&system.inputs_at(0.0), &mut state);
            (state, None)
        }
        // What is held at both ends cannot keep its natural shape: it begins in that of least energy, without loads.
        Start::Natural | Start::Equilibrium => {
            let factor = if job.start == Start::Natural { 0.0 } else { 1.0 };
            let (state, start) = equilibrium(scene, system, factor, watch)?;
            if !start.outcome.converged() {
                return Ok((None, Some(start)));
            }
            (state, Some(start))
        }
    };
    let (velocity, rates) = system.initial_velocities(scene, &state);
    let mut motion = Motion::new(system, state, velocity);
    motion.joint_rates = rates;
    Ok((Some(motion), start))
}

/// Steps of one system.
pub(crate) struct SteadySteps<'a, 's> {
    pub(crate) scene: &'a Scene,
    pub(crate) system: &'a System,
    pub(crate) run: &'a mut Run<'s>,
    /// Steps that the motion had taken when it last paused.
    paused_after: Option<u64>,
}

/// What a motion passed.
pub(crate) enum Passed<'p> {
    /// A step.
    Step(&'p StepReport),
    /// A moment at which a drive changes its rate at once.
    Corner,
}

impl<'a, 's> SteadySteps<'a, 's> {
    pub(crate) fn new(scene: &'a Scene, system: &'a System, run: &'a mut Run<'s>) -> Self {
        Self { scene, system, run, paused_after: None }
    }

    /// Goes on with a motion that has just been restored.
    pub(crate) fn resume(&mut self, motion: &Motion, pause: [f64; 3]) {
        self.run.resume(pause);
        self.paused_after = Some(motion.counts.steps);
    }

    /// Pauses: what is recorded now, and the numbers with which it goes on.
    pub(crate) fn pause(&mut self, motion: &Motion) -> (MotionFrame, [f64; 3]) {
        let pause = self.run.pause();
        self.paused_after = Some(motion.counts.steps);
        (frame(self.scene, self.system, &mut self.run.integrator, motion), pause)
    }

    /// Goes on to a time; `see` is shown every step and every corner of a drive, and stops it after a step.
    pub(crate) fn pass(
        &mut self,
        motion: &mut Motion,
        until: f64,
        see: &mut dyn FnMut(&Motion, Passed<'_>) -> bool,
    ) -> Result<(), Stop> {
        let mut go_on = true;
        for corner in corners(self.scene, motion.time, until) {
            self.run.integrator.read_rates_before(corner - slack(until));
            self.run.go_on(motion, corner - slack(until), &mut |motion, report| {
                go_on = see(motion, Passed::Step(report));
                go_on
            })?;
            self.run.integrator.read_rates_before(f64::INFINITY);
            if !go_on {
                return Ok(());
            }
            // What happens in a billionth of the time is not seen.
            motion.time = corner;
            self.run.restart(motion, self.system)?;
            see(motion, Passed::Corner);
        }
        self.run.go_on(motion, until, &mut |motion, report| see(motion, Passed::Step(report)))
    }
}

impl Stepper for SteadySteps<'_, '_> {
    fn reach(&mut self, motion: &mut Motion, until: f64, see: &mut dyn FnMut(&Motion) -> bool) -> Result<(), Stop> {
        self.pass(motion, until, &mut |motion, passed| matches!(passed, Passed::Corner) || see(motion))
    }

    fn output(&mut self, motion: &Motion) -> (MotionFrame, Option<[f64; 3]>) {
        if self.paused_after.is_none_or(|before| motion.counts.steps >= before + STEPS_BETWEEN_PAUSES) {
            let (frame, pause) = self.pause(motion);
            return (frame, Some(pause));
        }
        (frame(self.scene, self.system, &mut self.run.integrator, motion), None)
    }

    fn system(&self) -> &System {
        self.system
    }
}

/// True if the natural shapes leave no loop open.
fn is_closed(system: &System) -> bool {
    let (turn, shift) = system.largest_gap(&system.natural_state());
    turn.max(shift / system.scales().length) < CLOSED
}

/// The equilibrium of the drives at time zero under a part of the loads.
fn equilibrium(
    scene: &Scene,
    system: &System,
    factor: f64,
    watch: &Watch<'_>,
) -> Result<(lissome_mech::State, Equilibrium), Invalid> {
    let inputs = system.inputs_at(0.0).with_factor(factor);
    let mut work = system.workspace();
    let options = StaticOptions::default();
    let solution = statics::solve_from_natural_under(system, &inputs, &options, &mut work, &mut |i| watch.iteration(i));
    let errors = match solution.outcome.converged() {
        true => Finer::new(scene)?.errors(system, &solution.state, &inputs),
        false => Vec::new(),
    };
    let found = record(scene, system, &solution, &work, &errors);
    let slides = solution.outcome.converged() && system.has_obstacles() && !system.has_contact_friction();
    let fixed = match slides {
        true => statics::fixed_where_it_touches(system, &solution.state, &inputs, &options, &mut work, NEARBY),
        false => None,
    };
    Ok((fixed.unwrap_or(solution.state), found))
}

/// Goes from output time to output time until the last, and says how it ended. What is recorded already passes in silence.
pub(crate) fn follow(
    scene: &Scene,
    stepper: &mut impl Stepper,
    motion: &mut Motion,
    course: impl Iterator<Item = f64>,
    recorded: &mut Recorded,
    watch: &Watch<'_>,
) -> MotionEnd {
    let mut course = course.peekable();
    let Recorded { record, last_pause } = recorded;
    let recorded = last_pause.reached();
    let is_recorded = |time: f64| recorded.is_some_and(|recorded| time <= recorded + slack(recorded));
    while let Some(until) = course.next() {
        let before = motion.time;
        let mut events = Vec::new();
        let mut reached = Ok(());
        if until > before {
            let mut see = |motion: &Motion| {
                let new: Vec<MotionEvent> = motion.events[events.len()..].iter().map(event_record).collect();
                let mut shown = new.iter().filter(|event| !is_recorded(event.time));
                let go_on = shown.all(|event| watch.show(&Progress::Event(event)));
                events.extend(new);
                go_on && watch.show(&Progress::Step { time: motion.time })
            };
            reached = stepper.reach(motion, until, &mut see);
        }
        // What lies between two outputs is computed again if the motion is resumed.
        if watch.stopped() {
            return MotionEnd::Asked;
        }
        motion.events.clear();
        events.into_iter().filter(|event| !is_recorded(event.time)).for_each(|event| record.push_event(event));
        if reached.is_ok() || motion.time > before {
            let (frame, pause) = stepper.output(motion);
            if let Some(pause) = pause {
                *last_pause = Snapshot::take(motion, pause);
            }
            if !is_recorded(motion.time) {
                record.push(&frame);
                watch.show(&Progress::Frame(&OutputState { frame: &frame, last_pause }));
            }
        }
        match reached {
            Err(stop) => return stopped(scene, stepper.system(), motion, &stop),
            Ok(()) if watch.stopped() && course.peek().is_some() => return MotionEnd::Asked,
            Ok(()) => {}
        }
    }
    finished(record)
}

/// Two times nearer than this are the same: by the time itself, not by the duration, so that a motion in two parts takes the
/// same steps.
pub(crate) fn slack(until: f64) -> f64 {
    SAME_TIME * until
}

/// Times at which a drive has a corner, after one time and up to another.
pub(crate) fn corners(scene: &Scene, from: f64, until: f64) -> Vec<f64> {
    let slack = slack(until);
    let corners = scene.drives.iter().flat_map(|drive| drive.signal.corners());
    let mut corners: Vec<f64> = corners.filter(|t| *t > from + slack && *t <= until + slack).collect();
    corners.sort_by(f64::total_cmp);
    corners.dedup_by(|later, earlier| *later - *earlier <= 2.0 * slack);
    corners.iter_mut().for_each(|corner| *corner = corner.min(until));
    corners
}

/// An event, as it is recorded.
fn event_record(event: &Event) -> MotionEvent {
    MotionEvent { time: event.time, kind: event.kind, part: event.part.clone(), value: event.value }
}

/// A motion that reached its duration is a success if its energy balance holds and nothing passed through a rod.
fn finished(record: &MotionRecord) -> MotionEnd {
    let balance = &record.balance;
    if balance.is_broken() {
        let (time, missing, allowed) = (balance.rise_time(), balance.rise(), balance.allowed_rise());
        return MotionEnd::BalanceBroken { time, missing, allowed };
    }
    record.ran_through.clone().map_or(MotionEnd::Finished, MotionEnd::RanThrough)
}

/// The times at which a motion is recorded: multiples of the interval, and the end.
#[derive(Clone, Copy)]
pub(crate) struct OutputTimes {
    rate: f64,
    duration: f64,
    /// Number of the next; `None` after the last.
    next: Option<f64>,
}

impl OutputTimes {
    pub(crate) fn from_the_start(job: &DynamicsJob) -> Self {
        Self { rate: job.output_rate, duration: job.duration, next: Some(0.0) }
    }

    /// Those after a time that has been recorded.
    pub(crate) fn after(time: f64, job: &DynamicsJob) -> Self {
        let all = Self::from_the_start(job);
        let next = (time * job.output_rate * (1.0 + SAME_TIME)).floor() + 1.0;
        Self { next: (!all.is_last(time)).then_some(next), ..all }
    }

    fn is_last(&self, time: f64) -> bool {
        time >= self.duration * (1.0 - SAME_TIME)
    }
}

impl Iterator for OutputTimes {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let count = self.next?;
        let planned = count / self.rate;
        // A multiple that all but meets the end is kept as it is, so that runs of other durations have it too.
        let time = if planned > self.duration * (1.0 + SAME_TIME) { self.duration } else { planned };
        self.next = (!self.is_last(time)).then_some(count + 1.0);
        Some(time)
    }
}

/// The drives at each time, and the loads of `release` gone.
pub(crate) fn course<'s>(
    system: SystemOf<'s>,
    scene: &Scene,
    job: &DynamicsJob,
) -> impl Fn(f64, &mut Inputs) + Send + Sync + use<'s> {
    let (released, loads) = (job.release.clone(), scene.loads.len());
    move |time, inputs: &mut Inputs| {
        inputs.drive(system.drives(), time);
        for index in &released {
            match index.checked_sub(loads) {
                None => inputs.loads[*index] = 0.0,
                Some(index) => inputs.frame_loads[index] = 0.0,
            }
        }
    }
}

pub(crate) fn scheme(job: &DynamicsJob) -> Scheme {
    match job.scheme {
        SchemeName::Robust => Scheme::default(),
        SchemeName::Conserving => Scheme::Conserving,
        SchemeName::Symplectic => Scheme::Symplectic,
        SchemeName::Explicit => Scheme::Explicit,
        SchemeName::Euler => Scheme::ImplicitEuler,
        SchemeName::TrBdf2 => Scheme::TrBdf2,
    }
}

/// No step passes an output time: a fixed step is shortened so that a whole number of equal ones fits in between.
pub(crate) fn step_choice(scene: &Scene, job: &DynamicsJob) -> StepChoice {
    let interval = 1.0 / job.output_rate;
    match job.step {
        StepControl::Fixed(step) => StepChoice::Fixed(interval / (interval / step - SAME_TIME).ceil().max(1.0)),
        StepControl::Tolerance(error) => {
            let drives = scene.drives.iter().map(|drive| drive.signal.longest_step());
            StepChoice::Tolerance { error, longest: drives.fold(LONGEST_STEP * job.duration, f64::min) }
        }
    }
}

pub(crate) fn stopped(scene: &Scene, system: &System, motion: &Motion, stop: &Stop) -> MotionEnd {
    let place = match stop.reason {
        StopReason::Failed(StepFailure::NotConverged { slot, .. }) => place_of(system, slot),
        _ => String::new(),
    };
    let mut reason = stop.to_string();
    if let Some(rod) = coiled(scene, system, motion) {
        reason = format!("{reason}; rod.{rod} coils by a full turn within one span: give its model more spans");
    }
    MotionEnd::Stopped(MotionStop { time: stop.time, step: stop.step, place, reason })
}

/// Name of a rod that turns so far between two control poses that no spline through them tells how.
fn coiled<'s>(scene: &'s Scene, system: &System, motion: &Motion) -> Option<&'s str> {
    let mut increments = motion.memory.increments.iter();
    let coils = |count: usize| increments.by_ref().take(count).filter(|psi| psi.re.norm() > COILED).count() > 0;
    let found = system.increment_counts().map(coils).position(|coils| coils)?;
    scene.rods.get(found).map(|rod| rod.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome_solve::MotionEnergy;

    #[test]
    fn kinetic_energy_from_nowhere_is_no_success() {
        let mut record = MotionRecord::default();
        for kinetic in [0.0, 1.5, 7.5] {
            let energy = MotionEnergy { kinetic, ..MotionEnergy::default() };
            record.push(&MotionFrame { time: kinetic, energy, ..MotionFrame::default() });
        }
        let expected = MotionEnd::BalanceBroken { time: 7.5, missing: 7.5, allowed: record.balance.allowed_rise() };
        assert_eq!(finished(&record), expected);
        assert_eq!(finished(&MotionRecord::default()), MotionEnd::Finished);
    }

    #[test]
    fn output_times_go_on_where_they_were_left() {
        let job = DynamicsJob { duration: 0.25, output_rate: 30.0, ..DynamicsJob::default() };
        let all: Vec<f64> = OutputTimes::from_the_start(&job).collect();
        assert_eq!((all.len(), all[0], all[8]), (9, 0.0, 0.25));
        for (index, time) in all.iter().enumerate() {
            assert_eq!(OutputTimes::after(*time, &job).collect::<Vec<_>>(), all[index + 1..], "{time}");
        }
    }
}
