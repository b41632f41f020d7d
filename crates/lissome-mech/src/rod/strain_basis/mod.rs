//! The rod on a strain basis: its strains are sums of given functions of arc length, and their coefficients are the only
//! unknowns. Control poses follow from what the rod stands on and from the coordinates, as links of a tree follow their
//! joints: g_{k+1} = g_k exp(Ω_k(q)).
//!
//! Loads, masses and closures act on poses, as on any rod: the curve is a chain of degree one whose points sit *on* its
//! control poses, at the Gauss points of the segments. What is left to do here is the elastic energy in the coordinates,
//! Ω_k(q) with its derivatives, and the way from strains to coordinates.
//!
//! ```text
//! r = Σ w Φᵀ Λ − Σ_k Ω_qᵀ λ_k        K = Σ w Φᵀ (∂Λ/∂ξ) Φ + (loads on poses) + λ·∂²Ψ − Σ_k λ_k·∂²Ω_k/∂q²
//! ```
//!
//! λ_k are the loads swept back to the increments (`curve::pose_map`), and λ·∂²Ψ their curvature in the poses: with
//! Ψ_k(poses) = Ω_k(q) differentiated twice, Σ F·∂²z = Σ λ_k·(∂²Ω_k − ∂²Ψ_k).
//!
//! - `basis`: the functions.
//! - `magnus`: one step.
//! - `motion`: one time step.
//! - `sampling`: fields between the poses, and coordinates from fields.
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | q | strain coordinates, κL and εL | blocks of six | rad, m | body |
//! | Φ | ∂ξ/∂q | `BasisPoint::functions` | | |
//! | Λ | stress at a point | [`PointStress`] | N·m, N | body |
//! | Ω_k, α | increment of step k, moments of its strain | `magnus` | rad, m | body |

pub mod basis;
pub mod magnus;
mod motion;
mod sampling;

use super::Carried;
use super::curve::pose_map::PoseMap;
use super::curve::values::PointValues;
use super::curve::{Curve, Held};
use super::scratch::{RodNodes, RodScratch};
use super::tendons::rates::StrainedPoint;
use super::tendons::{Pull, stretch};
use super::vectors::wrench_vector;
use crate::rod::section::SectionAt;
use crate::sink::BlockSink;
use basis::{Basis, BasisPoint, Seen};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Twist};
use lissome_model::{Invalid, Problem, Rod};
use magnus::{MOMENTS, MagnusStep, PLACES};
use nalgebra::{Matrix6, Vector6};
use std::ops::Range;

/// A segment is looked at in so many pieces at least.
const LEAST_PIECES: usize = 2;

/// A rod on a strain basis.
#[derive(Clone, Debug)]
pub struct StrainBasisRod {
    curve: Curve,
    basis: Basis,
    /// Moments of the natural strain over each step.
    natural: Vec<[Vector6<f64>; 3]>,
    /// Viscosity K_v at each point; empty if the material does not damp.
    viscosity: Vec<Matrix6<f64>>,
    /// Longest relaxation time of the material, s.
    slowest: f64,
}

/// The step from a pose to its neighbour farther from what the rod stands on.
#[derive(Clone, Copy, Debug)]
pub struct OutwardStep {
    /// Which increment it is.
    pub increment: usize,
    /// The nearer pose.
    pub from: usize,
    /// The farther one.
    pub to: usize,
    /// 1 along the rod, −1 against it.
    pub sign: f64,
}

/// What a point answers to a strain.
#[derive(Clone, Copy, Debug)]
pub struct PointStress {
    /// Λ.
    pub stress: Vector6<f64>,
    /// ∂Λ/∂ξ, symmetric.
    pub tangent: Matrix6<f64>,
    /// Energy per length, J/m.
    pub energy: f64,
}

impl StrainBasisRod {
    /// On a compiled curve.
    pub(super) fn new(curve: Curve, model: &Rod) -> Result<Self, Invalid> {
        let basis = Basis::of(model, &curve.layout.breaks)?;
        let mut rod = Self { curve, basis, natural: Vec::new(), viscosity: Vec::new(), slowest: 0.0 };
        rod.read_values();
        Ok(rod)
    }

