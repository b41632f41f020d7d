//! Parts of outlines and lines that lie inside an upright rectangle.

use super::svg::Point;

/// An upright rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clip {
    /// Least coordinates.
    pub(super) low: Point,
    /// Greatest coordinates.
    pub(super) high: Point,
}

impl Clip {
    /// How far inside each of the four sides a point is.
    fn inside(&self, p: Point) -> [f64; 4] {
        [p.0 - self.low.0, self.high.0 - p.0, p.1 - self.low.1, self.high.1 - p.1]
    }

    /// The part of a polygon that is inside (Sutherland and Hodgman: one side after the other).
    pub(super) fn polygon(&self, corners: &[Point]) -> Vec<Point> {
        let mut kept = corners.to_vec();
        for side in 0..4 {
            let before = std::mem::take(&mut kept);
            for (index, b) in before.iter().enumerate() {
                let a = before[(index + before.len() - 1) % before.len()];
                let (from, to) = (self.inside(a)[side], self.inside(*b)[side]);
                if (from < 0.0) != (to < 0.0) {
                    kept.push(between(a, *b, from / (from - to)));
                }
                if to >= 0.0 {
                    kept.push(*b);
                }
            }
        }
        kept
    }

    /// The part of a segment that is inside.
    pub(super) fn segment(&self, a: Point, b: Point) -> Option<(Point, Point)> {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (from, to) in self.inside(a).into_iter().zip(self.inside(b)) {
            match (from < 0.0, to < 0.0) {
                (true, true) => return None,
                (true, false) => enter = enter.max(from / (from - to)),
                (false, true) => leave = leave.min(from / (from - to)),
                (false, false) => {}
            }
        }
        (enter < leave).then(|| (between(a, b, enter), between(a, b, leave)))
    }

    /// The pieces of a curve through points that are inside.
    pub(super) fn polyline(&self, points: &[Point]) -> Vec<Vec<Point>> {
        let mut pieces: Vec<Vec<Point>> = Vec::new();
        for pair in points.windows(2) {
            let Some((a, b)) = self.segment(pair[0], pair[1]) else { continue };
            match pieces.last_mut() {
                Some(piece) if piece.last() == Some(&a) => piece.push(b),
                _ => pieces.push(vec![a, b]),
            }
        }
        pieces
    }
}

fn between(a: Point, b: Point, part: f64) -> Point {
    (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Clip = Clip { low: (0.0, 0.0), high: (1.0, 1.0) };

    #[test]
    fn what_is_outside_is_cut_off() {
        let large = [(-1.0, -1.0), (2.0, -1.0), (2.0, 2.0), (-1.0, 2.0)];
        let mut corners = UNIT.polygon(&large);
        corners.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        assert_eq!(corners, [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]);
        assert!(UNIT.polygon(&[(2.0, 0.0), (3.0, 0.0), (3.0, 1.0)]).is_empty());
        assert_eq!(UNIT.segment((-1.0, 0.5), (3.0, 0.5)), Some(((0.0, 0.5), (1.0, 0.5))));
        assert_eq!(UNIT.segment((-1.0, 0.5), (0.5, 3.0)), None);
        // Out at the right and in again: two pieces.
        let pieces = UNIT.polyline(&[(0.5, 0.0), (0.5, 0.25), (1.5, 0.25), (1.5, 0.75), (0.5, 0.75)]);
        assert_eq!(pieces, [vec![(0.5, 0.0), (0.5, 0.25), (1.0, 0.25)], vec![(1.0, 0.75), (0.5, 0.75)]]);
    }
}
