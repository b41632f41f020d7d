//! The diagram of branches that were followed by their length: drive and response, stable parts solid, unstable ones
//! dashed, events marked; and its tables.

use super::column_scale::{labelled, scaling};
use super::course::{self, Column, Unit};
use super::picture::Picture;
use super::plot::{Curve, Plot, Stroke};
use super::tables::table;
use crate::branches;
use crate::number::significant;
use crate::summary::Summary;
use lissome_model::Scene;
use lissome_solve::{EventKind, PathSample};

/// A response is that of a rod's end if that moves this part of what any place of a rod does.
const ENDS_FIRST: f64 = 0.95;
/// Motions below this part of a rod's length are none; then turns are shown.
const MOVES: f64 = 1e-6;
/// Branches that have a name in the legend.
const NAMED: usize = 4;
/// Colour of the first kind of mark.
const FIRST_MARK: usize = 4;

/// The picture; none without branches or without anything that is driven.
pub fn pictures(summary: &Summary<'_>) -> Vec<Picture> {
    let (scene, path) = (summary.scene, summary.path);
    if summary.branches.is_empty() || path.len() < 2 {
        return Vec::new();
    }
    let drives = course::drives(scene, path);
    let drive = drives.iter().max_by(|a, b| a.column.range().total_cmp(&b.column.range()));
    let first = drives.iter().find(|drive| drive.column.range() > 0.0).or(drive);
    let (Some(drive), Some(response)) = (first, response(scene, path)) else { return Vec::new() };
    let (x, y) = if drive.is_effort { (&response, &drive.column) } else { (&drive.column, &response) };
    let (of_x, of_y) = (scaling(&[x]), scaling(&[y]));
    let point = |index: usize| (x.values[index] * of_x.factor, y.values[index] * of_y.factor);
    let stable = |index: usize| path[index].equilibrium.is_stable() == Some(true);
    let (mut curves, mut strokes) = (Vec::new(), Vec::new());
    for (number, branch) in summary.branches.iter().enumerate() {
        let mut name = if number < NAMED { format!("branch {number}") } else { String::new() };
        let range = branch.samples.start..branch.samples.end.min(path.len());
        let mut begin = range.start;
        while begin + 1 < range.end {
            // A piece is as stable as its inner points; events stand between pieces.
            let solid = stable(begin + 1);
            let is_end = |index: usize| !path[index].equilibrium.outcome.events.is_empty() && index > 0;
            let mut end = begin + 1;
            while end + 1 < range.end && !is_end(end) && stable(end + 1) == solid {
                end += 1;
            }
            curves.push(Curve { name: std::mem::take(&mut name), points: (begin..=end).map(point).collect() });
            strokes.push(Stroke { colour: number, dashed: !solid });
            begin = end;
        }
    }
    let kinds = [EventKind::Fold, EventKind::Bifurcation];
    let of_kind = |kind: EventKind| kinds.iter().position(|k| *k == kind).unwrap_or(0);
    let marks: Vec<(f64, f64, usize)> = branches::events(path)
        .map(|(index, _, event)| (point(index).0, point(index).1, FIRST_MARK + of_kind(event.kind)))
        .collect();
    let seen = |kind: EventKind| branches::events(path).any(|(.., event)| event.kind == kind);
    let mark_names = kinds.iter().map(|k| if seen(*k) { k.name().to_owned() } else { String::new() }).collect();
    let plot = Plot {
        title: format!("{} against {}", y.name, x.name),
        x_label: labelled(&x.name, &of_x),
        y_label: labelled(&y.name, &of_y),
        curves,
        strokes,
        marks,
        mark_names,
        first_mark: FIRST_MARK,
        ..Plot::default()
    };
    vec![Picture { name: "path-branches".into(), svg: plot.draw() }]
}

/// The coordinate that tells branches apart best: that of the place, on any rod, body or joint, which goes farthest.
fn response(scene: &Scene, path: &[PathSample]) -> Option<Column> {
    let mut best: Option<Column> = None;
    for place in course::moving_places(scene, path, 3) {
        for column in place.displacement() {
            offer(&mut best, Column { name: format!("{} along {}", place.name, column.name), ..column }, 1.0);
        }
    }
    for (index, rod) in scene.rods.iter().enumerate() {
        let places = path.iter().map(|sample| sample.equilibrium.rods[index].samples.len()).min().unwrap_or(0);
        for place in 0..places {
            let at = |sample: &PathSample| sample.equilibrium.rods[index].samples[place];
            let s = path.first().map_or(0.0, |sample| at(sample).s);
            for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                let start = path.first().map_or(0.0, |sample| at(sample).pose.position[axis]);
                let values: Vec<f64> = path.iter().map(|sample| at(sample).pose.position[axis] - start).collect();
                let name = format!("{} at s = {} along {name}", rod.name, significant(s, 3));
                offer(&mut best, Column { name, unit: Unit::Length, values }, ENDS_FIRST);
            }
        }
    }
    let longest = scene.rods.iter().map(|rod| rod.length).fold(0.0, f64::max);
    if best.as_ref().is_none_or(|best| best.range() < MOVES * longest) {
        for column in course::joints(scene, path) {
            offer(&mut best, column, f64::INFINITY);
        }
    }
    best.filter(|column| column.range() > 0.0)
}

/// Takes a column that goes farther than the best so far, by so much less as its weight says.
fn offer(best: &mut Option<Column>, column: Column, weight: f64) {
    if best.as_ref().is_none_or(|best| column.range() * weight > best.range()) {
        *best = Some(column);
    }
}

/// What happens on the branches, and where each begins and ends.
pub fn tables(summary: &Summary<'_>) -> String {
    if summary.branches.is_empty() {
        return String::new();
    }
    let branch_rows = summary.branches.iter().enumerate().map(|(index, branch)| {
        let neutral = if branch.neutral { "yes: one of a family" } else { "" };
        vec![
            index.to_string(),
            branches::origin_words(branch),
            branch.samples.len().to_string(),
            branches::end_words(branch),
            neutral.into(),
        ]
    });
    let events = branches::events(summary.path).map(|(index, sample, event)| {
        vec![
            sample.branch.to_string(),
            index.to_string(),
            branches::event_words(event),
            branches::drive_words(summary.scene, event),
            branches::change_words(event),
        ]
    });
    let events: Vec<Vec<String>> = events.collect();
    let mut text = table(&["branch", "begins at", "samples", "ends", "turns for free"], branch_rows.collect());
    if !events.is_empty() {
        text.push_str(&table(&["branch", "sample", "event", "drives there", "stability"], events));
    }
    text
}
