//! What a scene is made of as triangles: for the view of the page, for animations and for ParaView.

pub mod disks;
pub mod mesh;
pub mod obstacle;

pub use mesh::Mesh;
