//! Static equilibrium: the driver that always answers.
//!
//! 1. The whole load at once from the natural shape, Newton on the mixed functional in the increments ([`crate::newton`]).
//!    Without a potential the plain iteration comes first, then one that is shifted while far from equilibrium.
//! 2. A saddle is left downhill along its lowest mode; at which load the branch lost its stability is then looked up.
//! 3. If that fails: along the load from nothing, by a tangent and corrections whose length adapts to the contraction seen,
//!    over folds and bifurcations (`continuation`, `arclength`).
//! 4. What still fails is named: a fold, points of a cable that meet, a defect of the robot, or not converged; with the last
//!    equilibrium and the load that it carries.

use crate::continuation::{Continuation, Interruption, Point};
use crate::corrector::Correction;
use crate::defect::{self, Defect};
use crate::driver::{Driver, Settled};
use crate::event::{Event, EventKind};
use crate::journey::Scale;
use crate::newton::{AT_REST, End, Iteration, Shift};
use crate::outcome::{Outcome, Stability, Status};
use crate::quasi_static;
use crate::stability;
use lissome_lie::Pose;
use lissome_mech::{Inputs, State, System, Winding, Workspace};
use lissome_model::OnEvent;
use std::cell::Cell;

pub use crate::outcome::Solution;
pub use crate::static_options::StaticOptions;

/// Part of the load that is put on at a time where things touch.
const FRICTION_STEP: f64 = 0.1;
/// First load step, where the unloaded robot is no equilibrium to start from: of each of these a quarter is tried next.
const FIRST_LOAD_STEP: f64 = 0.25;
const SMALLEST_LOAD_STEP: f64 = 1e-3;
/// Iterations of it.
const LOAD_STEP_ATTEMPT: usize = 16;
/// Events along a load are located to this part of it.
const EVENT_TOLERANCE: f64 = 1e-4;
/// A branch that was lost within this part of the load from where it turns back was lost because it does.
const SAME_PLACE: f64 = 0.01;
/// Iterations for finding out where a branch lost its stability.
const LOOKING_BACK: usize = 120;

/// Events along a load are told by the part of it.
const ALONG_THE_LOAD: Scale = Scale { range: (0.0, 1.0), last_event: None };

/// What a search along the load found.
struct Found {
    status: Status,
    state: State,
    inputs: Inputs,
    defect: Option<Defect>,
}

