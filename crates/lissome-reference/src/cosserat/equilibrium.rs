//! The doors: from a scene to an equilibrium.

use super::CosseratSolution;
use super::equations::{SectionState, carry, turn_between};
use super::newton::{Closed, End, Globalisation, Stage};
use super::scaled_rod::{ScaledRod, Segment};
use crate::OracleError;
use crate::quaternion::Quaternion;
use lissome_lie::{Pose, Wrench};
use lissome_model::Scene;
use nalgebra::Vector3;

/// Where the search starts.
#[derive(Clone, Copy)]
pub enum Guess<'a> {
    /// Internal wrench in world axes at arc length s; the shape is integrated from the held end.
    Stress(&'a dyn Fn(f64) -> Wrench),
    /// World pose and internal wrench in world axes at arc length s.
    Shape(&'a dyn Fn(f64) -> Pose, &'a dyn Fn(f64) -> Wrench),
}

/// Load steps shorter than this are taken if they can be: a bifurcation is crossed. If they cannot, the path ends in a
/// fold.
const SHORTEST_LOAD_STEP: f64 = 1e-6;
/// No section may turn by more than this in one load step, rad.
const LARGEST_TURN: f64 = 1.0;
/// Growth of the load step after a step that contracted.
const LOAD_STEP_GROWTH: f64 = 2.0;
/// Midpoint steps per segment when a guessed stress is turned into a shape; a guess needs no more.
const GUESS_STEPS: usize = 16;

/// Equilibrium of a rod held at one end. Without a guess, the loads grow from zero and the equilibrium is followed,
/// which gives the branch that the unloaded rod belongs to.
pub fn solve_cantilever(scene: &Scene, rod: usize, guess: Option<Guess>) -> Result<CosseratSolution, OracleError> {
    solve(scene, rod, guess, 1)
}

/// Equilibrium of a rod held at both ends. Without a guess, the tip is led from where the natural shape has it to
/// where it is held while the loads grow; if that path meets a bifurcation, a guess is needed.
pub fn solve_clamped(scene: &Scene, rod: usize, guess: Option<Guess>) -> Result<CosseratSolution, OracleError> {
    solve(scene, rod, guess, 2)
}

/// The exact equilibrium nearest to a computed one, given by its internal wrench in world axes. Quadratic if the given
/// state is near one. For tests that doubt a computed branch: a guess of the ends alone may lead to another.
pub fn verify(scene: &Scene, rod: usize, stress_at: &dyn Fn(f64) -> Wrench) -> Result<CosseratSolution, OracleError> {
    let scaled = ScaledRod::new(scene, rod)?;
    let need = scaled.held_ends();
    solve(scene, rod, Some(Guess::Stress(stress_at)), need)
}

fn solve(scene: &Scene, rod: usize, guess: Option<Guess>, need: usize) -> Result<CosseratSolution, OracleError> {
    let rod = ScaledRod::new(scene, rod)?;
    let held_ends = rod.held_ends();
    if held_ends != need {
        return Err(OracleError::WrongSupports { rod: rod.name().into(), held_ends, need });
    }
    let closed = match guess {
        Some(guess) => {
            let start = cuts_of_guess(&rod, guess)?;
            stage(&rod, &start, 1.0).solve(start.clone(), Globalisation::Search)?
        }
        None => follow_load(&rod)?,
    };
    Ok(CosseratSolution::new(rod, closed))
}

/// Raises the load factor from 0 to 1. A step is as long as Newton's method contracts at once, no section turns far, and
/// the number of negative directions stays: two branches that nearly meet differ in it, so that a jump between them is
/// noticed and the step shortened. Where it changes however short the step, the path itself has crossed a bifurcation.
fn follow_load(rod: &ScaledRod) -> Result<Closed, OracleError> {
    let natural = natural_cuts(rod)?;
    let mut closed = Closed { cuts: natural.clone(), residual: 0.0 };
    let mut index = stage(rod, &natural, 0.0).negative_directions(&natural)?;
    let (mut factor, mut step) = (0.0, 1.0);
    while factor < 1.0 {
        let next = f64::min(factor + step, 1.0);
        let at_next = stage(rod, &natural, next);
        let found = at_next.solve(closed.cuts.clone(), Globalisation::Follow).and_then(|found| {
            let index = at_next.negative_directions(&found.cuts)?;
            Ok((found, index))
        });
        let shortest = step < SHORTEST_LOAD_STEP;
        match found {
            Ok((found, found_index))
                if shortest || (found_index == index && largest_turn(&closed.cuts, &found.cuts) < LARGEST_TURN) =>
            {
                closed = found;
                index = found_index;
                factor = next;
                step *= LOAD_STEP_GROWTH;
            }
            Err(error) if shortest => return Err(error),
            _ => step *= 0.5,
        }
    }
    Ok(closed)
}

