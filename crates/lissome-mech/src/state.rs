//! A point of the configuration space, with the stresses and multipliers that go with it.

use crate::index::{Block, JointIndex, Slot};
use lissome_lie::Pose;
use nalgebra::Vector6;

/// Poses, joints, stresses and multipliers of a whole system. Moves only by the retractions of [`crate::System`].
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Every pose slot, prescribed ones included: the control poses of the rods come first.
    pub poses: Vec<Pose>,
    /// Where the joints stand.
    pub joints: Vec<JointState>,
    /// Everything that adds up: stresses (moment, force) of the rods, multipliers of the constraints. Whoever needs such
    /// numbers claims blocks of six.
    pub linear: Vec<Vector6<f64>>,
}

/// Where a joint stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointState {
    /// Its coordinates.
    pub value: Vector6<f64>,
    /// Its motion.
    pub motion: Pose,
}

impl State {
    /// Becomes a copy of another state of the same system, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.poses.clone_from(&other.poses);
        self.joints.clone_from(&other.joints);
        self.linear.clone_from(&other.linear);
    }

    /// True if no number in it is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        let joints = self.joints.iter().map(|joint| &joint.value);
        self.poses.iter().all(Pose::is_finite)
            && self.linear.iter().chain(joints).all(|v| v.iter().all(|x| x.is_finite()))
    }

    /// Pose of a slot.
    pub fn pose(&self, slot: Slot) -> &Pose {
        &self.poses[slot]
    }

    /// Where a joint stands.
    pub fn joint(&self, joint: JointIndex) -> &JointState {
        &self.joints[joint]
    }

    /// A block of the linear part.
    pub fn block(&self, block: Block) -> &Vector6<f64> {
        &self.linear[block]
    }
}
