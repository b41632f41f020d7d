//! Equilibria along the drives: each on the branch of its predecessor, or across an event that is named.
//!
//! A sample starts from the last equilibrium and follows its branch with the drives (`continuation`), in as many
//! steps as it takes. Where the branch ends or loses its stability the path jumps or stops, as it was asked to, and the
//! outcome of the sample tells of it.

use crate::Iteration;
use crate::continuation::{Continuation, Point};
use crate::defect;
use crate::driver::Driver;
use crate::journey::{Journey, Scale};
use crate::leap::Leap;
use crate::outcome::Status;
use crate::quasi_static;
use crate::stability;
use crate::statics::{self, Solution, StaticOptions};
use lissome_mech::{Inputs, State, System, Workspace};
use lissome_model::OnEvent;

/// Events are located to this part of the whole range of the parameter.
const EVENT_TOLERANCE: f64 = 1e-4;

/// Two states nearer than this, in rad or fractions of the length, are one.
const SAME: f64 = 1e-6;

/// What happens along a path.
pub struct Step<'a> {
    /// Number of the sample.
    pub index: usize,
    /// The parameter that the drives are functions of.
    pub at: f64,
    /// What acts there.
    pub inputs: &'a Inputs,
    /// The answer.
    pub solution: &'a Solution,
    /// Memory as the answer left it.
    pub work: &'a Workspace,
    /// Which branch it lies on, where several are followed by their length.
    pub branch: usize,
    /// Length along that branch; zero from sample to sample.
    pub arc: f64,
    /// What friction of contacts took since the first sample, J.
    pub friction: f64,
}

/// Where to look for equilibria along the drives of a system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Number of equilibria, both ends included.
    pub samples: usize,
    /// The parameter runs from 0 to this.
    pub end: f64,
    /// What to do where a branch ends or loses its stability; [`crate::diagram`] follows it; here that stops.
    pub on_event: OnEvent,
}

/// Solves at samples of the parameter, over events. `record` sees every sample, `observer` every iteration; either stops
/// the work with `false`. A sample that does not converge is the last.
pub fn follow(
    system: &System,
    path: &Path,
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
    record: &mut dyn FnMut(Step<'_>) -> bool,
) {
    let spacing = path.end / (path.samples.max(2) - 1) as f64;
    let mut last: Option<(State, usize)> = None;
    let mut step = 1.0;
    let mut last_event = None;
    let mut friction = 0.0;
    for index in 0..path.samples {
        let at = path.end * index as f64 / (path.samples.max(2) - 1) as f64;
        let inputs = system.inputs_at(at);
        let solution = match last {
            None => statics::solve_from_natural(system, options, work, observer),
            Some((state, negative)) => {
                let from = at - spacing;
                let course = |t: f64| if t >= 1.0 { inputs.clone() } else { system.inputs_at(from + t * spacing) };
                let start = Point { t: 0.0, state, inputs: system.inputs_at(from), negative };
                let scale = Scale { range: (from, at), last_event };
                let way = Way { course: &course, scale, tolerance: EVENT_TOLERANCE * path.end / spacing, judged: true };
                statics::stoppable(observer, |_, observer| {
                    let mut driver =
                        Driver { system, work, options, history: Vec::new(), checks: 0, definite: false, observer };
                    way.go(&mut driver, start, path.on_event, &mut step)
                })
            }
        };
        last_event = solution.outcome.events.last().map(|event| event.at).or(last_event);
        // How friction came to be what it is at the first sample is a matter of the search for it, not of the path.
        friction += if index > 0 { solution.friction } else { 0.0 };
        let go_on =
            record(Step { index, at, inputs: &inputs, solution: &solution, work, branch: 0, arc: 0.0, friction });
        if !go_on || !solution.outcome.converged() {
            return;
        }
        let negative = match solution.outcome.stability {
            Some(stability) if system.is_conservative() || system.has_separate_elasticity() => {
                stability.negative_directions
            }
            _ => 0,
        };
        let mut state = solution.state;
        system.keep_tensions(&mut state);
        last = Some((state, negative));
    }
}

/// From one equilibrium to that under other inputs, along the straight way between them and over events on it, which are
/// told by the part of the way.
pub fn advance(
    system: &System,
    start: &State,
    (from, to): (&Inputs, &Inputs),
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Solution {
    let course = |t: f64| if t >= 1.0 { to.clone() } else { from.toward(to, t) };
    let negative = match system.is_conservative() {
        true => stability::negative_directions(system, start, from, work),
        false => 0,
    };
    let start = Point { t: 0.0, state: start.clone(), inputs: from.clone(), negative };
    let way = Way {
        course: &course,
        scale: Scale { range: (0.0, 1.0), last_event: None },
        tolerance: EVENT_TOLERANCE,
        judged: false,
    };
    statics::stoppable(observer, |_, observer| {
        let mut driver = Driver { system, work, options, history: Vec::new(), checks: 0, definite: false, observer };
        way.go(&mut driver, start, OnEvent::Jump, &mut 1.0)
    })
}

/// From one sample to the next.
struct Way<'a> {
    course: &'a dyn Fn(f64) -> Inputs,
    scale: Scale,
    /// Of events, in t.
    tolerance: f64,
    judged: bool,
}

impl Way<'_> {
    fn go(&self, driver: &mut Driver<'_>, start: Point, on_event: OnEvent, step: &mut f64) -> Solution {
        if driver.system.has_obstacles() {
            let reached = quasi_static::creep(driver, self.course, &start.state, 1.0);
            if reached.t >= 1.0 || driver.system.has_contact_friction() {
                return quasi_static::answer(driver, reached);
            }
        }
        let limit = driver.options.max_iterations;
        let mut events = Vec::new();
        *step = step.min(1.0);
        let Self { course, tolerance, judged, .. } = *self;
        let mut way = Continuation { driver, course, tolerance, judged, limit, steps: 0 };
        let (leap, searched) = way.leap(&start);
        let (journey, found) = match leap {
            Leap::Shown(last) => {
                let found = last.state.clone();
                way.steps = 1;
                (Journey { last: *last, ended_by: None }, Some(found))
            }
            Leap::Found(state) => (way.travel(start, step, on_event, self.scale, &mut events), Some(state)),
            Leap::Nothing => (way.travel(start, step, on_event, self.scale, &mut events), None),
        };
        let last = journey.last;
        let steps = way.steps;
        // What was found at first is what the branch led to: everything after it was a check.
        let confirmed = found.is_some_and(|found| last.t >= 1.0 && way.distance(&found, &last.state) < SAME);
        driver.checks = if confirmed { driver.history.len() - searched } else { 0 };
        if last.t >= 1.0 {
            let mut state = last.state;
            // The branch was followed with friction held: what it changes is found from there.
            let status = match driver.system.has_friction() && !driver.renew_friction(&mut state, &last.inputs) {
                false => Status::Converged,
                true => Status::NotConverged { load_factor: last.t },
            };
            return driver.report(status, state, last.inputs, steps, events, None);
        }
        let defect = defect::points_that_meet(driver.system, &last.state);
        let status = match (&journey.ended_by, &defect) {
            (Some(by), None) if by.is_physical() => {
                let (rod, s) = by.place.unwrap_or_default();
                Status::Fold { load_factor: by.t, rod, s }
            }
            _ => Status::NotConverged { load_factor: last.t },
        };
        driver.report(status, last.state, last.inputs, steps, events, defect)
    }
}
