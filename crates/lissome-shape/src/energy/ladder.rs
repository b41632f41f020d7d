//! From the two end poses to a minimum of the energy, by safer and slower starts until one succeeds.
//!
//! 1. One polynomial, started from the printed method.
//! 2. Several polynomials, started from the circular helix exp(τ x̄~) that turns as it should but ends elsewhere.
//! 3. The same, with the tip led from where that helix ends to where it must be. Every point on the way is closer to
//!    the base than the rod is long, so a shape exists all along; where the one being followed ceases to be a minimum,
//!    the minimiser falls to the next.

use super::chain::{Chain, MAX_SEGMENTS};
use super::element;
use super::minimise::{AtSaddle, Minimum, Stationary, minimise};
use crate::canonical::Canonical;
use crate::elastic::ElasticRod;
use crate::options::Quadrature;
use crate::polynomial::MAX_POWER;
use crate::printed;
use nalgebra::Vector3;
use std::f64::consts::PI;

/// One chart covers rotations up to 2π; its derivatives grow without bound there.
const ONE_CHART: f64 = 1.75 * PI;
/// Newton iterations allowed for a start from nearby, and from afar.
const NEAR_ITERATIONS: usize = 40;
const FAR_ITERATIONS: usize = 100;
/// A segment of a safe start turns by at most about this much, rad.
const SAFE_TURN: f64 = 1.3;
const SAFE_SEGMENTS: (usize, usize) = (4, 14);
/// First and smallest step on the way to the tip.
const FIRST_STEP: f64 = 0.25;
const SMALLEST_STEP: f64 = 1e-3;

/// Cuts at every step of the section, and more until there are `segments` pieces.
pub fn cuts(rod: &ElasticRod, segments: usize) -> Vec<f64> {
    let ends: Vec<f64> = std::iter::once(0.0).chain(rod.breaks()).chain(std::iter::once(1.0)).collect();
    let mut parts = vec![1usize; ends.len() - 1];
    let span = |ends: &[f64], parts: &[usize], i: usize| (ends[i + 1] - ends[i]) / parts[i] as f64;
    while parts.iter().sum::<usize>() < segments {
        let longest = (0..parts.len()).max_by(|a, b| span(&ends, &parts, *a).total_cmp(&span(&ends, &parts, *b)));
        parts[longest.expect("a rod has at least one piece")] += 1;
    }
    let mut all = vec![0.0];
    for i in 0..parts.len() {
        all.extend((1..=parts[i]).map(|k| ends[i] + (ends[i + 1] - ends[i]) * k as f64 / parts[i] as f64));
    }
    all
}

/// The minimum over polynomials of a degree between the given cuts, from the printed shape.
pub fn from_printed(
    rod: &ElasticRod,
    total: &Vector3<f64>,
    position: &Vector3<f64>,
    degree: usize,
    cuts: &[f64],
) -> Result<Minimum, Missed> {
    if total.norm() > ONE_CHART {
        return Err(Missed { iterations: 0, residual: position.norm() });
    }
    let start = printed::solve(rod, total, position, Quadrature::FromRotation);
    let chain = match (cuts.len(), start.converged) {
        (2, true) => Chain::single(degree, element::from_cubic(&start.curve.segments()[0].powers)),
        (2, false) => {
            let mut blocks = [Vector3::zeros(); MAX_POWER];
            blocks[0] = *total;
            Chain::single(degree, blocks)
        }
        (_, true) => Chain::through(degree, cuts, |tau| start.curve.pose(tau).0),
        (_, false) => helix(total, degree, cuts),
    };
    let found = minimise(rod, chain, position, Vector3::zeros(), NEAR_ITERATIONS, AtSaddle::Leave);
    Missed::unless_minimum(found)
}

/// Below this total bending angle (rad) a helix is taken for straight.
const NEARLY_STRAIGHT: f64 = 0.05;

/// Slope a of a wave a sin(πwτ) whose reach ∫cos(a sin) = J₀(a) is the given part of its length; from
/// J₀(a) ≈ 1 − a²/4 + a⁴/64 − a⁶/2304, by Newton.
pub fn slope_for_reach(reach: f64) -> f64 {
    let short = (1.0 - reach).clamp(0.0, 1.2);
    let mut q = short;
    for _ in 0..6 {
        // q = a²/4: J₀ = 1 − q + q²/4 − q³/36.
        let value = q - 0.25 * q * q + q * q * q / 36.0 - short;
        q -= value / (1.0 - 0.5 * q + q * q / 12.0);
    }
    2.0 * q.max(0.0).sqrt()
}

/// A far start: the helix that makes the right turn, with full turns of twist added and a sideways bump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Rotation vector from base to tip, rad.
    pub total: Vector3<f64>,
    /// Full turns about the tangent, added along the way.
    pub twists: i32,
    /// Rotation added in the shape of half waves, rad; it vanishes at both ends.
    pub bump: Vector3<f64>,
    /// How many half waves.
    pub waves: usize,
}

impl Start {
    /// The plain helix; where that is straight, an arch about the softer axis that reaches as far as the tip.
    pub fn helix(rod: &ElasticRod, total: &Vector3<f64>, position: &Vector3<f64>) -> Self {
        let straight = total.y.hypot(total.z) < NEARLY_STRAIGHT && rod.is_naturally_straight();
        let bump = if straight { rod.softer_axis() * slope_for_reach(position.norm()) } else { Vector3::zeros() };
        Self { total: *total, twists: 0, bump, waves: 1 }
    }

