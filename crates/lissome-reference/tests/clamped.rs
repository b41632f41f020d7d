//! Rods held at both ends, and answers checked from a state that is nearly right.
#![allow(clippy::unwrap_used)]

mod scenes;

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model::{LoadFrame, LoadKind, Material, NaturalShape, Profile, Scene, Section};
use lissome_reference::analytic::elastica::clamped_buckled;
use lissome_reference::{
    CosseratSolution, Guess, OracleError, negative_directions, solve_cantilever, solve_clamped, verify,
};
use nalgebra::{Matrix6, Vector3, Vector6};
use scenes::{cantilever, table_4, with_load, with_tip_load};
use std::f64::consts::PI;

/// A unit rod with EI = 1 that neither stretches nor shears, its ends held in one line.
fn pushed_together(distance: f64) -> Scene {
    let stiffness = Matrix6::from_diagonal(&Vector6::new(0.8, 1.0, 1.0, 1e12, 1e12, 1e12));
    let section = Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 0.01 };
    let mut scene = cantilever(1.0, Profile::uniform(section));
    scene.rods[0].tip = Some(Pose::at(Vector3::new(distance, 0.0, 0.0)).into());
    scene
}

#[test]
fn buckled_between_clamps() {
    for distance in [0.95, 0.8, 0.5, 0.2] {
        let exact = clamped_buckled(distance).unwrap();
        // Start from the first mode of the linear theory: a cosine of moment under Euler's load.
        let amplitude = 2.0 * PI * exact.quarter_slope;
        let stress = |s: f64| {
            Wrench::new(
                Vector3::new(0.0, -amplitude * (2.0 * PI * s).cos(), 0.0),
                Vector3::new(-4.0 * PI * PI, 0.0, 0.0),
            )
        };
        let solution = solve_clamped(&pushed_together(distance), 0, Some(Guess::Stress(&stress))).unwrap();
        // Compliances of 1e-12 under loads of order 100.
        assert!((solution.base_wrench.force.x + exact.load).abs() < 1e-8, "{distance}");
        assert!((solution.pose(0.5).position.z - exact.deflection).abs() < 1e-9, "{distance}");
        assert!((solution.pose(0.25).rotation.angle() - exact.quarter_slope).abs() < 1e-9, "{distance}");
        assert!(solution.base_wrench.force.yz().amax() < 1e-9);
    }
}

#[test]
fn buckled_state_is_stable_and_the_straight_one_beside_it_is_not() {
    // Stiffer out of its plane than in it; a round rod would buckle into a whole circle of equilibria.
    let mut scene = pushed_together(0.95);
    let stiffness = Matrix6::from_diagonal(&Vector6::new(0.8, 1.0, 1.5, 1e3, 1e3, 1e3));
    scene.rods[0].profile =
        Profile::uniform(Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 0.01 });
    let stress = |s: f64| {
        Wrench::new(Vector3::new(0.0, -4.0 * (2.0 * PI * s).cos(), 0.0), Vector3::new(-4.0 * PI * PI, 0.0, 0.0))
    };
    let buckled = solve_clamped(&scene, 0, Some(Guess::Stress(&stress))).unwrap();
    // The axis takes up 4π²/EA = 0.0395 of the 0.05; a deflection of (2/π)√0.0105 = 0.065 takes up the rest.
    assert!(buckled.pose(0.5).position.z > 0.06);
    assert_eq!(negative_directions(&buckled).unwrap(), 0);

    // P = 0.05 EA = 50: beyond the first load of the weak plane, 4π² = 39.5, before its second, 80.8, and the first of
    // the strong plane, 59.2.
    let compressed = |_: f64| Wrench::new(Vector3::zeros(), Vector3::new(-50.0, 0.0, 0.0));
    let straight = solve_clamped(&scene, 0, Some(Guess::Stress(&compressed))).unwrap();
    assert!((straight.base_wrench.force.x + 50.0).abs() < 1e-9);
    assert!(straight.pose(0.5).position.z.abs() < 1e-12);
    assert_eq!(negative_directions(&straight).unwrap(), 1);
    assert!(straight.elastic_energy > buckled.elastic_energy);
}

fn same(a: &CosseratSolution, b: &CosseratSolution, tolerance: f64) {
    for s in [0.0, 0.2, 0.37, 0.5, 0.81, 1.0] {
        assert!((a.pose(s).position - b.pose(s).position).amax() < tolerance, "{s}");
        assert!((a.stress(s) - b.stress(s)).to_vector().amax() < tolerance, "{s}");
    }
    assert!((a.elastic_energy - b.elastic_energy).abs() < tolerance);
}

