//! How derivatives change in the course of a motion or along a path.

use super::picture::Picture;
use super::plot::{Curve, Plot, flush};
use super::svg::escape;
use super::tables::titled;
use crate::number;
use lissome_solve::DerivativeCourse;

/// Points of a curve.
const POINTS: usize = 1000;

/// What runs to the right.
pub(super) struct Axis {
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    /// What the names of pictures begin with.
    file: &'static str,
}

impl Axis {
    /// Time of a motion.
    pub const TIME: Self = Self { name: "time", label: "time / s", unit: "s", file: "motion" };
    /// Parameter of a path.
    pub const PARAMETER: Self = Self { name: "parameter", label: "parameter", unit: "", file: "path" };
}

/// Derivatives at the last place that was reached: a row for each number, a column for each row of the output.
pub(super) fn table(record: &DerivativeCourse, axis: &Axis) -> String {
    let known = record.at.iter().zip(&record.values).rev().find(|(_, values)| values.iter().all(|x| x.is_finite()));
    let Some((at, values)) = known else { return String::new() };
    let value = |x: f64| if x == 0.0 { "0: does not depend".into() } else { number::significant(x, 6) };
    let rows = record.wrt.iter().enumerate().map(|(column, path)| {
        let own = values.iter().skip(column).step_by(record.wrt.len()).map(|x| value(*x));
        std::iter::once(path.clone()).chain(own).collect()
    });
    let names: Vec<String> = record.of.iter().map(|name| escape(name)).collect();
    let head: Vec<&str> = std::iter::once("by").chain(names.iter().map(String::as_str)).collect();
    let place = if axis.unit.is_empty() { number::significant(*at, 6) } else { number::with_unit(*at, axis.unit) };
    titled(&format!("Derivatives at {} {place}, per SI unit", axis.name), &head, rows.collect())
}

/// Their course: a plot for each number.
pub(super) fn pictures(all: &[DerivativeCourse], axis: &Axis) -> Vec<Picture> {
    all.iter().enumerate().flat_map(|(index, record)| plots(index, record, axis)).collect()
}

fn plots(index: usize, record: &DerivativeCourse, axis: &Axis) -> Vec<Picture> {
    let thin = record.at.len().div_ceil(POINTS).max(1);
    let plot = |(column, path): (usize, &String)| {
        let at = |row: usize| row * record.wrt.len() + column;
        let sizes = record.values.iter().flat_map(|all| (0..record.of.len()).map(|row| all[at(row)].abs()));
        let largest = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
        let curves = record.of.iter().enumerate().map(|(row, name)| {
            let points = record.at.iter().zip(&record.values).step_by(thin);
            let points =
                points.map(|(place, all)| (*place, flush(all[at(row)], largest))).filter(|(_, y)| y.is_finite());
            Curve { name: name.clone(), points: points.collect() }
        });
        let plot = Plot {
            title: format!("Derivative by {path}, per SI unit"),
            x_label: axis.label.into(),
            curves: curves.collect(),
            axis: Some(axis.name),
            ..Plot::default()
        };
        Picture { name: format!("{}-derivative-{index}-{column}", axis.file), svg: plot.draw() }
    };
    record.wrt.iter().enumerate().map(plot).collect()
}
