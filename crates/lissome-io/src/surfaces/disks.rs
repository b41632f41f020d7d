//! The disks that guide tendons.

use super::mesh::{self, Mesh};
use lissome_lie::Pose;
use lissome_model::{Frame, FrameOf, Scene};

/// Thickness of a disk as drawn, of its radius.
const THICKNESS: f64 = 0.12;

/// Every disk of a scene: the name of its set, its surface about its own axes, and where it sits.
pub fn all(scene: &Scene) -> impl Iterator<Item = (&str, Mesh, Frame)> {
    scene.disks.iter().flat_map(|disks| {
        disks.places.iter().map(|s| {
            let at = Frame { of: FrameOf::Rod { rod: disks.rod, s: *s }, pose: Pose::identity() };
            (disks.name.as_str(), mesh::cylinder(disks.radius, THICKNESS * disks.radius), at)
        })
    })
}
