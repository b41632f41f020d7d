//! Stability against problems whose answer is known: Euler's, Greenhill's and Beck's columns.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_mech::System;
use lissome_model::*;
use lissome_solve::{Solution, StaticOptions, statics};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// A slender cantilever along x with EI/L² = 1 N, so that loads are dimensionless; shear and stretch count for 1e-6.
fn column(loads: Vec<Load>) -> Scene {
    let (length, radius) = (1.0, 1e-3);
    let young = 1.0 / (PI * f64::powi(radius, 4) / 4.0);
    let section = Section::circle(radius, Material::from_poisson(young, 0.3).with_density(1.0));
    Scene {
        title: String::new(),
        gravity: Vector3::zeros(),
        rods: vec![Rod {
            name: "column".into(),
            length,
            profile: Profile::uniform(section),
            natural: NaturalShape::Straight,
            base: Some(Pose::identity().into()),
            tip: None,
            discretization: Discretization::default(),
            ..Rod::default()
        }],
        loads,
        ..Scene::default()
    }
}

fn tip_load(frame: LoadFrame, moment: Vector3<f64>, force: Vector3<f64>) -> Load {
    Load { name: "tip".into(), rod: 0, frame, kind: LoadKind::Point { at: 1.0, wrench: Wrench::new(moment, force) } }
}

fn solve(scene: &Scene, leave_saddles: bool) -> (System, Solution) {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let options = StaticOptions { leave_saddles, ..StaticOptions::default() };
    let mut work = system.workspace();
    let solution =
        statics::solve(&system, &system.natural_state(), &system.inputs_at(0.0), &options, &mut work, &mut |_| true);
    (system, solution)
}

fn tip_of(solution: &Solution) -> Pose {
    // The only rod's poses come first, the world's follows.
    solution.state.poses[solution.state.poses.len() - 2]
}

/// The eigenvalue of a straight column is 1 − P/P_E: linear in the load, zero at Euler's.
#[test]
fn euler_column() {
    let euler = PI * PI / 4.0;
    for fraction in [0.5, 0.9, 0.99, 1.01, 1.5] {
        let load = tip_load(LoadFrame::World, Vector3::zeros(), -Vector3::x() * fraction * euler);
        let (_, solution) = solve(&column(vec![load]), false);
        let stability = solution.outcome.stability.unwrap();
        assert_eq!(stability.stable, fraction < 1.0, "{fraction}");
        // Stretch and shear move the load by P/EA and P/GA, about 1e-6 each.
        assert!((stability.smallest_eigenvalue - (1.0 - fraction)).abs() < 1e-5, "{fraction}: {stability:?}");
    }
}

/// Beyond Euler's load the driver does not stay on the straight saddle.
#[test]
fn buckled_column_is_found() {
    let load = tip_load(LoadFrame::World, Vector3::zeros(), -Vector3::x() * 1.3 * PI * PI / 4.0);
    let (_, solution) = solve(&column(vec![load]), true);
    assert!(solution.outcome.converged() && solution.outcome.stability.unwrap().stable);
    let tip = tip_of(&solution).position;
    let sideways = tip.y.hypot(tip.z);
    // Elastica: K(k) = (π/2)√1.3 for the modulus k, deflection 2k/√P. Stretch and shear count for 1e-6.
    let root = f64::sqrt(1.3);
    let (mut low, mut high) = (0.0, 0.999);
    for _ in 0..60 {
        let k = 0.5 * (low + high);
        if quarter_period(k) < 0.5 * PI * root { low = k } else { high = k }
    }
    let deflection = 2.0 * low / (0.5 * PI * root);
    assert!((sideways - deflection).abs() < 1e-5, "{sideways} {deflection}");
}

/// Far beyond the first buckling load the straight rod has many ways down; one of them ends on a minimum.
#[test]
fn strong_thrust_does_not_end_on_a_saddle() {
    for multiple in [2.0, 10.0, 40.0] {
        let load = tip_load(LoadFrame::World, Vector3::zeros(), -Vector3::x() * multiple * PI * PI / 4.0);
        let (_, solution) = solve(&column(vec![load]), true);
        let outcome = &solution.outcome;
        assert!(outcome.converged() && outcome.stability.unwrap().stable, "{multiple}: {:?}", outcome.status);
        // The tip has gone over to the other side of the base, as a hanging rod would.
        assert!(tip_of(&solution).position.x < 0.4);
    }
}

/// K(k) by the arithmetic-geometric mean.
fn quarter_period(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    0.5 * PI / a
}

/// A tangential (follower) thrust never buckles a column statically: it flutters, at 20.05 EI/L². A judgement by the
/// symmetric part would call it unstable from the start.
#[test]
fn beck_column_does_not_diverge() {
    for thrust in [1.0, 5.0, 10.0, 15.0] {
        let load = tip_load(LoadFrame::Body, Vector3::zeros(), -Vector3::x() * thrust);
        let (_, solution) = solve(&column(vec![load]), false);
        let stability = solution.outcome.stability.unwrap();
        assert!(stability.nonconservative && stability.stable, "thrust {thrust}: {stability:?}");
    }
}

/// The same thrust kept along x does diverge, whatever else makes the problem non-conservative.
#[test]
fn dead_thrust_diverges_beside_a_follower_torque() {
    for (thrust, diverging) in [(2.2, false), (3.0, true)] {
        let loads = vec![
            tip_load(LoadFrame::World, Vector3::zeros(), -Vector3::x() * thrust),
            tip_load(LoadFrame::Body, Vector3::x() * 1e-3, Vector3::zeros()),
        ];
        let (_, solution) = solve(&column(loads), false);
        let stability = solution.outcome.stability.unwrap();
        assert!(stability.nonconservative);
        assert_eq!(stability.stable, !diverging, "thrust {thrust}: {stability:?}");
    }
}

/// A column under its own weight: unstable above 7.837 EI/L³ of weight per length, stable below.
#[test]
fn greenhill_column() {
    let critical = 7.837347439;
    for fraction in [0.999, 1.001] {
        let mut scene = column(Vec::new());
        let line_density = PI * 1e-6;
        scene.gravity = -Vector3::x() * (fraction * critical / line_density);
        let (_, solution) = solve(&scene, false);
        assert_eq!(solution.outcome.stability.unwrap().stable, fraction < 1.0, "{fraction}");
    }
}

/// Held at the tip instead of the base, the same rod gives the same answer turned round.
#[test]
fn held_tip_mirrors_held_base() {
    let (_, based) = solve(&column(vec![tip_load(LoadFrame::World, Vector3::zeros(), Vector3::z() * 3.0)]), true);
    let mut scene = column(Vec::new());
    // A half turn about z carries the rod held at x = 0 pointing along x to one held at its tip.
    let turn = Rotation::exp(&(Vector3::z() * PI));
    scene.rods[0].base = None;
    scene.rods[0].tip = Some(Pose::new(turn, Vector3::zeros()).into());
    let mut load = tip_load(LoadFrame::World, Vector3::zeros(), Vector3::z() * 3.0);
    load.kind = LoadKind::Point { at: 0.0, wrench: Wrench::new(Vector3::zeros(), Vector3::z() * 3.0) };
    scene.loads = vec![load];
    let (_, tipped) = solve(&scene, true);
    let (a, b) = (tip_of(&based).position, tipped.state.poses[0].position);
    // A cumulative product has a direction, so the two agree to the accuracy of 15 cubic poses, not to round-off.
    assert!((a - b).norm() < 1e-7, "{a} {b}");
}
