//! How far two answers for a rod lie apart, one on the spans of the other in two.

use lissome_mech::index::RodIndex;
use lissome_mech::{Rod, Sample, State, Sunk, System};
use nalgebra::Vector3;

/// Two answers for one rod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Largest distance between them, of the length.
    pub position: f64,
    /// Largest turn between them, rad.
    pub turn: f64,
    /// For each span of the coarser one, by how much they part on it: rad, or the stretch in lengths.
    pub contributions: Vec<f64>,
}

impl Difference {
    /// Between a state of a system and one of the same robot with its spans in two.
    pub fn between(coarse: (&System, &State), fine: (&System, &State), rod: RodIndex) -> Self {
        let own = &coarse.0.rods()[rod.index()];
        let (curve, lines) = (own.curve(), own.lines());
        let length = curve.length();
        // A spline of degree p has strains of degree p − 1, elements have linear ones, a basis has its functions: as many
        // points as they can meet.
        let inside = match own.strain_basis() {
            Some(own) => own.basis().order().max(2),
            None => curve.degree().max(2),
        };
        let spans: Vec<(f64, f64)> = lines.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let mut arc = Vec::with_capacity(spans.len() * (inside + 1) + 1);
        for (start, end) in &spans {
            arc.push(*start);
            arc.extend((0..inside).map(|k| start + (end - start) * (k as f64 + 0.5) / inside as f64));
        }
        arc.push(length);
        let a = coarse.0.sample_at(rod, coarse.1, &arc);
        let b = fine.0.sample_at(rod, fine.1, &arc);
        let mut found = Self::default();
        let apart: Vec<Apart> = a.iter().zip(&b).map(|(a, b)| Apart::between(a, b, length)).collect();
        for apart in &apart {
            found.position = found.position.max(apart.shift);
            found.turn = found.turn.max(apart.turn.norm());
        }
        let own = spans.iter().enumerate().map(|(k, (start, end))| {
            let places = &apart[k * (inside + 1)..][..inside + 2];
            let grown = places.iter().map(|place| (place.turn - places[0].turn).norm()).fold(0.0, f64::max);
            let stretch = places.iter().map(|place| place.stretch).fold(0.0, f64::max) * (end - start) / length;
            grown.max(stretch)
        });
        found.contributions = own.collect();
        found
    }

    /// Counts a gap (rad, lengths) in, times a factor.
    pub fn include(&mut self, (turn, position): (f64, f64), factor: f64) {
        self.turn = self.turn.max(factor * turn);
        self.position = self.position.max(factor * position);
    }

    /// How deep the rods lie in what they touch at a state, times a factor, on the spans of a `coarse` system.
    pub fn sunk(coarse: &System, (system, state): (&System, &State), factor: f64) -> Vec<Self> {
        let none = |rod: &Rod| Self { contributions: vec![0.0; rod.lines().len() - 1], ..Self::default() };
        let mut found: Vec<Self> = coarse.rods().iter().map(|rod| none(rod)).collect();
        for Sunk { rod, s, depth, .. } in system.sunk(state) {
            let own = &coarse.rods()[rod];
            let error = factor * depth / own.curve().length();
            let span = own.lines().partition_point(|line| *line <= s).clamp(1, own.lines().len() - 1) - 1;
            let found = &mut found[rod];
            found.position = found.position.max(error);
            found.contributions[span] = found.contributions[span].max(error);
        }
        found
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

/// Two answers at one place of a rod.
struct Apart {
    /// Rotation vector between them, rad.
    turn: Vector3<f64>,
    /// Distance, of the length.
    shift: f64,
    /// Difference of their stretch.
    stretch: f64,
}

impl Apart {
    fn between(a: &Sample, b: &Sample, length: f64) -> Self {
        Self {
            turn: b.pose.rotation.rotate(&(a.pose.rotation.inverse() * b.pose.rotation).log()),
            shift: (a.pose.position - b.pose.position).norm() / length,
            stretch: (a.strain.stretch - b.strain.stretch).norm(),
        }
    }
}
