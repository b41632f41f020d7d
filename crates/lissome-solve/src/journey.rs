//! A way along a course of inputs over whatever happens on it: from one branch of equilibria to the next.

use crate::continuation::{Arrival, Attempt, Continuation, Interruption, Point};
use crate::driver::Settled;
use crate::energy::Energy;
use crate::event::{Event, EventKind};
use lissome_mech::State;
use lissome_model::OnEvent;

/// Events on one way before it is given up.
const MOST_EVENTS: usize = 50;
/// Beyond a fold the search for another equilibrium starts this many tolerances further, then four times as far, and so on:
/// close to the fold nothing pushes the robot away from it.
const PAST_FOLD: f64 = 1.0;
const FARTHER: f64 = 4.0;
/// Two events nearer than this many tolerances are one.
const SAME: f64 = 3.0;

/// How a way ended.
pub(crate) struct Journey {
    /// The last equilibrium; at t = 1 if all went well.
    pub last: Point,
    /// What ended it before.
    pub ended_by: Option<Interruption>,
}

/// What events are told in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// The parameter at t = 0 and at t = 1.
    pub range: (f64, f64),
    /// Where the last event before this way was, if there was one.
    pub last_event: Option<f64>,
}

impl Continuation<'_, '_> {
    /// From a point to the end of the way, with every event on it.
    pub fn travel(
        &mut self,
        from: Point,
        step: &mut f64,
        on_event: OnEvent,
        scale: Scale,
        events: &mut Vec<Event>,
    ) -> Journey {
        let mut at = from;
        let seen = events.len();
        loop {
            let (last, beyond, by) = match self.advance(at, step) {
                Arrival::Reached(last) | Arrival::GivenUp(last) => return Journey { last, ended_by: None },
                Arrival::Interrupted { last, beyond, by } => (last, beyond, by),
            };
            let at_parameter = scale.range.0 + by.t * (scale.range.1 - scale.range.0);
            let within = self.tolerance * (scale.range.1 - scale.range.0).abs();
            // Right after a bifurcation a branch grows as the root of the distance, too steeply to be followed: that is
            // still the same event.
            let earlier = events.last().map(|event| event.at).or(scale.last_event);
            let same =
                by.kind == EventKind::Snap && earlier.is_some_and(|at| (at_parameter - at).abs() < SAME * within);
            let landed = match on_event {
                OnEvent::Jump if events.len() - seen < MOST_EVENTS => self.land(&last, beyond, by.t),
                _ => None,
            };
            let before = self.driver.energy(&last.state, &last.inputs);
            let after = landed.as_ref().map(|point| self.energy_beside(point, by.t));
            if !same || landed.is_none() {
                events.push(Event {
                    kind: by.kind,
                    at: at_parameter,
                    within,
                    before,
                    after,
                    negative_directions: (last.negative, landed.as_ref().map(|point| point.negative)),
                    place: by.place,
                    moved: landed.as_ref().map_or(0.0, |point| self.distance(&last.state, &point.state)),
                    multiplicity: landed.as_ref().map_or(1, |p| p.negative.abs_diff(last.negative).max(1)),
                });
            }
            match landed {
                Some(point) if point.t >= 1.0 => return Journey { last: point, ended_by: None },
                Some(point) => {
                    *step = 1.0 - point.t;
                    at = point;
                }
                None => return Journey { last, ended_by: Some(by) },
            }
        }
    }

    /// Energy of the branch of a point, at another place if it leads there without an event: the robot falls to it where the
    /// event is, not where it was found.
    fn energy_beside(&mut self, point: &Point, t: f64) -> Energy {
        match self.attempt(point, t) {
            Attempt::Arrived { point: beside, .. } if beside.negative == point.negative => {
                self.driver.energy(&beside.state, &beside.inputs)
            }
            _ => self.driver.energy(&point.state, &point.inputs),
        }
    }

    /// The equilibrium that the robot moves to beyond an event.
    pub fn land(&mut self, last: &Point, beyond: Option<Point>, t: f64) -> Option<Point> {
        let leave = self.driver.options.leave_saddles;
        match beyond {
            // The branch goes on: stay, unless it can be left for a stable one.
            Some(point) if !leave || point.negative <= last.negative => Some(point),
            Some(point) => Some(self.leave(&point).unwrap_or(point)),
            None => {
                let mut ahead = PAST_FOLD * self.tolerance;
                // Half of what is left is for another way around.
                let spent = self.driver.history.len();
                let limit = spent + self.limit.saturating_sub(spent) / 2;
                loop {
                    let there = (t.max(last.t) + ahead).min(1.0);
                    let inputs = (self.course)(there);
                    let mut start = last.state.clone();
                    self.driver.system.drive(&inputs, &mut start);
                    let mut state = start.clone();
                    match self.driver.settle(&start, &inputs, &mut state) {
                        Settled::Found { .. } | Settled::Unstable => return self.point(there, state, inputs),
                        Settled::Stopped => return None,
                        Settled::Nothing if there >= 1.0 || self.driver.history.len() >= limit => return None,
                        Settled::Nothing => ahead *= FARTHER,
                    }
                }
            }
        }
    }

    /// A stable equilibrium beside an unstable branch: where the branch begins or, since little pushes the robot away from it
    /// there, a little farther along it.
    fn leave(&mut self, from: &Point) -> Option<Point> {
        let policy = self.driver.attempts()[0].0;
        let mut ahead = PAST_FOLD * self.tolerance;
        let mut at = from.clone();
        loop {
            let mut state = at.state.clone();
            if self.driver.leave_saddle(&mut state, &at.inputs, policy) {
                return self.point(at.t, state, at.inputs);
            }
            if at.t >= 1.0 || self.driver.history.len() >= self.limit || !self.driver.system.is_conservative() {
                return None;
            }
            match self.attempt(&at, (at.t + ahead).min(1.0)) {
                Attempt::Arrived { point, .. } if point.negative == at.negative => at = point,
                _ => return None,
            }
            ahead *= FARTHER;
        }
    }

    /// Largest motion of a section, body or joint between two states: rad, or fractions of the longest rod.
    pub fn distance(&self, a: &State, b: &State) -> f64 {
        let length = self.driver.system.scales().length;
        let moved = a.poses.iter().zip(&b.poses).map(|(a, b)| {
            let turned = (a.rotation.inverse() * b.rotation).angle();
            turned.max((a.position - b.position).norm() / length)
        });
        moved.fold(0.0, f64::max)
    }
}

impl Interruption {
    /// True if it is a property of the robot, not of the search.
    pub fn is_physical(&self) -> bool {
        self.kind != EventKind::Snap
    }
}
