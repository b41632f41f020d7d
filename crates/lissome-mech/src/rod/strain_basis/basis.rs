//! The functions that the strains of a rod are sums of, read at the places that matter: Gauss points of the segments and of
//! the steps between them.
//!
//! ```text
//! ξ_i(s) = ξ₀_i(s) + Σ_c φ_c(s) q_c / L        c the coordinates of strain i
//! ```
//!
//! With the length L of the rod in it a coordinate is an angle or a length, of the size of what the tip does. Control poses
//! stand at the Gauss points of every segment and at its ends: what has weight, and what a load acts on, is a pose. Where
//! there are many functions, poses without weight stand between them, so that steps err no more than functions do.

use super::magnus::{MOMENTS, PLACES};
use lissome_lie::quadrature::GaussPoint;
use lissome_model::{Discretization, Invalid, Rod, StrainFunctions};
use nalgebra::Vector6;
use std::ops::Range;

/// Coordinates that a block has at most.
const BLOCK: usize = 6;
/// A step of sixth order and so many functions err alike; more functions take more steps from one Gauss point to the next.
const FUNCTIONS_OF_A_STEP: usize = 3;
/// Gauss points of a segment beyond the number of functions of a strain: energies of uniform sections are exact with one
/// less, loads and masses are smooth.
const SPARE_POINTS: usize = 1;

/// One coefficient of one strain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinate {
    /// Block that it stands in, and its place there.
    pub block: usize,
    /// Its place in the block.
    pub column: usize,
    /// Which strain: 0 twist, 1 and 2 bending, 3 stretch, 4 and 5 shear.
    pub strain: usize,
}

/// What a place sees of the functions.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen<T> {
    /// Coordinates whose functions are not zero there.
    pub coordinates: Range<usize>,
    /// What each of them contributes per unit of its coordinate.
    pub values: Vec<T>,
}

/// A place of the curve that has weight, or an end of a step without, and the step that leads to it.
#[derive(Clone, Debug, PartialEq)]
pub struct BasisPoint {
    /// Arc length, m.
    pub s: f64,
    /// Quadrature weight, m; zero at the end of a segment and between Gauss points.
    pub weight: f64,
    /// φ/L there.
    pub functions: Seen<f64>,
    /// Length of the step from the point before, m.
    pub step: f64,
    /// Share of each function in the three moments of the step.
    pub moments: Seen<[f64; 3]>,
    /// The segment.
    pub segment: usize,
}

/// Functions, coordinates and points of a rod.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    functions: StrainFunctions,
    /// Ends of the segments, both ends of the rod included, m.
    pub lines: Vec<f64>,
    /// The coordinates, block by block.
    pub coordinates: Vec<Coordinate>,
    /// Coordinates of each block.
    pub blocks: Vec<Range<usize>>,
    /// Coordinates of each segment.
    segments: Vec<Range<usize>>,
    /// One for each step, in order.
    pub points: Vec<BasisPoint>,
    length: f64,
}

impl Basis {
    /// The basis that a model asks for, with segments that end where loads and attachments let the stress jump.
    pub fn of(rod: &Rod, breaks: &[f64]) -> Result<Self, Invalid> {
        let Discretization::StrainBasis { functions, .. } = rod.discretization else {
            unreachable!("only rods on strain bases have one")
        };
        let knots = rod.knots(breaks)?;
        let mut basis = Self {
            functions,
            lines: knots.lines(),
            coordinates: Vec::new(),
            blocks: Vec::new(),
            segments: Vec::new(),
            points: Vec::new(),
            length: rod.length,
        };
        basis.number(&knots.knots);
        basis.place_points();
        Ok(basis)
    }

    /// Coordinates of every segment; straight lines share those of their common ends unless the stress may jump there.
    fn number(&mut self, knots: &[f64]) {
        match self.functions {
            StrainFunctions::Constant { .. } | StrainFunctions::Legendre { .. } => {
                for _ in 1..self.lines.len() {
                    let first = self.coordinates.len();
                    let orders = self.functions.orders();
                    let highest = orders.into_iter().fold(0, usize::max);
                    let strains: Vec<usize> =
                        (0..highest).flat_map(|n| (0..6).filter(move |i| n < orders[*i])).collect();
                    strains.chunks(BLOCK).for_each(|own| self.add_block(own));
                    self.segments.push(first..self.coordinates.len());
                }
            }
            StrainFunctions::Linear { on } => {
                let strains: Vec<usize> = (0..6).filter(|i| on[*i]).collect();
                let count = strains.len();
                self.add_block(&strains);
                for k in 1..self.lines.len() {
                    let first = self.coordinates.len() - count;
                    self.add_block(&strains);
                    self.segments.push(first..self.coordinates.len());
                    let jumps = knots.iter().filter(|knot| **knot == self.lines[k]).count() > 1;
                    if jumps && k + 1 < self.lines.len() {
                        self.add_block(&strains);
                    }
                }
            }
        }
    }

    fn add_block(&mut self, strains: &[usize]) {
        let (block, first) = (self.blocks.len(), self.coordinates.len());
        let coordinates =
            strains.iter().enumerate().map(|(column, strain)| Coordinate { block, column, strain: *strain });
        self.coordinates.extend(coordinates);
        self.blocks.push(first..self.coordinates.len());
    }

