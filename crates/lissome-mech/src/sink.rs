//! Where contributions write their blocks: to nodes, from which they arrive at the groups of a matrix as A_iᵀ B A_j.
//!
//! So no contribution knows who carries whom, nor what is solved for and what is prescribed: a block in the column of a
//! prescribed group, times the step of that group, goes to the right-hand side.

use crate::chain::{ChainBlocks, Chains};
use crate::impulse::{StepRule, adjoint};
use crate::index::{Group, Node};
use crate::node::{Home, Homes, Term};
use lissome_lie::Pose;
use lissome_sparse::kkt::{GeneralKktMatrix, KktMatrix};
use nalgebra::Matrix6;

/// Receives 6×6 blocks of the tangent.
pub trait BlockSink {
    /// Adds a block and, unless on the diagonal, its transpose at the mirrored place.
    fn add_symmetric(&mut self, row: Node, column: Node, block: &Matrix6<f64>);

    /// Adds a block at one place only. A symmetric matrix keeps the symmetric part of what lands on its diagonal
    /// and the lower triangle of the rest.
    fn add_general(&mut self, row: Node, column: Node, block: &Matrix6<f64>);

    /// Adds a block whose row is what acts on a node at the start of a time step, in the frame there; `moved` is Ad of the
    /// motion of the node over the step. A node with unknowns of its own carries it to its frame at the end.
    fn add_from_start(&mut self, row: Node, column: Node, block: &Matrix6<f64>, moved: &Matrix6<f64>) {
        self.add_general(row, column, &moved.tr_mul(block));
    }

    /// Adds what turns a derivative in exponential coordinates of a node into one of its left-trivialised row.
    fn add_turn(&mut self, node: Node, block: &Matrix6<f64>) {
        self.add_general(node, node, block);
    }

    /// Adds the rows of a condition by a node, and minus the transpose of what its multiplier exerts on that.
    fn add_condition(&mut self, own: Node, node: Node, rows: &Matrix6<f64>, forces: &Matrix6<f64>) {
        self.add_general(own, node, rows);
        self.add_general(node, own, &forces.transpose());
    }

    /// Adds the rows of a condition by its own multiplier.
    fn add_own(&mut self, own: Node, block: &Matrix6<f64>) {
        self.add_symmetric(own, own, block);
    }

    /// False if blocks are dropped, so that they need not be computed.
    fn is_wanted(&self) -> bool {
        true
    }

    /// False if blocks in the rows and columns of a node are dropped, since nothing moves it.
    fn is_moved(&self, _: Node) -> bool {
        true
    }
}

/// Drops every block, for when only the residual is wanted.
pub struct NoTangent;

impl BlockSink for NoTangent {
    fn add_symmetric(&mut self, _: Node, _: Node, _: &Matrix6<f64>) {}
    fn add_general(&mut self, _: Node, _: Node, _: &Matrix6<f64>) {}
    fn is_wanted(&self) -> bool {
        false
    }
}

/// A matrix of groups.
pub trait GroupMatrix {
    /// True if the mirrored block is implied.
    const SYMMETRIC: bool;
    /// Adds at one place (symmetric matrices: and at the mirrored one, unless on the diagonal). Rows and columns beyond
    /// the sizes of the groups are left out.
    fn add_block(&mut self, row: Group, column: Group, block: &Matrix6<f64>);
}

macro_rules! group_matrix {
    ($matrix:ty, $symmetric:expr) => {
        impl GroupMatrix for $matrix {
            const SYMMETRIC: bool = $symmetric;
            #[inline]
            fn add_block(&mut self, row: Group, column: Group, block: &Matrix6<f64>) {
                <$matrix>::add_block(self, row.index(), column.index(), block);
            }
        }
    };
}
group_matrix!(KktMatrix, true);
group_matrix!(GeneralKktMatrix, false);

/// No matrix: for when only the right-hand side of prescribed steps is wanted.
pub struct NoMatrix;

impl GroupMatrix for NoMatrix {
    const SYMMETRIC: bool = false;
    fn add_block(&mut self, _: Group, _: Group, _: &Matrix6<f64>) {}
}

/// A block in the row or the column of a prescribed group.
#[derive(Clone, Copy, Debug)]
pub struct HeldBlock {
    /// The group whose row it stands in.
    pub row: Group,
    /// The group whose step it acts on.
    pub column: Group,
    /// The block.
    pub block: Matrix6<f64>,
}

