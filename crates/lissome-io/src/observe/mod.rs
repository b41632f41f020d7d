//! Observations: markers in, the robot's shape with its bands out. Reading the table, complaints, and the folder of the answer; the
//! shape itself is found by the façade.

pub mod fault;
pub mod folder;
mod json;
pub mod markers;
pub mod noise;
pub mod place;
pub mod summary;

pub use fault::ObserveFault;
pub use folder::write;
pub use markers::{Marker, MarkerFrame, MarkerTable};
pub use noise::Noise;
pub use summary::ObserveSummary;
