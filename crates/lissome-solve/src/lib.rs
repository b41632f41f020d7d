//! Solvers: they know equations, not robots.

mod continuation;
mod corrector;
pub mod defect;
pub mod divergence;
mod driver;
pub mod dynamics;
pub mod event;
mod journey;
mod lowest;
pub mod motion_record;
pub mod newton;
pub mod outcome;
pub mod path;
pub mod recording;
pub mod stability;
pub mod statics;

pub use defect::{Defect, DefectKind};
pub use event::{Event, EventKind};
pub use motion_record::{
    CableFrame, ModeRecord, Momentum, MotionEffort, MotionEnd, MotionEnergy, MotionFrame, MotionStop, RodFrame,
};
pub use outcome::{Energy, Iteration, Outcome, Stability, Status};
pub use recording::{BodyRecord, CableRecord, JointRecord, PathSample, Recording, RodRecord, Sample};
pub use statics::{Solution, StaticOptions};
