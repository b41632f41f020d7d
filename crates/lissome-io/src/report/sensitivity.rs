//! How the tips of rods, and bodies that rods carry, move with tendons and loads: a table for each, and the ellipse of its compliance in the view.
//!
//! The ellipse is the shadow of where a force of one size, in every direction, would move the tip: {C f : |f| = 1} seen along
//! the line of sight, drawn so that it fits into the picture; the caption has the size of its axes.

use super::plane::Plane;
use super::svg::{Point, Svg, escape};
use super::tables::titled;
use super::window::Window;
use crate::number;
use crate::summary::Summary;
use lissome_solve::{DerivativeRecord, SensitivityRecord, TipRecord};
use nalgebra::{Matrix3, Vector3, Vector6};
use std::f64::consts::TAU;

/// Half the longest axis of an ellipse, of the size of the picture.
const SHOWN: f64 = 0.07;
const CORNERS: usize = 64;

/// Shift of the tip by a force on it, m/N.
fn by_force(tip: &TipRecord) -> Matrix3<f64> {
    tip.compliance.fixed_view::<3, 3>(3, 3).into()
}

/// Draws the ellipse of each tip; `size` is that of the picture, m.
pub(super) fn draw(svg: &mut Svg, summary: &Summary<'_>, plane: Plane, window: &Window, size: f64) {
    let Some(record) = &summary.equilibrium.sensitivity else { return };
    let largest = record.tips.iter().map(|tip| by_force(tip).norm()).fold(0.0, f64::max);
    for tip in &record.tips {
        let rod = summary.equilibrium.rods.iter().find(|rod| rod.name == tip.part).map(|rod| rod.tip.position);
        let body =
            || summary.equilibrium.bodies.iter().find(|body| body.name == tip.part).map(|body| body.pose.position);
        let place = rod.or_else(body).filter(|_| largest > 0.0 && largest.is_finite());
        let Some(place) = place else { continue };
        let axes = by_force(tip).svd(false, false).singular_values;
        let words = number::vector(axes.as_slice(), "m/N");
        svg.open(&format!("where a force of one size moves {}: half axes {words}", tip.part));
        let outline = outline(&by_force(tip), plane).into_iter().map(|shift| {
            let at = place + shift * (SHOWN * size / largest);
            window.at(plane.project(&at))
        });
        svg.polyline("compliance", &outline.collect::<Vec<Point>>());
        svg.close();
    }
}

/// The border of the shadow of {C f : |f| = 1}: forces in the plane that the two seen rows of C span.
fn outline(compliance: &Matrix3<f64>, plane: Plane) -> Vec<Vector3<f64>> {
    let (right, up) = (plane.lift((1.0, 0.0)), plane.lift((0.0, 1.0)));
    let corner = |k: usize| {
        let (sine, cosine) = (TAU * k as f64 / CORNERS as f64).sin_cos();
        // The support of the shadow in a direction d of the page is |Cᵀd|, reached at C Cᵀd / |Cᵀd|.
        let seen = compliance.transpose() * (right * cosine + up * sine);
        if seen.norm() > 0.0 { compliance * (seen / seen.norm()) } else { Vector3::zeros() }
    };
    (0..=CORNERS).map(corner).collect()
}

/// One table for each tip and each request for derivatives; empty without any.
pub(super) fn tables(summary: &Summary<'_>) -> String {
    let asked: String = summary.equilibrium.derivatives.iter().map(derivatives).collect();
    let Some(record) = &summary.equilibrium.sensitivity else { return asked };
    asked + &record.tips.iter().map(|tip| table_of(record, tip)).collect::<String>()
}

/// Derivatives that were asked for: a row for each number, a column for each row of the output.
fn derivatives(record: &DerivativeRecord) -> String {
    let by = |column: usize| record.values.iter().map(move |row| row[column]);
    let rows = record.wrt.iter().enumerate().map(|(column, path)| {
        let value = |x: f64| if x == 0.0 { "0: does not depend".into() } else { number::significant(x, 6) };
        std::iter::once(path.clone()).chain(by(column).map(value)).collect()
    });
    let names: Vec<String> = record.of.iter().map(|name| escape(name)).collect();
    let head: Vec<&str> = std::iter::once("by").chain(names.iter().map(String::as_str)).collect();
    titled("Derivatives, per SI unit", &head, rows.collect())
}

fn table_of(record: &SensitivityRecord, tip: &TipRecord) -> String {
    let shift = |v: &Vector6<f64>, unit: &str| number::vector(&v.as_slice()[3..], unit);
    let turn = |v: &Vector6<f64>, unit: &str| number::vector(&v.as_slice()[..3], unit);
    let row = |name: &str, v: &Vector6<f64>, unit: &str| {
        vec![name.to_owned(), shift(v, &format!("m{unit}")), turn(v, &format!("rad{unit}"))]
    };
    let mut rows = Vec::new();
    for (name, v) in record.inputs.iter().zip(&tip.by_inputs) {
        let unit = match name.rsplit('.').next() {
            Some("tension") => "/N",
            Some("length" | "pull") => "/m",
            _ => "",
        };
        rows.push(row(name, v, unit));
    }
    for (name, v) in record.tendons.iter().zip(&tip.by_lengths) {
        rows.push(row(&format!("length of {name}"), v, "/m"));
    }
    for (axis, column) in ["x", "y", "z"].into_iter().zip(3..) {
        rows.push(row(&format!("force on it along {axis}"), &tip.compliance.column(column).into(), "/N"));
    }
    titled(&format!("How {} moves", escape(&tip.part)), &["with", "shift (x, y, z)", "turn (x, y, z)"], rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No shift by a force of size one is seen outside the outline, and every corner is such a shift.
    #[test]
    fn the_outline_is_the_border_of_all_shifts() {
        let compliance = Matrix3::new(2.0, 0.3, 0.1, 0.3, 1.0, -0.2, 0.1, -0.2, 0.5);
        let inverse = compliance.try_inverse().expect("definite");
        let plane = Plane::Oblique;
        let border = outline(&compliance, plane);
        for (k, corner) in border.iter().enumerate() {
            assert!(((inverse * corner).norm() - 1.0).abs() < 1e-12);
            let (sine, cosine) = (TAU * k as f64 / CORNERS as f64).sin_cos();
            let reach = |v: &Vector3<f64>| plane.project(v).0 * cosine + plane.project(v).1 * sine;
            for i in 0..100 {
                let (a, b) = (0.37 * f64::from(i), 0.73 * f64::from(i));
                let force = Vector3::new(a.cos() * b.cos(), a.sin() * b.cos(), b.sin());
                assert!(reach(&(compliance * force)) <= reach(corner) + 1e-12);
            }
        }
    }
}
