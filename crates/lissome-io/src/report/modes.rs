//! Natural modes and critical loads: a table of each, and every motion drawn to both sides of its equilibrium.

use super::picture::Picture;
use super::plane::Plane;
use super::svg::{Anchor, Point, Svg};
use super::tables;
use super::window::{BOTTOM, Bounds, LEFT, TOP, WIDTH, Window};
use crate::equilibrium_json::critical_kind;
use crate::number;
use crate::summary::Summary;
use lissome_solve::{BucklingAnswer, ModeRecord};
use nalgebra::Vector3;

/// The largest displacement is drawn as this part of the size of the scene.
const AMPLITUDE: f64 = 0.15;

/// Points along each rod.
pub(super) type Rods = Vec<Vec<Vector3<f64>>>;

/// Frequencies, periods, growth and damping.
pub(super) fn table(modes: &[ModeRecord]) -> String {
    let rows = modes.iter().enumerate().map(|(index, mode)| {
        let swings = mode.frequency > 0.0;
        let period = if swings { number::with_unit(1.0 / mode.frequency, "s") } else { "–".into() };
        let frequency = if swings { format!("{} Hz", number::significant(mode.frequency, 6)) } else { "–".into() };
        let growth =
            if mode.growth == 0.0 { "–".into() } else { format!("{} 1/s", number::significant(mode.growth, 4)) };
        let damping = if mode.growth == 0.0 { "–".into() } else { number::significant(mode.damping_ratio, 3) };
        let error = if mode.error.is_finite() { number::significant(mode.error, 1) } else { "–".into() };
        vec![(index + 1).to_string(), frequency, period, growth, damping, error, mode.word().unwrap_or("").into()]
    });
    tables::table(
        &["mode", "frequency", "period", "growth", "damping ratio", "relative error about", ""],
        rows.collect(),
    )
}

/// Load factors and what happens there.
pub(super) fn critical_loads(buckling: &BucklingAnswer) -> String {
    let rows = buckling.loads.iter().enumerate().map(|(index, load)| {
        vec![
            (index + 1).to_string(),
            number::significant(load.factor, 7),
            critical_kind(load.kind).into(),
            if load.uncertainty.is_finite() { number::significant(load.uncertainty, 1) } else { "–".into() },
            number::significant(load.estimate, 5),
        ]
    });
    let head = ["critical load", "load factor", "kind", "last correction", "linear estimate"];
    let mut text = tables::table(&head, rows.collect());
    for line in remarks(buckling) {
        text.push_str(&format!("<p class=\"note\">{}</p>", super::svg::escape(&line)));
    }
    text
}

/// What the numbers alone do not say.
pub fn remarks(buckling: &BucklingAnswer) -> Vec<String> {
    let mut remarks = Vec::new();
    if buckling.loads.is_empty() {
        remarks.push(format!("nothing gives way above load factor {}", buckling.from));
    }
    if let Some(onset) = &buckling.flutter {
        remarks.push(onset.to_string());
    }
    if buckling.missed > 0 {
        remarks.push(format!("{} more below the last were noticed and not found", buckling.missed));
    }
    remarks
}

/// A mode in words, such as `Mode 2: 31.4 Hz`.
pub(super) fn title(index: usize, mode: &ModeRecord) -> String {
    let frequency = || format!("{} Hz", number::significant(mode.frequency, 4));
    let what = match (mode.word(), mode.frequency > 0.0) {
        (Some(word), false) => word.to_owned(),
        (Some(word), true) => format!("{word} at {}", frequency()),
        (None, _) => frequency(),
    };
    format!("Mode {}: {what}", index + 1)
}

/// What the largest displacement of a mode is drawn as, m.
pub(super) fn amplitude<'a>(places: impl Iterator<Item = &'a Vector3<f64>>) -> f64 {
    let none = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    let (low, high) = places.fold(none, |(low, high), p| (low.inf(p), high.sup(p)));
    AMPLITUDE * (high - low).amax()
}

