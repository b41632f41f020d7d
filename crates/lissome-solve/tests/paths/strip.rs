//! The strip of [gomez2017]: buckled between clamps, one of which is turned until it snaps.

use lissome_lie::Pose;
use lissome_mech::System;
use lissome_model::*;
use lissome_solve::path::{self, Path};
use lissome_solve::{Outcome, StaticOptions};
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
    };
    let rod = Rod {
        name: "strip".into(),
        length: 1.0,
        profile: Profile::uniform(section),
        natural: NaturalShape::Straight,
        base: Some(Frame::joint(0)),
        tip: Some(Pose::at(Vector3::new(0.99, 0.0, 0.0)).into()),
        discretization: Discretization::default(),
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
    path::follow_path(&system, &path, &StaticOptions::default(), &mut work, &mut |_| true, &mut |step| {
        found.push(step.solution.outcome.clone());
        if std::env::var("T").is_ok() { println!("cpu {} {}", found.len(), std::fs::read_to_string("/proc/thread-self/schedstat").unwrap()); }
        true
    });
    found
}

#[test]
fn baseline() {
    for angle in [0.26, -0.26] {
        let begin = std::time::Instant::now();
        let found = outcomes(&strip(angle), 27, 0.26, OnEvent::Jump);
        println!("{:?}", begin.elapsed());
        for (i, outcome) in found.iter().enumerate() {
            println!(
                "{i} {:?} {} {} {:e} {:e} {:?}",
                outcome.status,
                outcome.iterations(),
                outcome.load_steps,
                outcome.residual,
                outcome.energy.total(),
                outcome.stability.map(|s| s.smallest_eigenvalue)
            );
            for event in &outcome.events {
                println!("  {event:?} {}", event.at / 0.1);
            }
        }
    }
}
