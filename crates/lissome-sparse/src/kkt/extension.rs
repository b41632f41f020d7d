//! The order of elimination of a pattern that grew at its end, from the order that it had before.
//!
//! Groups that were added come right after the last group they wait for. What was ordered before keeps its order, so that
//! nothing has to be searched: the columns of the factor follow from the order in time linear in their number.

use super::ordering::{Ordering, all_waits};
use super::pattern::Pattern;

/// The order of `pattern` that starts from `base`, the order of its first groups. `None` if a group would precede one that
/// it waits for.
pub(crate) fn extended(pattern: &Pattern, base: &[u32]) -> Option<Ordering> {
    let count = pattern.nodes.len();
    let waits = all_waits(pattern);
    // Where each group is in the base, or after which of its places it comes.
    let mut place = vec![0; count];
    for (at, &group) in base.iter().enumerate() {
        place[group as usize] = at;
    }
    let mut added = vec![Vec::new(); base.len().max(1)];
    let mut waiting = waits.range((base.len() as u32, 0)..).peekable();
    for group in base.len()..count {
        let mut last = None;
        while let Some(&(_, earlier)) = waiting.next_if(|&&(waiting, _)| waiting as usize == group) {
            last = last.max(Some(place[earlier as usize]));
        }
        place[group] = last.unwrap_or(base.len().saturating_sub(1));
        added[place[group]].push(group as u32);
    }
    let mut group_at = Vec::with_capacity(count);
    for (at, added) in added.iter().enumerate() {
        group_at.extend(base.get(at));
        group_at.extend(added);
    }
    let mut position = vec![0; count];
    for (at, &group) in group_at.iter().enumerate() {
        position[group as usize] = at as u32;
    }
    let kept = waits.iter().all(|&(group, earlier)| position[group as usize] > position[earlier as usize]);
    kept.then(|| {
        let columns = columns(pattern, &position);
        Ordering { group_at, position, columns }
    })
}

/// The later positions that the column of each position reaches: those it is coupled with, and those that the columns
/// whose first entry it is reach.
fn columns(pattern: &Pattern, position: &[u32]) -> Vec<Vec<u32>> {
    let count = position.len();
    let mut columns = vec![Vec::new(); count];
    for &(a, b) in &pattern.couplings {
        let (a, b) = (position[a as usize], position[b as usize]);
        columns[a.min(b) as usize].push(a.max(b));
    }
    for j in 0..count {
        let (done, rest) = columns.split_at_mut(j + 1);
        let column = &mut done[j];
        column.sort_unstable();
        column.dedup();
        if let Some((&first, others)) = column.split_first() {
            rest[first as usize - j - 1].extend_from_slice(others);
        }
    }
    columns
}
