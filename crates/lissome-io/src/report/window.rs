//! The window of a view: from metres to the picture at one scale, with its grid or, where no axis lies in the page, a
//! triad and a bar for scale.

use super::axis::{Axis, nice_step};
use super::clip::Clip;
use super::plane::Plane;
use super::svg::{Anchor, Point, Svg};
use crate::number;
use nalgebra::Vector3;

pub(super) const WIDTH: f64 = 640.0;
pub(super) const LEFT: f64 = 66.0;
pub(super) const RIGHT: f64 = 20.0;
pub(super) const TOP: f64 = 36.0;
pub(super) const BOTTOM: f64 = 42.0;
/// Room between the frame and what is drawn, px.
const INSET: f64 = 26.0;
/// Least and greatest height of the frame, px.
const HEIGHT: std::ops::RangeInclusive<f64> = 170.0..=440.0;
/// Length of the axes of the triad, px.
const TRIAD: f64 = 30.0;

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

    /// Its least and greatest corner; `None` if it is empty.
    pub(super) fn corners(&self) -> Option<(Point, Point)> {
        (self.low.0 <= self.high.0).then_some((self.low, self.high))
    }

    pub(super) fn size(&self) -> f64 {
        let size = (self.high.0 - self.low.0).max(self.high.1 - self.low.1);
        if size.is_finite() && size > 0.0 { size } else { 1.0 }
    }
}

/// From metres to the picture.
pub(super) struct Window {
    centre: (f64, f64),
    /// px per metre.
    pub(super) scale: f64,
    pub(super) height: f64,
}

impl Window {
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

    /// The rectangle of the frame on the picture.
    pub(super) fn frame(&self) -> Clip {
        Clip { low: (LEFT, TOP), high: (WIDTH - RIGHT, TOP + self.height) }
    }

    /// The frame with what tells directions and distances.
    pub(super) fn draw_frame(&self, svg: &mut Svg, plane: Plane) {
        let (_, horizontal, vertical) = plane.labels();
        match plane {
            Plane::Oblique => self.draw_triad(svg, plane),
            _ => self.draw_grid(svg, horizontal, vertical),
        }
    }

    fn draw_triad(&self, svg: &mut Svg, plane: Plane) {
        let bottom = TOP + self.height;
        svg.rectangle("frame", (LEFT, TOP), WIDTH - LEFT - RIGHT, self.height);
        let origin = (LEFT + 42.0, bottom - 42.0);
        for (name, axis) in [("x", Vector3::x()), ("y", Vector3::y()), ("z", Vector3::z())] {
            let (right, up) = plane.project(&axis);
            let at = |length: f64| (origin.0 + length * right, origin.1 - length * up);
            svg.line("held", origin, at(TRIAD));
            let label = at(TRIAD + 9.0);
            svg.text("strong", (label.0, label.1 + 4.0), Anchor::Middle, name);
        }
        // A round length of about a fifth of the picture.
        let length = nice_step(0.2 * (WIDTH - LEFT - RIGHT) / self.scale);
        let right = WIDTH - RIGHT - 16.0;
        let left = right - length * self.scale;
        svg.line("held", (left, bottom - 16.0), (right, bottom - 16.0));
        for x in [left, right] {
            svg.line("held", (x, bottom - 20.0), (x, bottom - 12.0));
        }
        svg.text("tick", (0.5 * (left + right), bottom - 24.0), Anchor::Middle, &number::length(length));
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
