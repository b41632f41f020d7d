//! Targets of an inverse job: a table of what became of them, and the drives that were found.

use super::course;
use super::svg::escape;
use super::tables::table;
use crate::number::significant;
use crate::sought::{at_limits, gap_words, job_of, met, worst};
use crate::summary::Summary;
use lissome_model::Wanted;
use nalgebra::Vector3;
use std::fmt::Write as _;

/// The section; nothing for another job.
pub fn section(summary: &Summary<'_>) -> String {
    let Some(job) = job_of(summary.scene) else { return String::new() };
    let mut out = String::from("<h2>Targets</h2>");
    let (count, of) = (met(summary.path), summary.path.len());
    // Writing to a String cannot fail.
    let _ = write!(out, "<p>{count} of {of} sample{} meet every target.</p>", if of == 1 { "" } else { "s" });
    let last = summary.path.last().and_then(|sample| sample.sought.as_ref());
    let worst = worst(summary.path);
    let gap = |of: Option<f64>, unit: &str| of.map_or("–".to_owned(), |gap| gap_words(gap, unit));
    let rows = job.targets.iter().enumerate().map(|(index, target)| {
        let unit = target.output.unit();
        vec![
            escape(&target.name),
            what(&target.output).to_owned(),
            gap(last.and_then(|own| own.gaps.get(index).copied()), unit),
            gap(worst.and_then(|(_, own)| own.gaps.get(index).copied()), unit),
            significant(target.weight, 4),
        ]
    });
    out.push_str(&table(&["target", "of", "missed by, last", "missed by, worst sample", "weight"], rows.collect()));
    let limits = last.map(|own| at_limits(summary.scene, job, own)).unwrap_or_default();
    let drives = course::drives(summary.scene, summary.path);
    let rows = job.free.iter().filter_map(|free| {
        let path = &summary.scene.drives[free.drive].path;
        let value = summary.path.last()?.drives.get(free.drive)?;
        let end = |limit: f64| if limit.is_finite() { significant(limit, 6) } else { "–".to_owned() };
        let unit = match drives.get(free.drive)?.column.unit {
            course::Unit::Angle => "rad",
            course::Unit::Length => "m",
            course::Unit::Force => "N",
            course::Unit::Moment => "N m",
            course::Unit::Factor => "1",
        };
        let held = if limits.contains(path) { "at its limit" } else { "" };
        Some(vec![
            escape(path),
            significant(*value, 8),
            unit.to_owned(),
            end(free.limits.0),
            end(free.limits.1),
            held.to_owned(),
        ])
    });
    out.push_str(&table(&["free drive", "found, last", "unit", "least", "greatest", ""], rows.collect()));
    out
}

fn what(output: &Wanted) -> &'static str {
    match output {
        Wanted::Position { .. } => "position",
        Wanted::Rotation { .. } => "rotation",
        Wanted::Direction { .. } => "direction",
        Wanted::TendonTension { .. } | Wanted::CableTension { .. } => "tension",
        Wanted::TendonLength { .. } | Wanted::CableLength { .. } => "length",
        Wanted::SpringPull { .. } => "pull",
        Wanted::Force { .. } => "force",
    }
}

/// Where places are to be, at every sample: to be drawn beside the robot.
pub fn places(summary: &Summary<'_>) -> Vec<Vec<Vector3<f64>>> {
    let Some(job) = job_of(summary.scene) else { return Vec::new() };
    let moments: Vec<f64> = match summary.path {
        [] => vec![job.end],
        path => path.iter().map(|sample| sample.at).collect(),
    };
    let of = |output: &Wanted| moments.iter().map(|at| output.position_at(*at)).collect::<Option<Vec<_>>>();
    job.targets.iter().filter_map(|target| of(&target.output)).collect()
}
