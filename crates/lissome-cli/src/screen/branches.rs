//! Branches of equilibria on the screen: what happens on them, and how each ends.

use lissome::io::branches::{change_words, drive_words, end_words, event_words, events, origin_words};
use lissome::io::number::significant;
use lissome::io::summary::Summary;
use lissome::model::Job;
use lissome::solve::{FoldCurve, FoldPoint};

/// Events and branches that have a line; the run folder has all.
const MOST_LINES: usize = 16;

/// Where each curve of folds begins and ends; nothing for another job.
fn fold_lines(summary: &Summary<'_>) -> Vec<String> {
    let words = |point: &FoldPoint| {
        let values = summary.scene.drives.iter().zip(&point.drives);
        let values: Vec<String> = values.map(|(d, value)| format!("{} = {}", d.path, significant(*value, 6))).collect();
        values.join(", ")
    };
    let line = |(index, curve): (usize, &FoldCurve)| {
        let ends = curve.points.first().zip(curve.points.last());
        let (first, last) = ends.map_or_else(Default::default, |(first, last)| (words(first), words(last)));
        let cusps: Vec<String> = curve.points.iter().filter(|point| point.cusp).map(words).collect();
        let cusps = if cusps.is_empty() { String::new() } else { format!(", cusp at {}", cusps.join(" and ")) };
        let (count, end) = (curve.points.len(), curve.end.name());
        format!("  folds {index:<2} {count} from {first} to {last}{cusps} ({end})")
    };
    summary.fold_curves.iter().enumerate().map(line).collect()
}

/// Nothing for a path from sample to sample.
pub fn lines(summary: &Summary<'_>) -> Vec<String> {
    if let Job::FoldCurve(_) = summary.scene.job {
        let lines = fold_lines(summary);
        return if lines.is_empty() { vec!["  folds    the path meets none".to_owned()] } else { lines };
    }
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
