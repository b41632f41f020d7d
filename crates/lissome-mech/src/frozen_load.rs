//! A load as it was at the last assembly: a step is judged by its work, whether or not it has a potential.

use crate::load::SectionLoad;
use lissome_lie::{Pose, Rotation};
use nalgebra::Vector3;

/// A wrench as it was at the last assembly, for the work along a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrozenLoad {
    force: Vector3<f64>,
    moment_body: Vector3<f64>,
    rotation: Rotation,
}

impl FrozenLoad {
    /// A load on a section with this orientation, which a dead force does not need.
    pub(crate) fn at(load: &SectionLoad, rotation: impl Fn() -> Rotation) -> Self {
        let rotation = if load.is_conservative() { Rotation::identity() } else { rotation() };
        let wrench = load.wrench(&rotation, 1.0);
        Self { force: rotation.rotate(&wrench.force), moment_body: wrench.moment, rotation }
    }

    /// −work of the frozen wrench on the way to `pose`, up to a constant.
    pub(crate) fn potential(&self, pose: &Pose) -> f64 {
        let mut potential = -self.force.dot(&pose.position);
        if self.moment_body != Vector3::zeros() {
            potential -= self.moment_body.dot(&(self.rotation.inverse() * pose.rotation).log());
        }
        potential
    }
}
