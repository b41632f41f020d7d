//! What a solved rod answers: pose, strain and stress at any s, integrated anew from the nearest cut below.

use super::equations::{SectionState, carry};
use super::newton::Closed;
use super::scaled_rod::{ScaledRod, Segment};
use lissome_lie::{Pose, Strain, Wrench};

/// An equilibrium of one rod, in SI units.
#[derive(Clone, Debug)]
pub struct CosseratSolution {
    rod: ScaledRod,
    cuts: Vec<SectionState>,
    /// Internal wrench at s = 0⁺, world axes, moment about the base point. Equals the wrench that a held base
    /// takes from the rod; a point load at s = 0 itself is not in it.
    pub base_wrench: Wrench,
    /// Elastic energy, J.
    pub elastic_energy: f64,
    /// Largest gap between segments, in units of L, rad, B/L and B/L² (B the least bending stiffness).
    pub residual: f64,
}

impl CosseratSolution {
    pub(crate) fn new(rod: ScaledRod, closed: Closed) -> Self {
        let Closed { cuts, residual } = closed;
        let base_wrench = wrench_in_si(&rod, &cuts[0]);
        let mut solution = Self { rod, cuts, base_wrench, elastic_energy: 0.0, residual };
        let scaled_energy: f64 = (0..solution.rod.segments.len())
            .map(|k| {
                let segment = &solution.rod.segments[k];
                solution.carried(k, segment.to).energy
            })
            .sum();
        solution.elastic_energy = scaled_energy * solution.rod.bending / solution.rod.length;
        solution
    }

    /// Pose of the section at s (m; values beyond the ends are the ends).
    pub fn pose(&self, s: f64) -> Pose {
        let (_, state) = self.at(s);
        Pose::new(state.q.to_rotation(), state.p * self.rod.length + self.rod.origin)
    }

    /// Strain at s. At a step of the section or a point load, of the side towards the tip; at the tip, before its load.
    pub fn strain(&self, s: f64) -> Strain {
        let (segment, state) = self.at(s);
        let section = self.rod.section(segment, self.scaled_s(s));
        let strain = state.strain(&section);
        Strain::new(strain.curvature / self.rod.length, strain.stretch)
    }

    /// Internal wrench at s in section axes, of the part beyond s on the part before it; sides as for the strain.
    pub fn stress(&self, s: f64) -> Wrench {
        let (_, state) = self.at(s);
        let world = wrench_in_si(&self.rod, &state);
        let rt = state.q.matrix().transpose();
        Wrench::new(rt * world.moment, rt * world.force)
    }

    /// Pose of the tip.
    pub fn tip(&self) -> Pose {
        self.pose(self.rod.length)
    }

    /// Arc lengths of the shooting cuts, m.
    pub fn cuts(&self) -> Vec<f64> {
        self.rod.cuts().iter().map(|s| s * self.rod.length).collect()
    }

    pub(crate) fn scaled(&self) -> (&ScaledRod, &[SectionState]) {
        (&self.rod, &self.cuts)
    }

    fn scaled_s(&self, s: f64) -> f64 {
        (s / self.rod.length).clamp(0.0, 1.0)
    }

    fn at(&self, s: f64) -> (&Segment, SectionState) {
        let s = self.scaled_s(s);
        let segments = &self.rod.segments;
        let k = segments.partition_point(|x| x.from <= s).saturating_sub(1);
        (&segments[k], self.carried(k, s))
    }

    /// Carries cut k to scaled s inside its segment, energy counted from the cut.
    fn carried(&self, k: usize, s: f64) -> SectionState {
        let start = SectionState { energy: 0.0, ..self.cuts[k] };
        let segment = &self.rod.segments[k];
        carry(&self.rod, segment, 1.0, &start, segment.from, s)
            .expect("a segment that closed the equilibrium can be integrated again")
    }
}

fn wrench_in_si(rod: &ScaledRod, state: &SectionState) -> Wrench {
    let (l, b) = (rod.length, rod.bending);
    Wrench::new(state.m * (b / l), state.n * (b / (l * l)))
}