    /// Quintic segments through the start, enough of them for each to turn little.
    pub fn chain(&self, rod: &ElasticRod) -> Chain {
        let bump = PI * self.waves as f64 * self.bump.norm();
        let turn = self.total.norm() + 2.0 * PI * f64::from(self.twists.abs()) + bump;
        let segments = ((turn / SAFE_TURN) as usize + 1).clamp(SAFE_SEGMENTS.0, SAFE_SEGMENTS.1);
        let least = rod.breaks().count() + 1;
        let cuts = cuts(rod, segments.max(least).min(MAX_SEGMENTS.max(least)));
        Chain::interpolating(&cuts, |tau| {
            let roll = Vector3::new(2.0 * PI * f64::from(self.twists) * tau, 0.0, 0.0);
            let bend = self.bump * (PI * self.waves as f64 * tau).sin();
            let rotations = [self.total * tau, bend, roll].map(|x| Canonical::at(x).matrix());
            rotations[0] * rotations[1] * rotations[2]
        })
    }
}

/// The same polynomials from a shape that is known otherwise.
pub fn from_curve(
    rod: &ElasticRod,
    known: &Minimum,
    position: &Vector3<f64>,
    degree: usize,
    cuts: &[f64],
) -> Result<Minimum, Missed> {
    let curve = known.chain.curve();
    let chain = Chain::interpolating(cuts, |tau| curve.pose(tau).0).truncated(degree);
    Missed::unless_minimum(minimise(rod, chain, position, known.force, NEAR_ITERATIONS, AtSaddle::Leave))
}

/// Where a search for a minimum was given up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missed {
    /// Iterations spent.
    pub iterations: usize,
    /// Tip misfit over L.
    pub residual: f64,
}

impl Missed {
    fn unless_minimum(found: Minimum) -> Result<Minimum, Self> {
        if found.converged() {
            return Ok(found);
        }
        let residual = found.history.last().copied().unwrap_or(f64::NAN);
        Err(Self { iterations: found.history.len().saturating_sub(1), residual })
    }
}

/// The minimum over enough quintics, from a far start.
pub fn from_start(rod: &ElasticRod, start: &Start, position: &Vector3<f64>) -> Result<Minimum, Missed> {
    let chain = start.chain(rod);
    let direct = minimise(rod, chain.clone(), position, Vector3::zeros(), FAR_ITERATIONS, AtSaddle::Leave);
    Missed::unless_minimum(direct).or_else(|missed| led(rod, chain, position).ok_or(missed))
}

/// What descending from a far start meets: saddles on the way, if it settles on any, and the minimum.
pub fn met_from(rod: &ElasticRod, start: &Start, position: &Vector3<f64>) -> Vec<Minimum> {
    let chain = start.chain(rod);
    let first = minimise(rod, chain, position, Vector3::zeros(), FAR_ITERATIONS, AtSaddle::Stay);
    match first.kind {
        Stationary::Nothing => Vec::new(),
        Stationary::Minimum => vec![first],
        Stationary::Saddle => {
            let below = minimise(rod, first.chain.clone(), position, first.force, FAR_ITERATIONS, AtSaddle::Leave);
            let found = below.converged();
            std::iter::once(first).chain(found.then_some(below)).collect()
        }
    }
}

fn helix(total: &Vector3<f64>, degree: usize, cuts: &[f64]) -> Chain {
    Chain::through(degree, cuts, |tau| Canonical::at(total * tau).matrix())
}

/// Leads the tip from where the chain ends to `position`.
fn led(rod: &ElasticRod, chain: Chain, position: &Vector3<f64>) -> Option<Minimum> {
    let basis = chain.basis();
    let (_, from) = chain.value(&basis, &chain.sections(rod, &basis));
    let (mut reached, mut step) = (0.0, FIRST_STEP);
    let mut here = minimise(rod, chain, &from, Vector3::zeros(), FAR_ITERATIONS, AtSaddle::Leave);
    if !here.converged() {
        return None;
    }
    while reached < 1.0 {
        let next = f64::min(1.0, reached + step);
        let target = from + (position - from) * next;
        let there = minimise(rod, here.chain.clone(), &target, here.force, NEAR_ITERATIONS, AtSaddle::Leave);
        if there.converged() {
            (here, reached, step) = (there, next, 2.0 * step);
        } else {
            step *= 0.5;
            if step < SMALLEST_STEP {
                return None;
            }
        }
    }
    Some(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_reach_as_far_as_asked() {
        for reach in [0.99, 0.8, 0.5, 0.2, 0.0] {
            let slope = slope_for_reach(reach);
            let n = 2000;
            let sum: f64 = (0..n).map(|i| (slope * (PI * (i as f64 + 0.5) / n as f64).sin()).cos()).sum();
            // The first term left out of the alternating series.
            let remainder = (0.25 * slope * slope).powi(4) / 576.0;
            assert!((sum / n as f64 - reach).abs() < remainder + 1e-9, "{reach}: {}", sum / n as f64);
        }
    }
}
