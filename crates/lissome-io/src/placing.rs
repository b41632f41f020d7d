//! Where frames are when only the coordinates of joints and the poses of bodies and rods are known: in the beginning, and
//! in the frames of a motion.

use crate::report::undeformed;
use lissome_lie::{Pose, Rotation};
use lissome_model::{Frame, FrameOf, Item, JointKind, Mount, Scene};
use lissome_solve::MotionFrame;
use nalgebra::Vector3;

/// Poses of the parts of a scene; `None` for what is not known.
#[derive(Clone, Debug, Default)]
pub struct Placing {
    bodies: Vec<Option<Pose>>,
    joints: Vec<Option<Pose>>,
    /// Arc lengths and poses.
    rods: Vec<Vec<(f64, Pose)>>,
}

impl Placing {
    /// In the beginning: bodies and joints where they start, rods without stress on what carries them.
    pub fn at_start(scene: &Scene) -> Self {
        let mut placing = Self {
            bodies: vec![None; scene.bodies.len()],
            joints: vec![None; scene.joints.len()],
            rods: vec![Vec::new(); scene.rods.len()],
        };
        for item in scene.assembly_order().unwrap_or_default() {
            let carrier = scene.carrier(item).and_then(|frame| placing.frame(&frame));
            match item {
                Item::Body(i) => {
                    placing.bodies[i] = match scene.bodies[i].mount {
                        Mount::On(_) => carrier,
                        Mount::Free(start) => Some(start),
                    }
                }
                Item::Joint(i) => {
                    let joint = &scene.joints[i];
                    placing.joints[i] = carrier.map(|parent| parent * joint_motion(&joint.kind, joint.start()));
                }
                Item::Rod(i) => {
                    let relative = undeformed::relative(&scene.rods[i]);
                    // What carries a rod without base is at its tip.
                    let back = match (scene.rods[i].base, relative.last()) {
                        (None, Some((_, tip))) => tip.inverse(),
                        _ => Pose::identity(),
                    };
                    placing.rods[i] = carrier
                        .map_or(Vec::new(), |at| relative.into_iter().map(|(s, pose)| (s, at * back * pose)).collect());
                }
            }
        }
        placing
    }

    /// At one time of a motion.
    pub fn in_motion(scene: &Scene, frame: &MotionFrame) -> Self {
        let along = |(rod, poses): (usize, &Vec<Pose>)| {
            let last = poses.len().saturating_sub(1).max(1) as f64;
            let length = scene.rods.get(rod).map_or(0.0, |rod| rod.length);
            poses.iter().enumerate().map(|(i, pose)| (length * (i as f64 / last), *pose)).collect()
        };
        let mut placing = Self {
            bodies: frame.bodies.iter().copied().map(Some).collect(),
            joints: vec![None; scene.joints.len()],
            rods: frame.rods.iter().map(|rod| &rod.poses).enumerate().map(along).collect(),
        };
        for item in scene.assembly_order().unwrap_or_default() {
            let Item::Joint(i) = item else { continue };
            let (joint, values) = (&scene.joints[i], frame.joints.get(i));
            placing.joints[i] =
                placing.frame(&joint.parent).zip(values).map(|(at, values)| at * joint_motion(&joint.kind, values));
        }
        placing
    }

    /// Pose of a frame in the world; on a rod between the poses that are known.
    pub fn frame(&self, frame: &Frame) -> Option<Pose> {
        let carrier = match frame.of {
            FrameOf::World => Pose::identity(),
            FrameOf::Body(body) => (*self.bodies.get(body)?)?,
            FrameOf::Joint(joint) => (*self.joints.get(joint)?)?,
            FrameOf::Rod { rod, s } => along(self.rods.get(rod)?, s)?,
        };
        Some(carrier * frame.pose)
    }
}

/// The pose at an arc length, between two that are known.
fn along(poses: &[(f64, Pose)], s: f64) -> Option<Pose> {
    let after = poses.partition_point(|(at, _)| *at < s).clamp(1, poses.len().checked_sub(1)?.max(1));
    let ((from, a), (to, b)) = (poses.get(after - 1)?, poses.get(after)?);
    Some(a.boxplus(&(b.boxminus(a) * ((s - from) / (to - from)))))
}

/// The pose after a joint, seen from the one before it. Coordinates that are missing are zero.
pub fn joint_motion(kind: &JointKind, values: &[f64]) -> Pose {
    let q = |i: usize| values.get(i).copied().unwrap_or(0.0);
    let turn = |axis: Vector3<f64>, angle: f64| Pose::new(Rotation::exp(&(axis * angle)), Vector3::zeros());
    match *kind {
        JointKind::Fixed => Pose::identity(),
        JointKind::Revolute { axis } => turn(axis, q(0)),
        JointKind::Prismatic { axis } => Pose::at(axis * q(0)),
        JointKind::Cylindrical { axis } => Pose::new(Rotation::exp(&(axis * q(0))), axis * q(1)),
        JointKind::Universal { first, second } => turn(first, q(0)) * turn(second, q(1)),
        JointKind::Spherical => turn(Vector3::new(q(0), q(1), q(2)), 1.0),
        JointKind::Planar { normal } => {
            let (u, v) = JointKind::plane_directions(&normal);
            Pose::new(Rotation::exp(&(normal * q(0))), u * q(1) + v * q(2))
        }
        JointKind::Free => Pose::new(Rotation::exp(&Vector3::new(q(0), q(1), q(2))), Vector3::new(q(3), q(4), q(5))),
    }
}
