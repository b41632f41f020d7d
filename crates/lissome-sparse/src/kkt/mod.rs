//! Systems of any sparsity, in groups of up to six unknowns: robots with closed loops, joints, contacts.
//!
//! ```text
//! [ H  Jᵀ ] [ δ ]   [ r ]
//! [ J  0  ] [ λ ] = [ c ]
//! ```
//!
//! A [`Pattern`] is declared once and hands out a [`Slot`] for every block that can be non-zero. A [`KktMatrix`], or a
//! [`GeneralKktMatrix`] if loads make it unsymmetric, holds the values, which are written in place at every iteration; a
//! [`KktFactor`] or [`GeneralKktFactor`] holds the order of elimination, the pattern of the factor and its values, and
//! allocates nothing after construction. Multipliers that come and go, such as contacts, are declared at the end of the
//! pattern: [`Pattern::rewind`] takes them back, [`KktMatrix::rebuild`] and [`KktFactor::rebuild`] follow for a fraction
//! of what new ones cost.
//!
//! The order of elimination is that of minimum degree, or that of declaration if it is no dearer, among the groups that
//! may already be eliminated: a multiplier only after all its primal neighbours, any other group after those it was told
//! to wait for ([`Pattern::after`]). If H is definite on what is eliminated before, every pivot is then sound without
//! exchanging rows between groups. So a pose without stiffness of its own must wait for one of its stresses, and a passive
//! joint for the multipliers of the loops it moves in, even of those it is not coupled with: before them, the rest of the
//! loop turns with it freely. [`KktFactor::weak_pivots`] tells where an order is not sound. Within a group pivots are
//! chosen as in the band, 1×1 and 2×2 for symmetric matrices, so that their inertia is exact, no decision depends on units,
//! and growth tells how far to trust the result.

mod extension;
mod factor;
mod general_factor;
mod general_matrix;
mod layout;
mod matrix;
mod ordering;
mod pattern;
mod symbolic;
mod weak;

pub use factor::KktFactor;
pub use general_factor::GeneralKktFactor;
pub use general_matrix::GeneralKktMatrix;
pub use matrix::KktMatrix;
pub use pattern::{Group, Mark, Pattern, PatternError, Role, Slot};
pub use weak::WeakPivot;
