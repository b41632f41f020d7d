//! A picture being drawn: a few SVG elements, coordinates to a hundredth of a pixel.

use super::style::PICTURE_CSS;
use std::fmt::Write as _;

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Begins there.
    Start,
    /// Centred there.
    Middle,
    /// Ends there.
    End,
}

/// An SVG of fixed size.
#[derive(Clone, Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    label: String,
    /// Further attributes of the picture, for the script of a page.
    data: String,
    body: String,
    /// Where labels stand: their middles and half sizes.
    labels: Vec<(Point, Point)>,
}

/// Width of a character of 12 px text, px.
pub(super) const CHARACTER: f64 = 7.0;
/// Height of a label with the room it needs, px.
const LABEL_HEIGHT: f64 = 14.0;

/// A point on the picture, px, y down.
pub type Point = (f64, f64);

impl Svg {
    /// An empty picture; `label` is read out by screen readers.
    pub fn new(width: f64, height: f64, label: &str) -> Self {
        Self { width, height, label: escape(label), data: String::new(), body: String::new(), labels: Vec::new() }
    }

    /// Tells the script of a page which axis runs to the right, and from where to where: values, then pixels.
    pub fn set_window(&mut self, axis: &str, values: (f64, f64), across: (f64, f64), down: (f64, f64)) {
        let ((low, high), (left, right), (top, bottom)) = (values, across, down);
        let _ = write!(
            self.data,
            r#" data-axis="{}" data-window="{low:e} {high:e} {left:.1} {right:.1} {top:.1} {bottom:.1}""#,
            escape(axis)
        );
    }

