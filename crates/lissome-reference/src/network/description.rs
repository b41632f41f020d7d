//! What a network is made of: plain numbers in SI units, independent of any scene.

use super::joints::JointKind;
use crate::OracleError;
use lissome_lie::{Pose, Strain, Wrench};
use nalgebra::{Matrix6, Vector3, Vector6};
use std::f64::consts::PI;
use std::fmt;
use std::sync::Arc;

/// What carries a point or a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The world.
    Ground,
    /// The body of this index.
    Body(usize),
}

/// A frame fixed to the ground or to a body.
#[derive(Clone, Copy, Debug)]
pub struct Mount {
    /// What carries it.
    pub on: On,
    /// Where it is, in the axes of its carrier.
    pub pose: Pose,
}

impl Mount {
    /// Fixed in the world.
    pub fn ground(pose: Pose) -> Self {
        Self { on: On::Ground, pose }
    }

    /// Fixed to a body.
    pub fn body(index: usize, pose: Pose) -> Self {
        Self { on: On::Body(index), pose }
    }
}

/// A point fixed to the ground or to a body.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    /// What carries it.
    pub on: On,
    /// Where it is, in the axes of its carrier.
    pub point: Vector3<f64>,
}

impl Anchor {
    /// Fixed in the world.
    pub fn ground(point: Vector3<f64>) -> Self {
        Self { on: On::Ground, point }
    }

    /// Fixed to a body.
    pub fn body(index: usize, point: Vector3<f64>) -> Self {
        Self { on: On::Body(index), point }
    }
}

/// A rigid body with a pose of its own. Where a rod branches or carries something, a massless one divides it in two.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in body axes.
    pub centre: Vector3<f64>,
    /// Where the search starts. If rods and joints all fit these poses, the search follows the loads alone.
    pub start: Pose,
}

impl Body {
    /// Without mass.
    pub fn massless(start: Pose) -> Self {
        Self { mass: 0.0, centre: Vector3::zeros(), start }
    }
}

/// One section of a rod.
#[derive(Clone, Copy, Debug)]
pub struct RodSection {
    /// K of (moment, force) = K (ξ − ξ₀), section axes, x along the rod.
    pub stiffness: Matrix6<f64>,
    /// ξ₀.
    pub natural: Strain,
    /// kg/m.
    pub mass_per_length: f64,
}

impl RodSection {
    /// Straight and weightless.
    pub fn straight(stiffness: Matrix6<f64>) -> Self {
        Self { stiffness, natural: Strain::straight(), mass_per_length: 0.0 }
    }

    /// A full circle of one material, without a shear factor: K = diag(GJ, EI, EI, EA, GA, GA).
    pub fn round(radius: f64, young: f64, poisson: f64) -> Self {
        let shear = young / (2.0 * (1.0 + poisson));
        let area = PI * radius * radius;
        let second_moment = 0.25 * area * radius * radius;
        let (ei, ea, ga) = (young * second_moment, young * area, shear * area);
        Self::straight(Matrix6::from_diagonal(&Vector6::new(2.0 * shear * second_moment, ei, ei, ea, ga, ga)))
    }

    /// The same, curved by nature.
    pub fn with_curvature(self, curvature: Vector3<f64>) -> Self {
        Self { natural: Strain::new(curvature, self.natural.stretch), ..self }
    }
}

/// How the section depends on s (m); smooth.
pub type SectionLaw = Arc<dyn Fn(f64) -> RodSection + Send + Sync>;

/// A rod between two mounts, or with a free tip.
#[derive(Clone)]
pub struct Rod {
    /// m.
    pub length: f64,
    /// Section at s.
    pub section: SectionLaw,
    /// Frame of the section s = 0.
    pub base: Mount,
    /// Frame of the section s = L, unless free.
    pub tip: Option<Mount>,
    /// Load per length in world axes.
    pub dead_load: Wrench,
    /// Load per length in section axes.
    pub follower_load: Wrench,
}

