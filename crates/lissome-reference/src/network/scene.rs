//! A scene as a network: its rods divided where something is attached or jumps, everything else mounted on bodies.
//!
//! | scene | network |
//! |---|---|
//! | rod | pieces between its stations, steps and load edges, with a massless body at each |
//! | body mounted on a frame | mass added to the body that carries the frame |
//! | free body | a body |
//! | joint | a massless body for what hangs on it, and a joint from its parent |
//! | closure | a fixed joint |
//! | spring | a spring |

use super::conditions::natural_end;
use super::description::{
    Anchor, Body, Cable, CableDrive, Joint, JointMotion, Load, Mount, Network, On, Rod, RodSection, Spring, SpringLaw,
};
use super::joints::JointKind;
use super::place::Place;
use super::solution::NetworkSolution;
use super::solver;
use crate::OracleError;
use lissome_lie::{Pose, Wrench};
use lissome_model as model;
use lissome_model::{DriveTarget, Frame, FrameLoadKind, FrameOf, Item, LoadFrame, LoadKind, NaturalShape, Scene};
use nalgebra::Vector3;
use std::sync::Arc;

/// Places on a rod closer than this part of its length are one.
const SAME_PLACE: f64 = 1e-9;

/// A network and where it keeps the parts of the scene.
#[derive(Clone, Debug)]
pub struct SceneNetwork {
    /// The network.
    pub network: Network,
    rods: Vec<DividedRod>,
    bodies: Vec<Mount>,
    joints: Vec<HungJoint>,
}

/// The pieces of one rod of the scene.
#[derive(Clone, Debug, Default)]
struct DividedRod {
    /// Arc lengths, both ends included.
    breaks: Vec<f64>,
    /// What is at each of them; `None` at a free tip.
    nodes: Vec<Option<Mount>>,
    /// Index of the first piece among the network's rods.
    first_piece: usize,
}

impl DividedRod {
    fn node(&self, s: f64) -> Mount {
        let length = self.breaks[self.breaks.len() - 1];
        let k = self.breaks.iter().position(|x| (x - s).abs() <= SAME_PLACE * length);
        k.and_then(|k| self.nodes[k]).expect("a rod is divided at every station")
    }
}

/// What hangs on a joint, and the network's joint (none for a fixed one).
#[derive(Clone, Copy, Debug)]
struct HungJoint {
    child: Mount,
    joint: Option<usize>,
}

impl SceneNetwork {
    /// Reads a scene with its drives at a time (or a parameter of its path).
    pub fn new(scene: &Scene, time: f64) -> Result<Self, OracleError> {
        scene.validate()?;
        // Lengths that the scene leaves open are those with its joints at their own start.
        let beginning = Reader::standing(scene, true)?;
        let scene = driven(scene, time);
        // Driven coordinates grow from zero.
        let mut reader = Reader::standing(&scene, false)?;
        (0..scene.rods.len()).for_each(|i| reader.add_pieces(i));
        for closure in &scene.closures {
            let (a, b) = (reader.mount(&closure.a), reader.mount(&closure.b));
            reader.network.joints.push(Joint::free(a, b, JointKind::Fixed));
        }
        reader.add_loads();
        reader.add_cables(&beginning);
        reader.add_springs(&beginning);
        let Reader { network, rods, bodies, joints, .. } = reader;
        Ok(Self { network, rods, bodies, joints })
    }

    /// The equilibrium nearest to a computed one: poses of the scene's bodies and joints, and pose and internal wrench
    /// (world axes) of its rods at an arc length.
    pub fn solve_near(
        &self,
        body: &dyn Fn(usize) -> Pose,
        joint: &dyn Fn(usize) -> Pose,
        section: &dyn Fn(usize, f64) -> (Pose, Wrench),
    ) -> Result<NetworkSolution, OracleError> {
        let mut poses: Vec<Pose> = self.network.bodies.iter().map(|body| body.start).collect();
        let mut put = |mount: &Mount, pose: Pose| {
            if let On::Body(carrier) = mount.on {
                poses[carrier] = pose * mount.pose.inverse();
            }
        };
        for (rod, divided) in self.rods.iter().enumerate() {
            for (s, node) in divided.breaks.iter().zip(&divided.nodes) {
                node.iter().for_each(|node| put(node, section(rod, *s).0));
            }
        }
        self.joints.iter().enumerate().for_each(|(index, hung)| put(&hung.child, joint(index)));
        self.bodies.iter().enumerate().for_each(|(index, mount)| put(mount, body(index)));
        solver::solve_near(&self.network, &|index| poses[index], &|piece, s| {
            let rod = self.rods.iter().rposition(|rod| rod.first_piece <= piece).expect("a piece belongs to a rod");
            let divided = &self.rods[rod];
            let from = divided.breaks[piece - divided.first_piece];
            let to = divided.breaks[piece - divided.first_piece + 1];
            // Just inside the piece, where the wrench is its own.
            let slack = SAME_PLACE * (to - from);
            section(rod, (from + s).clamp(from + slack, to - slack))
        })
    }