    fn place_points(&mut self) {
        let rule = gauss(self.order() + SPARE_POINTS);
        let mut points = Vec::new();
        for segment in 0..self.lines.len() - 1 {
            let (start, end) = (self.lines[segment], self.lines[segment + 1]);
            let size = end - start;
            let inside = rule.iter().map(|point| (start + point.abscissa * size, point.weight * size));
            let pieces = self.order().div_ceil(FUNCTIONS_OF_A_STEP);
            let mut ends: Vec<(f64, f64)> = Vec::with_capacity((rule.len() + 1) * pieces);
            let mut last = start;
            for (s, weight) in inside.chain([(end, 0.0)]) {
                ends.extend((1..pieces).map(|k| (last + (s - last) * k as f64 / pieces as f64, 0.0)));
                ends.push((s, weight));
                last = s;
            }
            let mut from = start;
            for (s, weight) in ends {
                let step = s - from;
                let mut moments: Vec<[f64; 3]> = vec![[0.0; 3]; self.segments[segment].len()];
                for (g, place) in PLACES.iter().enumerate() {
                    self.visit(segment, from + place * step, |c, value| {
                        for (k, row) in MOMENTS.iter().enumerate() {
                            moments[c][k] += row[g] * step * value;
                        }
                    });
                }
                points.push(BasisPoint {
                    s,
                    weight,
                    functions: self.seen(segment, s),
                    step,
                    moments: Seen { coordinates: self.segments[segment].clone(), values: moments },
                    segment,
                });
                from = s;
            }
        }
        self.points = points;
    }

    /// φ/L of every coordinate of a segment at arc length s.
    pub fn seen(&self, segment: usize, s: f64) -> Seen<f64> {
        let mut values = vec![0.0; self.segments[segment].len()];
        self.visit(segment, s, |c, value| values[c] = value);
        Seen { coordinates: self.segments[segment].clone(), values }
    }

    /// Shows φ/L of the coordinates of a segment, counted within it.
    fn visit(&self, segment: usize, s: f64, mut see: impl FnMut(usize, f64)) {
        let (start, end) = (self.lines[segment], self.lines[segment + 1]);
        let t = (s - start) / (end - start);
        match self.functions {
            StrainFunctions::Constant { .. } => {
                (0..self.segments[segment].len()).for_each(|c| see(c, 1.0 / self.length));
            }
            StrainFunctions::Linear { .. } => {
                let count = self.segments[segment].len() / 2;
                for c in 0..count {
                    see(c, (1.0 - t) / self.length);
                    see(c + count, t / self.length);
                }
            }
            StrainFunctions::Legendre { orders } => {
                // By degree first, strains within: as they were numbered.
                let x = 2.0 * t - 1.0;
                let (mut before, mut value) = (0.0, 1.0);
                let mut c = 0;
                for n in 0..orders.into_iter().fold(0, usize::max) {
                    for _ in orders.iter().filter(|order| n < **order) {
                        see(c, value / self.length);
                        c += 1;
                    }
                    (before, value) = (value, next_legendre(n, x, value, before));
                }
            }
        }
    }

    /// The segment of an arc length.
    pub fn segment_of(&self, s: f64) -> usize {
        self.lines.partition_point(|line| *line <= s).clamp(1, self.lines.len() - 1) - 1
    }

    /// Blocks from the first to the last of a range of coordinates.
    pub fn blocks_of(&self, coordinates: &Range<usize>) -> Range<usize> {
        self.coordinates[coordinates.start].block..self.coordinates[coordinates.end - 1].block + 1
    }

    /// Most functions that one strain has in a segment.
    pub fn functions_in(&self, segment: usize) -> usize {
        let mut counts = [0; 6];
        for coordinate in &self.coordinates[self.segments[segment].clone()] {
            counts[coordinate.strain] += 1;
        }
        counts.into_iter().fold(0, usize::max)
    }

    /// The same without those that it shares with the segment before it.
    pub fn own_functions_in(&self, segment: usize) -> usize {
        match self.functions {
            StrainFunctions::Linear { .. } => 1,
            _ => self.functions_in(segment),
        }
    }

    /// How far apart two blocks of one segment may stand, plus one.
    pub fn band(&self) -> usize {
        self.segments.iter().map(|own| self.blocks_of(own).len()).fold(1, usize::max)
    }

    /// ξ − ξ₀ of coordinates where these functions are seen.
    #[inline(always)]
    pub fn strain(&self, seen: &Seen<f64>, q: &[Vector6<f64>]) -> Vector6<f64> {
        let mut strain = Vector6::zeros();
        for (coordinate, value) in self.coordinates[seen.coordinates.clone()].iter().zip(&seen.values) {
            strain[coordinate.strain] += value * q[coordinate.block][coordinate.column];
        }
        strain
    }

    /// Most functions that a strain has on a segment.
    pub fn order(&self) -> usize {
        self.functions.orders().into_iter().fold(0, usize::max)
    }

    /// Which strains are on.
    pub fn on(&self) -> [bool; 6] {
        self.functions.orders().map(|order| order > 0)
    }
}

/// P_{n+1}(x) from P_n and P_{n−1}.
fn next_legendre(n: usize, x: f64, value: f64, before: f64) -> f64 {
    let n = n as f64;
    ((2.0 * n + 1.0) * x * value - n * before) / (n + 1.0)
}

/// The Gauss–Legendre rule with any number of points on [0, 1], by Newton from the classical first guess.
pub fn gauss(points: usize) -> Vec<GaussPoint> {
    let n = points as f64;
    let root = |k: usize| {
        let mut x = (std::f64::consts::PI * (k as f64 + 0.75) / (n + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut before, mut value) = (0.0, 1.0);
            for m in 0..points {
                (before, value) = (value, next_legendre(m, x, value, before));
            }
            slope = n * (x * value - before) / (x * x - 1.0);
            x -= value / slope;
        }
        GaussPoint { abscissa: 0.5 + 0.5 * x, weight: 1.0 / ((1.0 - x * x) * slope * slope) }
    };
    (0..points).rev().map(root).collect()
}
