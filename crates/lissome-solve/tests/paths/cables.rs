//! A cable whose points meet: no fold, no loose part, and what is told belongs to the load that was reached.

use crate::strip::outcomes;
use lissome_lie::Pose;
use lissome_mech::System;
use lissome_model::*;
use lissome_solve::{DefectKind, StaticOptions, Status, statics};
use nalgebra::Vector3;

/// A clamped rod of 0.5 m whose tip a cable draws to a point of the world, with a tension that is more than enough.
fn drawn(tension: f64) -> Scene {
    let rod = Rod {
        name: "arm".into(),
        length: 0.5,
        profile: Profile::uniform(Section::circle(2e-3, Material::from_poisson(1e9, 0.3))),
        natural: NaturalShape::Straight,
        base: Some(Pose::identity().into()),
        tip: None,
        discretization: Discretization::default(),
        initial_velocity: None,
        tubes: None,
        turns: Vector3::zeros(),
        laid: Vec::new(),
    };
    let cable = Cable {
        name: "rope".into(),
        points: vec![Frame::rod(0, 0.5), Frame::world(Pose::at(Vector3::new(0.35, 0.25, 0.05)))],
        drive: CableDrive::Tension(tension),
        stiffness: None,
    };
    Scene { rods: vec![rod], cables: vec![cable], ..Scene::default() }
}

#[test]
fn a_cable_whose_points_meet_is_no_fold() {
    let tension = 2.0;
    let scene = drawn(tension);
    scene.validate().unwrap();
    let system = System::compile(&scene).unwrap();
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &StaticOptions::default(), &mut work, &mut |_| true);
    let outcome = &solution.outcome;
    let Status::NotConverged { load_factor } = outcome.status else { panic!("{:?}", outcome.status) };
    let defect = outcome.defect.clone().unwrap();
    assert_eq!((defect.kind, defect.paths), (DefectKind::PointsMeet, vec!["cable.rope".to_owned()]));
    // What is told belongs to the load that was reached, where the robot is at rest.
    assert!(load_factor > 0.0 && load_factor < 1.0 && outcome.at_rest(), "{load_factor} {}", outcome.residual);
    assert_eq!(solution.inputs.factor, load_factor);
    let at = system.at(&solution.state, &solution.inputs);
    let (told, length, _) = system.cable(0, &at).unwrap();
    assert!((told - load_factor * tension).abs() < 1e-12 && length < 0.01 * 0.3, "{told} {length}");
    // Just below that tension there is an equilibrium, by the whole load at once.
    let system = System::compile(&drawn(0.999 * told)).unwrap();
    let below = statics::solve_from_natural(&system, &StaticOptions::default(), &mut system.workspace(), &mut |_| true);
    assert!(below.outcome.converged(), "{:?}", below.outcome.status);
}

#[test]
fn on_a_path_the_clamped_rod_is_not_called_loose() {
    let mut scene = drawn(0.0);
    scene.drives = vec![Drive {
        path: "rope.tension".into(),
        target: DriveTarget::Cable(0),
        signal: Signal::Ramp { from: 0.0, to: 2.0, start: 0.0, over: 1.0 },
    }];
    let found = outcomes(&scene, 6, 1.0, OnEvent::Jump);
    let last = found.last().unwrap();
    assert!(matches!(last.status, Status::NotConverged { .. }), "{:?}", last.status);
    assert_eq!(last.defect.as_ref().unwrap().kind, DefectKind::PointsMeet);
    assert!(last.at_rest(), "{}", last.residual);
}
