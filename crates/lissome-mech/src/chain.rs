//! Blocks on the poses of a rod on a strain basis, gathered link by link.
//!
//! Every pose of such a rod moves with all coordinates up to it, so that a block on one pose concerns the pairs of all of
//! these: written one after the other they would cost the cube of their number. But a pose moves with its neighbour and
//! with the few coordinates of the step in between,
//!
//! ```text
//! z_{k+1} = T_k z_k + Σ_b B_kb q_b
//! ```
//!
//! so blocks on poses, and between neighbours, are kept until all are there, and are then handed from the outermost pose
//! to what the rod stands on ([`crate::hand_on`]).

use crate::index::Node;
use nalgebra::Matrix6;
use std::ops::Range;

/// A pose that moves with its neighbour and with the coordinates of one step.
#[derive(Clone, Debug)]
pub struct Link {
    /// The pose.
    pub node: Node,
    /// Its neighbour on the side of what the rod stands on.
    pub from: Node,
    /// Blocks of coordinates of the step, of the rod.
    pub blocks: Range<usize>,
    /// Which term is T; those of the blocks follow.
    pub at: usize,
}

/// The poses of a rod on a strain basis, from what it stands on outward.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The pose it stands with.
    pub anchor: Node,
    /// Node of its first block of coordinates.
    pub first_block: Node,
    /// All other poses.
    pub links: Vec<Link>,
    /// Place of its first link among those of all chains.
    pub first: usize,
}

/// The chains of a system.
#[derive(Clone, Debug, Default)]
pub struct Chains {
    /// One after the other.
    pub all: Vec<Chain>,
    /// Chain and link of each node, of those that come first.
    pub of: Vec<Option<(usize, usize)>>,
}

/// Where a block between two nodes is kept.
enum Kept {
    Own(usize),
    /// In the row of the outer one of two neighbours.
    Below(usize),
    /// In that of the inner one.
    Above(usize),
}

impl Chains {
    /// The link that a pose is, and its place among those of all chains.
    pub fn link(&self, node: Node) -> Option<(usize, &Link)> {
        let (chain, link) = (*self.of.get(node.index())?)?;
        let own = &self.all[chain];
        Some((own.first + link, &own.links[link]))
    }

    fn keeps(&self, row: Node, column: Node) -> Option<Kept> {
        if row == column {
            return self.link(row).map(|(place, _)| Kept::Own(place));
        }
        let next_to =
            |outer: Node, inner: Node| self.link(outer).filter(|(_, link)| link.from == inner).map(|(place, _)| place);
        next_to(row, column).map(Kept::Below).or_else(|| next_to(column, row).map(Kept::Above))
    }
}

/// Blocks of all chains that are not handed on yet.
#[derive(Clone, Debug, Default)]
pub struct ChainBlocks {
    own: Vec<Matrix6<f64>>,
    below: Vec<Matrix6<f64>>,
    above: Vec<Matrix6<f64>>,
    /// On poses, in rows at the start of a time step.
    from_start: Vec<Matrix6<f64>>,
    /// Chains that have some, and of rows at the start.
    pub used: Vec<[bool; 2]>,
    /// Memory for what is between blocks of coordinates and a pose.
    pub rows: Vec<Matrix6<f64>>,
    /// The same, mirrored.
    pub columns: Vec<Matrix6<f64>>,
}

impl ChainBlocks {
    /// For all chains.
    pub fn new(chains: &Chains) -> Self {
        let links: usize = chains.all.iter().map(|chain| chain.links.len()).sum();
        let most = chains.all.iter().flat_map(|chain| &chain.links).map(|link| link.blocks.end).max().unwrap_or(0);
        let zeros = |count: usize| vec![Matrix6::zeros(); count];
        Self {
            own: zeros(links),
            below: zeros(links),
            above: zeros(links),
            from_start: zeros(links),
            used: vec![[false; 2]; chains.all.len()],
            rows: zeros(most),
            columns: zeros(most),
        }
    }

    /// Keeps a block and its mirror image, if both nodes are of one chain and next to each other.
    pub fn keep_symmetric(&mut self, chains: &Chains, row: Node, column: Node, block: &Matrix6<f64>) -> bool {
        match chains.keeps(row, column) {
            Some(Kept::Own(place)) => self.own[place] += block,
            Some(Kept::Below(place)) => {
                self.below[place] += block;
                self.above[place] += block.transpose();
            }
            Some(Kept::Above(place)) => {
                self.above[place] += block;
                self.below[place] += block.transpose();
            }
            None => return false,
        }
        self.note(chains, row, column, 0);
        true
    }

    /// The same at one place only.
    pub fn keep_general(&mut self, chains: &Chains, row: Node, column: Node, block: &Matrix6<f64>) -> bool {
        match chains.keeps(row, column) {
            Some(Kept::Own(place)) => self.own[place] += block,
            Some(Kept::Below(place)) => self.below[place] += block,
            Some(Kept::Above(place)) => self.above[place] += block,
            None => return false,
        }
        self.note(chains, row, column, 0);
        true
    }

    /// Keeps a block on one pose whose row is at the start of a time step.
    pub fn keep_from_start(&mut self, chains: &Chains, node: Node, block: &Matrix6<f64>) -> bool {
        let Some((place, _)) = chains.link(node) else { return false };
        self.from_start[place] += block;
        self.note(chains, node, node, 1);
        true
    }

    /// What is kept at a place, which is empty then: the block on the pose, and those with its neighbour.
    pub fn take(&mut self, place: usize, from_start: bool) -> [Matrix6<f64>; 3] {
        if from_start {
            return [std::mem::take(&mut self.from_start[place]), Matrix6::zeros(), Matrix6::zeros()];
        }
        [&mut self.own[place], &mut self.below[place], &mut self.above[place]].map(std::mem::take)
    }

    fn note(&mut self, chains: &Chains, row: Node, column: Node, kind: usize) {
        let of = |node: Node| chains.of.get(node.index()).copied().flatten();
        if let Some((chain, _)) = of(row).or_else(|| of(column)) {
            self.used[chain][kind] = true;
        }
    }
}