/// Finds the equilibrium of a system from its natural shape. Where rods are held at both ends there are usually several
/// stable ones: each way round is tried, and a stable answer with the least energy is the answer, unless the options ask
/// for one way.
pub fn solve_from_natural(
    system: &System,
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Solution {
    solve_from_natural_under(system, &system.inputs_at(0.0), options, work, observer)
}

/// The same under inputs of one's own.
pub fn solve_from_natural_under(
    system: &System,
    inputs: &Inputs,
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Solution {
    if let Some(winding) = options.winding {
        return solve(system, &system.wound_state(winding), inputs, options, work, observer);
    }
    let short = solve(system, &system.wound_state(Winding::Short), inputs, options, work, observer);
    if !system.is_single_loop() {
        return short;
    }
    let rank = |solution: &Solution| {
        let stable = solution.outcome.stability.is_some_and(|stability| stability.stable);
        (!solution.outcome.converged(), !stable)
    };
    let settled = rank(&short) == (false, false)
        && system.long_winding_energy().is_some_and(|least| least > short.outcome.energy.total());
    if settled {
        return short;
    }
    let long = solve(system, &system.wound_state(Winding::Long), inputs, options, work, observer);
    let better = (rank(&long), long.outcome.energy.total()) < (rank(&short), short.outcome.energy.total());
    let (mut best, other) = if better { (long, short) } else { (short, long) };
    // The work of both counts, and the workspace must belong to the answer.
    let mut history = other.outcome.history;
    history.append(&mut best.outcome.history);
    best.outcome.history = history;
    system.evaluate(&best.state, &best.inputs, work);
    best
}

/// Finds the equilibrium of a system under inputs from a start. `observer` sees every iteration and stops the work with `false`.
pub fn solve(
    system: &System,
    start: &State,
    inputs: &Inputs,
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Solution {
    stoppable(observer, |stopped, observer| solve_watched(system, (start, inputs), options, work, stopped, observer))
}

/// Does work that an observer may stop, and says so in its outcome if that is what happened.
pub(crate) fn stoppable(
    observer: &mut dyn FnMut(&Iteration) -> bool,
    work: impl FnOnce(&Cell<bool>, &mut dyn FnMut(&Iteration) -> bool) -> Solution,
) -> Solution {
    let stopped = Cell::new(false);
    let mut watched = |iteration: &Iteration| {
        let go_on = observer(iteration);
        stopped.set(stopped.get() || !go_on);
        go_on
    };
    let mut solution = work(&stopped, &mut watched);
    if stopped.get() {
        solution.outcome.status = solution.outcome.status.when_stopped();
    }
    solution
}

/// The equilibrium next to one of what touches without friction, with the places that touch fixed to the material as they are in motion: at
/// rest they slide along rods to where these come nearest, and a motion that began there would push out what is inside by a little.
/// `None` if there is none within this part of the robot's length.
pub fn fixed_where_it_touches(
    system: &System,
    at: &State,
    inputs: &Inputs,
    options: &StaticOptions,
    work: &mut Workspace,
    nearby: f64,
) -> Option<State> {
    let moving = Inputs { duration: 1.0, ..inputs.clone() };
    let observer = &mut |_: &Iteration| true;
    let mut driver = Driver { system, work, options, history: Vec::new(), checks: 0, definite: false, observer };
    let found = quasi_static::near(&mut driver, at, &moving)?.state;
    let moved = |(from, to): (&Pose, &Pose)| (to.position - from.position).norm();
    let farthest = at.poses.iter().zip(&found.poses).map(moved).fold(0.0, f64::max);
    (farthest <= nearby * system.scales().length).then_some(found)
}

fn solve_watched(
    system: &System,
    (start, inputs): (&State, &Inputs),
    options: &StaticOptions,
    work: &mut Workspace,
    stopped: &Cell<bool>,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Solution {
    let mut driver = Driver { system, work, options, history: Vec::new(), checks: 0, definite: false, observer };
    if system.has_obstacles() {
        // Whoever needs no steps of the load knows an equilibrium nearby; without friction that is all there is to know.
        let knows = !options.load_steps && !system.has_contact_friction();
        if knows && let Some(reached) = quasi_static::near(&mut driver, start, inputs) {
            return quasi_static::answer(&mut driver, reached);
        }
        // On which side of an obstacle something lies, and what sticks, depends on how the load came on: evenly, from nothing.
        let course = load_course(system, inputs, start);
        let mut state = start.clone();
        system.drive(&course(0.0), &mut state);
        let reached = quasi_static::creep(&mut driver, &course, &state, FRICTION_STEP);
        if reached.t >= 1.0 || system.has_contact_friction() {
            return quasi_static::answer(&mut driver, reached);
        }
    }
    let mut search = Search { driver: &mut driver, inputs, load_steps: 1, events: Vec::new() };
    let mut found = search.run(start);
    let Search { load_steps, events, .. } = search;
    // Whoever stops a search does not wait to hear what is wrong with the robot.
    let unfinished = found.status != Status::Converged && found.status.load_factor() == 0.0 && !stopped.get();
    if unfinished && found.defect.is_none() {
        found.defect = defect::diagnose(system, start, inputs, driver.work);
        // What nothing holds does not snap or buckle.
        if found.defect.is_some() {
            found.status = Status::NotConverged { load_factor: 0.0 };
        }
    }
    driver.report(found.status, found.state, found.inputs, load_steps, events, found.defect)
}

/// A search for the equilibrium under given inputs.
struct Search<'s, 'a> {
    driver: &'s mut Driver<'a>,
    inputs: &'s Inputs,
    load_steps: usize,
    events: Vec<Event>,
}

impl Search<'_, '_> {
    fn run(&mut self, start: &State) -> Found {
        let mut state = start.clone();
        let whole = |status, state| Found { status, state, inputs: self.inputs.clone(), defect: None };
        let unstable = match self.driver.settle(start, self.inputs, &mut state) {
            Settled::Found { left_saddle } => {
                let found = whole(Status::Converged, state);
                if left_saddle {
                    self.look_back(start);
                }
                return found;
            }
            Settled::Stopped => return whole(Status::NotConverged { load_factor: 0.0 }, state),
            Settled::Unstable => Some(state),
            Settled::Nothing => None,
        };
        let stepped = match self.driver.options.load_steps {
            true => self.step_the_load(start),
            false => whole(Status::NotConverged { load_factor: 0.0 }, start.clone()),
        };
        match unstable {
            // An equilibrium all the same: its instability is reported with it.
            Some(found) if stepped.status != Status::Converged => {
                self.driver.definite = false;
                self.events.clear();
                Found { status: Status::Converged, state: found, inputs: self.inputs.clone(), defect: None }
            }
            _ => stepped,
        }
    }

    /// Along the load from nothing.
    fn step_the_load(&mut self, start: &State) -> Found {
        let (system, inputs) = (self.driver.system, self.inputs);
        let course = load_course(system, inputs, start);
        let nothing = |defect| Found {
            status: Status::NotConverged { load_factor: 0.0 },
            state: start.clone(),
            inputs: course(0.0),
            defect,
        };
        self.load_steps = 0;
        let limit = self.driver.options.max_iterations;
        let Some(first) = first_point(self.driver, start, &course) else { return nothing(None) };
        let mut step = FIRST_LOAD_STEP;
        let mut way = Continuation {
            driver: self.driver,
            course: &course,
            tolerance: EVENT_TOLERANCE,
            judged: false,
            limit,
            steps: 0,
        };
        // Where there is a potential the robot falls to another minimum; without one there is mostly nothing to fall to, and
        // the branch itself leads on, around its fold.
        let on_event = if system.is_conservative() { OnEvent::Jump } else { OnEvent::Stop };
        let mut journey = way.travel(first, &mut step, on_event, ALONG_THE_LOAD, &mut self.events);
        if let Some(by) = &mut journey.ended_by {
            let arc = way.follow_arc(&journey.last);
            // The branch itself shows that it turns back there.
            if let Some(fold) = arc.turned.filter(|fold| (fold.t - by.t).abs() < SAME_PLACE) {
                *by = Interruption { place: by.place.or(fold.place), ..fold };
                if let Some(event) = self.events.last_mut() {
                    (event.kind, event.at, event.place) = (by.kind, by.t, by.place);
                }
            }
            if let Some(around) = arc.arrived {
                journey.last = around;
                if let Some(event) = self.events.last_mut() {
                    event.after = Some(way.driver.energy(&journey.last.state, &journey.last.inputs));
                    event.negative_directions.1 = Some(journey.last.negative);
                }
            } else if on_event == OnEvent::Stop
                && let Some(landed) = way.land(&journey.last, None, journey.last.t)
            {
                let onward = way.travel(landed, &mut step, OnEvent::Jump, ALONG_THE_LOAD, &mut self.events);
                if onward.last.t >= 1.0 {
                    journey = onward;
                }
            }
        }
        let last = journey.last;
        self.load_steps = way.steps;
        // Where loops close, the way is partly one of closing them: no load to tell events by.
        if !system.kinds().closures.is_empty() {
            self.events.clear();
        }
        self.driver.definite = false;
        if last.t >= 1.0 {
            let mut state = last.state;
            // The load was raised with friction held: what it changes is found from there.
            let status = match system.has_friction() && !self.driver.renew_friction(&mut state, inputs) {
                false => Status::Converged,
                true => Status::NotConverged { load_factor: last.t },
            };
            return Found { status, state, inputs: inputs.clone(), defect: None };
        }
        let defect = defect::points_that_meet(system, &last.state);
        let status = match (&journey.ended_by, &defect) {
            (Some(by), None) if by.is_physical() => {
                let (rod, s) = by.place.unwrap_or_default();
                Status::Fold { load_factor: by.t, rod, s }
            }
            _ => Status::NotConverged { load_factor: last.t },
        };
        Found { status, state: last.state, inputs: last.inputs, defect }
    }

    /// Where the branch that leads from nothing lost its stability, after a saddle was left. Where loops close there is
    /// no load to tell it by.
    fn look_back(&mut self, start: &State) {
        let system = self.driver.system;
        if !self.driver.options.look_back || !system.is_conservative() || !system.kinds().closures.is_empty() {
            return;
        }
        let course = load_course(system, self.inputs, start);
        let options = StaticOptions { max_iterations: LOOKING_BACK, ..*self.driver.options };
        let mut driver = Driver {
            system,
            work: self.driver.work,
            options: &options,
            history: Vec::new(),
            checks: 0,
            definite: false,
            observer: &mut |_| true,
        };
        let Some(first) = first_point(&mut driver, start, &course) else { return };
        let mut way = Continuation {
            driver: &mut driver,
            course: &course,
            tolerance: EVENT_TOLERANCE,
            judged: false,
            limit: LOOKING_BACK,
            steps: 0,
        };
        way.travel(first, &mut 1.0, OnEvent::Stop, ALONG_THE_LOAD, &mut self.events);
        // That the steps found no way on says nothing about the branch.
        self.events.retain(|event| event.kind != EventKind::Snap);
    }
}

/// A part of the load, and of the way that closures have to go.
fn load_course<'c>(system: &'c System, inputs: &'c Inputs, start: &'c State) -> impl Fn(f64) -> Inputs + 'c {
    move |t| {
        if t >= 1.0 {
            return inputs.clone();
        }
        let mut part = inputs.part(t);
        system.aim_closures(start, t, &mut part);
        part
    }
}

/// The equilibrium without load, or else under as much of it as one is found for from the start.
fn first_point(driver: &mut Driver<'_>, start: &State, course: &dyn Fn(f64) -> Inputs) -> Option<Point> {
    let at_rest = |driver: &mut Driver<'_>, t, state, inputs| {
        let tolerance = EVENT_TOLERANCE;
        Continuation { driver, course, tolerance, judged: false, limit: 0, steps: 0 }.point(t, state, inputs)
    };
    let mut state = start.clone();
    let unloaded = course(0.0);
    if let Correction::Converged { .. } = driver.correct(&mut state, &unloaded)
        && let Some(point) = at_rest(driver, 0.0, state, unloaded)
    {
        return Some(point);
    }
    let policy = driver.attempts()[0].0;
    let mut t = FIRST_LOAD_STEP;
    while t > SMALLEST_LOAD_STEP && !driver.spent() {
        let inputs = course(t);
        let mut state = start.clone();
        let found = match driver.newton(&mut state, &inputs, LOAD_STEP_ATTEMPT, policy) {
            End::Converged { .. } => true,
            End::Saddle => driver.leave_saddle(&mut state, &inputs, policy) || policy != Shift::UntilDefinite,
            End::Stopped => return None,
            End::Failed => false,
        };
        if found && let Some(point) = at_rest(driver, t, state, inputs) {
            return Some(point);
        }
        t *= 0.25;
    }
    None
}

impl Driver<'_> {
    /// The answer, with what can be said of its state under the inputs that act on it.
    pub(crate) fn report(
        &mut self,
        status: Status,
        state: State,
        inputs: Inputs,
        load_steps: usize,
        events: Vec<Event>,
        defect: Option<Defect>,
    ) -> Solution {
        // The last word has the balance itself: steps that vanish where it does not hold are no equilibrium.
        let residual = self.system.evaluate(&state, &inputs, self.work);
        let defect = defect.or_else(|| defect::closed_tendon(self.system, &state));
        let status = match status {
            Status::Converged if defect.is_some() => Status::NotConverged { load_factor: 0.0 },
            Status::Converged if residual.balance.max(residual.misfit) > AT_REST => {
                Status::NotConverged { load_factor: 0.0 }
            }
            other => other,
        };
        let stability = (status == Status::Converged).then(|| self.stability(&state, &inputs));
        let energy = self.energy(&state, &inputs);
        if self.options.eigenvalue || !self.definite {
            // What was examined left its own numbers in the memory.
            self.system.evaluate(&state, &inputs, self.work);
        }
        let outcome = Outcome {
            status,
            history: std::mem::take(&mut self.history),
            checks: self.checks,
            load_steps,
            residual: residual.balance.max(residual.misfit),
            stability,
            energy,
            defect,
            events,
        };
        Solution { outcome, state, inputs, friction: 0.0 }
    }

    fn stability(&mut self, state: &State, inputs: &Inputs) -> Stability {
        if self.options.eigenvalue {
            return stability::examine(self.system, state, inputs, self.work);
        }
        let negative_directions =
            if self.definite { 0 } else { stability::negative_directions(self.system, state, inputs, self.work) };
        Stability {
            stable: negative_directions == 0,
            negative_directions,
            smallest_eigenvalue: f64::NAN,
            nonconservative: !self.system.is_conservative(),
        }
    }
}
