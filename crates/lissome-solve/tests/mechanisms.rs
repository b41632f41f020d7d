//! Motion of bodies, joints and loops: closed forms, balances, closures.
#![allow(clippy::unwrap_used)]

mod motion_scenes;

use lissome_lie::{Pose, Rotation, Twist};
use lissome_mech::{Inputs, System};
use lissome_model::*;
use lissome_solve::dynamics::{Integrator, Motion, Run, Scheme, StepChoice};
use motion_scenes::*;
use nalgebra::{Matrix3, Vector3};

fn body(name: &str, mass: f64, centre: Vector3<f64>, mount: Mount) -> Body {
    let about_centre = Matrix3::from_diagonal(&Vector3::new(0.02, 0.05, 0.06)) * mass;
    Body { name: name.into(), inertia: Inertia { mass, centre, about_centre }, mount, ..Body::default() }
}

fn joint(kind: JointKind, parent: Frame, motion: JointMotion) -> Joint {
    Joint {
        name: "joint".into(),
        kind,
        parent,
        motion,
        stiffness: vec![],
        rest: vec![],
        damping: vec![],
        limits: vec![],
        ..Joint::default()
    }
}

fn empty() -> Scene {
    let mut scene = scene_of(rod(1.0, Profile::uniform(Section::circle(0.01, Material::from_poisson(1e6, 0.4))), 2));
    scene.rods.clear();
    scene
}

/// A free body: energy and momentum are kept whatever the step.
#[test]
fn free_body_keeps_everything() {
    let mut scene = empty();
    scene.bodies.push(body("brick", 2.0, Vector3::new(0.1, -0.05, 0.02), Mount::Free(Pose::identity())));
    let system = System::compile(&scene).unwrap();
    let mut motion = Motion::at_rest(&system, system.natural_state());
    motion.velocity[system.bodies()[0].slot] = Twist::new(Vector3::new(3.0, 0.2, -2.0), Vector3::new(0.5, 1.0, -0.3));
    let mut integrator = Integrator::new(&system, Scheme::Conserving);
    integrator.make_consistent(&mut motion).unwrap();
    let start = integrator.energies(&motion);
    let mut worst = [0.0f64; 3];
    run(integrator, &mut motion, 0.05, 50.0, None, |_, report| {
        worst[0] = worst[0].max((report.end.energy() / start.energy() - 1.0).abs());
        worst[1] = worst[1].max((report.end.linear_momentum - start.linear_momentum).norm());
        worst[2] = worst[2].max((report.end.angular_momentum - start.angular_momentum).norm());
    })
    .unwrap();
    // Momentum to round-off of 1000 steps, energy to the tolerance of as many iterations, 1e-11 each.
    assert!(worst[0] < 1e-8 && worst[1] < 1e-11 && worst[2] < 1e-11, "{worst:?}");
}

/// A pendulum: the period of an amplitude of 2 rad is 4 K(sin 1) √(I/mgl), from the arithmetic–geometric mean.
#[test]
fn pendulum_swings_with_its_period() {
    let mut scene = empty();
    scene.gravity = Vector3::new(0.0, 0.0, -9.81);
    let amplitude = 2.0;
    scene.joints.push(joint(
        JointKind::Revolute { axis: Vector3::y() },
        Pose::identity().into(),
        JointMotion::Free { start: vec![amplitude] },
    ));
    let (mass, arm) = (1.5, 0.4);
    scene.bodies.push(body("bob", mass, Vector3::new(0.0, 0.0, -arm), Mount::On(Frame::joint(0))));
    let system = System::compile(&scene).unwrap();
    let mut motion = Motion::at_rest(&system, system.natural_state());
    let step = 2e-3;
    let mut crossings = Vec::new();
    let mut last = (0.0, amplitude);
    let scale = mass * 9.81 * arm;
    let summary =
        run(Integrator::new(&system, Scheme::default()), &mut motion, step, 10.0, Some(scale), |motion, _| {
            let angle: f64 = motion.state.joints[0].value[0];
            let (before, was): (f64, f64) = last;
            if was > 0.0 && angle <= 0.0 {
                crossings.push(before + (motion.time - before) * was / (was - angle));
            }
            last = (motion.time, angle);
        })
        .unwrap();
    let period = (crossings.last().unwrap() - crossings[0]) / (crossings.len() - 1) as f64;
    let inertia = 0.05 * mass + mass * arm * arm;
    let (mut a, mut b) = (1.0f64, (0.5f64 * amplitude).cos());
    for _ in 0..6 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let expected = std::f64::consts::TAU / a * (inertia / (mass * 9.81 * arm)).sqrt();
    // Second order: (hω)²/24 with ω about 5 rad/s is 4e-6, some more at large amplitude.
    assert!((period / expected - 1.0).abs() < 1e-4, "{period} not {expected}");
    assert!(summary.worst_energy < 1e-4, "{summary:?}");
}

