//! `report.html` of a fit: the numbers with their errors, how they hang together, and what is left of every measured value.

use super::html;
use super::picture::Picture;
use super::plot::{Curve, Plot};
use super::svg::escape;
use crate::fit::{FitAnswer, FittedPoint};
use crate::number::{self, Scaled, significant};
use crate::scene::LoadedScene;
use crate::summary::Ending;
use std::fmt::Write as _;

/// Pictures of a kind on a page, and points of a picture: a page of a million would be too heavy to open.
const MOST_PICTURES: usize = 8;
const MOST_POINTS: usize = 4000;

/// The whole page.
pub fn html(loaded: &LoadedScene, answer: &FitAnswer, ending: Ending) -> String {
    let warnings = answer.warnings(ending);
    let mood = match (answer.succeeded(), warnings.is_empty()) {
        (true, true) => html::Mood::Good,
        (true, false) => html::Mood::Careful,
        (false, _) => html::Mood::Bad,
    };
    let under = format!(
        "{} numbers from {} measured values of {} experiments",
        answer.numbers.len(),
        answer.points.len(),
        answer.experiments
    );
    let mut body = html::heading(&loaded.scene, answer.status(ending), mood, &under);
    warnings.iter().for_each(|warning| body.push_str(&html::note(warning)));
    body.push_str(&numbers(answer));
    body.push_str(&correlations(answer));
    body.push_str(&outputs(answer));
    body.push_str(&html::section("What is left", &residuals(answer)));
    let course = answer.points.iter().any(|point| point.time.is_some());
    let against = if course { over_time(answer) } else { against(answer) };
    body.push_str(&html::section("Predicted and measured", &against));
    let remark = "Every value is in residuals.csv, in SI; the scene with the numbers found is fitted.toml.";
    html::page(&loaded.scene, &body, &answer.fitted_scene, remark)
}

/// A value in the prefix that another one suits.
fn shown(value: f64, like: f64, unit: &str) -> String {
    if !value.is_finite() {
        return "not told".into();
    }
    let scaled = scaled(like, unit);
    format!("{} {}", significant(value * scaled.factor, 6), scaled.unit).trim_end().to_owned()
}

fn scaled(magnitude: f64, unit: &str) -> Scaled {
    match unit {
        "rad" => Scaled { unit: "°".into(), factor: 1f64.to_degrees() },
        "m" | "N" | "Pa" | "N·m" | "Hz" => number::scale(magnitude.abs(), unit),
        unit => Scaled { unit: unit.to_owned(), factor: 1.0 },
    }
}

fn numbers(answer: &FitAnswer) -> String {
    let mut table = String::from(
        "<h2>Numbers</h2><table><tr><th>number</th><th>found</th><th>standard error</th><th>95 % interval</th><th>began at</th></tr>",
    );
    for own in &answer.numbers {
        let shown = |value: f64| shown(value, own.value, &own.unit);
        let interval = match (own.at_limit, own.half_width.is_finite()) {
            (true, _) => "at its limit".into(),
            (_, false) => "not told".into(),
            _ => format!("{} to {}", shown(own.value - own.half_width), shown(own.value + own.half_width)),
        };
        let error = if own.at_limit { "–".into() } else { shown(own.standard_error) };
        // Writing to a String cannot fail.
        let _ = write!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{error}</td><td>{interval}</td><td>{}</td></tr>",
            escape(&own.path),
            shown(own.value),
            shown(own.start)
        );
    }
    table + "</table>"
}

fn correlations(answer: &FitAnswer) -> String {
    if answer.numbers.len() < 2 {
        return String::new();
    }
    let mut table = String::from("<h2>Correlations</h2><table><tr><th></th>");
    for own in &answer.numbers {
        let _ = write!(table, "<th>{}</th>", escape(&own.path));
    }
    table.push_str("</tr>");
    for (row, own) in answer.estimate.correlations.row_iter().zip(&answer.numbers) {
        let _ = write!(table, "<tr><td>{}</td>", escape(&own.path));
        row.iter().for_each(|value| {
            let _ = write!(table, "<td>{}</td>", significant((value * 1000.0).round() / 1000.0, 3));
        });
        table.push_str("</tr>");
    }
    table + "</table>"
}

fn outputs(answer: &FitAnswer) -> String {
    let mut table = String::from(
        "<h2>Outputs</h2><table><tr><th>measured</th><th>values</th><th>root mean square left</th><th>mean left</th><th>noise</th></tr>",
    );
    for own in &answer.outputs {
        let shown = |value: f64| shown(value, own.rms.max(own.noise), &own.unit);
        let _ = write!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&own.name),
            own.count,
            shown(own.rms),
            shown(own.mean),
            shown(own.noise)
        );
    }
    table + "</table>"
}

