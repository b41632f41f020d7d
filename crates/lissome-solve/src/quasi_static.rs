//! Equilibria of what touches: step by step along a course of inputs, since on which side of an obstacle a rod lies, and
//! with friction what sticks where, depends on how the robot came there.
//!
//! From each equilibrium the inputs go on by an increment. Slip counts from that equilibrium. In the first iteration,
//! which also takes up the motion of the drives, forces along the surfaces stay as they are: a rod that is about to slide
//! would buckle if it stuck at once. Then each contact sticks or slides by Coulomb's law until a full step of Newton's
//! method changes nothing and nobody. Where they go round in circles they change one at a time. An increment that does not
//! settle is made shorter.

use crate::continuation::{Continuation, Point};
use crate::driver::Driver;
use crate::newton::{LARGEST_INCREMENT, NEUTRAL_SHIFT, STEP_TOLERANCE};
use crate::outcome::{Iteration, Status};
use crate::statics::Solution;
use lissome_mech::kind::contact::law::{Held, Phase};
use lissome_mech::{CurvatureOf, Inputs, State};

/// Iterations of an increment.
const MOST_ITERATIONS: usize = 60;
/// From this one on contacts change one at a time.
const CIRCLING: usize = 14;
/// Farthest motion of an iteration, in lengths of the robot, and farthest turn of an increment of a rod, rad.
const FARTHEST: f64 = 0.1;
const LARGEST_TURN: f64 = 1.0;
/// An increment that fails is made this much shorter; one that settles in few iterations lets the next be longer.
const SHORTER: f64 = 0.25;
const LONGER: f64 = 2.0;
const FEW: usize = 12;
/// Two steps in a row below this: nothing moves any more.
const ROUNDING: f64 = 1e-12;
/// Shortest increment, as a part of the way.
const SHORTEST: f64 = 1e-6;

/// How far a way was gone.
pub(crate) struct Reached {
    /// Part of the way.
    pub t: f64,
    pub state: State,
    pub inputs: Inputs,
    /// Increments.
    pub steps: usize,
}

/// Goes along a course of inputs from t = 0, where the state is an equilibrium, to t = 1; `first` is the first increment.
pub(crate) fn creep(driver: &mut Driver<'_>, course: &dyn Fn(f64) -> Inputs, start: &State, first: f64) -> Reached {
    let mut at = Reached { t: 0.0, state: start.clone(), inputs: course(0.0), steps: 0 };
    let mut step = first;
    while at.t < 1.0 && step > SHORTEST && !driver.spent() {
        let target = if at.t + 1.01 * step >= 1.0 { 1.0 } else { at.t + step };
        let inputs = course(target);
        let before = driver.history.len();
        match increment(driver, course, &at, &inputs) {
            Some(state) => {
                at = Reached { t: target, state, inputs, steps: at.steps + 1 };
                let few = driver.history.len() - before <= FEW;
                step = if few { (step * LONGER).min(first) } else { step };
            }
            None => step = (target - at.t) * SHORTER,
        }
    }
    at
}

/// The equilibrium under other inputs, from one that is near.
fn increment(
    driver: &mut Driver<'_>,
    course: &dyn Fn(f64) -> Inputs,
    from: &Reached,
    inputs: &Inputs,
) -> Option<State> {
    let mut start = from.state.clone();
    driver.system.meet(&mut start, 0.0);
    driver.system.anchor_contacts(&mut start, &from.inputs, Phase::Frozen);
    let point = Point { t: from.t, state: start, inputs: from.inputs.clone(), negative: 0 };
    let mut way = Continuation { driver, course, tolerance: SHORTEST, judged: false, limit: usize::MAX, steps: 0 };
    let (mut state, motion) = way.predict(&point, inputs)?;
    if driver.system.motion_fraction(&point.state, inputs, &motion.poses) < 1.0 {
        // It could come out on the other side of what it touches.
        return None;
    }
    driver.system.meet(&mut state, 0.0);
    driver.system.remember_slip(&point.state, inputs, &mut state);
    let mut trial = state.clone();
    let (mut last, mut now) = (Vec::new(), Vec::new());
    let mut previous = f64::INFINITY;
    let mut held: Option<Vec<Held>> = None;
    for count in 0..MOST_ITERATIONS {
        let system = driver.system;
        system.refresh_dependent_stress(&mut state, driver.work);
        let residual = system.assemble(&state, inputs, CurvatureOf::Increments, driver.work);
        system.shift_to(NEUTRAL_SHIFT, driver.work);
        system.factor(driver.work).ok()?;
        system.solve(&state, driver.work);
        system.contact_wishes(&state, inputs, &mut now);
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
        let iteration = Iteration { load_factor: inputs.factor, residual, step: size, fraction, shift: 0.0 };
        driver.history.push(iteration);
        if !(driver.observer)(&iteration) || !state.is_finite() {
            return None;
        }
        let next = size * (size / previous).min(1.0);
        let small = fraction == 1.0 && (size < STEP_TOLERANCE || next < STEP_TOLERANCE * 1e-2);
        if size < ROUNDING && previous < ROUNDING && held.is_none() {
            // Who touches without a force is a matter of rounding.
            return Some(state);
        }
        if let Some(held) = &mut held {
            // One at a time, and always the first that disagrees: this does not go round in circles.
            system.contact_wishes(&state, inputs, &mut now);
            match held.iter().zip(&now).position(|(held, wish)| held != wish) {
                Some(first) => held[first] = now[first],
                None if small => {
                    system.hold_contacts(None, &mut state);
                    return Some(state);
                }
                None => {}
            }
            system.hold_contacts(Some(held), &mut state);
            previous = size;
            continue;
        }
        if small && now == last {
            // What the last step decided must be what the state it led to says.
            system.contact_wishes(&state, inputs, &mut last);
            if now == last {
                return Some(state);
            }
        }
        if count == CIRCLING {
            system.hold_contacts(Some(&now), &mut state);
            held = Some(now.clone());
        }
        std::mem::swap(&mut last, &mut now);
        previous = size;
    }
    None
}

/// The answer at the end of a way.
pub(crate) fn answer(driver: &mut Driver<'_>, reached: Reached) -> Solution {
    let status = match reached.t >= 1.0 {
        true => Status::Converged,
        false => Status::NotConverged { load_factor: reached.t },
    };
    driver.definite = false;
    driver.report(status, reached.state, reached.inputs, reached.steps.max(1), Vec::new(), None)
}