    pub(super) fn set_values(&mut self, model: &Rod) -> Result<(), Invalid> {
        if Basis::of(model, &self.curve.layout.breaks)? != self.basis {
            let reason = "has other functions or segments than the rod was compiled with: compile it again".into();
            return Err(Invalid::new(format!("{}.model", self.curve.layout.path), Problem::Contradiction { reason }));
        }
        self.curve.set_values(model)?;
        self.read_values();
        Ok(())
    }

    fn read_values(&mut self) {
        let (curve, points) = (&self.curve, &self.basis.points);
        let moments = |k: usize| {
            let (to, step) = (points[k].s, points[k].step);
            let at = PLACES.map(|place| self.natural_strain(to + (place - 1.0) * step) * step);
            MOMENTS.map(|row| at[0] * row[0] + at[1] * row[1] + at[2] * row[2])
        };
        let natural = (0..points.len()).map(moments).collect();
        let relaxation = |k: usize| SectionAt::read(&curve.values.profile, points[k].s).relaxation();
        let relaxation: Vec<Matrix6<f64>> = (0..points.len()).map(relaxation).collect();
        let slowest = relaxation.iter().map(|theta| theta.diagonal().amax()).fold(0.0, f64::max);
        let viscosity = match relaxation.iter().any(|theta| *theta != Matrix6::zeros()) {
            true => {
                let stiffness = curve.values.points.iter().map(|point| point.section.elastic.stiffness);
                stiffness.zip(&relaxation).map(|(k, theta)| k * theta).collect()
            }
            false => Vec::new(),
        };
        (self.natural, self.viscosity, self.slowest) = (natural, viscosity, slowest);
    }

    fn natural_strain(&self, s: f64) -> Vector6<f64> {
        let strain = self.curve.natural_shape().strain_at(s);
        strain.expect("a validated rod on a strain basis has a natural strain").to_vector()
    }

    /// Its curve.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    /// Its functions.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// Number of blocks of coordinates.
    pub fn block_count(&self) -> usize {
        self.basis.blocks.len()
    }

    /// Longest relaxation time of its material, s.
    pub fn slowest(&self) -> f64 {
        self.slowest
    }

    /// The stress that answers to a strain beyond the natural one at point k, that of tendons included, with its derivative
    /// and the energy of the section: the one place that knows the material.
    #[inline(always)]
    pub fn respond(&self, k: usize, strain: &Vector6<f64>, tension: &[Vector6<f64>]) -> PointStress {
        let stiffness = &self.curve.values.points[k].section.elastic.stiffness;
        let stress = stiffness * strain;
        let energy = 0.5 * strain.dot(&stress);
        if self.curve.tendons.is_empty() {
            return PointStress { stress, tangent: *stiffness, energy };
        }
        let pull = self.curve.tendons.pull(k, tension, &(self.natural_at_point(k) + strain));
        PointStress { stress: stress + pull.stress, tangent: stiffness + pull.stiffness, energy }
    }

    /// Shows every point with its strain; what it has of compliance is not asked for.
    pub(in crate::rod) fn visit_strains(&self, q: &[Vector6<f64>], mut see: impl FnMut(StrainedPoint)) {
        for (k, point) in self.basis.points.iter().enumerate() {
            let strain = self.natural_at_point(k) + self.basis.strain(&point.functions, q);
            see(StrainedPoint { q: k, strain });
        }
    }

    /// Σ w Φᵀ f ∂ℓ′/∂ξ of a tendon, block by block.
    pub(in crate::rod) fn visit_tension_rates(
        &self,
        route: usize,
        carried: Carried<'_>,
        mut see: impl FnMut(usize, Vector6<f64>),
    ) {
        let mut rows = vec![Vector6::zeros(); self.block_count()];
        let tendons = &self.curve.tendons;
        self.visit_strains(carried.stress, |point| {
            if let Some(hole) = tendons.hole(point.q, route) {
                let own = &self.basis.points[point.q];
                let along = stretch(&hole, &point.strain).gradient;
                let weight = own.weight * tendons.share(point.q, route, carried.tension);
                self.add_pulled_stress(&own.functions, &(along * weight), &mut rows);
            }
        });
        rows.into_iter().enumerate().for_each(|(block, row)| see(block, row));
    }