impl Rod {
    /// The same section everywhere.
    pub fn uniform(length: f64, section: RodSection, base: Mount, tip: Option<Mount>) -> Self {
        Self::varying(length, move |_| section, base, tip)
    }

    /// A section that depends on s.
    pub fn varying(
        length: f64,
        section: impl Fn(f64) -> RodSection + Send + Sync + 'static,
        base: Mount,
        tip: Option<Mount>,
    ) -> Self {
        let section = Arc::new(section);
        Self { length, section, base, tip, dead_load: Wrench::zero(), follower_load: Wrench::zero() }
    }
}

impl fmt::Debug for Rod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rod")
            .field("length", &self.length)
            .field("section(0)", &(self.section)(0.0))
            .field("base", &self.base)
            .field("tip", &self.tip)
            .field("dead_load", &self.dead_load)
            .field("follower_load", &self.follower_load)
            .finish()
    }
}

/// What moves a joint.
#[derive(Clone, Debug)]
pub enum JointMotion {
    /// It is free but for a spring −k (q − rest) and an effort (N·m or N) in each coordinate.
    Passive {
        /// k, N·m/rad or N/m.
        stiffness: Vec<f64>,
        /// Coordinates at which the spring is slack.
        rest: Vec<f64>,
        /// Prescribed force of the parent on the child, conjugate to the coordinate.
        effort: Vec<f64>,
    },
    /// Its coordinates are prescribed.
    Driven(Vec<f64>),
}

/// A joint from a mount on its parent to a mount on its child.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Frame on the parent.
    pub parent: Mount,
    /// Frame on the child; the two coincide where every coordinate is zero.
    pub child: Mount,
    /// What it allows.
    pub kind: JointKind,
    /// What moves it.
    pub motion: JointMotion,
}

impl Joint {
    /// Without spring or effort.
    pub fn free(parent: Mount, child: Mount, kind: JointKind) -> Self {
        let zeros = vec![0.0; kind.freedoms()];
        let motion = JointMotion::Passive { stiffness: zeros.clone(), rest: zeros.clone(), effort: zeros };
        Self { parent, child, kind, motion }
    }

    /// With prescribed coordinates.
    pub fn driven(parent: Mount, child: Mount, kind: JointKind, coordinates: &[f64]) -> Self {
        Self { parent, child, kind, motion: JointMotion::Driven(coordinates.to_vec()) }
    }

    /// With a spring in each coordinate (a driven joint stays driven).
    pub fn with_spring(mut self, each_stiffness: &[f64], each_rest: &[f64]) -> Self {
        if let JointMotion::Passive { stiffness, rest, .. } = &mut self.motion {
            *stiffness = each_stiffness.to_vec();
            *rest = each_rest.to_vec();
        }
        self
    }

    /// With an effort in each coordinate (a driven joint stays driven).
    pub fn with_effort(mut self, each: &[f64]) -> Self {
        if let JointMotion::Passive { effort, .. } = &mut self.motion {
            *effort = each.to_vec();
        }
        self
    }
}

/// A load on a point of a body, `at` in body axes.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Load {
    /// A wrench in world axes.
    Dead { body: usize, at: Vector3<f64>, wrench: Wrench },
    /// A wrench in body axes.
    Follower { body: usize, at: Vector3<f64>, wrench: Wrench },
    /// A force of constant size toward a point of the world: a rope over a pulley.
    Toward { body: usize, at: Vector3<f64>, target: Vector3<f64>, force: f64 },
}

impl Load {
    /// A wrench in world axes on a point of a body.
    pub fn dead(body: usize, at: Vector3<f64>, wrench: Wrench) -> Self {
        Self::Dead { body, at, wrench }
    }
}

/// What a cable is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CableDrive {
    /// N, the same along the whole cable: no friction.
    Tension(f64),
    /// m between its first and last point; its tension follows (a negative one means that a rope would be slack).
    Length(f64),
    /// m without tension and EA in N: EA times its stretch while it is longer, slack otherwise.
    Elastic {
        /// m.
        length: f64,
        /// N.
        stiffness: f64,
    },
}

