//! Critical loads of a scene: how many times its loads may act before it gives way.

use crate::equilibrium_record::record;
use crate::error::SimulateError;
use crate::motion_frame::STATIONS;
use crate::observer::Watch;
use lissome_mech::{Inputs, System};
use lissome_model::{BucklingJob, BucklingStart, Invalid, Problem, Scene};
use lissome_solve::accuracy::{Finer, survey};
use lissome_solve::branch::{Branch, Watcher};
use lissome_solve::buckling::{self, BucklingError, CriticalLoad};
use lissome_solve::dynamics::{Displacements, displacements};
use lissome_solve::flutter::{self, Onset};
use lissome_solve::statics::{self, Solution, StaticOptions};
use lissome_solve::{BucklingAnswer, CriticalLoadRecord, Iteration};

/// Flutter is looked for up to this load factor, then up to so many times it, and so on until the last.
const FIRST_REACH: f64 = 1.0;
const FARTHER: f64 = 4.0;
const LAST_REACH: f64 = 1e4;

/// The equilibrium that the search begins with and the lowest critical loads above it.
pub(crate) fn critical_loads(
    scene: &Scene,
    job: &BucklingJob,
    watch: &Watch<'_>,
) -> Result<BucklingAnswer, SimulateError> {
    let options = StaticOptions { max_iterations: job.max_iterations, ..StaticOptions::default() };
    let scene = &survey::for_motion(scene, job.count, &mut |i| watch.iteration(i))?;
    let system = System::compile(scene)?;
    let from = match job.from {
        BucklingStart::Unloaded => 0.0,
        BucklingStart::Loaded => 1.0,
    };
    let inputs = system.inputs_at(0.0).with_factor(from);
    let mut work = system.workspace();
    // Without loads a robot rests at or near its natural state, and plain Newton is not led astray there by pivots that
    // vanish, as those of a column on hinges do.
    let near = if from == 0.0 { Branch::near_rest(&system, &inputs) } else { None };
    let resting = near.map(|branch| branch.solution(&mut work));
    let stable = |solution: &Solution| solution.outcome.stability.is_some_and(|stability| stability.stable);
    let solution = match resting.filter(stable) {
        Some(solution) => solution,
        None => statics::solve_from_natural_under(&system, &inputs, &options, &mut work, &mut |i| watch.iteration(i)),
    };
    let errors = match solution.outcome.converged() {
        true => Finer::new(scene)?.errors(&system, &solution.state, &inputs),
        false => Vec::new(),
    };
    let equilibrium = record(scene, &system, &solution, &work, &errors);
    if !solution.outcome.converged() {
        return Ok(BucklingAnswer {
            equilibrium,
            from,
            loads: Vec::new(),
            missed: 0,
            flutter: None,
            stopped: watch.stopped(),
        });
    }
    let see = |iteration: &Iteration| watch.iteration(iteration);
    let watcher = Watcher::new(&see);
    let branch = Branch::through(&system, &solution.state, &inputs).watched(&watcher);
    let found = buckling::on_branch(&system, branch, job.count).map_err(refusal)?;
    let lowest = found.loads.first().map(|load| load.factor);
    let flutter = match system.is_conservative() || found.stopped {
        true => None,
        false => flutter_below(&system, &inputs, lowest, &watcher),
    };
    let loads = found.loads.iter().map(|load| record_of(&system, load)).collect();
    Ok(BucklingAnswer { equilibrium, from, loads, missed: found.missed, flutter, stopped: watch.stopped() })
}

/// Where a motion begins to grow, below the lowest critical load.
fn flutter_below<'a>(
    system: &'a System,
    inputs: &Inputs,
    lowest: Option<f64>,
    watcher: &'a Watcher<'a>,
) -> Option<Onset> {
    let last = lowest.unwrap_or(LAST_REACH);
    let mut reach = FIRST_REACH.min(last);
    loop {
        let branch = Branch::unloaded(system, inputs)?.watched(watcher);
        let search = flutter::onset_on(system, branch, reach).ok()?;
        // A branch that was not followed to its end does not lead farther.
        if search.onset.is_some() || search.reached < reach || reach >= last {
            return search.onset;
        }
        reach = (FARTHER * reach).min(last);
    }
}

fn refusal(error: BucklingError) -> SimulateError {
    let reason = match error {
        BucklingError::Unstable => {
            "begins with an equilibrium that is unstable already: ask `from = \"unloaded\"`, or with smaller loads"
                .into()
        }
        other => other.to_string(),
    };
    Invalid::new("job", Problem::Contradiction { reason }).into()
}

fn record_of(system: &System, load: &CriticalLoad) -> CriticalLoadRecord {
    let (at, way) = displacements(system, &load.state, &load.shape, STATIONS);
    let Displacements { rods, bodies } = way;
    CriticalLoadRecord {
        factor: load.factor,
        estimate: load.estimate,
        uncertainty: load.uncertainty,
        kind: load.kind,
        places: at.rods,
        rods,
        bodies,
    }
}
