//! `report.html` of a sweep: curves over one axis, maps over two, and scattered points over anything else.

use super::html;
use super::picture::Picture;
use super::plot::{Curve, Plot};
use super::svg::escape;
use super::sweep_map::Map;
use crate::number::{self, Scaled};
use crate::sweep::table::SweepTable;
use crate::sweep::{Plan, Sweep};
use std::fmt::Write as _;

/// Pictures of a page.
const MOST_PICTURES: usize = 12;
/// Points of a scatter: a page of a million would be too heavy to open.
const MOST_POINTS: usize = 4000;
/// What tells how the work went, and is not plotted unless nothing else is there.
const NOT_PLOTTED: [&str; 3] = ["converged", "stable", "negative_directions"];

/// Numbers of a column with the unit in which they are shown.
struct Shown {
    label: String,
    values: Vec<f64>,
}

/// The whole page.
pub fn html(sweep: &Sweep, table: &SweepTable) -> String {
    let (cases, answered) = (sweep.plan.len(), table.answered());
    let kind = match &sweep.plan {
        Plan::Grid(_) => "every combination of",
        Plan::Latin { .. } => "a Latin hypercube over",
        Plan::Table(_) => "cases of a table with",
    };
    let paths = sweep.plan.paths();
    let named: Vec<String> = paths.iter().take(6).map(|path| escape(path)).collect();
    let more = if paths.len() > 6 { ", …" } else { "" };
    let under = format!("{cases} cases: {kind} {}{more}", named.join(", "));
    let status = if answered == cases { "finished".to_owned() } else { format!("{answered} of {cases} answered") };
    let mood = if answered == cases { html::Mood::Good } else { html::Mood::Bad };
    let mut body = html::heading(&sweep.base.scene, &status, mood, &under);
    body.push_str("<table><tr><th>cases</th><th>ended</th></tr>");
    for (status, count) in &table.counts {
        // Writing to a String cannot fail.
        let _ = write!(body, "<tr><td>{count}</td><td>{}</td></tr>", escape(&status.replace('_', " ")));
    }
    body.push_str("</table>");
    body.push_str(&html::section("Outputs", &pictures(sweep, table)));
    html::page(&sweep.base.scene, &body, &sweep.text, "All rows are in table.csv and table.npz, in SI.")
}

/// The pictures of a sweep, of its first outputs.
pub fn pictures(sweep: &Sweep, table: &SweepTable) -> Vec<Picture> {
    let swept = sweep.plan.paths().len();
    let outputs = outputs(table, swept);
    match (&sweep.plan, swept) {
        (Plan::Grid(_) | Plan::Latin { .. } | Plan::Table(_), 1) => curves(sweep, table, &outputs),
        (Plan::Grid(axes), 2) if axes.iter().all(|axis| axis.count.is_some_and(|count| count > 1)) => {
            maps(sweep, table, &outputs)
        }
        _ => scatters(sweep, table, &outputs),
    }
}

/// Columns worth a picture: what changes from case to case.
fn outputs(table: &SweepTable, swept: usize) -> Vec<usize> {
    let changes = |column: &usize| {
        let Some(Some(values)) = table.numbers.get(*column) else { return false };
        let mut finite = values.iter().filter(|value| value.is_finite());
        let first = finite.next();
        finite.any(|value| Some(value) != first)
    };
    let all: Vec<usize> = (1 + swept..table.numbers.len()).filter(changes).collect();
    let worth: Vec<usize> =
        all.iter().copied().filter(|column| !NOT_PLOTTED.contains(&table.columns[*column].as_str())).collect();
    if worth.is_empty() { all } else { worth }
}

/// A column in the unit that suits it.
fn shown(table: &SweepTable, column: usize) -> Shown {
    let (name, values) = (&table.columns[column], table.numbers[column].clone().unwrap_or_default());
    let largest = values.iter().filter(|x| x.is_finite()).fold(0.0_f64, |most, x| most.max(x.abs()));
    let scaled = match unit_of(name) {
        "" => Scaled { unit: String::new(), factor: 1.0 },
        "rad" => Scaled { unit: "°".into(), factor: 1f64.to_degrees() },
        unit => number::scale(largest, unit),
    };
    let label = if scaled.unit.is_empty() { name.clone() } else { format!("{name} / {}", scaled.unit) };
    Shown { label, values: values.iter().map(|value| value * scaled.factor).collect() }
}

/// A swept column in the unit in which the user gave it.
fn shown_axis(sweep: &Sweep, table: &SweepTable, index: usize) -> Option<Shown> {
    let values = table.numbers.get(1 + index)?.clone()?;
    let Some(axis) = sweep.plan.axes().get(index) else {
        return Some(Shown { label: table.columns[1 + index].clone(), values });
    };
    let one = if axis.unit.is_empty() { 1.0 } else { crate::scene::units::parse(&axis.text(1.0)).ok()?.value };
    let label = if axis.unit.is_empty() { axis.path.clone() } else { format!("{} / {}", axis.path, axis.unit) };
    Some(Shown { label, values: values.iter().map(|value| value / one).collect() })
}

