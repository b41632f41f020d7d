//! What presses on the robot: arrows that end where it is touched, their table, and forces along rods.

use super::picture::Picture;
use super::plane::Plane;
use super::plot::{Curve, Plot};
use super::svg::{Anchor, Svg};
use super::tables::titled;
use super::window::{Bounds, Window};
use crate::number;
use crate::summary::Summary;
use lissome_solve::{ContactFrame, ContactRecord};

/// Length of the longest arrow, of the size of what is seen.
const LONGEST: f64 = 0.1;
/// Shorter arrows are not drawn, px.
const SHORTEST: f64 = 2.5;
/// Size of the head of an arrow, px.
const HEAD: f64 = 6.0;

/// Metres on the page for a newton, so that the largest force fits to what is seen; `None` where nothing presses.
pub(super) fn scale<'a>(contacts: impl Iterator<Item = &'a ContactFrame>, bounds: &Bounds) -> Option<f64> {
    let forces = contacts.flat_map(|contact| contact.points.iter().map(|point| point.force.norm()));
    let largest = forces.fold(0.0, f64::max);
    (largest > 0.0 && largest.is_finite()).then(|| LONGEST * bounds.size() / largest)
}

/// Makes room for the arrows.
pub(super) fn include<'a>(
    contacts: impl Iterator<Item = &'a ContactFrame>,
    scale: f64,
    plane: Plane,
    bounds: &mut Bounds,
) {
    for point in contacts.flat_map(|contact| &contact.points) {
        bounds.include(plane.project(&(point.place - point.force * scale)));
    }
}

/// Draws the forces of pairs as arrows, each ending at the place where it acts; the sum is written at the largest.
pub(super) fn draw<'a>(
    svg: &mut Svg,
    contacts: impl Iterator<Item = (String, &'a ContactFrame)>,
    scale: f64,
    plane: Plane,
    window: &Window,
) {
    for (name, contact) in contacts.filter(|(_, contact)| !contact.points.is_empty()) {
        let sum = number::with_unit(contact.force().norm(), "N");
        svg.open(&format!("{name}: {}, {sum}", points_words(contact)));
        let mut longest: (f64, (f64, f64)) = (0.0, (0.0, 0.0));
        for point in &contact.points {
            let (x, y) = window.at(plane.project(&point.place));
            let (right, up) = plane.project(&(point.force * (scale * window.scale)));
            let (from, length) = ((x - right, y + up), right.hypot(up));
            if length < SHORTEST {
                continue;
            }
            let (ex, ey) = (right / length, -up / length);
            let head = HEAD.min(0.6 * length);
            svg.line("contact", from, (x - 0.7 * head * ex, y - 0.7 * head * ey));
            let (bx, by) = (x - head * ex, y - head * ey);
            let side = 0.42 * head;
            svg.polygon("contact-head", &[(x, y), (bx - side * ey, by + side * ex), (bx + side * ey, by - side * ex)]);
            if length > longest.0 {
                // Beyond the tail of the arrow.
                longest = (length, (from.0 - 9.0 * ex, from.1 - 9.0 * ey + 4.0));
            }
        }
        if longest.0 > 0.0 {
            svg.label("contact-name", longest.1, Anchor::Middle, &sum);
        }
        svg.close();
    }
}

/// The pairs of an answer by name.
pub(super) fn named(contacts: &[ContactRecord]) -> impl Iterator<Item = (String, &ContactFrame)> {
    contacts.iter().map(|record| (format!("{} – {}", record.part, record.obstacle), &record.contact))
}

fn points_words(contact: &ContactFrame) -> String {
    match contact.points.len() {
        1 => "1 point".into(),
        n => format!("{n} points"),
    }
}

/// The table of pairs; empty if the scene has no obstacle.
pub(super) fn table(summary: &Summary<'_>) -> String {
    let rows = summary.equilibrium.contacts.iter().map(|record| {
        let contact = &record.contact;
        let (touching, force) = match contact.points.is_empty() {
            true => ("none".into(), "–".into()),
            false => (contact.points.len().to_string(), number::vector(contact.force().as_slice(), "N")),
        };
        let gap = if contact.least_gap.is_nan() { "–".into() } else { number::length(contact.least_gap) };
        vec![record.part.clone(), record.obstacle.clone(), touching, force, gap]
    });
    let head = ["part", "obstacle", "touching points", "force on the part", "least gap"];
    titled("Contacts", &head, rows.collect())
}

/// The forces of the touching points of a rod over its arc length; nothing where none touches.
pub(super) fn along(summary: &Summary<'_>, index: usize) -> Option<Picture> {
    let rod = summary.equilibrium.rods.get(index)?;
    let pairs = || summary.equilibrium.contacts.iter().filter(|pair| pair.part == rod.name);
    let sizes = pairs().flat_map(|pair| pair.contact.points.iter().map(|point| point.force.norm()));
    let largest = sizes.fold(0.0, f64::max);
    if largest <= 0.0 {
        return None;
    }
    let (s_unit, force_unit) = (number::scale(rod.samples.last()?.s, "m"), number::scale(largest, "N"));
    let curves = pairs().filter(|pair| !pair.contact.points.is_empty()).map(|pair| {
        let mut points: Vec<(f64, f64)> = (pair.contact.points.iter())
            .map(|point| (point.s * s_unit.factor, point.force.norm() * force_unit.factor))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Curve { name: pair.obstacle.clone(), points }
    });
    let plot = Plot {
        title: "Forces of the touching points".into(),
        x_label: format!("s / {}", s_unit.unit),
        y_label: force_unit.unit.clone(),
        curves: curves.collect(),
        dotted: true,
        ..Plot::default()
    };
    Some(Picture { name: format!("{}-contact", rod.name), svg: plot.draw() })
}
