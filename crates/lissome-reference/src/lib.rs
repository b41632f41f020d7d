//! Oracles: answers that share no discretisation code with what they check.
//!
//! | question | oracle | method |
//! |---|---|---|
//! | equilibrium of one held rod | [`solve_cantilever`], [`solve_clamped`] | multiple shooting on the Cosserat equations |
//! | is this shape an equilibrium? | [`verify`] | the same, started from the shape |
//! | is it stable? | [`negative_directions`] | inertia of the exact linearised rod |
//! | when does a straight rod buckle? | [`critical_load_factor`] | that inertia, then the boundary determinant |
//! | elastica, circle, critical loads | [`analytic`] | closed forms |
//!
//! Rotations are unit quaternions with their own product ([`quaternion`]), carried along the rod by an
//! extrapolation integrator ([`extrapolation`]) at a tolerance of 1e-13. From `lissome-lie` only the types are
//! taken, as data. Nothing here is fast, and nothing here is used by the solvers.

pub mod analytic;
pub mod cosserat;
pub mod error;
pub mod extrapolation;
pub mod quaternion;

pub use cosserat::{
    CosseratSolution, Guess, TipSupport, critical_load_factor, negative_directions, solve_cantilever, solve_clamped,
    verify,
};
pub use error::OracleError;
