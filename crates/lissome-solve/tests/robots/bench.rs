//! The workbench of these tests: short ways to make parts, to solve, and to compare with the oracle.

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_mech::index::RodIndex;
use lissome_mech::{Inputs, Sample, System, Workspace};
use lissome_model::*;
use lissome_reference::network::{self, SceneNetwork};
use lissome_solve::{Solution, StaticOptions, statics};
use nalgebra::Vector3;

pub const GRAVITY: f64 = 9.81;

pub fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -GRAVITY)
}

pub fn turned(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Rotation::exp(&Vector3::new(x, y, z)), Vector3::zeros())
}

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::at(Vector3::new(x, y, z))
}

pub fn ground() -> Frame {
    Frame::world(Pose::identity())
}

/// A round rod of 4 mm, quintic so that what is left of the discretisation is (1/12)⁶ = 3e-7 of what bends.
pub fn rod(name: &str, length: f64, base: Option<Frame>, tip: Option<Frame>) -> Rod {
    Rod {
        name: name.into(),
        length,
        profile: Profile::uniform(Section::circle(2e-3, Material::from_poisson(1e9, 0.3).with_density(1200.0))),
        natural: NaturalShape::Straight,
        base,
        tip,
        discretization: Discretization::Spline {
            degree: 5,
            resolution: Resolution::Spans(12),
            form: StrainForm::Mixed,
        },
        ..Rod::default()
    }
}

/// EI of such a rod, N·m².
pub fn bending() -> f64 {
    Section::circle(2e-3, Material::from_poisson(1e9, 0.3)).stiffness()[(1, 1)]
}

pub fn body(name: &str, mount: Mount, mass: f64, centre: Vector3<f64>) -> Body {
    let inertia = Inertia { mass, centre, ..Inertia::default() };
    Body { name: name.into(), inertia, mount, ..Body::default() }
}

pub fn joint(name: &str, kind: JointKind, parent: Frame) -> Joint {
    let start = vec![0.0; kind.coordinates().len()];
    Joint {
        name: name.into(),
        kind,
        parent,
        motion: JointMotion::Free { start },
        stiffness: Vec::new(),
        rest: Vec::new(),
        damping: Vec::new(),
        limits: Vec::new(),
        ..Joint::default()
    }
}

pub fn dead(name: &str, on: Frame, moment: Vector3<f64>, force: Vector3<f64>) -> FrameLoad {
    let kind = FrameLoadKind::Wrench { axes: LoadFrame::World, wrench: Wrench::new(moment, force) };
    FrameLoad { name: name.into(), on, kind }
}

pub fn push(name: &str, on: Frame, force: Vector3<f64>) -> FrameLoad {
    dead(name, on, Vector3::zeros(), force)
}

/// One of each kind, axes askew.
pub fn kinds() -> Vec<JointKind> {
    let askew = Vector3::new(0.3, 0.9, -0.2).normalize();
    let other = Vector3::new(-0.1, 0.4, 0.9).normalize();
    vec![
        JointKind::Fixed,
        JointKind::Revolute { axis: askew },
        JointKind::Prismatic { axis: askew },
        JointKind::Cylindrical { axis: askew },
        JointKind::Universal { first: askew, second: other },
        JointKind::Spherical,
        JointKind::Planar { normal: askew },
        JointKind::Free,
    ]
}

/// A solved scene.
pub struct Solved {
    pub system: System,
    pub solution: Solution,
    pub work: Workspace,
    pub inputs: Inputs,
}

pub fn attempt(scene: &Scene) -> Solved {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &StaticOptions::default(), &mut work, &mut |_| true);
    let inputs = system.inputs_at(0.0);
    Solved { system, solution, work, inputs }
}

pub fn solve(scene: &Scene) -> Solved {
    let solved = attempt(scene);
    let outcome = &solved.solution.outcome;
    assert!(outcome.converged(), "{:?} after {} iterations", outcome.status, outcome.iterations());
    assert!(outcome.stability.unwrap().stable, "{:?}", outcome.stability);
    assert!(outcome.residual < 1e-8, "residual {:e}", outcome.residual);
    solved
}

