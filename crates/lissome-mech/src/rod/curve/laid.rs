//! Control poses of a rod that begins along a line through given points, whatever its shape without stress.
//!
//! The line is the cubic spline through the points that leaves the base along its axis; sections go along it without turning
//! about its tangent. It is made as long as the rod by scaling, which the door keeps small.

use super::Curve;
use lissome_lie::{Pose, Rotation};
use nalgebra::Vector3;

/// Parts of a stretch between two points in which the line is followed.
const PARTS: usize = 32;

/// A line of cubic pieces with continuous curvature.
struct Line {
    points: Vec<Vector3<f64>>,
    /// Chords between them, the parameter of the line.
    chords: Vec<f64>,
    /// Derivatives at the points.
    slopes: Vec<Vector3<f64>>,
}

impl Line {
    /// From the origin along x through points; its last piece is a parabola, which is bent at its end as it is before.
    fn through(points: &[Vector3<f64>]) -> Self {
        let points: Vec<Vector3<f64>> = std::iter::once(Vector3::zeros()).chain(points.iter().copied()).collect();
        let chords: Vec<f64> = points.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
        let rise = |i: usize| (points[i + 1] - points[i]) / chords[i];
        let last = chords.len();
        // Gaussian elimination of the tridiagonal equations of continuous curvature, from the base on.
        let mut eliminated: Vec<(f64, Vector3<f64>)> = vec![(0.0, Vector3::x())];
        for i in 1..=last {
            let (before, known) = eliminated[i - 1];
            let (left, middle, right, given) = if i < last {
                let (a, b) = (1.0 / chords[i - 1], 1.0 / chords[i]);
                (a, 2.0 * (a + b), b, (rise(i - 1) * a + rise(i) * b) * 3.0)
            } else {
                (1.0, 1.0, 0.0, rise(last - 1) * 2.0)
            };
            let pivot = middle - left * before;
            eliminated.push((right / pivot, (given - known * left) / pivot));
        }
        let mut slopes = vec![Vector3::zeros(); last + 1];
        slopes[last] = eliminated[last].1;
        for i in (0..last).rev() {
            slopes[i] = eliminated[i].1 - slopes[i + 1] * eliminated[i].0;
        }
        Self { points, chords, slopes }
    }

    /// Where it is, and where it goes, at a part of a piece.
    fn at(&self, piece: usize, part: f64) -> (Vector3<f64>, Vector3<f64>) {
        let (h, u) = (self.chords[piece], part);
        let (p, q) = (self.points[piece], self.points[piece + 1]);
        let (m, n) = (self.slopes[piece] * h, self.slopes[piece + 1] * h);
        let (u2, u3) = (u * u, u * u * u);
        let place =
            p * (2.0 * u3 - 3.0 * u2 + 1.0) + m * (u3 - 2.0 * u2 + u) + q * (3.0 * u2 - 2.0 * u3) + n * (u3 - u2);
        let slope = (p - q) * (6.0 * u2 - 6.0 * u) + m * (3.0 * u2 - 4.0 * u + 1.0) + n * (3.0 * u2 - 2.0 * u);
        (place, slope)
    }

    /// Poses along it with the length up to each.
    fn followed(&self) -> Vec<(f64, Pose)> {
        let mut all = vec![(0.0, Pose::identity())];
        for piece in 0..self.chords.len() {
            for k in 1..=PARTS {
                let (position, slope) = self.at(piece, k as f64 / PARTS as f64);
                let (reached, before) = all[all.len() - 1];
                let rotation = least_turn(&before.rotation.rotate(&Vector3::x()), &slope) * before.rotation;
                all.push((reached + (position - before.position).norm(), Pose { rotation, position }));
            }
        }
        all
    }
}

/// The smallest rotation that takes a unit vector to a direction.
fn least_turn(from: &Vector3<f64>, to: &Vector3<f64>) -> Rotation {
    let across = from.cross(to);
    let sine = across.norm();
    if sine == 0.0 {
        return Rotation::identity();
    }
    Rotation::exp(&(across * (sine.atan2(from.dot(to)) / sine)))
}

impl Curve {
    /// True if the rod begins along a line of its own.
    pub fn is_laid(&self) -> bool {
        !self.values.natural.laid.is_empty()
    }

    /// Control poses along the line that the rod is laid on, relative to the one it stands on.
    pub(super) fn laid_poses(&self) -> Vec<Pose> {
        let line = Line::through(&self.values.natural.laid).followed();
        let whole = line[line.len() - 1].0;
        let scale = self.length() / whole;
        let knots = self.knot_vector();
        (0..self.pose_count())
            .map(|i| {
                let at = (knots.greville(i) / scale).clamp(0.0, whole);
                let next = line.partition_point(|(s, _)| *s <= at).clamp(1, line.len() - 1);
                let ((from, a), (to, b)) = (line[next - 1], line[next]);
                let pose = a.boxplus(&(b.boxminus(&a) * ((at - from) / (to - from))));
                Pose { position: pose.position * scale, ..pose }
            })
            .collect()
    }

    /// Turns every section about its tangent in proportion to its place, so that the last one fits the frame that holds it.
    pub fn twist_evenly(&self, poses: &mut [Pose], tip: &Pose) {
        let missing = (poses[self.increments()].rotation.inverse() * tip.rotation).log().x;
        let knots = self.knot_vector();
        for (i, pose) in poses.iter_mut().enumerate() {
            let part = knots.greville(i) / self.length();
            pose.rotation = pose.rotation * Rotation::exp(&(Vector3::x() * (missing * part)));
        }
    }
}
