//! From a scene to its answer, on one page.
//!
//! ```text
//! Scene ── validate ──▶ the job ──▶ Answer
//!
//! statics    System::compile ──▶ statics::solve ──▶ Equilibrium
//!                  ▲                  │
//!                  └── more spans ◀───┘   while a tolerance asks for them
//! path       the same along the drives, each equilibrium from its predecessor   (path.rs)
//! dynamics   from an equilibrium, step by step, a frame at each output time     (motion.rs)
//! modes      natural frequencies about an equilibrium                           (modes.rs)
//! buckling   critical loads of the branch through an equilibrium                (buckling.rs)
//! shape      each rod between its two held ends                                 (shapes.rs)
//! ```

use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::motion::Earlier;
use crate::observer::{Observer, Watch};
use crate::{buckling, modes, motion, path, shapes};
use lissome_mech::{State, System, Winding, Workspace};
use lissome_model::{Invalid, Job, LoopWinding, Problem, Resolution, Scene, StaticsJob};
use lissome_solve::dynamics::Snapshot;
use lissome_solve::statics::{self, Solution, StaticOptions};
use lissome_solve::{Answer, Equilibrium, MotionRecord};

/// Does the job of a scene. The observer sees how it goes and can stop it; [`crate::Unobserved`] does neither. Not to
/// converge is an answer, not an error: see [`Answer::succeeded`].
pub fn run(scene: &Scene, observer: &mut dyn Observer) -> Result<Answer, SimulateError> {
    answer(scene, None, observer)
}

/// Goes on with a motion from a snapshot that an observer took at an output time. `record` holds what came before, or
/// nothing ([`MotionRecord::of`]) if that is not known.
pub fn resume(
    scene: &Scene,
    snapshot: &Snapshot,
    record: MotionRecord,
    observer: &mut dyn Observer,
) -> Result<Answer, SimulateError> {
    if !matches!(scene.job, Job::Dynamics(_)) {
        let reason = "only a motion can be resumed: the job must be dynamics".into();
        return Err(Invalid::new("job.kind", Problem::Contradiction { reason }).into());
    }
    answer(scene, Some(Earlier { snapshot, record }), observer)
}

fn answer(scene: &Scene, earlier: Option<Earlier<'_>>, observer: &mut dyn Observer) -> Result<Answer, SimulateError> {
    scene.validate()?;
    let watch = Watch::new(observer);
    Ok(match &scene.job {
        Job::Statics(job) => Answer::Statics(equilibrium(scene, job, &watch)?),
        Job::Path(job) => Answer::Path(path::follow(scene, job, &watch)?),
        Job::Dynamics(job) => Answer::Dynamics(motion::advance(scene, job, earlier, &watch)?),
        Job::Modes(job) => Answer::Modes(modes::modes(scene, job, &watch)?),
        Job::Buckling(job) => Answer::Buckling(buckling::critical_loads(scene, job, &watch)?),
        Job::Shape(job) => Answer::Shape(shapes::shapes(scene, job)?),
    })
}

/// Doublings of the spans before a tolerance is given up; the last answer is returned as it is.
const REFINEMENTS: usize = 12;

/// The equilibrium of a scene, with as many spans as its tolerances need.
fn equilibrium(scene: &Scene, job: &StaticsJob, watch: &Watch<'_>) -> Result<Equilibrium, SimulateError> {
    let options = options(job.max_iterations, job.winding);

    let mut scene = scene.clone();
    let mut solved = Solved::from_natural(&scene, &options, watch)?;
    for _ in 0..REFINEMENTS {
        if !solved.equilibrium.outcome.converged() || !double_spans(&mut scene) {
            break;
        }
        let finer = solved.refined(&scene, &options, watch)?;
        let done = settled(&scene, &solved.equilibrium, &finer.equilibrium);
        solved = finer;
        if done {
            break;
        }
    }
    let inputs = solved.system.inputs_at(0.0);
    Ok(examined(solved.equilibrium, &solved.system, &solved.state, &inputs))
}

/// How an equilibrium is looked for.
pub(crate) fn options(max_iterations: usize, winding: LoopWinding) -> StaticOptions {
    let winding = match winding {
        LoopWinding::Least => None,
        LoopWinding::Shortest => Some(Winding::Short),
        LoopWinding::Longest => Some(Winding::Long),
    };
    StaticOptions { max_iterations, winding, ..StaticOptions::default() }
}

/// A compiled scene and its answer.
struct Solved {
    system: System,
    state: State,
    equilibrium: Equilibrium,
}

impl Solved {
    fn from_natural(scene: &Scene, options: &StaticOptions, watch: &Watch<'_>) -> Result<Self, Invalid> {
        let system = System::compile(scene)?;
        let mut work = system.workspace();
        let solution = statics::solve_from_natural(&system, options, &mut work, &mut |i| watch.iteration(i));
        Ok(Self::new(scene, system, solution, &work))
    }

    /// The same scene with more spans, starting from this answer; from the natural shape should that fail.
    fn refined(&self, scene: &Scene, options: &StaticOptions, watch: &Watch<'_>) -> Result<Self, Invalid> {
        let system = System::compile(scene)?;
        let mut work = system.workspace();
        let start = system.resampled_state(&self.system, &self.state);
        let mut solution =
            statics::solve(&system, &start, &system.inputs_at(0.0), options, &mut work, &mut |i| watch.iteration(i));
        if !solution.outcome.converged() {
            solution = statics::solve_from_natural(&system, options, &mut work, &mut |i| watch.iteration(i));
        }
        let mut history = self.equilibrium.outcome.history.clone();
        history.append(&mut solution.outcome.history);
        solution.outcome.history = history;
        Ok(Self::new(scene, system, solution, &work))
    }

    fn new(scene: &Scene, system: System, solution: Solution, work: &Workspace) -> Self {
        let equilibrium = record(scene, &system, &solution, work);
        Self { system, state: solution.state, equilibrium }
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
fn settled(scene: &Scene, coarse: &Equilibrium, fine: &Equilibrium) -> bool {
    scene.rods.iter().zip(coarse.rods.iter().zip(&fine.rods)).all(|(rod, (coarse, fine))| {
        let Resolution::Tolerance { relative, .. } = rod.discretization.resolution() else { return true };
        coarse.samples.iter().zip(&fine.samples).all(|(a, b)| {
            let moved = (a.pose.position - b.pose.position).norm() / rod.length;
            let turned = (a.pose.rotation.inverse() * b.pose.rotation).angle();
            moved.max(turned) <= relative
        })
    })
}
