//! Smooth curves, and the nearest place of one.
//!
//! A curve says into how many cells it is to be divided so that it turns by less than about a radian in each: two places
//! of one cell are then never both nearest. In a cell the foot of a perpendicular is found by Newton's method on
//! (p − x)·p′ = 0, kept within a bracket that shrinks with each step.

use crate::Bounds;
use nalgebra::Vector3;

/// A place of a curve with its derivatives by the parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// p.
    pub position: Vector3<f64>,
    /// p′.
    pub first: Vector3<f64>,
    /// p″.
    pub second: Vector3<f64>,
}

/// A smooth curve.
pub trait Curve {
    /// First and last parameter.
    fn range(&self) -> [f64; 2];

    /// Number of cells of equal parts of the range; it turns by less than a radian in each.
    fn cells(&self) -> usize;

    /// The place of a parameter.
    fn at(&self, s: f64) -> CurvePoint;

    /// The largest |p″| within a stretch; bounds how far the curve leaves its chord.
    fn largest_second(&self, from: f64, to: f64) -> f64;

    /// Limits of a cell.
    fn cell(&self, index: usize) -> [f64; 2] {
        let [first, last] = self.range();
        let at = |k: usize| match k == self.cells() {
            true => last,
            false => first + (last - first) * (k as f64 / self.cells() as f64),
        };
        [at(index), at(index + 1)]
    }

    /// How far a stretch leaves its chord at most: |p″| h²/8.
    fn sagitta(&self, from: f64, to: f64) -> f64 {
        self.largest_second(from, to) * (to - from).powi(2) / 8.0
    }

    /// A box around a stretch.
    fn stretch_bounds(&self, from: f64, to: f64) -> Bounds {
        Bounds::around([self.at(from).position, self.at(to).position]).grown(self.sagitta(from, to))
    }
}

impl<C: Curve> Curve for &C {
    fn range(&self) -> [f64; 2] {
        (**self).range()
    }

    fn cells(&self) -> usize {
        (**self).cells()
    }

    fn at(&self, s: f64) -> CurvePoint {
        (**self).at(s)
    }

    fn largest_second(&self, from: f64, to: f64) -> f64 {
        (**self).largest_second(from, to)
    }

    fn cell(&self, index: usize) -> [f64; 2] {
        (**self).cell(index)
    }
}

/// The nearest place of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// Its parameter.
    pub s: f64,
    /// The place.
    pub point: CurvePoint,
    /// Distance, m.
    pub distance: f64,
    /// True if the curve ends there and the nearest place would lie beyond.
    pub at_end: bool,
}

/// Steps of Newton's method; a bisection halves 2⁻⁶⁰ of the cell away.
const MOST_STEPS: usize = 80;
/// The parameter is known to this part of its cell.
const SAME: f64 = 1e-15;

/// The nearest place of a curve to a point.
pub fn nearest_on(curve: &impl Curve, at: &Vector3<f64>) -> Foot {
    let mut best: Option<Foot> = None;
    for index in 0..curve.cells() {
        let [from, to] = curve.cell(index);
        // A point of the cell is at most a sagitta off the chord.
        let (a, b) = (curve.at(from).position, curve.at(to).position);
        let bound = distance_from_segment(at, &a, &b) - curve.sagitta(from, to);
        if best.is_none_or(|best| bound < best.distance) {
            let foot = foot_within(curve, at, [from, to]);
            if best.is_none_or(|best| foot.distance < best.distance) {
                best = Some(foot);
            }
        }
    }
    best.unwrap_or_else(|| foot_within(curve, at, curve.range()))
}

/// The nearest place within a stretch that turns by less than a radian.
pub fn foot_within(curve: &impl Curve, at: &Vector3<f64>, [from, to]: [f64; 2]) -> Foot {
    let foot = |s: f64| {
        let point = curve.at(s);
        let off = point.position - at;
        (point, off, off.dot(&point.first))
    };
    let answer = |s: f64, slope: f64| {
        let (point, off, _) = foot(s);
        let [first, last] = curve.range();
        let at_end = (s <= first && slope > 0.0) || (s >= last && slope < 0.0);
        Foot { s, point, distance: off.norm(), at_end }
    };
    let (slope_from, slope_to) = (foot(from).2, foot(to).2);
    if slope_from >= 0.0 || slope_to <= 0.0 {
        // Nothing turns within: the nearer end. Of two that both lead inward there is at most a farthest place between.
        let (start, end) = (answer(from, slope_from), answer(to, slope_to));
        return if start.distance <= end.distance { start } else { end };
    }
    let (mut low, mut high) = (from, to);
    let mut s = low + (high - low) * (slope_from / (slope_from - slope_to));
    for _ in 0..MOST_STEPS {
        let (point, off, slope) = foot(s);
        if slope == 0.0 {
            break;
        }
        if slope < 0.0 {
            low = s
        } else {
            high = s
        }
        let rise = point.first.norm_squared() + off.dot(&point.second);
        let newton = s - slope / rise;
        let next = if rise > 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let moved = (next - s).abs();
        s = next;
        if moved <= SAME * (to - from) || high - low <= SAME * (to - from) {
            break;
        }
    }
    answer(s, 0.0)
}

/// Distance of a point from a piece of a line.
pub(crate) fn distance_from_segment(at: &Vector3<f64>, a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    let way = b - a;
    let square = way.norm_squared();
    let along = if square > 0.0 { ((at - a).dot(&way) / square).clamp(0.0, 1.0) } else { 0.0 };
    (at - a - way * along).norm()
}
