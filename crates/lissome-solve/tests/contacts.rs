//! Rods and bodies that touch.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_mech::index::RodIndex;
use lissome_mech::{Inputs, State, System};
use lissome_model::*;
use lissome_solve::dynamics::{Integrator, Motion, Run, Scheme, StepChoice};
use lissome_solve::{StaticOptions, path, statics};
use nalgebra::Vector3;

/// The heavy tapered rod over a plane of paper 4's reference set-up: clamped level at a height of 50 mm.
fn heavy(spans: usize, friction: f64) -> Scene {
    let material = Material::from_poisson(1e6, 0.45).with_density(3000.0);
    let section = |radius: f64| Section::circle(radius, material);
    let rod = Rod {
        name: "rod".into(),
        length: 0.3,
        profile: Profile::taper(section(0.010), section(0.006), 0.3),
        natural: NaturalShape::Straight,
        base: Some(Frame::world(Pose::at(Vector3::new(0.0, 0.0, 0.05)))),
        tip: None,
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(spans), form: StrainForm::Mixed },
        turns: Vector3::zeros(),
        initial_velocity: None,
        tubes: None,
    };
    Scene {
        gravity: Vector3::new(0.0, 0.0, -9.81),
        rods: vec![rod],
        obstacles: vec![Obstacle {
            name: "floor".into(),
            shape: ObstacleShape::Plane,
            frame: Frame::world(Pose::identity()),
        }],
        touching: Touching { friction, ..Touching::default() },
        ..Scene::default()
    }
}

/// Total force of all contacts at a state.
fn total(system: &System, state: &State) -> Vector3<f64> {
    system.contact_states(state, &system.inputs_at(0.0)).iter().map(|contact| contact.force).sum()
}

/// Half the weight of it lies on the floor, with bars of the reference: 0.5 % of the total force.
#[test]
fn a_heavy_rod_lies_on_the_floor() {
    for spans in [12, 24] {
        let system = System::compile(&heavy(spans, 0.0)).unwrap();
        let mut work = system.workspace();
        let solution = statics::solve_from_natural(&system, &Default::default(), &mut work, &mut |_| true);
        assert!(solution.outcome.converged());
        let contacts = system.contact_states(&solution.state, &system.inputs_at(0.0));
        let deepest = contacts.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
        let lifts = contacts.iter().filter(|contact| contact.force.z > 0.0).map(|c| c.s).fold(f64::INFINITY, f64::min);
        let force = total(&system, &solution.state).z;
        println!("{spans}: {force} {deepest:e} {lifts} {}", solution.outcome.history.len());
        assert!((force / 0.69404 - 1.0).abs() < 5e-3 && deepest > -1e-9, "{force} {deepest:e}");
        assert!((lifts - 0.213889).abs() < 0.3 / spans as f64, "{lifts}");
    }
}

/// Laid down step by step it slides, everywhere with as much friction as there can be.
#[test]
fn a_heavy_rod_slides_on_a_rough_floor() {
    let system = System::compile(&heavy(12, 0.5)).unwrap();
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &Default::default(), &mut work, &mut |_| true);
    assert!(solution.outcome.converged());
    let contacts = system.contact_states(&solution.state, &system.inputs_at(0.0));
    for contact in contacts.iter().filter(|contact| contact.force.z > 0.0) {
        let (along, across) = (contact.force.x.hypot(contact.force.y), contact.force.z);
        assert!(along <= 0.5 * across * (1.0 + 1e-9), "{contact:?}");
    }
    let force = total(&system, &solution.state);
    assert!((force.x / force.z - 0.5).abs() < 1e-9, "{force:?}");
}

