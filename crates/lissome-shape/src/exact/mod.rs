//! The exact Kirchhoff (or Cosserat) equilibrium: Newton shooting with exact variations.

pub mod curve;
pub mod field;
pub mod march;
pub mod refine;
pub mod shooting;
pub mod step;

pub use curve::ExactCurve;
pub use refine::{Equilibrium, Guess, equilibrium};
pub use shooting::{Shooting, ShootingEnd};