    /// Pose of a body of the scene.
    pub fn body_pose(&self, solved: &NetworkSolution, body: usize) -> Pose {
        solved.mount_pose(&self.bodies[body])
    }

    /// Coordinates of a joint of the scene.
    pub fn joint_coordinates(&self, solved: &NetworkSolution, joint: usize) -> Vec<f64> {
        self.joints[joint].joint.map_or_else(Vec::new, |index| solved.joint_coordinates(index))
    }

    /// What the parent of a joint exerts on what hangs on it, see [`NetworkSolution::joint_reaction`]; `None` for a fixed
    /// joint, which is no part of its own.
    pub fn joint_reaction(&self, solved: &NetworkSolution, joint: usize) -> Option<Wrench> {
        self.joints[joint].joint.map(|index| solved.joint_reaction(index))
    }

    /// What a spring of the scene exerts on its side b, see [`NetworkSolution::spring_wrench`].
    pub fn spring_wrench(&self, solved: &NetworkSolution, spring: usize) -> Wrench {
        solved.spring_wrench(spring)
    }

    /// Pose of the section of a rod of the scene at s.
    pub fn rod_pose(&self, solved: &NetworkSolution, rod: usize, s: f64) -> Pose {
        let (piece, s) = self.piece(rod, s);
        solved.rod_pose(piece, s)
    }

    /// Internal wrench of a rod of the scene at s, see [`NetworkSolution::rod_wrench`]; where it jumps, beyond s.
    pub fn rod_wrench(&self, solved: &NetworkSolution, rod: usize, s: f64) -> Wrench {
        let (piece, s) = self.piece(rod, s);
        solved.rod_wrench(piece, s)
    }

    fn piece(&self, rod: usize, s: f64) -> (usize, f64) {
        let DividedRod { breaks, first_piece, .. } = &self.rods[rod];
        let k = breaks[..breaks.len() - 1].partition_point(|x| *x <= s).saturating_sub(1);
        (first_piece + k, s - breaks[k])
    }
}

/// The scene with its drives at a time.
pub(crate) fn driven(scene: &Scene, time: f64) -> Scene {
    let mut now = scene.clone();
    for drive in &scene.drives {
        let value = drive.signal.at(time);
        match drive.target {
            DriveTarget::JointValue { joint, coordinate } | DriveTarget::JointEffort { joint, coordinate } => {
                match &mut now.joints[joint].motion {
                    model::JointMotion::Driven { value: list } | model::JointMotion::Actuated { effort: list, .. } => {
                        list[coordinate] = value;
                    }
                    model::JointMotion::Free { .. } => {}
                }
            }
            DriveTarget::Cable(cable) => {
                let given = &mut now.cables[cable].drive;
                *given = given.with(value);
            }
            DriveTarget::Tendon(tendon) => {
                let given = &mut now.tendons[tendon].drive;
                *given = given.with(value);
            }
            DriveTarget::Load(load) => match &mut now.loads[load].kind {
                LoadKind::Point { wrench, .. } => *wrench = *wrench * value,
                LoadKind::Distributed { per_length, .. } => *per_length = *per_length * value,
            },
            DriveTarget::FrameLoad(load) => match &mut now.frame_loads[load].kind {
                FrameLoadKind::Wrench { wrench, .. } => *wrench = *wrench * value,
                FrameLoadKind::Toward { size, .. } => *size *= value,
            },
            DriveTarget::Gravity => now.gravity *= value,
            DriveTarget::TubeRotation { rod, tube } => {
                if let Some(tubes) = &mut now.rods[rod].tubes {
                    tubes.tubes[tube].rotation = value;
                }
            }
            DriveTarget::TubeInsertion { rod, tube } => now.insert_tube(rod, tube, value),
        }
    }
    now
}

struct Reader<'a> {
    scene: &'a Scene,
    network: Network,
    rods: Vec<DividedRod>,
    bodies: Vec<Mount>,
    joints: Vec<HungJoint>,
    /// Driven joints stand at their values, not at zero.
    driven_stand: bool,
}

