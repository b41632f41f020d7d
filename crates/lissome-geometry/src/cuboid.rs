//! Boxes with flat sides, and the half-space below a plane.

use crate::{Bounds, Nearest, Solid};
use nalgebra::{Matrix3, Vector3};

/// Everything below the plane z = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HalfSpace;

impl Solid for HalfSpace {
    fn nearest(&self, at: &Vector3<f64>) -> Nearest {
        Nearest { distance: at.z, normal: Vector3::z(), curvature: Matrix3::zeros() }
    }

    fn bounds(&self) -> Bounds {
        Bounds::everything()
    }
}

/// A box around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half of each edge, m.
    pub half: Vector3<f64>,
}

impl Solid for Cuboid {
    fn nearest(&self, at: &Vector3<f64>) -> Nearest {
        let side = |i: usize| if at[i] < 0.0 { -1.0 } else { 1.0 };
        let beyond = at.abs() - self.half;
        let outside = beyond.sup(&Vector3::zeros());
        let distance = outside.norm();
        if distance == 0.0 {
            // Inside: the nearest side.
            let nearest = beyond.imax();
            let normal = Vector3::from_fn(|i, _| if i == nearest { side(i) } else { 0.0 });
            return Nearest { distance: beyond[nearest], normal, curvature: Matrix3::zeros() };
        }
        let normal = Vector3::from_fn(|i, _| side(i) * outside[i] / distance);
        // From a side the nearest point follows in two directions, from an edge in one, from a corner in none.
        let free = Matrix3::from_diagonal(&beyond.map(|beyond| if beyond > 0.0 { 1.0 } else { 0.0 }));
        Nearest { distance, normal, curvature: (free - normal * normal.transpose()) / distance }
    }

    fn bounds(&self) -> Bounds {
        Bounds { low: -self.half, high: self.half }
    }
}
