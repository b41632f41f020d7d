//! Newton for the least energy with the tip position held (sequential quadratic programming with exact Hessians).
//!
//! Each step minimises ½dᵀHd + ∂E·d subject to g + Jd = 0. With H_ρ = H + ρJᵀJ (the same problem, since Jd is given)
//! a Cholesky factor exists exactly if energy rises along every admissible direction; if it does not, the stress part
//! of H is scaled down until it does. A line search on E + ν|g| makes far starts safe.

use super::chain::{Chain, System};
use super::dense::Cholesky;
use nalgebra::{Matrix3, Vector3};

use crate::elastic::ElasticRod;

/// After a full Newton step shorter than this (rad) the error is of the order of its square.
const STEP_TOLERANCE: f64 = 1e-6;
/// Tip position accepted, over L.
const GAP_TOLERANCE: f64 = 1e-12;
/// Longest change of any unknown in one step, rad.
const MAX_CHANGE: f64 = 1.0;
/// Halvings of a step before the search is given up.
const MAX_HALVINGS: usize = 12;
/// How the Hessian is made positive definite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taming {
    /// Share of the stress part of H.
    pub share: f64,
    /// Weight ρ of JᵀJ relative to the mean diagonal of H.
    weight: f64,
    /// Added to the diagonal, relative to it.
    shift: f64,
}

const fn taming(share: f64, weight: f64, shift: f64) -> Taming {
    Taming { share, weight, shift }
}

/// What is tried in turn until the factor exists. A larger weight serves where energy falls steeply across the constraint;
/// with a small shift, where one direction costs nothing (a round rod turning between coaxial ends: then Hv = Jᵀδf, so
/// that H + ρJᵀJ lacks |δf|²/ρ), which hardly slows Newton; smaller shares where energy falls along the constraint.
pub(super) const TAMINGS: [Taming; 7] = [
    taming(1.0, 30.0, 0.0),
    taming(1.0, 1000.0, 0.0),
    taming(1.0, 1e5, 1e-4),
    taming(0.7, 100.0, 0.0),
    taming(0.4, 30.0, 0.0),
    taming(0.15, 30.0, 0.0),
    taming(0.0, 30.0, 0.0),
];
/// Index of the last of these that leaves Newton its speed.
const FAST: usize = 2;

/// Where the search for least energy ended.
#[derive(Clone, Debug)]
pub struct Minimum {
    /// The chain.
    pub chain: Chain,
    /// Energy over B/L.
    pub energy: f64,
    /// Force n at the base, over B/L².
    pub force: Vector3<f64>,
    /// Moment at the base, over B/L.
    pub moment: Vector3<f64>,
    /// Tip misfit over L before every iteration and at the end.
    pub history: Vec<f64>,
    /// What it is.
    pub kind: Stationary,
}

/// What a search for least energy ended in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stationary {
    /// A minimum: energy rises along every admissible direction.
    Minimum,
    /// A stationary point with a direction along which energy falls.
    Saddle,
    /// Neither, within the iterations allowed.
    Nothing,
}

/// What to do at a stationary point that is no minimum; symmetric starts lead to such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtSaddle {
    /// Push the rod off it and go on.
    Leave,
    /// Stop there.
    Stay,
}

/// Pushes given to a rod that keeps settling on saddles, and their size, rad.
const MAX_PUSHES: usize = 3;
const PUSH: f64 = 0.08;

/// Factor and right-hand sides of one quadratic problem.
pub(super) struct Quadratic {
    factor: Cholesky,
    columns: [Vec<f64>; 3],
    step: Vec<f64>,
}

