//! Natural modes: a table of frequencies, and each mode drawn to both sides of the equilibrium.

use super::picture::Picture;
use super::plane::Plane;
use super::svg::{Anchor, Point, Svg};
use super::tables;
use super::window::{BOTTOM, Bounds, LEFT, TOP, WIDTH, Window};
use crate::number;
use crate::summary::Summary;
use lissome_solve::ModeRecord;
use nalgebra::Vector3;

/// The largest displacement is drawn as this part of the size of the scene.
const AMPLITUDE: f64 = 0.15;

/// Frequencies and periods.
pub(super) fn table(modes: &[ModeRecord]) -> String {
    let rows = modes.iter().enumerate().map(|(index, mode)| {
        let period = if mode.frequency > 0.0 { number::with_unit(1.0 / mode.frequency, "s") } else { "–".into() };
        let note = if mode.frequency < 0.0 { "unstable: it grows instead of swinging" } else { "" };
        vec![(index + 1).to_string(), format!("{} Hz", number::significant(mode.frequency, 6)), period, note.into()]
    });
    tables::table(&["mode", "frequency", "period", ""], rows.collect())
}

/// Every mode in the oblique view.
pub(super) fn pictures(summary: &Summary<'_>) -> Vec<Picture> {
    let modes = summary.modes.iter().enumerate();
    modes
        .map(|(index, mode)| Picture { name: format!("mode-{}", index + 1), svg: draw(summary, index, mode) })
        .collect()
}

fn draw(summary: &Summary<'_>, index: usize, mode: &ModeRecord) -> Svg {
    let plane = Plane::Oblique;
    let rest: Vec<Vec<Vector3<f64>>> = summary
        .equilibrium
        .rods
        .iter()
        .zip(&mode.rods)
        .map(|(rod, way)| {
            // Stations are fewer than samples, and both include the two ends.
            let last = way.len().saturating_sub(1).max(1);
            let at = |k: usize| rod.samples.get(k * rod.samples.len().saturating_sub(1) / last);
            (0..way.len()).filter_map(|k| at(k).map(|sample| sample.pose.position)).collect()
        })
        .collect();
    let none = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    let (low, high) = rest.iter().flatten().fold(none, |(low, high), p| (low.inf(p), high.sup(p)));
    let amplitude = AMPLITUDE * (high - low).amax();
    let moved = |sign: f64| -> Vec<Vec<Vector3<f64>>> {
        let one = |(rest, way): (&Vec<Vector3<f64>>, &Vec<Vector3<f64>>)| {
            rest.iter().zip(way).map(|(p, d)| p + d * (sign * amplitude)).collect()
        };
        rest.iter().zip(&mode.rods).map(one).collect()
    };
    let curves = [("curve thin c5", rest.clone()), ("curve c0", moved(1.0)), ("curve c1", moved(-1.0))];
    let mut bounds = Bounds::default();
    curves.iter().flat_map(|(_, rods)| rods.iter().flatten()).for_each(|p| bounds.include(plane.project(p)));
    let window = Window::around(&bounds);
    let title = format!("Mode {}: {} Hz", index + 1, number::significant(mode.frequency, 4));
    let mut svg = Svg::new(WIDTH, TOP + window.height + BOTTOM, &title);
    svg.text("title", (LEFT, 20.0), Anchor::Start, &title);
    window.draw_frame(&mut svg, plane);
    for (class, rods) in &curves {
        for rod in rods {
            let path: Vec<Point> = rod.iter().map(|p| window.at(plane.project(p))).collect();
            svg.polyline(class, &path);
        }
    }
    svg
}
