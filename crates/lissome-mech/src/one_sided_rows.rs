//! Memory for the one-sided rows of constraints.

use crate::complementarity::Complementarity;
use crate::index::{Block, Node};
use nalgebra::Matrix6;

/// A one-sided row at the state of the last assembly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) block: Block,
    /// Row in its block, and in the matrix.
    pub(crate) row: usize,
    pub(crate) unknown: usize,
    pub(crate) side: f64,
    /// True if it acts in the assembled matrix.
    pub(crate) acts: bool,
    pub(crate) multiplier: f64,
    /// What multipliers and gaps are compared with.
    pub(crate) force: f64,
    pub(crate) length: f64,
    /// How far it gives way to its multiplier.
    pub(crate) give: f64,
    /// Where the Jacobian of its constraint is kept.
    pub(crate) jacobian: (usize, usize),
}

/// One-sided rows of the last solve and memory for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct OneSided {
    pub(crate) rows: Vec<Row>,
    /// Their Jacobians at the state: many columns ask for their rates.
    pub(crate) jacobians: Vec<(Node, Matrix6<f64>)>,
    pub(crate) problem: Complementarity,
    /// Solutions by the columns that were needed, over all groups.
    pub(crate) columns: Vec<f64>,
    /// What a multiplier adds to the conditions without moving anything.
    pub(crate) direct: Vec<f64>,
    /// For each block the rows that act after the step.
    pub(crate) acts: Vec<[bool; 6]>,
}

impl OneSided {
    /// Memory for so many blocks.
    pub(crate) fn new(blocks: usize) -> Self {
        Self { acts: vec![[false; 6]; blocks], ..Self::default() }
    }
}
