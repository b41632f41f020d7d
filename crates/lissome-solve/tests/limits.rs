//! Joint limits in motion: bodies and soft rods that fall against a stop, rest there, leave it, and bounce.
#![allow(clippy::unwrap_used)]

mod motion_scenes;

use lissome_lie::{Pose, Rotation};
use lissome_mech::System;
use lissome_model::*;
use lissome_reference::rigid::bounce::Pendulum;
use lissome_solve::dynamics::{Event, Integrator, Motion, Run, Scheme, StepChoice};
use motion_scenes::*;
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::FRAC_PI_2;

const SCHEMES: [Scheme; 6] = [
    Scheme::Robust { filter: 0.005 },
    Scheme::Conserving,
    Scheme::Symplectic,
    Scheme::Explicit,
    Scheme::ImplicitEuler,
    Scheme::TrBdf2,
];

/// Where the lower stop is: a bob that hangs on the hinge's arm, horizontal at 0, falls by this angle.
const STOP: f64 = 0.5;

fn hinge(parent: Frame, restitution: f64) -> Joint {
    Joint {
        name: "hinge".into(),
        kind: JointKind::Revolute { axis: Vector3::y() },
        parent,
        motion: JointMotion::Free { start: vec![0.0] },
        limits: vec![Some((-STOP, STOP))],
        restitution,
        ..Joint::default()
    }
}

/// A point mass of 0.4 kg at the end of a massless arm of 0.3 m.
fn bob(on: Frame) -> Body {
    let inertia = Inertia { mass: 0.4, centre: Vector3::new(0.3, 0.0, 0.0), about_centre: Matrix3::identity() * 1e-6 };
    Body { name: "bob".into(), inertia, mount: Mount::On(on), ..Body::default() }
}

fn pendulum(restitution: f64) -> Scene {
    Scene {
        gravity: Vector3::new(0.0, 0.0, -9.81),
        joints: vec![hinge(Frame::world(Pose::identity()), restitution)],
        bodies: vec![bob(Frame::joint(0))],
        ..Scene::default()
    }
}

struct Ran {
    motion: Motion,
    events: Vec<Event>,
    /// Largest rise of E + dissipated − work above its start, and the energy scale.
    rise: f64,
    /// Angle of the hinge after every step.
    angles: Vec<(f64, f64)>,
}

fn drop(system: &System, scheme: Scheme, step: f64, until: f64) -> Ran {
    let mut motion = Motion::at_rest(system, system.natural_state());
    let mut integrator = Integrator::new(system, scheme);
    integrator.make_consistent(&mut motion).unwrap();
    let start = integrator.energies(&motion).energy();
    let mut run = Run::new(integrator, StepChoice::Fixed(step));
    let mut ran = Ran { motion: motion.clone(), events: Vec::new(), rise: 0.0, angles: Vec::new() };
    run.advance(&mut motion, until, &mut |motion, report| {
        ran.rise = ran.rise.max(report.end.energy() + motion.dissipated - motion.work - start);
        ran.angles.push((motion.time, motion.state.joints[0].value[0]));
        true
    })
    .unwrap_or_else(|stop| panic!("{scheme:?}: {stop}"));
    ran.events = motion.events.clone();
    ran.motion = motion;
    ran
}

/// ½ (I/m + l²) ω² = g l sin θ.
fn square_frequency() -> f64 {
    9.81 * 0.3 / (0.3 * 0.3 + 1e-6 / 0.4)
}

/// The same by an independent solution, whose angle counts from where the bob would hang.
fn exact(restitution: f64) -> Pendulum {
    Pendulum { square_frequency: square_frequency(), stops: [FRAC_PI_2 - STOP, 10.0], restitution }
}

/// A bob on a limited hinge stays at its stop while its kinetic energy climbed: it must come to rest there.
#[test]
fn a_bob_comes_to_rest_at_its_stop_with_every_scheme() {
    let system = System::compile(&pendulum(0.0)).unwrap();
    let height = 0.4 * 9.81 * 0.3;
    let fall = exact(1.0).fall_time(FRAC_PI_2, FRAC_PI_2 - STOP).unwrap();
    for scheme in SCHEMES {
        let ran = drop(&system, scheme, 2e-3, 1.0);
        let angle = ran.motion.state.joints[0].value[0];
        assert!((angle - STOP).abs() < 1e-6, "{scheme:?}: rests at {angle}");
        assert!(ran.motion.joint_rates[0][0].abs() < 1e-9, "{scheme:?}: moves at {}", ran.motion.joint_rates[0][0]);
        assert!(ran.rise < 1e-6 * height, "{scheme:?}: energy rose by {:e} J", ran.rise);
        // One impact, at the time of the fall within the order of the scheme: (hω)²/10 of it, hω for implicit Euler.
        assert_eq!(ran.events.len(), 1, "{scheme:?}: {:?}", ran.events);
        let h_omega = 2e-3 * square_frequency().sqrt();
        let bound = if scheme == Scheme::ImplicitEuler { h_omega } else { h_omega * h_omega };
        let late = (ran.events[0].time / fall - 1.0).abs();
        assert!(late < bound, "{scheme:?}: impact at {} instead of {fall}", ran.events[0].time);
        assert_eq!(ran.events[0].part, "joint.hinge");
    }
}

