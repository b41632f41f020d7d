//! Where the blocks of a matrix over a pattern are.
//!
//! A block is found without a search: every group keeps a window of places, one for each group from its first to its last
//! neighbour among those that were declared before it. Groups whose neighbours are few and far apart would need long
//! windows; they keep a sorted list instead, so that memory stays linear in the number of couplings.

use super::pattern::{Node, Pattern, Slot};

/// Places that a window may have for each neighbour in it, and those that it may always have. A list of fewer neighbours
/// than this takes two or three comparisons.
const PLACES_PER_NEIGHBOUR: usize = 8;
const SHORT_WINDOW: usize = 32;

/// A coupling, seen from the later declared of its two groups: its index, whether the later group is its row, and whether
/// both groups have six unknowns.
#[derive(Clone, Copy, Debug)]
struct Place(u32);

impl Place {
    /// The two groups are not coupled.
    const NONE: Self = Self(u32::MAX);

    fn new(coupling: usize, later_is_row: bool, whole: bool) -> Self {
        Self((coupling as u32) << 2 | u32::from(later_is_row) << 1 | u32::from(whole))
    }
}

/// A coupling that was looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Index of the coupling.
    pub(crate) coupling: usize,
    /// Asked for as (column, row) of the coupling that was declared.
    pub(crate) transposed: bool,
    /// Both groups have six unknowns.
    pub(crate) whole: bool,
}

/// The earlier neighbours of one group.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    /// Group of the first place.
    first: u32,
    /// Number of places; none if the group keeps a list.
    length: u32,
    /// Where the places begin, or the list.
    start: u32,
    /// Length of the list.
    listed: u32,
}

/// Groups and couplings of a pattern that no longer changes, and how to find them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) nodes: Vec<Node>,
    /// Row and column group of every off-diagonal block.
    pub(crate) couplings: Vec<(u32, u32)>,
    /// One for every group.
    windows: Vec<Window>,
    places: Vec<Place>,
    /// Neighbours of groups without a window, ascending.
    lists: Vec<(u32, Place)>,
}

impl Layout {
    pub(crate) fn new(pattern: &Pattern) -> Self {
        let mut layout = Self::default();
        layout.rebuild(pattern);
        layout
    }

    /// The layout of another pattern, in the memory of this one.
    pub(crate) fn rebuild(&mut self, pattern: &Pattern) {
        self.nodes.clone_from(&pattern.nodes);
        self.couplings.clone_from(&pattern.couplings);
        let Self { nodes, couplings, windows, places, lists } = self;
        windows.clear();
        windows.resize(nodes.len(), Window { first: u32::MAX, ..Window::default() });
        // First the extent: `start` is the last neighbour, `listed` their number.
        for &(row, col) in &*couplings {
            let (later, earlier) = (row.max(col), row.min(col));
            let window = &mut windows[later as usize];
            window.first = window.first.min(earlier);
            window.start = window.start.max(earlier);
            window.listed += 1;
        }
        let (mut placed, mut listed) = (0, 0);
        for window in &mut *windows {
            let count = window.listed as usize;
            let length = if count == 0 { 0 } else { (window.start - window.first) as usize + 1 };
            if length <= SHORT_WINDOW.max(PLACES_PER_NEIGHBOUR * count) {
                (window.length, window.start, window.listed) = (length as u32, placed, 0);
                placed += length as u32;
            } else {
                window.start = listed;
                listed += window.listed;
                // Filled one by one below.
                window.listed = 0;
            }
        }
        places.clear();
        places.resize(placed as usize, Place::NONE);
        lists.clear();
        lists.resize(listed as usize, (0, Place::NONE));
        for (coupling, &(row, col)) in couplings.iter().enumerate() {
            let (later, earlier) = (row.max(col), row.min(col));
            let whole = nodes[row as usize].size == 6 && nodes[col as usize].size == 6;
            let place = Place::new(coupling, row > col, whole);
            let window = &mut windows[later as usize];
            if window.length > 0 {
                places[(window.start + earlier - window.first) as usize] = place;
            } else {
                lists[(window.start + window.listed) as usize] = (earlier, place);
                window.listed += 1;
            }
        }
        for window in windows.iter().filter(|window| window.listed > 0) {
            let (from, to) = (window.start as usize, (window.start + window.listed) as usize);
            lists[from..to].sort_unstable_by_key(|&(neighbour, _)| neighbour);
        }
    }

    #[inline]
    pub(crate) fn rows_of(&self, group: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[group];
        node.first..node.first + node.size
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.first + node.size)
    }

    /// Groups and couplings: what a factor must agree with.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.nodes.len(), self.couplings.len())
    }

    /// The coupling of two different groups.
    #[inline]
    pub(crate) fn find(&self, row: usize, col: usize) -> Option<Found> {
        let (later, earlier) = if row > col { (row, col) } else { (col, row) };
        let window = self.windows.get(later)?;
        let at = earlier.wrapping_sub(window.first as usize);
        let place = if at < window.length as usize {
            self.places[window.start as usize + at]
        } else {
            self.search(window, earlier)
        };
        (place.0 != Place::NONE.0).then_some(Found {
            coupling: (place.0 >> 2) as usize,
            transposed: (place.0 & 2 != 0) != (row > col),
            whole: place.0 & 1 != 0,
        })
    }

    #[cold]
    fn search(&self, window: &Window, earlier: usize) -> Place {
        if window.listed == 0 {
            return Place::NONE;
        }
        let list = &self.lists[window.start as usize..][..window.listed as usize];
        match list.binary_search_by_key(&earlier, |&(neighbour, _)| neighbour as usize) {
            Ok(at) => list[at].1,
            Err(_) => Place::NONE,
        }
    }

    #[inline]
    pub(crate) fn slot(&self, row: usize, col: usize) -> Option<Slot> {
        if row == col {
            return (row < self.nodes.len()).then(|| Slot::diagonal(row as u32));
        }
        self.find(row, col).map(|found| Slot::coupling(found.coupling as u32, found.transposed))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kkt::Role;

    /// Long windows with few neighbours become lists: the last group of each leg of a robot and the platform that was
    /// declared first.
    #[test]
    fn memory_is_linear_in_the_couplings() {
        for legs in [1, 10, 100] {
            let mut pattern = Pattern::new();
            let platform = pattern.group(6, Role::Primal);
            for _ in 0..legs {
                let leg: Vec<_> = (0..50).map(|_| pattern.group(6, Role::Primal)).collect();
                for pair in leg.windows(2) {
                    pattern.couple(pair[0], pair[1]);
                }
                pattern.couple(leg[49], platform);
            }
            let layout = Layout::new(&pattern);
            let couplings = pattern.couplings.len();
            assert!(layout.places.len() + layout.lists.len() <= (PLACES_PER_NEIGHBOUR * 2 + 1) * couplings);
            for leg in 0..legs {
                let last = 50 * (leg + 1);
                assert!(layout.slot(last, 0).is_some() && layout.slot(last, last - 1).is_some());
                assert!(layout.slot(last, last - 2).is_none());
            }
        }
    }
}
