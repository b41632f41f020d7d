//! Equilibria of what touches: step by step along a course of inputs, since on which side of an obstacle a rod lies, and
//! with friction what sticks where, depends on how the robot came there.
//!
//! From each equilibrium the inputs go on by an increment. Slip counts from that equilibrium. In the first iteration,
//! which also takes up the motion of the drives, forces along the surfaces stay as they are: a rod that is about to slide
//! would buckle if it stuck at once. Then each contact sticks or slides by Coulomb's law until a full step of Newton's
//! method changes nothing and nobody. Where they go round in circles the stiffness is shifted, which leads on from where a rod
//! has buckled between two holds, and then they change one at a time. An increment that does not settle is made shorter.

use crate::continuation::{Continuation, Point};
use crate::driver::Driver;
use crate::newton::{Iteration, LARGEST_INCREMENT, NEUTRAL_SHIFT, SADDLE_STEP, STEP_TOLERANCE};
use crate::outcome::{Solution, Status};
use lissome_mech::kind::contact::law::{Held, Phase};
use lissome_mech::{CurvatureOf, Inputs, State};
use lissome_sparse::Inertia;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Iterations of an increment by Newton's method alone, and in each of the manners that follow; beyond them it may go on
/// while steps shrink by this factor.
const MOST_PLAIN: usize = 10;
const MOST_SHIFTED: usize = 20;
/// Iterations of an increment over the end of a branch.
const MOST_OF_A_JUMP: usize = 300;
const CONTRACTS: f64 = 0.9;
/// Two steps of the same length, as a part of it.
const SAME_SIZE: f64 = 0.02;
/// First shift, and that of contacts that go round in circles with it; while contacts stay what they are it becomes less by a factor, down to nothing below the least, and more again
/// where contacts change or steps grow by so much.
const FIRST_SHIFT: f64 = 1.0;
const LARGEST_OF_CIRCLES: f64 = 10.0;
const LESS_SHIFT: f64 = 0.2;
const LEAST_SHIFT: f64 = 0.02;
const GROWS: f64 = 1.5;
/// A tangent that is not positive definite is shifted in steps of this factor, up to this.
const MORE_SHIFT: f64 = 4.0;
const LARGEST_SHIFT: f64 = 1e6;
/// Farthest motion of an iteration, in lengths of the robot, and farthest turn of an increment of a rod, rad.
const FARTHEST: f64 = 0.1;
const LARGEST_TURN: f64 = 1.0;
/// An increment that fails is made this much shorter; one that settles in few iterations lets the next be longer.
const SHORTER: f64 = 0.25;
const LONGER: f64 = 2.0;
const FEW: usize = 12;
/// Two steps in a row below this: nothing moves any more.
const ROUNDING: f64 = 1e-12;
/// Shortest increment, as a part of the way: where none as short as this settles the branch ends.
const SHORTEST: f64 = 1e-4;

/// How far a way was gone.
pub(crate) struct Reached {
    /// Part of the way.
    pub t: f64,
    pub state: State,
    pub inputs: Inputs,
    /// Increments.
    pub steps: usize,
    /// What friction took on the way, J.
    pub friction: f64,
}

/// Goes along a course of inputs from t = 0, where the state is an equilibrium, to t = 1; `first` is the first increment.
pub(crate) fn creep(driver: &mut Driver<'_>, course: &dyn Fn(f64) -> Inputs, start: &State, first: f64) -> Reached {
    let mut at = Reached { t: 0.0, state: start.clone(), inputs: course(0.0), steps: 0, friction: 0.0 };
    let (mut step, mut jumps) = (first, false);
    while at.t < 1.0 && !driver.spent() {
        let target = if at.t + 1.01 * step >= 1.0 { 1.0 } else { at.t + step };
        let inputs = course(target);
        let before = driver.history.len();
        let patience = if jumps { MOST_OF_A_JUMP } else { MOST_SHIFTED };
        match increment(driver, course, &at, &inputs, patience) {
            Some(state) => {
                jumps = false;
                let friction = at.friction + driver.system.friction_loss_between(&at.state, &state, &inputs);
                at = Reached { t: target, state, inputs, steps: at.steps + 1, friction };
                let few = driver.history.len() - before <= FEW;
                step = if few { (step * LONGER).min(first) } else { step };
            }
            None if jumps => break,
            None => {
                step = (target - at.t) * SHORTER;
                if step < SHORTEST {
                    // The branch ends here: what has lost its hold moves on until it finds another, which takes a push.
                    (step, jumps) = (first, true);
                }
            }
        }
    }
    at
}

