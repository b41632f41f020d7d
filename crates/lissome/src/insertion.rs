//! Paths on which tubes move in or out.
//!
//! Insertion moves the places where tubes end and where they begin to curve, and with them the lengths of the sections between
//! them. One layout serves until places pass each other; then it is renewed. The state is carried over section by section as
//! the start of the next search, which is why a sample is as good as an equilibrium that was found alone.

use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::observer::{Progress, Watch};
use lissome_mech::index::RodIndex;
use lissome_mech::{State, System, Workspace};
use lissome_model::{Invalid, PathJob, Scene};
use lissome_solve::accuracy::Finer;
use lissome_solve::{Event, EventKind, PathAnswer, PathSample, Solution, StaticOptions, statics};

/// How often the way between two samples is halved at most where an equilibrium is lost or jumps.
const MOST_HALVINGS: usize = 8;
/// Tubes that turn against each other by this much more than their bases did may have snapped, rad.
const JUMP: f64 = 0.5;

/// An equilibrium on the way.
struct Reached {
    at: f64,
    scene: Scene,
    system: System,
    work: Workspace,
    solution: Solution,
    /// Angle of each further tube at its end, rad.
    angles: Vec<f64>,
    /// Turn of each base, rad.
    bases: Vec<f64>,
}

/// Follows the drives. A path that the observer stops keeps what was found until then.
pub(crate) fn follow(scene: &Scene, job: &PathJob, watch: &Watch<'_>) -> Result<PathAnswer, SimulateError> {
    let options = StaticOptions::of_job(job.max_iterations, job.winding);
    let mut samples: Vec<PathSample> = Vec::new();
    let mut last: Option<Reached> = None;
    for index in 0..job.samples {
        let at = job.end * index as f64 / (job.samples.max(2) - 1) as f64;
        let mut events = Vec::new();
        let reached = match last {
            None => reach(scene, None, at, &options, watch)?,
            Some(before) => go(scene, before, at, &options, watch, MOST_HALVINGS, &mut events)?,
        };
        let mut solution = reached.solution.clone();
        solution.outcome.events.append(&mut events);
        let converged = solution.outcome.converged();
        if watch.stopped() && !converged && !samples.is_empty() {
            break;
        }
        let errors = match converged {
            true => Finer::new(&reached.scene)?.errors(&reached.system, &solution.state, &solution.inputs),
            false => Vec::new(),
        };
        let found = record(&reached.scene, &reached.system, &solution, &reached.work, &errors);
        let sample = PathSample {
            at,
            drives: scene.drives.iter().map(|drive| drive.signal.at(at)).collect(),
            branch: 0,
            arc: 0.0,
            sought: None,
            friction: None,
            equilibrium: examined(found, &reached.scene, &reached.system, &solution.state, &solution.inputs),
        };
        let go_on = watch.show(&Progress::Sample { index, of: job.samples, sample: &sample });
        samples.push(sample);
        if !go_on || !converged {
            break;
        }
        last = Some(reached);
    }
    Ok(PathAnswer { samples, branches: Vec::new() })
}

/// The system of a scene: with new lengths in the layout that is there, or with another layout where places of tubes passed
/// each other or spans became too long.
pub(crate) fn renewed(before: Option<&System>, now: &Scene) -> Result<System, Invalid> {
    if let Some(before) = before {
        let mut system = before.clone();
        if system.set_values(now).is_ok() {
            return Ok(system);
        }
    }
    System::compile(now)
}

fn reach(
    scene: &Scene,
    before: Option<&Reached>,
    at: f64,
    options: &StaticOptions,
    watch: &Watch<'_>,
) -> Result<Reached, SimulateError> {
    let now = scene.inserted_at(at);
    now.validate()?;
    let system = renewed(before.map(|before| &before.system), &now)?;
    let (inputs, mut work) = (system.inputs_at(at), system.workspace());
    let mut observer = |iteration: &_| watch.iteration(iteration);
    let solution = match before {
        None => statics::solve_from_natural_under(&system, &inputs, options, &mut work, &mut observer),
        Some(before) => {
            let start = system.carried_state(&before.system, &before.solution.state, &inputs);
            statics::solve(&system, &start, &inputs, options, &mut work, &mut observer)
        }
    };
    let angles = end_angles(&system, &solution.state);
    let bases = inputs.tubes.iter().flatten().map(|base| base.rotation).collect();
    Ok(Reached { at, scene: now, system, work, solution, angles, bases })
}

/// From one equilibrium to another place of the drives, in halves where the next is lost or jumps. A jump that is left when
/// the halves are as small as they may be is told as an event.
fn go(
    scene: &Scene,
    before: Reached,
    at: f64,
    options: &StaticOptions,
    watch: &Watch<'_>,
    halvings: usize,
    events: &mut Vec<Event>,
) -> Result<Reached, SimulateError> {
    let next = reach(scene, Some(&before), at, options, watch)?;
    let moved = next.angles.iter().zip(&before.angles).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let turned: f64 = next.bases.iter().zip(&before.bases).map(|(a, b)| (a - b).abs()).sum();
    let converged = next.solution.outcome.converged();
    if (converged && moved < turned + JUMP) || watch.stopped() {
        return Ok(next);
    }
    if halvings > 0 {
        let middle = 0.5 * (before.at + at);
        let half = go(scene, before, middle, options, watch, halvings - 1, events)?;
        if !half.solution.outcome.converged() {
            return Ok(half);
        }
        return go(scene, half, at, options, watch, halvings - 1, events);
    }
    if converged {
        let (from, to) = (&before.solution.outcome, &next.solution.outcome);
        let negative = |outcome: &lissome_solve::Outcome| outcome.stability.map(|own| own.negative_directions);
        events.push(Event {
            kind: EventKind::Snap,
            at: 0.5 * (before.at + at),
            within: 0.5 * (at - before.at),
            before: from.energy,
            after: Some(to.energy),
            negative_directions: (negative(from).unwrap_or(0), negative(to)),
            place: None,
            moved,
            multiplicity: 1,
        });
    }
    Ok(next)
}

/// Angle of each further tube at its end.
fn end_angles(system: &System, state: &State) -> Vec<f64> {
    let mut angles = Vec::new();
    for rod in RodIndex::first(system.rods().len()) {
        let Some(tubes) = system.tubes(rod) else { continue };
        for end in tubes.ends().into_iter().skip(1) {
            let arc = [end * (1.0 - 1e-9)];
            let found = system.tubes_at(rod, state, &arc);
            // The tubes that reach this place include the one that ends here; all of them count.
            angles.push(found.iter().flatten().map(|sample| sample.angle).sum());
        }
    }
    angles
}
