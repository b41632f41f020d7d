//! Other ways to the targets: gaps have more than one minimum, and the first one found need not be the least.
//!
//! Drives often reach a place from two sides of a fold of the map from drives to outputs: legs that lean forward and legs that
//! lean back lower a platform alike. There the map is flat along one combination of the drives. A search that ended short of
//! its targets is begun again some way along the flattest combinations, both ways, then from drives spread evenly around it, and the
//! nearest end of all is kept.

use super::along_creases::settled_on_creases;
use super::{End, Found, Memories, Posture, Problem, TARGET_TOLERANCE, search};
use crate::newton::Iteration;
use crate::path;
use crate::statics::StaticOptions;
use lissome_mech::Input;
use nalgebra::DVector;

/// How far, in units of the drives.
const AWAY: [f64; 3] = [0.1, 0.3, 0.7];
/// Along how many combinations.
const COMBINATIONS: usize = 2;
/// Beginnings around the first end, and how far from it each drive goes at most, in its unit.
const SPREAD: usize = 24;
const WIDTH: f64 = 0.35;
/// Rounds of each.
const MOST_ROUNDS: usize = 60;
/// Another end is nearer if it is by this part.
const NEARER: f64 = 1.0 - 1e-6;

/// The same as [`super::solve_with`], and from other sides where that ends short of the targets.
pub fn solve_widely(
    memories: &mut Memories,
    start: &Posture,
    problem: &Problem<'_>,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Found {
    let mut best = search::seek(memories, start, problem, observer, true);
    if !short_of_targets(&best) || best.jacobian.nrows() == 0 {
        return best;
    }
    let flat = flattest(&best);
    let brief = Problem { max_iterations: problem.max_iterations.min(MOST_ROUNDS), ..*problem };
    let from = best.posture.clone();
    let mut spent = std::mem::take(&mut best.history);
    let along = flat.iter().flat_map(|own| AWAY.into_iter().flat_map(move |size| [own * -size, own * size]));
    let around = (1..=SPREAD).map(|k| spread(k, problem.unknowns.len()));
    for displacement in along.chain(around) {
        let Some(begin) = away(&from, problem, &displacement) else { continue };
        let mut found = search::seek(&mut Memories::of(&begin), &begin, &brief, observer, true);
        spent.append(&mut found.history);
        if found.end == End::Stopped || (found.misfit < NEARER * best.misfit && found.negative == best.negative) {
            best = found;
        }
        if !short_of_targets(&best) {
            break;
        }
    }
    if best.end == End::Unfinished && best.jacobian.nrows() > 0 {
        best = search::solve(&best.posture, problem, observer);
        spent.append(&mut best.history);
    }
    best = with_all(best, spent);
    match problem.creases.is_empty() || !short_of_targets(&best) || best.jacobian.nrows() == 0 {
        true => best,
        false => settled_on_creases(best, problem, observer),
    }
}

/// The k-th of points that fill a box evenly: multiples of powers of 1/φ, φ the root of φ^(n+1) = φ + 1.
fn spread(k: usize, n: usize) -> DVector<f64> {
    let mut phi = 2.0_f64;
    for _ in 0..40 {
        phi = (1.0 + phi).powf(1.0 / (n as f64 + 1.0));
    }
    DVector::from_iterator(n, (1..=n).map(|j| WIDTH * (2.0 * (0.5 + k as f64 * phi.powi(-(j as i32))).fract() - 1.0)))
}

fn with_all(best: Found, history: Vec<Iteration>) -> Found {
    Found { iterations: history.len(), history, ..best }
}

fn short_of_targets(found: &Found) -> bool {
    matches!(found.end, End::Nearest | End::BranchEnds | End::Unfinished) && found.distance > TARGET_TOLERANCE
}

/// Combinations of drives that change the outputs least, the flattest first.
fn flattest(found: &Found) -> Vec<DVector<f64>> {
    let squared = found.jacobian.transpose() * &found.jacobian;
    let eigen = squared.symmetric_eigen();
    let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
    order.into_iter().take(COMBINATIONS).map(|k| eigen.eigenvectors.column(k).into_owned()).collect()
}

/// The equilibrium some way off, in units of the drives; tubes stay where they are pushed to. `None` if the way there
/// is not free.
fn away(from: &Posture, problem: &Problem<'_>, displacement: &DVector<f64>) -> Option<Posture> {
    let mut wanted = from.inputs.clone();
    for (own, part) in problem.unknowns.iter().zip(displacement.iter()) {
        if !matches!(own.input, Input::TubeInsertion { .. }) {
            let value = from.inputs.get(own.input) + part * own.unit;
            wanted.set(own.input, value.clamp(own.limits.0, own.limits.1));
        }
    }
    let options = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::default() };
    let mut work = from.system.workspace();
    let way = (&from.inputs, &wanted);
    let found = path::advance(&from.system, &from.state, way, &options, &mut work, &mut |_| true);
    let free = found.outcome.converged() && found.outcome.events.is_empty();
    free.then(|| Posture { system: from.system.clone(), state: found.state, inputs: wanted })
}
