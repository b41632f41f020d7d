//! What the robot is: materials, sections, rods, loads, scenes. Plain data, checked once.
//!
//! Everything is SI. No solver and no file lives here; see [`Scene::validate`] for the door through
//! which every scene passes.

pub mod invalid;
pub mod load;
pub mod material;
pub mod rod;
pub mod scene;
pub mod section;
pub mod shape_job;

pub use invalid::{Invalid, Problem};
pub use load::{Load, LoadFrame, LoadKind};
pub use material::Material;
pub use rod::{Discretization, NaturalShape, Resolution, Rod, StrainForm};
pub use scene::{Job, Scene, StaticsJob};
pub use section::{Layer, Profile, Section, Shape, Station};
pub use shape_job::{ShapeJob, ShapeMethod, ShapeWinding};
