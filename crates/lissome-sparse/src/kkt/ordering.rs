//! The order of elimination, and with it the pattern of the factor: minimum degree or declaration, under precedence.

use std::collections::BTreeSet;

use super::pattern::{Pattern, PatternError, Role};

/// The order of elimination.
#[derive(Debug)]
pub(crate) struct Ordering {
    /// Group at each position.
    pub(crate) group_at: Vec<u32>,
    /// Position of each group.
    pub(crate) position: Vec<u32>,
    /// For each position, the later positions that its column of the factor reaches, ascending.
    pub(crate) columns: Vec<Vec<u32>>,
}

impl Ordering {
    /// Number of block products that a factorisation in this order takes.
    pub(crate) fn cost(&self) -> usize {
        self.columns.iter().map(|column| column.len() * (column.len() + 3) / 2).sum()
    }
}

/// Which of the groups that may be eliminated is the next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    /// The one with the fewest remaining neighbours, the first declared of several.
    FewestNeighbours,
    /// The first declared.
    FirstDeclared,
}

/// The cheaper of the two orders, with a preference for that of declaration, which suits chains.
pub(crate) fn ordering(pattern: &Pattern) -> Result<Ordering, PatternError> {
    // A factorisation takes two products for every block of the factor and one for every triangle of blocks: an order that
    // adds no block to those of the matrix is the cheapest there is.
    let blocks_of_matrix = pattern.couplings.len();
    let declared = Graph::of(pattern).eliminate(Choice::FirstDeclared, |blocks, _| blocks <= blocks_of_matrix)?;
    if let Some(declared) = declared {
        return Ok(declared);
    }
    let graph = Graph::of(pattern);
    let sparse = graph.clone().eliminate(Choice::FewestNeighbours, |_, _| true)?.expect("any cost is accepted");
    let least = sparse.cost();
    Ok(graph.eliminate(Choice::FirstDeclared, |_, products| products <= least)?.unwrap_or(sparse))
}

/// Which group waits for which: as declared, and multipliers for their primal neighbours unless the reverse was declared, or
/// that one of them is enough.
pub(crate) fn all_waits(pattern: &Pattern) -> BTreeSet<(u32, u32)> {
    let mut waits: BTreeSet<(u32, u32)> = pattern.waits.iter().copied().collect();
    let lean: BTreeSet<u32> = pattern.lean.iter().copied().collect();
    for &(a, b) in &pattern.couplings {
        let usual = match (pattern.nodes[a as usize].role, pattern.nodes[b as usize].role) {
            (Role::Multiplier, Role::Primal) => (a, b),
            (Role::Primal, Role::Multiplier) => (b, a),
            _ => continue,
        };
        if !lean.contains(&usual.0) && !waits.contains(&(usual.1, usual.0)) {
            waits.insert(usual);
        }
    }
    waits
}

/// What is left to eliminate.
#[derive(Clone)]
struct Graph {
    /// Of each group, ascending.
    neighbours: Vec<Vec<u32>>,
    /// How many groups each one waits for.
    pending: Vec<usize>,
    /// The groups that wait for each one, ascending.
    followers: Vec<Vec<u32>>,
}

