//! From a scene to its answer, on one page.
//!
//! ```text
//! Scene ── validate ──▶ System::compile ──▶ statics::solve ──▶ Recording
//!                             ▲                   │
//!                             └── more spans ◀────┘   while a tolerance asks for them
//! ```
//!
//! A path repeats the solve along the drives, each equilibrium from its predecessor.

use crate::record::record;
use crate::{modes, shapes};
use lissome_mech::{State, System, Winding, Workspace};
use lissome_model::{Invalid, Job, LoopWinding, PathJob, Resolution, Scene};
use lissome_solve::statics::{self, Solution, StaticOptions};
use lissome_solve::{Iteration, PathSample, Recording, path};
use std::fmt;

/// Why a scene could not be simulated at all.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulateError {
    /// The scene is refused.
    Invalid(Invalid),
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
        }
    }
}

impl std::error::Error for SimulateError {}

impl From<Invalid> for SimulateError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

/// Sees every Newton iteration; `false` stops the work.
pub type Observer<'a> = &'a mut dyn FnMut(&Iteration) -> bool;

/// Doublings of the spans before a tolerance is given up; the last answer is returned as it is.
const REFINEMENTS: usize = 12;

/// Solves the scene's job. `observer` sees every Newton iteration and stops the work by returning `false`.
pub fn simulate(scene: &Scene, observer: Observer<'_>) -> Result<Recording, SimulateError> {
    scene.validate()?;
    let job = match &scene.job {
        Job::Statics(job) => *job,
        Job::Shape(job) => return shapes::record(scene, job),
        Job::Path(job) => return follow(scene, job, observer, &mut |_| true),
        Job::Modes(job) => return modes::record(scene, job, observer),
        Job::Dynamics(_) => {
            let reason = "a motion is computed by `lissome::moving`".into();
            return Err(Invalid::new("job.kind", lissome_model::Problem::Contradiction { reason }).into());
        }
    };
    let winding = match job.winding {
        LoopWinding::Least => None,
        LoopWinding::Shortest => Some(Winding::Short),
        LoopWinding::Longest => Some(Winding::Long),
    };
    let options = StaticOptions { max_iterations: job.max_iterations, winding, ..StaticOptions::default() };

    let mut scene = scene.clone();
    let mut solved = Solved::from_natural(&scene, &options, observer)?;
    for _ in 0..REFINEMENTS {
        if !solved.recording.outcome.converged() || !double_spans(&mut scene) {
            break;
        }
        let finer = solved.refined(&scene, &options, observer)?;
        let done = settled(&scene, &solved.recording, &finer.recording);
        solved = finer;
        if done {
            break;
        }
    }
    Ok(solved.recording)
}

/// Equilibria along the drives of a scene whose job is `path`. `progress` sees every sample and stops with `false`; what
/// was found until then is kept.
pub fn follow(
    scene: &Scene,
    job: &PathJob,
    observer: Observer<'_>,
    progress: &mut dyn FnMut(&PathSample) -> bool,
) -> Result<Recording, SimulateError> {
    scene.validate()?;
    let options = StaticOptions { max_iterations: job.max_iterations, ..StaticOptions::default() };
    let system = System::compile(scene)?;
    let mut work = system.workspace();
    let mut samples: Vec<PathSample> = Vec::with_capacity(job.samples.min(1 << 16));
    path::follow(&system, job.samples, job.end, &options, &mut work, observer, &mut |step| {
        let sample = PathSample {
            at: step.at,
            drives: scene.drives.iter().map(|drive| drive.signal.at(step.at)).collect(),
            answer: record(scene, &system, step.solution, step.inputs, step.work),
        };
        let go_on = progress(&sample);
        samples.push(sample);
        go_on
    });
    // A path has at least two samples, and the first is recorded whatever came of it.
    let mut last = samples[samples.len() - 1].answer.clone();
    last.path = samples;
    Ok(last)
}

/// A compiled scene and its answer.
struct Solved {
    system: System,
    state: State,
    recording: Recording,
}

impl Solved {
    fn from_natural(scene: &Scene, options: &StaticOptions, observer: Observer<'_>) -> Result<Self, Invalid> {
        let system = System::compile(scene)?;
        let mut work = system.workspace();
        let solution = statics::solve_from_natural(&system, options, &mut work, observer);
        Ok(Self::new(scene, system, solution, &work))
    }

    /// The same scene with more spans, starting from this answer; from the natural shape should that fail.
    fn refined(&self, scene: &Scene, options: &StaticOptions, observer: Observer<'_>) -> Result<Self, Invalid> {
        let system = System::compile(scene)?;
        let mut work = system.workspace();
        let start = system.resampled_state(&self.system, &self.state);
        let mut solution = statics::solve(&system, &start, &system.inputs_at(0.0), options, &mut work, observer);
        if !solution.outcome.converged() {
            solution = statics::solve_from_natural(&system, options, &mut work, observer);
        }
        let mut history = self.recording.outcome.history.clone();
        history.append(&mut solution.outcome.history);
        solution.outcome.history = history;
        Ok(Self::new(scene, system, solution, &work))
    }

    fn new(scene: &Scene, system: System, solution: Solution, work: &Workspace) -> Self {
        let recording = record(scene, &system, &solution, &system.inputs_at(0.0), work);
        Self { system, state: solution.state, recording }
    }
}

/// Doubles the spans of every rod whose resolution is a tolerance; false if there is none.
fn double_spans(scene: &mut Scene) -> bool {
    let mut any = false;
    for rod in &mut scene.rods {
        if let Resolution::Tolerance { refinement, .. } = rod.discretization.resolution_mut() {
            *refinement += 1;
            any = true;
        }
    }
    any
}

/// True if no rod with a tolerance moved by more than it, in positions over its length and in angles.
fn settled(scene: &Scene, coarse: &Recording, fine: &Recording) -> bool {
    scene.rods.iter().zip(coarse.rods.iter().zip(&fine.rods)).all(|(rod, (coarse, fine))| {
        let Resolution::Tolerance { relative, .. } = rod.discretization.resolution() else { return true };
        coarse.samples.iter().zip(&fine.samples).all(|(a, b)| {
            let moved = (a.pose.position - b.pose.position).norm() / rod.length;
            let turned = (a.pose.rotation.inverse() * b.pose.rotation).angle();
            moved.max(turned) <= relative
        })
    })
}
