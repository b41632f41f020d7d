//! How hard to look for an equilibrium, and for what.

use crate::newton::NOTHING_LEFT;
use lissome_mech::Winding;
use lissome_model::LoopWinding;

/// How to look for an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticOptions {
    /// Newton iterations in all.
    pub max_iterations: usize,
    /// Leave an unstable equilibrium for a stable one. Off, the first stationary point is the answer.
    pub leave_saddles: bool,
    /// Compute the smallest eigenvalue; off, only the inertia is known.
    pub eigenvalue: bool,
    /// Look up at which load the branch was left, where a saddle was; that is told as an event.
    pub look_back: bool,
    /// Try load steps from nothing where the whole load at once fails.
    pub load_steps: bool,
    /// Which way round a single rod in a loop turns; `None` tries both for the least energy.
    pub winding: Option<Winding>,
    /// An equilibrium is found where the next step of Newton's method would be below this, rad or lengths.
    pub settled: f64,
}

impl Default for StaticOptions {
    fn default() -> Self {
        Self {
            max_iterations: 2000,
            leave_saddles: true,
            eigenvalue: true,
            look_back: true,
            load_steps: true,
            winding: None,
            settled: NOTHING_LEFT,
        }
    }
}

impl StaticOptions {
    /// What a job asks for.
    pub fn of_job(max_iterations: usize, winding: LoopWinding) -> Self {
        let winding = match winding {
            LoopWinding::Least => None,
            LoopWinding::Shortest => Some(Winding::Short),
            LoopWinding::Longest => Some(Winding::Long),
        };
        Self { max_iterations, winding, ..Self::default() }
    }
}
