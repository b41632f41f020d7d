//! Solvers: they know equations, not robots.

pub mod accuracy;
pub mod answer;
mod arc_events;
mod arclength;
pub mod arnoldi;
pub mod branch;
pub mod buckling;
pub mod contact_record;
mod continuation;
mod corrector;
pub mod defect;
pub mod derivative;
pub mod diagram;
pub mod divergence;
mod driver;
pub mod dynamics;
mod energy;
pub mod energy_balance;
pub mod event;
pub mod flutter;
pub mod fold_curve;
pub mod inverse;
mod journey;
pub mod krylov;
mod leap;
pub mod least_squares;
mod lowest;
pub mod motion_record;
pub mod newton;
pub mod observe;
pub mod optimise;
pub mod outcome;
pub mod path;
mod quasi_static;
pub mod recording;
mod schur;
pub mod sensitivity;
pub mod stability;
mod static_options;
pub mod statics;

pub use answer::{
    Answer, BucklingAnswer, Course, FoldCurveAnswer, ModesAnswer, MotionAnswer, MotionRecord, PathAnswer, ShapeAnswer,
};
pub use contact_record::{ContactFrame, ContactPoint, ContactRecord};
pub use defect::{Defect, DefectKind};
pub use diagram::{BranchEnd, Origin, TracedBranch};
pub use energy::Energy;
pub use energy_balance::EnergyBalance;
pub use event::{Event, EventKind};
pub use fold_curve::{FoldCurve, FoldCurveEnd, FoldPoint};
pub use motion_record::{
    CableFrame, Momentum, MotionEffort, MotionEnd, MotionEnergy, MotionEvent, MotionEventKind, MotionFrame, MotionStop,
    RodFrame, Velocity,
};
pub use newton::Iteration;
pub use outcome::{Outcome, Stability, Status};
pub use recording::{
    BodyRecord, CableRecord, ConstraintRecord, CriticalLoadRecord, DerivativeCourse, DerivativeRecord, Equilibrium,
    FreeRecord, JointRecord, ModeRecord, OptimumRecord, OptimumRound, PathSample, RodRecord, Sample, SensitivityRecord,
    Sought, SpringRecord, TendonRecord, TendonRunRecord, TipRecord, TubeRecord,
};
pub use statics::{Solution, StaticOptions};
