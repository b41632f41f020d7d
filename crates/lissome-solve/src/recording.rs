//! What a run leaves behind: plain numbers, ready to be written or drawn.

use crate::Outcome;
use lissome_lie::{Pose, Wrench};
pub use lissome_mech::Sample;

/// The answer to a scene.
#[derive(Clone, Debug)]
pub struct Recording {
    /// How the solve went.
    pub outcome: Outcome,
    /// One per rod of the scene, in order.
    pub rods: Vec<RodRecord>,
}

/// Where a rod ended up.
#[derive(Clone, Debug)]
pub struct RodRecord {
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
