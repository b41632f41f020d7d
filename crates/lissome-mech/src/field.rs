//! Fields along a rod, for tables and pictures.

use lissome_lie::{Pose, Strain, Wrench};

/// The state of one section of a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Arc length, m.
    pub s: f64,
    /// World pose of the section.
    pub pose: Pose,
    /// Strain, body frame.
    pub strain: Strain,
    /// Internal wrench (what the far side exerts on the near side), body frame.
    pub stress: Wrench,
}
