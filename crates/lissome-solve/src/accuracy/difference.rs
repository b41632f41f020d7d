//! How far two answers for a rod lie apart, one on the spans of the other in two.

use lissome_mech::index::RodIndex;
use lissome_mech::{Sample, State, System};
use nalgebra::Vector6;

/// Two answers for one rod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Largest distance between them, of the length.
    pub position: f64,
    /// Largest turn between them, rad.
    pub turn: f64,
    /// For each span of the coarser one, the turn (rad, or the stretch in lengths) that its strain cannot follow: how far
    /// the strain of the finer answer is from a polynomial of the degree that one span has.
    pub contributions: Vec<f64>,
}

impl Difference {
    /// Between a state of a system and one of the same robot with its spans in two.
    pub fn between(coarse: (&System, &State), fine: (&System, &State), rod: RodIndex) -> Self {
        let curve = coarse.0.rods()[rod.index()].curve();
        let length = curve.length();
        // A spline of degree p has strains of degree p − 1, elements have linear ones: one point more than they can meet.
        let inside = curve.degree().max(2) + 1;
        let spans: Vec<(f64, f64)> = curve.knot_vector().spans().map(|span| (span.start, span.end)).collect();
        let mut arc = Vec::with_capacity(spans.len() * (inside + 1) + 1);
        for (start, end) in &spans {
            arc.push(*start);
            arc.extend((0..inside).map(|k| start + (end - start) * (k as f64 + 0.5) / inside as f64));
        }
        arc.push(length);
        let a = coarse.0.sample_at(rod, coarse.1, &arc);
        let b = fine.0.sample_at(rod, fine.1, &arc);
        let mut found = Self::default();
        for (a, b) in a.iter().zip(&b) {
            found.position = found.position.max((a.pose.position - b.pose.position).norm() / length);
            found.turn = found.turn.max((a.pose.rotation.inverse() * b.pose.rotation).angle());
        }
        found.contributions = spans
            .iter()
            .zip(b.chunks(inside + 1))
            .map(|((start, end), samples)| {
                let left = misfit(&samples[1..]);
                let (turn, stretch) = (left.fixed_rows::<3>(0).norm(), left.fixed_rows::<3>(3).norm());
                (end - start) * turn.max(stretch / length)
            })
            .collect();
        found
    }

    /// Counts a gap (rad, lengths) in, times a factor.
    pub fn include(&mut self, (turn, position): (f64, f64), factor: f64) {
        self.turn = self.turn.max(factor * turn);
        self.position = self.position.max(factor * position);
    }

    /// The larger of two differences of the same rod, everywhere.
    pub fn cover(&mut self, other: &Self) {
        self.include((other.turn, other.position), 1.0);
        for (own, other) in self.contributions.iter_mut().zip(&other.contributions) {
            *own = own.max(*other);
        }
    }

    /// The larger of both: a part of the length, or rad.
    pub fn size(&self) -> f64 {
        self.position.max(self.turn)
    }
}

/// Distance of the strains at n evenly spaced places from the best polynomial of degree n − 2: the difference of order
/// n − 1 over 2ⁿ⁻¹.
fn misfit(samples: &[Sample]) -> Vector6<f64> {
    let order = samples.len() - 1;
    let mut binomial = 1.0;
    let mut sum = Vector6::zeros();
    for (k, sample) in samples.iter().enumerate() {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum += sample.strain.to_vector() * (sign * binomial);
        binomial *= (order - k) as f64 / (k + 1) as f64;
    }
    sum / 2f64.powi(order as i32)
}
