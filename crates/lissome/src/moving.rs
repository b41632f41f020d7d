//! A motion, from its scene to its frames, on one page.
//!
//! ```text
//! Scene ── equilibrium with the loads of `release` ──▶ Motion ──▶ Run::advance to each output time ──▶ MotionFrame
//!                                                        ▲                                                 │
//!                                                        └───────────── Snapshot ◀── what a watcher keeps ─┘
//! ```
//!
//! Output times are k / rate. At each of them the run pauses, so that one that is resumed there goes on bit for bit.

use crate::record::record;
use crate::simulate::{Observer, SimulateError};
use lissome_mech::index::{RodIndex, Slot};
use lissome_mech::{Inputs, System};
use lissome_model::{
    Discretization, DynamicsJob, Invalid, Job, Problem, Resolution, Scene, Scheme as SchemeName, Start, StepControl,
    StrainForm,
};
use lissome_solve::dynamics::{Integrator, Motion, Run, Scheme, Snapshot, StepChoice, StepFailure, Stop, StopReason};
use lissome_solve::statics::{self, StaticOptions};
use lissome_solve::{
    CableFrame, Momentum, MotionEffort, MotionEnd, MotionEnergy, MotionFrame, MotionStop, Recording, RodFrame,
};

/// Stations recorded along each rod.
pub const STATIONS: usize = 33;
/// The first step of a run with a tolerance, of the time between two outputs; the error estimate takes over from there.
const FIRST_STEP: f64 = 1e-3;
/// Two times nearer than this part of the duration are the same output time.
const SAME_TIME: f64 = 1e-9;

/// How a motion came out.
#[derive(Debug)]
// One of them is returned once a run: a box would save nothing.
#[allow(clippy::large_enum_variant)]
pub enum Moved {
    /// It began; the frames were shown to the watcher.
    Ended(MotionEnd),
    /// There is no equilibrium to start from: how that search ended.
    NoStart(Recording),
}

/// What a watcher sees.
pub enum Seen<'m> {
    /// A step was taken.
    Step {
        /// Its end, s.
        time: f64,
    },
    /// An output time was reached, or the last good state of a motion that cannot go on.
    Frame(&'m Moment<'m>),
}

/// An output time.
pub struct Moment<'m> {
    /// The numbers to record.
    pub frame: &'m MotionFrame,
    motion: &'m Motion,
    pause: [f64; 3],
}

impl Moment<'_> {
    /// Everything that what follows depends on.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::take(self.motion, self.pause)
    }
}

/// Computes the motion of a scene whose job is `dynamics`, from its beginning or from a snapshot. `observer` sees the
/// iterations of the start, `watch` every step and frame; either stops the work with `false`. What a watcher saw stays valid.
pub fn advance(
    scene: &Scene,
    from: Option<&Snapshot>,
    observer: Observer<'_>,
    watch: &mut dyn FnMut(Seen<'_>) -> bool,
) -> Result<Moved, SimulateError> {
    scene.validate()?;
    let Job::Dynamics(job) = &scene.job else { return Err(no_motion("job.kind", "the job must be dynamics")) };
    can_move(scene)?;
    let system = System::compile(scene)?;
    let integrator = Integrator::with_course(&system, scheme(job), Box::new(course(&system, scene, job)));
    let mut run = Run::new(integrator, step_choice(scene, job));
    let mut motion = match from {
        Some(snapshot) => {
            let restored = snapshot.restore(&system);
            let (motion, pause) = restored.ok_or_else(|| no_motion("job", "the checkpoint is not of this scene"))?;
            run.resume(pause);
            motion
        }
        None => match begin(scene, job, &system, &mut run, observer) {
            Begun::At(motion) => motion,
            Begun::Not(recording) => return Ok(Moved::NoStart(recording)),
            Begun::Stopped(stop) => return Ok(Moved::Ended(stop)),
        },
    };
    let shortest = SAME_TIME * job.duration;
    // The snapshot's own time has been recorded.
    let mut count = from.map_or(0.0, |_| (motion.time * job.output_rate * (1.0 + SAME_TIME)).floor() + 1.0);
    if from.is_some() && motion.time >= job.duration - shortest {
        return Ok(Moved::Ended(MotionEnd::Finished));
    }
    loop {
        let planned = count / job.output_rate;
        let last = planned >= job.duration - shortest;
        let until = if planned > job.duration + shortest { job.duration } else { planned };
        let before = motion.time;
        let mut asked = false;
        let mut reached = Ok(());
        if until > motion.time + shortest {
            reached = run.advance(&mut motion, until, &mut |motion, _| {
                asked = !watch(Seen::Step { time: motion.time });
                !asked
            });
        }
        // What lies between two outputs is computed again by whoever goes on.
        if asked {
            return Ok(Moved::Ended(MotionEnd::Asked));
        }
        if reached.is_ok() || motion.time > before {
            let pause = run.pause();
            let frame = frame(scene, &system, &mut run.integrator, &motion);
            asked = !watch(Seen::Frame(&Moment { frame: &frame, motion: &motion, pause }));
        }
        match reached {
            Err(stop) => return Ok(Moved::Ended(stopped(&system, &stop))),
            Ok(()) if last => return Ok(Moved::Ended(MotionEnd::Finished)),
            Ok(()) if asked => return Ok(Moved::Ended(MotionEnd::Asked)),
            Ok(()) => count += 1.0,
        }
    }
}

fn no_motion(path: &str, reason: &str) -> SimulateError {
    Invalid::new(path, Problem::Contradiction { reason: reason.into() }).into()
}

/// Refuses rods of a form that statics alone knows.
fn can_move(scene: &Scene) -> Result<(), SimulateError> {
    for rod in &scene.rods {
        if matches!(rod.discretization, Discretization::Spline { form: StrainForm::Printed, .. }) {
            return Err(no_motion(&format!("rod.{}.model", rod.name), "the printed form is for statics alone"));
        }
        if matches!(rod.discretization.resolution(), Resolution::Tolerance { .. }) {
            return Err(no_motion(&format!("rod.{}.model", rod.name), "a motion needs a number of spans"));
        }
    }
    Ok(())
}

/// The drives at each time, and the loads of `release` gone.
fn course<'s>(system: &'s System, scene: &Scene, job: &DynamicsJob) -> impl Fn(f64, &mut Inputs) + use<'s> {
    let (released, loads) = (job.release.clone(), scene.loads.len());
    move |time, inputs| {
        inputs.drive(system.drives(), time);
        for index in &released {
            match index.checked_sub(loads) {
                None => inputs.loads[*index] = 0.0,
                Some(index) => inputs.frame_loads[index] = 0.0,
            }
        }
    }
}

