//! `report.html` of an observation: the shape among its markers, strain and internal wrench with their bands, what the markers imply,
//! and the unknowns.

use super::html;
use super::picture::Picture;
use super::plane::Plane;
use super::plot::{Curve, Plot, Stroke};
use super::svg::{Anchor, Point, Svg, escape};
use super::tables;
use super::window::{BOTTOM, Bounds, LEFT, TOP, WIDTH, Window};
use crate::number::{self, Scaled};
use crate::observe::ObserveSummary;
use lissome_solve::observe::{ObservedFrame, ObservedRod, ObservedSample, Seen};
use nalgebra::Vector3;

/// Markers of a table on the page; the rest is in residuals.csv.
const MOST_ROWS: usize = 60;
/// Unknowns that are drawn over time.
const MOST_UNKNOWNS: usize = 12;

/// The whole page.
pub fn html(summary: &ObserveSummary<'_>, scene_toml: &str) -> String {
    let observation = summary.observation;
    let (found, of) = (observation.frames.iter().filter(|frame| frame.seen == Seen::Found).count(), summary.of);
    let how = match (observation.marker_forces, observation.exact) {
        (true, true) => "least energy through exact markers",
        (true, false) => "least energy with markers as springs of their accuracy",
        (false, _) => "named unknowns by least squares",
    };
    let warnings = summary.warnings();
    let mood = match summary.status() {
        "finished" if warnings.is_empty() => html::Mood::Good,
        "finished" => html::Mood::Careful,
        _ => html::Mood::Bad,
    };
    let under = format!("{found} of {of} frames: {how}; bands are 95 %");
    let mut body = html::heading(summary.scene, summary.status(), mood, &under);
    summary.complaint().iter().chain(&warnings).for_each(|told| body.push_str(&html::note(told)));
    if let Some(frame) = observation.frames.iter().rev().find(|frame| frame.seen == Seen::Found) {
        let when = format!("Shape at {}", number::significant(frame.time, 6));
        let views: Vec<Picture> = [Plane::Side, Plane::Top].iter().map(|plane| view(frame, *plane)).collect();
        body.push_str(&html::section(&when, &views));
        body.push_str(&unknowns_table(frame));
        for rod in &frame.rods {
            body.push_str(&html::section(&format!("Along {}", rod.name), &along(rod)));
        }
        body.push_str(&markers_table(frame));
    }
    body.push_str(&html::section("Unknowns over time", &over_time(summary)));
    html::page(summary.scene, &body, scene_toml, "All numbers are in shape.csv, residuals.csv and unknowns.csv, in SI.")
}

/// The rods with the band of their positions, and the markers.
fn view(frame: &ObservedFrame, plane: Plane) -> Picture {
    let mut bounds = Bounds::default();
    let samples = frame.rods.iter().flat_map(|rod| &rod.samples);
    samples.for_each(|own| bounds.include(plane.project(&own.sample.pose.position)));
    frame.markers.iter().for_each(|own| bounds.include(plane.project(&own.measured)));
    let window = Window::around(&bounds);
    let (title, horizontal, vertical) = plane.labels();
    let mut svg = Svg::new(WIDTH, TOP + window.height + BOTTOM, title);
    svg.text("title", (LEFT, 20.0), Anchor::Start, title);
    window.draw_grid(&mut svg, horizontal, vertical);
    for rod in &frame.rods {
        let side = |sign: f64| rod.samples.iter().map(move |own| edge(own, plane, sign));
        let outline: Vec<Point> = side(1.0).chain(side(-1.0).rev()).map(|point| window.at(point)).collect();
        svg.polygon("ghost", &outline);
        let line: Vec<Point> =
            rod.samples.iter().map(|own| window.at(plane.project(&own.sample.pose.position))).collect();
        svg.polyline("curve c0", &line);
    }
    for own in frame.markers.iter().filter(|own| own.measured.iter().all(|x| x.is_finite())) {
        let (at, class) = (window.at(plane.project(&own.measured)), if own.outlier { "mark f1" } else { "mark f2" });
        svg.open(&format!("{}{}", own.name, if own.outlier { ", left out" } else { "" }));
        svg.circle(class, at, 4.0);
        svg.close();
    }
    Picture { name: format!("observed-{}", plane.file()), svg }
}

/// The edge of the band of a position in a view: across the rod, by as much as the band reaches there.
fn edge(own: &ObservedSample, plane: Plane, sign: f64) -> (f64, f64) {
    let centre = plane.project(&own.sample.pose.position);
    let tangent = plane.project(&own.sample.pose.rotation.rotate(&Vector3::x()));
    let length = tangent.0.hypot(tangent.1);
    let across = if length > 1e-9 { (-tangent.1 / length, tangent.0 / length) } else { (0.0, 1.0) };
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let reach = axes.iter().zip(own.band.position.iter()).map(|(axis, band)| {
        let seen = plane.project(axis);
        ((across.0 * seen.0 + across.1 * seen.1) * band).powi(2)
    });
    let reach = reach.sum::<f64>().sqrt() * sign;
    (centre.0 + across.0 * reach, centre.1 + across.1 * reach)
}

