//! Pictures of a run: shape views, plots along the rod, residual history, and the page that holds them.

mod arrows;
pub mod axis;
pub mod number;
pub mod page;
pub mod plot;
mod plots;
mod shapes;
pub mod style;
pub mod svg;
mod tables;
pub mod undeformed;
pub mod view;

pub use plots::{Picture, pictures};
