//! The strip of [gomez2017]: buckled between clamps, one of which is turned until it snaps.

use lissome_lie::Pose;
use lissome_mech::System;
use lissome_model::*;
use lissome_reference::analytic::snap::Strip;
use lissome_solve::path::{self, Path};
use lissome_solve::{EventKind, Outcome, StaticOptions};
use nalgebra::Vector3;

/// 1 m × 20 mm × 0.5 mm, E = 1 GPa, ends 0.99 m apart, one clamp turned from 0 to `angle`.
pub fn strip(angle: f64) -> Scene {
    let section = Section::plain(Shape::Rectangle { width: 0.02, height: 0.5e-3 }, Material::from_poisson(1e9, 0.3));
    let clamp = Joint {
        name: "clamp".into(),
        kind: JointKind::Revolute { axis: Vector3::y() },
        parent: Frame::world(Pose::identity()),
        motion: JointMotion::Driven { value: vec![0.0] },
        stiffness: vec![],
        rest: vec![],
        damping: vec![],
        limits: vec![],
        restitution: 0.0,
        initial_rate: vec![],
    };
    let rod = Rod {
        name: "strip".into(),
        length: 1.0,
        profile: Profile::uniform(section),
        natural: NaturalShape::Straight,
        base: Some(Frame::joint(0)),
        tip: Some(Pose::at(Vector3::new(0.99, 0.0, 0.0)).into()),
        discretization: Discretization::default(),
        initial_velocity: None,
        tubes: None,
        turns: Vector3::zeros(),
        laid: Vec::new(),
    };
    let turn = Drive {
        path: "clamp.angle".into(),
        target: DriveTarget::JointValue { joint: 0, coordinate: 0 },
        signal: Signal::Ramp { from: 0.0, to: angle, start: 0.0, over: angle.abs() },
    };
    Scene { rods: vec![rod], joints: vec![clamp], drives: vec![turn], ..Scene::default() }
}

/// Outcomes at the samples of a path.
pub fn outcomes(scene: &Scene, samples: usize, end: f64, on_event: OnEvent) -> Vec<Outcome> {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let mut found = Vec::new();
    let path = Path { samples, end, on_event };
    path::follow(&system, &path, &StaticOptions::default(), &mut work, &mut |_| true, &mut |step| {
        found.push(step.solution.outcome.clone());
        true
    });
    found
}

/// The strip as [`lissome_reference`] knows it, of unit length and stiffness, stretch and shear included.
fn reference() -> Strip {
    let compression = 0.5e-3_f64.powi(2) / 12.0;
    Strip { distance: 0.99, axial_compliance: compression, shear_compliance: 3.0 * compression }
}

/// Of 27 samples all but the one with the fold follow their predecessor: as many iterations as Newton's method needs from a
/// prediction, four to be found and two to be shown.
#[test]
fn a_sample_of_the_strips_path_is_a_few_iterations() {
    let mut each: Vec<usize> =
        outcomes(&strip(0.26), 27, 0.26, OnEvent::Jump).iter().map(|outcome| outcome.iterations()).collect();
    each.sort_unstable();
    assert!(each[25] <= 6, "{each:?}");
}

/// It snaps at α/√(1 − 0.99) = 1.782, from one energy to another that the exact rod knows, and says so. What is found
/// between the samples is refined to 1e-4 of the range, 0.26.
#[test]
fn a_strip_that_snaps_says_so() {
    let stiffness = 1e9 * 0.02 * 0.5e-3_f64.powi(3) / 12.0;
    let [before, after] = reference().fold().unwrap();
    let mut snaps = 0;
    for angle in [0.26, -0.26] {
        let found = outcomes(&strip(angle), 27, 0.26, OnEvent::Jump);
        assert!(found.len() == 27 && found.iter().all(|outcome| outcome.converged()));
        let events: Vec<_> = found.iter().flat_map(|outcome| &outcome.events).collect();
        // Turned the other way the strip is on the natural branch from the start.
        if events.is_empty() {
            continue;
        }
        let [event] = events[..] else { panic!("{events:?}") };
        assert_eq!(event.kind, EventKind::Fold);
        assert!((event.at - before.angle).abs() < 1e-4 * 0.26, "{} is not {}", event.at, before.angle);
        let (told, landed) = (event.before.elastic, event.after.unwrap().elastic);
        // Near a fold the state moves as the root of the distance, the energy along with its square: 1e-4 of the range.
        assert!((told / (stiffness * before.energy) - 1.0).abs() < 1e-3, "{told} {}", stiffness * before.energy);
        assert!((landed / (stiffness * after.energy) - 1.0).abs() < 1e-3, "{landed} {}", stiffness * after.energy);
        assert!(event.moved > 0.1);
        snaps += 1;
    }
    assert_eq!(snaps, 1);
}
