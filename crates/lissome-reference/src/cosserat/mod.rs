//! One Cosserat rod at rest, by multiple shooting.
//!
//! The balance is written in world axes, where it needs no Lie algebra: internal force n and moment m obey
//! n′ = −f and m′ = −p′×n − l, and the shape follows from the strain ξ = ξ₀ + K⁻¹ (Rᵀm, Rᵀn). The rod is cut into
//! segments; pose and wrench at every cut are unknowns, integrated exactly from cut to cut, and Newton's method
//! closes the gaps. Nothing grows exponentially along one segment, so that loads of thousands of EI/L² are fine,
//! and since the section enters by its compliance, slenderness does no harm.

mod buckling;
pub(crate) mod equations;
mod equilibrium;
mod newton;
pub(crate) mod scaled_rod;
mod solution;
mod stability;
mod staircase;

pub use buckling::{TipSupport, critical_load_factor};
pub use equilibrium::{Guess, solve_cantilever, solve_clamped, verify};
pub use solution::CosseratSolution;
pub use stability::negative_directions;