impl Solved {
    pub fn body(&self, index: usize) -> Pose {
        self.solution.state.poses[self.system.bodies()[index].slot]
    }
    pub fn joint(&self, index: usize) -> Vec<f64> {
        self.system.joint_values(index, &self.solution.state)
    }
    pub fn samples(&self, rod: usize, arc: &[f64]) -> Vec<Sample> {
        self.system.sample_at(RodIndex::new(rod), &self.solution.state, arc)
    }
    pub fn tip(&self, rod: usize) -> Pose {
        *self.system.rod_poses(RodIndex::new(rod), &self.solution.state).last().unwrap()
    }
    pub fn base(&self, rod: usize) -> Pose {
        self.system.rod_poses(RodIndex::new(rod), &self.solution.state)[0]
    }
    /// World axes, about that end.
    pub fn base_wrench(&self, rod: usize) -> Wrench {
        turn(&self.base(rod), &self.system.reaction(RodIndex::new(rod), true, &self.solution.state, &self.work))
    }
    pub fn tip_wrench(&self, rod: usize) -> Wrench {
        turn(&self.tip(rod), &self.system.reaction(RodIndex::new(rod), false, &self.solution.state, &self.work))
    }
    pub fn tension(&self, cable: usize) -> f64 {
        self.system.cable(cable, &self.system.at(&self.solution.state, &self.inputs)).unwrap().0
    }
    pub fn cable_length(&self, cable: usize) -> f64 {
        self.system.cable(cable, &self.system.at(&self.solution.state, &self.inputs)).unwrap().1
    }
    /// Forces along the coordinates of a joint that its limits exert.
    pub fn limit_force(&self, joint: usize) -> f64 {
        let limits = &self.system.kinds().joint_limits;
        let limit = limits.iter().find(|limit| limit.part.index == joint).unwrap();
        -self.solution.state.block(limit.multiplier.block)[0]
    }
    pub fn iterations(&self) -> usize {
        self.solution.outcome.iterations()
    }
}

fn turn(axes: &Pose, wrench: &Wrench) -> Wrench {
    Wrench::new(axes.rotation.rotate(&wrench.moment), axes.rotation.rotate(&wrench.force))
}

/// Distance of two poses, m and rad alike.
pub fn apart(a: &Pose, b: &Pose) -> f64 {
    let gap = a.boxminus(b);
    gap.angular.norm().max(gap.linear.norm())
}

/// The largest distance between two answers of the same parts.
pub fn differ(scene: &Scene, a: &Solved, b: &Solved) -> f64 {
    let mut worst: f64 = 0.0;
    for i in 0..scene.bodies.len() {
        worst = worst.max(apart(&a.body(i), &b.body(i)));
    }
    for (i, rod) in scene.rods.iter().enumerate() {
        let arc: Vec<f64> = (0..=8).map(|k| rod.length * f64::from(k) / 8.0).collect();
        for (x, y) in a.samples(i, &arc).iter().zip(b.samples(i, &arc)) {
            worst = worst.max(apart(&x.pose, &y.pose));
        }
    }
    worst
}

/// Solves and compares everything with the oracle; `tolerance` in m and rad, wrenches in it times EI/L² and EI/L.
pub fn agree(scene: &Scene, tolerance: f64, what: &str) -> Solved {
    let ours = solve(scene);
    let read = SceneNetwork::new(scene, 0.0).unwrap();
    let oracle = network::solve(&read.network).unwrap_or_else(|error| panic!("{what}: oracle: {error}"));
    for (i, body) in scene.bodies.iter().enumerate() {
        let gap = apart(&ours.body(i), &read.body_pose(&oracle, i));
        assert!(gap < tolerance, "{what}: body {} is {gap:e} off", body.name);
    }
    for (i, joint) in scene.joints.iter().enumerate() {
        let (a, b) = (ours.joint(i), read.joint_coordinates(&oracle, i));
        // A turning joint without a spring does not know how often it has turned.
        let turns = |i: usize| joint.kind.coordinates()[i].1 == Coordinate::Angle && joint.stiffness.is_empty();
        let apart = |i: usize| if turns(i) { (0.5 * (a[i] - b[i])).sin().abs() * 2.0 } else { (a[i] - b[i]).abs() };
        let gap = (0..b.len()).map(apart).fold(0.0, f64::max);
        assert!(a.len() == b.len() && gap < tolerance, "{what}: joint {}: {a:?} {b:?}", joint.name);
    }
    for (i, rod) in scene.rods.iter().enumerate() {
        let arc: Vec<f64> = (0..=8).map(|k| rod.length * f64::from(k) / 8.0).collect();
        for sample in ours.samples(i, &arc) {
            let gap = apart(&sample.pose, &read.rod_pose(&oracle, i, sample.s));
            assert!(gap < tolerance, "{what}: rod {} at {} is {gap:e} off", rod.name, sample.s);
        }
        if rod.base.is_none() {
            continue;
        }
        let (a, b) = (ours.base_wrench(i), read.rod_wrench(&oracle, i, 0.0));
        let force = 10.0 * bending() / rod.length.powi(2);
        let gap = ((a.force - b.force) / force).norm().max(((a.moment - b.moment) / (force * rod.length)).norm());
        assert!(gap < tolerance / rod.length, "{what}: base of rod {}: {a:?} {b:?}", rod.name);
    }
    for (i, cable) in scene.cables.iter().enumerate() {
        let (a, b) = (ours.tension(i), oracle.cable_tension(i));
        assert!((a - b).abs() < tolerance * 100.0 * (1.0 + b), "{what}: cable {}: {a} {b}", cable.name);
        let (a, b) = (ours.cable_length(i), oracle.cable_length(i));
        assert!((a - b).abs() < tolerance, "{what}: cable {}: {a} m, {b} m", cable.name);
    }
    ours
}
