//! Rotations, poses and the curves drawn on them: the mathematics of everything above.
//!
//! Every 6-vector is angular part first, every tangent is left-trivialised (body frame):
//! `g ⊞ x = g exp(x)`, `h ⊟ g = log(g⁻¹ h)`. Nothing here allocates, prints or fails silently.
//!
//! | to | read |
//! |---|---|
//! | turn and move frames | [`rotation`], [`pose`], [`vectors`] |
//! | differentiate exp and log, at speed | [`dual`] |
//! | write for either group, with exp or Cayley | [`group`], [`retraction`], [`cayley`] |
//! | lay knots, evaluate B-splines, integrate | [`knots`], [`quadrature`] |
//! | draw curves and see how they move | [`curve`], [`jacobian`], [`hermite`] |
//!
//! ```
//! use lissome_lie::{CumulativeCurve, KnotVector, Pose, Strain, open_uniform_knots};
//!
//! // A cubic rod of 0.4 m in five spans, bent to a quarter circle: control poses at the Greville points.
//! let mut knots = Vec::new();
//! open_uniform_knots(3, 0.4, 5, &[], &mut knots)?;
//! let knots = KnotVector::new(3, &knots)?;
//! let mut strain = Strain::straight();
//! strain.curvature.z = std::f64::consts::FRAC_PI_2 / 0.4;
//! let poses: Vec<Pose> =
//!     (0..knots.control_count()).map(|i| Pose::identity().advance(&strain, knots.greville(i))).collect();
//!
//! let curve = CumulativeCurve::<Pose>::new(knots, &poses)?;
//! let radius = 0.4 / std::f64::consts::FRAC_PI_2;
//! assert!((curve.pose(0.4).position.y - radius).abs() < 1e-15);
//! assert!((Strain::from(curve.strain(0.17)) - strain).to_vector().norm() < 1e-13);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
