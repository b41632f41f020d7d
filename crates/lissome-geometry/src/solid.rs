//! What a solid answers to a point.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | δ | signed distance | `distance` | m |
//! | ν | its gradient, outward | `normal` | – |
//! | H | its second derivative | `curvature` | 1/m |

use crate::Bounds;
use nalgebra::{Matrix3, Vector3};

/// The nearest place of a solid's surface, seen from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Signed distance, negative inside, m.
    pub distance: f64,
    /// Gradient of the distance: the outward normal. Where several directions lead to the surface alike (the centre of a
    /// sphere, an axis), one of them.
    pub normal: Vector3<f64>,
    /// Second derivative of the distance, 1/m; zero where it has none.
    pub curvature: Matrix3<f64>,
}

impl Nearest {
    /// The nearest point of the surface, seen from `at`.
    pub fn point(&self, at: &Vector3<f64>) -> Vector3<f64> {
        at - self.normal * self.distance
    }

    /// The same solid with a skin of a thickness around it.
    pub fn less(self, thickness: f64) -> Self {
        Self { distance: self.distance - thickness, ..self }
    }
}

/// A body of any shape, in axes of its own.
pub trait Solid {
    /// The nearest place of its surface.
    fn nearest(&self, at: &Vector3<f64>) -> Nearest;

    /// A box around it; infinite where it has no end.
    fn bounds(&self) -> Bounds;
}

/// Distance from a core (a point, a line, a curve) less a radius. `free` projects on the directions in which the nearest
/// point of the core does not follow.
pub(crate) fn around(from_core: &Vector3<f64>, radius: f64, free: &Matrix3<f64>, spare: &Vector3<f64>) -> Nearest {
    let length = from_core.norm();
    if length == 0.0 {
        return Nearest { distance: -radius, normal: *spare, curvature: Matrix3::zeros() };
    }
    let normal = from_core / length;
    let curvature = (free - normal * normal.transpose()) / length;
    Nearest { distance: length - radius, normal, curvature }
}

/// Some direction across another.
pub(crate) fn across(direction: &Vector3<f64>) -> Vector3<f64> {
    let least = direction.iamin();
    let axis = Vector3::from_fn(|i, _| if i == least { 1.0 } else { 0.0 });
    direction.cross(&axis).try_normalize(0.0).unwrap_or(Vector3::x())
}
