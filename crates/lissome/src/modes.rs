//! Natural frequencies and modes about the equilibrium of a scene.

use crate::moving::STATIONS;
use crate::record::record as record_equilibrium;
use crate::simulate::{Observer, SimulateError};
use lissome_mech::System;
use lissome_model::{Invalid, ModesJob, Problem, Scene};
use lissome_solve::Recording;
use lissome_solve::dynamics::{self, mode_record};
use lissome_solve::statics::{self, StaticOptions};

/// The equilibrium and the lowest modes about it; without modes if there is no equilibrium.
pub(crate) fn record(scene: &Scene, job: &ModesJob, observer: Observer<'_>) -> Result<Recording, SimulateError> {
    let options = StaticOptions { max_iterations: job.max_iterations, ..StaticOptions::default() };
    let system = System::compile(scene)?;
    let inputs = system.inputs_at(0.0);
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &options, &mut work, observer);
    let mut recording = record_equilibrium(scene, &system, &solution, &inputs, &work);
    if !solution.outcome.converged() {
        return Ok(recording);
    }
    let modes = dynamics::modes(&system, &solution.state, &inputs, job.count);
    let modes = modes.map_err(|error| Invalid::new("job", Problem::Contradiction { reason: error.to_string() }))?;
    recording.modes = modes.iter().map(|mode| mode_record(&system, &solution.state, mode, STATIONS)).collect();
    Ok(recording)
}
