//! Along a branch of equilibria by its own length, so that a fold is a point like any other.
//!
//! State s and parameter t are unknowns together, R(s, t) = 0. At a point of the branch with tangent (σ, τ), of unit length
//! in the mean of all poses (rotations in rad, positions over the length of the robot) and in t:
//!
//! ```text
//! predictor   s ⊞ hσ, t + hτ
//! corrector   x = −K⁻¹R,  y = −K⁻¹ ∂R/∂t,  Δt = −⟨σ, x⟩ / (τ + ⟨σ, y⟩),  s ← s ⊞ (x + Δt y)
//! ```
//!
//! The correction is normal to the tangent. K is singular at the fold only, where no point comes to lie.

use crate::continuation::{Continuation, Interruption, Point};
use crate::corrector::Correction;
use crate::driver::Driver;
use crate::event::EventKind;
use crate::newton::{Iteration, LARGEST_INCREMENT, LARGEST_TURN, NEUTRAL_SHIFT, ROUND_OFF_STEP, STEP_TOLERANCE};
use crate::stability;
use lissome_lie::Twist;
use lissome_mech::{CurvatureOf, Inputs, KeptStep, State, Step, System, Workspace};
use lissome_sparse::Inertia;

/// First, longest and shortest step.
pub(crate) const FIRST_STEP: f64 = 0.02;
const LONGEST_STEP: f64 = 0.5;
pub(crate) const SHORTEST_STEP: f64 = 1e-6;
/// Corrections at most, the ratio of two in a row at most, and the ratio of the first two that steps aim at.
const MOST_CORRECTIONS: usize = 7;
const LARGEST_CONTRACTION: f64 = 0.6;
pub(crate) const AIM: f64 = 0.2;
/// The cosine between two tangents in a row is at least this: a branch does not turn on the spot.
pub(crate) const STRAIGHT: f64 = 0.7;
/// ∂R/∂t is taken over this part of the way.
const DIFFERENCE: f64 = 1e-5;
/// Trials to meet the end of the way.
const LANDINGS: usize = 20;
/// What counts as near the end, in parts of the step that passes it.
const NEAR_END: f64 = 0.1;
/// A direction of which less than this part is left beside another is none of its own.
const NOTHING_LEFT: f64 = 1e-3;
/// A step that was refused is taken again, so much shorter.
pub(crate) const SHORTER: f64 = 0.4;

/// A point of the arc.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub state: State,
    pub inputs: Inputs,
    pub t: f64,
}

/// The tangent of a branch at a point.
#[derive(Clone, Debug)]
pub(crate) struct Tangent {
    pub step: Step,
    pub t: f64,
    /// What is moved along it, times a weight.
    motion: (f64, Motion),
}

/// A motion that can be taken again from where it was found.
#[derive(Clone, Debug)]
enum Motion {
    /// The answer of a factor, with stresses and reactions.
    Answer(KeptStep),
    /// Displacements alone: what they do to stresses and reactions is left to the correction.
    Displacements(Vec<f64>),
}

/// A point of the arc, its tangent, and the directions in which the potential falls.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    pub place: Place,
    pub tangent: Tangent,
    pub negative: usize,
}

/// What came of following a branch by its length.
pub(crate) struct Arc {
    /// The equilibrium at the end of the way; `None` if the branch does not lead there within the iterations left, or leads
    /// back to where t = 0.
    pub arrived: Option<Point>,
    /// The first fold on it: where t turned back.
    pub turned: Option<Interruption>,
}

/// What came of a step along the arc.
// One lives at a time, and only for a moment: a box would gain nothing.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Trial {
    Reached {
        place: Place,
        contraction: f64,
        /// Of the last factor, which is as near to the point as the last correction is short.
        tangent: Tangent,
        /// Negative pivots of the same factor beyond those of a stable equilibrium; `None` without a potential.
        negative: Option<usize>,
    },
    Refused,
    Stopped,
}

impl Continuation<'_, '_> {
    /// From a point along its branch, over folds, to the end of the way.
    pub fn follow_arc(&mut self, from: &Point) -> Arc {
        let mut arc = Arc { arrived: None, turned: None };
        arc.arrived = self.run_along_arc(from, &mut arc.turned);
        arc
    }

