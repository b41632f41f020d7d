//! How a scene becomes equations: compile once into a [`System`], then evaluate it at any [`State`].
//!
//! The unknowns are the free control poses and, for mixed rods, the stress coefficients β. The potential is
//! Σ (βᵀ b(g) − ½ βᵀ M β) − W(g); its stationary points are the equilibria.

pub mod assemble;
pub mod closure;
pub mod element;
pub mod energy;
pub mod field;
pub mod linear;
pub mod load;
pub mod sink;
pub mod state;
pub mod system;
pub mod workspace;

pub use assemble::{CurvatureOf, Residual};
pub use element::spline::rod::Winding;
pub use energy::StressWork;
pub use field::Sample;
pub use state::State;
pub use system::System;
pub use workspace::Workspace;
