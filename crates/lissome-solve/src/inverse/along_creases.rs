//! Nearest points on creases: where the derivatives of the outputs by the drives jump.
//!
//! Places of tubes that pass each other, or leave the guide, divide the drives into regions. Outputs are continuous, and smooth within each
//! region; between two of them lies a *crease*, on which a combination of the drives vanishes. Where both sides call the drives to the crease the nearest
//! point lies on it, and a search that knows the derivatives of one side comes to rest near it, short of the best along it. Here the crease is held
//! instead: along it all is smooth. What is nearest there is a nearest point if neither side leads off.

use super::linear::{Memory, linearise};
use super::model::Model;
use super::search::seek_along;
use super::stepping::drives_of;
use super::{Crease, End, Found, Memories, Posture, Problem};
use crate::newton::Iteration;
use crate::statics::{self, StaticOptions};
use std::sync::Arc;

/// Creases are looked at that are nearer than this to where a search ended, in units of the drives.
const CLOSE: f64 = 0.05;
/// Creases that are held and let go again, one after another.
const MOST: usize = 12;
/// Rounds of each search along a crease.
const MOST_ROUNDS: usize = 60;
/// A point is nearer if the gaps are smaller by this part, in the root of the sum of their squares.
const NEARER: f64 = 1.0 - 1e-9;
/// A side leads off if a step there promises this part of the square of the gaps, and leaves the crease by so many of its widths.
const LEADS_OFF: f64 = 1e-9;
const WIDTHS: f64 = 10.0;

/// What a search found, made nearer along the creases that it came to rest beside.
pub(super) fn settled_on_creases(
    mut best: Found,
    problem: &Problem<'_>,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Found {
    let brief = Problem { max_iterations: problem.max_iterations.min(MOST_ROUNDS), ..*problem };
    let (mut held, mut spent) = (Vec::<Crease>::new(), std::mem::take(&mut best.history));
    for _ in 0..MOST {
        let next = onto_another(&best, &held, &brief, &mut spent, observer)
            .or_else(|| off_one(&best, &held, &brief, &mut spent, observer));
        let Some((found, along)) = next else { break };
        (best, held) = (found, along);
        if !matches!(best.end, End::Nearest | End::BranchEnds | End::Unfinished) {
            break;
        }
    }
    Found { iterations: spent.len(), history: spent, ..best }
}

/// A nearer point on one more crease, the closest first, with the creases that it lies on.
fn onto_another(
    best: &Found,
    held: &[Crease],
    problem: &Problem<'_>,
    spent: &mut Vec<Iteration>,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Option<(Found, Vec<Crease>)> {
    let drives = drives_of(&best.posture, problem.unknowns);
    let off = |crease: &Crease| crease.row(&drives, problem.unknowns).1.abs();
    let mut close: Vec<&Crease> =
        problem.creases.iter().filter(|own| !held.contains(own) && off(own) < CLOSE).collect();
    close.sort_by(|a, b| off(a).total_cmp(&off(b)));
    for crease in close {
        let mut along = held.to_vec();
        along.push(crease.clone());
        let mut there = drives.clone();
        along.iter().for_each(|own| own.bring(&mut there, 0.0, problem.unknowns));
        let Some(begin) = placed(&best.posture, &there, problem) else { continue };
        let mut found = seek_along(&mut Memories::of(&begin), &begin, problem, observer, &along);
        spent.append(&mut found.history);
        // Of the same point it is better to know that it is one.
        let proves =
            found.end == End::Nearest && best.end != End::Nearest && found.misfit <= best.misfit * (2.0 - NEARER);
        if found.end == End::Stopped || is_nearer(&found, best) || (proves && found.negative == best.negative) {
            return Some((found, along));
        }
    }
    None
}

/// A nearer point to one side of a crease that is held, with those that are left.
fn off_one(
    best: &Found,
    held: &[Crease],
    problem: &Problem<'_>,
    spent: &mut Vec<Iteration>,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Option<(Found, Vec<Crease>)> {
    for (k, crease) in held.iter().enumerate() {
        let mut along = held.to_vec();
        along.remove(k);
        for side in [1.0, -1.0] {
            let mut drives = drives_of(&best.posture, problem.unknowns);
            crease.bring(&mut drives, side * crease.width, problem.unknowns);
            let Some(begin) = placed(&best.posture, &drives, problem) else { continue };
            let Some(at) = linearise(begin.clone(), problem, &mut Memory::of(&begin)) else { continue };
            let mut model = Model::new(problem.unknowns, &along);
            model.see(&at.jacobian);
            let (step, _) = model.toward(&at.jacobian, &at.gap, &drives, problem, (0.0, 1.0));
            let left = (&at.gap + &at.jacobian * &step).norm_squared();
            let leaves = side * crease.normal(problem.unknowns).dot(&step);
            if leaves < WIDTHS * crease.width || left > (1.0 - LEADS_OFF) * at.gap.norm_squared() {
                continue;
            }
            let mut found = seek_along(&mut Memories::of(&begin), &begin, problem, observer, &along);
            spent.append(&mut found.history);
            if found.end == End::Stopped || is_nearer(&found, best) {
                return Some((found, along));
            }
        }
    }
    None
}

fn is_nearer(found: &Found, than: &Found) -> bool {
    found.misfit < NEARER * than.misfit && found.negative == than.negative
}

/// The equilibrium under other drives close by.
fn placed(from: &Posture, drives: &[f64], problem: &Problem<'_>) -> Option<Posture> {
    let mut inputs = from.inputs.clone();
    problem.unknowns.iter().zip(drives).for_each(|(own, value)| inputs.set(own.input, *value));
    let system = (problem.renew?)(&from.system, &inputs)?;
    let start = system.carried_state(&from.system, &from.state, &inputs);
    let options = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::default() };
    let found = statics::solve(&system, &start, &inputs, &options, &mut system.workspace(), &mut |_| true);
    let there = found.outcome.converged() && found.outcome.events.is_empty();
    there.then(|| Posture { system: Arc::new(system), state: found.state, inputs })
}
