//! Rods on what is thin beside their spans: posts and pegs that lie between two points of a rod, with friction and without, at rest
//! and in motion. What cannot be held at rest is refused.
#![allow(clippy::unwrap_used)]

use lissome::model::{Problem, Scene};
use lissome::solve::{Equilibrium, MotionEnd};
use lissome::{Answer, SimulateError, Unobserved};

/// A nitinol wire that a force pulls down over a post.
const POST: &str = r#"
schema = 1
[material.nitinol]
young   = "60 GPa"
poisson = 0.33
[rod.wire]
material = "nitinol"
length   = "200 mm"
section  = { shape = "circle", radius = "0.3 mm" }
base     = {}
model    = { spline = { degree = 3, spans = 7 } }
[obstacle.post]
cylinder = { radius = "8 mm", length = "40 mm" }
position = ["80 mm", 0, "-8.4 mm"]
tangent  = [0, 1, 0]
[load.tip]
rod   = "wire"
at    = "tip"
force = [0, 0, "-0.6 N"]
[contact]
friction = 0.3
[job]
kind = "statics"
"#;

/// A rope that is let go above a peg.
const PEG: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young   = "5 MPa"
poisson = 0.45
density = "1100 kg/m^3"
damping = "10 ms"
[rod.wire]
material = "rubber"
length   = "1 m"
section  = { shape = "circle", radius = "8 mm" }
base     = {}
model    = { spline = { degree = 3, spans = 7 } }
[obstacle.post]
cylinder = { radius = "3 mm", length = "200 mm" }
position = ["400 mm", 0, "-150 mm"]
tangent  = [0, 1, 0]
[contact]
friction = 0.3
[job]
kind     = "dynamics"
start    = "natural"
duration = "0.7 s"
"#;

const MODELS: [&str; 5] = [
    "{ spline = { degree = 3, spans = 4 } }",
    "{ spline = { degree = 3, spans = 7 } }",
    "{ spline = { degree = 2, spans = 9 } }",
    "{ linear_strain = { elements = 5 } }",
    "{ strain_basis = { segments = 4 } }",
];

fn scene(text: &str, settings: &[String]) -> Scene {
    lissome::io::scene::parse("scene.toml", text.to_owned(), settings).unwrap().scene
}

fn settings(model: &str, friction: f64) -> Vec<String> {
    vec![format!("rod.wire.model={model}"), format!("contact.friction={friction}")]
}

