//! What a system looks like without its numbers: slots, nodes, groups and the pattern of the matrix.
//!
//! New values (a stiffness, a load, an offset) need no new layout; see [`crate::System::set_values`].

use crate::chain::Chains;
use crate::contribution::Part;
use crate::index::{Block, Group, JointIndex, Node, RodIndex, Slot};
use crate::node::{Home, Homes, Role};
use crate::rod::Carried;
use lissome_sparse::kkt::Pattern;
use nalgebra::Vector6;
use std::ops::Range;

/// Where the poses and stresses of a rod are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RodPlace {
    /// Slot of its first control pose.
    pub first_pose: Slot,
    /// Number of its control poses.
    pub pose_count: usize,
    /// Block of its first stress.
    pub first_stress: Block,
    /// Number of its stresses.
    pub stress_count: usize,
    /// Node of its first stress; on a strain basis that of its first block of coordinates.
    pub first_stress_node: Node,
    /// Block of the tensions of its tendons at its first point.
    pub first_tension: Block,
    /// Number of these blocks.
    pub tension_count: usize,
    /// Where its strain coordinates are, if it has some: one joint for each block.
    pub first_coordinate: Option<JointIndex>,
}

impl RodPlace {
    /// Its slots.
    pub fn poses(&self) -> Range<usize> {
        self.first_pose.index()..self.first_pose.index() + self.pose_count
    }

    /// True if a node is one of its blocks of strain coordinates.
    pub fn has_coordinate(&self, node: Node) -> bool {
        let first = self.first_stress_node.index();
        self.first_coordinate.is_some() && (first..first + self.stress_count).contains(&node.index())
    }

    /// Its blocks of tensions.
    pub fn tensions(&self) -> Range<usize> {
        self.first_tension.index()..self.first_tension.index() + self.tension_count
    }

    /// What its sections carry, out of the linear part of a state.
    pub fn carried<'a>(&self, linear: &'a [Vector6<f64>]) -> Carried<'a> {
        Carried { stress: &linear[self.stresses()], tension: &linear[self.tensions()] }
    }

    /// Its stresses to be written, and its tensions: tensions stand behind all stresses.
    pub fn carried_mut<'a>(&self, linear: &'a mut [Vector6<f64>]) -> (&'a mut [Vector6<f64>], &'a [Vector6<f64>]) {
        let (stresses, rest) = linear.split_at_mut(self.first_tension.index());
        (&mut stresses[self.stresses()], &rest[..self.tension_count])
    }

    /// Its blocks of the linear part.
    pub fn stresses(&self) -> Range<usize> {
        self.first_stress.index()..self.first_stress.index() + self.stress_count
    }
}

/// Where a pose comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Six unknowns of its own.
    Own,
    /// Prescribed.
    Fixed,
    /// A control pose of a rod on a strain basis: follows its neighbour by an increment of the strain coordinates.
    Strained,
    /// parent · offset · (motion of the joint).
    Follows {
        /// Slot it follows.
        parent: Slot,
        /// The joint in between.
        joint: Option<JointIndex>,
    },
    /// The far end of a rod, embedded in a frame.
    Embedded {
        /// Slot of the frame.
        frame: Slot,
        /// Node of what is left open.
        gap: Node,
    },
}

/// How the poses of a state are renewed, in order: carriers before what they carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A slot with unknowns of its own that is no control pose.
    Own(Slot),
    /// A slot that follows.
    Follow(Slot),
    /// The control poses of a rod, from the end it stands on.
    Chain(RodIndex),
}

/// The structure of a system.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Where each pose comes from.
    pub(crate) sources: Vec<Source>,
    /// How poses are renewed, carriers first.
    pub(crate) places: Vec<Place>,
    /// Where the rods are.
    pub(crate) rods: Vec<RodPlace>,
    /// Slot of the frame after each joint of the scene.
    pub(crate) joint_slots: Vec<Slot>,
    /// Slots that are embedded in frames.
    pub(crate) embedded: Vec<Slot>,
    /// What the unknowns of each node are.
    pub(crate) roles: Vec<Role>,
    /// Where they are.
    pub(crate) homes: Homes,
    /// Node of each slot for rods; `None` if it does not move.
    pub(crate) pose_nodes: Vec<Option<Node>>,
    /// Nodes of all stresses, rod by rod; on a strain basis those of its coordinates.
    pub(crate) stress_nodes: Vec<Node>,
    /// Slots of the frames that contributions ask for, one after the other.
    pub(crate) asked: Vec<Slot>,
    /// First block behind stresses and tensions: what is the same for every resolution.
    pub(crate) first_multiplier: Block,
    /// Node of each block of the linear part; `None` if it is not solved for.
    pub(crate) block_nodes: Vec<Option<Node>>,
    /// Part that the unknowns of each group belong to.
    pub(crate) parts: Vec<Option<Part>>,
    /// Groups of free bodies that no rod holds but something pulls at.
    pub(crate) loose_bodies: Vec<Group>,
    /// Slots that follow something that moves through a joint that moves.
    pub(crate) branching: Vec<Slot>,
    /// Groups that hold displacements and are solved for.
    pub(crate) displacements: Vec<Group>,
    /// First prescribed group that is a gap; driven joints come before.
    pub(crate) first_gap: Group,
    /// Number of terms that slots and links of chains refer to.
    pub(crate) term_count: usize,
    /// Poses of rods on strain bases.
    pub(crate) chains: Chains,
    /// Groups and couplings of the matrix.
    pub(crate) pattern: Pattern,
    /// Negative pivots of the saddle matrix at a stable equilibrium: stresses and multipliers.
    pub(crate) negative_pivots: usize,
}

impl Layout {
    /// Number of nodes that move: slots, joints and gaps. Forces act on these.
    pub fn moving_nodes(&self) -> usize {
        self.roles.iter().take_while(|role| role.is_motion()).count()
    }

    /// The rod that a slot is a control pose of, and which.
    pub fn rod_of(&self, slot: Slot) -> Option<(RodIndex, usize)> {
        // Rods come first, in order.
        let rod = self.rods.partition_point(|rod| rod.poses().end <= slot.index());
        let own = self.rods.get(rod)?;
        Some((RodIndex::new(rod), slot.index() - own.first_pose.index()))
    }

    /// Where a rod's poses and stresses are.
    pub fn rod(&self, rod: RodIndex) -> &RodPlace {
        &self.rods[rod]
    }

    /// The slot of the world: behind the control poses of all rods.
    pub fn world(&self) -> Slot {
        Slot::new(self.rods.last().map_or(0, |rod| rod.poses().end))
    }

    /// Rows of a group in vectors over the unknowns.
    pub fn rows(&self, group: Group) -> Range<usize> {
        self.homes.rows(group)
    }

    /// The group of a node with unknowns of its own.
    pub fn own_group(&self, node: Node) -> Option<Group> {
        match self.homes.of(node) {
            Home::Own(group) if self.homes.is_free(group) => Some(group),
            _ => None,
        }
    }

    /// True if another layout, which need not be numbered, has the same structure.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        self.sources == other.sources
            && self.places == other.places
            && self.rods == other.rods
            && self.joint_slots == other.joint_slots
            && self.roles == other.roles
            && self.block_nodes == other.block_nodes
    }
}
