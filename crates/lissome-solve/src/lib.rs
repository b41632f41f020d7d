//! Solvers: statics now; they know equations, not robots.

pub mod outcome;
pub mod recording;

pub use outcome::{Energy, Iteration, Outcome, Stability, Stage, Status};
pub use recording::{Recording, RodRecord, Sample};
