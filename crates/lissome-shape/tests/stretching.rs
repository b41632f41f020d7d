//! Rods that stretch and shear, against the shooting oracle and against the inextensible limit.
#![allow(clippy::unwrap_used)]

mod rods;

use lissome_lie::{Pose, Wrench};
use lissome_model::{Discretization, NaturalShape, Profile, Rod, Scene, Section, Shape as Outline};
use lissome_reference::{Guess, solve_clamped};
use lissome_shape::{ElasticRod, Ends, Mechanics, Options, solve};
use nalgebra::Vector3;
use rods::{about, misfit, section};

const COSSERAT: Options = Options {
    method: lissome_shape::Method::Exact,
    mechanics: Mechanics::Cosserat,
    winding: lissome_shape::Winding::Least,
};

/// A soft rod as thick as a tenth of its length, so that stretch and shear matter.
fn thick() -> (ElasticRod, Section) {
    let section = section(Outline::Circle { radius: 0.05 });
    (ElasticRod::uniform(1.0, section.clone()).unwrap(), section)
}

fn scene(section: &Section, tip: Pose) -> Scene {
    let rod = Rod {
        name: "thick".into(),
        length: 1.0,
        profile: Profile::uniform(section.clone()),
        natural: NaturalShape::Straight,
        base: Some(Pose::identity().into()),
        tip: Some(tip.into()),
        discretization: Discretization::default(),
        ..Rod::default()
    };
    Scene { title: String::new(), gravity: Vector3::zeros(), rods: vec![rod], loads: Vec::new(), ..Scene::default() }
}

#[test]
fn the_oracle_agrees() {
    let (rod, section) = thick();
    for tip in [
        about(Vector3::new(0.4, 0.9, 0.3), Vector3::new(0.8, 0.2, -0.35)),
        about(Vector3::new(0.0, 0.0, 0.3), Vector3::new(1.05, 0.1, 0.0)),
        about(Vector3::new(0.8, 0.0, 0.0), Vector3::new(1.1, 0.0, 0.0)),
    ] {
        let shape = solve(&rod, &Ends::relative(tip).unwrap(), &COSSERAT).unwrap();
        let pose = |s: f64| shape.pose(s);
        let stress = |s: f64| {
            let (turn, w) = (shape.pose(s).rotation, shape.wrench(s));
            Wrench::new(turn.rotate(&w.moment), turn.rotate(&w.force))
        };
        let exact = solve_clamped(&scene(&section, tip), 0, Some(Guess::Shape(&pose, &stress))).unwrap();
        for s in [0.2, 0.5, 0.9] {
            assert!(misfit(&shape.pose(s), &exact.pose(s), 1.0) < 1e-9, "{tip:?} at {s}");
            let gap = shape.wrench(s).to_vector() - exact.stress(s).to_vector();
            assert!(gap.amax() < 1e-8 * exact.stress(s).to_vector().amax());
        }
    }
}

#[test]
fn a_straight_pull_is_hookes() {
    let (rod, section) = thick();
    let ends = Ends::relative(Pose::at(Vector3::new(1.02, 0.0, 0.0))).unwrap();
    let shape = solve(&rod, &ends, &COSSERAT).unwrap();
    let tension = 0.02 * section.stiffness()[(3, 3)];
    assert!((shape.wrench_on_base().force.x / tension - 1.0).abs() < 1e-10);
    assert!((shape.energy / (0.5 * 0.02 * tension) - 1.0).abs() < 1e-10);
    assert!((shape.strain(0.3).stretch.x - 1.02).abs() < 1e-12);
}

#[test]
fn a_slender_rod_hardly_stretches() {
    // EA L²/EI = 4 L²/r² = 1.44e6: the two answers differ by about its inverse.
    let rod = ElasticRod::round(0.6, 1e-3, rods::fibreglass()).unwrap();
    let ends = Ends::relative(about(Vector3::new(0.77, 1.33, 0.31), Vector3::new(0.46, 0.187, -0.252))).unwrap();
    let stiff = solve(&rod, &ends, &Options::default()).unwrap();
    let soft = solve(&rod, &ends, &COSSERAT).unwrap();
    let gap = misfit(&stiff.pose(0.5), &soft.pose(0.5), 0.6);
    assert!(gap > 1e-9 && gap < 1e-5, "{gap:e}");
    assert!(soft.energy < stiff.energy, "what may stretch stores less");
}