/// A curved tapered rod, bent in space by dead and follower loads.
fn bent() -> Scene {
    let mut scene = with_tip_load(table_4(), Vector3::new(0.01, 0.0, 0.02), Vector3::new(-0.05, 0.1, 0.15));
    scene.rods[0].natural = NaturalShape::curved(Vector3::new(0.5, 1.0, -1.0));
    let follower = Wrench::new(Vector3::zeros(), Vector3::new(0.0, 0.1, -0.05));
    with_load(scene, LoadFrame::Body, LoadKind::Point { at: 0.37, wrench: follower })
}

#[test]
fn holding_the_tip_where_it_already_is_changes_nothing() {
    let scene = bent();
    let free = solve_cantilever(&scene, 0, None).unwrap();
    let mut held = scene.clone();
    held.rods[0].tip = Some(free.tip().into());
    // Loads at the held tip go into the support.
    let led = solve_clamped(&held, 0, None).unwrap();
    same(&free, &led, 1e-10);
    let world = |s: f64| {
        let (pose, w) = (free.pose(s), free.stress(s));
        Wrench::new(pose.rotation.rotate(&w.moment), pose.rotation.rotate(&w.force))
    };
    let nudged = |s: f64| Pose::at(Vector3::new(0.0, 0.01 * s, 0.0)) * free.pose(s);
    let from_shape = solve_clamped(&held, 0, Some(Guess::Shape(&nudged, &world))).unwrap();
    same(&free, &from_shape, 1e-10);
}

#[test]
fn verification_returns_to_the_equilibrium_nearby() {
    let scene = bent();
    let exact = solve_cantilever(&scene, 0, None).unwrap();
    let disturbed = |s: f64| {
        let (pose, w) = (exact.pose(s), exact.stress(s));
        let error =
            Wrench::new(Vector3::new(1.0, -1.0, 2.0) * 1e-3, Vector3::new(0.0, 1.0, -1.0) * 1e-2) * (5.0 * s).sin();
        Wrench::new(pose.rotation.rotate(&w.moment), pose.rotation.rotate(&w.force)) + error
    };
    let verified = verify(&scene, 0, &disturbed).unwrap();
    same(&exact, &verified, 1e-11);
}

#[test]
fn verification_tells_a_curled_equilibrium_from_the_straight_one() {
    // Under 30 EI/L² of compression the straight cantilever is an equilibrium, and so is a curled one.
    let scene = scenes::round(1.0, 0.01, Material::from_poisson(1e8, 0.4));
    let bending = scene.rods[0].profile.at(0.0).stiffness()[(1, 1)];
    let scene = with_tip_load(scene, Vector3::zeros(), Vector3::new(-30.0 * bending, 0.0, 0.0));
    let straight = solve_cantilever(&scene, 0, None).unwrap();
    assert_eq!(negative_directions(&straight).unwrap(), 4);
    // EI θ″ = −P sin θ from θ = 0 almost to π: θ′ = 2α/cosh(αs) for long rods, α² = P/EI.
    let alpha = 30f64.sqrt();
    let curled = |s: f64| {
        Wrench::new(
            Vector3::new(0.0, -1.9 * alpha * bending / (alpha * s).cosh(), 0.0),
            Vector3::new(-30.0 * bending, 0.0, 0.0),
        )
    };
    let curled = verify(&scene, 0, &curled).unwrap();
    assert!(curled.pose(1.0).position.x < 0.0);
    assert!(
        (curled.base_wrench.moment - curled.tip().position.cross(&Vector3::new(-30.0 * bending, 0.0, 0.0))).amax()
            < 1e-10 * bending
    );
}

#[test]
fn refusals_say_what_is_missing() {
    let scene = bent();
    assert!(matches!(solve_clamped(&scene, 0, None), Err(OracleError::WrongSupports { held_ends: 1, need: 2, .. })));
    assert!(matches!(
        solve_cantilever(&pushed_together(0.9), 0, None),
        Err(OracleError::WrongSupports { held_ends: 2, need: 1, .. })
    ));
    assert!(matches!(solve_cantilever(&scene, 3, None), Err(OracleError::NoSuchRod { rod: 3, count: 1 })));
    let mut drawn = scene.clone();
    let poses = (0..5).map(|i| Pose::new(Rotation::identity(), Vector3::x() * (0.25 * f64::from(i)))).collect();
    drawn.rods[0].natural = NaturalShape::ControlPoses(poses);
    assert!(matches!(solve_cantilever(&drawn, 0, None), Err(OracleError::SplineShape { .. })));
    let mut broken = scene;
    broken.rods[0].length = f64::NAN;
    assert!(matches!(solve_cantilever(&broken, 0, None), Err(OracleError::Invalid(_))));
}
