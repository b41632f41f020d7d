//! Geometry of contact: how far a point is from a solid, where the nearest point of it is, how the distance changes, and
//! where two curves come close.
//!
//! A distance is signed: positive outside, negative inside. Its gradient is the outward normal ν, its second derivative H
//! the curvature that a contact force needs in a tangent. Solids stand in axes of their own; [`Placed`] moves them. No
//! query allocates: what may have many answers writes them to a list of the caller's.

pub mod bounds;
pub mod broad;
pub mod capsule;
pub mod cuboid;
pub mod curve;
pub mod cylinder;
pub mod height;
pub mod line_contact;
pub mod mesh;
pub mod pairs;
pub mod placed;
pub mod ridge;
pub mod solid;
pub mod tree;
pub mod triangle;
pub mod tube;

pub use bounds::Bounds;
pub use capsule::{Capsule, Sphere};
pub use cuboid::{Cuboid, HalfSpace};
pub use curve::{Curve, CurvePoint, Foot};
pub use cylinder::Cylinder;
pub use height::{Graph, GraphPoint, HeightFault, HeightField, UnderGraph};
pub use mesh::{Mesh, MeshFault};
pub use pairs::{Approach, closest_pairs, closest_pairs_with_itself};
pub use placed::Placed;
pub use ridge::{Crossing, Leaning, Ridge, RidgePoint};
pub use solid::{Nearest, Solid};
pub use tube::{Bore, Tube};
