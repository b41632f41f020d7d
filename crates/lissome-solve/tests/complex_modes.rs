//! Modes with growth: follower loads, damped materials and joints, against closed forms.
#![allow(clippy::unwrap_used)]

mod motion_scenes;

use lissome_lie::{Pose, Wrench};
use lissome_mech::System;
use lissome_model::*;
use lissome_reference::analytic::beck;
use lissome_solve::branch::Branch;
use lissome_solve::dynamics::{Mode, modes};
use lissome_solve::flutter::{self, Verdict};
use motion_scenes::*;
use nalgebra::{Complex, Vector3};
use std::f64::consts::{PI, TAU};

/// A cantilever along x with EI = ρA = L = 1, so that loads and frequencies are dimensionless; L/r = 1000.
fn column(thrust: f64, damping: f64, spans: usize) -> Scene {
    let radius = 1e-3;
    let material = Material {
        damping,
        ..Material::from_poisson(1.0 / (PI * f64::powi(radius, 4) / 4.0), 0.3)
            .with_density(1.0 / (PI * radius * radius))
    };
    let mut scene = scene_of(rod(1.0, Profile::uniform(Section::circle(radius, material)), spans));
    if thrust != 0.0 {
        let wrench = Wrench::new(Vector3::zeros(), -Vector3::x() * thrust);
        let kind = LoadKind::Point { at: 1.0, wrench };
        scene.loads.push(Load { name: "tip".into(), rod: 0, frame: LoadFrame::Body, kind });
    }
    scene
}

fn modes_of(scene: &Scene, count: usize) -> Vec<Mode> {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let state = equilibrium(&system);
    modes(&system, &state, system.nominal_inputs(), count).unwrap()
}

/// Judged by the symmetric part of the tangent, the column at p = 5 had ω₁ = 3.349 and at p = 10 one that "grows".
#[test]
fn beck_column_swings_as_the_characteristic_equation_says() {
    for load in [0.0, 5.0, 10.0, 15.0, 19.0] {
        // Both planes alike.
        let found = modes_of(&column(load, 0.0, 16), 4);
        let exact = beck::frequencies(load).unwrap();
        for (mode, omega) in found.iter().zip([exact[0], exact[0], exact[1], exact[1]]) {
            let error = TAU * mode.frequency / omega - 1.0;
            println!("p = {load}: {} for {omega}, error {error:.1e}, growth {:.1e}", TAU * mode.frequency, mode.growth);
            assert!(error.abs() < 1e-4, "p = {load}: {} is not {omega}", TAU * mode.frequency);
            assert!(!mode.grows() && mode.damping_ratio().abs() < 1e-8, "p = {load}: {}", mode.growth);
        }
    }
}

/// Beyond 20.05 EI/L² the two lowest swings are one that grows and one that dies out as fast.
#[test]
fn beck_column_flutters() {
    for load in [20.5, 21.0, 25.0, 30.0] {
        let found = modes_of(&column(load, 0.0, 16), 4);
        let [frequency, growth] = beck::flutter(load).unwrap();
        let growing: Vec<&Mode> = found.iter().filter(|mode| mode.grows()).collect();
        assert_eq!(growing.len(), 2, "p = {load}: one in each plane");
        for mode in growing {
            let error = Complex::new(mode.growth - growth, TAU * mode.frequency - frequency).norm() / frequency;
            println!("p = {load}: {} ± {}i, error {error:.1e}", mode.growth, TAU * mode.frequency);
            assert!(error < 1e-4, "p = {load}: {} {} not {growth} {frequency}", mode.growth, TAU * mode.frequency);
            // The wave travels: not everything is in step.
            let size = |shape: &[lissome_lie::Twist]| shape.iter().map(|x| x.linear.norm()).fold(0.0, f64::max);
            assert!(size(&mode.quadrature) > 0.01 * size(&mode.shape));
        }
        assert_eq!(found.iter().filter(|mode| mode.growth < -1e-3).count(), 2, "p = {load}");
    }
}

/// λ² + 2ζωλ + ω² = 0 with ζ = ωτ/2 for every bending mode of a Kelvin–Voigt material: under-damped and over-damped.
#[test]
fn kelvin_voigt_cantilever() {
    let exact = [1.875104069f64, 4.694091133, 7.854757438].map(|beta| beta * beta);
    for damping in [1e-4, 1e-2, 0.05, 0.2] {
        let found = modes_of(&column(0.0, damping, 16), 8);
        for omega in exact {
            let zeta = 0.5 * omega * damping;
            let root = Complex::from(zeta * zeta - 1.0).sqrt();
            for expected in [omega * (-zeta + root), omega * (-zeta - root)] {
                // Over-damped ones gather at −1/τ, and fast ones are beyond the eight lowest.
                if expected.im < 0.0 || expected.norm() > 50.0 {
                    continue;
                }
                let distance = |mode: &Mode| (Complex::new(mode.growth, TAU * mode.frequency) - expected).norm();
                let mut near: Vec<f64> = found.iter().map(distance).collect();
                near.sort_by(f64::total_cmp);
                println!("τ = {damping}, ω = {omega:.3}: {expected}, off by {:.1e} {:.1e}", near[0], near[1]);
                // In both planes.
                assert!(near[1] < 1e-4 * omega, "τ = {damping}: {expected} is off by {} and {}", near[0], near[1]);
            }
        }
        assert!(found.iter().all(|mode| mode.damping_ratio() > 0.0 && !mode.grows()));
    }
}

