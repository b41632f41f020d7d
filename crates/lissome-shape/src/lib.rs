//! The shape of an elastic rod from the poses of its two ends \[muller2025cfk\].
//!
//! Two grippers hold a rod; given where they hold it, what is its shape, and what wrench does it exert on them?
//!
//! ```
//! use lissome_lie::{Pose, Rotation};
//! use lissome_model::Material;
//! use lissome_shape::{ElasticRod, Ends, Method, Options, solve};
//! use nalgebra::Vector3;
//!
//! // A fibreglass rod of 0.6 m, 2 mm thick.
//! let rod = ElasticRod::round(0.6, 1e-3, Material::from_moduli(35e9, 3e9))?;
//! let tip = Pose::new(Rotation::exp(&Vector3::new(0.77, 1.33, 0.31)), Vector3::new(0.46, 0.187, -0.252));
//! let ends = Ends::new(Pose::identity(), tip)?;
//!
//! let exact = solve(&rod, &ends, &Options::default())?;
//! assert!((exact.energy - 0.04443492236013864).abs() < 1e-10);
//! let middle = exact.pose(0.5);
//! assert!((middle.position - Vector3::new(0.28526347, 0.04431456, -0.06524883)).norm() < 1e-7);
//!
//! // Microseconds instead of a tenth of a millisecond, and it knows how far off it is.
//! let quick = solve(&rod, &ends, &Options::with(Method::PRINTED))?;
//! assert!((quick.pose(0.5).position - middle.position).norm() < 2.0 * quick.error().position);
//! # Ok::<(), lissome_shape::ShapeError>(())
//! ```
//!
//! | want | call | read |
//! |---|---|---|
//! | a shape | [`solve()`] | [`solve`](mod@solve), the ladder from cheap to exact |
//! | the printed method, corrected | [`Method::Printed`] | [`printed`] |
//! | least energy over polynomials | [`Method::Energy`] | [`energy`] |
//! | the equilibrium itself | [`Method::Exact`] | [`exact`] |
//! | every equilibrium, stable or not | [`equilibria()`] | [`equilibria`](mod@equilibria), [`stability`] |
//! | derivative by the end poses | [`Shape::jacobian`] | [`manipulation::jacobian`] |
//! | follow moving ends until it snaps | [`Follower`] | [`manipulation::follow`] |
//! | many at once | [`solve_batch`] | [`batch`] |
//!
//! Nothing here prints, reads a clock or a file, or keeps state between calls; the same ends give the same bits on any
//! number of threads.

pub mod batch;
pub mod canonical;
pub mod comparison;
pub mod elastic;
pub mod ends;
pub mod energy;
pub mod equilibria;
pub mod error;
pub mod exact;
pub mod manipulation;
pub mod options;
pub mod polynomial;
pub mod printed;
pub mod quadrature;
pub mod shape;
pub mod solve;
pub mod stability;
mod winding;

pub use batch::solve_batch;
pub use comparison::{Comparison, RodShapes, compare};
pub use elastic::ElasticRod;
pub use ends::{Ends, pose_from_matrix, pose_from_quat_wxyz};
pub use equilibria::{Found, Search, equilibria};
pub use error::{End, ShapeError};
pub use manipulation::{ByEnds, Fold, Followed, Follower, ShapeJacobian};
pub use options::{Mechanics, Method, Options, Quadrature, Winding};
pub use shape::{ErrorEstimate, Shape};
pub use solve::solve;
pub use stability::{Stability, Verdict};