/// The way of looking from which the motion sweeps the largest area on the page.
pub(super) fn best_plane(rest: &Rods, ways: &Rods) -> Plane {
    let swept = |plane: Plane| -> f64 {
        let rods = rest.iter().zip(ways);
        rods.map(|(rest, ways)| {
            let steps = rest.windows(2).zip(ways.windows(2));
            steps
                .map(|(p, d)| {
                    let (along, moved) = (plane.project(&(p[1] - p[0])), plane.project(&(d[0] + d[1])));
                    (along.0 * moved.1 - along.1 * moved.0).abs()
                })
                .sum::<f64>()
        })
        .sum()
    };
    // The oblique view shows most at once; another one must show clearly more.
    const CLEARLY: f64 = 1.2;
    let oblique = (Plane::Oblique, CLEARLY * swept(Plane::Oblique));
    let others = [Plane::Side, Plane::Front, Plane::Top].map(|plane| (plane, swept(plane)));
    others.into_iter().fold(oblique, |best, next| if next.1 > best.1 { next } else { best }).0
}

/// Every mode from where it is seen best.
pub(super) fn pictures(summary: &Summary<'_>) -> Vec<Picture> {
    let draw = |(index, mode): (usize, &ModeRecord)| {
        let rest = rest_of(summary, mode);
        Picture { name: format!("mode-{}", index + 1), svg: draw(&title(index, mode), &rest, &mode.rods) }
    };
    summary.modes.iter().enumerate().map(draw).collect()
}

/// How the robot gives way at every critical load, from where it is seen best.
pub(super) fn buckling_pictures(buckling: &BucklingAnswer) -> Vec<Picture> {
    let loads = buckling.loads.iter().enumerate();
    loads
        .map(|(index, load)| {
            let title = format!("Load factor {}: {}", number::significant(load.factor, 5), critical_kind(load.kind));
            Picture { name: format!("buckling-{}", index + 1), svg: draw(&title, &load.places, &load.rods) }
        })
        .collect()
}

/// The equilibrium at the stations of a mode.
fn rest_of(summary: &Summary<'_>, mode: &ModeRecord) -> Rods {
    let rods = summary.equilibrium.rods.iter().zip(&mode.rods);
    rods.map(|(rod, way)| {
        // Stations are fewer than samples, and both include the two ends.
        let last = way.len().saturating_sub(1).max(1);
        let at = |k: usize| rod.samples.get(k * rod.samples.len().saturating_sub(1) / last);
        (0..way.len()).filter_map(|k| at(k).map(|sample| sample.pose.position)).collect()
    })
    .collect()
}

fn draw(title: &str, rest: &Rods, ways: &Rods) -> Svg {
    let plane = best_plane(rest, ways);
    let amplitude = amplitude(rest.iter().flatten());
    let moved = |sign: f64| -> Rods {
        let one = |(rest, way): (&Vec<Vector3<f64>>, &Vec<Vector3<f64>>)| {
            rest.iter().zip(way).map(|(p, d)| p + d * (sign * amplitude)).collect()
        };
        rest.iter().zip(ways).map(one).collect()
    };
    let curves = [("curve thin c5", rest.clone()), ("curve c0", moved(1.0)), ("curve c1", moved(-1.0))];
    let mut bounds = Bounds::default();
    curves.iter().flat_map(|(_, rods)| rods.iter().flatten()).for_each(|p| bounds.include(plane.project(p)));
    let window = Window::around(&bounds);
    let mut svg = Svg::new(WIDTH, TOP + window.height + BOTTOM, title);
    svg.text("title", (LEFT, 20.0), Anchor::Start, title);
    window.draw_frame(&mut svg, plane);
    for (class, rods) in &curves {
        for rod in rods {
            let path: Vec<Point> = rod.iter().map(|p| window.at(plane.project(p))).collect();
            svg.polyline(class, &path);
        }
    }
    svg
}
