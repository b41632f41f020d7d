//! lissome: statics and motion of soft and continuum robots on Lie groups. Start reading at [`mod@simulate`].

mod buckling;
mod contact_record;
pub mod derivatives;
#[cfg(doctest)]
mod documents;
mod door;
mod equilibrium_record;
mod error;
pub mod fit;
mod fold_curve;
mod insertion;
mod insertion_division;
mod insertion_folds;
mod insertion_motion;
pub mod inverse;
mod modes;
mod motion;
mod motion_course;
mod motion_frame;
mod motion_look;
pub mod observe;
pub mod observer;
mod optimise;
mod path;
pub mod robot;
mod sampling;
mod sensitivity_record;
mod shapes;
pub mod simulate;
pub mod sweep;
pub mod templates;
mod tendon_method;
mod tendon_record;

pub use door::check;
pub use error::SimulateError;
pub use lissome_io as io;
pub use lissome_lie as lie;
pub use lissome_mech as mech;
pub use lissome_model as model;
pub use lissome_shape as shape;
pub use lissome_solve as solve;
pub use lissome_solve::Answer;
pub use lissome_solve::dynamics::Snapshot;
pub use observer::{Observer, OutputState, Progress, Unobserved};
pub use simulate::{resume, run, run_file};
