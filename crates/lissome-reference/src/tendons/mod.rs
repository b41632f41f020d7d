//! Rods driven by routed tendons, by three methods that share nothing but the description.
//!
//! | method | unknowns | what it needs where a tendon ends or kinks |
//! |---|---|---|
//! | [`total_stress`] | the total moment at the base | nothing: the total stress is continuous |
//! | [`newtonian`] | the six stresses of the rod at the base | the exact jump of the strain |
//! | [`lagrangian`] | strain coordinates of every segment | a segment border |
//!
//! The last two are the methods of \[tendon2025\], as printed and corrected; `docs/theory/tendons.md` lists the
//! corrections. [`scenarios`] has the paper's five robots, [`comparison`] its table III.
//!
//! ```
//! use lissome_reference::tendons::{newtonian, scenarios::Scenario, total_stress};
//!
//! let rod = Scenario::C.robot(&[10.0, 0.0]);
//! let by_total_stress = total_stress::solve(&rod)?;
//! let by_shooting = newtonian::solve(&rod, newtonian::Jump::Exact)?;
//! let (distance, angle) = by_total_stress.tip_difference(&by_shooting);
//! assert!(distance < 1e-9 && angle < 1e-8);
//! # Ok::<(), lissome_reference::OracleError>(())
//! ```

mod active_stress;
pub mod comparison;
pub mod description;
pub mod lagrangian;
pub mod newtonian;
pub mod routing;
pub mod scenarios;
mod scene;
mod shooting;
pub mod solution;
mod span;
pub mod spline;
pub mod total_stress;

pub use description::{Segment, Tendon, TendonRod};
pub use routing::{Path, Piece, Routing};
pub use solution::{TendonSample, TendonSolution};
