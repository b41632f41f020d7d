//! Following a branch of equilibria along a course of inputs, from t = 0 to 1.
//!
//! ```text
//! predictor   K δ = −Σ dR/du Δu          the tangent of the branch, from the columns of the inputs
//! corrector   plain Newton                must contract
//! ```
//!
//! A step that does not is taken again, shorter; its length is chosen by the contraction that was seen. A point counts as
//! one of the branch only if the tangents at both ends say the same of the way between, and if it has as many negative
//! directions as its predecessor. So whatever interrupts a branch is
//! noticed, and then located:
//!
//! - where the number changes, on both sides of the place, by the eigenvalue that passes through zero;
//! - where nothing is found beyond, by the eigenvalue nearest to zero on the way there. At a fold it goes to zero as the
//!   square root of what is left, along a motion that what is driven pushes. Only what is seen to do so is called a fold.

use crate::corrector::{Correction, KINK};
use crate::driver::Driver;
use crate::event::{EventKind, end_of_branch, shown_fold};
use crate::newton::{LARGEST_INCREMENT, LARGEST_TURN, NEUTRAL_SHIFT};
use crate::{divergence, stability};
use lissome_lie::Twist;
use lissome_mech::{CurvatureOf, Inputs, State, Step};

/// An equilibrium on the way.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub t: f64,
    pub state: State,
    pub inputs: Inputs,
    /// Directions in which the potential falls, or motions that diverge.
    pub negative: usize,
}

/// What was found to interrupt a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interruption {
    pub kind: EventKind,
    pub t: f64,
    pub place: Option<(usize, f64)>,
}

/// How a part of the way ended.
// One lives at a time, and only for a moment: a box would gain nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(crate) enum Arrival {
    /// At t = 1, on the same branch.
    Reached(Point),
    /// At the last point of the branch; with a point beyond if the branch goes on with another stability.
    Interrupted { last: Point, beyond: Option<Point>, by: Interruption },
    /// Too many iterations, or the observer asked to stop.
    GivenUp(Point),
}

/// One step along a branch.
// One lives at a time, and only for a moment: a box would gain nothing.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Attempt {
    Arrived { point: Point, contraction: f64 },
    Refused { contraction: f64 },
    Stopped,
}

/// How much two tangents in a row may differ, and how far the way between two points may be from their mean, in parts of the
/// larger tangent and of the way.
pub(crate) const LARGEST_BEND: f64 = 0.85;
pub(crate) const LARGEST_ERROR: f64 = 0.25;
/// The contraction that steps aim at, and how much longer or shorter the next may be. The first correction grows with the
/// square of the step's length and the contraction with the correction, hence the root.
const AIM: f64 = 0.3;
const GROWTH: (f64, f64) = (0.5, 3.0);
const SHRINKAGE: (f64, f64) = (0.1, 0.5);
/// Part of the way to the estimated end of a branch that a step may go: the eigenvalue halves.
const TOWARD_END: f64 = 0.75;
/// Refusals in a row from which on the end of the branch is looked for.
const SUSPICIOUS: usize = 2;
/// Steps in a row below the tolerance of events after which the branch must lead on by that much, or is lost there.
const MOST_CREEPING: usize = 12;
/// Trials that locate a change of stability.
const LOCATING: usize = 24;
/// Trials that follow a branch past a change of stability that is not its own, and their shortest step in tolerances: an
/// imperfection ε turns a branch within ε^(2/3) of the critical load.
const MOST_BESIDE: usize = 60;
const FINEST: f64 = 1.0 / 64.0;
/// A tangent at least this much along the motion that nothing resists is pushed there by what is driven: a fold. At a
/// bifurcation it is not.
const PUSHED: f64 = 0.5;
/// An eigenvalue that jumps by more than this part of what it changes in all has not passed through zero.
const JUMP: f64 = 0.2;

pub(crate) struct Continuation<'d, 'a> {
    pub driver: &'d mut Driver<'a>,
    /// What acts on the way.
    pub course: &'d dyn Fn(f64) -> Inputs,
    /// Events are located to this, in t.
    pub tolerance: f64,
    /// Without a potential: count motions that diverge at every point. With one they are always counted.
    pub judged: bool,
    /// Gives up when the history is this long.
    pub limit: usize,
    /// Steps that were taken.
    pub steps: usize,
}

impl Continuation<'_, '_> {
    /// An equilibrium as a point of the way; `None` if its tangent is singular.
    pub fn point(&mut self, t: f64, state: State, inputs: Inputs) -> Option<Point> {
        let negative = self.count(&state, &inputs)?;
        Some(Point { t, state, inputs, negative })
    }

