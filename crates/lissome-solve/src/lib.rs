//! Solvers: they know equations, not robots.

pub mod divergence;
pub mod newton;
pub mod outcome;
pub mod recording;
pub mod stability;
pub mod statics;

pub use outcome::{Energy, Iteration, Outcome, Stability, Status};
pub use recording::{Recording, RodRecord, Sample};
pub use statics::{Solution, StaticOptions};
