//! lissome: statics of soft and continuum robots on Lie groups. Start reading at [`simulate()`].

#[cfg(doctest)]
mod documents;
pub mod modes;
pub mod moving;
mod record;
pub mod shapes;
pub mod simulate;

pub use lissome_io as io;
pub use lissome_lie as lie;
pub use lissome_mech as mech;
pub use lissome_model as model;
pub use lissome_shape as shape;
pub use lissome_solve as solve;
pub use shapes::shapes;
pub use simulate::{SimulateError, simulate};