/// The equilibrium near a start, without a way that leads there.
pub(crate) fn near(driver: &mut Driver<'_>, start: &State, inputs: &Inputs) -> Option<Reached> {
    let at = Reached { t: 0.0, state: start.clone(), inputs: inputs.clone(), steps: 0, friction: 0.0 };
    let state = increment(driver, &|_| inputs.clone(), &at, inputs, MOST_SHIFTED)?;
    Some(Reached { t: 1.0, state, steps: 1, ..at })
}

/// How contacts that have not settled are treated: each manner follows where the one before goes round in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// Newton's method.
    Plain,
    /// With a shift of the stiffness, as if everything moved in a viscous fluid: what has buckled between two walls moves on
    /// until it finds another hold.
    Shifted,
    /// Shifted, and contacts are held to what they do and change one at a time.
    OneAtATime,
}

/// Who touches and how, and how far the iterations went: what tells of circles.
#[derive(Default)]
struct Course {
    seen: Vec<(u64, f64)>,
}

impl Course {
    fn note(&mut self, contacts: &[Held], size: f64) {
        let mut hasher = DefaultHasher::new();
        contacts.hash(&mut hasher);
        self.seen.push((hasher.finish(), size));
    }

    /// True if the last iterations repeat those before them.
    fn circles(&self) -> bool {
        let n = self.seen.len();
        let same = |a: &(u64, f64), b: &(u64, f64)| a.0 == b.0 && (a.1 - b.1).abs() <= SAME_SIZE * b.1;
        (2..=n / 2).any(|period| (n - period..n).all(|i| same(&self.seen[i], &self.seen[i - period])))
    }
}

