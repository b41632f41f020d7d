//! Cylinders with flat ends, about the axis z.

use crate::{Bounds, Nearest, Solid};
use nalgebra::{Matrix3, Vector3};

/// A cylinder about the axis z, with flat ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// m.
    pub radius: f64,
    /// Half of its length, m; infinite for one without ends.
    pub half_length: f64,
}

impl Solid for Cylinder {
    fn nearest(&self, at: &Vector3<f64>) -> Nearest {
        let axial = Vector3::z() * if at.z < 0.0 { -1.0 } else { 1.0 };
        let off = Vector3::new(at.x, at.y, 0.0);
        let rho = off.norm();
        let radial = if rho > 0.0 { off / rho } else { Vector3::x() };
        let around = Vector3::z().cross(&radial);
        let (beyond_side, beyond_end) = (rho - self.radius, at.z.abs() - self.half_length);
        // Turning about the axis turns the normal with its radial part.
        let turning = |part: f64| match rho > 0.0 {
            true => around * around.transpose() * (part / rho),
            false => Matrix3::zeros(),
        };
        if beyond_side > 0.0 && beyond_end > 0.0 {
            // From the rim.
            let distance = beyond_side.hypot(beyond_end);
            let (out, up) = (beyond_side / distance, beyond_end / distance);
            let along = radial * up - axial * out;
            return Nearest {
                distance,
                normal: radial * out + axial * up,
                curvature: along * along.transpose() / distance + turning(out),
            };
        }
        match beyond_side > beyond_end {
            true => Nearest { distance: beyond_side, normal: radial, curvature: turning(1.0) },
            false => Nearest { distance: beyond_end, normal: axial, curvature: Matrix3::zeros() },
        }
    }

    fn bounds(&self) -> Bounds {
        let half = Vector3::new(self.radius, self.radius, self.half_length);
        Bounds { low: -half, high: half }
    }
}
