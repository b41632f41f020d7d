//! Natural frequencies and modes about the equilibrium of a scene.

use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::motion_frame::STATIONS;
use crate::observer::Watch;
use lissome_model::{Invalid, ModesJob, Problem, Scene};
use lissome_solve::accuracy;
use lissome_solve::dynamics::mode_record;
use lissome_solve::statics::StaticOptions;
use lissome_solve::{ModeRecord, ModesAnswer};

/// The equilibrium and the lowest modes about it.
pub(crate) fn modes(scene: &Scene, job: &ModesJob, watch: &Watch<'_>) -> Result<ModesAnswer, SimulateError> {
    let options = StaticOptions { max_iterations: job.max_iterations, ..StaticOptions::default() };
    let found = accuracy::modes::modes(scene, job.count, &options, &mut |i| watch.iteration(i))?;
    let (system, state) = (&found.system, &found.solution.state);
    let equilibrium = record(&found.scene, system, &found.solution, &found.work, &found.errors);
    let equilibrium = examined(equilibrium, &found.scene, system, state, &system.inputs_at(0.0));
    let modes = found.modes.as_ref();
    let modes = modes.map_err(|error| Invalid::new("job", Problem::Contradiction { reason: error.to_string() }))?;
    let one = |(mode, error): &(_, f64)| ModeRecord { error: *error, ..mode_record(system, state, mode, STATIONS) };
    let modes = modes.iter().map(one).collect();
    Ok(ModesAnswer { equilibrium, modes })
}
