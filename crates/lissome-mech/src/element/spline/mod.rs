//! The cumulative spline rod on SE(3): g(s) = g_{j−p} Π exp(B̄_i(s) Ψ_i) [xun2025, eq. (16)].
//!
//! - `rod`: the compiled rod: knots, quadrature, constant data.
//! - `kernel`: one quadrature point in closed form.
//! - `tangent`: sums over the rod in increments.
//! - `chain`: linear-strain elements in place of the Gram matrix.
//! - `compliance`: what the stresses answer to, constant or element by element.
//! - `pose_map`: from increments to control poses.
//! - `line_load`: gravity and distributed wrenches.
//! - `inertia`: Jacobians of the points in the poses, momenta, consistent mass.
//! - `step`, `step_tangent`: one time step.

pub mod chain;
pub mod compliance;
pub mod inertia;
pub mod kernel;
pub mod line_load;
pub mod pose_map;
pub mod rod;
pub mod sampling;
pub mod step;
pub mod step_tangent;
pub mod tangent;

pub use rod::{Compliance, SplineRod};

/// Calls a function generic over the degree with the rod's degree as a constant.
macro_rules! by_degree {
    ($degree:expr, $f:ident ( $($arg:expr),* $(,)? ) on $self:ident) => {
        match $degree {
            1 => $self.$f::<1>($($arg),*),
            2 => $self.$f::<2>($($arg),*),
            3 => $self.$f::<3>($($arg),*),
            4 => $self.$f::<4>($($arg),*),
            5 => $self.$f::<5>($($arg),*),
            other => unreachable!("a validated rod has degree 1..=5, not {other}"),
        }
    };
}
pub(crate) use by_degree;
