//! Rods and bodies that touch.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation};
use lissome_mech::{Inputs, State, System};
use lissome_model::*;
use lissome_solve::dynamics::{Integrator, Motion, Run, Scheme, StepChoice};
use lissome_solve::{StaticOptions, path, statics};
use nalgebra::{Matrix3, Vector3};

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
        discretization: Discretization::Spline {
            degree: 3,
            resolution: Resolution::Spans(spans),
            form: StrainForm::Mixed,
        },
        turns: Vector3::zeros(),
        laid: Vec::new(),
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
        laid: Vec::new(),
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

/// Follows the drives of a scene and shows every sample, all of which are found.
fn follow(scene: &Scene, samples: usize, see: &mut dyn FnMut(&System, &path::Step<'_>)) {
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let options = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::default() };
    let path = path::Path { samples, end: 1.0, on_event: OnEvent::Jump };
    let mut found = 0;
    path::follow(&system, &path, &options, &mut work, &mut |_| true, &mut |step| {
        assert!(step.solution.outcome.converged(), "sample {}: {:?}", step.index, step.solution.outcome.status);
        see(&system, &step);
        found += 1;
        true
    });
    assert_eq!(found, samples);
}

/// A rod pushed through a bent tube, its straight part guided: where it is inside the bend it takes a force to push, more
/// of it with friction; nothing leaves the bore.
#[test]
fn a_rod_is_pushed_through_a_bent_tube() {
    let (radius, length) = (0.125e-3, 26e-3);
    let pushed = |friction: f64| {
        let axis = BoreAxis {
            pieces: vec![
                BorePiece::Straight { length: 1.1 * length },
                BorePiece::Arc { radius: 3e-3, angle: std::f64::consts::PI, toward: 0.0 },
                BorePiece::Straight { length: 30e-3 },
            ],
        };
        let rod = Rod {
            profile: Profile::uniform(Section::circle(radius, Material::from_poisson(55e6, 0.45))),
            length,
            base: Some(Frame::joint(0)),
            discretization: Discretization::Spline {
                degree: 3,
                resolution: Resolution::Spans(16),
                form: StrainForm::Mixed,
            },
            ..heavy(1, 0.0).rods[0].clone()
        };
        let target = DriveTarget::JointValue { joint: 0, coordinate: 0 };
        let scene = Scene {
            joints: vec![Joint {
                name: "hand".into(),
                kind: JointKind::Prismatic { axis: Vector3::x() },
                parent: Frame::world(Pose::at(Vector3::new(0.1e-3, 0.0, 0.0))),
                motion: JointMotion::Driven { value: vec![0.0] },
                ..Joint::default()
            }],
            rods: vec![rod],
            obstacles: vec![Obstacle {
                name: "tube".into(),
                shape: ObstacleShape::Bore { axis, radius: radius + 0.15e-3 },
                frame: Frame::world(Pose::identity()),
            }],
            touching: Touching { friction, ..Touching::default() },
            drives: vec![Drive {
                path: "hand.travel".into(),
                target,
                signal: Signal::Table(vec![(0.0, 0.0), (1.0, 14e-3)]),
            }],
            ..Scene::default()
        };
        let (mut work, mut deepest, mut last) = (0.0, 0.0f64, 0.0);
        follow(&scene, 29, &mut |system, step| {
            let force = -total(system, &step.solution.state).x;
            work += 0.5 * (force + last) * 14e-3 / 28.0;
            last = force;
            let contacts = system.contact_states(&step.solution.state, &system.inputs_at(0.0));
            deepest = contacts.iter().map(|contact| contact.gap).fold(deepest, f64::min);
        });
        assert!(deepest > -1e-9, "{deepest:e}");
        work
    };
    // Without friction the push ends as energy of the bend: half a circle, a little wider than its axis.
    let bend = 0.5 * 55e6 * std::f64::consts::FRAC_PI_4 * radius.powi(4) * std::f64::consts::PI / 3e-3;
    let (smooth, rough) = (pushed(0.0), pushed(0.2));
    println!("{smooth:e} {bend:e} {rough:e}");
    assert!(smooth > 0.7 * bend && smooth < 1.1 * bend, "{smooth:e} {bend:e}");
    assert!(rough > 1.5 * smooth, "{rough:e} {smooth:e}");
}

