//! How a scene becomes equations: compile once into a [`System`], then evaluate it at any [`State`].
//!
//! The unknowns are the free control poses and, for mixed rods, the stress coefficients β. The potential is
//! Σ (βᵀ b(g) − ½ βᵀ M β) − W(g); its stationary points are the equilibria.

pub mod assembly;
pub mod element;
pub mod field;
pub mod load;
pub mod state;
pub mod system;
pub mod workspace;

pub use element::spline::Softening;
pub use field::Sample;
pub use state::State;
pub use system::System;
pub use workspace::{CurvatureOf, Elasticity, Residual, Workspace};