impl<'a> Reader<'a> {
    /// Bodies, joints and the nodes of rods where they stand in the beginning.
    fn standing(scene: &'a Scene, driven_stand: bool) -> Result<Self, OracleError> {
        let mut reader = Reader {
            scene,
            network: Network { gravity: scene.gravity, ..Network::default() },
            rods: vec![DividedRod::default(); scene.rods.len()],
            bodies: vec![Mount::ground(Pose::identity()); scene.bodies.len()],
            joints: vec![HungJoint { child: Mount::ground(Pose::identity()), joint: None }; scene.joints.len()],
            driven_stand,
        };
        // Carriers first, so that whatever a part stands on is there.
        for item in scene.assembly_order()? {
            match item {
                Item::Body(i) => reader.add_body(i),
                Item::Joint(i) => reader.add_joint(i),
                Item::Rod(i) => reader.add_nodes(i)?,
            }
        }
        Ok(reader)
    }

    /// Position of a frame where everything stands.
    fn position(&self, frame: &Frame) -> Vector3<f64> {
        self.start(&self.mount(frame)).p
    }
    fn mount(&self, frame: &Frame) -> Mount {
        let carrier = match frame.of {
            FrameOf::World => Mount::ground(Pose::identity()),
            FrameOf::Body(i) => self.bodies[i],
            FrameOf::Joint(i) => self.joints[i].child,
            FrameOf::Rod { rod, s } => self.rods[rod].node(s),
        };
        let pose = Place::from_pose(&carrier.pose).times(&Place::from_pose(&frame.pose)).to_pose();
        Mount { on: carrier.on, pose }
    }

    /// Where a mount is in the beginning.
    fn start(&self, mount: &Mount) -> Place {
        let own = Place::from_pose(&mount.pose);
        match mount.on {
            On::Ground => own,
            On::Body(i) => Place::from_pose(&self.network.bodies[i].start).times(&own),
        }
    }

    fn push_massless(&mut self, start: &Place) -> Mount {
        self.network.bodies.push(Body::massless(start.to_pose()));
        Mount::body(self.network.bodies.len() - 1, Pose::identity())
    }

    fn add_body(&mut self, index: usize) {
        let body = &self.scene.bodies[index];
        let mount = match body.mount {
            model::Mount::On(frame) => self.mount(&frame),
            model::Mount::Free(pose) => self.push_massless(&Place::from_pose(&pose)),
        };
        if let On::Body(carrier) = mount.on {
            let carrier = &mut self.network.bodies[carrier];
            let centre = Place::from_pose(&mount.pose).point(&body.inertia.centre);
            let mass = carrier.mass + body.inertia.mass;
            if mass > 0.0 {
                carrier.centre = (carrier.centre * carrier.mass + centre * body.inertia.mass) / mass;
            }
            carrier.mass = mass;
        }
        self.bodies[index] = mount;
    }

    fn add_joint(&mut self, index: usize) {
        let joint = &self.scene.joints[index];
        let parent = self.mount(&joint.parent);
        let kind = kind_of(&joint.kind);
        if kind == JointKind::Fixed {
            self.joints[index] = HungJoint { child: parent, joint: None };
            return;
        }
        let filled = |list: &[f64]| if list.is_empty() { vec![0.0; kind.freedoms()] } else { list.to_vec() };
        let (start, motion) = match &joint.motion {
            model::JointMotion::Driven { value } => {
                let start = if self.driven_stand { value.clone() } else { filled(&[]) };
                (start, JointMotion::Driven(value.clone()))
            }
            model::JointMotion::Free { start } | model::JointMotion::Actuated { start, .. } => {
                let effort = match &joint.motion {
                    model::JointMotion::Actuated { effort, .. } => effort.clone(),
                    _ => filled(&[]),
                };
                let (stiffness, rest) = (filled(&joint.stiffness), filled(&joint.rest));
                (start.clone(), JointMotion::Passive { stiffness, rest, effort })
            }
        };
        let place = self.start(&parent).times(&kind.placed(&start));
        let child = self.push_massless(&place);
        self.joints[index] = HungJoint { child, joint: Some(self.network.joints.len()) };
        self.network.joints.push(Joint { parent, child, kind, motion });
    }

