//! Estimates of the error by the exact rod, and divisions that bring it within a tolerance.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Wrench};
use lissome_model::*;
use lissome_reference::network::SceneNetwork;
use lissome_solve::StaticOptions;
use lissome_solve::accuracy::{self, Accurate};
use nalgebra::Vector3;

const LENGTH: f64 = 0.4;

/// A round rod on the world under a force at its tip, in units of EI/L².
fn scene(resolution: Resolution, natural: NaturalShape, force: Vector3<f64>) -> Scene {
    let section = Section::circle(2e-3, Material::from_poisson(1e9, 0.3));
    let bending = section.stiffness()[(1, 1)];
    let rod = Rod {
        name: "arm".into(),
        length: LENGTH,
        profile: Profile::uniform(section),
        natural,
        base: Some(Frame::world(Pose::identity())),
        discretization: Discretization::Spline { degree: 3, resolution, form: StrainForm::Mixed },
        ..Rod::default()
    };
    let wrench = Wrench::new(Vector3::zeros(), force * (bending / LENGTH.powi(2)));
    let kind = LoadKind::Point { at: LENGTH, wrench };
    Scene {
        rods: vec![rod],
        loads: vec![Load { name: "tip".into(), rod: 0, frame: LoadFrame::World, kind }],
        ..Scene::default()
    }
}

fn solve(scene: &Scene) -> Accurate {
    accuracy::solve(scene, &StaticOptions::default(), &mut |_| true).unwrap()
}

/// Largest true error along the rod, of the length or in rad.
fn true_error(scene: &Scene, found: &Accurate) -> f64 {
    let rod = lissome_mech::index::RodIndex::new(0);
    let samples = found.system.sample(rod, &found.solution.state, 201);
    let at = |s: f64| found.system.sample_at(rod, &found.solution.state, &[s])[0];
    let section = |_: usize, s: f64| {
        let sample = at(s);
        let turn = sample.pose.rotation;
        (sample.pose, Wrench::new(turn.rotate(&sample.stress.moment), turn.rotate(&sample.stress.force)))
    };
    let network = SceneNetwork::new(scene, 0.0).unwrap();
    let nothing = |_: usize| -> Pose { unreachable!("the scene has rods alone") };
    let exact = network.solve_near(&nothing, &nothing, &section).unwrap();
    let apart = samples.iter().map(|sample| {
        let truth = network.rod_pose(&exact, 0, sample.s);
        let shift = (truth.position - sample.pose.position).norm() / LENGTH;
        shift.max((truth.rotation.inverse() * sample.pose.rotation).angle())
    });
    apart.fold(0.0, f64::max)
}

#[test]
fn the_estimate_sees_the_inside_of_a_rod() {
    // Strongly pre-curved, so that the ends alone tell little.
    let natural = NaturalShape::curved(Vector3::new(2.0, 9.0, -4.0) / LENGTH);
    for spans in [6, 9, 14, 20] {
        let scene = scene(Resolution::Spans(spans), natural.clone(), Vector3::new(2.0, 3.0, 1.0));
        let found = solve(&scene);
        assert_eq!(found.scene.rod_knots(0).unwrap().spans(), spans, "a number of spans is obeyed");
        let ratio = found.errors[0] / true_error(&scene, &found);
        // The bar of the project: an estimate is true within these.
        assert!((0.3..30.0).contains(&ratio), "{spans} spans: {ratio}");
    }
}

#[test]
fn a_spring_of_ten_turns_works_by_itself() {
    let natural = NaturalShape::curved(Vector3::new(6.0, 62.0, 0.0) / LENGTH);
    let scene = scene(Resolution::Tolerance(1e-5), natural, Vector3::new(1.0, 1.0, 2.0));
    let found = solve(&scene);
    assert!(found.solution.outcome.converged());
    assert!(found.errors[0] <= 1e-5, "{:e}", found.errors[0]);
    let error = true_error(&scene, &found);
    assert!(error <= 1e-5, "{error:e}");
}

#[test]
fn a_tolerance_is_met_anywhere_along_a_rod() {
    for tolerance in [1e-3, 1e-5, 1e-7] {
        let scene = scene(Resolution::Tolerance(tolerance), NaturalShape::Straight, Vector3::new(-20.0, 0.5, 3.0));
        let found = solve(&scene);
        let error = true_error(&scene, &found);
        assert!(found.errors[0] <= tolerance && error <= tolerance, "{tolerance:e}: {:e}, {error:e}", found.errors[0]);
    }
}

#[test]
fn spans_gather_where_the_error_is() {
    // A soft piece in a rod that hardly bends elsewhere.
    let mut scene = scene(Resolution::Tolerance(1e-7), NaturalShape::Straight, Vector3::new(0.0, 0.0, 2.0));
    let material = Material::from_poisson(1e9, 0.3);
    let stations = [(0.0, 4e-3), (0.1, 4e-3), (0.1, 1e-3), (0.15, 1e-3), (0.15, 4e-3), (LENGTH, 4e-3)];
    let station = |(s, radius)| Station { s, section: Section::circle(radius, material) };
    scene.rods[0].profile = Profile { stations: stations.map(station).to_vec() };
    let found = solve(&scene);
    let lines = found.scene.rod_knots(0).unwrap().lines();
    let shortest = |from: f64, to: f64| {
        let pairs = lines.windows(2).filter(|pair| pair[0] >= from && pair[1] <= to);
        pairs.map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min)
    };
    assert!(shortest(0.1, 0.15) < 0.5 * shortest(0.15, LENGTH), "{lines:?}");
}
