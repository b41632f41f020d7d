//! Equilibria along the drives of a scene, each from its predecessor.

use crate::derivatives::requested;
use crate::door::check;
use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::insertion;
use crate::observer::{Progress, Watch};
use crate::robot::standing::Standing;
use lissome_io::{DerivativeFault, Diagnostic, Fault, LoadedScene};
use lissome_mech::System;
use lissome_model::{Follow, PathJob, Scene};
use lissome_solve::accuracy::{Finer, survey};
use lissome_solve::diagram;
use lissome_solve::path::{self, Path, Step};
use lissome_solve::statics::StaticOptions;
use lissome_solve::{DerivativeRecord, PathAnswer, PathSample};

/// Memory for this many samples is taken at once; for more it grows as they come.
const RESERVED: usize = 1 << 16;

/// Finds derivatives at an equilibrium of a path, where its drives are at that parameter; `None` ends the path.
type Differentiate<'d> = dyn FnMut(Standing<'_>, f64) -> Option<Vec<DerivativeRecord>> + 'd;

/// Follows the drives. A path that the observer stops keeps what was found until then.
pub(crate) fn follow(scene: &Scene, job: &PathJob, watch: &Watch<'_>) -> Result<PathAnswer, SimulateError> {
    if scene.moves_tubes() {
        return insertion::follow(scene, job, watch);
    }
    follow_with(scene, job, watch, &mut |_, _| Some(Vec::new()))
}

/// Follows the drives of a file, with the derivatives that its job asks for at every equilibrium.
pub(crate) fn follow_file(file: &LoadedScene, job: &PathJob, watch: &Watch<'_>) -> Result<PathAnswer, Vec<Diagnostic>> {
    let refuse = |reason: &str| {
        let fault = Fault::Derivative(DerivativeFault::CourseNotSmooth { time: None, reason: reason.to_owned() });
        Err(vec![Diagnostic { path: Some("job.derivatives".into()), ..Diagnostic::new(fault) }])
    };
    let scene = &file.scene;
    check(scene).map_err(|SimulateError::Invalid(invalid)| vec![file.diagnose(&invalid)])?;
    if scene.moves_tubes() {
        return refuse("tubes are pushed along the path: hold their insertion and ask at one place after the other");
    }
    if scene.has_friction() {
        return refuse("something rubs along the path, so that what sticks depends on the way there");
    }
    let (mut refused, mut known) = (None, false);
    let mut differentiate = |standing: Standing<'_>, at: f64| match requested(file, standing, at) {
        Ok(found) => {
            known = true;
            Some(found)
        }
        Err(told) => {
            // At a fold nothing is known, and before and behind it there is.
            let is_singular = matches!(told.fault, Fault::Derivative(DerivativeFault::NoTangent { .. }));
            known &= is_singular;
            refused = Some(*told);
            is_singular.then(Vec::new)
        }
    };
    let found = follow_with(scene, job, watch, &mut differentiate);
    match refused.filter(|_| !known) {
        Some(told) => Err(vec![told]),
        None => found.map_err(|SimulateError::Invalid(invalid)| vec![file.diagnose(&invalid)]),
    }
}

fn follow_with(
    scene: &Scene,
    job: &PathJob,
    watch: &Watch<'_>,
    differentiate: &mut Differentiate<'_>,
) -> Result<PathAnswer, SimulateError> {
    let options = StaticOptions::of_job(job.max_iterations, job.winding);
    let scene = &survey::for_path(scene, job, &options, &mut |i| watch.iteration(i))?;
    let system = System::compile(scene)?;
    let mut finer = Finer::new(scene)?;
    let mut work = system.workspace();
    let mut samples: Vec<PathSample> = Vec::with_capacity(job.samples.min(RESERVED));
    let mut each_iteration = |iteration: &_| watch.iteration(iteration);
    // A path by its length does not know how many samples it will have.
    let of = if job.follow == Follow::Drives { job.samples } else { 0 };
    let way = Path { samples: job.samples, end: job.end, on_event: job.on_event };
    let mut each_sample = |step: Step<'_>| {
        let errors = match step.solution.outcome.converged() {
            true => finer.errors(&system, &step.solution.state, step.inputs),
            false => Vec::new(),
        };
        let standing = Standing { scene, system: &system, state: &step.solution.state, inputs: step.inputs };
        let derivatives = match step.solution.outcome.converged() {
            true => differentiate(standing, step.at),
            false => Some(Vec::new()),
        };
        let Some(derivatives) = derivatives else { return false };
        let mut sample = PathSample {
            at: step.at,
            drives: scene.drives.iter().map(|drive| drive.signal.at(step.at)).collect(),
            branch: step.branch,
            arc: step.arc,
            sought: None,
            friction: scene.has_contacts().then_some(step.friction),
            equilibrium: examined(
                record(scene, &system, step.solution, step.work, &errors),
                scene,
                &system,
                &step.solution.state,
                step.inputs,
            ),
        };
        sample.equilibrium.derivatives = derivatives;
        let unfinished = watch.stopped() && !step.solution.outcome.converged();
        // The sample that was being looked for when the work was stopped says nothing; the first is kept whatever it is.
        if unfinished && !samples.is_empty() {
            return false;
        }
        let go_on = watch.show(&Progress::Sample { index: step.index, of, sample: &sample });
        samples.push(sample);
        go_on
    };
    let branches = match &job.follow {
        Follow::Drives => {
            path::follow(&system, &way, &options, &mut work, &mut each_iteration, &mut each_sample);
            Vec::new()
        }
        Follow::Arclength(how) => {
            diagram::trace(&system, job.end, how, &options, &mut work, &mut each_iteration, &mut each_sample)
        }
    };
    Ok(PathAnswer { samples, branches })
}