/// Strain and internal wrench along a rod, each component with its band as dashed lines.
fn along(rod: &ObservedRod) -> Vec<Picture> {
    type Of = fn(&ObservedSample) -> (Vector3<f64>, Vector3<f64>);
    let all: [(&str, &str, &str, [&str; 3], Of); 4] = [
        ("curvature", "Curvature", "1/m", ["torsion", "about y", "about z"], |own| {
            (own.sample.strain.curvature, own.band.curvature)
        }),
        ("stretch", "Stretch and shear", "", ["stretch − 1", "shear y", "shear z"], |own| {
            (own.sample.strain.stretch - Vector3::x(), own.band.stretch)
        }),
        ("moment", "Internal moment", "N·m", ["torsion", "about y", "about z"], |own| {
            (own.sample.stress.moment, own.band.moment)
        }),
        ("force", "Internal force", "N", ["axial", "shear y", "shear z"], |own| {
            (own.sample.stress.force, own.band.force)
        }),
    ];
    let length = rod.samples.last().map_or(1.0, |own| own.sample.s);
    let s_unit = number::scale(length, "m");
    let picture = |(file, title, unit, names, of): (&str, &str, &str, [&str; 3], Of)| {
        let largest = rod.samples.iter().map(|own| of(own).0.amax() + of(own).1.amax()).fold(0.0, f64::max);
        let scaled = match unit {
            "" => Scaled { unit: "%".into(), factor: 1e2 },
            // A reciprocal takes no prefix.
            "1/m" => Scaled { unit: unit.into(), factor: 1.0 },
            _ => number::scale(largest, unit),
        };
        let (mut curves, mut strokes) = (Vec::new(), Vec::new());
        for axis in 0..3 {
            for (side, dashed) in [(0.0, false), (1.0, true), (-1.0, true)] {
                let point = |own: &ObservedSample| {
                    let (value, band) = of(own);
                    (own.sample.s * s_unit.factor, (value[axis] + side * band[axis]) * scaled.factor)
                };
                let name = if dashed { String::new() } else { names[axis].to_owned() };
                curves.push(Curve { name, points: rod.samples.iter().map(point).collect() });
                strokes.push(Stroke { colour: axis, dashed });
            }
        }
        let plot = Plot {
            title: format!("{title}, 95 % dashed"),
            x_label: format!("s / {}", s_unit.unit),
            y_label: scaled.unit,
            curves,
            strokes,
            ..Plot::default()
        };
        Picture { name: format!("{}-{file}", rod.name), svg: plot.draw() }
    };
    all.into_iter().map(picture).collect()
}

fn unknowns_table(frame: &ObservedFrame) -> String {
    if frame.unknowns.is_empty() {
        return String::new();
    }
    let rows = frame.unknowns.iter().map(|own| {
        let show = |value: f64| {
            if own.unit.is_empty() { number::significant(value, 4) } else { number::with_unit(value, own.unit) }
        };
        let interval = match own.band.is_finite() {
            true => format!("{} to {}", show(own.value - own.band), show(own.value + own.band)),
            false => "cannot be told".into(),
        };
        vec![own.path.clone(), show(own.value), show(own.standard_error), interval]
    });
    format!("<h2>Unknowns</h2>{}", tables::table(&["unknown", "value", "standard error", "95 %"], rows.collect()))
}

fn markers_table(frame: &ObservedFrame) -> String {
    let vector = |own: &Vector3<f64>, unit: &str| match own.iter().any(|x| x.is_finite()) {
        true => number::vector(own.map(|x| if x.is_finite() { x } else { 0.0 }).as_slice(), unit),
        false => "–".into(),
    };
    let rows = frame.markers.iter().take(MOST_ROWS).map(|own| {
        let verdict = match (own.outlier, own.numbers) {
            (true, _) => "left out".to_owned(),
            (_, 0) => "missing".to_owned(),
            _ => number::significant(own.surprise, 3),
        };
        let band = if own.wrench_band.force.iter().all(|x| x.is_finite()) {
            vector(&own.wrench_band.force, "N")
        } else {
            "not told".into()
        };
        vec![own.name.clone(), vector(&own.residual, "m"), verdict, vector(&own.wrench.force, "N"), band]
    });
    let head = ["marker", "measured less found", "χ² against the others", "force that it implies", "its 95 %"];
    let more = match frame.markers.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("<p>{} more in residuals.csv</p>", escape(&more.to_string())),
    };
    format!("<h2>Markers</h2>{}{more}", tables::table(&head, rows.collect()))
}

/// Every unknown over the frames, with its band.
fn over_time(summary: &ObserveSummary<'_>) -> Vec<Picture> {
    let frames: Vec<&ObservedFrame> =
        summary.observation.frames.iter().filter(|frame| !frame.unknowns.is_empty()).collect();
    let Some(first) = frames.first().filter(|_| frames.len() > 1) else { return Vec::new() };
    let picture = |index: usize| {
        let own = &first.unknowns[index];
        let side = |side: f64| Curve {
            name: String::new(),
            points: frames
                .iter()
                .map(|frame| {
                    let own = &frame.unknowns[index];
                    let band = if side == 0.0 { 0.0 } else { side * own.band };
                    (frame.time, own.value + band)
                })
                .collect(),
        };
        let stroke = |dashed| Stroke { colour: 0, dashed };
        let plot = Plot {
            title: format!("{}, 95 % dashed", own.path),
            x_label: "time".into(),
            y_label: own.unit.into(),
            curves: vec![side(0.0), side(1.0), side(-1.0)],
            strokes: vec![stroke(false), stroke(true), stroke(true)],
            ..Plot::default()
        };
        Picture { name: format!("unknown-{index}"), svg: plot.draw() }
    };
    (0..first.unknowns.len().min(MOST_UNKNOWNS)).map(picture).collect()
}
