//! What measured markers tell of a robot: how its equilibrium answers to forces at them, how much of each number the markers
//! decide, and how far what follows from them can be trusted.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | m, h(x) | a measured number, and what it is of the robot in state x | m, rad |
//! | σ | its standard deviation | m, rad |
//! | k = T/σ² | stiffness of the spring that stands for it | N/m, N·m/rad |
//! | T | energy that says how far unknown forces bend the robot | J |
//! | K, H | tangent of the robot without the springs; ∂h/∂x | |
//! | D | H (K + HᵀkH)⁻¹ Hᵀ, how markers answer to forces on them | m/N |
//! | A | √k D √k: the share of each normalised number that the data decide; 0 ≤ A ≤ 1 | – |
//! | C | H K⁻¹ Hᵀ, the same without the springs | m/N |
//!
//! The robot takes the shape of least E(x) + ½ Σ k (h − m)². With unknown forces on the markers whose prior is exp(−E/T) that is the
//! most probable shape. `docs/theory/observer.md` derives what follows: the markers' covariance is T D, what depends on
//! them by Y = ∂y/∂h has the covariance Y T D Yᵀ, and a marker is predicted by the others with the covariance σ (1 − A)⁻¹ σ less σ².

mod probe;
mod record;
mod response;
mod verdict;

pub use probe::{Probe, Row, rows};
pub use record::{
    Observation, ObservedBody, ObservedFrame, ObservedMarker, ObservedRod, ObservedSample, ObservedUnknown, SampleBand,
    Seen,
};
pub use response::{Columns, by_inputs, by_wrenches};
pub use verdict::{Decided, Fit};

/// Part of the probability that bands hold.
pub const PART: f64 = 0.95;
/// Half width of an interval that holds 95 % of a normal distribution, in standard deviations.
pub const NORMAL_95: f64 = 1.959_963_984_540_054;