    /// Σ w Σ T ℓ′.
    pub(in crate::rod) fn pull_energy(&self, carried: Carried<'_>) -> f64 {
        let mut sum = 0.0;
        if !self.curve.tendons.is_empty() {
            self.visit_strains(carried.stress, |point| {
                let threads = self.curve.tendons.threads(point.q, carried.tension);
                sum += self.basis.points[point.q].weight * Pull::energy_of(threads, &point.strain);
            });
        }
        sum
    }

    /// Moments of the strain over step k.
    pub fn moments(&self, k: usize, q: &[Vector6<f64>]) -> [Vector6<f64>; 3] {
        let mut alpha = self.natural[k];
        let seen = &self.basis.points[k].moments;
        for (coordinate, share) in self.basis.coordinates[seen.coordinates.clone()].iter().zip(&seen.values) {
            let value = q[coordinate.block][coordinate.column];
            for (alpha, share) in alpha.iter_mut().zip(share) {
                alpha[coordinate.strain] += share * value;
            }
        }
        alpha
    }

    /// Ω_k.
    pub fn increment(&self, k: usize, q: &[Vector6<f64>]) -> Twist {
        Twist::from_vector(&magnus::increment(&self.moments(k, q)))
    }

    /// Blocks of coordinates that move a control pose.
    pub fn blocks_that_move(&self, pose: usize) -> Range<usize> {
        let points = &self.basis.points;
        match self.curve.held() {
            Held::Base if pose == 0 => 0..0,
            Held::Base => 0..self.basis.blocks_of(&points[pose - 1].moments.coordinates).end,
            Held::Tip if pose == points.len() => 0..0,
            Held::Tip => self.basis.blocks_of(&points[pose].moments.coordinates).start..self.block_count(),
        }
    }

    /// Pieces of the rod, from where to where, m: as many in a segment as its functions can tell apart, two at least.
    pub fn pieces(&self) -> Vec<[f64; 2]> {
        self.divided(|segment| self.basis.functions_in(segment).max(LEAST_PIECES))
    }

    /// The same, no more than the rod has functions: what continuous lines share counts once.
    pub fn own_pieces(&self) -> Vec<[f64; 2]> {
        self.divided(|segment| self.basis.own_functions_in(segment).max(1))
    }

    fn divided(&self, count: impl Fn(usize) -> usize) -> Vec<[f64; 2]> {
        let pairs = self.basis.lines.windows(2).enumerate();
        let pieces = pairs.flat_map(|(segment, pair)| {
            let count = count(segment);
            let at = move |k: usize| pair[0] + (pair[1] - pair[0]) * k as f64 / count as f64;
            (0..count).map(move |k| [at(k), if k + 1 == count { pair[1] } else { at(k + 1) }])
        });
        pieces.collect()
    }

    /// Blocks of coordinates of an increment.
    pub fn blocks_of_step(&self, increment: usize) -> Range<usize> {
        self.basis.blocks_of(&self.basis.points[increment].moments.coordinates)
    }

    /// The steps from pose to pose, from the one that the rod stands on outward.
    pub fn steps_outward(&self) -> impl Iterator<Item = OutwardStep> + use<> {
        let (n, held) = (self.curve.increments(), self.curve.held());
        (0..n).map(move |i| match held {
            Held::Base => OutwardStep { increment: i, from: i, to: i + 1, sign: 1.0 },
            Held::Tip => OutwardStep { increment: n - 1 - i, from: n - i, to: n - 1 - i, sign: -1.0 },
        })
    }

    /// Poses from the one that the rod stands on.
    pub fn integrate(&self, q: &[Vector6<f64>], poses: &mut [Pose]) {
        let n = self.curve.increments();
        match self.curve.held() {
            Held::Base => (0..n).for_each(|k| poses[k + 1] = poses[k].boxplus(&self.increment(k, q))),
            Held::Tip => (0..n).rev().for_each(|k| poses[k] = poses[k + 1].boxplus(&-self.increment(k, q))),
        }
    }

