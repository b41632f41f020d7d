//! Solvers: they know equations, not robots.

pub mod accuracy;
pub mod answer;
pub mod arnoldi;
pub mod branch;
pub mod defect;
pub mod divergence;
pub mod dynamics;
pub mod energy_balance;
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

pub use answer::{Answer, Course, ModesAnswer, MotionAnswer, MotionRecord, PathAnswer, ShapeAnswer};
pub use defect::{Defect, DefectKind};
pub use energy_balance::EnergyBalance;
pub use motion_record::{
    CableFrame, Momentum, MotionEffort, MotionEnd, MotionEnergy, MotionEvent, MotionEventKind, MotionFrame, MotionStop,
    RodFrame,
};
pub use outcome::{Energy, Iteration, Outcome, Stability, Status};
pub use recording::{BodyRecord, CableRecord, Equilibrium, JointRecord, ModeRecord, PathSample, RodRecord, Sample};
pub use statics::{Solution, StaticOptions};
