//! Curves of folds over the insertion of tubes. Where the second drive is an insertion, all insertions go with it.
//!
//! Insertion moves the knots, so that every place of it has a system of its own. The branch over the other drives is followed by
//! its length at each of a row of places. Its folds come in pairs, one where it turns back and one where it turns forth again; from
//! place to place each pair is two points of one curve, which is joined where the pair appears or vanishes, in a cusp.

use crate::equilibrium_record::record;
use crate::error::SimulateError;
use crate::observer::Watch;
use lissome_mech::System;
use lissome_model::{Arclength, DriveTarget, FoldCurveJob, Follow, Job, PathJob, Scene, Signal};
use lissome_solve::accuracy::{Finer, survey};
use lissome_solve::path::Step;
use lissome_solve::{
    Equilibrium, EventKind, FoldCurve, FoldCurveAnswer, FoldCurveEnd, FoldPoint, StaticOptions, diagram,
};

/// How often the way to a cusp is halved: to a thousandth of the distance between two places.
const HALVINGS: usize = 10;

/// The folds of a branch in the order in which it passes them, and the equilibrium that it begins with.
struct Place {
    u: f64,
    folds: Vec<FoldPoint>,
    first: Equilibrium,
}

/// True if the second drive is an insertion.
pub(crate) fn is_second(scene: &Scene, job: &FoldCurveJob) -> bool {
    scene.drives.get(job.over).is_some_and(|drive| drive.target.is_insertion())
}

/// Follows the folds over the insertion of tubes.
pub(crate) fn follow(scene: &Scene, job: &FoldCurveJob, watch: &Watch<'_>) -> Result<FoldCurveAnswer, SimulateError> {
    let count = (1.0 / job.longest_step).ceil().min(job.max_steps as f64).max(1.0) as usize;
    let mut places = Vec::with_capacity(count + 1);
    for k in 0..=count {
        places.push(place(scene, job, k as f64 / count as f64, watch)?);
        if watch.stopped() {
            break;
        }
    }
    let pairs = places.iter().map(|place| place.folds.len() / 2).max().unwrap_or(0);
    let mut curves = Vec::new();
    for pair in 0..pairs {
        let has = |place: &Place| place.folds.len() > 2 * pair + 1;
        let mut from = 0;
        while from < places.len() {
            if !has(&places[from]) {
                from += 1;
                continue;
            }
            let to = (from..places.len()).take_while(|k| has(&places[*k])).last().unwrap_or(from);
            let cusp = |with: usize, without: Option<usize>| -> Result<Option<FoldPoint>, SimulateError> {
                let Some(without) = without.and_then(|k| places.get(k)) else { return Ok(None) };
                let (mut inside, mut outside) = (places[with].u, without.u);
                let mut last = middle(&places[with].folds[2 * pair..][..2]);
                for _ in 0..HALVINGS {
                    let half = place(scene, job, 0.5 * (inside + outside), watch)?;
                    if has(&half) {
                        (inside, last) = (half.u, middle(&half.folds[2 * pair..][..2]));
                    } else {
                        outside = half.u;
                    }
                }
                Ok(Some(last))
            };
            let (first, last) = (cusp(from, from.checked_sub(1))?, cusp(to, Some(to + 1))?);
            let side = |which: usize| places[from..=to].iter().map(move |place| place.folds[2 * pair + which].clone());
            curves.extend(joined(side(0).collect(), side(1).collect(), first, last));
            from = to + 1;
        }
    }
    Ok(FoldCurveAnswer { equilibrium: places.swap_remove(0).first, curves })
}

/// Two folds that are all but one.
fn middle(pair: &[FoldPoint]) -> FoldPoint {
    let (a, b) = (&pair[0], &pair[1]);
    FoldPoint {
        at: 0.5 * (a.at + b.at),
        over: a.over,
        drives: a.drives.iter().zip(&b.drives).map(|(a, b)| 0.5 * (a + b)).collect(),
        negative_directions: a.negative_directions.min(b.negative_directions),
        cusp: true,
    }
}

/// The curves that two rows of folds are, which may meet in a cusp at either end.
fn joined(
    back: Vec<FoldPoint>,
    mut forth: Vec<FoldPoint>,
    first: Option<FoldPoint>,
    last: Option<FoldPoint>,
) -> Vec<FoldCurve> {
    let curve = |points| FoldCurve { points, end: FoldCurveEnd::LeavesRange };
    match (first, last) {
        (None, None) => vec![curve(back), curve(forth)],
        (Some(first), None) => {
            forth.reverse();
            vec![curve(forth.into_iter().chain([first]).chain(back).collect())]
        }
        (first, Some(last)) => {
            forth.reverse();
            vec![curve(first.clone().into_iter().chain(back).chain([last]).chain(forth).chain(first).collect())]
        }
    }
}

/// The folds with the tubes at a part of their way.
fn place(scene: &Scene, job: &FoldCurveJob, u: f64, watch: &Watch<'_>) -> Result<Place, SimulateError> {
    let mut now = scene.clone();
    for (index, drive) in scene.drives.iter().enumerate() {
        if let DriveTarget::TubeInsertion { rod, tube } = drive.target {
            let insertion = drive.signal.at(job.end * u);
            now.insert_tube(rod, tube, insertion);
            now.drives[index].signal = Signal::Constant(insertion);
        }
    }
    let options = StaticOptions { max_iterations: job.max_iterations, ..StaticOptions::default() };
    let how = Arclength { start_at: job.start_at, max_steps: job.max_steps, ..Arclength::default() };
    let path = PathJob { end: job.end, follow: Follow::Arclength(how), ..PathJob::default() };
    now.job = Job::Path(path);
    now.validate()?;
    let now = survey::for_path(&now, &path, &options, &mut |i| watch.iteration(i))?;
    let system = System::compile(&now)?;
    let (mut folds, mut first, mut finer) = (Vec::new(), None, Finer::new(&now)?);
    let mut see = |step: Step<'_>| {
        if step.index == 0 {
            let errors = match step.solution.outcome.converged() {
                true => finer.errors(&system, &step.solution.state, step.inputs),
                false => Vec::new(),
            };
            first = Some(record(&now, &system, step.solution, step.work, &errors));
            return !watch.stopped();
        }
        let events = step.solution.outcome.events.iter().filter(|event| event.kind == EventKind::Fold);
        folds.extend(events.map(|event| {
            let (before, after) = event.negative_directions;
            let value = |drive: &lissome_model::Drive| drive.signal.at(event.at);
            FoldPoint {
                at: event.at,
                over: job.end * u,
                drives: now.drives.iter().map(value).collect(),
                negative_directions: before.min(after.unwrap_or(before)),
                cusp: false,
            }
        }));
        !watch.stopped()
    };
    let mut work = system.workspace();
    diagram::trace(&system, job.end, &how, &options, &mut work, &mut |i| watch.iteration(i), &mut see);
    Ok(Place { u, folds, first: first.expect("the beginning of a branch is always shown") })
}
