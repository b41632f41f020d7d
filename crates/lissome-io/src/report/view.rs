//! A view of the shape along a world axis: the rod with its true width, its unstressed shape behind it, what holds
//! it, and its loads. Both axes have the same scale.

use super::arrows;
use super::axis::{Axis, nice_step};
use super::number;
use super::svg::{Anchor, Point, Svg};
use super::undeformed;
use lissome_lie::Pose;
use lissome_model::{Rod, Scene, Section, Shape};
use lissome_solve::Recording;
use nalgebra::Vector3;
use std::fmt::Write as _;

pub(super) const WIDTH: f64 = 640.0;
pub(super) const LEFT: f64 = 66.0;
pub(super) const RIGHT: f64 = 20.0;
pub(super) const TOP: f64 = 36.0;
pub(super) const BOTTOM: f64 = 42.0;
/// Room between the frame and what is drawn, px.
const INSET: f64 = 26.0;
/// Least and greatest height of the frame, px.
const HEIGHT: std::ops::RangeInclusive<f64> = 170.0..=440.0;
/// A rod is drawn at least this wide to each side of its axis, px.
const LEAST_HALF_WIDTH: f64 = 1.2;
/// Below this part of a tangent in the plane of the view, a section is seen from its end.
const END_ON: f64 = 0.3;

/// Which way one looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// Along world y: x to the right, z up.
    Side,
    /// From above: x to the right, y up.
    Top,
}

impl Plane {
    /// The two coordinates seen.
    pub fn project(self, v: &Vector3<f64>) -> (f64, f64) {
        match self {
            Self::Side => (v.x, v.z),
            Self::Top => (v.x, v.y),
        }
    }

    /// The coordinate towards the reader.
    pub fn towards(self, v: &Vector3<f64>) -> f64 {
        match self {
            Self::Side => -v.y,
            Self::Top => v.z,
        }
    }

    fn lift(self, (a, b): (f64, f64)) -> Vector3<f64> {
        match self {
            Self::Side => Vector3::new(a, 0.0, b),
            Self::Top => Vector3::new(a, b, 0.0),
        }
    }

    pub(super) fn labels(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Side => ("Side view", "x", "z"),
            Self::Top => ("Top view", "x", "y"),
        }
    }
}

/// One section as it is seen: centre, direction across the rod, half width, and whether it is seen from its end.
#[derive(Clone, Copy, Debug)]
struct Cut {
    centre: (f64, f64),
    across: (f64, f64),
    half: f64,
    end_on: bool,
}

/// Draws the scene as seen along an axis.
pub fn draw(scene: &Scene, recording: &Recording, plane: Plane) -> Svg {
    let ghosts: Vec<Vec<Cut>> = scene.rods.iter().map(|rod| cuts(rod, &undeformed::poses(rod), plane)).collect();
    let bodies: Vec<Vec<Cut>> = recording
        .rods
        .iter()
        .filter_map(|record| {
            let rod = scene.rods.iter().find(|rod| rod.name == record.name)?;
            let poses: Vec<(f64, Pose)> = record.samples.iter().map(|s| (s.s, s.pose)).collect();
            Some(cuts(rod, &poses, plane))
        })
        .collect();

    let mut bounds = Bounds::default();
    for cut in ghosts.iter().chain(&bodies).flatten() {
        for side in [-1.0, 1.0] {
            bounds.include(offset(cut, side * cut.half));
        }
    }
    let arrows = arrows::of(scene, recording, plane, 0.16 * bounds.size());
    for arrow in &arrows {
        bounds.include(arrow.from);
        bounds.include(arrow.to);
    }
    let frame = Frame::around(&bounds);

    let (title, horizontal, vertical) = plane.labels();
    let mut svg = Svg::new(WIDTH, TOP + frame.height + BOTTOM, title);
    svg.text("title", (LEFT, 20.0), Anchor::Start, title);
    frame.draw_grid(&mut svg, horizontal, vertical);
    let grey: String = ghosts.iter().map(|cuts| outline(cuts, &frame)).collect();
    svg.path("ghost", &grey);
    for cuts in &bodies {
        svg.path("body", &outline(cuts, &frame));
        let axis: Vec<Point> = cuts.iter().map(|cut| frame.at(cut.centre)).collect();
        svg.polyline("axisline", &axis);
    }
    for (rod, cuts) in scene.rods.iter().zip(&bodies) {
        draw_holds(&mut svg, rod, cuts, &frame);
    }
    for arrow in &arrows {
        arrow.draw(&mut svg, |p| frame.at(p));
    }
    svg.text("strong", (WIDTH - RIGHT, 20.0), Anchor::End, "unstressed");
    svg.rectangle("ghost", (WIDTH - RIGHT - 94.0, 10.0), 16.0, 11.0);
    svg
}