/// Points of an output, not more than a page can show.
fn points_of(answer: &FitAnswer, output: usize) -> Vec<&FittedPoint> {
    let all: Vec<&FittedPoint> = answer.points.iter().filter(|point| point.output == output).collect();
    let every = all.len().div_ceil(MOST_POINTS).max(1);
    all.into_iter().step_by(every).collect()
}

/// Dots that are not connected: a point that is no number lifts the pen.
fn dots(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    points.flat_map(|point| [point, (f64::NAN, f64::NAN)]).collect()
}

/// Residuals over what they should scatter by, over the rows.
fn residuals(answer: &FitAnswer) -> Vec<Picture> {
    let limit = FitAnswer::outlier_from(answer.points.len());
    let picture = |(index, output): (usize, &crate::fit::FittedOutput)| {
        let points = points_of(answer, index);
        let rows = (points.first().map_or(0.0, |p| p.row as f64), points.last().map_or(1.0, |p| p.row as f64));
        let level = |value: f64| Curve { name: String::new(), points: vec![(rows.0, value), (rows.1, value)] };
        let left = Curve { name: String::new(), points: dots(points.iter().map(|p| (p.row as f64, p.standardised))) };
        let marks = points.iter().filter(|p| p.outlier).map(|p| (p.row as f64, p.standardised, 1)).collect();
        let plot = Plot {
            title: format!("{} less measured, over its noise", output.name),
            x_label: "row".into(),
            y_label: "standard deviations".into(),
            curves: vec![left, level(limit), level(-limit)],
            strokes: [(0, false), (4, true), (4, true)]
                .map(|(colour, dashed)| super::plot::Stroke { colour, dashed })
                .to_vec(),
            marks,
            counted: true,
            dotted: true,
            ..Plot::default()
        };
        Picture { name: format!("residuals-{index}"), svg: plot.draw() }
    };
    answer.outputs.iter().enumerate().take(MOST_PICTURES).map(picture).collect()
}

/// Predicted over measured, with the line on which both are the same.
fn against(answer: &FitAnswer) -> Vec<Picture> {
    let picture = |(index, output): (usize, &crate::fit::FittedOutput)| {
        let points = points_of(answer, index);
        let largest = points.iter().fold(0.0_f64, |most, p| most.max(p.measured.abs()));
        let scaled = scaled(largest, &output.unit);
        let values = || points.iter().map(|p| p.measured * scaled.factor);
        let ends = [values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)];
        let cloud = points.iter().map(|p| (p.measured * scaled.factor, p.predicted() * scaled.factor));
        let label = |what: &str| format!("{what} / {}", scaled.unit);
        let plot = Plot {
            title: output.name.clone(),
            x_label: label("measured"),
            y_label: label("predicted"),
            curves: vec![
                Curve { name: "predicted".into(), points: dots(cloud) },
                Curve { name: "the same".into(), points: ends.map(|end| (end, end)).to_vec() },
            ],
            dotted: true,
            ..Plot::default()
        };
        Picture { name: format!("against-{index}"), svg: plot.draw() }
    };
    answer.outputs.iter().enumerate().take(MOST_PICTURES).map(picture).collect()
}

/// Both over time.
fn over_time(answer: &FitAnswer) -> Vec<Picture> {
    let picture = |(index, output): (usize, &crate::fit::FittedOutput)| {
        let points = points_of(answer, index);
        let largest = points.iter().fold(0.0_f64, |most, p| most.max(p.measured.abs()));
        let scaled = scaled(largest, &output.unit);
        let time = |point: &FittedPoint| point.time.unwrap_or_default();
        let measured = points.iter().map(|p| (time(p), p.measured * scaled.factor));
        let mut predicted: Vec<(f64, f64)> = points.iter().map(|p| (time(p), p.predicted() * scaled.factor)).collect();
        predicted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let plot = Plot {
            title: output.name.clone(),
            x_label: "time / s".into(),
            y_label: format!("{} / {}", output.name, scaled.unit),
            curves: vec![
                Curve { name: "measured".into(), points: dots(measured) },
                Curve { name: "predicted".into(), points: predicted },
            ],
            dotted: points.len() <= 400,
            ..Plot::default()
        };
        Picture { name: format!("course-{index}"), svg: plot.draw() }
    };
    answer.outputs.iter().enumerate().take(MOST_PICTURES).map(picture).collect()
}