    pub fn count(&mut self, state: &State, inputs: &Inputs) -> Option<usize> {
        let Driver { system, work, .. } = self.driver;
        if system.is_conservative() {
            system.assemble(state, inputs, CurvatureOf::Increments, work);
            system.shift_to(NEUTRAL_SHIFT, work);
            let inertia = system.factor(work).ok().flatten()?;
            return Some(inertia.negative.saturating_sub(system.negative_pivots()) + inertia.zero);
        }
        if !self.judged || !system.has_separate_elasticity() {
            return Some(0);
        }
        Some(divergence::diverging(&divergence::eigenvalues(system, state, inputs, work)?))
    }

    /// From a point to the end of the way. `step` is how far to go at first, and then what turned out to be right.
    pub fn advance(&mut self, from: Point, step: &mut f64) -> Arrival {
        let mut at = from;
        // The nearest place that could not be reached, and the eigenvalue nearest to zero on the way there.
        let mut failed: Option<f64> = None;
        let (mut refusals, mut creeping) = (0, 0);
        let mut track: Vec<(f64, f64)> = Vec::new();
        while at.t < 1.0 {
            if self.driver.history.len() >= self.limit {
                return Arrival::GivenUp(at);
            }
            // No crumbs at the end of the way.
            let target = if at.t + 1.01 * *step >= 1.0 { 1.0 } else { at.t + *step };
            match self.attempt(&at, target) {
                Attempt::Stopped => return Arrival::GivenUp(at),
                Attempt::Arrived { point, .. } if point.negative != at.negative => {
                    let located = self.locate_change(at, point);
                    let Arrival::Interrupted { last, beyond: Some(beyond), by } = located else { return located };
                    match self.goes_on_beside(&last, &beyond) {
                        Some(point) => {
                            self.steps += 1;
                            at = point;
                            (*step, failed, refusals, creeping) = (self.tolerance, None, 0, 0);
                            track.clear();
                            continue;
                        }
                        None => return Arrival::Interrupted { last, beyond: Some(beyond), by },
                    }
                }
                Attempt::Arrived { point, contraction } => {
                    *step = (target - at.t) * scaled(contraction, GROWTH);
                    at = point;
                    self.steps += 1;
                    refusals = 0;
                    if failed.is_some_and(|failed| at.t >= failed) {
                        failed = None;
                        track.clear();
                    }
                }
                Attempt::Refused { contraction } => {
                    *step = (target - at.t) * scaled(contraction, SHRINKAGE);
                    failed = Some(target);
                    refusals += 1;
                }
            }
            // Towards an end steps become ever shorter, and need not be refused for it.
            creeping = if *step < self.tolerance { creeping + 1 } else { 0 };
            if failed.is_none() && creeping == 0 {
                track.clear();
                continue;
            }
            // A single step that was too long means nothing.
            if refusals < SUSPICIOUS && track.is_empty() && creeping == 0 {
                continue;
            }
            if creeping > MOST_CREEPING {
                match self.attempt(&at, (at.t + 2.0 * self.tolerance).min(1.0)) {
                    Attempt::Stopped => return Arrival::GivenUp(at),
                    Attempt::Arrived { point, .. } if point.negative == at.negative => {
                        at = point;
                        self.steps += 1;
                        (*step, failed, refusals, creeping) = (self.tolerance, None, 0, 0);
                        track.clear();
                        continue;
                    }
                    _ => {
                        let by = Interruption { kind: EventKind::Snap, t: at.t, place: None };
                        return Arrival::Interrupted { last: at, beyond: None, by };
                    }
                }
            }
            if track.last().is_none_or(|(t, _)| *t != at.t)
                && let Some(eigenvalue) = self.critical_eigenvalue(&at)
            {
                track.push((at.t, eigenvalue));
            }
            match end_of_branch(&track) {
                Some(end) if end - at.t < self.tolerance => match shown_fold(&track, self.tolerance) {
                    // The last word has the branch itself: nothing of it is found beyond.
                    Some(fold) => match self.attempt(&at, (fold + 2.0 * self.tolerance).min(1.0)) {
                        Attempt::Arrived { point, .. } if point.negative == at.negative => {
                            at = point;
                            failed = None;
                            track.clear();
                        }
                        _ => return self.interrupted_by_fold(at, fold),
                    },
                    None if creeping == 0 => {
                        track.drain(..track.len() - 1);
                        *step = step.min(4.0 * self.tolerance);
                    }
                    None => {}
                },
                Some(end) => *step = step.min(TOWARD_END * (end - at.t)),
                None => {}
            }
            if let Some(beyond) = failed.filter(|beyond| refusals >= SUSPICIOUS && beyond - at.t < self.tolerance) {
                let by = Interruption { kind: EventKind::Snap, t: 0.5 * (at.t + beyond), place: None };
                return Arrival::Interrupted { last: at, beyond: None, by };
            }
        }
        Arrival::Reached(at)
    }