fn scheme(job: &DynamicsJob) -> Scheme {
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
fn step_choice(scene: &Scene, job: &DynamicsJob) -> StepChoice {
    let interval = 1.0 / job.output_rate;
    match job.step {
        StepControl::Fixed(step) => StepChoice::Fixed(interval / (interval / step - SAME_TIME).ceil().max(1.0)),
        StepControl::Tolerance(relative) => {
            let longest = scene.rods.iter().map(|rod| rod.length).fold(0.0, f64::max);
            let length = if longest > 0.0 { longest } else { 1.0 };
            StepChoice::Tolerance { error: relative * length, first: FIRST_STEP * interval, longest: job.duration }
        }
    }
}

enum Begun {
    At(Motion),
    Not(Recording),
    Stopped(MotionEnd),
}

/// At rest in the equilibrium, or without stress; velocities as the drives say.
fn begin(scene: &Scene, job: &DynamicsJob, system: &System, run: &mut Run<'_>, observer: Observer<'_>) -> Begun {
    let inputs = system.inputs_at(0.0);
    let state = match job.start {
        Start::Natural => {
            let mut state = system.natural_state();
            system.drive(&inputs, &mut state);
            state
        }
        Start::Equilibrium => {
            let mut work = system.workspace();
            let solution = statics::solve_from_natural(system, &StaticOptions::default(), &mut work, observer);
            if !solution.outcome.converged() {
                return Begun::Not(record(scene, system, &solution, &inputs, &work));
            }
            solution.state
        }
    };
    let mut motion = Motion::at_rest(system, state);
    if let Err(failure) = run.integrator.make_consistent(&mut motion) {
        let stop = Stop { time: 0.0, step: 0.0, reason: StopReason::Failed(failure) };
        return Begun::Stopped(stopped(system, &stop));
    }
    Begun::At(motion)
}

fn stopped(system: &System, stop: &Stop) -> MotionEnd {
    let place = match stop.reason {
        StopReason::Failed(StepFailure::NotConverged { slot, .. }) => place_of(system, slot),
        _ => String::new(),
    };
    MotionEnd::Stopped(MotionStop { time: stop.time, step: stop.step, place, reason: stop.to_string() })
}

/// What a slot of the system belongs to.
fn place_of(system: &System, slot: Slot) -> String {
    match system.place_of(slot) {
        Some((path, Some(s))) => format!("{path} at {s:.4} m"),
        Some((path, None)) => path,
        None => String::new(),
    }
}

/// The numbers to record.
fn frame(scene: &Scene, system: &System, integrator: &mut Integrator<'_>, motion: &Motion) -> MotionFrame {
    let state = integrator.state_now(motion);
    let inputs = integrator.inputs_at(motion.time);
    let energies = integrator.energies(motion);
    let at = system.at(&state, &inputs);
    let rods = RodIndex::first(scene.rods.len()).map(|index| {
        let samples = system.sample(index, &state, STATIONS);
        let mut poses: Vec<_> = samples.iter().map(|sample| sample.pose).collect();
        if let (Some(last), Some(tip)) = (poses.last_mut(), system.rod_poses(index, &state).last()) {
            *last = *tip;
        }
        RodFrame { poses, stress: samples.iter().map(|sample| sample.stress).collect() }
    });
    let cables = (0..scene.cables.len()).filter_map(|index| {
        let (tension, length, points) = system.cable(index, &at)?;
        Some(CableFrame { tension, length, points: points.iter().map(|slot| state.poses[*slot].position).collect() })
    });
    let counts = motion.counts;
    let (turn, shift) = system.largest_gap(&state);
    MotionFrame {
        loop_gap: turn.max(shift),
        time: motion.time,
        drives: scene.drives.iter().map(|drive| drive.signal.at(motion.time)).collect(),
        rods: rods.collect(),
        bodies: system.bodies().iter().map(|body| state.poses[body.slot]).collect(),
        joints: (0..scene.joints.len()).map(|index| system.joint_values(index, &state)).collect(),
        cables: cables.collect(),
        energy: MotionEnergy {
            kinetic: energies.kinetic,
            elastic: energies.elastic,
            gravity: energies.gravity,
            dissipated: motion.dissipated,
            work: motion.work,
        },
        momentum: Momentum { linear: energies.linear_momentum, angular: energies.angular_momentum },
        effort: MotionEffort {
            step: motion.memory.last_step,
            steps: counts.steps,
            iterations: counts.iterations,
            rejected: counts.rejected,
            halved: counts.halved,
        },
    }
}
