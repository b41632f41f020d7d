//! Where contributions write their blocks.
//!
//! Contributions speak of *nodes*: the pose slots, then the stresses, multipliers and joints of the system. A node with
//! unknowns of its own is a group of the matrix; a pose that follows others moves with their groups, z = Σ A_k x_k, and
//! what is written to it arrives there as A_iᵀ B A_j. So no contribution knows who carries whom.

use lissome_sparse::kkt::{GeneralKktMatrix, KktMatrix};
use nalgebra::{Matrix6, Vector6};

/// Receives 6×6 blocks of the tangent.
pub trait BlockSink {
    /// Adds a block and, unless on the diagonal, its transpose at the mirrored place.
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>);

    /// Adds a block at one place only. A symmetric matrix keeps the symmetric part of what lands on its diagonal
    /// and the lower triangle of the rest.
    fn add_general(&mut self, row: usize, column: usize, block: &Matrix6<f64>);
}

/// Drops every block, for when only the residual is wanted.
pub struct NoTangent;

impl BlockSink for NoTangent {
    fn add_symmetric(&mut self, _: usize, _: usize, _: &Matrix6<f64>) {}
    fn add_general(&mut self, _: usize, _: usize, _: &Matrix6<f64>) {}
}

/// Where the unknowns of a node are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// It has none.
    Fixed,
    /// A group of its own.
    Own(usize),
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
    pub group: usize,
    /// A; columns beyond the size of the group are zero.
    pub jacobian: Matrix6<f64>,
}

/// A matrix of groups.
pub trait GroupMatrix {
    /// True if the mirrored block is implied.
    const SYMMETRIC: bool;
    /// Adds at one place (symmetric matrices: and at the mirrored one, unless on the diagonal). Rows and columns beyond
    /// the sizes of the groups are left out.
    fn add_block(&mut self, row: usize, column: usize, block: &Matrix6<f64>);
}

macro_rules! group_matrix {
    ($matrix:ty, $symmetric:expr) => {
        impl GroupMatrix for $matrix {
            const SYMMETRIC: bool = $symmetric;
            #[inline]
            fn add_block(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
                let slot = self.slot(row, column).expect("every coupling was declared");
                let (rows, columns) = (self.rows_of(row).len(), self.rows_of(column).len());
                if rows == 6 && columns == 6 {
                    self.add(slot, block);
                } else {
                    self.add(slot, &block.view((0, 0), (rows, columns)));
                }
            }
        }
    };
}
group_matrix!(KktMatrix, true);
group_matrix!(GeneralKktMatrix, false);

/// Writes the blocks of nodes into a matrix of groups.
pub struct NodeSink<'a, M> {
    /// The matrix.
    pub matrix: &'a mut M,
    /// Every node.
    pub nodes: &'a [Node],
    /// What the nodes that move with others refer to.
    pub terms: &'a [Term],
    /// A part of each node's step that is already decided: an embedded end closes its gap.
    pub decided: &'a [Option<Vector6<f64>>],
    /// Right-hand side by nodes, which takes what the decided parts cost.
    pub right_hand_side: &'a mut [Vector6<f64>],
    /// The rows of nodes whose step is partly decided, as they are written: they say what holds the node.
    pub rows: &'a mut Vec<Row>,
}

/// A block in the row of a node.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The node.
    pub row: usize,
    /// The node whose step it acts on.
    pub column: usize,
    /// The block.
    pub block: Matrix6<f64>,
}

impl<M: GroupMatrix> NodeSink<'_, M> {
    pub(crate) fn pair(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        if row == column {
            // A block and its mirror image both land on the diagonal.
            self.matrix.add_block(row, row, &(block + block.transpose()));
            return;
        }
        self.matrix.add_block(row, column, block);
        if !M::SYMMETRIC {
            self.matrix.add_block(column, row, &block.transpose());
        }
    }

    /// Terms of a node; its own group counts as one with A = 1.
    fn terms_of(&self, node: usize, own: &mut [Term; 1]) -> &[Term] {
        match self.nodes[node] {
            Node::Fixed => &[],
            Node::Own(group) => {
                own[0] = Term { group, jacobian: Matrix6::identity() };
                &[]
            }
            Node::Through { first, count } => &self.terms[first..first + count],
        }
    }

    /// Calls `write` with every pair of groups and its block A_iᵀ B A_j, and the places of both in their lists.
    fn spread(
        &mut self,
        row: usize,
        column: usize,
        block: &Matrix6<f64>,
        write: impl Fn(&mut Self, (usize, usize), (usize, usize), &Matrix6<f64>),
    ) {
        let blank = Term { group: 0, jacobian: Matrix6::zeros() };
        let (mut own_row, mut own_column) = ([blank], [blank]);
        let count = |node: Node| match node {
            Node::Fixed => 0,
            Node::Own(_) => 1,
            Node::Through { count, .. } => count,
        };
        let (rows, columns) = (count(self.nodes[row]), count(self.nodes[column]));
        for i in 0..rows {
            let a = *self.terms_of(row, &mut own_row).get(i).unwrap_or(&own_row[0]);
            let left = a.jacobian.tr_mul(block);
            for j in 0..columns {
                let b = *self.terms_of(column, &mut own_column).get(j).unwrap_or(&own_column[0]);
                write(self, (a.group, i), (b.group, j), &(left * b.jacobian));
            }
        }
    }
}

impl<M: GroupMatrix> BlockSink for NodeSink<'_, M> {
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        if let Some(step) = self.decided[column] {
            self.right_hand_side[row] -= block * step;
            if row != column {
                self.rows.push(Row { row: column, column: row, block: block.transpose() });
            }
        }
        if let Some(step) = self.decided[row] {
            self.rows.push(Row { row, column, block: *block });
            if row != column {
                self.right_hand_side[column] -= block.tr_mul(&step);
            }
        }
        if let (Node::Own(r), Node::Own(c)) = (self.nodes[row], self.nodes[column]) {
            self.matrix.add_block(r, c, block);
            if !M::SYMMETRIC && r != c {
                self.matrix.add_block(c, r, &block.transpose());
            }
            return;
        }
        if row == column {
            self.spread(row, column, block, |sink, (r, i), (c, j), value| {
                if i == j {
                    sink.matrix.add_block(r, r, value);
                } else if i > j {
                    sink.pair(r, c, value);
                }
            });
        } else {
            self.spread(row, column, block, |sink, (r, _), (c, _), value| sink.pair(r, c, value));
        }
    }

    fn add_general(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        if M::SYMMETRIC {
            if row == column {
                self.add_symmetric(row, row, &((block + block.transpose()) * 0.5));
            } else if row > column {
                self.add_symmetric(row, column, block);
            }
            return;
        }
        if let Some(step) = self.decided[column] {
            self.right_hand_side[row] -= block * step;
        }
        if self.decided[row].is_some() {
            self.rows.push(Row { row, column, block: *block });
        }
        if let (Node::Own(r), Node::Own(c)) = (self.nodes[row], self.nodes[column]) {
            self.matrix.add_block(r, c, block);
            return;
        }
        self.spread(row, column, block, |sink, (r, _), (c, _), value| sink.matrix.add_block(r, c, value));
    }
}
