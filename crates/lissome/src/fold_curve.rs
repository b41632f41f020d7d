//! Curves of folds of a scene over two of its drives.

use crate::equilibrium_record::record;
use crate::error::SimulateError;
use crate::insertion_folds;
use crate::observer::Watch;
use lissome_mech::System;
use lissome_model::{Arclength, FoldCurveJob, Follow, PathJob, Scene, Signal};
use lissome_solve::FoldCurveAnswer;
use lissome_solve::accuracy::{Finer, survey};
use lissome_solve::fold_curve;
use lissome_solve::statics::{self, StaticOptions};

/// The equilibrium that the path begins with, and the folds of its branch over the second drive.
pub(crate) fn follow(scene: &Scene, job: &FoldCurveJob, watch: &Watch<'_>) -> Result<FoldCurveAnswer, SimulateError> {
    if insertion_folds::is_second(scene, job) {
        return insertion_folds::follow(scene, job, watch);
    }
    let options = StaticOptions { max_iterations: job.max_iterations, ..StaticOptions::default() };
    let how = Arclength { start_at: job.start_at, max_steps: job.max_steps, ..Arclength::default() };
    let path = PathJob { end: job.end, follow: Follow::Arclength(how), ..PathJob::default() };
    // The path to the folds, with the second drive where it begins, decides how the rods are divided.
    let mut standing = scene.clone();
    let begin = standing.drives[job.over].signal.at(0.0);
    standing.drives[job.over].signal = Signal::Constant(begin);
    let divided = survey::for_path(&standing, &path, &options, &mut |i| watch.iteration(i))?;
    let scene = &Scene { drives: scene.drives.clone(), ..divided };
    let system = System::compile(scene)?;
    let mut work = system.workspace();
    let mut inputs = system.inputs_at(job.start_at);
    inputs.set(scene.drives[job.over].target.into(), begin);
    let solution =
        statics::solve_from_natural_under(&system, &inputs, &options, &mut work, &mut |i| watch.iteration(i));
    let errors = match solution.outcome.converged() {
        true => Finer::new(scene)?.errors(&system, &solution.state, &inputs),
        false => Vec::new(),
    };
    let equilibrium = record(scene, &system, &solution, &work, &errors);
    if !solution.outcome.converged() {
        return Ok(FoldCurveAnswer { equilibrium, curves: Vec::new() });
    }
    let curves = fold_curve::trace(&system, job, &options, &mut work, &mut |i| watch.iteration(i));
    Ok(FoldCurveAnswer { equilibrium, curves })
}
