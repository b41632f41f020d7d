//! Solvers: they know equations, not robots.

pub mod accuracy;
pub mod answer;
mod arclength;
pub mod arnoldi;
pub mod branch;
pub mod buckling;
mod continuation;
mod corrector;
pub mod defect;
pub mod divergence;
mod driver;
pub mod dynamics;
pub mod energy_balance;
pub mod event;
pub mod flutter;
mod journey;
pub mod krylov;
mod leap;
mod lowest;
pub mod motion_record;
pub mod newton;
pub mod outcome;
pub mod path;
pub mod recording;
mod schur;
pub mod stability;
pub mod statics;

pub use answer::{Answer, BucklingAnswer, Course, ModesAnswer, MotionAnswer, MotionRecord, PathAnswer, ShapeAnswer};
pub use defect::{Defect, DefectKind};
pub use energy_balance::EnergyBalance;
pub use event::{Event, EventKind};
pub use motion_record::{
    CableFrame, Momentum, MotionEffort, MotionEnd, MotionEnergy, MotionEvent, MotionEventKind, MotionFrame, MotionStop,
    RodFrame,
};
pub use outcome::{Energy, Iteration, Outcome, Stability, Status};
pub use recording::{
    BodyRecord, CableRecord, CriticalLoadRecord, Equilibrium, JointRecord, ModeRecord, PathSample, RodRecord, Sample,
    SpringRecord, TubeRecord,
};
pub use statics::{Solution, StaticOptions};
