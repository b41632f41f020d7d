//! Equilibria in contact, looked at as motions: what rests on something neither moves nor is fed.
#![allow(clippy::unwrap_used)]

use lissome::model::Scene;
use lissome::{Answer, Unobserved};

fn scene(text: &str, set: &[&str]) -> Scene {
    let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    lissome::io::scene::parse("scene.toml", text.to_owned(), &set).unwrap().scene
}

/// An arm that rests on something round under its own weight.
const ARM: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young   = 2e7
poisson = 0.4
density = 1100
damping = 0.05
[rod.arm]
material = "rubber"
length   = 0.6
section  = { shape = "circle", radius = 0.01 }
base     = { position = [0, 0, 0.1] }
model    = { spline = { spans = 12 } }
[obstacle.prop]
SHAPE
[job]
kind        = "dynamics"
duration    = 0.2
output_rate = 20
"#;

/// On round things places that touch slide along a rod at rest and are fixed to it in motion: the difference is no push.
#[test]
fn what_rests_on_something_round_stays_at_rest() {
    let round = [
        "sphere = { radius = 0.08 }\nposition = [0.3, 0, -0.04]",
        "capsule = { radius = 0.05, length = 0.1 }\nposition = [0.31, 0, -0.01]",
        "cylinder = { radius = 0.05, length = 0.3 }\nposition = [0.31, 0, -0.01]\nrotvec = [0, 0, \"90 deg\"]",
    ];
    for (shape, spans) in round.iter().flat_map(|shape| [(shape, 8), (shape, 12), (shape, 21)]) {
        let set = format!("rod.arm.model.spline.spans={spans}");
        let answer = lissome::run(&scene(&ARM.replace("SHAPE", shape), &[&set]), &mut Unobserved).unwrap();
        let Answer::Dynamics(motion) = &answer else { panic!("{answer:?}") };
        assert!(answer.succeeded(), "{shape} {spans}: {:?}", motion.end);
        let (first, last) = (&motion.record.frames[0], motion.record.frames.last().unwrap());
        let stored = first.energy.elastic + first.energy.gravity.abs();
        // What a step leaves of a gap, times the force, is all that there is to move anything.
        assert!(last.energy.dissipated < 1e-8 * stored, "{shape} {spans}: {:e}", last.energy.dissipated / stored);
        let tips = [first, last].map(|frame| frame.rods[0].poses.last().unwrap().position);
        assert!((tips[1] - tips[0]).norm() < 1e-8, "{shape} {spans}: {}", tips[1] - tips[0]);
    }
}

/// A heavy wire that has been lowered onto a rough floor.
const WIRE: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young   = 30e6
poisson = 0.4
density = 1200
[rod.arm]
material = "rubber"
length   = 0.8
section  = { shape = "circle", radius = 0.01 }
base     = { position = [0, 0, 0.1], tangent = [1, 0, 0] }
model    = { spline = { spans = 12 } }
[obstacle.floor]
plane    = {}
position = [0, 0, 0.01]
[contact]
friction = 1
[job]
kind = "statics"
"#;

/// Friction takes and gravity has a potential: nothing feeds a motion, though the forces of what is about to slide follow it.
#[test]
fn friction_at_rest_feeds_no_flutter() {
    for friction in [0.2, 0.4, 0.6, 1.0] {
        let answer = lissome::run(&scene(WIRE, &[&format!("contact.friction={friction}")]), &mut Unobserved).unwrap();
        let Answer::Statics(found) = &answer else { panic!("{answer:?}") };
        assert!(answer.succeeded() && found.flutter.is_none(), "{friction}: {:?}", found.flutter);
        assert_eq!(found.is_stable(), Some(true), "{friction}");
    }
}
