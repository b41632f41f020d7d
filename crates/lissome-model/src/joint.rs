//! Joints. A joint is a frame that moves relative to its parent: what is attached to it is its child.

use crate::Frame;
use crate::invalid::{Invalid, Problem, check};
use lissome_lie::Pose;
use nalgebra::Vector3;

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// How it can move.
    pub kind: JointKind,
    /// Where it sits.
    pub parent: Frame,
    /// Who decides about its coordinates.
    pub motion: JointMotion,
    /// Spring stiffness, N·m/rad or N/m, one per coordinate.
    pub stiffness: Vec<f64>,
    /// Coordinates at which the springs are at rest, one per coordinate.
    pub rest: Vec<f64>,
    /// Viscous damping, N·m·s/rad or N·s/m, one per coordinate.
    pub damping: Vec<f64>,
    /// Range of each coordinate that has one.
    pub limits: Vec<Option<(f64, f64)>>,
    /// Part of the speed with which a coordinate leaves a limit that it ran into, from 0 to 1.
    pub restitution: f64,
    /// Rates with which a motion begins, rad/s or m/s, one per coordinate (none: at rest); a driven joint has none.
    pub initial_rate: Vec<f64>,
}

impl Default for Joint {
    /// Fixed to the world.
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: JointKind::Fixed,
            parent: Frame::world(Pose::identity()),
            motion: JointMotion::Free { start: Vec::new() },
            stiffness: Vec::new(),
            rest: Vec::new(),
            damping: Vec::new(),
            limits: Vec::new(),
            restitution: 0.0,
            initial_rate: Vec::new(),
        }
    }
}

/// How a joint can move. Axes are unit vectors in the joint's own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// Turns about an axis.
    Revolute { axis: Vector3<f64> },
    /// Slides along an axis.
    Prismatic { axis: Vector3<f64> },
    /// Turns about an axis and slides along it.
    Cylindrical { axis: Vector3<f64> },
    /// Turns about a first axis, then about a second that the first carries.
    Universal { first: Vector3<f64>, second: Vector3<f64> },
    /// Turns about every axis.
    Spherical,
    /// Slides in a plane and turns about its normal.
    Planar { normal: Vector3<f64> },
    /// Moves in every way.
    Free,
}

/// Who decides about the coordinates of a joint.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum JointMotion {
    /// The equations: the joint moves as forces say, beginning here.
    Free { start: Vec<f64> },
    /// A drive: the coordinates are prescribed.
    Driven { value: Vec<f64> },
    /// The equations, with a force or torque along each coordinate.
    Actuated { effort: Vec<f64>, start: Vec<f64> },
}

/// What a coordinate of a joint measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// An angle, rad.
    Angle,
    /// A distance, m.
    Distance,
}