fn cuts(rod: &Rod, poses: &[(f64, Pose)], plane: Plane) -> Vec<Cut> {
    poses
        .iter()
        .map(|(s, pose)| {
            let tangent = plane.project(&pose.rotation.rotate(&Vector3::x()));
            let length = tangent.0.hypot(tangent.1);
            let across = if length > 1e-9 { (-tangent.1 / length, tangent.0 / length) } else { (0.0, 1.0) };
            let half = half_width(&rod.profile.at(*s), &pose.rotation.inverse_rotate(&plane.lift(across)));
            Cut { centre: plane.project(&pose.position), across, half, end_on: length < END_ON }
        })
        .collect()
}

/// How far the section reaches in a direction given in its own axes.
fn half_width(section: &Section, direction: &Vector3<f64>) -> f64 {
    let of_shape = |shape: &Shape| match *shape {
        Shape::Rectangle { width, height } => 0.5 * (width * direction.y.abs() + height * direction.z.abs()),
        _ => shape.outer_radius() * direction.y.hypot(direction.z),
    };
    match section {
        Section::Layers { layers, .. } => layers.iter().map(|l| of_shape(&l.shape)).fold(0.0, f64::max),
        Section::Given { radius, .. } => *radius,
    }
}

fn offset(cut: &Cut, distance: f64) -> (f64, f64) {
    (cut.centre.0 + distance * cut.across.0, cut.centre.1 + distance * cut.across.1)
}

/// The rod as one path: a quadrilateral between neighbouring sections, a disc where it is seen from its end. All
/// pieces turn the same way, so that the nonzero rule fills their union.
fn outline(cuts: &[Cut], frame: &Frame) -> String {
    let mut data = String::new();
    let edge = |cut: &Cut, side: f64| frame.at(offset(cut, side * cut.half.max(LEAST_HALF_WIDTH / frame.scale)));
    for pair in cuts.windows(2) {
        let mut corners = [edge(&pair[0], -1.0), edge(&pair[1], -1.0), edge(&pair[1], 1.0), edge(&pair[0], 1.0)];
        if corners.iter().any(|(x, y)| !(x.is_finite() && y.is_finite())) {
            continue;
        }
        let area: f64 = (0..4).map(|i| (corners[i], corners[(i + 1) % 4])).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
        if area < 0.0 {
            corners.reverse();
        }
        let [a, b, c, d] = corners;
        // Writing to a String cannot fail.
        let _ =
            write!(data, "M{:.2} {:.2}L{:.2} {:.2}L{:.2} {:.2}L{:.2} {:.2}Z", a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1);
    }
    for cut in cuts.iter().filter(|cut| cut.end_on) {
        let (x, y) = frame.at(cut.centre);
        let r = (cut.half * frame.scale).max(LEAST_HALF_WIDTH);
        if x.is_finite() && y.is_finite() && r.is_finite() {
            let _ = write!(
                data,
                "M{:.2} {y:.2}a{r:.2} {r:.2} 0 1 1 {:.2} 0a{r:.2} {r:.2} 0 1 1 {:.2} 0Z",
                x - r,
                2.0 * r,
                -2.0 * r
            );
        }
    }
    data
}

/// A wall with hatching across each held end.
fn draw_holds(svg: &mut Svg, rod: &Rod, cuts: &[Cut], frame: &Frame) {
    const BEYOND: f64 = 7.0;
    const HATCHES: usize = 6;
    for (held, cut, outward) in [(rod.base.is_some(), cuts.first(), 1.0), (rod.tip.is_some(), cuts.last(), -1.0)] {
        let Some(cut) = cut.filter(|_| held) else { continue };
        let (x, y) = frame.at(cut.centre);
        let reach = cut.half * frame.scale + BEYOND;
        // Screen y points down, so `across` turns over.
        let across = (cut.across.0, -cut.across.1);
        if cut.end_on {
            svg.rectangle("held", (x - reach, y - reach), 2.0 * reach, 2.0 * reach);
            continue;
        }
        // Away from the rod: the rod runs along `across` turned by a quarter.
        let away = (across.1 * outward, -across.0 * outward);
        let at = |along: f64, out: f64| (x + along * across.0 + out * away.0, y + along * across.1 + out * away.1);
        svg.line("held", at(-reach, 0.0), at(reach, 0.0));
        for i in 0..HATCHES {
            let along = reach * (2.0 * i as f64 / (HATCHES - 1) as f64 - 1.0);
            svg.line("held", at(along, 0.0), at(along - 5.0, 6.0));
        }
    }
}

