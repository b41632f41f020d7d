//! Rods, rigid bodies, joints, cables and springs at rest, by multiple shooting in absolute coordinates.
//!
//! Every body has its pose, every rod the pose and internal wrench at each of its cuts, every joint its reaction, and
//! each of them its equations: a body balances, a rod is integrated from cut to cut and ends where it is mounted, a joint
//! keeps what it forbids and leaves in its freedoms only its spring and its effort. A tree and a loop are the same to it.
//!
//! ```
//! use lissome_lie::{Pose, Wrench};
//! use lissome_reference::network::*;
//! use nalgebra::Vector3;
//!
//! // A rod from the wall to a body that a hinge with a spring holds to the ground.
//! let rod = RodSection::round(2e-3, 1e9, 0.3);
//! let tip = Vector3::new(0.2, 0.0, 0.0);
//! let network = Network {
//!     bodies: vec![Body::massless(Pose::at(tip))],
//!     rods: vec![Rod::uniform(0.2, rod, Mount::ground(Pose::identity()), Some(Mount::body(0, Pose::identity())))],
//!     joints: vec![
//!         Joint::free(Mount::ground(Pose::at(tip)), Mount::body(0, Pose::identity()), JointKind::Revolute(Vector3::y()))
//!             .with_spring(&[0.1], &[0.0]),
//!     ],
//!     loads: vec![Load::dead(0, Vector3::zeros(), Wrench::new(Vector3::new(0.0, 1e-4, 0.0), Vector3::zeros()))],
//!     ..Network::default()
//! };
//! let solved = solve(&network)?;
//! // A clamped–pinned rod resists with 4 EI/L beside the spring; shear softens it by parts in a thousand.
//! let ei = rod.stiffness[(1, 1)];
//! assert!((solved.joint_coordinates(0)[0] * (0.1 + 4.0 * ei / 0.2) / 1e-4 - 1.0).abs() < 5e-3);
//! # Ok::<(), lissome_reference::OracleError>(())
//! ```

mod chain;
mod conditions;
mod description;
mod exponential;
mod forces;
mod joints;
mod linearised;
mod place;
pub mod robots;
mod scene;
mod solution;
mod solver;
mod springs;
mod units;
mod unknowns;

pub use description::{
    Anchor, Body, Cable, CableDrive, Joint, JointMotion, Load, Mount, Network, On, Rod, RodSection, SectionLaw, Spring,
    SpringLaw,
};
pub use joints::JointKind;
pub use scene::SceneNetwork;
pub(crate) use scene::driven;
pub use solution::NetworkSolution;
pub use solver::{solve, solve_from};