impl JointKind {
    /// Name and kind of each coordinate, in order. `rx`, `ry`, `rz` are the rotation vector of the frame after the joint, `x`,
    /// `y`, `z` the position of its origin in the axes of the frame before it; `u` and `v` are the same position along two
    /// directions of the plane.
    pub fn coordinates(&self) -> &'static [(&'static str, Coordinate)] {
        use Coordinate::{Angle, Distance};
        match self {
            Self::Fixed => &[],
            Self::Revolute { .. } => &[("angle", Angle)],
            Self::Prismatic { .. } => &[("travel", Distance)],
            Self::Cylindrical { .. } => &[("angle", Angle), ("travel", Distance)],
            Self::Universal { .. } => &[("first", Angle), ("second", Angle)],
            Self::Spherical => &[("rx", Angle), ("ry", Angle), ("rz", Angle)],
            Self::Planar { .. } => &[("angle", Angle), ("u", Distance), ("v", Distance)],
            Self::Free => {
                &[("rx", Angle), ("ry", Angle), ("rz", Angle), ("x", Distance), ("y", Distance), ("z", Distance)]
            }
        }
    }

    /// Directions of `u` and `v` of a planar joint with this normal: x and y after the shortest turn that takes z to the normal;
    /// for the normal −z, x and −y.
    pub fn plane_directions(normal: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let n = normal.normalize();
        let across = n.x.hypot(n.y);
        if across == 0.0 {
            return (Vector3::x(), Vector3::y() * n.z.signum());
        }
        // 1/(1 + n_z), without the cancellation near −z.
        let inverse = if n.z > 0.0 { 1.0 / (1.0 + n.z) } else { (1.0 - n.z) / (across * across) };
        let mixed = -n.x * n.y * inverse;
        (Vector3::new(1.0 - n.x * n.x * inverse, mixed, -n.x), Vector3::new(mixed, 1.0 - n.y * n.y * inverse, -n.y))
    }

    fn axes(&self) -> Vec<Vector3<f64>> {
        match *self {
            Self::Revolute { axis } | Self::Prismatic { axis } | Self::Cylindrical { axis } => vec![axis],
            Self::Planar { normal } => vec![normal],
            Self::Universal { first, second } => vec![first, second],
            Self::Fixed | Self::Spherical | Self::Free => Vec::new(),
        }
    }
}

impl Joint {
    /// Number of coordinates.
    pub fn freedom(&self) -> usize {
        self.kind.coordinates().len()
    }

    /// Coordinates in the beginning.
    pub fn start(&self) -> &[f64] {
        match &self.motion {
            JointMotion::Free { start } | JointMotion::Actuated { start, .. } => start,
            JointMotion::Driven { value } => value,
        }
    }

