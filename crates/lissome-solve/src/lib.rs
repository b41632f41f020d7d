//! Solvers: statics now; they know equations, not robots.

pub mod outcome;

pub use outcome::{Energy, Iteration, Outcome, Stability, Stage, Status};
