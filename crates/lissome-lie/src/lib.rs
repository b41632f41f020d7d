//! Rotations, poses and the curves drawn on them: the mathematics of everything above.
//!
//! Every 6-vector is angular part first, every tangent is left-trivialised (body frame):
//! `g ⊞ x = g exp(x)`, `h ⊟ g = log(g⁻¹ h)`. Nothing here allocates, prints or fails silently.

pub mod cayley;
pub mod curve;
pub mod dual;
pub mod group;
pub mod hermite;
pub mod jacobian;
pub mod knots;
pub mod pose;
pub mod quadrature;
pub mod retraction;
pub mod rotation;
pub mod vectors;

pub use cayley::Cayley;
pub use curve::{CumulativeCurve, CurveError, Rates, Segment};
pub use group::LieGroup;
pub use hermite::CubicHermite;
pub use jacobian::Jacobian;
pub use knots::{Break, CumulativeBasis, KnotError, KnotVector, MAX_DEGREE, Span, open_uniform_knots};
pub use pose::Pose;
pub use quadrature::{GaussPoint, gauss_legendre};
pub use retraction::{Exponential, Retraction};
pub use rotation::{Rotation, skew};
pub use vectors::{Strain, Twist, Wrench};
