//! Random scenes of all kinds: rods of all sections, trees, loops, joints, bodies, cables, springs, loads that stand and
//! loads that follow. Sizes from a millimetre to a kilometre, slenderness from 10 to 10⁴; forces of the order of what bends
//! the rods.

use crate::random::Random;
use lissome::lie::{Pose, Rotation, Twist, Wrench};
use lissome::model::*;
use nalgebra::{Matrix6, Vector3};

/// Standard gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Kinds of scenes, in the order of their numbers.
const KINDS: [&str; 10] = [
    "tip load",
    "loads inside",
    "follower load",
    "spring of several turns",
    "loop by embedding",
    "loop by constraints",
    "tree",
    "chain of joints",
    "cables",
    "springs",
];
/// Steps in which a natural shape is followed.
const STEPS: usize = 400;

/// A random scene.
#[derive(Clone, Debug)]
pub struct RandomScene {
    /// What it is, in words.
    pub words: String,
    /// The scene.
    pub scene: Scene,
}

impl RandomScene {
    /// Scene `index` of a seed: its kind is the number's last digit.
    pub fn draw(seed: u64, index: usize) -> Self {
        let mut draw = Draw::new(seed, index);
        let kind = index % KINDS.len();
        match kind {
            0 => draw.tip_load(),
            1 => draw.loads_inside(),
            2 => draw.follower(),
            3 => draw.spring_of_turns(),
            4 => draw.closed(LoopMethod::Embedding),
            5 => draw.closed(LoopMethod::Constraints),
            6 => draw.tree(),
            7 => draw.chain(),
            8 => draw.cables(),
            _ => draw.springs(),
        }
        let words = format!("scene {index}, {}: L = {:.2e} m, L/r = {:.0}", KINDS[kind], draw.length, draw.slenderness);
        Self { words, scene: draw.scene }
    }
}

/// Work in progress.
struct Draw {
    random: Random,
    scene: Scene,
    /// Length of the first rod, m.
    length: f64,
    slenderness: f64,
    young: f64,
    /// ρgAL³/EI of the first rod.
    weight: f64,
}

impl Draw {
    fn new(seed: u64, index: usize) -> Self {
        let mut random = Random::new(seed.wrapping_add((index as u64).wrapping_mul(0x9E37_79B9)));
        let length = random.log_uniform(1e-3, 1e3);
        let slenderness = random.log_uniform(10.0, 1e4);
        let young = random.log_uniform(1e5, 2e11);
        let weight = random.log_uniform(0.01, 5.0);
        let gravity = if random.chance(0.5) { Vector3::new(0.0, 0.0, -GRAVITY) } else { Vector3::zeros() };
        Self { random, scene: Scene { gravity, ..Scene::default() }, length, slenderness, young, weight }
    }

    fn material(&self, young: f64) -> Material {
        let radius = self.length / self.slenderness;
        let density = self.weight * self.young * radius * radius / (4.0 * GRAVITY * self.length.powi(3));
        Material::from_poisson(young, 0.3).with_density(density)
    }

    fn section(&mut self, kind: usize, radius: f64) -> Section {
        let material = self.material(self.young);
        match kind {
            0 => Section::circle(radius, material),
            1 => Section::plain(Shape::Annulus { inner: 0.8 * radius, outer: radius }, material),
            2 => Section::plain(Shape::Rectangle { width: 2.0 * radius, height: 0.9 * radius }, material),
            3 => {
                let core = Layer { shape: Shape::Circle { radius: 0.6 * radius }, material };
                let sheath = Layer {
                    shape: Shape::Annulus { inner: 0.6 * radius, outer: radius },
                    material: self.material(0.1 * self.young),
                };
                Section::Layers { layers: vec![core, sheath], shear_factor: 0.9 }
            }
            _ => {
                let plain = Section::circle(radius, material);
                let mut stiffness: Matrix6<f64> = plain.stiffness();
                // Pulling untwists it, and bending about one axis bends about the other.
                for (i, j, part) in [(0, 3, 0.3), (1, 2, 0.2)] {
                    let coupling = part * (stiffness[(i, i)] * stiffness[(j, j)]).sqrt();
                    stiffness[(i, j)] = coupling;
                    stiffness[(j, i)] = coupling;
                }
                Section::Given { stiffness, mass: plain.mass(), damping: 0.0, radius }
            }
        }
    }