/// The rod of the reference set-up `drop`: at 10° over a plane, 20 mm above it.
fn dropped(friction: f64) -> Scene {
    let material = Material::from_poisson(1e6, 0.45).with_density(3000.0);
    let tilt = Rotation::exp(&Vector3::new(0.0, -(10f64.to_radians()), 0.0));
    let joint = Joint {
        name: "fall".into(),
        kind: JointKind::Free,
        parent: Frame::world(Pose::new(tilt, Vector3::new(0.0, 0.0, 0.028))),
        motion: JointMotion::Free { start: vec![0.0; 6] },
        ..Joint::default()
    };
    let rod = Rod {
        name: "rod".into(),
        length: 0.3,
        profile: Profile::uniform(Section::circle(0.008, material)),
        natural: NaturalShape::Straight,
        base: Some(Frame::joint(0)),
        tip: None,
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(8), form: StrainForm::Mixed },
        turns: Vector3::zeros(),
        initial_velocity: None,
        tubes: None,
    };
    Scene { rods: vec![rod], joints: vec![joint], ..heavy(1, friction) }
}

/// Energy falls, momentum is what the forces made, and in the end the floor carries the weight; bars of the reference.
#[test]
fn a_dropped_rod_comes_to_rest() {
    for (friction, step) in [(0.5, 5e-3), (0.5, 20e-3), (0.5, 50e-3), (0.0, 5e-3), (0.0, 10e-3), (0.0, 50e-3)] {
        let system = System::compile(&dropped(friction)).unwrap();
        let mut motion = Motion::at_rest(&system, system.natural_state());
        let mut integrator = Integrator::new(&system, Scheme::default());
        integrator.make_consistent(&mut motion).unwrap();
        let mut run = Run::new(integrator, StepChoice::Fixed(step));
        let weight = std::f64::consts::PI * 0.008f64.powi(2) * 0.3 * 3000.0 * 9.81;
        let mut last = run.energies_at(&motion).energy();
        let (mut rise, mut deepest, mut unbalanced) = (0.0f64, 0.0f64, 0.0f64);
        let (mut impulse, mut time, mut force) = (Vector3::zeros(), 0.0, Vector3::zeros());
        let inputs = Inputs { duration: 1.0, ..system.inputs_at(0.0) };
        let result = run.advance(&mut motion, 1.2, &mut |motion, report| {
            rise = rise.max(report.end.energy() - last);
            last = report.end.energy();
            let contacts = system.contact_states(&motion.state, &inputs);
            force = contacts.iter().map(|contact| contact.force).sum();
            deepest = contacts.iter().map(|contact| contact.gap).fold(deepest, f64::min);
            impulse += (force - Vector3::z() * weight) * (motion.time - time);
            time = motion.time;
            unbalanced = unbalanced.max((report.end.linear_momentum - impulse).norm());
            true
        });
        let told = format!(
            "{friction} {step}: rise {:e}, deepest {deepest:e}, momentum {unbalanced:e}, force {:e}",
            rise / (weight * 0.02),
            force.z / weight - 1.0
        );
        println!("{told}");
        assert!(result.is_ok() && rise < 1e-5 * weight * 0.02 && deepest > -1e-8 && unbalanced < 1e-8, "{told}");
        assert!((force.z / weight - 1.0).abs() < 1e-4, "{told}");
    }
}

/// A rod that lies on a slope, given by the direction of gravity: along it or across it.
fn on_slope(degrees: f64, friction: f64, across: bool, spans: usize) -> Scene {
    let material = Material { damping: 5e-3, ..Material::from_poisson(1e6, 0.45).with_density(3000.0) };
    let mut scene = dropped(friction);
    scene.joints[0].parent = Frame::world(Pose::at(Vector3::new(0.0, 0.0, 0.008)));
    scene.rods[0].profile = Profile::uniform(Section::circle(0.008, material));
    scene.rods[0].discretization =
        Discretization::Spline { degree: 3, resolution: Resolution::Spans(spans), form: StrainForm::Mixed };
    let (down, along) = (degrees.to_radians().cos(), degrees.to_radians().sin());
    let direction = if across { Vector3::y() } else { Vector3::x() };
    scene.gravity = direction * (9.81 * along) - Vector3::z() * (9.81 * down);
    scene
}

