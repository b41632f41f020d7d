//! Springs between frames: equilibria by the oracle, frequency and damping in closed form, a stiff bushing as a fixed joint.
#![allow(clippy::unwrap_used)]

mod motion_scenes;

use lissome_lie::{Pose, Rotation};
use lissome_mech::System;
use lissome_model::*;
use lissome_reference::network::SceneNetwork;
use lissome_reference::rigid::oscillator::Oscillator;
use lissome_solve::dynamics::{Integrator, Motion, Run, Scheme, StepChoice, modes};
use lissome_solve::statics;
use motion_scenes::*;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

fn brick(mass: f64, mount: Mount) -> Body {
    let about_centre = Matrix3::from_diagonal(&Vector3::new(2.0, 3.0, 4.0)) * (1e-4 * mass);
    Body {
        name: "brick".into(),
        inertia: Inertia { mass, centre: Vector3::zeros(), about_centre },
        mount,
        ..Body::default()
    }
}

/// A mass of 0.5 kg that hangs on a spring along z, guided by a prismatic joint.
fn hanging(stiffness: f64, damping: f64) -> Scene {
    let joint = Joint {
        name: "guide".into(),
        kind: JointKind::Prismatic { axis: Vector3::z() },
        parent: Frame::world(Pose::identity()),
        motion: JointMotion::Free { start: vec![0.0] },
        ..Joint::default()
    };
    Scene {
        gravity: Vector3::new(0.0, 0.0, -9.81),
        joints: vec![joint],
        bodies: vec![brick(0.5, Mount::On(Frame::joint(0)))],
        springs: vec![Spring {
            name: "spring".into(),
            a: Frame::world(Pose::at(Vector3::z())),
            b: Frame::body(0),
            law: SpringLaw::Line { stiffness, rest_length: None, damping },
        }],
        ..Scene::default()
    }
}

#[test]
fn a_mass_swings_on_a_spring_with_its_frequency() {
    let system = System::compile(&hanging(200.0, 0.0)).unwrap();
    let solution = statics::solve_from_natural(&system, &Default::default(), &mut system.workspace(), &mut |_| true);
    assert!(solution.outcome.converged());
    // It sags by mg/k.
    let sag = solution.state.joints[0].value[0];
    assert!((sag + 0.5 * 9.81 / 200.0).abs() < 1e-12, "{sag}");
    let found = modes(&system, &solution.state, &system.inputs_at(0.0), 1).unwrap();
    let exact = (200.0f64 / 0.5).sqrt() / std::f64::consts::TAU;
    assert!((found[0].frequency / exact - 1.0).abs() < 1e-8, "{} {exact}", found[0].frequency);
}

/// Critically damped, from rest above its equilibrium: the closed form, to the order of the scheme.
#[test]
fn critical_damping_is_the_closed_form() {
    let oscillator = Oscillator { mass: 0.5, stiffness: 200.0, damping: 20.0, force: 0.0 };
    assert_eq!(oscillator.critical_damping(), 20.0);
    let system = System::compile(&hanging(200.0, 20.0)).unwrap();
    let sag = -0.5 * 9.81 / 200.0;
    let end = |scheme: Scheme, step: f64| {
        let mut motion = Motion::at_rest(&system, system.natural_state());
        let mut integrator = Integrator::new(&system, scheme);
        integrator.make_consistent(&mut motion).unwrap();
        let mut run = Run::new(integrator, StepChoice::Fixed(step));
        run.advance(&mut motion, 0.1, &mut |_, _| true).unwrap();
        motion.state.joints[0].value[0]
    };
    let exact = sag + oscillator.state([-sag, 0.0], 0.1)[0];
    // TR-BDF2 takes the rate of a damper from its last stage alone, and is of first order there.
    for scheme in [Scheme::Robust { filter: 0.0 }, Scheme::Conserving, Scheme::Symplectic] {
        let (coarse, fine) = ((end(scheme, 2e-3) - exact).abs(), (end(scheme, 1e-3) - exact).abs());
        let order = (coarse / fine).log2();
        assert!(order > 1.8, "{scheme:?}: {coarse:e} {fine:e}, order {order}");
        // Extrapolated with that order, within 1e-6 of the sag.
        let extrapolated = end(scheme, 5e-4) + (end(scheme, 5e-4) - end(scheme, 1e-3)) / 3.0;
        assert!((extrapolated - exact).abs() < 1e-6 * sag.abs(), "{scheme:?}: {extrapolated} {exact}");
    }
}

