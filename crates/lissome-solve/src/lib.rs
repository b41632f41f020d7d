//! Solvers: they know equations, not robots.

pub mod arnoldi;
pub mod branch;
pub mod defect;
pub mod divergence;
pub mod dynamics;
pub mod flutter;
pub mod krylov;
pub mod motion_record;
pub mod newton;
pub mod outcome;
pub mod path;
pub mod recording;
mod schur;
pub mod stability;
pub mod statics;

pub use defect::{Defect, DefectKind};
pub use motion_record::{
    CableFrame, ModeRecord, Momentum, MotionEffort, MotionEnd, MotionEnergy, MotionFrame, MotionStop, RodFrame,
};
pub use outcome::{Energy, Iteration, Outcome, Stability, Status};
pub use recording::{BodyRecord, CableRecord, JointRecord, PathSample, Recording, RodRecord, Sample};
pub use statics::{Solution, StaticOptions};
