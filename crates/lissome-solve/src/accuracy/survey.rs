//! The divisions that a path or a motion needs, chosen before it begins: every state of it lives on the same knots.

use super::difference::Difference;
use super::division;
use super::finer::Finer;
use super::statics::{HOPELESS, solve};
use crate::Iteration;
use crate::diagram;
use crate::path::{self, Path, Step};
use crate::statics::{self, StaticOptions};
use lissome_mech::System;
use lissome_model::{Arclength, Drive, DriveTarget, Follow, Invalid, PathJob, Resolution, Scene, Signal};

/// Places of a path that are looked at before it is followed, and how often.
const PLACES: usize = 5;
const MOST_ROUNDS: usize = 3;
/// Branches beside the first, and the steps along them, where a path follows branches.
const BRANCHES: usize = 2;
const LONG_STEP: f64 = 0.3;
/// The error that a division aims at, of the tolerance.
const AIM: f64 = 0.3;
/// A motion goes beyond its equilibrium, so that is to err by this part of the tolerance.
const MOTION_MARGIN: f64 = 0.1;
/// Newton iterations on the way to that equilibrium, and to each of those that its drives lead to.
const MOST_ITERATIONS: usize = 60;
/// Divisions for what drives of joints, cables and tendons hold.
const DRIVEN_ROUNDS: usize = 8;

/// The scene with knots that the whole way along its drives needs, in place of its tolerances. Where the way ends early,
/// those that it needs until then.
pub fn for_path(
    scene: &Scene,
    job: &PathJob,
    options: &StaticOptions,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Result<Scene, Invalid> {
    let mut grid = division::starting(scene, division::FIRST_SPANS);
    if !scene.rods.iter().any(division::is_open) {
        return Ok(grid);
    }
    let options = StaticOptions { eigenvalue: false, look_back: false, ..*options };
    let mut last = f64::INFINITY;
    for _ in 0..MOST_ROUNDS {
        let system = System::compile(&grid)?;
        let mut finer = Finer::new(&grid)?;
        let mut worst: Option<Vec<Difference>> = None;
        let mut lost = false;
        let mut work = system.workspace();
        let way = Path { samples: job.samples.min(PLACES), end: job.end, on_event: job.on_event };
        let mut see = |step: Step<'_>| {
            let converged = step.solution.outcome.converged();
            let found = converged.then(|| finer.differences(&system, &step.solution.state, step.inputs)).flatten();
            lost |= found.is_none();
            match (&mut worst, found) {
                (_, None) => {}
                (Some(worst), Some(found)) => {
                    worst.iter_mut().zip(&found).for_each(|(worst, found)| worst.cover(found))
                }
                (worst, found) => *worst = found,
            }
            true
        };
        match job.follow {
            Follow::Drives => path::follow(&system, &way, &options, &mut work, observer, &mut see),
            // The branch itself in long steps: what it needs its neighbours need too.
            Follow::Arclength(how) => {
                let coarse = Arclength { branches: how.branches.min(BRANCHES), longest_step: LONG_STEP, ..how };
                diagram::trace(&system, job.end, &coarse, &options, &mut work, observer, &mut see);
            }
        }
        let excess = worst.as_ref().map_or(0.0, |worst| division::excess(scene, worst, 1.0));
        if excess <= 1.0 && !lost || scene.has_contacts() && excess > HOPELESS * last {
            break;
        }
        last = excess;
        grid = match worst {
            // Too coarse to say where it errs.
            None => division::halved_open(&grid, scene)?,
            Some(_) if excess <= 1.0 => division::halved_open(&grid, scene)?,
            Some(worst) => division::refined(&grid, scene, &worst, AIM / excess)?,
        };
    }
    Ok(grid)
}

/// The scene with knots that a motion of it needs, in place of its tolerances: those of its equilibrium, and where drives put joints,
/// cables or tendons somewhere, those of the equilibria with all of them at the one end and at the other end of what they pass
/// through at any time. Loads may act so briefly that their equilibria tell nothing, and are not looked at; nor is what may
/// touch something on its way.
pub fn for_course(scene: &Scene, observer: &mut dyn FnMut(&Iteration) -> bool) -> Result<Scene, Invalid> {
    let mut grid = for_motion(scene, 0, observer)?;
    let moved = scene.drives.iter().any(is_held);
    if !moved || !scene.rods.iter().any(division::is_open) || scene.has_contacts() || scene.floating().is_some() {
        return Ok(grid);
    }
    for _ in 0..DRIVEN_ROUNDS {
        let Driven { worst, lost } = at_ends_of_drives(scene, &grid, observer)?;
        let excess = worst.as_ref().map_or(0.0, |worst| division::excess(scene, worst, 1.0));
        grid = match worst {
            Some(worst) if excess > 1.0 => division::refined(&grid, scene, &worst, AIM / excess)?,
            // Too coarse to say where it errs.
            _ if lost => division::halved_open(&grid, scene)?,
            _ => break,
        };
    }
    Ok(grid)
}

