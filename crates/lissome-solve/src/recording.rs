//! What a run leaves behind: plain numbers, ready to be written or drawn.

use crate::{ModeRecord, Outcome};
use lissome_lie::{Pose, Wrench};
pub use lissome_mech::Sample;
use nalgebra::Vector3;

/// The answer to a scene.
#[derive(Clone, Debug)]
pub struct Recording {
    /// How the solve went.
    pub outcome: Outcome,
    /// One per rod of the scene, in order.
    pub rods: Vec<RodRecord>,
    /// One per body of the scene, in order.
    pub bodies: Vec<BodyRecord>,
    /// One per joint of the scene, in order.
    pub joints: Vec<JointRecord>,
    /// One per cable of the scene, in order.
    pub cables: Vec<CableRecord>,
    /// Every equilibrium along a path; empty for a single one.
    pub path: Vec<PathSample>,
    /// Natural modes about the equilibrium, if they were asked for.
    pub modes: Vec<ModeRecord>,
}

impl Recording {
    /// The answer for rods alone.
    pub fn of_rods(outcome: Outcome, rods: Vec<RodRecord>) -> Self {
        Self {
            outcome,
            rods,
            bodies: Vec::new(),
            joints: Vec::new(),
            cables: Vec::new(),
            path: Vec::new(),
            modes: Vec::new(),
        }
    }
}

/// One equilibrium along a path.
#[derive(Clone, Debug)]
pub struct PathSample {
    /// The parameter that the drives are functions of.
    pub at: f64,
    /// Value of each drive of the scene there.
    pub drives: Vec<f64>,
    /// The answer there; its outcome tells of the way from its predecessor.
    pub answer: Recording,
}

/// Where a body ended up.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyRecord {
    /// Its name in the scene.
    pub name: String,
    /// World pose of its frame.
    pub pose: Pose,
}

/// Where a joint ended up.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRecord {
    /// Its name in the scene.
    pub name: String,
    /// Its coordinates, rad or m.
    pub values: Vec<f64>,
    /// World pose of the frame after it.
    pub pose: Pose,
}

/// What a cable does.
#[derive(Clone, Debug, PartialEq)]
pub struct CableRecord {
    /// Its name in the scene.
    pub name: String,
    /// Its tension, N.
    pub tension: f64,
    /// Length of its path, m.
    pub length: f64,
    /// World positions of the points it runs through.
    pub points: Vec<Vector3<f64>>,
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
    /// What the rod exerts on whatever holds its tip: world axes, moment about the tip. Zero if it is free.
    pub tip_wrench: Wrench,
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
