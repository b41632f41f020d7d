//! How a scene becomes equations: compile once into a [`System`], then evaluate it at any [`State`].
//!
//! The unknowns are the free control poses and, for mixed rods, the stress coefficients β. The potential is
//! Σ (βᵀ b(g) − ½ βᵀ M β) − W(g); its stationary points are the equilibria.

mod articulation;
pub mod assemble;
pub mod cable;
pub mod closure;
mod compile;
pub mod element;
pub mod energy;
pub mod field;
pub mod impulse;
pub mod index;
pub mod inputs;
pub mod joint;
pub mod linear;
pub mod load;
pub mod merit;
pub mod motion;
mod numbering;
mod rigging;
pub mod sink;
pub mod slots;
pub mod state;
pub mod system;
pub mod workspace;

pub use assemble::{CurvatureOf, Residual};
pub use element::spline::rod::Winding;
pub use energy::StressWork;
pub use field::Sample;
pub use inputs::Inputs;
pub use motion::{MechanicalState, MotionWorkspace};
pub use state::State;
pub use system::{Part, System};
pub use workspace::Workspace;