/// A rod with a body, held by a line and a bushing: equilibrium by the oracle, which shares no code with the solver.
#[test]
fn equilibria_with_springs_agree_with_the_oracle() {
    let silicone = Material::from_poisson(2e6, 0.45).with_density(1000.0);
    let mut scene = scene_of(rod(0.3, Profile::uniform(Section::circle(0.01, silicone)), 10));
    scene.gravity = Vector3::new(0.0, 0.0, -9.81);
    scene.bodies = vec![brick(0.02, Mount::On(Frame::rod(0, 0.3)))];
    let stiffness = Matrix6::from_diagonal(&Vector6::new(0.01, 0.02, 0.015, 3.0, 2.0, 4.0));
    let place = Pose::new(Rotation::exp(&Vector3::new(0.1, -0.2, 0.3)), Vector3::new(0.29, 0.03, 0.05));
    scene.springs = vec![
        Spring {
            name: "line".into(),
            a: Frame::world(Pose::at(Vector3::new(0.2, 0.1, 0.2))),
            b: Frame::body(0).at(Pose::at(Vector3::new(0.0, 0.01, 0.0))),
            law: SpringLaw::Line { stiffness: 3.0, rest_length: Some(0.12), damping: 0.0 },
        },
        Spring {
            name: "bushing".into(),
            a: Frame::world(place),
            b: Frame::body(0),
            law: SpringLaw::Bushing { stiffness, damping: Matrix6::zeros() },
        },
    ];
    let system = System::compile(&scene).unwrap();
    let solution = statics::solve_from_natural(&system, &Default::default(), &mut system.workspace(), &mut |_| true);
    assert!(solution.outcome.converged());
    let network = SceneNetwork::new(&scene, 0.0).unwrap();
    let solved = lissome_reference::network::solve(&network.network).unwrap();
    let (ours, theirs) = (solution.state.poses[system.bodies()[0].slot], network.body_pose(&solved, 0));
    let apart = ours.boxminus(&theirs);
    // Ten cubic spans of a rod that bends by about a radian: 1e-7 of the length.
    assert!(apart.linear.norm() < 1e-7 && apart.angular.norm() < 1e-6, "{apart:?}");
}

/// The stiffer a bushing, the nearer it is to a fixed joint: in proportion to 1/k.
#[test]
fn a_stiff_bushing_is_a_fixed_joint() {
    let silicone = Material::from_poisson(2e6, 0.45).with_density(1000.0);
    let model = rod(0.3, Profile::uniform(Section::circle(0.01, silicone)), 6);
    let fixed = {
        let mut scene = scene_of(model.clone());
        scene.gravity = Vector3::new(0.0, 0.0, -9.81);
        scene.bodies = vec![brick(0.02, Mount::On(Frame::rod(0, 0.3)))];
        let system = System::compile(&scene).unwrap();
        equilibrium(&system).poses[system.bodies()[0].slot]
    };
    let tied = |k: f64| {
        let mut scene = scene_of(model.clone());
        scene.gravity = Vector3::new(0.0, 0.0, -9.81);
        scene.bodies = vec![brick(0.02, Mount::Free(Pose::at(Vector3::x() * 0.3)))];
        let stiffness = Matrix6::from_diagonal(&Vector6::new(1e-2, 1e-2, 1e-2, 1.0, 1.0, 1.0)) * k;
        let law = SpringLaw::Bushing { stiffness, damping: Matrix6::zeros() };
        scene.springs = vec![Spring { name: "bushing".into(), a: Frame::rod(0, 0.3), b: Frame::body(0), law }];
        let system = System::compile(&scene).unwrap();
        let found = equilibrium(&system).poses[system.bodies()[0].slot];
        found.boxminus(&fixed).to_vector().norm()
    };
    let (soft, stiff) = (tied(1e3), tied(1e5));
    assert!((soft / stiff / 100.0 - 1.0).abs() < 0.05, "{soft:e} {stiff:e}");
}
