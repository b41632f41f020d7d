//! From a guess to an equilibrium as exact as the arithmetic allows, at the price of a coarse one.
//!
//! Newton runs on a mesh just fine enough for its derivative; the error of that mesh is measured once by halving steps,
//! the order of the method tells the mesh that meets the tolerance, and there the coarse derivative still serves
//! (its relative error is that of the coarse mesh, so each correction gains six digits or more).

use super::curve::ExactCurve;
use super::shooting::{self, Shooting, ShootingEnd};
use crate::elastic::ElasticRod;
use crate::error::ShapeError;
use crate::options::Mechanics;
use lissome_lie::{Pose, Wrench};
use nalgebra::Matrix6;

/// Order of the stepping method.
const ORDER: f64 = 8.0;
/// Integration error of the tip pose that the fine mesh is chosen for (rad, and position over length).
const MESH_TOLERANCE: f64 = 5e-13;
/// Defects left by Newton on the coarse mesh.
const NEWTON_TOLERANCE: f64 = 1e-10;
/// Defects below which a search that stalls may owe it to its mesh.
const NEARLY: f64 = 1e-4;
/// Misfit of the tip aimed at, and the largest accepted: the roundings of a few, and of a thousand, sensitive steps.
const TIP_GOAL: f64 = 2e-13;
const TIP_TOLERANCE: f64 = 2e-11;
/// Error of a mesh whose derivative serves the finer ones.
const COARSE_TOLERANCE: f64 = 1e-6;
/// Corrections with the coarse derivative before full Newton takes over.
const MAX_CORRECTIONS: usize = 4;
/// Steps per radian of turning on the coarse mesh; at order 8 this leaves about 1e-7.
const STEPS_PER_RADIAN: f64 = 1.3;
/// Fewest and most steps of the coarse mesh, most of the fine one.
const COARSE: (usize, usize) = (6, 96);
const MAX_STEPS: usize = 1024;

/// A first guess: the wrench at the base, and how fast the rod turns (rad per length) at most.
#[derive(Clone, Copy, Debug)]
pub struct Guess {
    /// Wrench at the base, dimensionless.
    pub wrench: Wrench,
    /// Largest |κ̂| along the guess.
    pub turning: f64,
}

/// An equilibrium, or the nearest the search came to one.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// Poses and wrench.
    pub curve: ExactCurve,
    /// The same on the mesh that Newton ran on, to start from when the ends move.
    pub coarse: ExactCurve,
    /// ∂(tip pose)/∂(base wrench), to about six digits.
    pub tip_by_wrench: Matrix6<f64>,
    /// True if that derivative can be inverted without losing digits.
    pub plain: bool,
    /// Largest misfit before each Newton iteration and at the end.
    pub history: Vec<f64>,
    /// How far integration from the base misses the tip (rad, and position over length), plus the estimated
    /// integration error.
    pub residual: f64,
    /// True if the residual is as small as it can be made.
    pub converged: bool,
}

/// Solves from a guess of the poses along the rod and of the wrench.
pub fn equilibrium(
    rod: &ElasticRod,
    mechanics: Mechanics,
    tip: &Pose,
    guess: &Guess,
    pose: impl Fn(f64) -> Pose,
) -> Equilibrium {
    let rate = guess.turning.max(guess.wrench.force.norm().sqrt());
    let count = ((STEPS_PER_RADIAN * rate) as usize + 2).clamp(COARSE.0, COARSE.1);
    let stretches = shooting::stretches(rod, count);
    let mut nodes: Vec<Pose> = stretches.iter().map(|stretch| pose(stretch.from)).collect();
    nodes[0] = Pose::identity();
    nodes.push(*tip);
    polish(rod, ExactCurve { mechanics, stretches, nodes, wrench: guess.wrench })
}

