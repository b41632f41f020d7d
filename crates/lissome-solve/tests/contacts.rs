//! Rods and bodies that touch.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation};
use lissome_mech::System;
use lissome_model::*;
use lissome_solve::statics;
use nalgebra::Vector3;

/// The heavy tapered rod over a plane of paper 4's reference set-up: clamped level at a height of 50 mm.
fn heavy(spans: usize, friction: f64) -> Scene {
    let material = Material::from_poisson(1e6, 0.45).with_density(3000.0);
    let section = |radius: f64| Section::circle(radius, material);
    let rod = Rod {
        name: "rod".into(),
        length: 0.3,
        profile: Profile::taper(section(0.010), section(0.006), 0.3),
        natural: NaturalShape::Straight,
        base: Some(Frame::world(Pose::at(Vector3::new(0.0, 0.0, 0.05)))),
        tip: None,
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(spans), form: StrainForm::Mixed },
        turns: Vector3::zeros(),
        initial_velocity: None,
        tubes: None,
    };
    Scene {
        gravity: Vector3::new(0.0, 0.0, -9.81),
        rods: vec![rod],
        obstacles: vec![Obstacle {
            name: "floor".into(),
            shape: ObstacleShape::Plane,
            frame: Frame::world(Pose::identity()),
        }],
        touching: Touching { friction, ..Touching::default() },
        ..Scene::default()
    }
}

#[test]
fn a_heavy_rod_lies_on_the_floor() {
    for spans in [12, 24] {
        let system = System::compile(&heavy(spans, 0.0)).unwrap();
        let mut work = system.workspace();
        let solution = statics::solve_from_natural(&system, &Default::default(), &mut work, &mut |i| {
            println!("{i:?}");
            true
        });
        println!("{:?}", solution.outcome.status);
        let inputs = system.inputs_at(0.0);
        let contacts = system.contact_states(&solution.state, &inputs);
        let total: f64 = contacts.iter().map(|contact| contact.force.z).sum();
        let deepest = contacts.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
        let first = contacts.iter().filter(|contact| contact.force.z > 0.0).map(|c| c.s).fold(f64::INFINITY, f64::min);
        println!("{spans}: total {total} {}, deepest {deepest:e} first {first}", total / 0.69404 - 1.0);
        for c in &contacts { println!("{:.4} {:.3e} {:.4}", c.s, c.gap, c.force.z); }
        assert!(solution.outcome.converged());
    }
}

#[test]
fn a_heavy_rod_lies_on_a_rough_floor() {
    let system = System::compile(&heavy(12, 0.5)).unwrap();
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &Default::default(), &mut work, &mut |_| true);
    println!("{:?} {} its", solution.outcome.status, solution.outcome.history.len());
    let inputs = system.inputs_at(0.0);
    let contacts = system.contact_states(&solution.state, &inputs);
    let total: f64 = contacts.iter().map(|contact| contact.force.z).sum();
    for c in &contacts { println!("{:.4} {:.3e} {:.4?}", c.s, c.gap, c.force); }
    println!("{total}");
    assert!(solution.outcome.converged());
}
