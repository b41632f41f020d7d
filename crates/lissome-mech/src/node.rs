//! Nodes: what contributions write to, and where their unknowns are.
//!
//! Nodes are the pose slots, the joints, the gaps of embedded closures, the stresses and the multipliers of a system. A
//! node with unknowns of its own is a group of the matrix; a pose that follows others moves with their groups,
//! z = Σ A_k x_k. Groups whose step is prescribed (driven joints, gaps that close) come after those that are solved for,
//! so that everything that moves is written the same way whether it is an unknown or an input.

use crate::index::{Group, Node};
use lissome_sparse::kkt::Pattern;
use nalgebra::{Matrix6, Vector6};
use std::ops::Range;

/// What the unknowns of a node are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Small motion of a pose.
    Pose,
    /// Small change of a joint's coordinates.
    Joint,
    /// What is left open of an embedded closure.
    Gap,
    /// Independent stress of a rod.
    Stress,
    /// Multiplier of a constraint.
    Multiplier,
}

impl Role {
    /// True if its rows are balances of force, false if they are conditions.
    pub fn is_motion(self) -> bool {
        matches!(self, Self::Pose | Self::Joint | Self::Gap)
    }
}

/// Where the unknowns of a node are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// It has none and does not move.
    Fixed,
    /// A group of its own.
    Own(Group),
    /// It moves with the groups of these terms.
    Through {
        /// First term.
        first: usize,
        /// How many.
        count: usize,
    },
}

/// One group that moves a pose: z = … + A x.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The group.
    pub group: Group,
    /// A; columns beyond the size of the group are zero.
    pub jacobian: Matrix6<f64>,
}

/// The homes of all nodes over one numbering of groups.
#[derive(Clone, Debug, Default)]
pub struct Homes {
    /// Home of each node.
    of: Vec<Home>,
    /// Rows of each group; those of prescribed groups come after those of the matrix.
    rows: Vec<Range<usize>>,
    /// Groups of the matrix; the rest is prescribed.
    free: usize,
}

impl Homes {
    /// Homes over the groups of a pattern, followed by prescribed groups of these sizes.
    pub(crate) fn new(of: Vec<Home>, pattern: &Pattern, groups: &[lissome_sparse::kkt::Group], held: &[usize]) -> Self {
        let mut rows: Vec<Range<usize>> = groups.iter().map(|group| pattern.rows_of(*group)).collect();
        let mut next = pattern.rows();
        for size in held {
            rows.push(next..next + size);
            next += size;
        }
        Self { of, rows, free: groups.len() }
    }

    /// Home of a node.
    #[inline(always)]
    pub fn of(&self, node: Node) -> Home {
        self.of[node]
    }

    /// Every node's home.
    pub fn all(&self) -> &[Home] {
        &self.of
    }

    /// Rows of a group in vectors over all groups.
    #[inline(always)]
    pub fn rows(&self, group: Group) -> Range<usize> {
        self.rows[group].clone()
    }

    /// True if the group is solved for.
    #[inline(always)]
    pub fn is_free(&self, group: Group) -> bool {
        group.index() < self.free
    }

    /// The groups that are solved for.
    pub fn free_groups(&self) -> impl Iterator<Item = Group> + use<> {
        Group::first(self.free)
    }

    /// The groups whose step is prescribed.
    pub fn held_groups(&self) -> impl Iterator<Item = Group> + use<> {
        (self.free..self.rows.len()).map(Group::new)
    }

    /// Rows of all groups, prescribed ones included.
    pub fn all_rows(&self) -> usize {
        self.rows.last().map_or(0, |rows| rows.end)
    }

    /// The numbers of a group in a vector over all groups, padded with zeros.
    #[inline(always)]
    pub fn read(&self, group: Group, from: &[f64]) -> Vector6<f64> {
        let rows = &from[self.rows(group)];
        match rows.first_chunk::<6>() {
            Some(six) => Vector6::from_column_slice(six),
            None => Vector6::from_fn(|i, _| rows.get(i).copied().unwrap_or(0.0)),
        }
    }

    /// The same for a node with a group of its own; zero for others.
    pub fn read_own(&self, node: Node, from: &[f64]) -> Vector6<f64> {
        match self.of[node] {
            Home::Own(group) => self.read(group, from),
            _ => Vector6::zeros(),
        }
    }

    /// Motion of a node for a vector over all groups.
    pub fn motion(&self, node: Node, terms: &[Term], x: &[f64]) -> Vector6<f64> {
        match self.of[node] {
            Home::Fixed => Vector6::zeros(),
            Home::Own(group) => self.read(group, x),
            Home::Through { first, count } => terms[first..first + count]
                .iter()
                .fold(Vector6::zeros(), |sum: Vector6<f64>, term| sum + term.jacobian * self.read(term.group, x)),
        }
    }

    /// Adds rows of nodes, from the first on, to those of the groups they move with.
    pub fn spread(&self, rows: impl Iterator<Item = Vector6<f64>>, terms: &[Term], out: &mut [f64]) {
        for (home, row) in self.of.iter().zip(rows) {
            self.spread_row(*home, &row, terms, out);
        }
    }

    /// The same for one node.
    pub fn spread_one(&self, node: Node, row: &Vector6<f64>, terms: &[Term], out: &mut [f64]) {
        self.spread_row(self.of[node], row, terms, out);
    }

    #[inline(always)]
    fn spread_row(&self, home: Home, row: &Vector6<f64>, terms: &[Term], out: &mut [f64]) {
        match home {
            Home::Fixed => {}
            Home::Own(group) => self.add(group, row, out),
            Home::Through { first, count } => {
                for term in &terms[first..first + count] {
                    self.add(term.group, &term.jacobian.tr_mul(row), out);
                }
            }
        }
    }

    /// Adds to the rows of a group.
    #[inline(always)]
    pub fn add(&self, group: Group, row: &Vector6<f64>, out: &mut [f64]) {
        for (out, value) in out[self.rows(group)].iter_mut().zip(row.iter()) {
            *out += value;
        }
    }

    /// Replaces the rows of a group.
    pub fn write(&self, group: Group, row: &Vector6<f64>, out: &mut [f64]) {
        for (out, value) in out[self.rows(group)].iter_mut().zip(row.iter()) {
            *out = *value;
        }
    }
}