fn equilibrium(scene: &Scene) -> Option<Equilibrium> {
    match lissome::run(scene, &mut Unobserved).unwrap() {
        Answer::Statics(found) => found.outcome.converged().then_some(found),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_wire_that_rubs_on_a_post_between_its_points_stays_on_it() {
    for model in MODELS {
        let found = equilibrium(&scene(POST, &settings(model, 0.3))).unwrap();
        let contact = &found.contact("wire", "post").unwrap().contact;
        assert!(contact.force().z > 0.5 && contact.least_gap > -1e-5 * 0.2, "{model}: {contact:?}");
    }
}

/// The limit of no friction is the law without it, which another part of the code holds at the same place.
#[test]
fn a_trace_of_friction_changes_a_trace_of_the_answer() {
    for model in MODELS {
        let [none, trace] = [0.0, 1e-6].map(|friction| equilibrium(&scene(POST, &settings(model, friction))).unwrap());
        let apart = (none.rods[0].tip.position - trace.rods[0].tip.position).norm();
        // At rest the rod may sink in by 6e-6 of its length, by how far the place is from the middle of a stretch, and stretches that stick
        // are others on a strain basis; the tip moves by 3/2 · 200/80 of what the post does. The friction itself turns the force by 1e-6 rad.
        assert!(apart < 6e-6 * 0.2 * 1.5 * 200.0 / 80.0, "{model}: {apart:e}");
    }
}

#[test]
fn a_rope_that_falls_on_a_peg_stays_on_it() {
    for (model, friction) in MODELS.into_iter().flat_map(|model| [(model, 0.0), (model, 0.3)]) {
        let found = lissome::run(&scene(PEG, &settings(model, friction)), &mut Unobserved).unwrap();
        let Answer::Dynamics(answer) = found else { panic!("a motion") };
        let frames = &answer.record.frames;
        assert!(matches!(answer.end, MotionEnd::Finished), "{model} {friction}: {:?}", answer.end);
        let deepest = frames.iter().flat_map(|frame| &frame.contacts).map(|pair| pair.least_gap).fold(0.0, f64::min);
        assert!(deepest > -1e-8, "{model} {friction}: {deepest:e} m");
        assert!(frames.last().unwrap().contacts[0].force().z > 0.0, "{model} {friction}: the peg carries it");
    }
}

/// Around the edges of a beam a rod of few spans would need two points in one of them.
#[test]
fn a_beam_between_the_points_of_a_rod_is_not_passed_in_silence() {
    let beam = |text: &str, sizes: &str| {
        let start = text.find("cylinder").unwrap();
        let end = start + text[start..].find('\n').unwrap();
        format!("{}box = {sizes}{}", &text[..start], &text[end..])
    };
    for model in MODELS {
        let at_rest = equilibrium(&scene(&beam(POST, "[\"40 mm\", \"2 mm\", \"2 mm\"]"), &settings(model, 0.3)));
        if let Some(found) = at_rest {
            assert!(found.contact("wire", "post").unwrap().contact.force().z > 0.0, "{model}");
        }
        let falling = scene(&beam(PEG, "[\"200 mm\", \"4 mm\", \"4 mm\"]"), &settings(model, 0.3));
        let Answer::Dynamics(answer) = lissome::run(&falling, &mut Unobserved).unwrap() else { panic!("a motion") };
        match &answer.end {
            MotionEnd::RanThrough(event) => assert!(event.value > 2e-3, "{model}: {event:?}"),
            end => {
                let carries = answer.record.frames.last().unwrap().contacts[0].force().z > 0.0;
                assert!(*end == MotionEnd::Finished && carries, "{model}: {end:?}");
            }
        }
    }
}

#[test]
fn what_begins_inside_between_its_points_is_refused_with_friction_too() {
    for friction in [0.0, 0.3] {
        let raised = POST.replace("-8.4 mm", "-8.2 mm");
        let told = lissome::run(&scene(&raised, &settings(MODELS[1], friction)), &mut Unobserved);
        let Err(SimulateError::Invalid(invalid)) = told else { panic!("{friction}: {told:?}") };
        let Problem::Penetrates { depth, .. } = &invalid.problem else { panic!("{invalid:?}") };
        assert!((depth - 1e-4).abs() < 1e-6, "{friction}: {depth}");
    }
}

/// A rope that falls over the upper edge of a sheet which is far thinner than its spans.
const SHEET: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rope]
young = "2 MPa"
poisson = 0.4
density = "1100 kg/m^3"
damping = "20 ms"
[joint.free]
kind = "free"
parent = { position = ["-40 cm", 0, "33 cm"] }
[rod.rope]
material = "rope"
length = "80 cm"
section = { shape = "circle", radius = "4 mm" }
base = "free"
[obstacle.sheet]
box = ["1 mm", "50 cm", "30 cm"]
position = [0, 0, "15 cm"]
[obstacle.edge]
capsule = { radius = "0.5 mm", length = "50 cm" }
position = [0, 0, "30 cm"]
rotvec = [0, 0, "90 deg"]
[obstacle.floor]
plane = {}
[contact]
friction = 0.4
[job]
kind = "dynamics"
start = "natural"
duration = "0.5 s"
output_rate = 50
"#;

#[test]
fn a_capsule_along_its_edge_holds_a_rope_for_a_sheet() {
    let found = lissome::run(&scene(SHEET, &[]), &mut Unobserved).unwrap();
    let Answer::Dynamics(answer) = found else { panic!("a motion") };
    assert_eq!(answer.end, MotionEnd::Finished);
    assert!(answer.record.frames.last().unwrap().contacts[1].force().z > 0.0, "the edge carries it");
}