/// What becomes of blocks in rows and columns of prescribed groups.
#[derive(Clone, Debug, Default)]
pub struct HeldBlocks {
    /// −B x over all groups, x the steps of the prescribed ones.
    pub cost: Vec<f64>,
    /// The blocks in the rows of prescribed groups, if they are to be kept: they tell what holds those.
    pub rows: Vec<HeldBlock>,
    /// Those in their columns, where someone asks for them: what other steps would cost.
    pub columns: Option<Vec<HeldBlock>>,
    /// First group whose rows are kept.
    pub keep_from: usize,
}

impl HeldBlocks {
    /// For this many rows of all groups; rows are kept from a group on.
    pub fn new(rows: usize, keep_from: Group) -> Self {
        Self { cost: vec![0.0; rows], rows: Vec::new(), columns: None, keep_from: keep_from.index() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.cost.fill(0.0);
        self.rows.clear();
    }
}

/// How rows at the start of a time step arrive at the groups.
#[derive(Clone, Debug, Default)]
pub struct StartRows {
    /// What nodes that move with others refer to, at the start.
    pub terms: Vec<Term>,
    /// How a small motion of each group at the end of the step looks at its start.
    pub moved: Vec<Matrix6<f64>>,
    /// Groups of strain coordinates, which add up: their rows do not turn.
    pub flat: Vec<bool>,
}

/// Writes the blocks of nodes into a matrix of groups.
pub struct NodeSink<'a, M> {
    /// The matrix.
    pub matrix: &'a mut M,
    /// Where the nodes are.
    pub homes: &'a Homes,
    /// What the nodes that move with others refer to.
    pub terms: &'a [Term],
    /// Steps of the prescribed groups, in a vector over all groups.
    pub steps: &'a [f64],
    /// What they cost.
    pub held: &'a mut HeldBlocks,
    /// Where rows at the start of a time step go, in one.
    pub start: Option<&'a StartRows>,
    /// Chains of poses, and what is kept of them until the end ([`NodeSink::finish`]).
    pub chains: &'a Chains,
    /// The same.
    pub kept: &'a mut ChainBlocks,
}

impl<M: GroupMatrix> NodeSink<'_, M> {
    /// Adds a block of groups and its mirror image; on the diagonal both land at the same place.
    pub(crate) fn add_pair(&mut self, row: Group, column: Group, block: &Matrix6<f64>) {
        if row == column {
            self.write(row, row, &(block + block.transpose()));
            return;
        }
        self.write(row, column, block);
        let both_free = self.homes.is_free(row) && self.homes.is_free(column);
        if !M::SYMMETRIC || !both_free {
            self.write(column, row, &block.transpose());
        }
    }

    #[inline(always)]
    pub(crate) fn write(&mut self, row: Group, column: Group, block: &Matrix6<f64>) {
        match (self.homes.is_free(row), self.homes.is_free(column)) {
            (true, true) => self.matrix.add_block(row, column, block),
            _ => self.write_held(row, column, block),
        }
    }

    fn write_held(&mut self, row: Group, column: Group, block: &Matrix6<f64>) {
        if self.homes.is_free(row) {
            let cost = -(block * self.homes.read(column, self.steps));
            self.homes.add(row, &cost, &mut self.held.cost);
            if let Some(columns) = &mut self.held.columns {
                columns.push(HeldBlock { row, column, block: *block });
            }
        } else if row.index() >= self.held.keep_from {
            self.held.rows.push(HeldBlock { row, column, block: *block });
        }
    }

    /// Term `k` of a node; a group of its own counts as one with A = 1.
    #[inline]
    fn term(&self, home: Home, k: usize) -> (Group, Option<&Matrix6<f64>>) {
        match home {
            Home::Through { first, .. } => {
                let term = &self.terms[first + k];
                (term.group, Some(&term.jacobian))
            }
            Home::Own(group) => (group, None),
            Home::Fixed => unreachable!("a node that does not move has no terms"),
        }
    }

    /// A_iᵀ B A_j for all pairs of terms.
    pub(crate) fn spread(
        &mut self,
        row: Home,
        column: Home,
        block: &Matrix6<f64>,
        write: impl Fn(&mut Self, (Group, usize), (Group, usize), &Matrix6<f64>),
    ) {
        for i in 0..count(row) {
            let (r, a) = self.term(row, i);
            let left = a.map_or(*block, |a| a.tr_mul(block));
            for j in 0..count(column) {
                let (c, b) = self.term(column, j);
                let value = b.map_or(left, |b| left * b);
                write(self, (r, i), (c, j), &value);
            }
        }
    }
}

