//! A solid at a pose.

use crate::{Bounds, Nearest, Solid};
use lissome_lie::Pose;
use nalgebra::Vector3;

/// A solid at a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed<S> {
    /// From the axes of the solid to the world.
    pub pose: Pose,
    /// The solid in axes of its own.
    pub solid: S,
}

impl<S: Solid> Solid for Placed<S> {
    fn nearest(&self, at: &Vector3<f64>) -> Nearest {
        let rotation = &self.pose.rotation;
        let own = self.solid.nearest(&rotation.inverse_rotate(&(at - self.pose.position)));
        let turn = rotation.matrix();
        Nearest {
            distance: own.distance,
            normal: turn * own.normal,
            curvature: turn * own.curvature * turn.transpose(),
        }
    }

    fn bounds(&self) -> Bounds {
        self.solid.bounds().moved(&self.pose)
    }
}
