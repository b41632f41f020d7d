//! Natural frequencies and modes about the equilibrium of a scene.

use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::motion_frame::STATIONS;
use crate::observer::Watch;
use lissome_mech::System;
use lissome_model::{Invalid, ModesJob, Problem, Scene};
use lissome_solve::ModesAnswer;
use lissome_solve::accuracy::{Finer, survey};
use lissome_solve::dynamics::{self, mode_record};
use lissome_solve::statics::{self, StaticOptions};

/// The equilibrium and the lowest modes about it.
pub(crate) fn modes(scene: &Scene, job: &ModesJob, watch: &Watch<'_>) -> Result<ModesAnswer, SimulateError> {
    let options = StaticOptions { max_iterations: job.max_iterations, ..StaticOptions::default() };
    // Modes beyond the first few are waves that need spans of their own.
    let scene = &survey::for_motion(scene, job.count, &mut |i| watch.iteration(i))?;
    let system = System::compile(scene)?;
    let inputs = system.inputs_at(0.0);
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &options, &mut work, &mut |i| watch.iteration(i));
    let errors = match solution.outcome.converged() {
        true => Finer::new(scene)?.errors(&system, &solution.state, &inputs),
        false => Vec::new(),
    };
    let equilibrium = record(scene, &system, &solution, &work, &errors);
    let equilibrium = examined(equilibrium, scene, &system, &solution.state, &inputs);
    if !solution.outcome.converged() {
        return Ok(ModesAnswer { equilibrium, modes: Vec::new() });
    }
    let modes = dynamics::modes(&system, &solution.state, &inputs, job.count);
    let modes = modes.map_err(|error| Invalid::new("job", Problem::Contradiction { reason: error.to_string() }))?;
    let modes = modes.iter().map(|mode| mode_record(&system, &solution.state, mode, STATIONS)).collect();
    Ok(ModesAnswer { equilibrium, modes })
}