/// With the work of gravity turned round the bob leaves the stop again.
#[test]
fn a_bob_leaves_its_stop_when_gravity_is_reversed() {
    let mut scene = pendulum(0.0);
    scene.drives.push(Drive {
        path: "gravity".into(),
        target: DriveTarget::Gravity,
        signal: Signal::Table(vec![(0.0, 1.0), (0.8, 1.0), (0.9, -1.0), (5.0, -1.0)]),
    });
    let system = System::compile(&scene).unwrap();
    for scheme in SCHEMES {
        let ran = drop(&system, scheme, 2e-3, 2.5);
        let at = |time: f64| ran.angles.iter().rev().find(|(t, _)| *t <= time).unwrap().1;
        assert!((at(0.8) - STOP).abs() < 1e-6, "{scheme:?}: {} before", at(0.8));
        assert!((at(2.5) + STOP).abs() < 1e-6, "{scheme:?}: {} at the other stop", at(2.5));
        assert!(at(1.2) < 0.9 * STOP, "{scheme:?}: still at {}", at(1.2));
    }
}

/// Restitution 0.5: heights of the bounces 1 : 0.25 : 0.0625.
#[test]
fn bounces_have_the_heights_of_their_restitution() {
    let system = System::compile(&pendulum(0.5)).unwrap();
    for scheme in SCHEMES {
        let step = if scheme == Scheme::ImplicitEuler { 1e-4 } else { 1e-3 };
        let ran = drop(&system, scheme, step, 1.2);
        let mut heights = vec![STOP.sin()];
        for pair in ran.events.windows(2).take(2) {
            let flight = ran.angles.iter().filter(|(time, _)| *time > pair[0].time && *time < pair[1].time);
            let highest = flight.map(|(_, angle)| *angle).fold(f64::INFINITY, f64::min);
            heights.push(STOP.sin() - highest.sin());
        }
        assert!((heights[1] / heights[0] - 0.25).abs() < 0.0025, "{scheme:?}: {heights:?}");
        assert!((heights[2] / heights[0] - 0.0625).abs() < 0.000625, "{scheme:?}: {heights:?}");
        let impacts = exact(0.5).impacts([FRAC_PI_2, 0.0], 1.2, 3).unwrap();
        let times: Vec<f64> = impacts.iter().map(|impact| impact.time).collect();
        for (event, time) in ran.events.iter().zip(&times).take(3) {
            assert!((event.time - time).abs() < 5e-3 * time, "{scheme:?}: {} {time}", event.time);
        }
        // It ends at the stop, at rest.
        assert!((ran.motion.state.joints[0].value[0] - STOP).abs() < 1e-5, "{scheme:?}");
    }
}

/// A soft rod on the hinge swings on while the hinge rests at its stop, and no energy appears.
#[test]
fn a_soft_rod_hits_the_stop_of_its_hinge() {
    let silicone = Material { damping: 5e-3, ..Material::from_poisson(2e6, 0.48).with_density(1070.0) };
    let rod = Rod { base: Some(Frame::joint(0)), ..rod(0.3, Profile::uniform(Section::circle(0.01, silicone)), 6) };
    let mut scene = scene_of(rod);
    scene.gravity = Vector3::new(0.0, 0.0, -9.81);
    scene.joints = vec![hinge(Frame::world(Pose::new(Rotation::identity(), Vector3::zeros())), 0.0)];
    let system = System::compile(&scene).unwrap();
    // The explicit scheme needs steps a thousand times as short.
    for scheme in SCHEMES.into_iter().filter(|scheme| *scheme != Scheme::Explicit) {
        let ran = drop(&system, scheme, 1e-3, 1.5);
        let angle = ran.motion.state.joints[0].value[0];
        assert!((angle - STOP).abs() < 1e-5, "{scheme:?}: {angle}");
        let fall = 0.3 * std::f64::consts::PI * 1e-4 * 1070.0 * 9.81 * 0.15;
        assert!(ran.rise < 1e-3 * fall, "{scheme:?}: energy rose by {:e} of {fall:e}", ran.rise);
        assert!(!ran.events.is_empty(), "{scheme:?}");
    }
}

/// Three limited joints in a row, all of which end at their stops.
#[test]
fn a_chain_of_limited_joints_comes_to_rest() {
    let mut scene = pendulum(0.0);
    scene.joints.clear();
    scene.bodies.clear();
    for i in 0..3 {
        let parent = match i {
            0 => Frame::world(Pose::identity()),
            _ => Frame::body(i - 1).at(Pose::at(Vector3::new(0.3, 0.0, 0.0))),
        };
        scene.joints.push(Joint { name: format!("hinge{i}"), limits: vec![Some((-0.3, 0.3))], ..hinge(parent, 0.0) });
        scene.bodies.push(Body { name: format!("bob{i}"), ..bob(Frame::joint(i)) });
    }
    let system = System::compile(&scene).unwrap();
    for scheme in SCHEMES {
        let ran = drop(&system, scheme, 2e-3, 3.0);
        let angles: Vec<f64> = ran.motion.state.joints.iter().map(|joint| joint.value[0]).collect();
        // 0.3, 0.6 and 0.9 rad below the horizontal: gravity presses every hinge against its stop.
        assert!(angles.iter().all(|angle| (angle - 0.3).abs() < 1e-5), "{scheme:?}: {angles:?}");
        assert!(ran.rise < 1e-5 * 0.4 * 9.81 * 1.8, "{scheme:?}: energy rose by {:e}", ran.rise);
        assert!(ran.events.len() >= 3, "{scheme:?}: {:?}", ran.events);
    }
}