/// A cable that slides through points, straight in between.
#[derive(Clone, Debug)]
pub struct Cable {
    /// Its points in order; it is fastened to the last and pulled at the first.
    pub points: Vec<Anchor>,
    /// What it is given.
    pub drive: CableDrive,
}

/// A spring between two mounts.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    /// One side; a bushing acts in its axes.
    pub a: Mount,
    /// The other side.
    pub b: Mount,
    /// How it pulls.
    pub law: SpringLaw,
}

/// How a spring pulls.
// A scene has a handful of springs: plain data is worth more than a few hundred bytes.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpringLaw {
    /// Along the line between the two origins.
    Line {
        /// N/m.
        stiffness: f64,
        /// m.
        rest_length: f64,
    },
    /// In all directions, without force where the two frames coincide: K, turns first, N·m/rad, N and N/m.
    Bushing(Matrix6<f64>),
    /// Toward the origin of a, along each axis of the world by itself, N/m.
    Axes(Vector3<f64>),
}

impl Spring {
    /// Along the line between two origins.
    pub fn line(a: Mount, b: Mount, stiffness: f64, rest_length: f64) -> Self {
        Self { a, b, law: SpringLaw::Line { stiffness, rest_length } }
    }

    /// A bushing.
    pub fn bushing(a: Mount, b: Mount, stiffness: Matrix6<f64>) -> Self {
        Self { a, b, law: SpringLaw::Bushing(stiffness) }
    }
}

/// Rods, bodies, joints, cables, springs and what acts on them.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Acceleration of free fall, m/s².
    pub gravity: Vector3<f64>,
    /// Rigid bodies.
    pub bodies: Vec<Body>,
    /// Rods.
    pub rods: Vec<Rod>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Cables.
    pub cables: Vec<Cable>,
    /// Springs.
    pub springs: Vec<Spring>,
    /// Loads on bodies.
    pub loads: Vec<Load>,
}

impl Network {
    /// Refuses what has no meaning.
    pub fn check(&self) -> Result<(), OracleError> {
        let mounts = self.rods.iter().flat_map(|x| std::iter::once(x.base.on).chain(x.tip.map(|tip| tip.on)));
        let joined = self.joints.iter().flat_map(|x| [x.parent.on, x.child.on]);
        let threaded = self.cables.iter().flat_map(|x| x.points.iter().map(|point| point.on));
        let sprung = self.springs.iter().flat_map(|x| [x.a.on, x.b.on]);
        let loaded = self.loads.iter().map(|load| match *load {
            Load::Dead { body, .. } | Load::Follower { body, .. } | Load::Toward { body, .. } => On::Body(body),
        });
        for on in mounts.chain(joined).chain(threaded).chain(sprung).chain(loaded) {
            if let On::Body(body) = on
                && body >= self.bodies.len()
            {
                return Err(OracleError::NoSuchBody { body, count: self.bodies.len() });
            }
        }
        for (index, joint) in self.joints.iter().enumerate() {
            let need = joint.kind.freedoms();
            let given: &[&Vec<f64>] = match &joint.motion {
                JointMotion::Passive { stiffness, rest, effort } => &[stiffness, rest, effort],
                JointMotion::Driven(coordinates) => &[coordinates],
            };
            if let Some(wrong) = given.iter().find(|x| x.len() != need) {
                return Err(OracleError::WrongCoordinates { joint: index, given: wrong.len(), need });
            }
        }
        for (index, cable) in self.cables.iter().enumerate() {
            if cable.points.len() < 2 {
                return Err(OracleError::ShortCable { cable: index, points: cable.points.len() });
            }
        }
        for (index, rod) in self.rods.iter().enumerate() {
            for s in [0.0, 0.5 * rod.length, rod.length] {
                if (rod.section)(s).stiffness.cholesky().is_none() {
                    return Err(OracleError::NotStiff { rod: index, s });
                }
            }
        }
        Ok(())
    }
}
