//! A point of the configuration space, and the stresses that go with it.

use lissome_lie::Pose;
use nalgebra::Vector6;

/// Poses and stresses of a whole system. Moves only by the retractions of [`crate::System`].
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Every pose slot, prescribed ones included: the control poses of the rods come first.
    pub poses: Vec<Pose>,
    /// Independent stresses (moment, force): coefficients β of mixed rods, values at the points of printed ones.
    pub stress: Vec<Vector6<f64>>,
    /// Where each closure is to bring its tied pose, relative to its frame: the identity but for load steps.
    pub aims: Vec<Pose>,
    /// Multipliers (moment, force) of the closures; embedded ones need none.
    pub reactions: Vec<Vector6<f64>>,
    /// Where the joints stand.
    pub joints: Vec<JointState>,
    /// Tensions of the cables that are driven by their length.
    pub tensions: Vec<f64>,
}

/// Where a joint stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointState {
    /// Its coordinates.
    pub value: Vector6<f64>,
    /// Its motion.
    pub motion: Pose,
    /// Force that its limits exert along each coordinate.
    pub limit_force: Vector6<f64>,
}

impl State {
    /// Becomes a copy of another state of the same system, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.poses.clone_from(&other.poses);
        self.stress.clone_from(&other.stress);
        self.aims.clone_from(&other.aims);
        self.reactions.clone_from(&other.reactions);
        self.joints.clone_from(&other.joints);
        self.tensions.clone_from(&other.tensions);
    }

    /// True if no number in it is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        let joints = self.joints.iter().map(|joint| &joint.value);
        self.poses.iter().all(Pose::is_finite)
            && self.stress.iter().chain(&self.reactions).chain(joints).all(|v| v.iter().all(|x| x.is_finite()))
            && self.tensions.iter().all(|x| x.is_finite())
    }
}
