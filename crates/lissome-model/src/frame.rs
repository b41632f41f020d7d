//! Frames: the places that rods, bodies, joints, cables and loads are attached to.

use lissome_lie::Pose;

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
}

impl From<Pose> for Frame {
    fn from(pose: Pose) -> Self {
        Self::world(pose)
    }
}
