//! The natural modes of a scene within its tolerances.
//!
//! An equilibrium may need few spans where its modes need many: a straight wire under tension is exact on one, but its
//! vibrations bend within √(EI/T) of a clamp. So the modes themselves are compared with those on halved spans, and spans are
//! divided where the two swing differently.

use super::difference::Difference;
use super::division;
use super::statics::{HOPELESS, LEFT_BY_HALVING, Observer, Solved, has_own_poses};
use super::survey;
use crate::dynamics::mode_shape::{largest, moved};
use crate::dynamics::{self, Mode, ModesError};
use crate::statics::{Solution, StaticOptions};
use lissome_lie::Twist;
use lissome_mech::index::RodIndex;
use lissome_mech::{System, Workspace};
use lissome_model::{Invalid, Rod, Scene};
use nalgebra::{DMatrix, DVector};

/// Relative error of a frequency that a tolerance of the poses allows, in tolerances.
pub const FREQUENCY_TOLERANCE: f64 = 10.0;
/// Divisions before a tolerance is given up.
const MOST_ROUNDS: usize = 10;
/// The error that the next division aims at, of what is allowed.
const AIM: f64 = 0.3;
/// More unknowns than this are not reached for.
const MOST_UNKNOWNS: usize = 200_000;
/// Modes are compared as states moved along them by this much, in rad or lengths: the equilibria differ by far less.
const NUDGE: f64 = 1e-2;
/// Modes of the finer spans whose |λ| is within this part of one of the coarser may be the same motion, or mixtures of it.
const SAME_RATE: f64 = 0.1;
/// Modes beside those asked for, so that the last has its twin.
const SPARE: usize = 2;
/// A mode slower than this part of the fastest is a motion that nothing resists.
const NEUTRAL: f64 = 1e-6;

/// The modes and how far they can be trusted.
#[derive(Clone, Debug)]
pub struct AccurateModes {
    /// The scene as it was divided.
    pub scene: Scene,
    /// Its equations.
    pub system: System,
    /// The equilibrium.
    pub solution: Solution,
    /// Memory as the equilibrium left it.
    pub work: Workspace,
    /// Estimated error of each rod's equilibrium, of its length or in rad; NaN where there is no estimate.
    pub errors: Vec<f64>,
    /// The modes, none if there is no equilibrium, and the estimated relative error of each λ (NaN where there is no estimate).
    pub modes: Result<Vec<(Mode, f64)>, ModesError>,
}

/// The equilibrium of a scene and its `count` lowest modes, on as many spans as its tolerances need. Numbers of spans are obeyed.
pub fn modes(
    scene: &Scene,
    count: usize,
    options: &StaticOptions,
    observer: Observer<'_>,
) -> Result<AccurateModes, Invalid> {
    // Modes beyond the first few are waves that need spans of their own.
    let first = survey::for_motion(scene, count, observer)?;
    // Where every rod may be divided the answer is the one on halved spans.
    let open = scene.rods.iter().any(division::is_open);
    let all_open = open && scene.rods.iter().all(|rod| division::is_open(rod) || has_own_poses(rod));
    let left = if all_open { LEFT_BY_HALVING } else { 1.0 };
    let allowed = scene.rods.iter().filter_map(Rod::tolerance).fold(f64::INFINITY, f64::min) * FREQUENCY_TOLERANCE;
    let mut coarse = Resting::new(Solved::from_natural(first, options, observer)?, count);
    let mut last = f64::INFINITY;
    for round in 1.. {
        if !coarse.has_modes() {
            break;
        }
        let fine = Resting::new(coarse.solved.on(division::halved(&coarse.solved.scene)?, options, observer)?, count);
        if !fine.has_modes() {
            break;
        }
        let errors = relative_errors(&coarse, &fine, left);
        let excess = errors.iter().copied().fold(0.0, f64::max) / allowed;
        let too_large = coarse.solved.system.unknowns() > MOST_UNKNOWNS;
        if !open || excess <= 1.0 || excess > HOPELESS * last || round == MOST_ROUNDS || too_large {
            let rods = coarse.solved.differences(&fine.solved).iter().map(|rod| left * rod.size()).collect();
            return Ok(if all_open { fine } else { coarse }.answer(rods, &errors));
        }
        last = excess;
        // An error of the shape counts by its square.
        let share = (AIM / excess).sqrt();
        let grid = division::refined(&coarse.solved.scene, scene, &contributions(&coarse, &fine), share)?;
        coarse = Resting::new(coarse.solved.on(grid, options, observer)?, count);
    }
    let rods = vec![f64::NAN; scene.rods.len()];
    Ok(coarse.answer(rods, &[]))
}

