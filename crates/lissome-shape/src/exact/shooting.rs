//! Newton for the wrench at the base (six unknowns) that brings the tip to its pose.
//!
//! Every stretch is a shooting interval of its own. With poses g_k at the nodes and the wrench μ₀ at the base,
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | μ_k = Ad_{g_k}ᵀ μ₀ | wrench at node k | `wrench` |
//! | Δ, E | pose at the end of the stretch and its derivative by μ_k | `delta`, `local` |
//! | d_k = log(g_{k+1}⁻¹ g_k Δ) | what is missing for continuity | `defect` |
//!
//! The linearised rod is marched from the held base ([`super::march`]); at the held tip X c + y = 0 is the one 6×6
//! system. On a continuous curve X is the derivative of the tip pose by the base wrench and the method is plain shooting;
//! with nodes taken from a nearby shape it converges from much farther away, at the same price.

use super::curve::ExactCurve;
use super::field::{Cosserat, Kirchhoff, Law};
use super::march::{Columns, Link, March};
use super::step::{self, Stretch};
use crate::elastic::ElasticRod;
use crate::options::Mechanics;
use lissome_lie::{Pose, Twist, Wrench};
use nalgebra::{Matrix6, Vector6};

/// Newton iterations allowed.
pub const MAX_ITERATIONS: usize = 40;
/// Longest rotation of a node in one iteration, rad.
const MAX_ROTATION: f64 = 1.0;
/// Below this ratio of smallest to largest pivot the tip does not answer one combination of the wrench (the free
/// turning of a round rod between coaxial ends); that combination is then left alone.
const RANK_TOLERANCE: f64 = 1e-13;
/// Sums of squared defects below this are roundings, which no step makes smaller.
const ROUNDING: f64 = 1e-28;
/// Halvings of a Newton step before the search is given up.
const MAX_HALVINGS: usize = 10;

/// How a search for equilibrium ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShootingEnd {
    /// To the tolerance.
    Converged,
    /// Out of iterations, or no step brings the ends closer.
    Stalled,
}

/// A search for equilibrium from a first guess.
#[derive(Clone, Debug)]
pub struct Shooting {
    /// The curve as far as it was brought.
    pub curve: ExactCurve,
    /// Largest defect before each iteration and at the end.
    pub history: Vec<f64>,
    /// How it ended.
    pub end: ShootingEnd,
    /// ∂(tip pose)/∂(base wrench), body frame of the tip.
    pub tip_by_wrench: Matrix6<f64>,
    /// True if that derivative can be inverted without losing digits.
    pub plain: bool,
}

/// Cuts the rod into about `count` steps that respect its smooth pieces.
pub fn stretches(rod: &ElasticRod, count: usize) -> Vec<Stretch> {
    let mut all = Vec::with_capacity(count + 8);
    for (piece, (from, to)) in rod.piece_bounds().enumerate() {
        let parts = (((to - from) * count as f64).round() as usize).max(1);
        let span = (to - from) / parts as f64;
        all.extend((0..parts).map(|i| Stretch { piece, from: from + i as f64 * span, span }));
    }
    all
}

impl Shooting {
    /// Newton from a guess: poses of the nodes along `curve.nodes` (the last must be the tip's) and a base wrench;
    /// ends when no defect (rad, and position over length) exceeds `tolerance`.
    pub fn run(rod: &ElasticRod, curve: ExactCurve, tolerance: f64) -> Self {
        match curve.mechanics {
            Mechanics::Kirchhoff => Self::run_with::<Kirchhoff>(rod, curve, tolerance),
            Mechanics::Cosserat => Self::run_with::<Cosserat>(rod, curve, tolerance),
        }
    }

    fn run_with<L: Law>(rod: &ElasticRod, mut curve: ExactCurve, tolerance: f64) -> Self {
        let count = curve.stretches.len();
        let turns_freely = curve.nodes.last().is_some_and(|tip| rod.turns_freely(tip));
        let mut march = March::start(Columns::zeros(), count + 1);
        let mut next_march = march.clone();
        let mut motions = vec![Vector6::zeros(); count + 1];
        let mut history = Vec::with_capacity(12);
        let mut trial = curve.nodes.clone();
        let mut defects = linearise::<L>(rod, &curve, &mut march);
        loop {
            history.push(defects.largest);
            let converged = defects.largest <= tolerance;
            if converged || history.len() > MAX_ITERATIONS || !defects.largest.is_finite() {
                let end = if converged { ShootingEnd::Converged } else { ShootingEnd::Stalled };
                return Self { curve, history, end, tip_by_wrench: march.by_wrench(), plain: march.is_plain() };
            }
            let start_wrench = curve.wrench;
            trial.copy_from_slice(&curve.nodes);
            let mut accepted = false;
            // Where one combination of the wrench hardly moves the tip, a step without it may still succeed.
            for rank in if turns_freely { [5, 5] } else { [6, 5] } {
                let at_tip = solve_with_rank(&march.tip().x, &-march.tip().y, rank);
                let coefficients = march.coefficients(at_tip);
                let mut longest = 0.0_f64;
                for (k, motion) in motions.iter_mut().enumerate() {
                    *motion = march.family(k).motion(&coefficients);
                    longest = longest.max(motion.fixed_rows::<3>(0).norm());
                }
                let change = coefficients[0];
                let mut fraction = if longest > MAX_ROTATION { MAX_ROTATION / longest } else { 1.0 };
                for attempt in 0..MAX_HALVINGS {
                    for k in 1..count {
                        curve.nodes[k] = trial[k].boxplus(&Twist::from_vector(&(motions[k] * fraction)));
                    }
                    curve.wrench = start_wrench + Wrench::from_vector(&(change * fraction));
                    // A full step is nearly always good, so its linearisation is computed at once; after a refusal the
                    // defects alone are compared.
                    let (merit, next) = if attempt == 0 && fraction == 1.0 {
                        let next = linearise::<L>(rod, &curve, &mut next_march);
                        (next.sum, Some(next))
                    } else {
                        (sum_of_defects::<L>(rod, &curve), None)
                    };
                    if merit <= (1.0 - 0.2 * fraction) * defects.sum || merit < ROUNDING {
                        defects = next.unwrap_or_else(|| linearise::<L>(rod, &curve, &mut next_march));
                        accepted = true;
                        break;
                    }
                    fraction *= 0.5;
                }
                if accepted {
                    break;
                }
            }
            if !accepted {
                curve.nodes.copy_from_slice(&trial);
                curve.wrench = start_wrench;
                let (tip_by_wrench, plain) = (march.by_wrench(), march.is_plain());
                return Self { curve, history, end: ShootingEnd::Stalled, tip_by_wrench, plain };
            }
            std::mem::swap(&mut march, &mut next_march);
        }
    }
}