    /// Shows ∂Ω_k/∂q block by block.
    pub fn increment_jacobian(&self, k: usize, step: &MagnusStep, mut see: impl FnMut(usize, Matrix6<f64>)) {
        let seen = &self.basis.points[k].moments;
        for block in self.basis.blocks_of(&seen.coordinates) {
            let mut by = Matrix6::zeros();
            for c in self.basis.blocks[block].clone() {
                let (strain, share) = (self.basis.coordinates[c].strain, &seen.values[c - seen.coordinates.start]);
                let mut column = by.column_mut(self.basis.coordinates[c].column);
                for (derivative, share) in step.derivative.iter().zip(share) {
                    column.axpy(*share, &derivative.column(strain), 1.0);
                }
            }
            see(block, by);
        }
    }

    /// Shows −λ·∂²Ω_k/∂q² for pairs of blocks, the first no earlier than the second.
    fn add_increment_curvature(
        &self,
        k: usize,
        curvature: &[[Matrix6<f64>; 3]; 3],
        mut add: impl FnMut(usize, usize, &Matrix6<f64>),
    ) {
        let seen = &self.basis.points[k].moments;
        let share = |c: usize| &seen.values[c - seen.coordinates.start];
        let blocks = self.basis.blocks_of(&seen.coordinates);
        for row in blocks.clone() {
            for column in blocks.start..=row {
                let mut block = Matrix6::zeros();
                for c in self.basis.blocks[row].clone() {
                    let (first, own) = (&self.basis.coordinates[c], share(c));
                    for d in self.basis.blocks[column].clone() {
                        let (second, other) = (&self.basis.coordinates[d], share(d));
                        let mut sum = 0.0;
                        for (own, curvature) in own.iter().zip(curvature) {
                            for (other, curvature) in other.iter().zip(curvature) {
                                sum += own * other * curvature[(first.strain, second.strain)];
                            }
                        }
                        block[(first.column, second.column)] = -sum;
                    }
                }
                add(row, column, &block);
            }
        }
    }

    /// Adds w Φᵀ Λ of one point to the rows of the blocks.
    #[inline(always)]
    fn add_pulled_stress(&self, seen: &Seen<f64>, weighted: &Vector6<f64>, rows: &mut [Vector6<f64>]) {
        for (coordinate, value) in self.basis.coordinates[seen.coordinates.clone()].iter().zip(&seen.values) {
            rows[coordinate.block][coordinate.column] += value * weighted[coordinate.strain];
        }
    }

    /// Adds Φᵀ B Φ of one point to a band of blocks: entry `i * band + d` couples block i with i − d.
    fn add_form(&self, seen: &Seen<f64>, form: &Matrix6<f64>, band: usize, blocks: &mut [Matrix6<f64>]) {
        let coordinates = &self.basis.coordinates[seen.coordinates.clone()];
        for (first, own) in coordinates.iter().zip(&seen.values) {
            for (second, other) in coordinates.iter().zip(&seen.values) {
                if second.block <= first.block {
                    let entry = first.block * band + (first.block - second.block);
                    blocks[entry][(first.column, second.column)] += own * other * form[(first.strain, second.strain)];
                }
            }
        }
    }

    /// Fills rows with ∂U/∂q.
    pub fn fill_rows(&self, q: &[Vector6<f64>], tension: &[Vector6<f64>], rows: &mut [Vector6<f64>]) {
        rows.fill(Vector6::zeros());
        for (k, point) in self.basis.points.iter().enumerate().filter(|(_, point)| point.weight > 0.0) {
            let answer = self.respond(k, &self.basis.strain(&point.functions, q), tension);
            self.add_pulled_stress(&point.functions, &(answer.stress * point.weight), rows);
        }
    }

