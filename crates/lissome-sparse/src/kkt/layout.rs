//! Where the blocks of a matrix over a pattern are.

use super::pattern::{Node, Pattern, Slot};

/// A coupling, seen from the later declared of its two groups.
#[derive(Clone, Copy, Debug)]
struct Link {
    coupling: u32,
    /// The later declared group is the row of the coupling.
    is_row: bool,
}

/// Groups and couplings of a pattern that no longer changes, and how to find them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) nodes: Vec<Node>,
    /// Row and column group of every off-diagonal block.
    pub(crate) couplings: Vec<(u32, u32)>,
    /// For each group the first of its neighbours that were declared before it, and one past the last of all.
    start: Vec<u32>,
    /// Those neighbours, ascending.
    earlier: Vec<u32>,
    links: Vec<Link>,
}

impl Layout {
    pub(crate) fn new(pattern: &Pattern) -> Self {
        let mut lists = vec![Vec::new(); pattern.nodes.len()];
        for (coupling, &(row, col)) in pattern.couplings.iter().enumerate() {
            let link = Link { coupling: coupling as u32, is_row: row > col };
            lists[row.max(col) as usize].push((row.min(col), link));
        }
        let (mut start, mut earlier, mut links) = (vec![0], Vec::new(), Vec::new());
        for mut list in lists {
            list.sort_unstable_by_key(|&(neighbour, _)| neighbour);
            earlier.extend(list.iter().map(|&(neighbour, _)| neighbour));
            links.extend(list.iter().map(|&(_, link)| link));
            start.push(earlier.len() as u32);
        }
        Self { nodes: pattern.nodes.clone(), couplings: pattern.couplings.clone(), start, earlier, links }
    }

    pub(crate) fn rows(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.first + node.size)
    }

    #[inline]
    pub(crate) fn rows_of(&self, group: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[group];
        node.first..node.first + node.size
    }

    /// Groups and couplings: what a factor must agree with.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.nodes.len(), self.couplings.len())
    }

    #[inline]
    pub(crate) fn slot(&self, row: usize, col: usize) -> Option<Slot> {
        let (later, earlier) = (row.max(col), row.min(col));
        let end = *self.start.get(later + 1)? as usize;
        if row == col {
            return Some(Slot::diagonal(row as u32));
        }
        let first = self.start[later] as usize;
        let neighbours = &self.earlier[first..end];
        let at = neighbours.partition_point(|&n| (n as usize) < earlier);
        if neighbours.get(at).is_none_or(|&n| n as usize != earlier) {
            return None;
        }
        let link = self.links[first + at];
        Some(Slot::coupling(link.coupling, link.is_row != (row == later)))
    }

    /// Row and column group of a slot, in the orientation in which it was asked for.
    #[inline]
    pub(crate) fn groups_of(&self, slot: Slot) -> (usize, usize) {
        let (at, coupling) = slot.place();
        if !coupling {
            return (at, at);
        }
        let (row, col) = self.couplings[at];
        if slot.transposed { (col as usize, row as usize) } else { (row as usize, col as usize) }
    }

    /// Refuses values that do not have the shape of their block.
    #[inline]
    pub(crate) fn check_shape(&self, slot: Slot, shape: (usize, usize)) {
        let (row, col) = self.groups_of(slot);
        let expected = (self.nodes[row].size, self.nodes[col].size);
        assert!(shape == expected, "the block has shape {expected:?}, the values {shape:?}");
    }
}

/// The unknowns of a group, padded with zeros.
#[inline]
pub(crate) fn gather(node: &Node, x: &[f64]) -> [f64; 6] {
    if let Some((whole, _)) = x[node.first..].split_first_chunk::<6>()
        && node.size == 6
    {
        return *whole;
    }
    let mut out = [0.0; 6];
    for (to, from) in out.iter_mut().zip(&x[node.first..node.first + node.size]) {
        *to = *from;
    }
    out
}

/// Writes the unknowns of a group, without the padding.
#[inline]
pub(crate) fn scatter(node: &Node, values: &[f64; 6], x: &mut [f64]) {
    if let Some((whole, _)) = x[node.first..].split_first_chunk_mut::<6>()
        && node.size == 6
    {
        *whole = *values;
        return;
    }
    for (to, from) in x[node.first..node.first + node.size].iter_mut().zip(values) {
        *to = *from;
    }
}