    fn run_along_arc(&mut self, from: &Point, turned: &mut Option<Interruption>) -> Option<Point> {
        let mut at = Place { state: from.state.clone(), inputs: from.inputs.clone(), t: from.t };
        let mut tangent = self.arc_tangent(&at, None)?;
        let mut length = FIRST_STEP;
        while self.driver.history.len() < self.limit && length > SHORTEST_STEP {
            let (reached, contraction) = match self.arc_step(&at, &tangent, length) {
                Trial::Stopped => return None,
                Trial::Refused => {
                    length *= SHORTER;
                    continue;
                }
                Trial::Reached { place, contraction, .. } => (place, contraction),
            };
            if reached.t <= 0.0 {
                return None;
            }
            if reached.t >= 1.0 {
                match self.arrive(&at, &tangent, (length, reached.t)) {
                    Some(point) => return Some(point),
                    None => length *= SHORTER,
                }
                continue;
            }
            let system = self.driver.system;
            match self.arc_tangent(&reached, Some(&tangent)) {
                Some(next) if dot(system, &next.step, &tangent.step) + next.t * tangent.t > STRAIGHT => {
                    if turned.is_none() && tangent.t > 0.0 && next.t < 0.0 {
                        // t(h) is a parabola with these slopes at both ends of the step.
                        let t = at.t + 0.5 * length * tangent.t * tangent.t / (tangent.t - next.t);
                        let place = stability::largest_motion_of(system, &next.step);
                        *turned = Some(Interruption { kind: EventKind::Fold, t, place });
                    }
                    (at, tangent) = (reached, next);
                    self.steps += 1;
                    length = (length * (AIM / contraction).sqrt().clamp(0.5, 2.0)).min(LONGEST_STEP);
                }
                _ => length *= SHORTER,
            }
        }
        None
    }

    /// Between a point and one beyond t = 1, at a given length of the step: the equilibrium at t = 1.
    fn arrive(&mut self, from: &Place, tangent: &Tangent, beyond: (f64, f64)) -> Option<Point> {
        let (mut short, mut long) = ((0.0, from.t), beyond);
        for _ in 0..LANDINGS {
            let part = ((1.0 - short.1) / (long.1 - short.1)).clamp(0.1, 0.9);
            let length = short.0 + (long.0 - short.0) * part;
            let Trial::Reached { place: near, .. } = self.arc_step(from, tangent, length) else { return None };
            if (near.t - 1.0).abs() < NEAR_END * (beyond.1 - from.t) {
                let inputs = (self.course)(1.0);
                let mut state = near.state.clone();
                self.driver.system.drive(&inputs, &mut state);
                if let Correction::Converged { .. } = self.driver.correct(&mut state, &inputs) {
                    return self.point(1.0, state, inputs);
                }
            }
            if near.t < 1.0 {
                short = (length, near.t);
            } else {
                long = (length, near.t);
            }
        }
        None
    }

    /// The tangent at an equilibrium, in the sense of an earlier one, or of growing t.
    pub fn arc_tangent(&mut self, at: &Place, earlier: Option<&Tangent>) -> Option<Tangent> {
        let Driver { system, work, .. } = self.driver;
        system.assemble(&at.state, &at.inputs, CurvatureOf::Increments, work);
        system.shift_to(NEUTRAL_SHIFT, work);
        system.factor(work).ok()?;
        system.assemble_input_change(&at.state, &at.inputs, &(self.course)(at.t + DIFFERENCE), work);
        system.solve_input_change(&at.state, work);
        Tangent::of_column(system, work.step(), KeptStep::of(work), earlier)
    }

    /// One step of a given length along the arc.
    pub fn arc_step(&mut self, from: &Place, tangent: &Tangent, length: f64) -> Trial {
        let course = self.course;
        let Driver { system, work, history, observer, .. } = self.driver;
        system.assemble(&from.state, &from.inputs, CurvatureOf::Increments, work);
        tangent.set_step(length, system, &from.state, work);
        if system.increment_turn(work) > LARGEST_TURN || system.longest_fraction(LARGEST_INCREMENT, work) < 1.0 {
            return Trial::Refused;
        }
        let mut at = from.clone();
        let mut driven = from.state.clone();
        at.t += length * tangent.t;
        at.inputs = course(at.t);
        system.drive(&at.inputs, &mut driven);
        system.retract_increments(&driven, 1.0, work, &mut at.state);
        let (mut previous, mut contraction) = (f64::INFINITY, 0.0);
        for k in 0..MOST_CORRECTIONS {
            system.refresh_dependent_stress(&mut at.state, work);
            let residual = system.assemble(&at.state, &at.inputs, CurvatureOf::Increments, work);
            system.shift_to(NEUTRAL_SHIFT, work);
            let Ok(inertia) = system.factor(work) else { return Trial::Refused };
            system.solve(&at.state, work);
            let (plain, along) = (KeptStep::of(work), dot(system, work.step(), &tangent.step));
            system.assemble_input_change(&at.state, &at.inputs, &course(at.t + DIFFERENCE), work);
            system.solve_input_change(&at.state, work);
            let (column, turned) = (KeptStep::of(work), dot(system, work.step(), &tangent.step) / DIFFERENCE);
            let along_inputs = work.step().clone();
            let change = -along / (tangent.t + turned);
            system.combine_steps(&[(1.0, &plain), (change / DIFFERENCE, &column)], &at.state, work);
            let size = system.step_size(work).max(change.abs());
            let turns =
                system.increment_turn(work) <= LARGEST_TURN && system.longest_fraction(LARGEST_INCREMENT, work) == 1.0;
            if !size.is_finite() || !turns {
                return Trial::Refused;
            }
            at.t += change;
            at.inputs = course(at.t);
            driven.clone_from(&at.state);
            system.drive(&at.inputs, &mut driven);
            system.retract_increments(&driven, 1.0, work, &mut at.state);
            let residual = residual.balance.max(residual.misfit);
            let load_factor = at.inputs.factor;
            let iteration = Iteration { load_factor, residual, step: size, fraction: 1.0, shift: 0.0 };
            history.push(iteration);
            if !observer(&iteration) {
                return Trial::Stopped;
            }
            let ratio = size / previous;
            if k == 1 {
                contraction = ratio;
            }
            let stalled = size < ROUND_OFF_STEP && ratio > LARGEST_CONTRACTION;
            // The next would be shorter by the ratio at least.
            let next = if k == 0 { size } else { size * ratio.min(1.0) };
            if (next < STEP_TOLERANCE || stalled) && residual.is_finite() && at.state.is_finite() {
                system.refresh_dependent_stress(&mut at.state, work);
                let beyond = |i: Inertia| i.negative.saturating_sub(system.negative_pivots()) + i.zero;
                let negative = inertia.filter(|_| system.is_conservative()).map(beyond);
                return match Tangent::of_column(system, &along_inputs, column, Some(tangent)) {
                    Some(tangent) => Trial::Reached { place: at, contraction, tangent, negative },
                    None => Trial::Refused,
                };
            }
            if k > 0 && ratio > LARGEST_CONTRACTION {
                return Trial::Refused;
            }
            previous = size;
        }
        Trial::Refused
    }
}

