//! How a stretch of a rod lies to a surface, as a state remembers it: see `across`.

use super::skin::Skin;
use crate::index::Block;
use nalgebra::Vector6;
use std::sync::Arc;

/// What a stretch of a rod needs where it may lie across a surface.
#[derive(Clone, Debug)]
pub struct Across {
    /// Its rod.
    pub own: Arc<Skin>,
    /// Where it is remembered how it lies.
    pub memory: Block,
}

/// How a stretch of a rod lies to a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lie {
    /// Nobody has looked.
    Unknown,
    /// Along it: its point is in its middle.
    Along,
    /// Across it; with the place that slip counts from, m.
    Across(f64),
}

impl Lie {
    pub(super) fn read(memory: &Vector6<f64>) -> Self {
        match memory[0] as i32 {
            1 => Self::Along,
            2 => Self::Across(memory[1]),
            _ => Self::Unknown,
        }
    }

    pub(super) fn memory(self) -> Vector6<f64> {
        let (code, anchor) = match self {
            Self::Unknown => (0.0, 0.0),
            Self::Along => (1.0, 0.0),
            Self::Across(anchor) => (2.0, anchor),
        };
        Vector6::new(code, anchor, 0.0, 0.0, 0.0, 0.0)
    }
}