    /// Tells the script of a page that the marks are the samples of the run, in order.
    pub fn set_track(&mut self) {
        self.data.push_str(r#" data-track="""#);
    }

    // What has a coordinate that is not finite is left out: half a picture of a failed solve is better than none.
    // Writing to a String cannot fail, hence the discarded results below.

    /// A straight line.
    pub fn line(&mut self, class: &str, from: Point, to: Point) {
        let ((x1, y1), (x2, y2)) = (from, to);
        if !finite(&[x1, y1, x2, y2]) {
            return;
        }
        let _ = write!(self.body, r#"<line class="{class}" x1="{x1:.2}" y1="{y1:.2}" x2="{x2:.2}" y2="{y2:.2}"/>"#);
    }

    /// A curve through the points; points that are not finite break it.
    pub fn polyline(&mut self, class: &str, points: &[Point]) {
        let mut data = String::new();
        let mut pen_down = false;
        for (x, y) in points {
            if !(x.is_finite() && y.is_finite()) {
                pen_down = false;
                continue;
            }
            let _ = write!(data, "{}{x:.2} {y:.2}", if pen_down { "L" } else { "M" });
            pen_down = true;
        }
        self.path(class, &data);
    }

    /// A closed polygon; nothing if a corner is not finite.
    pub fn polygon(&mut self, class: &str, points: &[Point]) {
        if points.len() < 2 || points.iter().any(|(x, y)| !(x.is_finite() && y.is_finite())) {
            return;
        }
        let data: Vec<String> = points.iter().map(|(x, y)| format!("{x:.2} {y:.2}")).collect();
        self.path(class, &format!("M{}Z", data.join("L")));
    }

    /// Begins a group that shows `title` when pointed at.
    pub fn open(&mut self, title: &str) {
        let _ = write!(self.body, "<g><title>{}</title>", escape(title));
    }

    /// Ends the latest group.
    pub fn close(&mut self) {
        self.body.push_str("</g>");
    }

    /// A path from its data.
    pub fn path(&mut self, class: &str, data: &str) {
        if !data.is_empty() {
            let _ = write!(self.body, r#"<path class="{class}" d="{data}"/>"#);
        }
    }

    /// A disc.
    pub fn circle(&mut self, class: &str, (x, y): Point, radius: f64) {
        if !finite(&[x, y, radius]) {
            return;
        }
        let _ = write!(self.body, r#"<circle class="{class}" cx="{x:.2}" cy="{y:.2}" r="{radius:.2}"/>"#);
    }

    /// A rectangle.
    pub fn rectangle(&mut self, class: &str, (x, y): Point, width: f64, height: f64) {
        if !finite(&[x, y, width, height]) {
            return;
        }
        let _ = write!(
            self.body,
            r#"<rect class="{class}" x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}"/>"#
        );
    }

    /// A text.
    pub fn text(&mut self, class: &str, (x, y): Point, anchor: Anchor, text: &str) {
        if !finite(&[x, y]) {
            return;
        }
        let anchor = anchor_word(anchor);
        let text = escape(text);
        let _ =
            write!(self.body, r#"<text class="{class}" x="{x:.2}" y="{y:.2}" text-anchor="{anchor}">{text}</text>"#);
    }

    /// A text beside something drawn: moved into the picture, and up or down until it is clear of other labels. Left out where
    /// there is no room.
    pub fn label(&mut self, class: &str, (x, y): Point, anchor: Anchor, text: &str) {
        if !finite(&[x, y]) {
            return;
        }
        let half = (0.5 * CHARACTER * text.chars().count() as f64, 0.5 * LABEL_HEIGHT);
        let middle = match anchor {
            Anchor::Start => x + half.0,
            Anchor::Middle => x,
            Anchor::End => x - half.0,
        };
        // The base line of a text lies below its middle.
        const BASE: f64 = 4.0;
        let middle = (middle.min(self.width - half.0 - 2.0).max(half.0 + 2.0), y - BASE);
        let rows = [0.0, -1.0, 1.0, -2.0, 2.0, -3.0, 3.0].map(|row| (middle.0, middle.1 + row * LABEL_HEIGHT));
        let inside = |at: &Point| at.1 - half.1 >= 0.0 && at.1 + half.1 <= self.height;
        let clear = |at: &Point| {
            self.labels.iter().all(|(other, size)| {
                (other.0 - at.0).abs() >= size.0 + half.0 || (other.1 - at.1).abs() >= size.1 + half.1
            })
        };
        if let Some(at) = rows.into_iter().find(|at| inside(at) && clear(at)) {
            self.labels.push((at, half));
            self.text(class, (at.0, at.1 + BASE), Anchor::Middle, text);
        }
    }

    /// A text turned a quarter to the left, centred.
    pub fn vertical_text(&mut self, class: &str, (x, y): Point, text: &str) {
        let text = escape(text);
        let _ = write!(
            self.body,
            r#"<text class="{class}" transform="translate({x:.2} {y:.2}) rotate(-90)" text-anchor="middle">{text}</text>"#
        );
    }

    /// What `draw` adds is shown with this opacity.
    pub fn faded(&mut self, opacity: f64, draw: impl FnOnce(&mut Self)) {
        let _ = write!(self.body, r#"<g opacity="{opacity:.2}">"#);
        draw(self);
        self.body.push_str("</g>");
    }

    /// The picture inside a page that has the style.
    pub fn inline(&self) -> String {
        self.render("")
    }

    /// The picture as a file of its own.
    pub fn standalone(&self) -> String {
        let style = format!("<style>{PICTURE_CSS}</style><rect width=\"100%\" height=\"100%\" fill=\"var(--card)\"/>");
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", self.render(&style))
    }

    fn render(&self, head: &str) -> String {
        let Self { width, height, label, data, body, .. } = self;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" role="img" aria-label="{label}"{data}>{head}{body}</svg>"#
        )
    }
}

fn finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| x.is_finite())
}

fn anchor_word(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    }
}

/// Text made safe inside XML; control characters, which XML forbids, become blanks.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where texts stand, and how many there are.
    fn places(svg: &Svg) -> Vec<Point> {
        let number = |text: &str, key: &str| -> f64 {
            let (_, rest) = text.split_once(key).expect("a text has a place");
            rest.split('"').next().and_then(|x| x.parse().ok()).expect("a number")
        };
        svg.inline().split("<text").skip(1).map(|text| (number(text, " x=\""), number(text, " y=\""))).collect()
    }

    #[test]
    fn labels_keep_clear_of_each_other_and_of_the_rim() {
        let mut svg = Svg::new(200.0, 100.0, "labels");
        for _ in 0..20 {
            svg.label("c0", (195.0, 50.0), Anchor::Start, "12.5 N");
        }
        let found = places(&svg);
        assert!((3..=7).contains(&found.len()), "as many as there is room for: {found:?}");
        for (i, (x, y)) in found.iter().enumerate() {
            assert!(x + 21.0 <= 200.0 && *y > 0.0 && *y < 100.0, "{x} {y}");
            assert!(found[..i].iter().all(|other| (other.1 - y).abs() >= LABEL_HEIGHT), "{found:?}");
        }
    }
}