/// Mean acceleration along the slope from rest.
fn acceleration(scene: &Scene, step: f64, until: f64) -> Vector3<f64> {
    let system = System::compile(scene).unwrap();
    let mut motion = Motion::at_rest(&system, system.natural_state());
    let mut integrator = Integrator::new(&system, Scheme::default());
    integrator.make_consistent(&mut motion).unwrap();
    let mut run = Run::new(integrator, StepChoice::Fixed(step));
    let mut momentum = Vector3::zeros();
    run.advance(&mut motion, until, &mut |_, report| {
        momentum = report.end.linear_momentum;
        true
    })
    .unwrap();
    let mass = std::f64::consts::PI * 0.008f64.powi(2) * 0.3 * 3000.0;
    momentum / (mass * motion.time)
}

/// Figures and bars of the reference: g (sin θ − μ cos θ); ⅔ g sin θ for what rolls.
#[test]
fn a_rod_on_a_slope_sticks_slides_and_rolls() {
    let stuck = acceleration(&on_slope(26.0, 0.5, false, 8), 5e-3, 0.5) * 0.5;
    assert!(stuck.norm() < 1e-6, "{stuck:?}");
    let sliding = acceleration(&on_slope(30.0, 0.5, false, 8), 5e-3, 0.5);
    assert!((sliding.x - 0.6571453944373277).abs() < 1e-6, "{sliding:?}");
    let rolling = acceleration(&on_slope(30.0, 0.5, true, 4), 2e-3, 0.1);
    assert!((rolling.y / 3.27 - 1.0).abs() < 1e-3, "{rolling:?}");
    let slipping = acceleration(&on_slope(60.0, 0.3, true, 4), 2e-3, 0.1);
    assert!((slipping.y / 7.024209211125343 - 1.0).abs() < 1e-3, "{slipping:?}");
}

/// Follows the drives of a scene and shows every sample.
fn follow(scene: &Scene, samples: usize, see: &mut dyn FnMut(&System, &path::Step<'_>)) -> usize {
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let options = StaticOptions { eigenvalue: false, ..StaticOptions::default() };
    let path = path::Path { samples, end: 1.0, on_event: OnEvent::Jump };
    let mut iterations = 0;
    path::follow(&system, &path, &options, &mut work, &mut |_| true, &mut |step| {
        iterations += step.solution.outcome.history.len();
        if !step.solution.outcome.converged() { println!("sample {} {:?}", step.index, step.solution.outcome.status); }
        see(&system, &step);
        true
    });
    iterations
}

fn drive(target: DriveTarget, points: &[(f64, f64)]) -> Drive {
    Drive { path: format!("{target:?}"), target, signal: Signal::Table(points.to_vec()) }
}

fn rod(length: f64, profile: Profile, spans: usize, base: Frame) -> Rod {
    Rod {
        name: "rod".into(),
        length,
        profile,
        natural: NaturalShape::Straight,
        base: Some(base),
        tip: None,
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(spans), form: StrainForm::Mixed },
        turns: Vector3::zeros(),
        initial_velocity: None,
        tubes: None,
    }
}

fn slide(name: &str, axis: Vector3<f64>, pose: Pose) -> Joint {
    Joint {
        name: name.into(),
        kind: JointKind::Prismatic { axis },
        parent: Frame::world(pose),
        motion: JointMotion::Driven { value: vec![0.0] },
        ..Joint::default()
    }
}

