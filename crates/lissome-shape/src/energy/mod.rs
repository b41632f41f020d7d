//! The least elastic energy over polynomial rotations with both end poses held.
//!
//! \[muller2025cfk\] assumes that least boundary curvature means least energy; minimising the energy itself over the
//! same cubic costs little more and is an order of magnitude nearer to the rod in three dimensions.

pub mod chain;
pub mod dense;
pub mod element;
pub mod estimate;
pub mod ladder;
pub mod minimise;
pub mod wrench_fit;

pub use chain::Chain;
pub use minimise::{AtSaddle, Minimum, Stationary, minimise};
