//! Tables with a cubic spline through their points: value, rate and acceleration are continuous.
//!
//! Between two points h apart, with values y₀, y₁ and accelerations a₀, a₁ and u from 0 to 1:
//!
//! ```text
//! y(u) = (1−u) y₀ + u y₁ − h²/6 u (1−u) ((2−u) a₀ + (1+u) a₁)
//! ```
//!
//! Continuous rates at the inner points and a condition at each of the two ends give a tridiagonal system for the
//! accelerations: rates of zero for courses in time, accelerations of zero ([`CubicTable::natural`]) for curves.

/// A cubic spline through points.
#[derive(Clone, Debug, PartialEq)]
pub struct CubicTable {
    points: Vec<(f64, f64)>,
    accelerations: Vec<f64>,
}

impl CubicTable {
    /// The spline through (time, value), times increasing; what is wrong with them is told by
    /// [`Signal::validate`](crate::Signal::validate).
    pub fn new(points: Vec<(f64, f64)>) -> Self {
        let accelerations = accelerations(&points, Ends::AtRest);
        Self { points, accelerations }
    }

    /// The spline through (place, value), places increasing, that leaves both ends straight on.
    pub fn natural(points: Vec<(f64, f64)>) -> Self {
        let accelerations = accelerations(&points, Ends::Natural);
        Self { points, accelerations }
    }

    /// The points that it goes through.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// Its value at a time. It holds its ends.
    pub fn at(&self, t: f64) -> f64 {
        let after = self.points.partition_point(|(at, _)| *at <= t);
        match (after.checked_sub(1), self.points.get(after)) {
            (Some(before), Some((end, _))) => {
                let begin = self.points[before].0;
                self.within(before, (t - begin) / (end - begin))
            }
            (Some(last), None) => self.points[last].1,
            (None, Some((_, first))) => *first,
            (None, None) => 0.0,
        }
    }

    /// Value, first and second derivative. Outside the table its first or last cubic goes on; zero without two points.
    pub fn derivatives(&self, t: f64) -> [f64; 3] {
        let Some(last) = self.points.len().checked_sub(2) else { return [self.at(t), 0.0, 0.0] };
        let piece = self.points.partition_point(|(at, _)| *at <= t).saturating_sub(1).min(last);
        let ((t0, y0), (t1, y1)) = (self.points[piece], self.points[piece + 1]);
        let (a0, a1, h) = (self.accelerations[piece], self.accelerations[piece + 1], t1 - t0);
        let u = (t - t0) / h;
        let rate = (y1 - y0) / h - h / 6.0 * ((2.0 - 6.0 * u + 3.0 * u * u) * a0 + (1.0 - 3.0 * u * u) * a1);
        [self.within(piece, u), rate, (1.0 - u) * a0 + u * a1]
    }

    /// Value in the piece after a point, u from 0 to 1.
    fn within(&self, piece: usize, u: f64) -> f64 {
        let ((t0, y0), (t1, y1)) = (self.points[piece], self.points[piece + 1]);
        let (a0, a1, h) = (self.accelerations[piece], self.accelerations[piece + 1], t1 - t0);
        (1.0 - u) * y0 + u * y1 - h * h / 6.0 * u * (1.0 - u) * ((2.0 - u) * a0 + (1.0 + u) * a1)
    }

    /// The least and the greatest value between its ends: a cubic may go beyond its points.
    pub fn range(&self) -> (f64, f64) {
        let values = self.points.iter().map(|(_, value)| *value);
        let pieces = 0..self.points.len().saturating_sub(1);
        let turns = pieces.flat_map(|piece| self.turning_points(piece).into_iter().map(move |u| self.within(piece, u)));
        values
            .chain(turns)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    }

    /// Where in a piece the rate is zero.
    fn turning_points(&self, piece: usize) -> Vec<f64> {
        let ((t0, y0), (t1, y1)) = (self.points[piece], self.points[piece + 1]);
        let (a0, a1, h) = (self.accelerations[piece], self.accelerations[piece + 1], t1 - t0);
        // h × rate = c + b u + a u².
        let (a, b) = (0.5 * h * h * (a1 - a0), h * h * a0);
        let c = y1 - y0 - h * h / 6.0 * (2.0 * a0 + a1);
        let root = (b * b - 4.0 * a * c).sqrt();
        // Without cancellation: one root from the sum of equal signs, the other from the product of the two.
        let sum = -0.5 * (b + root.copysign(b));
        [sum / a, c / sum].into_iter().filter(|u| (0.0..=1.0).contains(u)).collect()
    }
}

/// What holds at both ends of a spline.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// The rate is zero.
    AtRest,
    /// The acceleration is zero.
    Natural,
}

