//! Linear systems whose unknowns come in blocks of six, in time linear in the number of blocks.
//!
//! | need | type |
//! |---|---|
//! | symmetric, possibly indefinite tangents of chains | [`SymmetricBand`] → [`SymmetricFactor`] (block LDLᵀ, exact inertia) |
//! | unsymmetric tangents of chains | [`GeneralBand`] → [`GeneralFactor`] (LU with partial pivoting) |
//!
//! The assembled matrix and its factor are separate objects: the matrix stays available for residuals and
//! refinement, the factor is workspace that is allocated once and written again at every iteration.

mod band;
mod block;
mod error;
mod general;
mod pivot;
mod scalar_lu;
mod symmetric;

pub use band::SymmetricBand;
pub use error::{FactorError, Inertia};
pub use general::{GeneralBand, GeneralFactor};
pub use symmetric::SymmetricFactor;

/// Unknowns per block: a twist or a wrench.
pub const BLOCK: usize = 6;
