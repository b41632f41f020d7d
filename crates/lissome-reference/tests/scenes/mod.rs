//! Scenes that several tests of the oracle use.
#![allow(dead_code)]

use lissome_lie::{Pose, Wrench};
use lissome_model::{Discretization, Load, LoadFrame, LoadKind, Material, NaturalShape, Profile, Rod, Scene, Section};
use nalgebra::Vector3;

/// One rod, base held at the world frame, nothing acting on it.
pub fn cantilever(length: f64, profile: Profile) -> Scene {
    Scene {
        title: "cantilever".into(),
        gravity: Vector3::zeros(),
        rods: vec![Rod {
            name: "rod".into(),
            length,
            profile,
            natural: NaturalShape::Straight,
            base: Some(Pose::identity().into()),
            tip: None,
            discretization: Discretization::default(),
            ..Rod::default()
        }],
        loads: Vec::new(),
        ..Scene::default()
    }
}

/// Round rod of uniform radius.
pub fn round(length: f64, radius: f64, material: Material) -> Scene {
    cantilever(length, Profile::uniform(Section::circle(radius, material)))
}

/// Table 4 of [xun2025]: 1 m long, 3 cm to 1.5 cm, soft.
pub fn table_4() -> Scene {
    tapered(0.03, 0.015, 2e5)
}

/// Table 5 of [xun2025]: 1 m long, 5 cm to 3 cm.
pub fn table_5() -> Scene {
    tapered(0.05, 0.03, 2e6)
}

fn tapered(root: f64, tip: f64, young: f64) -> Scene {
    let material = Material::from_poisson(young, 0.45);
    cantilever(1.0, Profile::taper(Section::circle(root, material), Section::circle(tip, material), 1.0))
}

/// Adds a load.
pub fn with_load(mut scene: Scene, frame: LoadFrame, kind: LoadKind) -> Scene {
    let name = format!("load{}", scene.loads.len());
    scene.loads.push(Load { name, rod: 0, frame, kind });
    scene
}

/// Adds a dead wrench at the tip.
pub fn with_tip_load(scene: Scene, moment: Vector3<f64>, force: Vector3<f64>) -> Scene {
    let at = scene.rods[0].length;
    with_load(scene, LoadFrame::World, LoadKind::Point { at, wrench: Wrench::new(moment, force) })
}
