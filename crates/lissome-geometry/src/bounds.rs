//! Boxes along the axes.

use lissome_lie::Pose;
use nalgebra::Vector3;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Corner with the least coordinates.
    pub low: Vector3<f64>,
    /// Corner with the largest.
    pub high: Vector3<f64>,
}

impl Bounds {
    /// A box that holds nothing.
    pub fn empty() -> Self {
        Self { low: Vector3::repeat(f64::INFINITY), high: Vector3::repeat(f64::NEG_INFINITY) }
    }

    /// A box that holds everything.
    pub fn everything() -> Self {
        Self { low: Vector3::repeat(f64::NEG_INFINITY), high: Vector3::repeat(f64::INFINITY) }
    }

    /// The smallest box around points.
    pub fn around(points: impl IntoIterator<Item = Vector3<f64>>) -> Self {
        points
            .into_iter()
            .fold(Self::empty(), |sum, point| Self { low: sum.low.inf(&point), high: sum.high.sup(&point) })
    }

    /// The smallest box around two.
    pub fn with(&self, other: &Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// Larger by a margin to every side.
    pub fn grown(&self, margin: f64) -> Self {
        Self { low: self.low.add_scalar(-margin), high: self.high.add_scalar(margin) }
    }

    /// True if two boxes have a point in common.
    pub fn meets(&self, other: &Self) -> bool {
        (0..3).all(|i| self.low[i] <= other.high[i] && other.low[i] <= self.high[i])
    }

    /// True if the point lies within.
    pub fn holds(&self, point: &Vector3<f64>) -> bool {
        (0..3).all(|i| self.low[i] <= point[i] && point[i] <= self.high[i])
    }

    /// Square of the distance of a point from the box; zero inside.
    pub fn distance_squared(&self, point: &Vector3<f64>) -> f64 {
        (0..3).map(|i| (self.low[i] - point[i]).max(point[i] - self.high[i]).max(0.0).powi(2)).sum()
    }

    /// Centre.
    pub fn centre(&self) -> Vector3<f64> {
        (self.low + self.high) * 0.5
    }

    /// Edges.
    pub fn size(&self) -> Vector3<f64> {
        self.high - self.low
    }

    /// A box around this one after it was moved; exact for the moved box, infinite if any edge is.
    pub fn moved(&self, pose: &Pose) -> Self {
        let half = self.size() * 0.5;
        if !half.iter().all(|edge| edge.is_finite()) {
            return if half.iter().any(|edge| *edge < 0.0) { *self } else { Self::everything() };
        }
        let centre = pose.transform(&self.centre());
        let reach = pose.rotation.matrix().abs() * half;
        Self { low: centre - reach, high: centre + reach }
    }
}