    /// Refuses joints that cannot exist. Where it sits is checked with the scene.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        for axis in self.kind.axes() {
            if axis.iter().any(|x| !x.is_finite()) {
                return Err(Invalid::new(format!("{path}.axis"), Problem::NotFinite));
            }
            if (axis.norm() - 1.0).abs() > 1e-9 {
                let reason = "an axis must have a direction".into();
                return Err(Invalid::new(format!("{path}.axis"), Problem::Contradiction { reason }));
            }
        }
        if let JointKind::Universal { first, second } = self.kind
            && first.cross(&second).norm() < 1e-6
        {
            let reason = "the two axes are parallel: that is a revolute joint".into();
            return Err(Invalid::new(format!("{path}.axes"), Problem::Contradiction { reason }));
        }
        let need = self.freedom();
        let effort: &[f64] = match &self.motion {
            JointMotion::Actuated { effort, .. } => effort,
            _ => &[],
        };
        let lists = [
            ("start", self.start(), false),
            ("effort", effort, !matches!(self.motion, JointMotion::Actuated { .. })),
            ("stiffness", &self.stiffness, true),
            ("rest", &self.rest, true),
            ("damping", &self.damping, true),
            ("rate", &self.initial_rate, true),
        ];
        for (key, list, may_be_absent) in lists {
            if list.len() != need && !(may_be_absent && list.is_empty()) {
                let need = format!("the joint has {need} coordinates");
                return Err(Invalid::new(format!("{path}.{key}"), Problem::Count { found: list.len(), need }));
            }
            for value in list {
                check::finite(format_args!("{path}.{key}"), *value)?;
            }
        }
        for (key, list) in [("stiffness", &self.stiffness), ("damping", &self.damping)] {
            if let Some(value) = list.iter().find(|value| **value < 0.0) {
                return Err(Invalid::new(format!("{path}.{key}"), Problem::Negative { value: *value }));
            }
        }
        if matches!(self.motion, JointMotion::Driven { .. }) && self.initial_rate.iter().any(|rate| *rate != 0.0) {
            let reason = "is given, but a prescribed joint moves as its drive says".into();
            return Err(Invalid::new(format!("{path}.rate"), Problem::Contradiction { reason }));
        }
        check::finite(format_args!("{path}.restitution"), self.restitution)?;
        if !(0.0..=1.0).contains(&self.restitution) {
            let problem = Problem::OutOfRange { value: self.restitution, interval: "[0, 1]".into() };
            return Err(Invalid::new(format!("{path}.restitution"), problem));
        }
        if !self.limits.is_empty() && self.limits.len() != need {
            let need = format!("the joint has {need} coordinates");
            return Err(Invalid::new(format!("{path}.limits"), Problem::Count { found: self.limits.len(), need }));
        }
        for (limits, start) in self.limits.iter().zip(self.start()) {
            let Some((low, high)) = limits else { continue };
            if low.is_nan() || high.is_nan() || low >= high {
                let reason = format!("the lower limit {low} is not below the upper {high}");
                return Err(Invalid::new(format!("{path}.limits"), Problem::Contradiction { reason }));
            }
            if !(*low..=*high).contains(start) {
                let interval = format!("[{low}, {high}]");
                return Err(Invalid::new(format!("{path}.start"), Problem::OutOfRange { value: *start, interval }));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(joint: Joint) -> Option<(String, Problem)> {
        joint.validate("joint.j").err().map(|invalid| (invalid.path, invalid.problem))
    }

    #[test]
    fn directions_of_a_plane_are_right_handed_with_its_normal() {
        assert_eq!(JointKind::plane_directions(&Vector3::z()), (Vector3::x(), Vector3::y()));
        assert_eq!(JointKind::plane_directions(&Vector3::x()), (-Vector3::z(), Vector3::y()));
        assert_eq!(JointKind::plane_directions(&Vector3::y()), (Vector3::x(), -Vector3::z()));
        assert_eq!(JointKind::plane_directions(&-Vector3::z()), (Vector3::x(), -Vector3::y()));
        let odd = [Vector3::new(1e-9, -2e-9, -1.0), Vector3::new(0.6, -0.5, -0.7), Vector3::new(0.1, 2.0, 0.3)];
        for normal in odd {
            let (u, v) = JointKind::plane_directions(&normal);
            assert!((u.cross(&v) - normal.normalize()).norm() < 1e-14, "{normal}");
            assert!((u.norm() - 1.0).abs() < 1e-14 && u.dot(&v).abs() < 1e-14, "{normal}");
        }
    }

    #[test]
    fn restitution_is_a_part_of_the_speed() {
        let hinge = Joint {
            kind: JointKind::Revolute { axis: Vector3::z() },
            motion: JointMotion::Free { start: vec![0.0] },
            limits: vec![Some((-1.0, 1.0))],
            ..Joint::default()
        };
        for restitution in [0.0, 0.5, 1.0] {
            assert_eq!(refused(Joint { restitution, ..hinge.clone() }), None);
        }
        for value in [-0.1, 1.1] {
            let told = Problem::OutOfRange { value, interval: "[0, 1]".into() };
            let restitution = value;
            let joint = Joint { restitution, ..hinge.clone() };
            assert_eq!(refused(joint), Some(("joint.j.restitution".into(), told)));
        }
        let joint = Joint { restitution: f64::NAN, ..hinge };
        assert_eq!(refused(joint), Some(("joint.j.restitution".into(), Problem::NotFinite)));
    }

    #[test]
    fn rates_are_one_per_coordinate_and_not_for_prescribed_joints() {
        let slide = Joint {
            kind: JointKind::Prismatic { axis: Vector3::z() },
            motion: JointMotion::Free { start: vec![0.0] },
            initial_rate: vec![2.0],
            ..Joint::default()
        };
        assert_eq!(refused(slide.clone()), None);
        assert_eq!(
            refused(Joint { initial_rate: vec![1.0, 2.0], ..slide.clone() }).map(|x| x.0),
            Some("joint.j.rate".into())
        );
        let driven = Joint { motion: JointMotion::Driven { value: vec![0.0] }, ..slide };
        assert_eq!(refused(driven).map(|x| x.0), Some("joint.j.rate".into()));
    }
}