    fn profile(&mut self, length: f64) -> Profile {
        let radius = self.length / self.slenderness;
        let kind = self.random.below(5);
        let root = self.section(kind, radius);
        match self.random.below(5) {
            0 => {
                let part = self.random.uniform(0.4, 1.0);
                Profile::taper(root, self.section(kind, part * radius), length)
            }
            1 => {
                let (at, part) = (length * self.random.uniform(0.2, 0.8), self.random.uniform(0.6, 1.0));
                let thin = self.section(kind, part * radius);
                let sections = [(0.0, &root), (at, &root), (at, &thin), (length, &thin)];
                Profile { stations: sections.map(|(s, section)| Station { s, section: section.clone() }).to_vec() }
            }
            _ => Profile::uniform(root),
        }
    }

    fn natural(&mut self, length: f64) -> NaturalShape {
        let most = self.random.uniform(0.0, 4.0) / length;
        match self.random.below(4) {
            0 => NaturalShape::curved(self.random.direction() * most),
            1 => {
                let middle = length * self.random.uniform(0.3, 0.7);
                let table = [0.0, middle, length].map(|s| (s, self.random.direction() * most));
                NaturalShape::Curvature(table.to_vec())
            }
            _ => NaturalShape::Straight,
        }
    }

    fn rod(&mut self, length: f64, base: Frame, tip: Option<Frame>) -> usize {
        let index = self.scene.rods.len();
        let rod = Rod {
            name: format!("rod{index}"),
            length,
            profile: self.profile(length),
            natural: self.natural(length),
            base: Some(base),
            tip,
            ..Rod::default()
        };
        self.scene.rods.push(rod);
        index
    }

    fn first_rod(&mut self) -> usize {
        let base = Pose::new(self.rotation(3.0), Vector3::zeros());
        self.rod(self.length, Frame::world(base), None)
    }

    fn rotation(&mut self, most: f64) -> Rotation {
        Rotation::exp(&(self.random.direction() * self.random.uniform(0.0, most)))
    }

    /// Least bending stiffness of a rod, N·m².
    fn bending(&self, rod: usize) -> f64 {
        let profile = &self.scene.rods[rod].profile;
        let stiffness = profile.stations.iter().map(|station| station.section.stiffness());
        stiffness.map(|k| k[(1, 1)].min(k[(2, 2)])).fold(f64::INFINITY, f64::min)
    }

    /// A force of up to so many EI/L².
    fn force(&mut self, rod: usize, most: f64) -> Vector3<f64> {
        let unit = self.bending(rod) / self.scene.rods[rod].length.powi(2);
        self.random.direction() * (self.random.uniform(0.0, most) * unit)
    }

    /// A moment of up to so many EI/L.
    fn moment(&mut self, rod: usize, most: f64) -> Vector3<f64> {
        let unit = self.bending(rod) / self.scene.rods[rod].length;
        self.random.direction() * (self.random.uniform(0.0, most) * unit)
    }

    fn load(&mut self, rod: usize, frame: LoadFrame, kind: LoadKind) {
        let name = format!("load{}", self.scene.loads.len());
        self.scene.loads.push(Load { name, rod, frame, kind });
    }

    fn tip_load(&mut self) {
        let rod = self.first_rod();
        let wrench = Wrench::new(self.moment(rod, 2.0), self.force(rod, 10.0));
        self.load(rod, LoadFrame::World, LoadKind::Point { at: self.length, wrench });
    }

    fn loads_inside(&mut self) {
        let rod = self.first_rod();
        for _ in 0..1 + self.random.below(3) {
            let at = self.length * self.random.uniform(0.1, 1.0);
            let wrench = Wrench::new(self.moment(rod, 2.0), self.force(rod, 8.0));
            self.load(rod, LoadFrame::World, LoadKind::Point { at, wrench });
        }
        let (a, b) = (self.random.uniform(0.0, 0.5), self.random.uniform(0.6, 1.0));
        let per_length = Wrench::new(Vector3::zeros(), self.force(rod, 8.0) / self.length);
        let kind = LoadKind::Distributed { from: a * self.length, to: b * self.length, per_length };
        self.load(rod, LoadFrame::World, kind);
    }

    fn follower(&mut self) {
        let rod = self.first_rod();
        let force = self.force(rod, 5.0);
        let kind = match self.random.chance(0.5) {
            true => {
                let wrench = Wrench::new(self.moment(rod, 3.0), force);
                LoadKind::Point { at: self.length * self.random.uniform(0.5, 1.0), wrench }
            }
            false => {
                let per_length = Wrench::new(Vector3::zeros(), force / self.length);
                LoadKind::Distributed { from: 0.0, to: self.length, per_length }
            }
        };
        self.load(rod, LoadFrame::Body, kind);
    }

