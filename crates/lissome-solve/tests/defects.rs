//! Robots without an equilibrium to find are named, with the part to blame.
#![allow(clippy::unwrap_used)]

use lissome_lie::Pose;
use lissome_mech::System;
use lissome_model::*;
use lissome_solve::{Defect, DefectKind, StaticOptions, statics};
use nalgebra::Vector3;

fn body(name: &str, mount: Mount) -> Body {
    let inertia = Inertia { mass: 0.1, centre: Vector3::new(0.05, 0.0, 0.0), ..Inertia::default() };
    Body { name: name.into(), inertia, mount, ..Body::default() }
}

fn joint(name: &str, kind: JointKind, parent: Frame) -> Joint {
    let start = vec![0.0; kind.coordinates().len()];
    Joint {
        name: name.into(),
        kind,
        parent,
        motion: JointMotion::Free { start },
        stiffness: vec![],
        rest: vec![],
        damping: vec![],
        limits: vec![],
        ..Joint::default()
    }
}

fn defect(scene: &Scene) -> Option<Defect> {
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &StaticOptions::default(), &mut work, &mut |_| true);
    assert!(!solution.outcome.converged(), "{:?}", solution.outcome.status);
    solution.outcome.defect
}

/// A bar on a hinge whose other end is welded to the world twice: both welds decide about the same hinge.
fn welded_twice(offset: f64) -> Scene {
    let mut hinge = joint("hinge", JointKind::Revolute { axis: Vector3::z() }, Frame::world(Pose::identity()));
    hinge.stiffness = vec![1.0];
    hinge.rest = vec![0.0];
    let weld = |name: &str, at: f64| Closure {
        name: name.into(),
        a: Frame::world(Pose::at(Vector3::new(at, 0.0, 0.0))),
        b: Frame::body(0).at(Pose::at(Vector3::new(0.1, 0.0, 0.0))),
    };
    Scene {
        bodies: vec![body("bar", Mount::On(Frame::joint(0)))],
        joints: vec![hinge],
        closures: vec![weld("first", 0.1), weld("second", 0.1 + offset)],
        ..Scene::default()
    }
}

#[test]
fn redundant_closures_are_named() {
    let defect = defect(&welded_twice(0.0)).unwrap();
    assert_eq!(defect.kind, DefectKind::Redundant);
    assert!(defect.paths.iter().all(|path| path.starts_with("closure.")), "{defect:?}");
}

#[test]
fn contradictory_closures_are_named() {
    let defect = defect(&welded_twice(0.02)).unwrap();
    assert_eq!(defect.kind, DefectKind::Contradictory);
    assert!(defect.paths.iter().all(|path| path.starts_with("closure.")), "{defect:?}");
}

#[test]
fn a_body_that_nothing_holds_is_named() {
    let scene = Scene {
        bodies: vec![body("drone", Mount::Free(Pose::identity()))],
        gravity: Vector3::new(0.0, 0.0, -9.81),
        ..Scene::default()
    };
    let defect = defect(&scene).unwrap();
    assert_eq!((defect.kind, defect.paths), (DefectKind::Loose, vec!["body.drone".to_owned()]));
}
