//! A plot of curves over one axis, with grid, round ticks, units and a legend.

use super::axis::Axis;
use super::style::SERIES;
use super::svg::{Anchor, CHARACTER, Point, Svg};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 42.0;
/// Height of a line of names, px.
const LEGEND_LINE: f64 = 17.0;
/// Characters of a title on a line, and of a label beside the plot.
const TITLE: usize = 74;
const BESIDE: usize = 30;
/// Values below this part of the largest are rounding, and drawn as zero.
const ROUNDING: f64 = 1e-10;

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y) in the axes' units.
    pub points: Vec<(f64, f64)>,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// Which colour.
    pub colour: usize,
    /// Dashed.
    pub dashed: bool,
}

/// A marked point: position, and which colour it takes.
pub type Mark = (f64, f64, usize);

/// What to plot.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// Headline.
    pub title: String,
    /// Quantity and unit below.
    pub x_label: String,
    /// Quantity and unit at the left.
    pub y_label: String,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Points on top, with the names of their colours.
    pub marks: Vec<Mark>,
    /// Names of the marks' colours.
    pub mark_names: Vec<String>,
    /// The colour of the first of those names.
    pub first_mark: usize,
    /// How each curve is drawn; if empty, one colour each.
    pub strokes: Vec<Stroke>,
    /// Dashed vertical lines.
    pub verticals: Vec<f64>,
    /// Powers of ten on the vertical axis.
    pub logarithmic: bool,
    /// Whole numbers on the horizontal axis.
    pub counted: bool,
    /// A dot at every point of the curves.
    pub dotted: bool,
    /// The axis of the page's view that runs to the right, `time` or `parameter`: then a cursor follows it.
    pub axis: Option<&'static str>,
    /// The points of the only curve are the samples of the run: then a dot follows it.
    pub tracked: bool,
}

impl Plot {
    /// Draws it.
    pub fn draw(&self) -> Svg {
        let x_axis = self.x_axis();
        let y_axis = self.y_axis();
        let x = |value: f64| LEFT + (value - x_axis.low) / (x_axis.high - x_axis.low) * (WIDTH - LEFT - RIGHT);
        let legend = self.legend_rows();
        // A title that is too long, names that do not fit beside it, and a long label have lines of their own.
        let title = lines(&self.title, TITLE);
        let under = title.len() - 1;
        let high = self.y_label.chars().count() > BESIDE;
        let top = TOP + LEGEND_LINE * (under + legend.len() - 1 + usize::from(high)) as f64;
        let height = HEIGHT - TOP - BOTTOM;
        let y = |value: f64| {
            let fraction = if self.logarithmic {
                (value / y_axis.low).log10() / (y_axis.high / y_axis.low).log10()
            } else {
                (value - y_axis.low) / (y_axis.high - y_axis.low)
            };
            top + (1.0 - fraction) * height
        };
        let bottom = top + height;

        let mut svg = Svg::new(WIDTH, bottom + BOTTOM, &self.title);
        if let Some(axis) = self.axis {
            svg.set_window(axis, (x_axis.low, x_axis.high), (LEFT, WIDTH - RIGHT), (top, bottom));
        }
        if self.tracked {
            svg.set_track();
        }
        for (line, words) in title.iter().enumerate() {
            svg.text("title", (LEFT, 20.0 + LEGEND_LINE * line as f64), Anchor::Start, words);
        }
        for (line, names) in legend.iter().enumerate() {
            draw_names(&mut svg, names, 20.0 + LEGEND_LINE * (under + line) as f64);
        }
        for (value, label) in &y_axis.ticks {
            let class = if *value == 0.0 { "zero" } else { "grid" };
            svg.line(class, (LEFT, y(*value)), (WIDTH - RIGHT, y(*value)));
            svg.text("tick", (LEFT - 8.0, y(*value) + 4.0), Anchor::End, label);
        }
        for (value, label) in &x_axis.ticks {
            svg.line("grid", (x(*value), top), (x(*value), bottom));
            svg.text("tick", (x(*value), bottom + 17.0), Anchor::Middle, label);
        }
        svg.rectangle("frame", (LEFT, top), WIDTH - LEFT - RIGHT, height);
        for value in &self.verticals {
            svg.line("step", (x(*value), top), (x(*value), bottom));
        }
        svg.text("label", ((LEFT + WIDTH - RIGHT) / 2.0, bottom + BOTTOM - 6.0), Anchor::Middle, &self.x_label);
        if high {
            svg.text("label", (LEFT, top - 6.0), Anchor::Start, &self.y_label);
        } else {
            svg.vertical_text("label", (14.0, (top + bottom) / 2.0), &self.y_label);
        }
        for (index, curve) in self.curves.iter().enumerate() {
            let points: Vec<Point> = curve.points.iter().map(|(a, b)| (x(*a), y(*b))).collect();
            let stroke = self.strokes.get(index);
            let colour = match stroke {
                Some(stroke) => SERIES[stroke.colour % SERIES.len()],
                None if self.marks.is_empty() => SERIES[index % SERIES.len()],
                None => "c5",
            };
            let dashed = if stroke.is_some_and(|stroke| stroke.dashed) { " dashed" } else { "" };
            svg.polyline(&format!("curve {colour}{dashed}"), &points);
            if self.dotted {
                let class = format!("mark f{}", index % SERIES.len());
                points.iter().for_each(|point| svg.circle(&class, *point, 3.0));
            }
        }
        for (a, b, colour) in self.marks.iter().filter(|m| y(m.1).is_finite()) {
            svg.circle(&format!("mark f{}", colour % SERIES.len()), (x(*a), y(*b)), 4.0);
        }
        svg
    }