    /// Natural turns of 6 to 63 rad, loads that do not pull them straight.
    fn spring_of_turns(&mut self) {
        let rod = self.first_rod();
        let turn = self.random.log_uniform(6.0, 63.0);
        let axis = Vector3::new(self.random.uniform(-0.5, 0.5), 1.0, self.random.uniform(-0.3, 0.3)).normalize();
        self.scene.rods[rod].natural = NaturalShape::curved(axis * (turn / self.length));
        let wrench = Wrench::new(self.moment(rod, 2.0), self.force(rod, 4.0));
        self.load(rod, LoadFrame::World, LoadKind::Point { at: self.length, wrench });
    }

    /// A rod held at both ends, the far one nearer than it would be and turned.
    fn closed(&mut self, loops: LoopMethod) {
        let rod = self.first_rod();
        let model = &self.scene.rods[rod];
        let base = model.base.and_then(|frame| frame.world_pose()).expect("it stands on the world");
        let there = base * natural_tip(model);
        let way = (there.position - base.position) * self.random.uniform(0.75, 0.97)
            + self.random.direction() * (0.05 * self.length);
        // No farther than the rod reaches without being stretched.
        let way = way * f64::min(1.0, 0.97 * self.length / way.norm());
        let tip = Pose::new(there.rotation * self.rotation(0.8), base.position + way);
        self.scene.rods[rod].tip = Some(Frame::world(tip));
        self.scene.loops = loops;
        if self.random.chance(0.5) {
            let wrench = Wrench::new(Vector3::zeros(), self.force(rod, 8.0));
            let at = self.length * self.random.uniform(0.2, 0.8);
            self.load(rod, LoadFrame::World, LoadKind::Point { at, wrench });
        }
    }

    /// Rods on rods and on bodies, with weights and pushes.
    fn tree(&mut self) {
        self.first_rod();
        for _ in 0..1 + self.random.below(4) {
            let carrier = self.random.below(self.scene.rods.len());
            let whole = self.scene.rods[carrier].length;
            let s = if self.random.chance(0.5) { whole } else { whole * self.random.uniform(0.3, 0.9) };
            let seat = Frame::rod(carrier, s).at(Pose::new(self.rotation(1.5), Vector3::zeros()));
            let on = match self.random.chance(0.5) {
                true => {
                    let body = self.scene.bodies.len();
                    self.body(Mount::On(seat));
                    Frame::body(body).at(Pose::new(self.rotation(1.0), self.random.direction() * (0.05 * whole)))
                }
                false => seat,
            };
            let length = self.length * self.random.uniform(0.4, 1.0);
            let rod = self.rod(length, on, None);
            let wrench = Wrench::new(Vector3::zeros(), self.force(rod, 2.0));
            self.load(rod, LoadFrame::World, LoadKind::Point { at: length, wrench });
        }
    }

    fn body(&mut self, mount: Mount) {
        let mass = self.random.uniform(0.0, 1.0) * self.bending(0) / (GRAVITY * self.length * self.length);
        let centre = self.random.direction() * (0.05 * self.length);
        let inertia = Inertia { mass, centre, ..Inertia::default() };
        self.scene.bodies.push(Body {
            name: format!("body{}", self.scene.bodies.len()),
            inertia,
            mount,
            frames: Vec::new(),
            solids: Vec::new(),
            initial_velocity: InitialVelocity::default(),
        });
    }

    fn joint(&mut self, parent: Frame) -> Frame {
        let (axis, other) = (self.random.direction(), self.random.direction());
        let kind = match self.random.below(6) {
            0 => JointKind::Revolute { axis },
            1 => JointKind::Prismatic { axis },
            2 => JointKind::Cylindrical { axis },
            3 => JointKind::Universal { first: axis, second: axis.cross(&other).normalize() },
            4 => JointKind::Spherical,
            _ => JointKind::Planar { normal: axis },
        };
        let strength = self.random.log_uniform(1.0, 10.0) * self.bending(0) / self.length;
        let firm = kind.coordinates().iter().map(|(_, coordinate)| match coordinate {
            Coordinate::Angle => strength,
            Coordinate::Distance => 5.0 * strength / self.length.powi(2),
        });
        let joint = self.scene.joints.len();
        self.scene.joints.push(Joint {
            name: format!("joint{joint}"),
            kind,
            parent,
            motion: JointMotion::Free { start: vec![0.0; kind.coordinates().len()] },
            stiffness: firm.collect(),
            rest: vec![0.0; kind.coordinates().len()],
            ..Joint::default()
        });
        Frame::joint(joint)
    }