    /// Fills a band of blocks with ∂²U/∂q².
    pub(in crate::rod) fn fill_stiffness(
        &self,
        q: &[Vector6<f64>],
        tension: &[Vector6<f64>],
        blocks: &mut [Matrix6<f64>],
    ) {
        blocks.fill(Matrix6::zeros());
        let band = self.basis.band();
        for (k, point) in self.basis.points.iter().enumerate().filter(|(_, point)| point.weight > 0.0) {
            let answer = self.respond(k, &self.basis.strain(&point.functions, q), tension);
            self.add_form(&point.functions, &(answer.tangent * point.weight), band, blocks);
        }
    }

    /// The same of the viscosity; nothing if the material does not damp.
    pub(in crate::rod) fn fill_viscosity(&self, blocks: &mut [Matrix6<f64>]) {
        blocks.fill(Matrix6::zeros());
        let band = self.basis.band();
        for (point, viscosity) in self.basis.points.iter().zip(&self.viscosity) {
            self.add_form(&point.functions, &(viscosity * point.weight), band, blocks);
        }
    }

    /// Adds `factor` times a band of blocks.
    pub(in crate::rod) fn add_band(
        &self,
        blocks: &[Matrix6<f64>],
        factor: f64,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        let band = self.basis.band();
        for (i, row) in nodes.stress.iter().enumerate() {
            for d in 0..band.min(i + 1) {
                let block = &blocks[i * band + d];
                if *block != Matrix6::zeros() {
                    sink.add_symmetric(*row, nodes.stress[i - d], &(block * factor));
                }
            }
        }
    }

    /// y += (stiffness of the last assembly) x.
    pub fn add_stiffness_times(&self, scratch: &RodScratch, x: &[Vector6<f64>], y: &mut [Vector6<f64>]) {
        let (blocks, band) = (&scratch.material, self.basis.band());
        for i in 0..x.len() {
            y[i] += blocks[i * band] * x[i];
            for d in 1..band.min(i + 1) {
                let block = &blocks[i * band + d];
                y[i] += block * x[i - d];
                y[i - d] += block.tr_mul(&x[i]);
            }
        }
    }

    /// First order only: ∂U/∂q goes to `scratch.misfit`.
    pub(super) fn fill_gradient(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        self.fill_rows(carried.stress, carried.tension, &mut scratch.misfit);
    }

    /// Everything second-order.
    pub(super) fn fill_tangent(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        self.fill_gradient(carried, scratch);
        self.fill_stiffness(carried.stress, carried.tension, &mut scratch.material);
        self.fill_moments(carried.stress, scratch);
    }

    pub(super) fn fill_moments(&self, q: &[Vector6<f64>], scratch: &mut RodScratch) {
        for (k, moments) in scratch.moments.iter_mut().enumerate() {
            *moments = self.moments(k, q);
        }
    }

    /// Adds the tangent: elastic stiffness in the coordinates, and how loads change as the poses follow; λ are the loads
    /// swept back to the increments.
    pub(super) fn add_tangent(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        lambda: &[DualVector],
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        self.add_band(&scratch.material, 1.0, nodes, sink);
        self.add_curvature(scratch, map, lambda, nodes, sink);
    }

    /// How loads change as the poses follow: λ·(∂²Ψ − ∂²Ω).
    pub(crate) fn add_curvature(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        lambda: &[DualVector],
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        self.curve.add_curvature_of_increments(map, lambda, nodes, sink);
        for (k, (lambda, moments)) in lambda.iter().zip(&scratch.moments).enumerate() {
            let curvature = MagnusStep::at(moments).curvature(&wrench_vector(lambda));
            self.add_increment_curvature(k, &curvature, |row, column, block| {
                sink.add_symmetric(nodes.stress[row], nodes.stress[column], block);
            });
        }
    }

    /// U, without what tendons do.
    pub fn energy(&self, q: &[Vector6<f64>]) -> f64 {
        let points = self.basis.points.iter().zip(&self.curve.values.points);
        let of = |(point, values): (&BasisPoint, &PointValues)| {
            let strain = self.basis.strain(&point.functions, q);
            0.5 * point.weight * strain.dot(&(values.section.elastic.stiffness * strain))
        };
        points.map(of).sum()
    }
}