/// Minimises from `chain`, whose end rotations are kept, with the tip brought to `position` (over L).
pub fn minimise(
    rod: &ElasticRod,
    mut chain: Chain,
    position: &Vector3<f64>,
    first_force: Vector3<f64>,
    max_iterations: usize,
    at_saddle: AtSaddle,
) -> Minimum {
    let mut basis = chain.basis();
    let mut sections = chain.sections(rod, &basis);
    let mut system = System::sized(&chain);
    let mut work = Quadratic::sized(system.n);
    let (mut force, mut history) = (first_force, Vec::with_capacity(16));
    let mut trial = chain.clone();
    let (mut settled, mut pushes) = (None, 0);
    let kind = loop {
        let points = chain.basis();
        if points.points > basis.points {
            basis = points;
            sections = chain.sections(rod, &basis);
        }
        let mut tamed = 0;
        let next_force = loop {
            let taming = TAMINGS[tamed];
            if tamed == 0 || taming.share != TAMINGS[tamed - 1].share {
                chain.assemble(&basis, &sections, &force, taming.share, &mut system);
            }
            match work.solve(&system, position, taming) {
                Some(force) => break Some(force),
                None if tamed + 1 < TAMINGS.len() => tamed += 1,
                None => break None,
            }
        };
        let gap = (system.reach - position).norm();
        history.push(gap);
        match settled {
            Some(kind) if gap <= GAP_TOLERANCE && (kind == Stationary::Minimum || at_saddle == AtSaddle::Stay) => {
                break kind;
            }
            Some(Stationary::Saddle) if gap <= GAP_TOLERANCE && pushes < MAX_PUSHES => {
                pushes += 1;
                settled = None;
                push(&mut work.step, pushes);
                trial.move_from(&chain, &work.step, 1.0);
                std::mem::swap(&mut chain, &mut trial);
                continue;
            }
            _ => {}
        }
        let Some(next_force) = next_force else { break Stationary::Nothing };
        if history.len() > max_iterations {
            break Stationary::Nothing;
        }
        let longest = work.step.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let mut fraction = if longest > MAX_CHANGE { MAX_CHANGE / longest } else { 1.0 };
        // Exact penalty: larger than the multiplier, or the step need not descend.
        let penalty = 1.5 * next_force.norm() + 1.0;
        let slope: f64 = work.step.iter().zip(&system.energy_slope).map(|(d, g)| d * g).sum::<f64>() - penalty * gap;
        let here = system.energy + penalty * gap;
        let mut accepted = false;
        for _ in 0..MAX_HALVINGS {
            trial.move_from(&chain, &work.step, fraction);
            let (energy, reach) = trial.value(&basis, &sections);
            let there = energy + penalty * (reach - position).norm();
            if there <= here + 1e-4 * fraction * slope.min(0.0) + 1e-12 * (1.0 + here.abs()) {
                accepted = true;
                break;
            }
            fraction *= 0.5;
        }
        if !accepted {
            break Stationary::Nothing;
        }
        std::mem::swap(&mut chain, &mut trial);
        force += (next_force - force) * fraction;
        settled = (fraction == 1.0 && longest <= STEP_TOLERANCE).then_some(if tamed <= FAST {
            Stationary::Minimum
        } else {
            Stationary::Saddle
        });
    };
    chain.least_points = basis.points;
    Minimum { energy: system.energy, moment: system.base_moment, chain, force, history, kind }
}

impl Minimum {
    /// True if a minimum was found.
    pub fn converged(&self) -> bool {
        self.kind == Stationary::Minimum
    }
}

/// A direction without symmetry, another one each time, and always the same ones.
fn push(step: &mut [f64], turn: usize) {
    for (i, d) in step.iter_mut().enumerate() {
        *d = PUSH * ((1.0 + 0.37 * turn as f64) * (i as f64 + 1.0)).sin();
    }
}

impl Quadratic {
    pub(super) fn sized(n: usize) -> Self {
        Self { factor: Cholesky::sized(n), columns: std::array::from_fn(|_| vec![0.0; n]), step: vec![0.0; n] }
    }

    /// The step of the last [`Self::solve`].
    pub(super) fn step(&self) -> &[f64] {
        &self.step
    }

    /// The step and the new force; `None` if some admissible direction has no positive curvature.
    pub(super) fn solve(&mut self, system: &System, position: &Vector3<f64>, taming: Taming) -> Option<Vector3<f64>> {
        let n = system.n;
        let gap = system.reach - position;
        let diagonal = (0..n).map(|i| system.hessian[i * n + i].abs()).sum::<f64>();
        let jacobian = system.reach_slope.iter().map(|c| c.norm_squared()).sum::<f64>();
        let rho = taming.weight * diagonal / jacobian.max(f64::MIN_POSITIVE);
        let lower = self.factor.lower();
        for i in 0..n {
            let ji = system.reach_slope[i] * rho;
            for j in 0..=i {
                lower[i * n + j] = system.hessian[i * n + j] + ji.dot(&system.reach_slope[j]);
            }
            lower[i * n + i] += taming.shift * system.hessian[i * n + i].abs();
        }
        if !self.factor.factor() {
            return None;
        }
        for (axis, column) in self.columns.iter_mut().enumerate() {
            for (c, j) in column.iter_mut().zip(&system.reach_slope) {
                *c = j[axis];
            }
            self.factor.solve(column);
        }
        // b = ∂E + ρJᵀg; the step is H_ρ⁻¹(Jᵀf − b) with f from J d = −g.
        for i in 0..n {
            self.step[i] = system.energy_slope[i] + rho * system.reach_slope[i].dot(&gap);
        }
        self.factor.solve(&mut self.step);
        let mut schur = Matrix3::zeros();
        let mut right = -gap;
        for i in 0..n {
            let j = &system.reach_slope[i];
            right += j * self.step[i];
            for axis in 0..3 {
                schur.set_column(axis, &(schur.column(axis) + j * self.columns[axis][i]));
            }
        }
        let force = schur.try_inverse()? * right;
        for i in 0..n {
            self.step[i] = (0..3).map(|axis| self.columns[axis][i] * force[axis]).sum::<f64>() - self.step[i];
        }
        self.step.iter().all(|x| x.is_finite()).then_some(force)
    }
}
