//! Equilibria along the drives of a scene, each from its predecessor.

use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::insertion;
use crate::observer::{Progress, Watch};
use crate::simulate::options;
use lissome_mech::System;
use lissome_model::{Follow, PathJob, Scene};
use lissome_solve::accuracy::{Finer, survey};
use lissome_solve::diagram;
use lissome_solve::path::{self, Path, Step};
use lissome_solve::{PathAnswer, PathSample};

/// Memory for this many samples is taken at once; for more it grows as they come.
const RESERVED: usize = 1 << 16;

/// Follows the drives. A path that the observer stops keeps what was found until then.
pub(crate) fn follow(scene: &Scene, job: &PathJob, watch: &Watch<'_>) -> Result<PathAnswer, SimulateError> {
    if scene.moves_tubes() {
        return insertion::follow(scene, job, watch);
    }
    let options = options(job.max_iterations, job.winding);
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
        let sample = PathSample {
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
