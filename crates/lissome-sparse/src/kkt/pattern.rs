//! What can be non-zero: groups of unknowns and their couplings, declared once.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

/// Whether a group has stiffness of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its diagonal block is regular, or becomes so after the groups it waits for.
    Primal,
    /// Its diagonal block may be zero: eliminated after all its primal neighbours.
    Multiplier,
}

/// A group of one to six unknowns that are eliminated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Group(pub(crate) u32);

impl Group {
    /// Place in the order of declaration.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A block of the matrix: where to write its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub(crate) index: u32,
    /// Asked for as (column, row) of the coupling that was declared.
    pub(crate) transposed: bool,
}

impl Slot {
    /// The diagonal block of a group.
    #[inline]
    pub(crate) fn diagonal(group: u32) -> Self {
        Self { index: group, transposed: false }
    }

    /// A block of a coupling.
    #[inline]
    pub(crate) fn coupling(index: u32, transposed: bool) -> Self {
        Self { index: index | OFF_DIAGONAL, transposed }
    }

    /// The block on the other side of the diagonal; a diagonal block is its own.
    #[inline]
    pub fn mirrored(self) -> Self {
        Self { index: self.index, transposed: self.transposed != (self.index & OFF_DIAGONAL != 0) }
    }

    /// Index of the coupling or of the group, and whether it is a coupling.
    #[inline]
    pub(crate) fn place(self) -> (usize, bool) {
        ((self.index & !OFF_DIAGONAL) as usize, self.index & OFF_DIAGONAL != 0)
    }
}

/// A declaration that cannot be factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// Groups wait for each other in a circle, this one among them.
    Circular {
        /// One of the groups, by order of declaration.
        group: usize,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Circular { group } => write!(f, "group {group} waits for groups that wait for it"),
        }
    }
}

impl std::error::Error for PatternError {}

/// A place in the declarations of a pattern, to [return](Pattern::rewind) to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    groups: usize,
    couplings: usize,
    waits: usize,
    lean: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) role: Role,
    pub(crate) size: usize,
    /// First row in vectors.
    pub(crate) first: usize,
}

/// Groups and couplings of a symmetric matrix. Vectors hold the groups in order of declaration.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    pub(crate) nodes: Vec<Node>,
    /// Row and column group of every off-diagonal block.
    pub(crate) couplings: Vec<(u32, u32)>,
    /// (group, the group it waits for)
    pub(crate) waits: Vec<(u32, u32)>,
    /// Multipliers that wait for what was declared alone.
    pub(crate) lean: Vec<u32>,
    /// Couplings by the pair of their groups, the lower one first.
    found: HashMap<u64, u32, BuildHasherDefault<PairHasher>>,
    rows: usize,
}

impl Pattern {
    /// No unknowns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a group of `size` unknowns, one to six.
    pub fn group(&mut self, size: usize, role: Role) -> Group {
        assert!((1..=6).contains(&size), "a group has one to six unknowns, not {size}");
        let group = Group(self.nodes.len() as u32);
        self.nodes.push(Node { role, size, first: self.rows });
        self.rows += size;
        group
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.nodes.len()
    }

    /// Number of unknowns.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows of a group in vectors.
    pub fn rows_of(&self, group: Group) -> std::ops::Range<usize> {
        let node = &self.nodes[group.0 as usize];
        node.first..node.first + node.size
    }

    /// The block that couples the equations of `row` with the unknowns of `col`; its transpose is implied. Declaring it
    /// again, in either order, returns the same block. Diagonal blocks exist without being declared.
    pub fn couple(&mut self, row: Group, col: Group) -> Slot {
        let count = self.nodes.len() as u32;
        assert!(row.0 < count && col.0 < count, "both groups must belong to this pattern");
        if row == col {
            return Slot::diagonal(row.0);
        }
        let next = self.couplings.len() as u32;
        let index = *self.found.entry(pair(row.0, col.0)).or_insert(next);
        if index == next {
            self.couplings.push((row.0, col.0));
        }
        Slot::coupling(index, self.couplings[index as usize].0 != row.0)
    }

    /// [`Pattern::couple`] of two groups by their place in the order of declaration.
    pub fn couple_at(&mut self, row: usize, col: usize) -> Slot {
        self.couple(Group(row as u32), Group(col as u32))
    }

    /// [`Pattern::after`] of two groups by their place in the order of declaration.
    pub fn after_at(&mut self, group: usize, earlier: usize) {
        self.after(Group(group as u32), Group(earlier as u32));
    }

    /// How far the declarations have come.
    pub fn mark(&self) -> Mark {
        Mark {
            groups: self.nodes.len(),
            couplings: self.couplings.len(),
            waits: self.waits.len(),
            lean: self.lean.len(),
        }
    }

    /// Takes back all that was declared after a mark, at a cost that depends on that alone. With it, multipliers that come
    /// and go (contacts) are declared anew at the end of a pattern that stays; matrices and factors follow by
    /// [`KktMatrix::rebuild`](super::KktMatrix::rebuild) and [`KktFactor::rebuild`](super::KktFactor::rebuild).
    pub fn rewind(&mut self, mark: Mark) {
        for (row, col) in self.couplings.drain(mark.couplings.min(self.couplings.len())..) {
            self.found.remove(&pair(row, col));
        }
        self.waits.truncate(mark.waits);
        self.lean.truncate(mark.lean);
        self.nodes.truncate(mark.groups);
        self.rows = self.nodes.last().map_or(0, |node| node.first + node.size);
    }

    /// A multiplier shall be eliminated after `earlier` and need not wait for its other primal neighbours: that one gives it a
    /// regular block, which whoever declares it must see to. Orders that are free to choose among the others cost less.
    pub fn after_only_at(&mut self, multiplier: usize, earlier: usize) {
        self.after_at(multiplier, earlier);
        self.lean.push(multiplier as u32);
    }

    /// `group` shall be eliminated after `earlier`. Said of a primal group and a multiplier, it overrules their usual
    /// order: a joint without stiffness gets it from the multiplier that closes its loop.
    pub fn after(&mut self, group: Group, earlier: Group) {
        self.waits.push((group.0, earlier.0));
    }
}

/// Two groups in either order as one number.
fn pair(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// Spreads pairs of groups over a table. Nobody chooses groups to make them collide, so one product will do.
#[derive(Clone, Copy, Debug, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        // 2⁶⁴ over the golden ratio. A table looks at both ends of the number; the product is well mixed at its upper one.
        let product = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}

/// Marks the index of a slot as one of a coupling; without it, the index is that of a group.
const OFF_DIAGONAL: u32 = 1 << 31;
