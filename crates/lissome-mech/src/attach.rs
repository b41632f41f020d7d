//! What a kind of contribution needs to find its place in a system while that is compiled.

use crate::contribution::Multiplier;
use crate::index::{Block, Node, RodIndex, Slot};
use crate::joint::Joint;
use lissome_model::{Frame, Scene};
use std::sync::Arc;

/// Slots, joints and multipliers of a system that is being compiled.
pub trait Attach<'s> {
    /// A compiled rod, which is known to rods alone.
    type Rod;

    /// The scene.
    fn scene(&self) -> &'s Scene;

    /// The slot of a frame; the same one each time it is asked for.
    fn slot(&mut self, frame: &Frame) -> Slot;

    /// The slot at arc length s of a rod, where the rod has a control pose.
    fn rod_slot(&self, rod: usize, s: f64) -> Slot;

    /// The first block of the stresses of a rod.
    fn rod_stress(&self, rod: usize) -> Block;

    /// The node of the first stress of a rod.
    fn rod_stress_node(&self, rod: usize) -> Node;

    /// The first block of the tensions of a rod.
    fn rod_tension(&self, rod: usize) -> Block;

    /// A rod, compiled.
    fn rod(&self, rod: usize) -> &Arc<Self::Rod>;

    /// The compiled joints.
    fn joints(&self) -> &[Joint];

    /// Length that distances are compared with where no rod is at hand, m.
    fn length_scale(&self) -> f64;

    /// A multiplier of this many rows, with a node of its own.
    fn multiplier(&mut self, size: usize) -> Multiplier;

    /// Room for a multiplier that is not solved for.
    fn reaction(&mut self) -> Block;

    /// The far end of a rod that stands on its other end.
    fn far_end(&self, rod: RodIndex) -> Slot;

    /// Makes a slot follow a frame through a gap whose step is prescribed. `None` if something stands on the slot: it
    /// cannot be embedded then, since its own motion is only known after that of everything else.
    fn embed(&mut self, tied: Slot, frame: Slot) -> Option<Node>;
}