/// Fast things and thin plates, with steps in which they fly much farther than the plate is thick: nothing comes out on the
/// other side, what the plate exerted is what changed the momentum, and energy rises by no more than when a rod is dropped.
#[test]
fn nothing_passes_through_what_is_thin() {
    let plate = || Obstacle {
        name: "plate".into(),
        shape: ObstacleShape::Box { size: Vector3::new(2.0, 2.0, 0.01) },
        frame: Frame::world(Pose::identity()),
    };
    let ball = Body {
        name: "ball".into(),
        inertia: Inertia { mass: 0.1, about_centre: Matrix3::identity() * 4e-6, ..Inertia::default() },
        mount: Mount::Free(Pose::at(Vector3::new(0.0, 0.0, 0.2))),
        solids: vec![Solid { pose: Pose::identity(), outline: Outline::Sphere { radius: 0.01 } }],
        ..Body::default()
    };
    let flying = Scene { bodies: vec![ball], obstacles: vec![plate()], ..Scene::default() };
    let mut rod = Scene { gravity: Vector3::zeros(), obstacles: vec![plate()], ..dropped(0.3) };
    let material = Material { damping: 1e-5, ..Material::from_poisson(1e9, 0.45).with_density(3000.0) };
    rod.joints[0].parent = Frame::world(Pose::at(Vector3::new(-0.15, 0.0, 0.2)));
    rod.rods[0].profile = Profile::uniform(Section::circle(0.008, material));
    for (name, scene) in [("ball", flying), ("rod", rod)] {
        let system = System::compile(&scene).unwrap();
        let mut motion = Motion::at_rest(&system, system.natural_state());
        for (velocity, pose) in motion.velocity.iter_mut().zip(&motion.state.poses) {
            // Obstacles and the world stand.
            if pose.position.z > 0.1 {
                velocity.linear = pose.rotation.inverse_rotate(&Vector3::new(0.0, 0.0, -50.0));
            }
        }
        let mut integrator = Integrator::new(&system, Scheme::default());
        integrator.make_consistent(&mut motion).unwrap();
        let mut run = Run::new(integrator, StepChoice::Fixed(10e-3));
        let first = run.energies_at(&motion);
        let (mut impulse, mut time, mut deepest, mut unbalanced) = (Vector3::zeros(), 0.0, 0.0f64, 0.0f64);
        let (mut last, mut rise) = (first.energy(), 0.0f64);
        let inputs = Inputs { duration: 1.0, ..system.inputs_at(0.0) };
        let result = run.advance(&mut motion, 0.05, &mut |motion, report| {
            let contacts = system.contact_states(&motion.state, &inputs);
            let force: Vector3<f64> = contacts.iter().map(|contact| contact.force).sum();
            impulse += force * (motion.time - time);
            time = motion.time;
            deepest = contacts.iter().map(|contact| contact.gap).fold(deepest, f64::min);
            unbalanced = unbalanced.max((report.end.linear_momentum - first.linear_momentum - impulse).norm());
            rise = rise.max(report.end.energy() - last);
            last = report.end.energy();
            true
        });
        let size = first.linear_momentum.norm();
        println!(
            "{name}: {result:?} deepest {deepest:e} unbalanced {:e} rise {:e}",
            unbalanced / size,
            rise / first.energy()
        );
        assert!(result.is_ok() && size > 1.0, "{name}: {result:?}");
        assert!(impulse.z > 0.99 * size && deepest > -1e-6, "{name}: {deepest:e} {impulse:?}");
        assert!(unbalanced < 1e-6 * size && rise < 1e-5 * first.energy(), "{name}: {unbalanced:e} {rise:e}");
    }
}