    /// Divides a rod and puts its nodes where its natural shape has them, from the end that carries it.
    fn add_nodes(&mut self, index: usize) -> Result<(), OracleError> {
        let rod = &self.scene.rods[index];
        if matches!(rod.natural, NaturalShape::ControlPoses(_)) {
            return Err(OracleError::SplineShape { rod: rod.name.clone() });
        }
        let breaks = self.breaks(index);
        let last = breaks.len() - 1;
        let mut nodes = vec![None; breaks.len()];
        match (rod.base, rod.tip) {
            (Some(base), _) => {
                let mount = self.mount(&base);
                let mut place = self.start(&mount);
                nodes[0] = Some(mount);
                let attached =
                    self.attachments(index).iter().any(|s| (s - rod.length).abs() <= SAME_PLACE * rod.length);
                for k in 1..=last {
                    place =
                        natural_end(&section_law(rod, breaks[k - 1], breaks[k]), breaks[k] - breaks[k - 1], &place)?;
                    // A bare tip is free, or mounted once everything stands.
                    if k < last || attached {
                        nodes[k] = Some(self.push_massless(&place));
                    }
                }
            }
            (None, Some(tip)) => {
                let mount = self.mount(&tip);
                let mut place = self.start(&mount);
                nodes[last] = Some(mount);
                for k in (0..last).rev() {
                    let length = breaks[k + 1] - breaks[k];
                    place = natural_end(&section_law(rod, breaks[k], breaks[k + 1]), -length, &place)?;
                    nodes[k] = Some(self.push_massless(&place));
                }
            }
            (None, None) => {
                return Err(OracleError::WrongSupports { rod: rod.name.clone(), held_ends: 0, need: 1 });
            }
        }
        self.rods[index] = DividedRod { breaks, nodes, first_piece: 0 };
        Ok(())
    }

    /// Where something is attached to a rod or a load acts on it.
    fn attachments(&self, index: usize) -> Vec<f64> {
        let points = self.scene.loads.iter().filter(|load| load.rod == index).filter_map(|load| match load.kind {
            LoadKind::Point { at, .. } => Some(at),
            LoadKind::Distributed { .. } => None,
        });
        self.scene.stations(index).into_iter().chain(points).collect()
    }

    fn breaks(&self, index: usize) -> Vec<f64> {
        let rod = &self.scene.rods[index];
        let mut breaks = self.attachments(index);
        breaks.extend(rod.profile.stations.iter().map(|x| x.s));
        if let NaturalShape::Curvature(table) = &rod.natural {
            breaks.extend(table.iter().map(|(s, _)| *s));
        }
        for load in self.scene.loads.iter().filter(|load| load.rod == index) {
            if let LoadKind::Distributed { from, to, .. } = load.kind {
                breaks.extend([from, to]);
            }
        }
        let slack = SAME_PLACE * rod.length;
        breaks.retain(|s| *s > slack && *s < rod.length - slack);
        breaks.extend([0.0, rod.length]);
        breaks.sort_by(f64::total_cmp);
        breaks.dedup_by(|b, a| *b - *a <= slack);
        breaks
    }

    fn add_pieces(&mut self, index: usize) {
        let rod = &self.scene.rods[index];
        let last = self.rods[index].breaks.len() - 1;
        if let (Some(_), Some(tip)) = (rod.base, rod.tip) {
            let held = self.mount(&tip);
            match self.rods[index].nodes[last] {
                Some(node) => self.network.joints.push(Joint::free(held, node, JointKind::Fixed)),
                None => self.rods[index].nodes[last] = Some(held),
            }
        }
        self.rods[index].first_piece = self.network.rods.len();
        let DividedRod { breaks, nodes, .. } = &self.rods[index];
        for k in 0..last {
            let (from, to) = (breaks[k], breaks[k + 1]);
            let base = nodes[k].expect("only a tip is without a node");
            let mut piece = Rod {
                length: to - from,
                section: Arc::new(section_law(rod, from, to)),
                base,
                tip: nodes[k + 1],
                dead_load: Wrench::zero(),
                follower_load: Wrench::zero(),
            };
            let middle = 0.5 * (from + to);
            for load in self.scene.loads.iter().filter(|load| load.rod == index) {
                if let LoadKind::Distributed { from, to, per_length } = load.kind
                    && (from..to).contains(&middle)
                {
                    match load.frame {
                        LoadFrame::World => piece.dead_load += per_length,
                        LoadFrame::Body => piece.follower_load += per_length,
                    }
                }
            }
            self.network.rods.push(piece);
        }
    }