/// The equilibrium under other inputs, from one that is near.
fn increment(
    driver: &mut Driver<'_>,
    course: &dyn Fn(f64) -> Inputs,
    from: &Reached,
    inputs: &Inputs,
    patience: usize,
) -> Option<State> {
    let mut start = from.state.clone();
    driver.system.meet(&mut start, 0.0);
    driver.system.anchor_contacts(&mut start, &from.inputs, Phase::Frozen);
    let point = Point { t: from.t, state: start, inputs: from.inputs.clone(), negative: 0 };
    let mut way = Continuation { driver, course, tolerance: SHORTEST, judged: false, limit: usize::MAX, steps: 0 };
    let (mut state, motion) = way.predict(&point, inputs)?;
    if driver.system.crosses_obstacles(&point.state, &state) || driver.system.crosses_rods(&point.state, &motion.poses)
    {
        return None;
    }
    driver.system.meet(&mut state, 0.0);
    driver.system.remember_slip(&point.state, inputs, &mut state);
    let mut trial = state.clone();
    let (mut last, mut now) = (Vec::new(), Vec::new());
    let mut previous = f64::INFINITY;
    let (mut manner, mut shift, mut left) = (Manner::Plain, NEUTRAL_SHIFT, MOST_PLAIN);
    let mut seen = Course::default();
    let mut held: Vec<Held> = Vec::new();
    let (mut before, mut saddle, mut most) = (f64::INFINITY, false, FIRST_SHIFT);
    loop {
        let system = driver.system;
        system.refresh_dependent_stress(&mut state, driver.work);
        let residual = system.assemble(&state, inputs, CurvatureOf::Increments, driver.work);
        system.shift_to(shift, driver.work);
        system.contact_wishes(&state, inputs, &mut now);
        let definite = factor(driver, &mut shift, saddle || now.contains(&Held::Sliding))?;
        let system = driver.system;
        system.solve(&state, driver.work);
        let (size, turn) = (system.step_size(driver.work), system.increment_turn(driver.work));
        if !size.is_finite() {
            return None;
        }
        let longest = system.longest_fraction(LARGEST_INCREMENT, driver.work);
        let clear = system.contact_fraction(&state, driver.work);
        let fraction = (FARTHEST / size).min(LARGEST_TURN / turn).min(longest).min(clear).min(1.0);
        system.retract_increments(&state, fraction, driver.work, &mut trial);
        system.remember_slip(&state, inputs, &mut trial);
        system.meet(&mut trial, 0.0);
        std::mem::swap(&mut state, &mut trial);
        let residual = residual.balance.max(residual.misfit);
        let iteration = Iteration { load_factor: inputs.factor, residual, step: size, fraction, shift };
        driver.history.push(iteration);
        if !(driver.observer)(&iteration) || !state.is_finite() {
            return None;
        }
        let next = size * (size / previous).min(1.0);
        let plain = fraction == 1.0 && shift == NEUTRAL_SHIFT;
        let small = plain && (size < STEP_TOLERANCE || next < STEP_TOLERANCE * 1e-2);
        let mut agrees = now == last;
        if manner == Manner::OneAtATime {
            // Always the first that disagrees: this does not go round in circles as all of them together do.
            system.contact_wishes(&state, inputs, &mut now);
            let first = held.iter().zip(&now).position(|(held, wish)| held != wish);
            if let Some(first) = first {
                held[first] = now[first];
            }
            agrees = first.is_none();
            if agrees && small {
                system.hold_contacts(None, &mut state);
                return Some(state).filter(|state| !system.crosses_obstacles(&point.state, state));
            }
            system.hold_contacts(Some(&held), &mut state);
        } else if small && agrees {
            // What the last step decided must be what the state it led to says.
            system.contact_wishes(&state, inputs, &mut last);
            if now == last {
                return Some(state).filter(|state| !system.crosses_obstacles(&point.state, state));
            }
        } else if plain && size < ROUNDING && previous < ROUNDING {
            // Who touches without a force is a matter of rounding.
            return Some(state).filter(|state| !system.crosses_obstacles(&point.state, state));
        }
        let full = size * (1.0 + shift);
        let contracts = agrees && size < CONTRACTS * previous;
        seen.note(&now, size);
        left -= 1;
        if (left == 0 && !contracts) || (size > ROUNDING && seen.circles()) {
            (manner, left) = match manner {
                Manner::Plain => (Manner::Shifted, patience),
                Manner::Shifted if most < LARGEST_OF_CIRCLES => {
                    most = LARGEST_OF_CIRCLES;
                    (Manner::Shifted, patience)
                }
                Manner::Shifted => (Manner::OneAtATime, MOST_SHIFTED),
                Manner::OneAtATime => return None,
            };
            shift = most;
            seen.seen.clear();
            if manner == Manner::OneAtATime {
                held.clone_from(&now);
                system.hold_contacts(Some(&held), &mut state);
            }
        } else if manner != Manner::Plain {
            // As long as the step would be without it, were everything as stiff as the material.
            shift = match full / before {
                ratio if !agrees || ratio > GROWS => (shift / LESS_SHIFT).clamp(LEAST_SHIFT, most),
                ratio if ratio >= 1.0 && size > ROUNDING => shift,
                _ if shift > LEAST_SHIFT => shift * LESS_SHIFT,
                _ => NEUTRAL_SHIFT,
            };
        } else if definite {
            shift = NEUTRAL_SHIFT;
        }
        // Short steps though nothing holds: an equilibrium that something would leave, and that only the plain iteration reaches.
        saddle |= !definite && agrees && size * (1.0 + shift) < SADDLE_STEP;
        left = left.max(1);
        before = full;
        std::mem::swap(&mut last, &mut now);
        previous = size;
    }
}

/// Factors the assembled matrix, shifted until the tangent is positive definite unless it may be as it is: at a saddle that is
/// looked for, and where something slides, since friction has no energy that would tell. False if a shift was needed.
fn factor(driver: &mut Driver<'_>, shift: &mut f64, as_it_is: bool) -> Option<bool> {
    let (system, expected) = (driver.system, driver.system.negative_pivots());
    let good = |inertia: Inertia| inertia.negative == expected && inertia.zero == 0;
    let mut definite = true;
    loop {
        let inertia = match system.factor(driver.work).ok()? {
            _ if as_it_is => return Some(definite),
            Some(inertia) => inertia,
            None => system.symmetric_inertia(driver.work).ok()?,
        };
        if good(inertia) {
            return Some(definite);
        }
        definite = false;
        if *shift > LARGEST_SHIFT {
            return None;
        }
        *shift = (*shift * MORE_SHIFT).max(LEAST_SHIFT);
        system.shift_to(*shift, driver.work);
    }
}

/// The answer at the end of a way.
pub(crate) fn answer(driver: &mut Driver<'_>, reached: Reached) -> Solution {
    let status = match reached.t >= 1.0 {
        true => Status::Converged,
        false => Status::NotConverged { load_factor: reached.t },
    };
    driver.definite = false;
    let found = driver.report(status, reached.state, reached.inputs, reached.steps.max(1), Vec::new(), None);
    Solution { friction: reached.friction, ..found }
}
