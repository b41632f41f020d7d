//! The five robots of \[tendon2025, sec. VIII\], and the load cases of its table III.
//!
//! The base stands in the origin with the tangent along +x, gravity pulls along −x. "Backbone diameter" of table II
//! is the radius: with it the given weight per length and density agree.

use super::description::{Segment, Tendon, TendonRod, straight};
use super::routing::{Path, Routing};
use lissome_lie::{Pose, Wrench};
use nalgebra::{Vector2, Vector3, Vector6};
use std::f64::consts::{PI, TAU};

/// A robot of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// One segment, three parallel tendons.
    A,
    /// One segment, two tendons that converge towards the tip.
    B,
    /// One segment, two helical tendons of one turn.
    C,
    /// Three segments of three parallel tendons each.
    D,
    /// Three segments of two tendons each, which converge in their last segment only.
    E,
}

const YOUNG: f64 = 210e9;
const POISSON: f64 = 0.3125;
const RADIUS: f64 = 0.4e-3;
const DENSITY: f64 = 95e3;
const GRAVITY: f64 = 9.81;
const TENDON_OFFSET: f64 = 8e-3;
const ONE_SEGMENT: f64 = 0.242;
const ONE_OF_THREE: f64 = 0.1;

impl Scenario {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::A, Self::B, Self::C, Self::D, Self::E];

    /// Number of tendons.
    pub fn tendons(self) -> usize {
        match self {
            Self::A => 3,
            Self::B | Self::C => 2,
            Self::D => 9,
            Self::E => 6,
        }
    }

    /// Least and greatest tension of the paper's load cases, in N.
    pub fn tensions(self) -> (u64, u64) {
        match self {
            Self::A | Self::D => (0, 5),
            Self::B => (0, 8),
            Self::C => (1, 10),
            Self::E => (0, 4),
        }
    }

    /// The robot under given tensions, one for each tendon; those not given are slack.
    pub fn robot(self, tensions: &[f64]) -> TendonRod {
        let tendons = (0..self.tendons())
            .map(|i| Tendon { routing: self.routing(i), tension: tensions.get(i).copied().unwrap_or(0.0) });
        let lengths = match self {
            Self::A | Self::B | Self::C => vec![ONE_SEGMENT],
            Self::D | Self::E => vec![ONE_OF_THREE; 3],
        };
        TendonRod {
            base: Pose::identity(),
            segments: lengths.into_iter().map(segment).collect(),
            tendons: tendons.collect(),
            tip_load: Wrench::new(Vector3::zeros(), Vector3::zeros()),
        }
    }

    fn routing(self, i: usize) -> Routing {
        let at = |angle: f64| Vector2::new(angle.cos(), angle.sin()) * TENDON_OFFSET;
        match self {
            Self::A => Routing::parallel(at(TAU * i as f64 / 3.0), ONE_SEGMENT),
            Self::B => Routing::linear(at(PI * i as f64), Vector2::zeros(), ONE_SEGMENT),
            Self::C => Routing::helical(TENDON_OFFSET, PI * (i + 1) as f64, 1.0, ONE_SEGMENT),
            Self::D => Routing::parallel(at(TAU * (i % 3) as f64 / 3.0), border(i / 3 + 1)),
            Self::E => {
                let (last, sign) = (i / 2, if i.is_multiple_of(2) { -1.0 } else { 1.0 });
                let start = at(TAU * last as f64 / 3.0) * sign;
                if last == 0 {
                    return Routing::linear(start, Vector2::zeros(), border(1));
                }
                let path = Path::Linear { start, end: Vector2::zeros() };
                Routing::parallel(start, border(last)).then(border(last + 1), path)
            }
        }
    }

    /// Every combination of whole tensions in the paper's range, the last tendon's fastest.
    pub fn all_combinations(self) -> Vec<Vec<f64>> {
        let (least, greatest) = self.tensions();
        let values = greatest - least + 1;
        let count = values.pow(self.tendons() as u32);
        let case = |n: u64| {
            let digits = (0..self.tendons() as u32).rev().map(|k| least + n / values.pow(k) % values);
            digits.map(|tension| tension as f64).collect()
        };
        (0..count).map(case).collect()
    }

    /// Whole tensions in the paper's range, evenly spread, from a seed.
    pub fn seeded_combinations(self, count: usize, seed: u64) -> Vec<Vec<f64>> {
        let (least, greatest) = self.tensions();
        let mut state = seed;
        let mut tension = || {
            // SplitMix64, Steele, Lea and Flood (2014).
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (least + (z ^ (z >> 31)) % (greatest - least + 1)) as f64
        };
        (0..count).map(|_| (0..self.tendons()).map(|_| tension()).collect()).collect()
    }

    /// The cases of table III: all combinations of A, B and C, as many seeded ones of D and E as the paper has.
    pub fn table3_cases(self, seed: u64) -> Vec<Vec<f64>> {
        match self {
            Self::A | Self::B | Self::C => self.all_combinations(),
            Self::D => self.seeded_combinations(505, seed),
            Self::E => self.seeded_combinations(343, seed),
        }
    }
}

/// Where segment `count` of three ends; summed as the rod sums its segments.
fn border(count: usize) -> f64 {
    (0..count).map(|_| ONE_OF_THREE).sum()
}

fn segment(length: f64) -> Segment {
    let area = PI * RADIUS * RADIUS;
    let bending = YOUNG * PI * RADIUS.powi(4) / 4.0;
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    let torsion = shear * PI * RADIUS.powi(4) / 2.0;
    Segment {
        length,
        stiffness: Vector6::new(torsion, bending, bending, YOUNG * area, shear * area, shear * area),
        natural: straight(),
        line_load: Vector3::new(-DENSITY * area * GRAVITY, 0.0, 0.0),
    }
}