impl Tangent {
    /// From the answer to a change of t by [`DIFFERENCE`], in the sense of an earlier one, or of growing t.
    fn of_column(system: &System, answer: &Step, column: KeptStep, earlier: Option<&Self>) -> Option<Self> {
        let mut step = answer.clone();
        step.scale(1.0 / DIFFERENCE);
        let length = (dot(system, &step, &step) + 1.0).sqrt();
        let forward = earlier.is_none_or(|earlier| dot(system, &step, &earlier.step) + earlier.t >= 0.0);
        let t = if forward { 1.0 / length } else { -1.0 / length };
        step.scale(t);
        step.is_finite().then(|| Self { step, t, motion: (t / DIFFERENCE, Motion::Answer(column)) })
    }

    /// A direction of the displacements at fixed t, of unit length, less what of it lies along another tangent. `None` if
    /// nothing is left.
    pub fn beside(&self, direction: &[f64], system: &System, work: &mut Workspace) -> Option<Self> {
        system.set_pose_step(direction, work);
        let mut step = work.step().clone();
        let whole = dot(system, &step, &step).sqrt();
        let along = dot(system, &step, &self.step);
        step.add_scaled(-along, &self.step);
        let t = -along * self.t;
        let length = (dot(system, &step, &step) + t * t).sqrt();
        if !(length > NOTHING_LEFT * whole && length.is_finite()) {
            return None;
        }
        step.scale(1.0 / length);
        Some(Self { step, t: t / length, motion: (1.0 / length, Motion::Displacements(direction.to_vec())) })
    }

    /// The same the other way.
    pub fn reversed(&self) -> Self {
        let mut step = self.step.clone();
        step.scale(-1.0);
        Self { step, t: -self.t, motion: (-self.motion.0, self.motion.1.clone()) }
    }

    /// Makes a multiple of it the last step of the workspace, which must have been assembled at this state.
    fn set_step(&self, length: f64, system: &System, state: &State, work: &mut Workspace) {
        let factor = length * self.motion.0;
        match &self.motion.1 {
            Motion::Answer(kept) => system.combine_steps(&[(factor, kept)], state, work),
            Motion::Displacements(direction) => {
                let scaled: Vec<f64> = direction.iter().map(|x| factor * x).collect();
                system.set_pose_step(&scaled, work);
            }
        }
    }

    /// Cosine of the angle to another.
    pub fn cosine(&self, other: &Self, system: &System) -> f64 {
        dot(system, &self.step, &other.step) + self.t * other.t
    }
}

/// Where a place lies as seen from another: how far along a tangent, and how far off in all.
pub(crate) fn seen_from(system: &System, from: &Place, tangent: &Tangent, to: &Place) -> (f64, f64) {
    let length = system.scales().length;
    let (mut along, mut whole) = (0.0, 0.0);
    for ((a, b), direction) in from.state.poses.iter().zip(&to.state.poses).zip(&tangent.step.poses) {
        let way = b.boxminus(a);
        along += way.angular.dot(&direction.angular) + way.linear.dot(&direction.linear) / (length * length);
        whole += way.angular.norm_squared() + way.linear.norm_squared() / (length * length);
    }
    let count = from.state.poses.len().max(1) as f64;
    let t = to.t - from.t;
    (along / count + tangent.t * t, (whole / count + t * t).sqrt())
}

/// Mean over all poses of the product of two steps, positions over the length of the robot.
fn dot(system: &System, a: &Step, b: &Step) -> f64 {
    let length = system.scales().length;
    let product = |a: &Twist, b: &Twist| a.angular.dot(&b.angular) + a.linear.dot(&b.linear) / (length * length);
    let all: f64 = a.poses.iter().zip(&b.poses).map(|(a, b)| product(a, b)).sum();
    all / a.poses.len().max(1) as f64
}
