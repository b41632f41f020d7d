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

impl RodRecord {
    /// How far the two answers for the rod's ends lie apart, as a fraction of its length (and in rad): the control poses,
    /// and the assumed strain integrated again. Both converge, at different rates, so their distance estimates the error
    /// that more spans would remove. Zero for the printed form, which has only one answer.
    pub fn discretisation_error(&self) -> f64 {
        let ends =
            [(self.samples.first(), self.control_poses.first()), (self.samples.last(), self.control_poses.last())];
        let length = self.samples.last().map_or(1.0, |sample| sample.s);
        ends.iter()
            .filter_map(|(sample, pose)| Some(pose.as_ref()?.boxminus(&sample.as_ref()?.pose)))
            .map(|gap| gap.angular.norm().max(gap.linear.norm() / length))
            .fold(0.0, f64::max)
    }
}
