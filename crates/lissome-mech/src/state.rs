//! A point of the configuration space, and the stresses that go with it.

use lissome_lie::Pose;
use nalgebra::Vector6;

/// Poses and stresses of a whole system. Moves only by the retractions of [`crate::System`].
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Every control pose of every rod, prescribed ones included.
    pub poses: Vec<Pose>,
    /// Independent stresses (moment, force): coefficients β of mixed rods, values at the points of printed ones.
    pub stress: Vec<Vector6<f64>>,
    /// Where each closure is to bring its pose.
    pub aims: Vec<Pose>,
    /// Multipliers (moment, force) of the closures.
    pub reactions: Vec<Vector6<f64>>,
}

impl State {
    /// True if no number in it is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.poses.iter().all(Pose::is_finite)
            && self.stress.iter().chain(&self.reactions).all(|v| v.iter().all(|x| x.is_finite()))
    }
}