/// The box that holds everything, in metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    low: (f64, f64),
    high: (f64, f64),
}

impl Default for Bounds {
    fn default() -> Self {
        Self { low: (f64::INFINITY, f64::INFINITY), high: (f64::NEG_INFINITY, f64::NEG_INFINITY) }
    }
}

impl Bounds {
    pub(super) fn include(&mut self, (x, y): (f64, f64)) {
        if x.is_finite() && y.is_finite() {
            self.low = (self.low.0.min(x), self.low.1.min(y));
            self.high = (self.high.0.max(x), self.high.1.max(y));
        }
    }

    fn size(&self) -> f64 {
        let size = (self.high.0 - self.low.0).max(self.high.1 - self.low.1);
        if size.is_finite() && size > 0.0 { size } else { 1.0 }
    }
}

/// From metres to the picture.
pub(super) struct Frame {
    centre: (f64, f64),
    /// px per metre.
    scale: f64,
    pub(super) height: f64,
}

impl Frame {
    pub(super) fn around(bounds: &Bounds) -> Self {
        let size = bounds.size();
        let (width, height) = ((bounds.high.0 - bounds.low.0), (bounds.high.1 - bounds.low.1));
        let finite = width.is_finite() && height.is_finite();
        let (width, height) = if finite { (width.max(1e-3 * size), height.max(1e-3 * size)) } else { (1.0, 1.0) };
        let centre = if finite {
            (0.5 * (bounds.high.0 + bounds.low.0), 0.5 * (bounds.high.1 + bounds.low.1))
        } else {
            (0.0, 0.0)
        };
        let room = WIDTH - LEFT - RIGHT - 2.0 * INSET;
        let scale = (room / width).min((HEIGHT.end() - 2.0 * INSET) / height);
        Self { centre, scale, height: (height * scale + 2.0 * INSET).clamp(*HEIGHT.start(), *HEIGHT.end()) }
    }

    pub(super) fn at(&self, (x, y): (f64, f64)) -> Point {
        (
            0.5 * (LEFT + WIDTH - RIGHT) + (x - self.centre.0) * self.scale,
            TOP + 0.5 * self.height - (y - self.centre.1) * self.scale,
        )
    }

    pub(super) fn draw_grid(&self, svg: &mut Svg, horizontal: &str, vertical: &str) {
        let half = (0.5 * (WIDTH - LEFT - RIGHT) / self.scale, 0.5 * self.height / self.scale);
        let unit = number::scale(half.0.max(half.1), "m");
        let f = unit.factor;
        // The same spacing on both axes, at most about seven ticks across the longer.
        let step = nice_step(2.0 * half.0.max(half.1) * f / 7.0);
        let across = Axis::stepped((self.centre.0 - half.0) * f, (self.centre.0 + half.0) * f, step);
        let up = Axis::stepped((self.centre.1 - half.1) * f, (self.centre.1 + half.1) * f, step);
        let bottom = TOP + self.height;
        for (value, label) in &across.ticks {
            let (x, _) = self.at((value / f, 0.0));
            svg.line("grid", (x, TOP), (x, bottom));
            svg.text("tick", (x, bottom + 17.0), Anchor::Middle, label);
        }
        for (value, label) in &up.ticks {
            let (_, y) = self.at((0.0, value / f));
            svg.line("grid", (LEFT, y), (WIDTH - RIGHT, y));
            svg.text("tick", (LEFT - 8.0, y + 4.0), Anchor::End, label);
        }
        svg.rectangle("frame", (LEFT, TOP), WIDTH - LEFT - RIGHT, self.height);
        svg.text(
            "label",
            (0.5 * (LEFT + WIDTH - RIGHT), bottom + 36.0),
            Anchor::Middle,
            &format!("{horizontal} / {}", unit.unit),
        );
        svg.vertical_text("label", (14.0, TOP + 0.5 * self.height), &format!("{vertical} / {}", unit.unit));
    }
}
