//! Targets of an inverse job on the screen: how many samples meet them, and the drives that were found.

use super::family_lines;
use lissome::io::number::significant;
use lissome::io::sought::{gap_words, job_of, met, worst};
use lissome::io::summary::Summary;
use lissome::solve::inverse::End;

/// Nothing for another job.
pub fn lines(summary: &Summary<'_>) -> Vec<String> {
    let Some(job) = job_of(summary.scene) else { return Vec::new() };
    let Some((sample, sought)) = worst(summary.path) else { return Vec::new() };
    let (count, of) = (met(summary.path), summary.path.len());
    let mut lines = vec![match (count == of, of) {
        (true, 1) => "  targets  met".to_owned(),
        (true, _) => format!("  targets  met at all {of} samples"),
        (false, 1) => "  targets  not met: the nearest point follows".to_owned(),
        (false, _) => format!("  targets  met at {count} of {of} samples"),
    }];
    if sought.end != End::Met {
        let gaps = job.targets.iter().zip(&sought.gaps);
        let words: Vec<String> =
            gaps.map(|(target, gap)| format!("{} by {}", target.name, gap_words(*gap, target.output.unit()))).collect();
        lines.push(format!("           missed at {}: {}", significant(sample.at, 4), words.join(", ")));
    }
    let Some(last) = summary.path.last() else { return lines };
    let drives = job.free.iter().map(|free| {
        let value = last.drives.get(free.drive).copied().unwrap_or(f64::NAN);
        format!("{} = {}", summary.scene.drives[free.drive].path, significant(value, 6))
    });
    lines.extend(family_lines("drives", drives.collect()));
    lines
}