/// The largest angle by which a cut has turned.
fn largest_turn(before: &[SectionState], after: &[SectionState]) -> f64 {
    before.iter().zip(after).map(|(a, b)| turn_between(&a.q, &b.q).norm()).fold(0.0, f64::max)
}

/// The problem at a load factor. A rod held at both ends has its tip led from `natural`'s tip to the held pose: the
/// position in a straight line, the rotation about a fixed axis.
fn stage<'a>(rod: &'a ScaledRod, natural: &[SectionState], load_factor: f64) -> Stage<'a> {
    let base = rod.base().map_or(End::Free, End::Held);
    let tip = match (rod.tip(), natural.last()) {
        (Some(held), Some(free)) if rod.base().is_some() && load_factor < 1.0 => {
            let turn = Quaternion::from_rotation(&held.rotation).times(free.q.conjugate()).rotation_vector();
            let q = Quaternion::from_rotation_vector(&(turn * load_factor)).times(free.q);
            End::Held(Pose::new(q.to_rotation(), free.p + (held.position - free.p) * load_factor))
        }
        (Some(held), _) => End::Held(held),
        (None, _) => End::Free,
    };
    Stage { rod, load_factor, base, tip }
}

/// Cuts of the unloaded rod, from the held end (the base if both are).
fn natural_cuts(rod: &ScaledRod) -> Result<Vec<SectionState>, OracleError> {
    march(rod, |segment, state, forward| {
        let (from, to) = if forward { (segment.from, segment.to) } else { (segment.to, segment.from) };
        carry(rod, segment, 0.0, state, from, to)
    })
}

/// Takes a state from the held end across every segment.
fn march(
    rod: &ScaledRod,
    cross: impl Fn(&Segment, &SectionState, bool) -> Result<SectionState, OracleError>,
) -> Result<Vec<SectionState>, OracleError> {
    let forward = rod.base().is_some();
    let held = rod.base().or(rod.tip()).unwrap_or_default();
    let mut cuts = vec![SectionState::new(&held, &Wrench::zero())];
    let crossed = |cuts: &mut Vec<SectionState>, segment: &Segment| -> Result<(), OracleError> {
        let next = cross(segment, &cuts[cuts.len() - 1], forward)?;
        cuts.push(next);
        Ok(())
    };
    if forward {
        rod.segments.iter().try_for_each(|x| crossed(&mut cuts, x))?;
    } else {
        rod.segments.iter().rev().try_for_each(|x| crossed(&mut cuts, x))?;
        cuts.reverse();
    }
    Ok(cuts)
}

fn cuts_of_guess(rod: &ScaledRod, guess: Guess) -> Result<Vec<SectionState>, OracleError> {
    let l = rod.length;
    let stress = |stress_at: &dyn Fn(f64) -> Wrench, s: f64| rod.scale_wrench(&stress_at(s * l));
    let mut cuts = match guess {
        Guess::Shape(pose_at, stress_at) => rod
            .cuts()
            .iter()
            .map(|s| SectionState::new(&rod.scale_pose(&pose_at(s * l)), &stress(stress_at, *s)))
            .collect(),
        Guess::Stress(stress_at) => {
            let mut cuts = march(rod, |segment, state, forward| {
                Ok(shape_of_stress(rod, segment, state, forward, &|s| stress(stress_at, s)))
            })?;
            for (cut, s) in cuts.iter_mut().zip(rod.cuts()) {
                let w = stress(stress_at, s);
                (cut.m, cut.n) = (w.moment, w.force);
            }
            cuts
        }
    };
    if rod.tip().is_none()
        && let Some(tip) = cuts.last_mut()
    {
        // Beyond its load a free tip carries nothing.
        (tip.m, tip.n) = (Vector3::zeros(), Vector3::zeros());
    }
    Ok(cuts)
}

/// Shape over one segment under a given stress, by explicit midpoint steps: the stress may be rough.
fn shape_of_stress(
    rod: &ScaledRod,
    segment: &Segment,
    start: &SectionState,
    forward: bool,
    stress: &dyn Fn(f64) -> Wrench,
) -> SectionState {
    let length = segment.to - segment.from;
    let (begin, h) = if forward { (segment.from, length) } else { (segment.to, -length) };
    let h = h / GUESS_STEPS as f64;
    let advance = |state: &SectionState, from: &SectionState, s: f64, h: f64| {
        let w = stress(s);
        let loaded = SectionState { m: w.moment, n: w.force, ..*state };
        let strain = loaded.strain(&rod.section(segment, s));
        SectionState {
            q: from.q.times(Quaternion::from_rotation_vector(&(strain.curvature * h))).normalized(),
            p: from.p + state.q.matrix() * strain.stretch * h,
            ..*from
        }
    };
    let mut state = *start;
    for i in 0..GUESS_STEPS {
        let s = begin + h * i as f64;
        let middle = advance(&state, &state, s, 0.5 * h);
        state = advance(&middle, &state, s + 0.5 * h, h);
    }
    state
}
