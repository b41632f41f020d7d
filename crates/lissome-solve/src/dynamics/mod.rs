//! Motion: time integrators behind one interface.
//!
//! A [`Motion`] is the state of a moving system, an [`Integrator`] takes single steps of a [`Scheme`], a [`Run`] drives it
//! with a step control. See `docs/theory/dynamics.md`.

pub mod accuracy;
pub mod adjoint;
pub mod change;
mod closing;
mod contact_events;
pub mod control;
pub mod course;
mod first_guess;
mod impact_count;
pub mod impacts;
pub mod integrator;
mod kept_tangent;
pub mod lanczos;
mod missed;
pub mod mode_shape;
pub mod modes;
pub mod motion;
mod one_sided;
pub mod scheme;
mod small_motions;
pub mod snapshot;
mod stable_step;
pub mod step_report;
mod touching;
mod vibration;

pub use accuracy::MotionScale;
pub use adjoint::{MotionAdjoint, Pull};
pub use change::{Moment, MotionTangent, Neighbour};
pub use control::{Run, StepChoice, Stop, StopReason};
pub use course::{Course, SceneCourse, SystemOf};
pub use integrator::Integrator;
pub use mode_shape::{Displacements, displacements, mode_record};
pub use modes::{Mode, modes};
pub use motion::{Counts, Event, Motion};
pub use scheme::Scheme;
pub use small_motions::ModesError;
pub use snapshot::Snapshot;
pub use step_report::{StepFailure, StepReport};
