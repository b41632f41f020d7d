//! Moving the ends: how the shape answers, and following a trajectory until the rod would snap.

pub mod follow;
pub mod jacobian;

pub use follow::{Fold, Followed, Follower};
pub use jacobian::{ByEnds, ShapeJacobian};