    /// Along the tangent and back to the branch.
    pub fn attempt(&mut self, from: &Point, t: f64) -> Attempt {
        const LOST: Attempt = Attempt::Refused { contraction: f64::INFINITY };
        let inputs = (self.course)(t);
        let Some((mut state, forward)) = self.predict(from, &inputs) else { return LOST };
        let contraction = match self.driver.correct(&mut state, &inputs) {
            Correction::Stopped => return Attempt::Stopped,
            Correction::Refused { contraction } => return Attempt::Refused { contraction },
            Correction::Converged { contraction } => contraction,
        };
        let Some(backward) = self.tangent(&state, &inputs, &from.inputs) else { return LOST };
        if !self.is_smooth((&from.state, &forward), (&state, &backward)) {
            return Attempt::Refused { contraction: contraction.max(AIM / SHRINKAGE.1.powi(2)) };
        }
        match self.point(t, state, inputs) {
            Some(point) => Attempt::Arrived { point, contraction },
            None => LOST,
        }
    }

    /// What a change of the inputs would do to an equilibrium, to first order. It stays in the workspace as the last step. `None` where the tangent is singular.
    pub fn tangent(&mut self, state: &State, at: &Inputs, to: &Inputs) -> Option<Step> {
        let Driver { system, work, .. } = self.driver;
        system.assemble(state, at, CurvatureOf::Increments, work);
        system.shift_to(NEUTRAL_SHIFT, work);
        system.factor(work).ok()?;
        system.assemble_input_change(state, at, to, work);
        system.solve_input_change(state, work);
        Some(work.step().clone())
    }

    /// The point on the tangent, and the motion that leads there.
    pub fn predict(&mut self, from: &Point, to: &Inputs) -> Option<(State, Step)> {
        let forward = self.tangent(&from.state, &from.inputs, to)?;
        let Driver { system, work, .. } = self.driver;
        let turns = system.increment_turn(work) <= LARGEST_TURN;
        let finite = system.step_size(work).is_finite();
        if !finite || !turns || system.longest_fraction(LARGEST_INCREMENT, work) < 1.0 {
            return None;
        }
        let mut moved = from.state.clone();
        system.drive(to, &mut moved);
        let mut state = moved.clone();
        system.retract_increments(&moved, 1.0, work, &mut state);
        state.is_finite().then_some((state, forward))
    }

    /// True if the way from one equilibrium to another is what the tangents at both ends say: the tangents resemble each
    /// other, and their mean leads from the one to the other (the trapezoidal rule). Where a branch was left for another they
    /// say nothing of the way between the two.
    pub fn is_smooth(&self, (from, forward): (&State, &Step), (to, backward): (&State, &Step)) -> bool {
        let length = self.driver.system.scales().length;
        let size = |v: &Twist| v.angular.norm().max(v.linear.norm() / length);
        let (mut way, mut bend, mut off, mut tangent) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for (((a, b), f), back) in from.poses.iter().zip(&to.poses).zip(&forward.poses).zip(&backward.poses) {
            let between = b.boxminus(a);
            way = way.max(size(&between));
            bend = bend.max(size(&(*f + *back)));
            off = off.max(size(&(between - (*f - *back) * 0.5)));
            tangent = tangent.max(size(f)).max(size(back));
        }
        bend <= KINK.max(LARGEST_BEND * tangent) && off <= KINK.max(LARGEST_ERROR * way)
    }

    fn critical_eigenvalue(&mut self, at: &Point) -> Option<f64> {
        self.eigenvalue_nearest_to_zero(&at.state, &at.inputs, at.negative)
    }

    /// The eigenvalue nearest to zero, neutral turns left out, where `negative` are below zero.
    pub fn eigenvalue_nearest_to_zero(&mut self, state: &State, inputs: &Inputs, negative: usize) -> Option<f64> {
        let Driver { system, work, .. } = self.driver;
        if system.is_conservative() {
            return Some(stability::critical_mode(system, state, inputs, negative, work)?.eigenvalue);
        }
        if !system.has_separate_elasticity() {
            return None;
        }
        let real = divergence::eigenvalues(system, state, inputs, work)?;
        real.into_iter().filter(|real| real.abs() > divergence::NEUTRAL).min_by(|a, b| a.abs().total_cmp(&b.abs()))
    }

