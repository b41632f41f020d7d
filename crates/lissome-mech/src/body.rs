//! Rigid bodies: mass on a slot. Their weight is a point load.

use crate::index::Slot;
use lissome_lie::Pose;
use nalgebra::Matrix6;

/// A rigid body as it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Slot of its frame.
    pub slot: Slot,
    /// Mass in that frame, angular part first.
    pub mass: Matrix6<f64>,
    /// Where it is in the beginning, if nothing carries it.
    pub start: Option<Pose>,
}
