//! The five robots of the paper on tendons as scenes.

use lissome_lie::Pose;
use lissome_model::*;
use lissome_reference::tendons::scenarios::Scenario;
use nalgebra::{Vector2, Vector3};
use std::f64::consts::{PI, TAU};

/// Distance of the tendons from the axis, m.
pub const OFFSET: f64 = 8e-3;

/// A rod of the paper: its "diameter" is the radius.
pub fn backbone(length: f64, discretization: Discretization) -> Rod {
    let material = Material { density: Some(95e3), ..Material::from_poisson(210e9, 0.3125) };
    Rod {
        name: "arm".into(),
        length,
        profile: Profile::uniform(Section::circle(0.4e-3, material)),
        base: Some(Frame::world(Pose::identity())),
        discretization,
        ..Rod::default()
    }
}

/// A tendon along the first rod.
pub fn tendon(number: usize, routing: Routing, drive: CableDrive) -> Tendon {
    let (from, to) = (routing.start(), routing.end());
    let runs = vec![TendonRun { rod: 0, from, to, routing }];
    Tendon { name: format!("t{number}"), runs, drive, ..Tendon::default() }
}

/// Where tendon i of a scenario runs.
pub fn routing(scenario: Scenario, i: usize) -> Routing {
    let at = |angle: f64| Vector2::new(angle.cos(), angle.sin()) * OFFSET;
    let border = |count: usize| (0..count).map(|_| 0.1).sum::<f64>();
    match scenario {
        Scenario::A => Routing::parallel(at(TAU * i as f64 / 3.0), 0.0, 0.242),
        Scenario::B => Routing::linear(at(PI * i as f64), Vector2::zeros(), 0.0, 0.242),
        Scenario::C => Routing::helix([OFFSET; 2], PI * (i + 1) as f64, 1.0, 0.0, 0.242),
        Scenario::D => Routing::parallel(at(TAU * (i % 3) as f64 / 3.0), 0.0, border(i / 3 + 1)),
        Scenario::E => {
            let (last, sign) = (i / 2, if i.is_multiple_of(2) { -1.0 } else { 1.0 });
            let start = at(TAU * last as f64 / 3.0) * sign;
            if last == 0 {
                return Routing::linear(start, Vector2::zeros(), 0.0, border(1));
            }
            let path = HolePath::Linear { start, end: Vector2::zeros() };
            Routing::parallel(start, 0.0, border(last)).then(border(last + 1), path)
        }
    }
}

/// A scenario under given tensions.
pub fn scene(scenario: Scenario, tensions: &[f64], discretization: Discretization) -> Scene {
    let length = match scenario {
        Scenario::A | Scenario::B | Scenario::C => 0.242,
        Scenario::D | Scenario::E => 0.1 + 0.1 + 0.1,
    };
    let tendons = (0..scenario.tendons())
        .map(|i| tendon(i, routing(scenario, i), CableDrive::Tension(tensions.get(i).copied().unwrap_or(0.0))));
    Scene {
        rods: vec![backbone(length, discretization)],
        tendons: tendons.collect(),
        gravity: Vector3::new(-9.81, 0.0, 0.0),
        ..Scene::default()
    }
}