/// Newton on the curve's own mesh, then on the one its error asks for. The last node is the tip's pose.
pub fn polish(rod: &ElasticRod, curve: ExactCurve) -> Equilibrium {
    let tip = *curve.nodes.last().expect("a curve has at least two nodes");
    let mut found = Equilibrium::from(Shooting::run(rod, curve, NEWTON_TOLERANCE));
    loop {
        let count = found.curve.stretches.len();
        if !found.converged {
            // Between coaxial ends a round rod conserves its twisting moment, which makes one of the six conditions
            // redundant; a mesh that conserves it only to its own error has no solution, but a finer one nearly has.
            if found.residual > NEARLY || 2 * count > MAX_STEPS {
                return found;
            }
            let finer = remeshed(rod, &found.curve, 2 * count, &tip);
            found.restart(rod, finer, NEWTON_TOLERANCE);
            continue;
        }
        let error = found.curve.halving_error(rod);
        let wanted =
            |tolerance: f64| ((1.1 * count as f64 * (error / tolerance).powf(1.0 / ORDER)) as usize).min(MAX_STEPS);
        if count >= MAX_STEPS || !error.is_finite() {
            found.converged = error <= TIP_TOLERANCE;
            found.residual += error;
            return found;
        }
        if error > COARSE_TOLERANCE {
            let finer = remeshed(rod, &found.curve, wanted(0.01 * COARSE_TOLERANCE).max(2 * count), &tip);
            found.restart(rod, finer, NEWTON_TOLERANCE);
            continue;
        }
        let fine_count = wanted(MESH_TOLERANCE).max(count);
        let mesh_error = error * (count as f64 / fine_count as f64).powf(ORDER);
        if found.plain {
            let mut fine = unsettled(rod, &found.curve, fine_count);
            if found.correct(rod, &tip, &mut fine) {
                found.finish(fine, mesh_error);
                return found;
            }
        }
        // Too sensitive to be integrated from one end: Newton in full on the fine mesh.
        let fine = remeshed(rod, &found.coarse, fine_count, &tip);
        let coarse = found.coarse.clone();
        found.restart(rod, fine, TIP_GOAL);
        found.coarse = coarse;
        found.residual += mesh_error;
        found.converged = found.residual <= TIP_TOLERANCE;
        return found;
    }
}

impl From<Shooting> for Equilibrium {
    fn from(search: Shooting) -> Self {
        Self {
            residual: *search.history.last().expect("a search records its start"),
            tip_by_wrench: search.tip_by_wrench,
            plain: search.plain,
            history: search.history,
            converged: search.end == ShootingEnd::Converged,
            coarse: search.curve.clone(),
            curve: search.curve,
        }
    }
}

/// Reciprocal condition of ∂(tip)/∂(wrench) below which a failure is put down to a fold.
const FOLD_CONDITION: f64 = 1e-9;

impl Equilibrium {
    /// Why a search that did not converge has no answer.
    pub(crate) fn missed(&self) -> ShapeError {
        let values = self.tip_by_wrench.singular_values();
        let margin = values.min() / values.max();
        if self.plain && margin < FOLD_CONDITION {
            return ShapeError::NearFold { margin, residual: self.residual };
        }
        ShapeError::NotConverged { iterations: self.history.len().saturating_sub(1), residual: self.residual }
    }

    /// Newton in full from another curve; the history goes on.
    fn restart(&mut self, rod: &ElasticRod, curve: ExactCurve, tolerance: f64) {
        let mut history = std::mem::take(&mut self.history);
        *self = Shooting::run(rod, curve, tolerance).into();
        history.append(&mut self.history);
        self.history = history;
    }

    /// Integrates from the base and corrects the wrench with the derivative at hand until the tip fits; false if that
    /// stops short of the tolerance.
    fn correct(&mut self, rod: &ElasticRod, tip: &Pose, curve: &mut ExactCurve) -> bool {
        let mut miss = curve.settle(rod, tip).to_vector();
        let mut misfit = miss.amax();
        for _ in 0..MAX_CORRECTIONS {
            if misfit <= TIP_GOAL {
                break;
            }
            let before = curve.wrench;
            curve.wrench += Wrench::from_vector(&shooting::solve(&self.tip_by_wrench, &-miss));
            let next = curve.settle(rod, tip).to_vector();
            let better = next.amax().partial_cmp(&misfit) == Some(std::cmp::Ordering::Less);
            if !better {
                curve.wrench = before;
                curve.settle(rod, tip);
                break;
            }
            self.history.push(misfit);
            (miss, misfit) = (next, next.amax());
        }
        self.residual = misfit;
        misfit <= TIP_TOLERANCE
    }

    fn finish(&mut self, curve: ExactCurve, mesh_error: f64) {
        self.curve = curve;
        self.history.push(self.residual);
        self.residual += mesh_error;
        self.converged = self.residual <= TIP_TOLERANCE;
    }
}

/// The same wrench on another mesh; poses are left to [`ExactCurve::settle`].
fn unsettled(rod: &ElasticRod, curve: &ExactCurve, count: usize) -> ExactCurve {
    let stretches = shooting::stretches(rod, count);
    let nodes = vec![Pose::identity(); stretches.len() + 1];
    ExactCurve { mechanics: curve.mechanics, stretches, nodes, wrench: curve.wrench }
}

/// The same curve with nodes on another mesh.
fn remeshed(rod: &ElasticRod, curve: &ExactCurve, count: usize, tip: &Pose) -> ExactCurve {
    let mut finer = unsettled(rod, curve, count.min(MAX_STEPS));
    for (stretch, node) in finer.stretches.iter().zip(&mut finer.nodes).skip(1) {
        *node = curve.pose(rod, stretch.from);
    }
    if let Some(last) = finer.nodes.last_mut() {
        *last = *tip;
    }
    finer
}
