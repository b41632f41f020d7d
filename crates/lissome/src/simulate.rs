//! From a scene to its answer, on one page.

use lissome_lie::{Pose, Wrench};
use lissome_mech::Sample;
use lissome_model::{Invalid, Scene};
use lissome_solve::{Iteration, Outcome};
use std::fmt;

/// The answer to a scene.
#[derive(Clone, Debug)]
pub struct Run {
    /// How the solve went.
    pub outcome: Outcome,
    /// One per rod of the scene, in order.
    pub rods: Vec<RodResult>,
}

/// Where a rod ended up.
#[derive(Clone, Debug)]
pub struct RodResult {
    /// The rod's name in the scene.
    pub name: String,
    /// Evenly spaced in arc length, both ends included.
    pub samples: Vec<Sample>,
    /// Control poses of the spline.
    pub control_poses: Vec<Pose>,
    /// Pose at s = length.
    pub tip: Pose,
    /// What the rod exerts on whatever holds its base: world axes, moment about the base point.
    pub base_wrench: Wrench,
}

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
pub fn simulate(scene: &Scene, progress: &mut dyn FnMut(&Iteration) -> bool) -> Result<Run, SimulateError> {
    scene.validate()?;
    let _ = progress;
    Ok(Run {
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
