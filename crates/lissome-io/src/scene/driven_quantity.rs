//! What a drive sets.

use super::dimension::Dimension;
use super::reader::Sign;
use lissome_model::DriveTarget;

/// A driven quantity, its dimension and the numbers it takes.
pub struct Quantity {
    /// What is driven.
    pub target: DriveTarget,
    /// Its dimension.
    pub dimension: Dimension,
    /// The numbers it takes.
    pub sign: Sign,
}
