//! Static equilibrium: the driver that always answers.
//!
//! 1. The whole load at once from the natural shape, Newton on the mixed functional in the increments ([`crate::newton`]).
//!    Without a potential the plain iteration comes first, then one that is shifted while far from equilibrium.
//! 2. A saddle is left downhill along its lowest mode.
//! 3. If that fails: load steps that adapt to what converges.
//! 4. What still fails is named: a fold where the tangent loses rank, or not converged with the last equilibrium.

use crate::newton::{End, Newton, SADDLE_STEP, Shift};
use crate::outcome::{Energy, Iteration, Outcome, Stability, Status};
use crate::{defect, stability};
use lissome_mech::index::{RodIndex, Slot};
use lissome_mech::{CurvatureOf, Inputs, Potentials, State, System, Winding, Workspace};

/// How to look for an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticOptions {
    /// Newton iterations in all.
    pub max_iterations: usize,
    /// Leave an unstable equilibrium for a stable one. Off, the first stationary point is the answer.
    pub leave_saddles: bool,
    /// Compute the smallest eigenvalue; off, only the inertia is known.
    pub eigenvalue: bool,
    /// Try load steps from nothing where the whole load at once fails.
    pub load_steps: bool,
    /// Which way round a single rod in a loop turns; `None` tries both for the least energy.
    pub winding: Option<Winding>,
}

impl Default for StaticOptions {
    fn default() -> Self {
        Self { max_iterations: 500, leave_saddles: true, eigenvalue: true, load_steps: true, winding: None }
    }
}

/// An answer and the state it belongs to.
#[derive(Clone, Debug)]
pub struct Solution {
    /// How it went.
    pub outcome: Outcome,
    /// The last iterate; an equilibrium if the outcome converged.
    pub state: State,
}

/// Iterations of an attempt at the whole load, and of one load step.
const ATTEMPT: usize = 40;
/// Without a potential most problems take the plain iteration or none: it gets fewer.
const PLAIN_ATTEMPT: usize = 20;
const LOAD_STEP_ATTEMPT: usize = 16;
/// First load step and the one that is given up as too small.
const FIRST_LOAD_STEP: f64 = 0.25;
const SMALLEST_LOAD_STEP: f64 = 1e-4;
/// How often a saddle is left, and how far along its lowest mode (scaled displacement).
const SADDLES: usize = 4;
const LEAVE_BY: f64 = 0.1;
/// On the way out of a saddle short steps are no sign of another one.
const DEPARTING_STEP: f64 = 1e-5;
/// Below this relative stiffness a failing load step is called a fold.
const FOLD_EIGENVALUE: f64 = 0.1;

struct Driver<'a> {
    system: &'a System,
    inputs: &'a Inputs,
    work: &'a mut Workspace,
    options: &'a StaticOptions,
    history: Vec<Iteration>,
    load_steps: usize,
    /// The last equilibrium is known to be a minimum.
    definite: bool,
    observer: &'a mut dyn FnMut(&Iteration) -> bool,
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
    system.evaluate(&best.state, &inputs.part(best.outcome.load_factor()), work);
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
    let mut driver =
        Driver { system, inputs, work, options, history: Vec::new(), load_steps: 0, definite: false, observer };
    let mut state = start.clone();
    let status = driver.drive(start, &mut state);
    let lost = status != Status::Converged && status.load_factor() == 0.0;
    let defect = if lost { defect::diagnose(system, start, inputs, driver.work) } else { None };
    // What nothing holds does not snap or buckle.
    let status = if defect.is_some() { Status::NotConverged { load_factor: 0.0 } } else { status };
    let mut solution = driver.report(status, state);
    solution.outcome.defect = defect;
    solution
}

