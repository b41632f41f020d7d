//! From a scene to its answer, on one page.
//!
//! ```text
//! Scene ── validate ──▶ the job ──▶ Answer
//!
//! statics    System::compile ──▶ statics::solve ──▶ on halved spans ──▶ Equilibrium
//!                  ▲                                      │
//!                  └── more spans where it errs ◀─────────┘   while a tolerance asks for them (accuracy::solve)
//!            with a classical method of one rod with tendons: that alone      (tendon_method.rs)
//! path       the same along the drives, each equilibrium from its predecessor   (path.rs)
//! dynamics   from an equilibrium, step by step, a frame at each output time     (motion.rs)
//! modes      natural frequencies about an equilibrium                           (modes.rs)
//! buckling   critical loads of the branch through an equilibrium                (buckling.rs)
//! fold-curve the folds of a path, followed over a second drive                  (fold_curve.rs)
//! inverse    drives that bring outputs to targets, moment after moment             (inverse.rs)
//! optimise   numbers of the file that make a formula of outputs least                (optimise)
//! shape      each rod between its two held ends                                 (shapes.rs)
//! ```

use crate::derivatives::{motion_with_derivatives, requested};
use crate::door::check;
use crate::error::SimulateError;
use crate::motion_course::Earlier;
use crate::observer::{Observer, Watch};
use crate::robot::solved::{Judgement, accurate, solve};
use crate::{buckling, fold_curve, inverse, modes, motion, optimise, path, shapes, tendon_method};
use lissome_io::{Diagnostic, LoadedScene};
use lissome_model::{Invalid, Job, Problem, Scene, StaticsJob};
use lissome_solve::dynamics::Snapshot;
use lissome_solve::{Answer, MotionRecord};

/// Does the job of a scene. The observer sees how it goes and can stop it; [`crate::Unobserved`] does neither. Not to
/// converge is an answer, not an error: see [`Answer::succeeded`].
pub fn run(scene: &Scene, observer: &mut dyn Observer) -> Result<Answer, SimulateError> {
    answer(scene, None, observer)
}

/// Does the job of a scene file: [`run`], and the derivatives that its job asks for beside the equilibrium, the path or the motion.
pub fn run_file(loaded: &LoadedScene, observer: &mut dyn Observer) -> Result<Answer, Vec<Diagnostic>> {
    let refuse = |SimulateError::Invalid(invalid)| vec![loaded.diagnose(&invalid)];
    if let Job::Optimise(job) = &loaded.scene.job {
        check(&loaded.scene).map_err(refuse)?;
        return optimise::optimise(loaded, job, &Watch::new(observer)).map(Answer::Statics);
    }
    if loaded.derivatives.is_empty() {
        return run(&loaded.scene, observer).map_err(refuse);
    }
    if matches!(loaded.scene.job, Job::Dynamics(_)) {
        return motion_with_derivatives(loaded, observer).map(Answer::Dynamics);
    }
    if let Job::Path(job) = &loaded.scene.job {
        return path::follow_file(loaded, job, &Watch::new(observer)).map(Answer::Path);
    }
    let solved = solve(&loaded.scene, Judgement::Eigenvalue, observer).map_err(refuse)?;
    let mut equilibrium = solved.equilibrium.clone();
    if equilibrium.outcome.converged() {
        let found = solved.standing().and_then(|standing| requested(loaded, standing, 0.0));
        equilibrium.derivatives = found.map_err(|told| vec![*told])?;
    }
    Ok(Answer::Statics(equilibrium))
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
    match earlier {
        None => check(scene)?,
        Some(_) => scene.validate()?,
    }
    let watch = Watch::new(observer);
    Ok(match &scene.job {
        Job::Statics(StaticsJob { method: Some(method), .. }) => {
            Answer::Statics(tendon_method::equilibrium(scene, *method)?)
        }
        Job::Statics(job) => Answer::Statics(accurate(scene, job, Judgement::Eigenvalue, &watch)?.1),
        Job::Path(job) => Answer::Path(path::follow(scene, job, &watch)?),
        Job::Dynamics(job) => Answer::Dynamics(motion::advance(scene, job, earlier, &watch)?),
        Job::Modes(job) => Answer::Modes(modes::modes(scene, job, &watch)?),
        Job::Buckling(job) => Answer::Buckling(buckling::critical_loads(scene, job, &watch)?),
        Job::Inverse(job) => Answer::Path(inverse::follow(scene, job, &watch)?),
        Job::Optimise(_) => {
            let reason = "numbers of a file are sought: the job needs the file, as `run_file` takes it".into();
            return Err(Invalid::new("job.kind", Problem::Contradiction { reason }).into());
        }
        Job::FoldCurve(job) => Answer::FoldCurve(fold_curve::follow(scene, job, &watch)?),
        Job::Shape(job) => Answer::Shape(shapes::shapes(scene, job)?),
    })
}