/// Unit of an output, by its name; empty where that does not tell.
fn unit_of(name: &str) -> &'static str {
    let words: Vec<&str> = name.split(['.', '_']).collect();
    let has = |word: &str| words.contains(&word);
    if has("energy") {
        "J"
    } else if has("frequency") {
        "Hz"
    } else if has("position") || has("length") || has("gap") || has("pulled") || has("travel") {
        "m"
    } else if has("tension") || has("force") || has("pull") {
        "N"
    } else if has("moment") {
        "N·m"
    } else if has("angle") {
        "rad"
    } else if has("time") {
        "s"
    } else {
        ""
    }
}

/// Outputs over the only swept path; components of a vector share a plot.
fn curves(sweep: &Sweep, table: &SweepTable, outputs: &[usize]) -> Vec<Picture> {
    let Some(x) = shown_axis(sweep, table, 0) else { return Vec::new() };
    let mut order: Vec<usize> = (0..x.values.len()).collect();
    order.sort_by(|a, b| x.values[*a].total_cmp(&x.values[*b]));
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for column in outputs {
        let whole = whole_name(&table.columns[*column]);
        match groups.iter_mut().find(|(name, _)| *name == whole) {
            Some((_, columns)) => columns.push(*column),
            None => groups.push((whole, vec![*column])),
        }
    }
    let picture = |(name, columns): (String, Vec<usize>)| {
        let largest = columns
            .iter()
            .filter_map(|column| table.numbers[*column].as_ref())
            .flatten()
            .filter(|value| value.is_finite())
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        let unit = unit_of(&name);
        let scaled = match unit {
            "" => Scaled { unit: String::new(), factor: 1.0 },
            unit => number::scale(largest, unit),
        };
        let curves = columns.iter().map(|column| {
            let values = table.numbers[*column].as_deref().unwrap_or_default();
            let component = table.columns[*column][name.len()..].trim_start_matches(['.', '_']).to_owned();
            let points = order.iter().map(|case| (x.values[*case], values[*case] * scaled.factor)).collect();
            Curve { name: component, points }
        });
        let y_label = if scaled.unit.is_empty() { name.clone() } else { format!("{name} / {}", scaled.unit) };
        let plot = Plot {
            title: name.clone(),
            x_label: x.label.clone(),
            y_label,
            curves: curves.collect(),
            dotted: order.len() <= 60,
            ..Plot::default()
        };
        Picture { name: file_name(&name), svg: plot.draw() }
    };
    groups.into_iter().take(MOST_PICTURES).map(picture).collect()
}

/// The name of a vector without its component.
fn whole_name(column: &str) -> String {
    let component = [".x", ".y", ".z", "_x", "_y", "_z"].into_iter().find_map(|end| column.strip_suffix(end));
    component.unwrap_or(column).to_owned()
}

/// Outputs as colours over two axes.
fn maps(sweep: &Sweep, table: &SweepTable, outputs: &[usize]) -> Vec<Picture> {
    let (Some(down), Some(across)) = (shown_axis(sweep, table, 0), shown_axis(sweep, table, 1)) else {
        return Vec::new();
    };
    // The second axis changes fastest.
    let columns = sweep.plan.axes()[1].count.unwrap_or(1);
    let x: Vec<f64> = across.values[..columns].to_vec();
    let y: Vec<f64> = down.values.iter().step_by(columns).copied().collect();
    let map = |column: &usize| {
        let value = shown(table, *column);
        let map = Map {
            title: &value.label,
            x_label: &across.label,
            y_label: &down.label,
            x: &x,
            y: &y,
            values: &value.values,
        };
        Picture { name: file_name(&table.columns[*column]), svg: map.draw() }
    };
    outputs.iter().take(MOST_PICTURES).map(map).collect()
}

/// Outputs as points over each swept path.
fn scatters(sweep: &Sweep, table: &SweepTable, outputs: &[usize]) -> Vec<Picture> {
    let axes: Vec<Shown> = (0..sweep.plan.paths().len()).filter_map(|index| shown_axis(sweep, table, index)).collect();
    let rows = outputs.iter().take((MOST_PICTURES / axes.len().max(1)).max(1));
    let mut pictures = Vec::new();
    for column in rows {
        let y = shown(table, *column);
        for (index, x) in axes.iter().enumerate().take(MOST_PICTURES) {
            let every = y.values.len().div_ceil(MOST_POINTS).max(1);
            // A point that is no number lifts the pen, so that dots stay unconnected.
            let points = x.values.iter().zip(&y.values).step_by(every);
            let points = points.flat_map(|(x, y)| [(*x, *y), (f64::NAN, f64::NAN)]).collect();
            let plot = Plot {
                title: format!("{} over {}", table.columns[*column], table.columns[1 + index]),
                x_label: x.label.clone(),
                y_label: y.label.clone(),
                curves: vec![Curve { name: String::new(), points }],
                dotted: true,
                ..Plot::default()
            };
            let name = format!("{}-{index}", file_name(&table.columns[*column]));
            pictures.push(Picture { name, svg: plot.draw() });
        }
    }
    pictures
}

/// Letters, digits and hyphens of a name.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
