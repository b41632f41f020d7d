//! Tendon-driven rods read from scenes are those of the paper, and a solution can be asked for anywhere along the rod.
#![allow(clippy::unwrap_used)]

use lissome_lie::Pose;
use lissome_model::{
    CableDrive, Discretization, HolePath, Material, Profile, Rod, Routing, Scene, Section, Tendon, TendonRun,
};
use lissome_reference::tendons::scenarios::Scenario;
use lissome_reference::tendons::{TendonRod, total_stress};
use nalgebra::{Vector2, Vector3};
use std::f64::consts::{PI, TAU};

fn at(angle: f64) -> Vector2<f64> {
    Vector2::new(angle.cos(), angle.sin()) * 8e-3
}

/// The robot of table II with these tendons.
fn scene(length: f64, routings: &[Routing], tensions: &[f64]) -> Scene {
    let steel = Material::from_poisson(210e9, 0.3125).with_density(95e3);
    let tendon = |(routing, tension): (&Routing, &f64)| Tendon {
        name: "pull".into(),
        runs: vec![TendonRun { rod: 0, from: routing.start(), to: routing.end(), routing: routing.clone() }],
        drive: CableDrive::Tension(*tension),
        ..Tendon::default()
    };
    Scene {
        gravity: Vector3::new(-9.81, 0.0, 0.0),
        rods: vec![Rod {
            name: "arm".into(),
            length,
            profile: Profile::uniform(Section::circle(0.4e-3, steel)),
            base: Some(Pose::identity().into()),
            discretization: Discretization::default(),
            ..Rod::default()
        }],
        tendons: routings.iter().zip(tensions).map(tendon).collect(),
        ..Scene::default()
    }
}

/// Distance of the tips of a scene and of a scenario, m.
fn apart(scene: &Scene, scenario: Scenario, tensions: &[f64]) -> f64 {
    let read = total_stress::solve(&TendonRod::from_scene(scene, 0.0).unwrap()).unwrap();
    let own = total_stress::solve(&scenario.robot(tensions)).unwrap();
    read.tip_difference(&own).0
}

#[test]
fn scenarios_are_read_from_scenes() {
    let parallel: Vec<Routing> = (0..3).map(|i| Routing::parallel(at(TAU * f64::from(i) / 3.0), 0.0, 0.242)).collect();
    let helical: Vec<Routing> =
        [PI, TAU].map(|angle| Routing::helix([8e-3; 2], angle, 1.0, 0.0, 0.242)).into_iter().collect();
    // The shooting of the two agrees to its own tolerance of integration, far below 1e-6 mm.
    assert!(apart(&scene(0.242, &parallel, &[3.0, 1.0, 0.0]), Scenario::A, &[3.0, 1.0, 0.0]) < 1e-10);
    assert!(apart(&scene(0.242, &helical, &[10.0, 5.0]), Scenario::C, &[10.0, 5.0]) < 1e-10);
}

#[test]
fn a_routing_that_reaches_farther_than_the_tendon_is_cut() {
    // Half of a convergent, tapered helix, once as the whole routing and once as a part of twice as much.
    let half = Routing::helix([8e-3, 6e-3], 0.3, 0.5, 0.0, 0.1);
    let whole = Routing::helix([8e-3, 4e-3], 0.3, 1.0, 0.0, 0.2);
    let mut cut = scene(0.242, std::slice::from_ref(&whole), &[4.0]);
    cut.tendons[0].runs[0].to = 0.1;
    let exact = scene(0.242, &[half], &[4.0]);
    let tip = |scene: &Scene| total_stress::solve(&TendonRod::from_scene(scene, 0.0).unwrap()).unwrap();
    assert!(tip(&cut).tip_difference(&tip(&exact)).0 < 1e-10);
}

#[test]
fn a_solution_is_known_between_its_samples() {
    let kinked =
        Routing::parallel(at(1.0), 0.0, 0.1).then(0.2, HolePath::Linear { start: at(1.0), end: Vector2::zeros() });
    let solved = total_stress::solve(&TendonRod::from_scene(&scene(0.242, &[kinked], &[4.0]), 0.0).unwrap()).unwrap();
    let borders = solved.borders();
    assert_eq!(borders.len(), 4);
    assert!(borders.iter().zip([0.0, 0.1, 0.2, 0.242]).all(|(found, expected)| (found - expected).abs() < 1e-15));
    for s in [0.013, 0.099, 0.101, 0.15, 0.199, 0.21, 0.241] {
        // p′ = R ε, by differences that err by the square of the step times the third derivative, below 1e3 here.
        let step = 1e-5;
        let (below, here, above) = (solved.at(s - step), solved.at(s), solved.at(s + step));
        let slope = (above.pose.position - below.pose.position) / (2.0 * step);
        let stretch = here.strain.fixed_rows::<3>(3).into_owned();
        assert!((slope - here.pose.rotation.rotate(&stretch)).norm() < 1e-6, "{s}");
    }
    // Samples themselves come back as they are; at a border the section behind it.
    let sample = solved.samples[5];
    assert_eq!(solved.at(sample.s), sample);
    assert!(solved.at(0.1).strain != solved.at(0.1 - 1e-12).strain);
}
