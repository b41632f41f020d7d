//! Branches of equilibria on the screen: what happens on them, and how each ends.

use lissome::io::branches::{change_words, drive_words, end_words, event_words, events, origin_words};
use lissome::io::summary::Summary;

/// Events and branches that have a line; the run folder has all.
const MOST_LINES: usize = 16;

/// Nothing for a path from sample to sample.
pub fn lines(summary: &Summary<'_>) -> Vec<String> {
    if summary.branches.is_empty() {
        return Vec::new();
    }
    let mut lines: Vec<String> = Vec::new();
    for (index, branch) in summary.branches.iter().enumerate() {
        let neutral = if branch.neutral { "; turns for free, one of a family" } else { "" };
        let (origin, end) = (origin_words(branch), end_words(branch));
        lines.push(format!("  branch {index:<2} from {origin}: {} points, {end}{neutral}", branch.samples.len()));
        for (_, _, event) in events(summary.path).filter(|(_, sample, _)| sample.branch == index) {
            let (what, change) = (event_words(event), change_words(event));
            lines.push(format!("           {what} at {}: {change}", drive_words(summary.scene, event)));
        }
    }
    let left = lines.len().saturating_sub(MOST_LINES);
    if left > 1 {
        lines.truncate(MOST_LINES);
        lines.push(format!("           and {left} lines more: see `events.jsonl` and `path.csv` of the run folder"));
    }
    lines
}
