//! Closures of loops.

use crate::Frame;

/// Two frames that are one: closes a loop. Articulated closures weld to the frame of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Closure {
    /// Unique name.
    pub name: String,
    /// One side.
    pub a: Frame,
    /// The other.
    pub b: Frame,
}