/// A rod that droops over a cylinder, gravity put on in ten steps.
#[test]
fn a_rod_droops_over_a_cylinder() {
    let material = Material::from_poisson(3e5, 0.45).with_density(1000.0);
    // x forward, z up; the cylinder lies along y.
    let across = Rotation::exp(&(Vector3::z() * std::f64::consts::FRAC_PI_2));
    let scene = Scene {
        gravity: Vector3::new(0.0, 0.0, -9.81),
        rods: vec![rod(0.6, Profile::uniform(Section::circle(0.02, material)), 24, Frame::world(Pose::identity()))],
        obstacles: vec![Obstacle {
            name: "bar".into(),
            shape: ObstacleShape::Cylinder { radius: 0.05, length: 1.0 },
            frame: Frame::world(Pose::new(across, Vector3::new(0.20, 0.0, -0.12))),
        }],
        drives: vec![drive(DriveTarget::Gravity, &[(0.0, 0.0), (1.0, 1.0)])],
        ..Scene::default()
    };
    let mut last = (Vector3::zeros(), Vector3::zeros());
    let its = follow(&scene, 11, &mut |system, step| {
        last = (total(system, &step.solution.state), system.sample_at(RodIndex::new(0), &step.solution.state, &[0.6])[0].pose.position);
    });
    println!("droop {its} its: force {:?} (4.514, 5.292) tip {:?} (0.3576, -0.3901)", last.0, last.1);
}

/// The composite rod of paper 4 pressed on a table that it sticks to.
#[test]
fn a_rod_is_pressed_on_a_table() {
    let silicone = Material::from_poisson(2.56e5, 0.45).with_density(1410.0);
    let steel = Material::from_poisson(1.2e9, 0.3).with_density(7800.0);
    let section = |outer: f64| Section::Layers {
        layers: vec![
            Layer { shape: Shape::Annulus { inner: 0.0015, outer }, material: silicone },
            Layer { shape: Shape::Circle { radius: 0.0015 }, material: steel },
        ],
        shear_factor: 1.0,
    };
    for spans in [8, 16] {
    // Pointing down, tilted by 30 degrees.
    let turn = Rotation::exp(&(Vector3::y() * (60f64.to_radians())));
    let mut scene = Scene {
        gravity: Vector3::new(0.0, 0.0, -9.81),
        joints: vec![slide("hand", -Vector3::z(), Pose::at(Vector3::new(0.0, 0.0, 0.3)))],
        rods: vec![rod(0.25, Profile::taper(section(0.0085), section(0.005), 0.25), spans, Frame::joint(0).at(Pose::new(turn, Vector3::zeros())))],
        ..Scene::default()
    };
    // Where the hanging tip is, there is the table.
    let system = System::compile(&scene).unwrap();
    let hanging = statics::solve_from_natural(&system, &Default::default(), &mut system.workspace(), &mut |_| true);
    let tip = system.sample_at(RodIndex::new(0), &hanging.state, &[0.25])[0].pose.position;
    scene.obstacles.push(Obstacle { name: "table".into(), shape: ObstacleShape::Plane, frame: Frame::world(Pose::at(Vector3::new(0.0, 0.0, tip.z))) });
    // The reference has a tip without radius: a point instead of the rod.
    scene.bodies.push(Body { name: "tip".into(), mount: Mount::On(Frame::rod(0, 0.25)), solids: vec![Solid { pose: Pose::identity(), outline: Outline::Sphere { radius: 1e-9 } }], ..Body::default() });
    scene.touching.pairs.push(TouchingPair { of: [Toucher::Rod(0), Toucher::Obstacle(0)], friction: None, touches: false });
    scene.touching.friction = 0.83;
    scene.drives.push(drive(DriveTarget::JointValue { joint: 0, coordinate: 0 }, &[(0.0, 0.0), (1.0, 0.03)]));
    let its = follow(&scene, 31, &mut |system, step| {
        let force = total(system, &step.solution.state);
        if [1, 10, 30].contains(&step.index) { println!("press {} {spans}: {force:?} (1: 1.03306, 10: 1.61778, 30: 1.82645)", step.index); }
    });
    println!("press its {its}");
    }
}