    /// Names with their colours, in the lines they fit on; the first line shares its place with the title.
    fn legend_rows(&self) -> Vec<Vec<(usize, &str)>> {
        let of_curve = |index: usize| self.strokes.get(index).map_or(index, |stroke| stroke.colour);
        let curves = self.curves.iter().enumerate().map(|(i, c)| (of_curve(i), c.name.as_str()));
        let marks = self.mark_names.iter().enumerate().map(|(i, name)| (self.first_mark + i, name.as_str()));
        let names: Vec<(usize, &str)> = match (self.marks.is_empty(), self.strokes.is_empty()) {
            (true, _) => curves.collect(),
            (false, true) => marks.collect(),
            (false, false) => curves.chain(marks).collect(),
        };
        let beside = lines(&self.title, TITLE).last().map_or(0, |line| line.chars().count());
        let mut room = WIDTH - RIGHT - LEFT - CHARACTER * (beside + 2) as f64;
        let all: f64 = names.iter().filter(|(_, name)| !name.is_empty()).map(|(_, name)| name_width(name)).sum();
        let mut rows = vec![Vec::new()];
        if all > room {
            rows.push(Vec::new());
            room = WIDTH - RIGHT - LEFT;
        }
        for (index, name) in names.into_iter().filter(|(_, name)| !name.is_empty()) {
            if room < name_width(name) {
                rows.push(Vec::new());
                room = WIDTH - RIGHT - LEFT;
            }
            room -= name_width(name);
            let last = rows.len() - 1;
            rows[last].push((index, name));
        }
        rows
    }

    fn x_axis(&self) -> Axis {
        let (low, high) = range(self.curves.iter().flat_map(|c| c.points.iter().map(|p| p.0)));
        if self.counted { Axis::counted(low, high, 8) } else { Axis::linear(low, high, 6, false) }
    }

    fn y_axis(&self) -> Axis {
        let values = || self.curves.iter().flat_map(|c| c.points.iter().map(|p| p.1));
        if self.logarithmic {
            let (low, high) = range(values().filter(|v| *v > 0.0));
            return Axis::logarithmic(low, high);
        }
        let (low, high) = range(values());
        // A curve that is zero but for rounding is drawn flat, in a frame of the data's own size.
        Axis::linear(low.min(0.0), high.max(0.0), 5, true)
    }
}

/// A text in lines of at most so many characters, broken between words where it can be.
fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.len() - 1;
        let length = lines[line].chars().count();
        if length > 0 && length + 1 + word.chars().count() > most {
            lines.push(word.to_owned());
        } else {
            if length > 0 {
                lines[line].push(' ');
            }
            lines[line].push_str(word);
        }
    }
    lines
}

/// Rounding beside a large value is drawn as zero, so that ticks stay readable.
pub(super) fn flush(value: f64, largest: f64) -> f64 {
    if value.abs() < ROUNDING * largest { 0.0 } else { value }
}

fn name_width(name: &str) -> f64 {
    CHARACTER * name.chars().count() as f64 + 36.0
}

/// Draws names right to left, each after a stroke of its colour.
fn draw_names(svg: &mut Svg, names: &[(usize, &str)], y: f64) {
    let mut right = WIDTH - RIGHT;
    for (index, name) in names.iter().rev() {
        svg.text("strong", (right, y), Anchor::End, name);
        right -= CHARACTER * name.chars().count() as f64 + 6.0;
        svg.line(&format!("curve {}", SERIES[index % SERIES.len()]), (right - 16.0, y - 4.0), (right, y - 4.0));
        right -= 30.0;
    }
}

/// Least and greatest finite value.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.filter(|v| v.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_whole_and_rounding_is_flat() {
        let name = "a_very_long_name_of_a_part_that_somebody_gave_to_it_without_a_thought";
        let title = format!("{name} against {name} along x");
        let parts = lines(&title, TITLE);
        assert!(parts.len() > 1 && parts.iter().all(|line| line.chars().count() <= TITLE), "{parts:?}");
        assert_eq!(parts.join(" "), title);
        let curves = vec![Curve { name: String::new(), points: vec![(0.0, 0.0), (1.0, 1.0)] }];
        let svg = Plot { title, y_label: name.into(), curves, ..Plot::default() }.draw().inline();
        assert!(parts.iter().all(|line| svg.contains(&format!(">{line}<"))));
        assert!(!svg.contains("rotate(-90)") && svg.contains(&format!(">{name}</text>")), "the label lies above");
        assert_eq!((flush(1e-17, 1.0), flush(1e-3, 1.0)), (0.0, 1e-3));
    }
}
