//! Spheres, and capsules: all that is no farther than a radius from a point or from a piece of a line.

use crate::solid::{across, around};
use crate::{Bounds, Nearest, Solid};
use nalgebra::{Matrix3, Vector3};

/// A ball around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// m.
    pub radius: f64,
}

impl Solid for Sphere {
    fn nearest(&self, at: &Vector3<f64>) -> Nearest {
        around(at, self.radius, &Matrix3::identity(), &Vector3::x())
    }

    fn bounds(&self) -> Bounds {
        Bounds::around([Vector3::zeros()]).grown(self.radius)
    }
}

/// All that is within a radius of a piece of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Ends of the line.
    pub ends: [Vector3<f64>; 2],
    /// m.
    pub radius: f64,
}

impl Solid for Capsule {
    fn nearest(&self, at: &Vector3<f64>) -> Nearest {
        let [a, b] = self.ends;
        let way = b - a;
        let square = way.norm_squared();
        let along = if square > 0.0 { (at - a).dot(&way) / square } else { 0.0 };
        let foot = a + way * along.clamp(0.0, 1.0);
        let inside = along > 0.0 && along < 1.0;
        // Along the line the nearest point follows.
        let free = match inside {
            true => Matrix3::identity() - way * way.transpose() / square,
            false => Matrix3::identity(),
        };
        around(&(at - foot), self.radius, &free, &across(&way))
    }

    fn bounds(&self) -> Bounds {
        Bounds::around(self.ends).grown(self.radius)
    }
}
