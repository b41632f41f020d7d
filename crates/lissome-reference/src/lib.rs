//! Oracles: answers that share no discretisation code with what they check.
//!
//! | question | oracle | method |
//! |---|---|---|
//! | equilibrium of one held rod | [`solve_cantilever`], [`solve_clamped`] | multiple shooting on the Cosserat equations |
//! | is this shape an equilibrium? | [`verify`] | the same, started from the shape |
//!
//! Rotations are unit quaternions with their own product ([`quaternion`]), carried along the rod by an
//! extrapolation integrator ([`extrapolation`]) at a tolerance of 1e-13. From `lissome-lie` only the types are
//! taken, as data. Nothing here is fast, and nothing here is used by the solvers.

pub mod cosserat;
pub mod error;
pub mod extrapolation;
pub mod quaternion;

pub use cosserat::{CosseratSolution, Guess, solve_cantilever, solve_clamped, verify};
pub use error::OracleError;