/// A soft rod on a motor that starts smoothly: what the motor gives is what the rod has, and more so the smaller the step.
#[test]
fn work_of_a_drive_is_accounted_for() {
    let material = Material::from_poisson(2e6, 0.45).with_density(1000.0);
    let mut model = rod(0.5, Profile::uniform(Section::circle(0.02, material)), 4);
    model.base = Some(Frame::joint(0));
    let mut scene = scene_of(model);
    scene.joints.push(joint(
        JointKind::Revolute { axis: Vector3::z() },
        Pose::identity().into(),
        JointMotion::Driven { value: vec![0.0] },
    ));
    let system = System::compile(&scene).unwrap();
    let balance = |step: f64| {
        let turn = |t: f64, inputs: &mut Inputs| inputs.joints[0][0] = 2.0 * (1.0 - (2.0 * t).cos());
        let integrator = Integrator::with_course(&system, Scheme::default(), Box::new(turn));
        let mut motion = Motion::at_rest(&system, system.natural_state());
        let mut last = 0.0;
        run(integrator, &mut motion, step, 1.0, Some(1.0), |motion, report| {
            last = (report.end.energy() - motion.work) / report.end.energy();
        })
        .unwrap();
        assert!(motion.work > 0.01, "the motor does work: {}", motion.work);
        last.abs()
    };
    // The scheme and its ledger of work are of second order: (hω)², ω = 2 rad/s that of the drive.
    for step in [4e-3, 1e-3] {
        let (missing, bound) = (balance(step), (2.0 * step).powi(2));
        assert!(missing < bound, "step {step}: {missing:e} of the energy is missing, bound {bound:e}");
    }
}

/// A platform on three soft legs, pushed and let go: closures hold to 1e-10, energy to the scheme's bound, and both ways
/// of closing loops agree.
#[test]
fn platform_on_legs_stays_closed() {
    let material = Material::from_poisson(5e6, 0.4).with_density(1100.0);
    let mut ends = Vec::new();
    for loops in [LoopMethod::Constraints, LoopMethod::Embedding] {
        let mut scene = empty();
        scene.loops = loops;
        scene.gravity = Vector3::new(0.0, 0.0, -9.81);
        let up = Rotation::from_tangent(&Vector3::z()).unwrap();
        scene.bodies.push(body("platform", 0.2, Vector3::zeros(), Mount::Free(Pose::at(Vector3::z() * 0.4))));
        for k in 0..3 {
            let angle = k as f64 * std::f64::consts::TAU / 3.0;
            let foot = Vector3::new(angle.cos(), angle.sin(), 0.0) * 0.1;
            let mut leg = rod(0.4, Profile::uniform(Section::circle(0.012, material)), 3);
            leg.name = format!("leg{k}");
            leg.base = Some(Pose::new(up, foot).into());
            leg.tip = Some(Frame::body(0).at(Pose::new(up, foot)));
            scene.rods.push(leg);
        }
        let system = System::compile(&scene).unwrap();
        let mut motion = Motion::at_rest(&system, equilibrium(&system));
        let slot = system.bodies()[0].slot;
        motion.velocity[slot] = Twist::new(Vector3::new(0.0, 0.0, 2.0), Vector3::new(0.4, 0.1, 0.0));
        let mut integrator = Integrator::new(&system, Scheme::Conserving);
        integrator.make_consistent(&mut motion).unwrap();
        let mut gap: f64 = 0.0;
        let summary = run(integrator, &mut motion, 5e-3, 2.0, None, |motion, _| {
            let (turn, shift) = system.largest_gap(&motion.state);
            gap = gap.max(turn).max(shift);
        })
        .unwrap_or_else(|stop| panic!("{loops:?}: {stop}"));
        assert!(gap < 1e-10, "{loops:?}: {gap:e}");
        // The bar of [xun2025, section 7.4] for a scheme that keeps energy.
        assert!(summary.worst_energy < 1e-6, "{loops:?}: {summary:?}");
        ends.push(motion.state.poses[slot]);
    }
    let apart = ends[1].boxminus(&ends[0]).to_vector().norm();
    assert!(apart < 1e-6, "the two ways end {apart:e} apart");
}

/// A rod of linear-strain elements and a spline rod swing alike.
#[test]
fn rod_models_swing_alike() {
    let material = Material::from_poisson(2e6, 0.45).with_density(1000.0);
    let profile = Profile::uniform(Section::circle(0.02, material));
    let tip = |discretization: Discretization| {
        let mut model = rod(0.6, profile.clone(), 8);
        model.discretization = discretization;
        let mut scene = scene_of(model);
        scene.gravity = Vector3::new(0.0, 0.0, -9.81);
        let system = System::compile(&scene).unwrap();
        let mut motion = Motion::at_rest(&system, system.natural_state());
        let mut run = Run::new(Integrator::new(&system, Scheme::default()), StepChoice::Fixed(2e-3));
        run.advance(&mut motion, 0.4, &mut |_, _| true).unwrap();
        motion.state.poses[system.rods()[0].curve().pose_count() - 1]
    };
    let spline = tip(Discretization::Spline { degree: 3, resolution: Resolution::Spans(10), form: StrainForm::Mixed });
    let linear = tip(Discretization::LinearStrain { resolution: Resolution::Spans(40) });
    let apart = linear.boxminus(&spline).to_vector().norm();
    // Linear interpolation of velocities: (1/40)² of the motion, about 1 rad.
    assert!(apart < 5e-3, "{apart:e}");
}
