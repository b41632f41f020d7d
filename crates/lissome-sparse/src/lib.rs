//! Linear systems whose unknowns come in blocks of six, in time linear in the number of blocks.
//!
//! | need | type |
//! |---|---|
//! | symmetric, possibly indefinite matrices of chains | [`SymmetricBand`] → [`SymmetricFactor`] (block LDLᵀ, exact inertia) |
//! | systems of any sparsity: loops, joints, contacts | [`kkt`] (sparse block LDLᵀ or LU, names what is singular) |
//!
//! The assembled matrix and its factor are separate objects: the matrix stays available for residuals and
//! refinement, the factor is workspace that is allocated once and written again at every iteration. No decision depends
//! on the units of rows and columns, and every answer comes with a number that says how far it can be trusted.
//!
//! In mixed systems [K Aᵀ; A −M] the stresses (−M) must precede their poses, so that a pose has its stiffness when it is
//! eliminated.

mod band;
mod block;
mod error;
pub mod kkt;
mod lu_pivot;
mod pivot;
mod refine;
mod symmetric;

pub use band::SymmetricBand;
pub use error::{FactorError, Inertia};
pub use symmetric::SymmetricFactor;

/// Growth beyond which a block factorisation is tried another way. At 10¹⁰ six of sixteen digits are left in the weakest
/// pivot: its sign can be believed, and refinement gains some four digits a step. Rods stay far below: their growth is
/// about (L/r)²/100, 10⁶ for L/r = 10⁴.
const RETRY_GROWTH: f64 = 1e10;