    /// At the end of a branch: is the motion that nothing resists pushed by what is driven?
    fn interrupted_by_fold(&mut self, last: Point, t: f64) -> Arrival {
        let ahead = (self.course)((last.t + self.tolerance).min(1.0));
        let Driver { system, work, .. } = self.driver;
        let mode = match system.is_conservative() {
            true => stability::critical_mode(system, &last.state, &last.inputs, last.negative, work),
            false => None,
        };
        let place = mode.as_ref().and_then(|mode| stability::largest_motion(system, &mode.direction, work));
        let pushed = mode.is_none_or(|mode| {
            self.predict(&last, &ahead).is_none()
                || stability::alignment(self.driver.system, self.driver.work.step(), &mode.direction).abs() > PUSHED
        });
        let kind = if pushed { EventKind::Fold } else { EventKind::Snap };
        Arrival::Interrupted { last, beyond: None, by: Interruption { kind, t, place } }
    }

    /// Where a step ended with more negative directions: does the branch go on without them? A slightly imperfect robot turns
    /// away from the way of the perfect one so sharply that a long step lands on the other side. Steps are halved until they
    /// stay on the branch; it is shown to go on by a point that lies as far as the one that was found beyond.
    fn goes_on_beside(&mut self, last: &Point, beyond: &Point) -> Option<Point> {
        if beyond.negative <= last.negative {
            return None;
        }
        let mut at = last.clone();
        let mut step = 0.5 * (beyond.t - last.t);
        for _ in 0..MOST_BESIDE {
            if step < FINEST * self.tolerance || self.driver.history.len() >= self.limit {
                return None;
            }
            match self.attempt(&at, (at.t + step).min(1.0)) {
                Attempt::Stopped => return None,
                Attempt::Arrived { point, .. } if point.negative == last.negative => {
                    at = point;
                    step *= 1.5;
                    if at.t >= beyond.t {
                        return Some(at);
                    }
                }
                Attempt::Arrived { .. } | Attempt::Refused { .. } => step *= 0.5,
            }
        }
        None
    }

    /// Between two points of different stability: where it changes.
    fn locate_change(&mut self, mut last: Point, mut beyond: Point) -> Arrival {
        let (mut low, mut high) = (self.critical_eigenvalue(&last), self.critical_eigenvalue(&beyond));
        let in_all = low.zip(high).map(|(low, high)| (low - high).abs());
        let mut estimate: Option<f64> = None;
        let mut reach = 1.0;
        for _ in 0..LOCATING {
            let width = beyond.t - last.t;
            if width < self.tolerance {
                break;
            }
            let secant = low.zip(high).filter(|(low, high)| low * high < 0.0).map(|(low, high)| low / (low - high));
            let next = last.t + width * secant.unwrap_or(0.5);
            if secant.is_some() && estimate.is_some_and(|before| (next - before).abs() < 0.25 * self.tolerance) {
                estimate = Some(next);
                break;
            }
            estimate = secant.map(|_| next);
            // Not onto the singular point itself but beside it, on the far side from the nearer end.
            let part = secant.map_or(0.5, |at| if at < 0.5 { at + 0.1 } else { at - 0.1 }) * reach;
            match self.attempt(&last, last.t + width * part) {
                Attempt::Stopped => return Arrival::GivenUp(last),
                Attempt::Refused { .. } => reach *= 0.5,
                Attempt::Arrived { point, .. } => {
                    reach = 1.0;
                    let eigenvalue = self.critical_eigenvalue(&point);
                    if point.negative == last.negative {
                        (last, low) = (point, eigenvalue);
                    } else {
                        (beyond, high) = (point, eigenvalue);
                    }
                }
            }
        }
        let left = low.zip(high).map(|(low, high)| (low - high).abs());
        let passes = match (left, in_all) {
            (Some(left), Some(in_all)) => left <= JUMP * in_all || estimate.is_some(),
            // Nothing to judge by but the number itself.
            _ => true,
        };
        let kind = if passes { EventKind::Bifurcation } else { EventKind::Snap };
        let Driver { system, work, .. } = self.driver;
        let mode = match system.is_conservative() {
            true => stability::critical_mode(system, &last.state, &last.inputs, last.negative, work),
            false => None,
        };
        let place = mode.and_then(|mode| stability::largest_motion(system, &mode.direction, work));
        let t = estimate.unwrap_or(0.5 * (last.t + beyond.t));
        Arrival::Interrupted { last, beyond: Some(beyond), by: Interruption { kind, t, place } }
    }
}

/// The factor on a step that brings the contraction to the one aimed at, within bounds.
fn scaled(contraction: f64, (least, most): (f64, f64)) -> f64 {
    (AIM / contraction).sqrt().clamp(least, most)
}
