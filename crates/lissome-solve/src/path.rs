//! Equilibria along the drives: each from its predecessor.
//!
//! A sample starts from the last equilibrium with the drives moved on. Where that fails the way is halved, again and
//! again: what still fails is a fold, or not converged, at a parameter that is named.

use crate::Iteration;
use crate::statics::{self, Solution, StaticOptions};
use lissome_mech::{Inputs, State, System, Workspace};

/// Halvings of the way between two samples before it is given up.
const HALVINGS: i32 = 10;

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
}

/// Solves at `samples` values of the parameter from 0 to `end`. `record` sees every sample, `observer` every iteration;
/// either stops the work with `false`. A sample that does not converge is the last.
pub fn follow(
    system: &System,
    samples: usize,
    end: f64,
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
    record: &mut dyn FnMut(Step<'_>) -> bool,
) {
    let mut last: Option<(State, Inputs)> = None;
    for index in 0..samples {
        let at = end * index as f64 / (samples.max(2) - 1) as f64;
        let inputs = system.inputs_at(at);
        let solution = match &last {
            None => statics::solve_from_natural(system, options, work, observer),
            Some((state, from)) => advance(system, state, from, &inputs, options, work, observer),
        };
        let go_on = record(Step { index, at, inputs: &inputs, solution: &solution, work });
        if !go_on || !solution.outcome.converged() {
            return;
        }
        last = Some((solution.state, inputs));
    }
}

/// From one equilibrium to that under other inputs, in as few steps as it takes.
pub fn advance(
    system: &System,
    start: &State,
    from: &Inputs,
    to: &Inputs,
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Solution {
    let mut state = start.clone();
    let (mut reached, mut step): (f64, f64) = (0.0, 1.0);
    let mut history = Vec::new();
    let mut steps = 0;
    loop {
        let target = (reached + step).min(1.0);
        let inputs = if target >= 1.0 { to.clone() } else { from.toward(to, target) };
        let mut moved = state.clone();
        system.drive(&inputs, &mut moved);
        // Halving the way is the remedy here, not load steps from nothing.
        let options = StaticOptions { eigenvalue: options.eigenvalue && target >= 1.0, load_steps: false, ..*options };
        let mut solution = statics::solve(system, &moved, &inputs, &options, work, observer);
        history.append(&mut solution.outcome.history);
        if solution.outcome.converged() {
            steps += 1;
            if target >= 1.0 {
                solution.outcome.history = history;
                solution.outcome.load_steps = steps;
                return solution;
            }
            state = solution.state;
            reached = target;
            step *= 2.0;
        } else {
            step *= 0.5;
            if step < 2f64.powi(-HALVINGS) || history.len() >= options.max_iterations {
                let before = from.toward(to, reached);
                solution.outcome.status = statics::name_the_failure(system, &state, &before, reached, work);
                solution.outcome.history = history;
                solution.state = state;
                return solution;
            }
        }
    }
}
