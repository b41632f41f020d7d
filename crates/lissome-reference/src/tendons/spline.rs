//! A twice continuously differentiable cubic through given points of the section, with natural ends.
//!
//! The Newtonian equations contain D″, so that a table of positions needs a curve whose second derivative exists; a
//! kink is made by two tables in a row.

use crate::OracleError;
use nalgebra::{DMatrix, Vector2};

/// Cubic pieces between knots.
#[derive(Clone, Debug, PartialEq)]
pub struct CubicSpline {
    knots: Vec<f64>,
    points: Vec<Vector2<f64>>,
    /// Second derivatives at the knots.
    bends: Vec<Vector2<f64>>,
}

impl CubicSpline {
    /// Through `points` at the rising arc lengths `knots`; two or more.
    pub fn through(knots: &[f64], points: &[Vector2<f64>]) -> Result<Self, OracleError> {
        let n = knots.len();
        if n < 2 || points.len() != n {
            return Err(OracleError::OutOfDomain { quantity: "number of points of a tendon's table", value: n as f64 });
        }
        for pair in knots.windows(2) {
            // False for NaN too.
            if !(pair[1] > pair[0] && pair[1].is_finite()) {
                return Err(OracleError::OutOfDomain { quantity: "arc length in a tendon's table", value: pair[1] });
            }
        }
        // h_{k−1} M_{k−1} + 2 (h_{k−1} + h_k) M_k + h_k M_{k+1} = 6 (slope after − slope before), M = 0 at the ends.
        let mut matrix = DMatrix::<f64>::identity(n, n);
        let mut right = DMatrix::<f64>::zeros(n, 2);
        for k in 1..n - 1 {
            let (before, after) = (knots[k] - knots[k - 1], knots[k + 1] - knots[k]);
            matrix[(k, k - 1)] = before;
            matrix[(k, k)] = 2.0 * (before + after);
            matrix[(k, k + 1)] = after;
            let change = (points[k + 1] - points[k]) / after - (points[k] - points[k - 1]) / before;
            right.set_row(k, &(change * 6.0).transpose());
        }
        let bends = matrix.lu().solve(&right).expect("a diagonally dominant matrix is regular");
        let bends = bends.row_iter().map(|row| Vector2::new(row[0], row[1])).collect();
        Ok(Self { knots: knots.to_vec(), points: points.to_vec(), bends })
    }

    /// Arc lengths of the points.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Value, first and second derivative at s; outside the table its first or last cubic goes on.
    pub fn at(&self, s: f64) -> [Vector2<f64>; 3] {
        let last = self.knots.len() - 2;
        let k = self.knots.partition_point(|knot| *knot <= s).saturating_sub(1).min(last);
        let h = self.knots[k + 1] - self.knots[k];
        let (b, a) = ((s - self.knots[k]) / h, (self.knots[k + 1] - s) / h);
        let (start, end) = (self.points[k], self.points[k + 1]);
        let (m, n) = (self.bends[k] * (h * h / 6.0), self.bends[k + 1] * (h * h / 6.0));
        [
            start * a + end * b + m * (a * a * a - a) + n * (b * b * b - b),
            (end - start - m * (3.0 * a * a - 1.0) + n * (3.0 * b * b - 1.0)) / h,
            self.bends[k] * a + self.bends[k + 1] * b,
        ]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn passes_through_its_points_with_continuous_derivatives() {
        let knots = [0.0, 0.1, 0.25, 0.3];
        let points: Vec<_> = [1.0, -2.0, 0.5, 3.0].map(|v| Vector2::new(v, v * v)).to_vec();
        let spline = CubicSpline::through(&knots, &points).unwrap();
        for (knot, point) in knots.iter().zip(&points) {
            assert!((spline.at(*knot)[0] - point).amax() < 1e-14);
        }
        for s in [0.04, 0.1, 0.2, 0.25, 0.28] {
            let (below, here, above) = (spline.at(s - 1e-6), spline.at(s), spline.at(s + 1e-6));
            for order in 0..2 {
                // The third derivative jumps at a knot: the central difference errs by its size times the step.
                let difference = (above[order] - below[order]) / 2e-6;
                assert!((difference - here[order + 1]).amax() < 1e-5 * (1.0 + here[order + 1].amax()), "{s} {order}");
            }
        }
    }

    #[test]
    fn refuses_arc_lengths_that_do_not_rise() {
        let points = [Vector2::zeros(); 3];
        assert!(CubicSpline::through(&[0.0, 0.2, 0.2], &points).is_err());
        assert!(CubicSpline::through(&[0.0], &points[..1]).is_err());
    }
}