/// Accelerations at the points, by elimination from the first to the last.
fn accelerations(points: &[(f64, f64)], ends: Ends) -> Vec<f64> {
    let count = points.len();
    if count < 2 {
        return vec![0.0; count];
    }
    let step = |i: usize| points[i + 1].0 - points[i].0;
    let slope = |i: usize| (points[i + 1].1 - points[i].1) / step(i);
    // Row i: before · aᵢ₋₁ + own · aᵢ + after · aᵢ₊₁ = right. Diagonally dominant, so no pivoting is needed.
    let row = |i: usize| {
        if ends == Ends::Natural && (i == 0 || i + 1 == count) {
            return (0.0, 1.0, 0.0, 0.0);
        }
        let (before, after) = (if i > 0 { step(i - 1) } else { 0.0 }, if i + 1 < count { step(i) } else { 0.0 });
        let leaving = if i + 1 < count { slope(i) } else { 0.0 };
        let arriving = if i > 0 { slope(i - 1) } else { 0.0 };
        (before, 2.0 * (before + after), after, 6.0 * (leaving - arriving))
    };
    let mut eliminated: Vec<(f64, f64)> = Vec::with_capacity(count);
    for i in 0..count {
        let (before, own, after, right) = row(i);
        let (factor, value) = eliminated.last().copied().unwrap_or_default();
        let pivot = own - before * factor;
        eliminated.push((after / pivot, (right - before * value) / pivot));
    }
    let mut found = vec![0.0; count];
    for i in (0..count).rev() {
        let (factor, value) = eliminated[i];
        found[i] = value - if i + 1 < count { factor * found[i + 1] } else { 0.0 };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bumpy() -> CubicTable {
        CubicTable::new(vec![(0.0, 1.0), (0.4, 1.5), (1.0, 0.2), (1.1, 0.3), (2.5, -1.0)])
    }

    #[test]
    fn goes_through_its_points_and_holds_its_ends() {
        let table = bumpy();
        for (t, value) in table.points() {
            assert!((table.at(*t) - value).abs() < 1e-15);
        }
        assert_eq!((table.at(-1.0), table.at(9.0)), (1.0, -1.0));
        assert_eq!(CubicTable::new(vec![(0.0, 3.0)]).at(1.0), 3.0);
        assert_eq!(CubicTable::new(vec![]).at(1.0), 0.0);
    }

    #[test]
    fn rate_and_acceleration_are_continuous_and_it_rests_at_both_ends() {
        let table = bumpy();
        // Derivatives to one side of t by differences that are exact for a cubic, h apart; rounding is 1e-15/h².
        let one_sided = |t: f64, h: f64| {
            let y = [0.0, 1.0, 2.0, 3.0].map(|k| table.at(t + k * h));
            let rate = (-11.0 * y[0] + 18.0 * y[1] - 9.0 * y[2] + 2.0 * y[3]) / (6.0 * h);
            let acceleration = (2.0 * y[0] - 5.0 * y[1] + 4.0 * y[2] - y[3]) / (h * h);
            (rate, acceleration)
        };
        let h = 0.02;
        for (t, _) in &table.points()[1..4] {
            let (before, after) = (one_sided(*t, -h), one_sided(*t, h));
            assert!((before.0 - after.0).abs() < 1e-11, "rate at {t}: {before:?} {after:?}");
            assert!((before.1 - after.1).abs() < 1e-9, "acceleration at {t}: {before:?} {after:?}");
        }
        assert!(one_sided(0.0, h).0.abs() < 1e-11 && one_sided(2.5, -h).0.abs() < 1e-11);
    }

    #[test]
    fn natural_ends_are_straight_and_derivatives_agree_with_differences() {
        let table = CubicTable::natural(bumpy().points);
        let (first, last) = (table.derivatives(0.0)[2], table.derivatives(2.5)[2]);
        assert!(first.abs() < 1e-14 && last.abs() < 1e-14);
        for t in [-0.1, 0.05, 0.2, 0.7, 1.05, 1.9, 2.6] {
            let (h, here) = (1e-5, table.derivatives(t));
            let (below, above) = (table.derivatives(t - h), table.derivatives(t + h));
            for order in 0..2 {
                // Central differences of a cubic err by h²/6 of its third derivative, below 1e3 here, and by rounding.
                let difference = (above[order] - below[order]) / (2.0 * h);
                assert!((difference - here[order + 1]).abs() < 1e-7, "{t} {order}");
            }
        }
        // A straight line is its own spline.
        let line = CubicTable::natural(vec![(0.0, 1.0), (1.0, 3.0), (4.0, 9.0)]);
        assert_eq!(line.derivatives(2.0), [5.0, 2.0, 0.0]);
    }

    #[test]
    fn two_points_make_the_cubic_from_rest_to_rest() {
        let table = CubicTable::new(vec![(1.0, 2.0), (3.0, 6.0)]);
        for u in [0.0, 0.1, 0.5, 0.8, 1.0] {
            assert!((table.at(1.0 + 2.0 * u) - (2.0 + 4.0 * u * u * (3.0 - 2.0 * u))).abs() < 1e-15);
        }
        assert_eq!(table.range(), (2.0, 6.0));
    }

    #[test]
    fn converges_to_a_smooth_course_with_the_fourth_power_of_the_spacing() {
        let course = |t: f64| (std::f64::consts::PI * t).cos();
        let error = |pieces: u32| {
            let at = |i: u32| f64::from(i) / f64::from(pieces);
            let table = CubicTable::new((0..=pieces).map(|i| (at(i), course(at(i)))).collect());
            (0..1000).map(|i| 1e-3 * f64::from(i)).map(|t| (table.at(t) - course(t)).abs()).fold(0.0, f64::max)
        };
        let ratio = error(10) / error(20);
        // 2⁴, but for terms of the next order and the places that were sampled.
        assert!((13.0..19.0).contains(&ratio), "{ratio}");
    }
}
