//! Moving the ends: how the shape answers, and following a trajectory until the rod would snap.
//!
//! No verb of the program moves ends; both are for controllers and planners that hold the rod themselves and call the
//! library at every step.

pub mod follow;
pub mod jacobian;

pub use follow::{Fold, Followed, Follower};
pub use jacobian::{ByEnds, ShapeJacobian};