impl Graph {
    fn of(pattern: &Pattern) -> Self {
        let count = pattern.nodes.len();
        let mut neighbours = vec![Vec::new(); count];
        for &(a, b) in &pattern.couplings {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        neighbours.iter_mut().for_each(|own| own.sort_unstable());
        let mut pending = vec![0; count];
        let mut followers = vec![Vec::new(); count];
        for (group, earlier) in all_waits(pattern) {
            pending[group as usize] += 1;
            followers[earlier as usize].push(group);
        }
        Self { neighbours, pending, followers }
    }

    /// Eliminates group after group among those whose predecessors are gone. The neighbours of an eliminated group all
    /// become neighbours of each other, kept explicitly: for chains with few loops that costs no more than one numerical
    /// factorisation. `None` as soon as `accepts` refuses the blocks of the factor and the block products so far.
    fn eliminate(
        self,
        choice: Choice,
        accepts: impl Fn(usize, usize) -> bool,
    ) -> Result<Option<Ordering>, PatternError> {
        let Self { mut neighbours, mut pending, followers } = self;
        let count = neighbours.len();
        let rank = |neighbours: &[u32]| if choice == Choice::FirstDeclared { 0 } else { neighbours.len() };
        let mut ready: BTreeSet<(usize, u32)> =
            (0..count).filter(|&g| pending[g] == 0).map(|g| (rank(&neighbours[g]), g as u32)).collect();
        let mut group_at = Vec::with_capacity(count);
        let mut reach = Vec::with_capacity(count);
        let mut position = vec![u32::MAX; count];
        let (mut blocks, mut products) = (0, 0);
        let mut union = Vec::new();
        while let Some((_, group)) = ready.pop_first() {
            let clique = std::mem::take(&mut neighbours[group as usize]);
            blocks += clique.len();
            products += clique.len() * (clique.len() + 3) / 2;
            if !accepts(blocks, products) {
                return Ok(None);
            }
            for &u in &clique {
                let own = &mut neighbours[u as usize];
                union_without(own, &clique, group, u, &mut union);
                let (before, now) = (rank(own), rank(&union));
                if pending[u as usize] == 0 && before != now {
                    ready.remove(&(before, u));
                    ready.insert((now, u));
                }
                // The list that is left serves the next union.
                std::mem::swap(own, &mut union);
            }
            for &follower in &followers[group as usize] {
                pending[follower as usize] -= 1;
                if pending[follower as usize] == 0 {
                    ready.insert((rank(&neighbours[follower as usize]), follower));
                }
            }
            position[group as usize] = group_at.len() as u32;
            group_at.push(group);
            reach.push(clique);
        }
        if let Some(group) = position.iter().position(|&p| p == u32::MAX) {
            return Err(PatternError::Circular { group });
        }
        let columns = reach
            .into_iter()
            .map(|groups| {
                let mut rows: Vec<u32> = groups.iter().map(|&g| position[g as usize]).collect();
                rows.sort_unstable();
                rows
            })
            .collect();
        Ok(Some(Ordering { group_at, position, columns }))
    }
}

/// The union of two ascending lists without two elements.
fn union_without(a: &[u32], b: &[u32], skip: u32, skip_too: u32, out: &mut Vec<u32>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&x), None) | (None, Some(&x)) => x,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        if next != skip && next != skip_too {
            out.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_chain_is_eliminated_without_fill() {
        let mut pattern = Pattern::new();
        let groups: Vec<_> = (0..10).map(|_| pattern.group(6, Role::Primal)).collect();
        for pair in groups.windows(2) {
            pattern.couple(pair[0], pair[1]);
        }
        let order = ordering(&pattern).unwrap();
        assert!(order.columns[..9].iter().all(|column| column.len() == 1));
    }

    #[test]
    fn a_star_keeps_its_centre_for_last() {
        let mut pattern = Pattern::new();
        let centre = pattern.group(6, Role::Primal);
        for _ in 0..6 {
            let leaf = pattern.group(6, Role::Primal);
            pattern.couple(centre, leaf);
        }
        let order = ordering(&pattern).unwrap();
        // The last leaf and the centre have one neighbour each.
        assert!(order.position[centre.0 as usize] >= 5);
        assert!(order.columns.iter().all(|column| column.len() <= 1));
    }

    #[test]
    fn a_multiplier_that_leans_on_one_neighbour_does_not_wait_for_others() {
        let mut pattern = Pattern::new();
        let multiplier = pattern.group(3, Role::Multiplier);
        let chain: Vec<_> = (0..5).map(|_| pattern.group(6, Role::Primal)).collect();
        for pair in chain.windows(2) {
            pattern.couple(pair[0], pair[1]);
        }
        pattern.couple(multiplier, chain[0]);
        pattern.couple(multiplier, chain[1]);
        let mark = pattern.mark();
        pattern.after_only_at(multiplier.index(), chain[0].index());
        let order = ordering(&pattern).unwrap();
        let [own, first, second] = [multiplier, chain[0], chain[1]].map(|group| order.position[group.0 as usize]);
        assert!(first < own && own < second);
        pattern.rewind(mark);
        let order = ordering(&pattern).unwrap();
        assert!(order.position[multiplier.0 as usize] > order.position[chain[1].0 as usize]);
    }

    #[test]
    fn multipliers_follow_their_primal_neighbours_and_circles_are_refused() {
        let mut pattern = Pattern::new();
        let multiplier = pattern.group(3, Role::Multiplier);
        let a = pattern.group(6, Role::Primal);
        let b = pattern.group(6, Role::Primal);
        pattern.couple(multiplier, a);
        pattern.couple(b, multiplier);
        let order = ordering(&pattern).unwrap();
        assert_eq!(order.position[0], 2);
        pattern.after(b, multiplier);
        let order = ordering(&pattern).unwrap();
        assert_eq!(order.group_at, [a.0, multiplier.0, b.0]);
        pattern.after(a, b);
        assert!(matches!(ordering(&pattern), Err(PatternError::Circular { .. })));
    }
}
