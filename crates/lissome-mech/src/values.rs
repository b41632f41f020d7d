//! The numbers of a system: what may be renewed while its layout stays.

use crate::body::Body;
use crate::contribution::Scales;
use crate::inputs::Inputs;
use crate::joint::Joint;
use crate::kind::Kinds;
use crate::rod::{LineLoads, Rod};
use lissome_lie::Pose;
use lissome_model::Drive;
use nalgebra::Vector3;
use std::sync::Arc;

/// Stiffness, natural shapes, masses, loads, offsets and constants of joints.
#[derive(Clone, Debug)]
pub struct Values {
    /// The rods, in the order of the scene; neighbouring systems share those that are the same.
    pub(crate) rods: Vec<Arc<Rod>>,
    /// Line loads of each rod.
    pub(crate) line_loads: Vec<Vec<LineLoads>>,
    /// The bodies, in the order of the scene.
    pub(crate) bodies: Vec<Body>,
    /// The joints; a universal one is two in a row.
    pub(crate) joints: Vec<Joint>,
    /// Everything else that contributes.
    pub(crate) kinds: Kinds,
    /// Where each slot that follows is on what carries it.
    pub(crate) offsets: Vec<Pose>,
    /// Gravity, m/s².
    pub(crate) gravity: Vector3<f64>,
    /// Sizes to compare with.
    pub(crate) scales: Scales,
    /// What the scene's drives start from.
    pub(crate) nominal: Inputs,
    /// The scene's drives.
    pub(crate) drives: Vec<Drive>,
}
