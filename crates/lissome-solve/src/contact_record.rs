//! What touching leaves behind: of each pair of a part and an obstacle the points that press, their sum and the least gap.

use nalgebra::Vector3;

/// A rod or body beside an obstacle that it may touch.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactRecord {
    /// Name of the rod or body.
    pub part: String,
    /// Name of the obstacle.
    pub obstacle: String,
    /// What presses between them.
    pub contact: ContactFrame,
}

/// A pair at one time or at an equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactFrame {
    /// Least gap between the two, m, negative inside; NaN where no place of the part has the obstacle beside it.
    pub least_gap: f64,
    /// Points of the part that press on the obstacle.
    pub points: Vec<ContactPoint>,
}

/// A point of a part that presses on an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Arc length of the place on a rod, m; zero of a body.
    pub s: f64,
    /// The gap, m.
    pub gap: f64,
    /// Where the two touch, world axes, m.
    pub place: Vector3<f64>,
    /// Force on the rod or body, world axes, N.
    pub force: Vector3<f64>,
}

impl Default for ContactFrame {
    fn default() -> Self {
        Self { least_gap: f64::NAN, points: Vec::new() }
    }
}

impl ContactFrame {
    /// Takes a place of the part beside the obstacle; it counts as touching if it presses.
    pub fn push(&mut self, point: ContactPoint) {
        // The less of NaN and a number is the number.
        self.least_gap = self.least_gap.min(point.gap);
        if point.force.norm() > 0.0 {
            self.points.push(point);
        }
    }

    /// What is known of it where only sums were kept: one point at the centre stands for all, if some press.
    pub fn of_sums(least_gap: f64, force: Vector3<f64>, centre: Vector3<f64>) -> Self {
        let point = ContactPoint { s: f64::NAN, gap: least_gap, place: centre, force };
        Self { least_gap, points: if force.norm() > 0.0 { vec![point] } else { Vec::new() } }
    }

    /// Sum of the forces on the part, world axes, N.
    pub fn force(&self) -> Vector3<f64> {
        self.points.iter().map(|point| point.force).sum()
    }

    /// Mean of the places that press, weighted by how much they do, m; NaN where none does.
    pub fn centre(&self) -> Vector3<f64> {
        let weight: f64 = self.points.iter().map(|point| point.force.norm()).sum();
        let moment: Vector3<f64> = self.points.iter().map(|point| point.place * point.force.norm()).sum();
        moment / weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_gap_counts_every_place_and_the_force_those_that_press() {
        let mut frame = ContactFrame::default();
        assert!(frame.least_gap.is_nan() && frame.centre().x.is_nan());
        let place =
            |x: f64, gap: f64, up: f64| ContactPoint { s: x, gap, place: Vector3::x() * x, force: Vector3::z() * up };
        for point in [place(0.1, 0.3, 0.0), place(0.2, 0.0, 3.0), place(0.6, 0.001, 1.0)] {
            frame.push(point);
        }
        assert_eq!((frame.least_gap, frame.points.len(), frame.force().z), (0.0, 2, 4.0));
        assert!((frame.centre().x - 0.3).abs() < 1e-15);
        let kept = ContactFrame::of_sums(frame.least_gap, frame.force(), frame.centre());
        assert_eq!((kept.least_gap, kept.force(), kept.points.len()), (0.0, frame.force(), 1));
    }
}