    /// Rod, joint, rod …, a push at the end; every other one is held there too.
    fn chain(&mut self) {
        let mut last = self.first_rod();
        for _ in 0..1 + self.random.below(2) {
            let end = Frame::rod(last, self.scene.rods[last].length);
            let joint = self.joint(end);
            let length = self.length * self.random.uniform(0.5, 1.0);
            last = self.rod(length, joint, None);
        }
        let length = self.scene.rods[last].length;
        let wrench = Wrench::new(Vector3::zeros(), self.force(last, 2.0));
        if self.random.chance(0.5) {
            self.load(last, LoadFrame::World, LoadKind::Point { at: length, wrench });
        } else {
            let on = Frame::rod(last, length);
            let point = self.random.direction() * (2.0 * self.length);
            let kind = FrameLoadKind::Toward { point, size: wrench.force.norm() };
            self.scene.frame_loads.push(FrameLoad { name: "pull".into(), on, kind });
        }
    }

    /// An arm with a cable through eyes beside it.
    fn cables(&mut self) {
        let rod = self.first_rod();
        let base = self.scene.rods[rod].base.expect("it stands on the world");
        let aside = Vector3::new(0.0, 0.08 * self.length, 0.0);
        let eyes = 1 + self.random.below(4);
        let mut points = vec![base.at(Pose::at(aside))];
        points.extend((1..=eyes).map(|k| Frame::rod(rod, self.length * k as f64 / eyes as f64).at(Pose::at(aside))));
        let unit = self.bending(rod) / (0.08 * self.length * self.length);
        let (drive, stiffness) = match self.random.below(3) {
            0 => (CableDrive::Tension(self.random.uniform(0.0, 2.0) * unit), None),
            1 => (CableDrive::Pull(0.08 * self.length * self.random.uniform(0.0, 1.5)), Some(100.0 * unit)),
            _ => (CableDrive::Pull(0.08 * self.length * self.random.uniform(0.0, 1.5)), None),
        };
        self.scene.cables.push(Cable { name: "cable".into(), points, drive, stiffness });
        let wrench = Wrench::new(Vector3::zeros(), self.force(rod, 2.0));
        self.load(rod, LoadFrame::World, LoadKind::Point { at: self.length, wrench });
    }

    /// A spring to the world, or a bushing on the tip, under a load inside.
    fn springs(&mut self) {
        let rod = self.first_rod();
        let tip = Frame::rod(rod, self.length);
        let unit = self.bending(rod) / self.length.powi(3);
        let law = match self.random.chance(0.5) {
            true => SpringLaw::Line {
                stiffness: self.random.log_uniform(1.0, 30.0) * unit,
                rest_length: None,
                damping: 0.0,
            },
            false => {
                let angular = self.random.log_uniform(0.3, 10.0) * unit * self.length.powi(2);
                let linear = self.random.log_uniform(1.0, 30.0) * unit;
                let diagonal = [angular, angular, angular, linear, linear, linear];
                let stiffness = Matrix6::from_diagonal(&diagonal.into());
                SpringLaw::Bushing { stiffness, damping: Matrix6::zeros() }
            }
        };
        let model = &self.scene.rods[rod];
        let base = model.base.and_then(|frame| frame.world_pose()).expect("it stands on the world");
        let there = base * natural_tip(model);
        let anchor = match law {
            SpringLaw::Line { .. } | SpringLaw::Axes { .. } => {
                Pose::at(there.position + self.random.direction() * (0.5 * self.length))
            }
            SpringLaw::Bushing { .. } => Pose::new(
                there.rotation * self.rotation(0.5),
                there.position + self.random.direction() * (0.1 * self.length),
            ),
        };
        self.scene.springs.push(Spring { name: "spring".into(), a: Frame::world(anchor), b: tip, law });
        let wrench = Wrench::new(Vector3::zeros(), self.force(rod, 6.0));
        let at = self.length * self.random.uniform(0.3, 1.0);
        self.load(rod, LoadFrame::World, LoadKind::Point { at, wrench });
    }
}

/// Pose of the tip of a rod in its natural shape, seen from its base.
fn natural_tip(rod: &Rod) -> Pose {
    let step = rod.length / STEPS as f64;
    (0..STEPS).fold(Pose::identity(), |g, k| {
        let strain = rod.natural.strain_at((k as f64 + 0.5) * step).expect("random shapes are tables");
        g.boxplus(&Twist::new(strain.curvature * step, strain.stretch * step))
    })
}