/// True if a drive says where something is, not how strongly it is pulled.
fn is_held(drive: &Drive) -> bool {
    matches!(drive.target, DriveTarget::JointValue { .. } | DriveTarget::Cable(_) | DriveTarget::Tendon(_))
}

/// What was seen at the ends of what drives pass through.
#[derive(Default)]
struct Driven {
    /// How far the equilibria lie from those on halved spans.
    worst: Option<Vec<Difference>>,
    /// True if one of them has none near it on halved spans.
    lost: bool,
}

/// Equilibria with all held drives at one of their ends.
fn at_ends_of_drives(
    scene: &Scene,
    grid: &Scene,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Result<Driven, Invalid> {
    let options = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::default() };
    let system = System::compile(grid)?;
    let mut work = system.workspace();
    let mut left = MOST_ITERATIONS;
    let start = statics::solve_from_natural(&system, &options, &mut work, &mut |i| few(&mut left, observer, i));
    if !start.outcome.converged() {
        return Ok(Driven::default());
    }
    let mut finer = Finer::new(grid)?;
    let mut driven = Driven::default();
    let from = system.inputs_at(0.0);
    for end in [|range: (f64, f64)| range.1, |range: (f64, f64)| range.0] {
        let mut drives = scene.drives.clone();
        for drive in drives.iter_mut().filter(|drive| is_held(drive)) {
            drive.signal = Signal::Constant(end(drive.signal.range()));
        }
        let to = system.inputs_driven_by(&drives, 0.0);
        if to == from {
            continue;
        }
        let mut left = MOST_ITERATIONS;
        let see = &mut |i: &Iteration| few(&mut left, observer, i);
        let found = path::advance(&system, &start.state, (&from, &to), &options, &mut work, see);
        if !found.outcome.converged() {
            continue;
        }
        match (&mut driven.worst, finer.differences(&system, &found.state, &to)) {
            (_, None) => driven.lost = true,
            (Some(worst), Some(found)) => worst.iter_mut().zip(&found).for_each(|(worst, found)| worst.cover(found)),
            (worst, found) => *worst = found,
        }
    }
    Ok(driven)
}

/// Shows an iteration; false once as many were made as a search may take.
fn few(left: &mut usize, observer: &mut dyn FnMut(&Iteration) -> bool, iteration: &Iteration) -> bool {
    *left = left.saturating_sub(1);
    observer(iteration) && *left > 0
}

/// The scene with knots that its equilibrium needs with a margin, in place of its tolerances; no fewer than twice `least`
/// spans a rod.
pub fn for_motion(scene: &Scene, least: usize, observer: &mut dyn FnMut(&Iteration) -> bool) -> Result<Scene, Invalid> {
    if !scene.rods.iter().any(division::is_open) {
        return Ok(scene.clone());
    }
    let mut stricter = scene.clone();
    for rod in &mut stricter.rods {
        if let Resolution::Tolerance(relative) = rod.discretization.resolution_mut() {
            *relative *= MOTION_MARGIN;
        }
    }
    // What has no equilibrium nearby moves all the same, and is not looked at for long.
    let options = StaticOptions {
        eigenvalue: false,
        look_back: false,
        max_iterations: MOST_ITERATIONS,
        ..StaticOptions::default()
    };
    // What floats, as a rod that is dropped, has none; on a floor it could lie anywhere.
    let grid = match scene.floating().is_some() {
        true => division::starting(&stricter, division::FIRST_SPANS),
        false => solve(&stricter, &options, observer)?.scene,
    };
    let mut divided = scene.clone();
    for (index, rod) in divided.rods.iter_mut().enumerate() {
        if division::is_open(&scene.rods[index]) {
            let found = grid.rod_knots(index)?.lines();
            let most = rod.starting_knots(&scene.rod_jumps(index), 2 * least.max(division::FIRST_SPANS));
            let inner = found[1..found.len() - 1].to_vec();
            *rod.discretization.resolution_mut() =
                Resolution::Knots(if inner.len() < most.len() { most } else { inner });
        }
    }
    Ok(divided)
}
