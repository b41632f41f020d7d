//! Drives: quantities of the scene that change along a path or in time.

use crate::Signal;

/// A driven quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Its dotted path in the scene, such as `motor.angle`.
    pub path: String,
    /// What it is.
    pub target: DriveTarget,
    /// Its course.
    pub signal: Signal,
}

/// A quantity that can be driven. Indices are those of the scene's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DriveTarget {
    /// A coordinate of a driven joint.
    JointValue { joint: usize, coordinate: usize },
    /// The force or torque along a coordinate of an actuated joint.
    JointEffort { joint: usize, coordinate: usize },
    /// Tension, length or pull of a cable, whichever the cable prescribes.
    Cable(usize),
    /// Tension, length or pull of a tendon, whichever the tendon prescribes.
    Tendon(usize),
    /// Factor on a load of a rod.
    Load(usize),
    /// Factor on a load of a frame.
    FrameLoad(usize),
    /// Factor on gravity.
    Gravity,
    /// Turn of the base of a tube, rad.
    TubeRotation { rod: usize, tube: usize },
    /// How far a tube reaches beyond the entry, m.
    TubeInsertion { rod: usize, tube: usize },
}

impl DriveTarget {
    /// True if it is how far a tube reaches beyond its entry.
    pub fn is_insertion(&self) -> bool {
        matches!(self, Self::TubeInsertion { .. })
    }
}