/// Material damping lowers the flutter load of Beck's column: with p/(1 + τλ) and −λ²/(1 + τλ) for p and ω² its
/// characteristic equation holds for λ.
#[test]
fn damped_beck_column_satisfies_its_characteristic_equation() {
    let tau = 0.01;
    for (load, grows) in [(8.0, false), (15.0, true)] {
        let found = modes_of(&column(load, tau, 16), 4);
        assert_eq!(found.iter().any(Mode::grows), grows, "p = {load}");
        for mode in &found {
            let lambda = Complex::new(mode.growth, TAU * mode.frequency);
            let soft = lambda * tau + 1.0;
            let (p, square) = (Complex::from(load) / soft, -lambda * lambda / soft);
            let (value, slope) = complex_beck(p, square);
            // The error of ω² that the value stands for.
            let error = (value / slope / square).norm();
            println!("p = {load}: {lambda}, error {error:.1e}");
            assert!(error < 2e-4, "p = {load}: {lambda} misses by {error}");
        }
    }
}

/// The characteristic function p² + 2ω²(1 + cos a cosh b) + pω sin a sinh b for complex p, and its slope by ω².
fn complex_beck(p: Complex<f64>, square: Complex<f64>) -> (Complex<f64>, Complex<f64>) {
    let value = |square: Complex<f64>| {
        let root = (square + p * p * 0.25).sqrt();
        let (a, b) = ((root + p * 0.5).sqrt(), (root - p * 0.5).sqrt());
        p * p + square * 2.0 * (a.cos() * b.cosh() + 1.0) + p * a * b * a.sin() * b.sinh()
    };
    let step = square * 1e-6;
    (value(square), (value(square + step) - value(square - step)) / (step * 2.0))
}

/// A mass on a spring and a damper along a rail.
fn oscillator(mass: f64, stiffness: f64, damping: f64) -> Scene {
    Scene {
        joints: vec![Joint {
            name: "rail".into(),
            kind: JointKind::Prismatic { axis: Vector3::x() },
            parent: Pose::identity().into(),
            motion: JointMotion::Free { start: vec![0.0] },
            stiffness: vec![stiffness],
            rest: vec![0.0],
            damping: vec![damping],
            limits: Vec::new(),
            ..Joint::default()
        }],
        bodies: vec![Body {
            name: "mass".into(),
            inertia: Inertia { mass, ..Inertia::default() },
            mount: Mount::On(Frame::joint(0)),
            frames: Vec::new(),
            solids: Vec::new(),
            ..Body::default()
        }],
        ..Scene::default()
    }
}

#[test]
fn mass_on_a_spring_and_a_damper() {
    // ω = 30 rad/s, and far from what forces of 1 N and lengths of 1 m would give.
    for (mass, stiffness) in [(0.02, 18.0), (2e-7, 1.8e-4), (5e4, 4.5e7f64)] {
        let omega = (stiffness / mass).sqrt();
        for zeta in [0.0, 0.01, 0.5, 0.999, 1.001, 3.0] {
            let found = modes_of(&oscillator(mass, stiffness, 2.0 * zeta * omega * mass), 2);
            let expected: Vec<Complex<f64>> = match zeta < 1.0 {
                true => vec![Complex::new(-zeta, f64::sqrt(1.0 - zeta * zeta)) * omega],
                false => [1.0, -1.0].map(|s| Complex::from(-zeta + s * f64::sqrt(zeta * zeta - 1.0)) * omega).to_vec(),
            };
            assert_eq!(found.len(), expected.len(), "m = {mass}, ζ = {zeta}: {found:?}");
            for (mode, expected) in found.iter().zip(&expected) {
                let error = (Complex::new(mode.growth, TAU * mode.frequency) - expected).norm() / omega;
                assert!(error < 1e-10, "m = {mass}, ζ = {zeta}: {} {}", mode.growth, TAU * mode.frequency);
                assert!(zeta >= 1.0 || (mode.damping_ratio() - zeta).abs() < 1e-10);
            }
        }
        // Critically damped: a double root, which rounding moves by its square root.
        for mode in modes_of(&oscillator(mass, stiffness, 2.0 * omega * mass), 2) {
            let error = Complex::new(mode.growth + omega, TAU * mode.frequency).norm() / omega;
            assert!(error < 1e-6, "m = {mass}: {} {}", mode.growth, TAU * mode.frequency);
        }
    }
}

