//! Frames: the places that rods, bodies, joints, cables and loads are attached to.

use crate::Rod;
use crate::invalid::{Invalid, Problem};
use lissome_lie::Pose;
use std::fmt::Display;

/// What carries a frame. Indices are those of the scene's lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameOf {
    /// The world: it never moves.
    World,
    /// A rigid body.
    Body(usize),
    /// What hangs on a joint: the joint's frame after its motion.
    Joint(usize),
    /// The section of a rod at an arc length.
    #[allow(missing_docs)]
    Rod { rod: usize, s: f64 },
}

/// A pose relative to something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// What carries it.
    pub of: FrameOf,
    /// Where it is on that.
    pub pose: Pose,
}

impl Frame {
    /// A frame that stands still.
    pub fn world(pose: Pose) -> Self {
        Self { of: FrameOf::World, pose }
    }

    /// The frame of a body itself.
    pub fn body(body: usize) -> Self {
        Self { of: FrameOf::Body(body), pose: Pose::identity() }
    }

    /// The frame after a joint.
    pub fn joint(joint: usize) -> Self {
        Self { of: FrameOf::Joint(joint), pose: Pose::identity() }
    }

    /// A section of a rod.
    pub fn rod(rod: usize, s: f64) -> Self {
        Self { of: FrameOf::Rod { rod, s }, pose: Pose::identity() }
    }

    /// The same carrier, at another pose on it.
    pub fn at(self, pose: Pose) -> Self {
        Self { of: self.of, pose: self.pose * pose }
    }

    /// Its pose in the world, if it never moves.
    pub fn world_pose(&self) -> Option<Pose> {
        (self.of == FrameOf::World).then_some(self.pose)
    }

    /// Refuses frames of what does not exist, or off a rod.
    pub(crate) fn validate(
        &self,
        path: impl Display,
        rods: &[Rod],
        bodies: usize,
        joints: usize,
    ) -> Result<(), Invalid> {
        if !self.pose.is_finite() {
            return Err(Invalid::new(path.to_string(), Problem::NotFinite));
        }
        let exists = match self.of {
            FrameOf::World => true,
            FrameOf::Body(body) => body < bodies,
            FrameOf::Joint(joint) => joint < joints,
            FrameOf::Rod { rod, s } => match rods.get(rod).map(|rod| rod.length) {
                Some(length) if !(-1e-12 * length..=length * (1.0 + 1e-9)).contains(&s) => {
                    let problem = match s.is_finite() {
                        true => Problem::OutOfRange { value: s, interval: format!("[0, {length}] m") },
                        false => Problem::NotFinite,
                    };
                    return Err(Invalid::new(format!("{path}.at"), problem));
                }
                found => found.is_some(),
            },
        };
        if exists {
            return Ok(());
        }
        let name = format!("{:?}", self.of);
        Err(Invalid::new(format!("{path}.fixed_to"), Problem::UnknownName { name, known: Vec::new() }))
    }
}

impl From<Pose> for Frame {
    fn from(pose: Pose) -> Self {
        Self::world(pose)
    }
}