impl Driver<'_> {
    fn drive(&mut self, start: &State, state: &mut State) -> Status {
        let attempts = self.attempts();
        let mut unstable: Option<State> = None;
        self.load_steps = 1;
        for (policy, limit) in attempts {
            state.clone_from(start);
            match self.newton(state, self.inputs, *limit, *policy) {
                End::Converged { definite } => {
                    self.definite = definite;
                    if definite || !self.options.leave_saddles || self.is_stable(state) {
                        return Status::Converged;
                    }
                    unstable.get_or_insert_with(|| state.clone());
                }
                End::Saddle if !self.options.leave_saddles || self.leave_saddle(state, self.inputs, *policy) => {
                    return Status::Converged;
                }
                End::Saddle => {
                    unstable.get_or_insert_with(|| state.clone());
                }
                End::Stopped => return Status::NotConverged { load_factor: 0.0 },
                End::Failed => {}
            }
        }
        let stepped = if self.options.load_steps {
            state.clone_from(start);
            self.step_the_load(start, state, attempts[0].0)
        } else {
            Status::NotConverged { load_factor: 0.0 }
        };
        match unstable {
            // An equilibrium all the same: its instability is reported with it.
            Some(found) if stepped != Status::Converged => {
                *state = found;
                self.definite = false;
                Status::Converged
            }
            _ => stepped,
        }
    }

    /// What to try on the whole load, in order. Without a potential: dead forces, which dominate the energy, gain from
    /// shifting while far; moments and follower forces alone are nearly linear in the increments and lose by it.
    fn attempts(&self) -> &'static [(Shift, usize)] {
        if self.system.is_conservative() {
            &[(Shift::UntilDefinite, ATTEMPT)]
        } else if self.system.has_dead_forces() {
            &[(Shift::WhenFar, ATTEMPT), (Shift::Never, PLAIN_ATTEMPT)]
        } else {
            &[(Shift::Never, PLAIN_ATTEMPT), (Shift::WhenFar, ATTEMPT)]
        }
    }

    fn is_stable(&mut self, state: &State) -> bool {
        stability::examine(self.system, state, self.inputs, self.work).stable
    }

    fn newton(&mut self, state: &mut State, inputs: &Inputs, limit: usize, shift: Shift) -> End {
        self.newton_with_saddle_step(state, inputs, limit, shift, SADDLE_STEP)
    }

    fn newton_with_saddle_step(
        &mut self,
        state: &mut State,
        inputs: &Inputs,
        limit: usize,
        shift: Shift,
        saddle_step: f64,
    ) -> End {
        let limit = limit.min(self.options.max_iterations.saturating_sub(self.history.len()));
        let mut newton = Newton {
            system: self.system,
            saddle_step,
            work: self.work,
            history: &mut self.history,
            observer: self.observer,
        };
        newton.run(state, inputs, limit, shift)
    }

    /// Moves down the lowest mode and starts again, as often as it takes. True if that ends on a minimum; otherwise the
    /// saddle is left as it was.
    fn leave_saddle(&mut self, state: &mut State, inputs: &Inputs, policy: Shift) -> bool {
        if !self.options.leave_saddles {
            return false;
        }
        let found = state.clone();
        for _ in 0..SADDLES {
            let saddle = state.clone();
            let Some(mode) = stability::lowest_mode(self.system, &saddle, inputs, self.work) else { break };
            self.system.assemble(&saddle, inputs, CurvatureOf::Increments, self.work);
            self.system.set_pose_step(&mode.direction, self.work);
            let size = self.system.step_size(self.work);
            self.system.retract_increments(&saddle, LEAVE_BY / size, self.work, state);
            match self.newton_with_saddle_step(state, inputs, ATTEMPT, policy, DEPARTING_STEP) {
                End::Converged { definite } => {
                    self.definite = definite;
                    return true;
                }
                End::Saddle => {}
                End::Failed | End::Stopped => break,
            }
        }
        state.clone_from(&found);
        false
    }

    fn step_the_load(&mut self, start: &State, state: &mut State, policy: Shift) -> Status {
        let (mut reached, mut step) = (0.0, FIRST_LOAD_STEP);
        let mut trial = state.clone();
        self.load_steps = 0;
        while reached < 1.0 {
            let target = f64::min(1.0, reached + step);
            trial.clone_from(state);
            let mut inputs = self.inputs.part(target);
            self.system.aim_closures(start, target, &mut inputs);
            let end = match self.newton(&mut trial, &inputs, LOAD_STEP_ATTEMPT, policy) {
                End::Saddle if self.leave_saddle(&mut trial, &inputs, policy) => End::Converged { definite: true },
                end => end,
            };
            match end {
                End::Converged { definite } => {
                    self.definite = definite;
                    std::mem::swap(state, &mut trial);
                    reached = target;
                    step *= 2.0;
                    self.load_steps += 1;
                }
                End::Stopped => return Status::NotConverged { load_factor: reached },
                End::Saddle | End::Failed => {
                    step *= 0.25;
                    let spent = self.history.len() >= self.options.max_iterations;
                    if spent || step < SMALLEST_LOAD_STEP {
                        let mut inputs = self.inputs.part(reached);
                        self.system.aim_closures(start, reached, &mut inputs);
                        return name_the_failure(self.system, state, &inputs, reached, self.work);
                    }
                }
            }
        }
        Status::Converged
    }

    fn report(mut self, status: Status, state: State) -> Solution {
        let load_factor = status.load_factor();
        let stability = (status == Status::Converged).then(|| self.stability(&state));
        let inputs = self.inputs.part(load_factor);
        let Potentials { elastic, gravity, applied } = self.system.potentials(&state, &inputs, self.work);
        let residual = self.system.evaluate(&state, &inputs, self.work);
        let outcome = Outcome {
            status,
            history: std::mem::take(&mut self.history),
            load_steps: self.load_steps,
            residual: residual.balance.max(residual.misfit),
            stability,
            energy: Energy { elastic, gravity, loads: applied },
            defect: None,
        };
        Solution { outcome, state }
    }

    fn stability(&mut self, state: &State) -> Stability {
        if self.options.eigenvalue {
            return stability::examine(self.system, state, self.inputs, self.work);
        }
        let negative_directions =
            if self.definite { 0 } else { stability::negative_directions(self.system, state, self.inputs, self.work) };
        Stability {
            stable: negative_directions == 0,
            negative_directions,
            smallest_eigenvalue: f64::NAN,
            nonconservative: !self.system.is_conservative(),
        }
    }
}

/// What keeps an equilibrium from being followed farther, `reached` of the way: a fold if its stiffness nearly vanished.
pub fn name_the_failure(system: &System, state: &State, inputs: &Inputs, reached: f64, work: &mut Workspace) -> Status {
    match stability::lowest_mode(system, state, inputs, work) {
        Some(mode) if mode.eigenvalue.abs() < FOLD_EIGENVALUE => {
            let (rod, s) = largest_motion(system, &mode.direction);
            Status::Fold { load_factor: reached, rod, s }
        }
        _ => Status::NotConverged { load_factor: reached },
    }
}

/// Rod and arc length where a mode moves most.
fn largest_motion(system: &System, direction: &[f64]) -> (usize, f64) {
    let layout = system.layout();
    let mut best = (0, 0.0, -1.0);
    for (index, rod) in system.rods().iter().enumerate() {
        let knots = rod.curve().knot_vector();
        for (i, slot) in layout.rod(RodIndex::new(index)).poses().map(Slot::new).enumerate() {
            let Some(group) = layout.own_group(slot.node()) else { continue };
            let v = &direction[layout.rows(group)][3..];
            let size = v.iter().map(|x| x * x).sum::<f64>();
            if size > best.2 {
                best = (index, knots.greville(i), size);
            }
        }
    }
    (best.0, best.1)
}