/// A dead axial moment, which has no potential, on a clamped shaft: it swings as its reversed self does, and no mode grows
/// while it is small (λ is real-analytic in the moment, and the undamped spectrum is symmetric in it).
#[test]
fn small_dead_moment_leaves_a_lasting_swing() {
    let mut scene = column(0.0, 0.0, 12);
    let mut first = Vec::new();
    for moment in [1e-3, -1e-3] {
        let wrench = Wrench::new(Vector3::x() * moment, Vector3::zeros());
        let kind = LoadKind::Point { at: 1.0, wrench };
        scene.loads = vec![Load { name: "tip".into(), rod: 0, frame: LoadFrame::World, kind }];
        first.push(modes_of(&scene, 1)[0].clone());
    }
    assert!((first[0].frequency / first[1].frequency - 1.0).abs() < 1e-9);
    assert!((TAU * first[0].frequency / 3.5160152685 - 1.0).abs() < 1e-3);
}

/// The flutter load 20.0510 within 0.1 %, found along the load factor and said in words.
#[test]
fn flutter_load_of_beck_column() {
    let system = System::compile(&column(10.0, 0.0, 16)).unwrap();
    let search = flutter::onset(&system, system.nominal_inputs(), 3.0).unwrap();
    let onset = search.onset.unwrap();
    println!("{onset}");
    assert!((10.0 * onset.factor / beck::FLUTTER_LOAD - 1.0).abs() < 1e-3, "{}", onset.factor);
    assert!((TAU * onset.mode.frequency / beck::FLUTTER_FREQUENCY - 1.0).abs() < 1e-2);
    assert!(onset.to_string().starts_with("stable against divergence, flutters from load factor 2.00"), "{onset}");
    // At the scene's own load it does not flutter, beyond the onset it does.
    let verdict = |factor: f64| {
        let mut branch = Branch::through(&system, &equilibrium(&system), system.nominal_inputs());
        assert!(branch.advance(factor));
        flutter::examine(&system, branch.state(), branch.inputs())
    };
    assert!(matches!(verdict(1.0), Verdict::Stable { .. }));
    assert!(matches!(verdict(2.1), Verdict::Flutters { .. }));
    assert!(flutter::onset(&system, system.nominal_inputs(), 1.9).unwrap().onset.is_none());
}

/// The least damping of the material lowers the flutter load to 10.94: with p/(1 + τλ) and −λ²/(1 + τλ) in the characteristic
/// equation the growth is −(τ/2)(ω² − p dω²/dp) to first order, so it sets in where dω²/dp = ω²/p.
#[test]
fn little_damping_lowers_the_flutter_load() {
    let square = |p: f64| beck::frequencies(p).unwrap()[0].powi(2);
    let (mut low, mut high) = (5.0, 15.0);
    for _ in 0..40 {
        let p = 0.5 * (low + high);
        let slope = (square(p + 1e-4) - square(p - 1e-4)) / 2e-4;
        if slope < square(p) / p { low = p } else { high = p }
    }
    let system = System::compile(&column(10.0, 1e-4, 16)).unwrap();
    let onset = flutter::onset(&system, system.nominal_inputs(), 1.5).unwrap().onset.unwrap();
    println!("{onset}; exact {low}");
    assert!((10.0 * onset.factor / low - 1.0).abs() < 1e-4, "{} is not {low}", onset.factor);
}

/// A dead thrust diverges at Euler's load: the same search says so.
#[test]
fn dead_thrust_diverges_at_eulers_load() {
    let mut scene = column(1.0, 0.0, 16);
    scene.loads[0].frame = LoadFrame::World;
    let system = System::compile(&scene).unwrap();
    let onset = flutter::onset(&system, system.nominal_inputs(), 4.0).unwrap().onset.unwrap();
    assert!((onset.factor / (PI * PI / 4.0) - 1.0).abs() < 1e-4, "{onset}");
    assert!(onset.to_string().starts_with("diverges from load factor 2.467"), "{onset}");
}

/// Without masses there is no flutter to examine, and the verdict says so.
#[test]
fn massless_column_is_not_examined() {
    let mut scene = column(1.0, 0.0, 8);
    scene.rods[0].profile = Profile::uniform(Section::circle(1e-3, Material::from_poisson(1e9, 0.3)));
    let system = System::compile(&scene).unwrap();
    let verdict = flutter::examine(&system, &system.natural_state(), system.nominal_inputs());
    assert_eq!(verdict.to_string(), "flutter is not examined: nothing has mass, so nothing swings");
}
