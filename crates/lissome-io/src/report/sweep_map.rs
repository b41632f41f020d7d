//! A map: one coloured cell for each pair of values of two axes, and a scale that tells what the colours mean.

use super::axis::Axis;
use super::svg::{Anchor, Svg};
use crate::number::significant;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 46.0;
/// Room at the right, for the scale.
const RIGHT: f64 = 104.0;
const SCALE_WIDTH: f64 = 14.0;
const SCALE_STEPS: usize = 40;
/// The palest colour of a number, so that it differs from a cell without one.
const PALEST: f64 = 0.08;
/// Cells beyond which the picture would be too heavy: then every 2nd, 3rd … row and column is drawn.
const MOST_CELLS: usize = 10_000;

/// What to draw. The values go along `x` first.
pub struct Map<'a> {
    /// Headline.
    pub title: &'a str,
    /// Quantity and unit below.
    pub x_label: &'a str,
    /// Quantity and unit at the left.
    pub y_label: &'a str,
    /// Places to the right, evenly spaced.
    pub x: &'a [f64],
    /// Places upwards, evenly spaced.
    pub y: &'a [f64],
    /// Row after row, from the first of `y`; what is not finite has no colour.
    pub values: &'a [f64],
}

impl Map<'_> {
    /// Draws it.
    pub fn draw(&self) -> Svg {
        let mut svg = Svg::new(WIDTH, HEIGHT, self.title);
        svg.text("title", (LEFT, 20.0), Anchor::Start, self.title);
        let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        let finite = self.values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let colours = Colours { low, high };
        let mut stride = 1;
        while (self.x.len().div_ceil(stride)) * (self.y.len().div_ceil(stride)) > MOST_CELLS {
            stride += 1;
        }
        let (columns, rows) = (self.x.len().div_ceil(stride), self.y.len().div_ceil(stride));
        let (cell_width, cell_height) = (width / columns as f64, height / rows as f64);
        // A descending axis is drawn ascending, so that pictures of one robot can be laid side by side.
        let (falls_right, falls_up) = (falls(self.x), falls(self.y));
        for row in 0..rows {
            for column in 0..columns {
                let value = self.values.get(row * stride * self.x.len() + column * stride).copied().unwrap_or(f64::NAN);
                let across = if falls_right { columns - 1 - column } else { column };
                let up = if falls_up { rows - 1 - row } else { row };
                let corner = (LEFT + across as f64 * cell_width, TOP + height - (up + 1) as f64 * cell_height);
                colours.draw(&mut svg, value, corner, cell_width, cell_height);
            }
        }
        svg.rectangle("frame", (LEFT, TOP), width, height);
        for (label, x) in ticks(self.x, 6) {
            svg.text("tick", (LEFT + x * width, TOP + height + 17.0), Anchor::Middle, &label);
        }
        for (label, y) in ticks(self.y, 5) {
            svg.text("tick", (LEFT - 8.0, TOP + height - y * height + 4.0), Anchor::End, &label);
        }
        svg.text("label", (LEFT + 0.5 * width, HEIGHT - 8.0), Anchor::Middle, self.x_label);
        svg.vertical_text("label", (14.0, TOP + 0.5 * height), self.y_label);
        colours.draw_scale(&mut svg, (WIDTH - RIGHT + 18.0, TOP), height);
        svg
    }
}

fn falls(values: &[f64]) -> bool {
    values.first().zip(values.last()).is_some_and(|(first, last)| last < first)
}

/// Round values with their part of the way; the first and last value are the middles of their cells.
fn ticks(values: &[f64], count: usize) -> Vec<(String, f64)> {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return Vec::new() };
    let (low, high) = (first.min(*last), first.max(*last));
    let cells = values.len() as f64;
    let axis = Axis::linear(low, high, count, false);
    let place = |value: f64| (0.5 + (value - low) / (high - low) * (cells - 1.0)) / cells;
    axis.ticks.into_iter().map(|(value, label)| (label, place(value))).collect()
}

/// One hue from pale to full; with values on both sides of zero a hue for each.
struct Colours {
    low: f64,
    high: f64,
}

impl Colours {
    fn both_signs(&self) -> bool {
        self.low < 0.0 && self.high > 0.0
    }

    /// Class and opacity of a value.
    fn of(&self, value: f64) -> (&'static str, f64) {
        let (class, part) = if self.both_signs() {
            (if value < 0.0 { "f1" } else { "f0" }, value.abs() / self.high.max(-self.low))
        } else {
            ("f0", (value - self.low) / (self.high - self.low))
        };
        (class, if part.is_finite() { PALEST + (1.0 - PALEST) * part.clamp(0.0, 1.0) } else { 1.0 })
    }

    fn draw(&self, svg: &mut Svg, value: f64, corner: (f64, f64), width: f64, height: f64) {
        if !value.is_finite() {
            // A cross says that this case has no answer.
            let (x, y) = corner;
            svg.line("grid", corner, (x + width, y + height));
            svg.line("grid", (x + width, y), (x, y + height));
            return;
        }
        let (class, opacity) = self.of(value);
        svg.faded(opacity, |svg| svg.rectangle(class, corner, width, height));
    }

    fn draw_scale(&self, svg: &mut Svg, (x, top): (f64, f64), height: f64) {
        if !(self.low.is_finite() && self.high.is_finite()) {
            return;
        }
        let step = height / SCALE_STEPS as f64;
        for k in 0..SCALE_STEPS {
            let value = self.low + (self.high - self.low) * (k as f64 + 0.5) / SCALE_STEPS as f64;
            self.draw(svg, value, (x, top + height - (k + 1) as f64 * step), SCALE_WIDTH, step);
        }
        svg.rectangle("frame", (x, top), SCALE_WIDTH, height);
        let mut marks = vec![(self.low, top + height), (self.high, top + 8.0)];
        if self.both_signs() {
            let zero = top + height * self.high / (self.high - self.low);
            // Beside an end it would stand on its number.
            if zero > top + 24.0 && zero < top + height - 16.0 {
                marks.push((0.0, zero + 4.0));
            }
        }
        for (value, y) in marks {
            svg.text("tick", (x + SCALE_WIDTH + 6.0, y), Anchor::Start, &significant(value, 4));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_without_an_answer_are_crossed_out_and_no_number_leaks() {
        let values = [1.0, f64::NAN, -2.0, 3.0, f64::INFINITY, 0.0];
        let map = Map { title: "t", x_label: "x", y_label: "y", x: &[3.0, 2.0, 1.0], y: &[0.0, 1.0], values: &values };
        let svg = map.draw().inline();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let cells = svg.matches("class=\"f0\"").count() + svg.matches("class=\"f1\"").count();
        assert_eq!(cells, 4 + SCALE_STEPS);
        assert_eq!(svg.matches("<line").count(), 4, "two crosses");
        let flat = Map { values: &[5.0; 6], ..map };
        assert!(!flat.draw().inline().contains("NaN"));
    }
}