/// An equilibrium and its modes.
struct Resting {
    solved: Solved,
    modes: Result<Vec<Mode>, ModesError>,
}

impl Resting {
    fn new(solved: Solved, count: usize) -> Self {
        let modes = if solved.converged() { lowest(&solved, count) } else { Ok(Vec::new()) };
        Self { solved, modes }
    }

    fn has_modes(&self) -> bool {
        self.modes.as_ref().is_ok_and(|modes| !modes.is_empty())
    }

    fn modes(&self) -> &[Mode] {
        self.modes.as_deref().unwrap_or_default()
    }

    fn answer(self, errors: Vec<f64>, of_modes: &[f64]) -> AccurateModes {
        let Solved { scene, system, work, solution } = self.solved;
        let of_modes = of_modes.iter().copied().chain(std::iter::repeat(f64::NAN));
        let modes = self.modes.map(|modes| modes.into_iter().zip(of_modes).collect());
        AccurateModes { scene, system, solution, work, errors, modes }
    }
}

fn lowest(solved: &Solved, count: usize) -> Result<Vec<Mode>, ModesError> {
    dynamics::modes(&solved.system, &solved.solution.state, &solved.system.inputs_at(0.0), count)
}

/// By how much the modes differ in λ, relatively, in their order.
fn relative_errors(coarse: &Resting, fine: &Resting, left: f64) -> Vec<f64> {
    let fastest = fine.modes().iter().map(Mode::rate).fold(0.0, f64::max);
    let one = |(a, b): (&Mode, &Mode)| {
        if b.rate() <= NEUTRAL * fastest { 0.0 } else { left * (a.rate() - b.rate()).abs() / b.rate() }
    };
    coarse.modes().iter().zip(fine.modes()).map(one).collect()
}

/// How far the modes of both lie apart along each rod: the largest of all modes.
fn contributions(coarse: &Resting, fine: &Resting) -> Vec<Difference> {
    let (own, other) = (&coarse.solved, &fine.solved);
    let rest = other.system.resampled_state(&own.system, &own.solution.state);
    let rods = || RodIndex::first(own.scene.rods.len());
    let mut worst: Vec<Difference> = Vec::new();
    let found = lowest(other, coarse.modes().len() + SPARE);
    let found = found.as_deref().unwrap_or(fine.modes());
    for mode in coarse.modes() {
        let nudge = NUDGE / largest(&own.system, &mode.shape);
        let here = moved(&own.system, &own.solution.state, &mode.shape, nudge);
        let there = other.system.resampled_state(&own.system, &here);
        let wanted: Vec<Twist> = there.poses.iter().zip(&rest.poses).map(|(to, from)| to.boxminus(from)).collect();
        let alike = found.iter().filter(|found| (found.rate() - mode.rate()).abs() < SAME_RATE * mode.rate());
        let Some(same) = nearest(&wanted, alike.map(|found| &found.shape[..]), other.system.scales().length) else {
            continue;
        };
        let there = moved(&other.system, &other.solution.state, &same, 1.0);
        let found = rods().map(|rod| Difference::between((&own.system, &here), (&other.system, &there), rod));
        match worst.is_empty() {
            true => worst = found.collect(),
            false => worst.iter_mut().zip(found).for_each(|(worst, found)| worst.cover(&found)),
        }
    }
    worst
}

/// The mixture of motions that is nearest to a wanted one. Twins have no shapes of their own: any mixture is one.
fn nearest<'a>(wanted: &[Twist], alike: impl Iterator<Item = &'a [Twist]>, length: f64) -> Option<Vec<Twist>> {
    let alike: Vec<&[Twist]> = alike.collect();
    let product = |a: &[Twist], b: &[Twist]| -> f64 {
        let one = |(a, b): (&Twist, &Twist)| length * length * a.angular.dot(&b.angular) + a.linear.dot(&b.linear);
        a.iter().zip(b).map(one).sum()
    };
    let matrix = DMatrix::from_fn(alike.len(), alike.len(), |i, j| product(alike[i], alike[j]));
    let right = DVector::from_iterator(alike.len(), alike.iter().map(|shape| product(shape, wanted)));
    let weights = matrix.cholesky()?.solve(&right);
    let mix = |slot: usize| alike.iter().zip(&weights).fold(Twist::zero(), |sum, (shape, w)| sum + shape[slot] * *w);
    (!alike.is_empty()).then(|| (0..wanted.len()).map(mix).collect())
}