/// What is missing for continuity.
#[derive(Clone, Copy, Debug)]
struct Defects {
    /// Sum of squares.
    sum: f64,
    /// Largest component.
    largest: f64,
}

fn sum_of_defects<L: Law>(rod: &ElasticRod, curve: &ExactCurve) -> f64 {
    let mut sum = 0.0;
    for (k, stretch) in curve.stretches.iter().enumerate() {
        let node = curve.nodes[k];
        let delta = step::advance::<L>(rod, stretch, &node.coadjoint_wrench(&curve.wrench));
        sum += (node * delta).boxminus(&curve.nodes[k + 1]).to_vector().norm_squared();
    }
    if sum.is_nan() { f64::INFINITY } else { sum }
}

fn linearise<L: Law>(rod: &ElasticRod, curve: &ExactCurve, march: &mut March<1>) -> Defects {
    march.restart(Columns::zeros());
    let mut defects = Defects { sum: 0.0, largest: 0.0 };
    let mut wrench = curve.wrench;
    for (k, stretch) in curve.stretches.iter().enumerate() {
        let (node, next) = (curve.nodes[k], curve.nodes[k + 1]);
        let (delta, local) = step::advance_with_variation::<L>(rod, stretch, &wrench);
        let between = node.inverse() * next;
        let next_wrench = next.coadjoint_wrench(&curve.wrench);
        let defect = delta.boxminus(&between).to_vector();
        defects.sum += defect.norm_squared();
        // `max` would swallow a NaN.
        defects.largest = if defect.amax() <= defects.largest { defects.largest } else { defect.amax() };
        march.step(&Link { delta, local, between, wrench: (wrench, next_wrench) }, &defect);
        wrench = next_wrench;
    }
    if defects.sum.is_nan() {
        defects = Defects { sum: f64::INFINITY, largest: f64::INFINITY };
    }
    defects
}

/// X⁻¹ b, or the shortest answer to the part that X can reach.
pub(crate) fn solve(x: &Matrix6<f64>, b: &Vector6<f64>) -> Vector6<f64> {
    solve_with_rank(x, b, 6)
}

/// The same with no more than `rank` singular values.
fn solve_with_rank(x: &Matrix6<f64>, b: &Vector6<f64>, rank: usize) -> Vector6<f64> {
    if rank == 6 {
        let lu = x.full_piv_lu();
        let pivots = lu.u().diagonal();
        if pivots[5].abs() > RANK_TOLERANCE * pivots[0].abs()
            && let Some(answer) = lu.solve(b)
        {
            return answer;
        }
    }
    if x.iter().any(|entry| !entry.is_finite()) {
        return Vector6::zeros();
    }
    let svd = x.svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else { return Vector6::zeros() };
    let mut order = [0, 1, 2, 3, 4, 5];
    order.sort_by(|i, j| svd.singular_values[*j].total_cmp(&svd.singular_values[*i]));
    let cut = RANK_TOLERANCE * svd.singular_values.max();
    let mut answer = Vector6::zeros();
    for i in order.into_iter().take(rank).filter(|i| svd.singular_values[*i] > cut) {
        answer += v_t.row(i).transpose() * (u.column(i).dot(b) / svd.singular_values[i]);
    }
    answer
}

/// X⁻¹, or nothing if X has lost rank.
pub(crate) fn invert(x: &Matrix6<f64>) -> Option<Matrix6<f64>> {
    let lu = x.full_piv_lu();
    let pivots = lu.u().diagonal();
    (pivots[5].abs() > RANK_TOLERANCE * pivots[0].abs()).then(|| lu.try_inverse()).flatten()
}

impl ExactCurve {
    /// Integrates from the base with the curve's wrench, so that the nodes are one continuous curve; returns how far
    /// the tip then is from `tip`.
    pub fn settle(&mut self, rod: &ElasticRod, tip: &Pose) -> Twist {
        match self.mechanics {
            Mechanics::Kirchhoff => self.settle_with::<Kirchhoff>(rod),
            Mechanics::Cosserat => self.settle_with::<Cosserat>(rod),
        }
        .boxminus(tip)
    }

    fn settle_with<L: Law>(&mut self, rod: &ElasticRod) -> Pose {
        let mut node = Pose::identity();
        self.nodes[0] = node;
        for (k, stretch) in self.stretches.iter().enumerate() {
            node = node * step::advance::<L>(rod, stretch, &node.coadjoint_wrench(&self.wrench));
            self.nodes[k + 1] = node;
        }
        node
    }
}