/// A rod pulled over half a cylinder.
#[test]
fn a_rod_is_pulled_over_a_cylinder() {
    let stiffness = 2.5e-4;
    for spans in [24, 48] {
    let r = 1e-4;
    let material = Material::from_poisson(stiffness / (std::f64::consts::PI * r * r * r * r / 4.0), 0.3);
    let radius = 0.05;
    let free = 0.1;
    let length = std::f64::consts::PI * radius + 2.0 * free;
    let up = Rotation::exp(&(Vector3::y() * -std::f64::consts::FRAC_PI_2));
    let across = Rotation::exp(&(Vector3::z() * std::f64::consts::FRAC_PI_2));
    let load = |name: &str, force: Vector3<f64>| Load { name: name.into(), rod: 0, frame: LoadFrame::World, kind: LoadKind::Point { at: length, wrench: Wrench::new(Vector3::zeros(), force) } };
    let wrap = 0.7;
    let turn: Vec<(f64, f64)> = (0..=40).map(|k| k as f64 / 40.0).collect::<Vec<_>>().into_iter().map(|t| (t * wrap, t * std::f64::consts::PI)).collect();
    let ends = |f: &dyn Fn(f64) -> f64| { let mut v: Vec<(f64,f64)> = turn.iter().map(|(t, a)| (*t, f(*a))).collect(); v.push((1.0, f(std::f64::consts::PI))); v };
    let scene = Scene {
        joints: vec![slide("hand", -Vector3::z(), Pose::at(Vector3::new(radius, 0.0, -free)))],
        rods: vec![rod(length, Profile::uniform(Section::circle(r, material)), spans, Frame::joint(0).at(Pose::new(up, Vector3::zeros())))],
        loads: vec![load("up", Vector3::z()), load("aside", -Vector3::x())],
        obstacles: vec![Obstacle {
            name: "drum".into(),
            shape: ObstacleShape::Cylinder { radius: radius - r, length: 1.0 },
            frame: Frame::world(Pose::new(across, Vector3::zeros())),
        }],
        touching: Touching { friction: 0.5, ..Touching::default() },
        drives: vec![
            drive(DriveTarget::Load(0), &ends(&|a| a.cos())),
            drive(DriveTarget::Load(1), &ends(&|a| a.sin())),
            drive(DriveTarget::JointValue { joint: 0, coordinate: 0 }, &[(0.0, 0.0), (wrap, 0.0), (1.0, 0.05)]),
        ],
        ..Scene::default()
    };
    let its = follow(&scene, 61, &mut |system, step| {
        let force = total(system, &step.solution.state);
        // What the hand pulls with balances the load and the drum.
        if step.index % 5 == 0 || step.index > 55 { println!("{} drum {force:?} hand {}", step.index, force.z - 1.0); }
    });
    println!("capstan {spans} {its} its (4.6054)");
    }
}

/// A rod pushed through a bent tube.
#[test]
fn a_rod_is_pushed_through_a_bent_tube() {
    for friction in [0.0, 0.2, 0.5] {
    let r = 0.125e-3;
    let material = Material::from_poisson(55e6, 0.45);
    let length = 26e-3;
    let axis = BoreAxis { pieces: vec![BorePiece::Straight { length: 1.1 * length }, BorePiece::Arc { radius: 3e-3, angle: std::f64::consts::PI, toward: 0.0 }, BorePiece::Straight { length: 30e-3 }] };
    let scene = Scene {
        joints: vec![slide("hand", Vector3::x(), Pose::at(Vector3::new(0.1e-3, 0.0, 0.0)))],
        rods: vec![rod(length, Profile::uniform(Section::circle(r, material)), 16, Frame::joint(0))],
        obstacles: vec![Obstacle { name: "tube".into(), shape: ObstacleShape::Bore { axis, radius: r + 0.15e-3 }, frame: Frame::world(Pose::identity()) }],
        touching: Touching { friction, ..Touching::default() },
        drives: vec![drive(DriveTarget::JointValue { joint: 0, coordinate: 0 }, &[(0.0, 0.0), (1.0, 22e-3)])],
        ..Scene::default()
    };
    let its = follow(&scene, 41, &mut |system, step| {
        let force = total(system, &step.solution.state);
        if step.index % 4 == 0 { println!("{friction}: {} force mN {}", step.index, -force.x * 1e3); }
    });
    println!("tube {friction} {its} its (0.56, 1.86, 5.62)");
    }
}
