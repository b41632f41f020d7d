//! Rotations, poses and the curves drawn on them: the mathematics of everything above.
//!
//! Every 6-vector is angular part first, every tangent is left-trivialised (body frame):
//! `g ⊞ x = g exp(x)`, `h ⊟ g = log(g⁻¹ h)`. Nothing here allocates, prints or fails silently.

pub mod dual;
pub mod knots;
pub mod pose;
pub mod quadrature;
pub mod rotation;
pub mod vectors;

pub use knots::{Break, CumulativeBasis, KnotError, KnotVector, MAX_DEGREE, Span, open_uniform_knots};
pub use pose::Pose;
pub use quadrature::{GaussPoint, gauss_legendre};
pub use rotation::{Rotation, skew};
pub use vectors::{Strain, Twist, Wrench};
