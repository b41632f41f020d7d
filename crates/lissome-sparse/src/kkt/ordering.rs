//! Minimum degree under precedence: the order of elimination, and with it the pattern of the factor.

use std::collections::BTreeSet;

use super::pattern::{Pattern, PatternError, Role};

/// The order of elimination.
pub(crate) struct Ordering {
    /// Group at each position.
    pub(crate) group_at: Vec<u32>,
    /// Position of each group.
    pub(crate) position: Vec<u32>,
    /// For each position, the later positions that its column of the factor reaches, ascending.
    pub(crate) columns: Vec<Vec<u32>>,
}

/// Eliminates, again and again, the group with the fewest remaining neighbours among those whose predecessors are gone;
/// the first declared of several. The neighbours of an eliminated group all become neighbours of each other, kept
/// explicitly: for chains with few loops that costs no more than one numerical factorisation.
pub(crate) fn minimum_degree(pattern: &Pattern) -> Result<Ordering, PatternError> {
    let count = pattern.nodes.len();
    let mut neighbours = vec![BTreeSet::new(); count];
    let mut waits: BTreeSet<(u32, u32)> = pattern.waits.iter().copied().collect();
    for &(a, b) in &pattern.couplings {
        neighbours[a as usize].insert(b);
        neighbours[b as usize].insert(a);
        match (pattern.nodes[a as usize].role, pattern.nodes[b as usize].role) {
            (Role::Multiplier, Role::Primal) => waits.insert((a, b)),
            (Role::Primal, Role::Multiplier) => waits.insert((b, a)),
            _ => false,
        };
    }
    let mut neighbours: Vec<Vec<u32>> = neighbours.into_iter().map(|set| set.into_iter().collect()).collect();
    let mut pending = vec![0usize; count];
    let mut followers = vec![Vec::new(); count];
    for (group, earlier) in waits {
        pending[group as usize] += 1;
        followers[earlier as usize].push(group);
    }

    let mut ready: BTreeSet<(usize, u32)> =
        (0..count).filter(|&g| pending[g] == 0).map(|g| (neighbours[g].len(), g as u32)).collect();
    let mut group_at = Vec::with_capacity(count);
    let mut reach = Vec::with_capacity(count);
    let mut position = vec![u32::MAX; count];
    while let Some((_, group)) = ready.pop_first() {
        let clique = std::mem::take(&mut neighbours[group as usize]);
        for &u in &clique {
            let old = std::mem::take(&mut neighbours[u as usize]);
            let new = union_without(&old, &clique, group, u);
            if pending[u as usize] == 0 {
                ready.remove(&(old.len(), u));
                ready.insert((new.len(), u));
            }
            neighbours[u as usize] = new;
        }
        for &follower in &followers[group as usize] {
            pending[follower as usize] -= 1;
            if pending[follower as usize] == 0 {
                ready.insert((neighbours[follower as usize].len(), follower));
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
    Ok(Ordering { group_at, position, columns })
}

/// The union of two ascending lists without two elements.
fn union_without(a: &[u32], b: &[u32], skip: u32, skip_too: u32) -> Vec<u32> {
    let mut out = Vec::with_capacity(a.len() + b.len());
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
    out
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
        let ordering = minimum_degree(&pattern).unwrap();
        assert!(ordering.columns[..9].iter().all(|column| column.len() == 1));
    }

    #[test]
    fn a_star_keeps_its_centre_for_last() {
        let mut pattern = Pattern::new();
        let centre = pattern.group(6, Role::Primal);
        for _ in 0..6 {
            let leaf = pattern.group(6, Role::Primal);
            pattern.couple(centre, leaf);
        }
        let ordering = minimum_degree(&pattern).unwrap();
        // The last leaf and the centre have one neighbour each.
        assert!(ordering.position[centre.0 as usize] >= 5);
        assert!(ordering.columns.iter().all(|column| column.len() <= 1));
    }

    #[test]
    fn multipliers_follow_their_primal_neighbours_and_circles_are_refused() {
        let mut pattern = Pattern::new();
        let multiplier = pattern.group(3, Role::Multiplier);
        let a = pattern.group(6, Role::Primal);
        let b = pattern.group(6, Role::Primal);
        pattern.couple(multiplier, a);
        pattern.couple(b, multiplier);
        let ordering = minimum_degree(&pattern).unwrap();
        assert_eq!(ordering.position[0], 2);
        pattern.after(a, multiplier);
        assert!(matches!(minimum_degree(&pattern), Err(PatternError::Circular { .. })));
    }
}
