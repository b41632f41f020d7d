//! The whole way at once, if what lies between can be shown afterwards.
//!
//! The equilibrium at the end is found first. Where the tangents at both ends do not yet say the same of the way between, the
//! middle of the cubic through both ends and their tangents is asked: one Newton step there must be short, and it gives the
//! tangent in the middle; then both halves are judged in the same way. Every point asked must have as many negative
//! directions as the start. What cannot be shown so is left to the steps of [`crate::continuation`].

use crate::continuation::{Continuation, Point};
use crate::driver::Driver;
use crate::newton::{End, Iteration, NEUTRAL_SHIFT};
use lissome_mech::{CurvatureOf, Inputs, State, Step};

/// Iterations for the end of the way.
const ATTEMPT: usize = 20;
/// How often the way is halved.
const HALVINGS: usize = 3;
/// A point of the cubic is near the branch if one Newton step from it is at most this part of the way.
const NEAR: f64 = 0.15;

/// A point with the motions that its tangent gives, over the interval that is looked at.
struct Knot {
    t: f64,
    state: State,
    inputs: Inputs,
    /// To the far end of the interval on the right, and on the left.
    forward: Step,
    backward: Step,
}

/// What came of a leap.
pub(crate) enum Leap {
    /// An equilibrium on the branch of the start.
    Shown(Box<Point>),
    /// An equilibrium of which that could not be shown.
    Found(State),
    /// None.
    Nothing,
}

impl Continuation<'_, '_> {
    /// Looks for the equilibrium at t = 1 from a point at t = 0, with the number of iterations that took.
    pub fn leap(&mut self, from: &Point) -> (Leap, usize) {
        let inputs = (self.course)(1.0);
        let Some(forward) = self.tangent(&from.state, &from.inputs, &inputs) else { return (Leap::Nothing, 0) };
        let mut state = from.state.clone();
        self.driver.system.drive(&inputs, &mut state);
        let policy = self.driver.attempts()[0].0;
        let found = match self.driver.newton(&mut state, &inputs, ATTEMPT, policy) {
            End::Converged { .. } => true,
            End::Saddle => self.driver.leave_saddle(&mut state, &inputs, policy),
            End::Failed | End::Stopped => false,
        };
        let spent = self.driver.history.len();
        if !found {
            return (Leap::Nothing, spent);
        }
        let shown = self.shown(from, forward, &state, inputs);
        (shown.map_or(Leap::Found(state), |point| Leap::Shown(Box::new(point))), spent)
    }

    fn shown(&mut self, from: &Point, forward: Step, state: &State, inputs: Inputs) -> Option<Point> {
        let backward = self.tangent(state, &inputs, &from.inputs)?;
        let start =
            Knot { t: 0.0, state: from.state.clone(), inputs: from.inputs.clone(), backward: forward.clone(), forward };
        let end = Knot { t: 1.0, state: state.clone(), inputs, forward: backward.clone(), backward };
        if !self.is_shown(&start, &end, from.negative, HALVINGS) {
            return None;
        }
        let point = self.point(1.0, end.state, end.inputs)?;
        (point.negative == from.negative).then_some(point)
    }

    /// True if the branch runs smoothly from one knot to another.
    fn is_shown(&mut self, a: &Knot, b: &Knot, negative: usize, halvings: usize) -> bool {
        if self.is_smooth((&a.state, &a.forward), (&b.state, &b.backward)) {
            return true;
        }
        if halvings == 0 || self.driver.history.len() >= self.limit {
            return false;
        }
        let Some(middle) = self.middle(a, b, negative) else { return false };
        let halved = |knot: &Knot| {
            let mut knot = Knot {
                t: knot.t,
                state: knot.state.clone(),
                inputs: knot.inputs.clone(),
                forward: knot.forward.clone(),
                backward: knot.backward.clone(),
            };
            knot.forward.scale(0.5);
            knot.backward.scale(0.5);
            knot
        };
        self.is_shown(&halved(a), &middle, negative, halvings - 1)
            && self.is_shown(&middle, &halved(b), negative, halvings - 1)
    }

    /// The point of the cubic half way between two knots, corrected once.
    fn middle(&mut self, a: &Knot, b: &Knot, negative: usize) -> Option<Knot> {
        let t = 0.5 * (a.t + b.t);
        let inputs = (self.course)(t);
        let mut state = self.on_the_cubic(a, b);
        let Driver { system, work, history, observer, .. } = self.driver;
        system.drive(&inputs, &mut state);
        let way = a.state.poses.iter().zip(&b.state.poses).map(|(a, b)| {
            let between = b.boxminus(a);
            between.angular.norm().max(between.linear.norm() / system.scales().length)
        });
        let way = way.fold(0.0, f64::max);
        system.refresh_dependent_stress(&mut state, work);
        let residual = system.assemble(&state, &inputs, CurvatureOf::Increments, work);
        system.shift_to(NEUTRAL_SHIFT, work);
        let inertia = system.factor(work).ok()?;
        if let Some(inertia) = inertia
            && inertia.negative.saturating_sub(system.negative_pivots()) + inertia.zero != negative
        {
            return None;
        }
        system.solve(&state, work);
        let size = system.step_size(work);
        let residual = residual.balance.max(residual.misfit);
        let iteration = Iteration { load_factor: inputs.factor, residual, step: size, fraction: 1.0, shift: 0.0 };
        history.push(iteration);
        // A NaN is not near.
        if !observer(&iteration) || size.is_nan() || size > NEAR * way {
            return None;
        }
        let mut corrected = state.clone();
        system.retract_increments(&state, 1.0, work, &mut corrected);
        let mut column = |to: &Inputs| {
            system.assemble_input_change(&state, &inputs, to, work);
            system.solve_input_change(&state, work);
            work.step().clone()
        };
        let (forward, backward) = (column(&b.inputs), column(&a.inputs));
        Some(Knot { t, state: corrected, inputs, forward, backward })
    }

    /// Half way along the cubic through two knots with their tangents: a + Δ/2 + (f + b)/8 of poses and stresses, and of
    /// joints what the tangents alone say, (3 f − b)/8.
    fn on_the_cubic(&self, a: &Knot, b: &Knot) -> State {
        let mut step = self.driver.system.zero_step();
        let tangents = a.forward.poses.iter().zip(&b.backward.poses);
        let ends = a.state.poses.iter().zip(&b.state.poses);
        for (own, ((f, back), (a, b))) in step.poses.iter_mut().zip(tangents.zip(ends)) {
            *own = b.boxminus(a) * 0.5 + (*f + *back) * 0.125;
        }
        let tangents = a.forward.joints.iter().zip(&b.backward.joints);
        for (own, (f, back)) in step.joints.iter_mut().zip(tangents) {
            *own = f * 0.375 - back * 0.125;
        }
        let tangents = a.forward.linear.iter().zip(&b.backward.linear);
        let ends = a.state.linear.iter().zip(&b.state.linear);
        for (own, ((f, back), (a, b))) in step.linear.iter_mut().zip(tangents.zip(ends)) {
            *own = (b - a) * 0.5 + (f + back) * 0.125;
        }
        let mut state = a.state.clone();
        self.driver.system.retract_poses(&a.state, 1.0, &step, &mut state);
        state
    }
}
