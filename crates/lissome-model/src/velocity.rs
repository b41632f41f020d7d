//! Initial velocities of what moves.

use crate::invalid::{Invalid, Problem};
use nalgebra::Vector3;

/// The velocity with which a part begins to move, as a rigid motion in world axes: the point at `x` from the part's origin
/// moves with velocity + spin × x. The origin is that of a body's frame, or the section s = 0 of a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InitialVelocity {
    /// Velocity of the origin, world axes, m/s.
    pub velocity: Vector3<f64>,
    /// Angular velocity, world axes, rad/s.
    pub spin: Vector3<f64>,
}

impl InitialVelocity {
    /// True if nothing moves.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Velocity of the point at `arm` (world axes, m) from the part's origin.
    pub fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.velocity + self.spin.cross(arm)
    }

    pub(crate) fn validate(&self, path: &str) -> Result<(), Invalid> {
        for (key, vector) in [("velocity", self.velocity), ("spin", self.spin)] {
            if vector.iter().any(|x| !x.is_finite()) {
                return Err(Invalid::new(format!("{path}.{key}"), Problem::NotFinite));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_that_rolls_stands_on_the_ground() {
        // Hub 0.5 m above the ground, 2 rad/s about y: the hub moves with 1 m/s along x, the lowest point not at all.
        let wheel = InitialVelocity { velocity: Vector3::x(), spin: Vector3::y() * 2.0 };
        assert_eq!(wheel.at(&(Vector3::z() * -0.5)), Vector3::zeros());
        assert_eq!(wheel.at(&(Vector3::z() * 0.5)), Vector3::x() * 2.0);
    }

    #[test]
    fn only_finite_velocities() {
        assert!(InitialVelocity::default().is_zero());
        let spin = Vector3::new(0.0, f64::NAN, 0.0);
        let invalid = InitialVelocity { velocity: Vector3::zeros(), spin }.validate("body.ball");
        assert_eq!(invalid, Err(Invalid::new("body.ball.spin", Problem::NotFinite)));
    }
}