fn count(home: Home) -> usize {
    match home {
        Home::Fixed => 0,
        Home::Own(_) => 1,
        Home::Through { count, .. } => count,
    }
}

impl<M: GroupMatrix> BlockSink for NodeSink<'_, M> {
    fn is_moved(&self, node: Node) -> bool {
        !matches!(self.homes.of(node), Home::Fixed)
    }

    fn add_symmetric(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        let (at_row, at_column) = (self.homes.of(row), self.homes.of(column));
        if let (Home::Own(r), Home::Own(c)) = (at_row, at_column)
            && self.homes.is_free(r)
            && self.homes.is_free(c)
        {
            self.matrix.add_block(r, c, block);
            if !M::SYMMETRIC && r != c {
                self.matrix.add_block(c, r, &block.transpose());
            }
            return;
        }
        if self.kept.keep_symmetric(self.chains, row, column, block) {
            return;
        }
        if row == column {
            self.spread(at_row, at_column, block, |sink, (r, i), (c, j), value| {
                if i == j {
                    sink.write(r, r, value);
                } else if i > j {
                    sink.add_pair(r, c, value);
                }
            });
        } else {
            self.spread(at_row, at_column, block, |sink, (r, _), (c, _), value| sink.add_pair(r, c, value));
        }
    }

    fn add_from_start(&mut self, row: Node, column: Node, block: &Matrix6<f64>, moved: &Matrix6<f64>) {
        let (Home::Through { first, count }, Some(start)) = (self.homes.of(row), self.start) else {
            self.add_general(row, column, &moved.tr_mul(block));
            return;
        };
        if row == column && self.kept.keep_from_start(self.chains, row, block) {
            return;
        }
        let at_column = self.homes.of(column);
        for term in &start.terms[first..first + count] {
            let left = start.moved[term.group].tr_mul(&term.jacobian.tr_mul(block));
            for j in 0..self::count(at_column) {
                let (c, b) = self.term(at_column, j);
                let value = b.map_or(left, |b| left * b);
                self.write(term.group, c, &value);
            }
        }
    }

    fn add_turn(&mut self, node: Node, block: &Matrix6<f64>) {
        let (Home::Through { first, count }, Some(start)) = (self.homes.of(node), self.start) else {
            self.add_general(node, node, block);
            return;
        };
        let terms = self.terms;
        let own = &terms[first..first + count];
        if !own.iter().any(|term| start.flat[term.group]) {
            self.add_general(node, node, block);
            return;
        }
        for term in own.iter().filter(|term| !start.flat[term.group]) {
            self.write(term.group, term.group, &term.jacobian.tr_mul(&(block * term.jacobian)));
        }
    }

    fn add_general(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        if M::SYMMETRIC {
            if row == column {
                self.add_symmetric(row, row, &((block + block.transpose()) * 0.5));
            } else if row > column {
                self.add_symmetric(row, column, block);
            }
            return;
        }
        let (at_row, at_column) = (self.homes.of(row), self.homes.of(column));
        if let (Home::Own(r), Home::Own(c)) = (at_row, at_column) {
            self.write(r, c, block);
            return;
        }
        if self.kept.keep_general(self.chains, row, column, block) {
            return;
        }
        self.spread(at_row, at_column, block, |sink, (r, _), (c, _), value| sink.write(r, c, value));
    }
}

/// Adds Π of something with mass whose pose is a node: θ¹ of it where the step ends, θ⁰ where it starts.
pub fn add_impulse(
    rule: &StepRule,
    pi: &Matrix6<f64>,
    before: &Pose,
    after: &Pose,
    node: Node,
    sink: &mut dyn BlockSink,
) {
    if rule.inertia[1] != 0.0 {
        sink.add_general(node, node, &(pi * rule.inertia[1]));
    }
    if rule.inertia[0] != 0.0 {
        let moved = adjoint(&(before.inverse() * *after)).twist_map();
        let back = adjoint(&(after.inverse() * *before)).twist_map();
        sink.add_from_start(node, node, &(back.tr_mul(pi) * rule.inertia[0]), &moved);
    }
}

/// Scales what it is given.
pub struct Scaled<'a> {
    /// The factor.
    pub factor: f64,
    /// What receives the scaled blocks.
    pub sink: &'a mut dyn BlockSink,
}

impl BlockSink for Scaled<'_> {
    fn is_moved(&self, node: Node) -> bool {
        self.sink.is_moved(node)
    }

    fn add_symmetric(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        self.sink.add_symmetric(row, column, &(block * self.factor));
    }
    fn add_general(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        self.sink.add_general(row, column, &(block * self.factor));
    }
}
