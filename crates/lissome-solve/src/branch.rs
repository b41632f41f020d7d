//! One branch of equilibria as the loads grow, stable or not: plain Newton, each from its neighbour.
//!
//! `statics` looks for a stable equilibrium and `path` follows what a robot does; here the branch itself is followed through
//! the points where it loses its stability, which is what critical loads are found on.

use crate::energy::Energy;
use crate::newton::Iteration;
use crate::outcome::{Outcome, Status};
use crate::stability;
use crate::statics::{self, Solution, StaticOptions};
use lissome_mech::{CurvatureOf, Inputs, Potentials, State, System, Workspace};
use std::cell::Cell;
use std::fmt;

/// Newton iterations for one equilibrium, and the scaled step that ends them.
const MOST_ITERATIONS: usize = 20;
const STEP_TOLERANCE: f64 = 1e-9;
/// A step this small that no longer shrinks is round-off.
const ROUND_OFF_STEP: f64 = 1e-6;
/// A first step longer than this may lead to another branch: the way is halved.
const LARGEST_STEP: f64 = 0.2;
/// Round rods turn about themselves for free: so much of the elastic stiffness is added where the tangent is singular.
const NEUTRAL_SHIFT: f64 = 1e-7;
/// Parts of the way that are too small to go on with.
const SMALLEST_PART: f64 = 1e-6;

/// Who sees every Newton iteration on a branch, and whether they asked to stop.
pub struct Watcher<'a> {
    see: &'a dyn Fn(&Iteration) -> bool,
    stopped: Cell<bool>,
}

impl<'a> Watcher<'a> {
    /// Shows iterations to a function, which stops the work with `false`.
    pub fn new(see: &'a dyn Fn(&Iteration) -> bool) -> Self {
        Self { see, stopped: Cell::new(false) }
    }

    /// True once the work was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped.get()
    }

    fn goes_on(&self, iteration: &Iteration) -> bool {
        if !self.is_stopped() && !(self.see)(iteration) {
            self.stopped.set(true);
        }
        !self.is_stopped()
    }
}

impl fmt::Debug for Watcher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

/// An equilibrium of a branch, the loads that it carries, and memory to go on.
#[derive(Clone, Debug)]
pub struct Branch<'a> {
    system: &'a System,
    inputs: Inputs,
    state: State,
    work: Workspace,
    watcher: Option<&'a Watcher<'a>>,
}

impl<'a> Branch<'a> {
    /// The branch through an equilibrium under these inputs.
    pub fn through(system: &'a System, state: &State, inputs: &Inputs) -> Self {
        Self { system, inputs: inputs.clone(), state: state.clone(), work: system.workspace(), watcher: None }
    }

    /// The same branch under somebody's eyes: once they ask to stop, it leads nowhere.
    pub fn watched(self, watcher: &'a Watcher<'a>) -> Self {
        Self { watcher: Some(watcher), ..self }
    }

    /// True once whoever watches asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.watcher.is_some_and(Watcher::is_stopped)
    }

    /// The branch that begins without loads; `None` if there is no equilibrium.
    pub fn unloaded(system: &'a System, inputs: &Inputs) -> Option<Self> {
        let inputs = inputs.with_factor(0.0);
        if let Some(branch) = Self::near_rest(system, &inputs) {
            return Some(branch);
        }
        let mut work = system.workspace();
        let mut start = system.natural_state();
        system.drive(&inputs, &mut start);
        let options = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::default() };
        let solution = statics::solve(system, &start, &inputs, &options, &mut work, &mut |_| true);
        solution.outcome.converged().then_some(Self { system, inputs, state: solution.state, work, watcher: None })
    }

    /// The branch through the equilibrium that plain Newton finds from the natural state; `None` if there is none nearby.
    pub fn near_rest(system: &'a System, inputs: &Inputs) -> Option<Self> {
        let mut work = system.workspace();
        let mut state = system.natural_state();
        system.drive(inputs, &mut state);
        let settled = settle(system, &mut state, inputs, &mut work, None);
        settled.then(|| Self { system, inputs: inputs.clone(), state, work, watcher: None })
    }

    /// The equilibrium as an answer, with its residual, stability and energies; the workspace is left as it needs to be
    /// read.
    pub fn solution(&self, work: &mut Workspace) -> Solution {
        let stability = stability::examine(self.system, &self.state, &self.inputs, work);
        let Potentials { elastic, gravity, applied } = self.system.potentials(&self.state, &self.inputs, work);
        let residual = self.system.evaluate(&self.state, &self.inputs, work);
        let outcome = Outcome {
            status: Status::Converged,
            history: Vec::new(),
            checks: 0,
            load_steps: 1,
            residual: residual.balance.max(residual.misfit),
            stability: Some(stability),
            energy: Energy { elastic, gravity, loads: applied },
            defect: None,
            events: Vec::new(),
        };
        Solution { outcome, state: self.state.clone(), inputs: self.inputs.clone(), friction: 0.0 }
    }

    /// The part of the loads that acts.
    pub fn factor(&self) -> f64 {
        self.inputs.factor
    }

    /// The equilibrium.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What acts on it.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Moves to the equilibrium under another part of the loads, in as few steps as it takes. False if the branch does not
    /// lead there; it then stands at the last equilibrium on the way.
    pub fn advance(&mut self, factor: f64) -> bool {
        let from = self.factor();
        let (mut reached, mut part) = (0.0f64, 1.0f64);
        while reached < 1.0 {
            let target = (reached + part).min(1.0);
            let next = if target < 1.0 { from + (factor - from) * target } else { factor };
            let inputs = self.inputs.with_factor(next);
            let mut trial = self.state.clone();
            if settle(self.system, &mut trial, &inputs, &mut self.work, self.watcher) {
                (self.state, self.inputs) = (trial, inputs);
                reached = target;
                part *= 2.0;
            } else {
                part *= 0.5;
                if part < SMALLEST_PART || self.is_stopped() {
                    return false;
                }
            }
        }
        true
    }
}

/// Plain Newton; false if it does not settle nearby.
fn settle(
    system: &System,
    state: &mut State,
    inputs: &Inputs,
    work: &mut Workspace,
    watcher: Option<&Watcher<'_>>,
) -> bool {
    let mut trial = state.clone();
    let mut previous = LARGEST_STEP;
    for _ in 0..MOST_ITERATIONS {
        system.refresh_dependent_stress(state, work);
        let residual = system.assemble(state, inputs, CurvatureOf::Increments, work);
        if system.factor(work).is_err() {
            system.shift_to(NEUTRAL_SHIFT, work);
            if system.factor(work).is_err() {
                return false;
            }
        }
        system.solve(state, work);
        let step = system.step_size(work);
        let largest = residual.balance.max(residual.misfit);
        let iteration = Iteration { load_factor: inputs.factor, residual: largest, step, fraction: 1.0, shift: 0.0 };
        if watcher.is_some_and(|watcher| !watcher.goes_on(&iteration)) {
            return false;
        }
        // Also where a number is not finite.
        let nearby = step <= LARGEST_STEP;
        if !nearby {
            return false;
        }
        system.retract_increments(state, 1.0, work, &mut trial);
        std::mem::swap(state, &mut trial);
        if step < STEP_TOLERANCE || (step < ROUND_OFF_STEP && step > 0.5 * previous) {
            system.refresh_dependent_stress(state, work);
            return residual.balance.is_finite() && residual.misfit.is_finite();
        }
        previous = step;
    }
    false
}
