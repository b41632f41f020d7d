//! Pictures of a run: views of the robot, plots along paths and rods, residual history, and the page that holds them.

mod arrows;
pub mod axis;
mod bodies;
mod clip;
mod connections;
mod contacts;
mod course;
mod diagram;
mod fold_curves;
mod html;
pub mod modes;
pub mod motion;
mod obstacles;
pub mod page;
mod path_plots;
pub mod picture;
pub mod plane;
pub mod plot;
mod plots;
mod robot_tables;
mod rods;
mod sensitivity;
mod shapes;
mod springs;
mod stage;
pub mod style;
pub mod svg;
mod tables;
mod tendons;
mod tubes;
pub mod undeformed;
pub mod view;
mod window;

pub use picture::Picture;
pub use plots::pictures;
