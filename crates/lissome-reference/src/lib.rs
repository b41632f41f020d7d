//! Oracles: answers that share no discretisation code with what they check.
//!
//! | question | oracle | method |
//! |---|---|---|
//! | equilibrium of one held rod | [`solve_cantilever`], [`solve_clamped`] | multiple shooting on the Cosserat equations |
//! | is this shape an equilibrium? | [`verify`] | the same, started from the shape |
//! | is it stable? | [`negative_directions`] | inertia of the exact linearised rod |
//! | when does a straight rod buckle? | [`critical_load_factor`] | that inertia, then the boundary determinant |
//! | equilibrium of rods, bodies, joints and cables | [`network::solve`] | the same, with the bodies' balance |
//! | equilibrium of nested pre-curved tubes, and is it stable? | [`tubes::solve`] | the same, with angle and torque of every tube |
//! | where does an inextensible rod end? | [`kirchhoff`] | integration from the base |
//! | elastica, helices, rings, arches, pairs of tubes, vibration, critical loads | [`analytic`] | closed forms, small solvers |
//! | spin-up of a flexible arm, rods in flight, the right-angle cantilever | [`motion`] | polynomials in arc length, closed forms, chains of rigid sections |
//! | rods driven by tendons | [`tendons`] | shooting on the total stress and on the rod's own, strain modes |
//! | which knot is a rod tied in? | [`knot`] | crossings of a projection |
//! | rigid linkages, pendulum with stops, spring and damper | [`rigid`] | a minimal coordinate |
//!
//! ```
//! use lissome_lie::{Pose, Wrench};
//! use lissome_model::*;
//! use lissome_reference::{negative_directions, solve_cantilever};
//! use nalgebra::Vector3;
//!
//! let section = Section::circle(0.02, Material::from_poisson(2e5, 0.45));
//! let rod = Rod {
//!     name: "arm".into(),
//!     length: 1.0,
//!     profile: Profile::uniform(section),
//!     natural: NaturalShape::Straight,
//!     base: Some(Pose::identity().into()),
//!     discretization: Discretization::default(),
//!     ..Rod::default()
//! };
//! let force = Wrench::new(Vector3::zeros(), Vector3::new(0.0, 0.0, 0.1));
//! let load = Load {
//!     name: "pull".into(),
//!     rod: 0,
//!     frame: LoadFrame::World,
//!     kind: LoadKind::Point { at: 1.0, wrench: force },
//! };
//! let scene = Scene {
//!     title: "arm".into(),
//!     gravity: Vector3::zeros(),
//!     rods: vec![rod],
//!     loads: vec![load],
//!     ..Scene::default()
//! };
//! let exact = solve_cantilever(&scene, 0, None)?;
//! let arm = exact.tip().position;
//! assert!((exact.base_wrench.moment.y + 0.1 * arm.x).abs() < 1e-12);
//! assert_eq!(negative_directions(&exact)?, 0);
//! # Ok::<(), lissome_reference::OracleError>(())
//! ```
//!
//! Rotations are unit quaternions with their own product ([`quaternion`]), carried along the rod by an
//! extrapolation integrator ([`extrapolation`]) at a tolerance of 1e-13. From `lissome-lie` only the types are
//! taken, as data. Nothing here is fast, and nothing here is used by the solvers.

pub mod analytic;
pub mod cosserat;
pub mod error;
pub mod extrapolation;
pub mod kirchhoff;
pub mod knot;
pub mod motion;
pub mod network;
pub mod quaternion;
pub mod rigid;
pub mod tendons;
pub mod tubes;

pub use cosserat::{
    CosseratSolution, Guess, TipSupport, critical_load_factor, negative_directions, solve_cantilever, solve_clamped,
    verify,
};
pub use error::OracleError;