    fn add_wrench(&mut self, mount: &Mount, axes: LoadFrame, wrench: &Wrench) {
        // The ground takes what it gets.
        let On::Body(body) = mount.on else { return };
        let at = mount.pose.position;
        self.network.loads.push(match axes {
            LoadFrame::World => Load::Dead { body, at, wrench: *wrench },
            LoadFrame::Body => {
                let own = Place::from_pose(&mount.pose);
                let wrench = Wrench::new(own.direction(&wrench.moment), own.direction(&wrench.force));
                Load::Follower { body, at, wrench }
            }
        });
    }

    fn add_loads(&mut self) {
        for load in &self.scene.loads {
            if let LoadKind::Point { at, wrench } = load.kind {
                let mount = self.rods[load.rod].node(at);
                self.add_wrench(&mount, load.frame, &wrench);
            }
        }
        for load in &self.scene.frame_loads {
            let mount = self.mount(&load.on);
            match load.kind {
                FrameLoadKind::Wrench { axes, wrench } => self.add_wrench(&mount, axes, &wrench),
                FrameLoadKind::Toward { point, size } => {
                    if let On::Body(body) = mount.on {
                        let at = mount.pose.position;
                        self.network.loads.push(Load::Toward { body, at, target: point, force: size });
                    }
                }
            }
        }
    }

    fn add_springs(&mut self, beginning: &Reader<'_>) {
        for spring in &self.scene.springs {
            let law = match spring.law {
                model::SpringLaw::Line { stiffness, rest_length, .. } => {
                    let apart = || (beginning.position(&spring.b) - beginning.position(&spring.a)).norm();
                    SpringLaw::Line { stiffness, rest_length: rest_length.unwrap_or_else(apart) }
                }
                model::SpringLaw::Bushing { stiffness, .. } => SpringLaw::Bushing(stiffness),
                model::SpringLaw::Axes { stiffness } => SpringLaw::Axes(stiffness),
            };
            self.network.springs.push(Spring { a: self.mount(&spring.a), b: self.mount(&spring.b), law });
        }
    }

    fn add_cables(&mut self, beginning: &Reader<'_>) {
        for cable in &self.scene.cables {
            let mounts: Vec<Mount> = cable.points.iter().map(|frame| self.mount(frame)).collect();
            let places: Vec<Vector3<f64>> = cable.points.iter().map(|frame| beginning.position(frame)).collect();
            let path: f64 = places.windows(2).map(|w| (w[1] - w[0]).norm()).sum();
            let of_length = |length: f64| match cable.stiffness {
                Some(stiffness) => CableDrive::Elastic { length, stiffness },
                None => CableDrive::Length(length),
            };
            let drive = match cable.drive {
                model::CableDrive::Tension(tension) => CableDrive::Tension(tension),
                model::CableDrive::Length(length) => of_length(length),
                model::CableDrive::Pull(pull) => of_length(path - pull),
            };
            let points = mounts.iter().map(|mount| Anchor { on: mount.on, point: mount.pose.position }).collect();
            self.network.cables.push(Cable { points, drive });
        }
    }
}

fn kind_of(kind: &model::JointKind) -> JointKind {
    match *kind {
        model::JointKind::Fixed => JointKind::Fixed,
        model::JointKind::Revolute { axis } => JointKind::Revolute(axis),
        model::JointKind::Prismatic { axis } => JointKind::Prismatic(axis),
        model::JointKind::Cylindrical { axis } => JointKind::Cylindrical(axis),
        model::JointKind::Universal { first, second } => JointKind::Universal(first, second),
        model::JointKind::Spherical => JointKind::Spherical,
        model::JointKind::Planar { normal } => {
            // The same two axes in the plane as everywhere else: a convention, nothing that is computed.
            let (u, v) = model::JointKind::plane_directions(&normal);
            JointKind::Planar(u, v)
        }
        model::JointKind::Free => JointKind::Free,
    }
}

/// Section of the stretch `from` … `to` of a rod, s counted from its start. At a step the profile answers for the far side;
/// one ulp before the end of the stretch is the near side.
fn section_law(rod: &model::Rod, from: f64, to: f64) -> impl Fn(f64) -> RodSection + Send + Sync + 'static {
    let (profile, natural) = (rod.profile.clone(), rod.natural.clone());
    move |s| {
        let at = (from + s).clamp(from, to.next_down());
        let section = profile.at(at);
        RodSection {
            stiffness: section.stiffness(),
            natural: natural.strain_at(at).expect("spline shapes are refused"),
            mass_per_length: section.mass()[(3, 3)],
        }
    }
}
