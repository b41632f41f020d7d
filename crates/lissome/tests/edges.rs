//! Rods over edges of boxes and meshes, wherever along the rod they cross: at rest and in motion, with friction and without, on
//! spans that are far longer than what they lie on is thick.
#![allow(clippy::unwrap_used)]

use lissome::lie::{Pose, Rotation};
use lissome::model::{ObstacleShape, Scene};
use lissome::solve::{Equilibrium, MotionAnswer, MotionEnd};
use lissome::{Answer, Unobserved};
use nalgebra::Vector3;

/// A nitinol wire that lies on a table and is pulled down beyond its border.
const TABLE: &str = r#"
schema = 1
[material.nitinol]
young   = "60 GPa"
poisson = 0.33
[rod.wire]
material = "nitinol"
length   = "200 mm"
section  = { shape = "circle", radius = "0.3 mm" }
base     = {}
[obstacle.thing]
box = ["100 mm", "80 mm", "30 mm"]
position = ["130 mm", 0, "-15.3 mm"]
[load.tip]
rod   = "wire"
at    = "tip"
force = [0, 0, "-0.1 N"]
[contact]
friction = 0.0
[job]
kind = "statics"
"#;

/// A rope that falls over the upper edge of a sheet.
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
parent = { position = ["-37 cm", 0, "33 cm"] }
[rod.wire]
material = "rope"
length = "80 cm"
section = { shape = "circle", radius = "4 mm" }
base = "free"
[obstacle.thing]
box = ["1 mm", "50 cm", "30 cm"]
position = [0, 0, "15 cm"]
[contact]
friction = 0.0
[job]
kind = "dynamics"
start = "natural"
duration = "0.2 s"
step = "4 ms"
output_rate = 250
"#;

/// Models of which a motion may be made: spans, elements and segments that are few, and eight times as many.
const MODELS: [[&str; 2]; 5] = [
    ["{ spline = { degree = 3, spans = 4 } }", "{ spline = { degree = 3, spans = 32 } }"],
    ["{ spline = { degree = 3, spans = 8 } }", "{ spline = { degree = 3, spans = 64 } }"],
    ["{ spline = { degree = 2, spans = 9 } }", "{ spline = { degree = 2, spans = 72 } }"],
    ["{ linear_strain = { elements = 8 } }", "{ linear_strain = { elements = 64 } }"],
    ["{ strain_basis = { segments = 4 } }", "{ strain_basis = { segments = 8 } }"],
];

/// The one that is there at rest alone, and converges more slowly.
const PRINTED: [&str; 2] = [
    "{ spline = { degree = 2, spans = 9, form = \"printed\" } }",
    "{ spline = { degree = 3, spans = 16, form = \"printed\" } }",
];

const EI: f64 = 60e9 * std::f64::consts::PI / 4.0 * 8.1e-15;

fn scene(text: &str, model: &str, friction: f64) -> Scene {
    let settings = vec![format!("rod.wire.model={model}"), format!("contact.friction={friction}")];
    lissome::io::scene::parse("scene.toml", text.to_owned(), &settings).unwrap().scene
}

fn equilibrium(scene: &Scene) -> Equilibrium {
    match lissome::run(scene, &mut Unobserved).unwrap() {
        Answer::Statics(found) if found.outcome.converged() => found,
        other => panic!("{other:?}"),
    }
}

fn motion(scene: &Scene) -> MotionAnswer {
    match lissome::run(scene, &mut Unobserved).unwrap() {
        Answer::Dynamics(answer) => answer,
        other => panic!("{other:?}"),
    }
}

fn tip(found: &Equilibrium) -> Vector3<f64> {
    found.rods[0].tip.position
}

/// The same box as triangles, each side divided in four by two: most of the edges between them are flat.
fn triangles(size: &Vector3<f64>) -> ObstacleShape {
    let (mut corners, mut triangles): (Vec<Vector3<f64>>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    let mut corner = |at: Vector3<f64>| {
        let known = corners.iter().position(|own| (own - at).norm() < 1e-12);
        known.unwrap_or_else(|| {
            corners.push(at);
            corners.len() - 1
        }) as u32
    };
    for axis in 0..3 {
        for side in [-0.5, 0.5] {
            let at = |u: usize, v: usize| {
                let mut part = Vector3::zeros();
                part[axis] = side;
                part[(axis + 1) % 3] = u as f64 / 2.0 - 0.5;
                part[(axis + 2) % 3] = v as f64 / 2.0 - 0.5;
                part.component_mul(size)
            };
            for (u, v) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let mut ring = [at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)].map(&mut corner);
                if side < 0.0 {
                    ring.reverse();
                }
                let [a, b, c, d] = ring;
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    ObstacleShape::Mesh { corners, triangles }
}

/// The rod lies on the far border alone, 18 cm from its base: a propped cantilever with an end beyond the prop. Its linear theory is good to the
/// square of the slope there, 1e-3, and sixteen spans to a part of the deflection that a span has under the force of the prop.
#[test]
fn a_cantilever_over_the_border_of_a_table_is_propped_there() {
    let (force, a, b) = (0.01, 0.18, 0.02);
    let scene_of = |model: &str| {
        let mut scene = scene(TABLE, model, 0.0);
        scene.obstacles[0].frame.pose.position.z = -0.0153;
        scene.loads[0] =
            lissome::io::scene::parse("scene.toml", TABLE.replace("-0.1 N", "-0.01 N"), &[]).unwrap().scene.loads[0]
                .clone();
        scene
    };
    for model in ["{ spline = { degree = 3, spans = 16 } }", "{ linear_strain = { elements = 32 } }"] {
        let found = equilibrium(&scene_of(model));
        let contact = &found.contact("wire", "thing").unwrap().contact;
        let prop = force * (1.0 + 1.5 * b / a);
        let down = force * b * b * a / (4.0 * EI) + force * b.powi(3) / (3.0 * EI);
        let span: f64 = 0.2 / 16.0;
        let rough = prop * span.powi(3) / (192.0 * EI) * 0.2 / a;
        assert!((contact.force().z - prop).abs() < 2e-3 * prop, "{model}: {contact:?}");
        assert!((-tip(&found).z - down).abs() < 2e-3 * down + rough, "{model}: {} for {down}", tip(&found).z);
    }
}

/// It does not matter where spans begin: few of them are off by what a span bends under the force of the edge, as a beam held at both ends; and
/// an edge is a capsule of no thickness.
#[test]
fn a_wire_over_a_border_is_held_at_the_border() {
    let models = MODELS.into_iter().chain([PRINTED]);
    for ([few, many], friction) in models.flat_map(|model| [(model, 0.0), (model, 0.3)]) {
        let mut shapes = Vec::new();
        for model in [few, many] {
            let mut lower = scene(TABLE, model, friction);
            lower.obstacles[0].frame.pose.position.z = -0.0163;
            let found = equilibrium(&lower);
            let pair = &found.contact("wire", "thing").unwrap().contact;
            assert!(pair.least_gap > -1e-5 * 0.2, "{model} {friction}: {pair:?}");
            let pressed = pair.points.iter().map(|point| (point.place - Vector3::new(0.18, 0.0, -0.0013)).norm());
            assert!(pressed.fold(0.0, f64::max) < 1e-12, "{model} {friction}: on the edge, {pair:?}");
            // The same with a capsule along the edge: a rod that lies on that may sink in by 6e-6 of its length at rest.
            let radius = 1e-7;
            lower.obstacles[0].shape = ObstacleShape::Capsule { radius, length: 0.08 };
            lower.obstacles[0].frame.pose = Pose::new(
                Rotation::exp(&(Vector3::z() * std::f64::consts::FRAC_PI_2)),
                Vector3::new(0.18 - radius, 0.0, -0.0013 - radius),
            );
            let capsule = equilibrium(&lower);
            let apart = (tip(&found) - tip(&capsule)).norm();
            // With friction the answer depends on the way there, which the two may take in other increments: by a hundredth of what
            // friction does.
            let mut smooth = lower.clone();
            smooth.touching.friction = 0.0;
            let rubbed = if friction > 0.0 { 0.01 * (tip(&capsule) - tip(&equilibrium(&smooth))).norm() } else { 0.0 };
            let bound = (6e-6 * 0.2 + 2.0 * radius) * 1.5 * 200.0 / 180.0 + rubbed;
            assert!(apart < bound, "{model} {friction}: {apart:e} for {bound:e}");
            shapes.push((tip(&found), pair.force().norm()));
        }
        let [(coarse, force), (fine, _)] = shapes[..] else { unreachable!() };
        if few == PRINTED[0] {
            continue;
        }
        let span: f64 = 0.05;
        let bound = force * span.powi(3) / (192.0 * EI) * 200.0 / 180.0;
        assert!((coarse - fine).norm() < bound, "{few} {friction}: {:e} for {bound:e}", (coarse - fine).norm());
    }
}

/// Where a rod bends down over the end of a plate or a beam that is thinner than a span, one edge or two hold it.
#[test]
fn a_wire_over_a_plate_is_held_with_friction_too() {
    for ([few, _], friction) in MODELS.into_iter().flat_map(|model| [(model, 0.0), (model, 0.3)]) {
        for (thick, force) in [(0.001, "-0.6 N"), (0.008, "-3 N")] {
            let mut plate = scene(&TABLE.replace("-0.1 N", force), few, friction);
            plate.obstacles[0].shape = ObstacleShape::Box { size: Vector3::new(thick, 0.08, thick) };
            plate.obstacles[0].frame.pose.position = Vector3::new(0.083, 0.0, -0.0003 - 0.5 * thick);
            let found = equilibrium(&plate);
            let pair = &found.contact("wire", "thing").unwrap().contact;
            assert!(pair.least_gap > -1e-5 * 0.2 && pair.force().z > 0.5, "{few} {friction} {thick}: {pair:?}");
            assert!(tip(&found).z < -0.08, "{few}: it hangs down beyond: {}", tip(&found));
        }
    }
}

/// A corner is where edges end: what falls on one between its points is stopped there, before it rolls off to a side.
#[test]
fn a_rope_that_falls_on_a_corner_meets_it() {
    // The corner of a cube, upright and as high as the sheet.
    let upright = Rotation::exp(&(Vector3::new(1.0, -1.0, 0.0).normalize() * (1.0 / 3.0f64.sqrt()).acos()));
    let (size, corner) = (0.02, Vector3::new(0.0, 0.0, 0.3));
    for (model, friction) in MODELS.into_iter().flat_map(|[few, _]| [(few, 0.0), (few, 0.4)]) {
        let mut falling = scene(SHEET, model, friction);
        falling.obstacles[0].shape = ObstacleShape::Box { size: Vector3::repeat(size) };
        falling.obstacles[0].frame.pose = Pose::new(upright, corner - Vector3::z() * (0.5 * size * 3.0f64.sqrt()));
        let answer = motion(&falling);
        assert_eq!(answer.end, MotionEnd::Finished, "{model} {friction}");
        let frames = &answer.record.frames;
        let met = frames.iter().find(|frame| frame.contacts[0].force().norm() > 0.0).unwrap();
        let points = &met.contacts[0].points;
        assert!(points.iter().all(|point| (point.place - corner).norm() < 1e-9), "{model} {friction}: {points:?}");
        assert!((met.time - (2.0 * 0.026 / 9.81f64).sqrt()).abs() < 0.005, "when it has fallen so far: {}", met.time);
        let deepest = frames.iter().map(|frame| frame.contacts[0].least_gap).fold(0.0, f64::min);
        assert!(deepest > -1e-8, "{model} {friction}: {deepest:e} m");
    }
}

/// The edge of a mesh and that of a body hold a rod as that of a box does.
#[test]
fn edges_of_boxes_of_meshes_and_of_bodies_are_alike() {
    for ([few, _], friction) in MODELS.into_iter().flat_map(|model| [(model, 0.0), (model, 0.3)]) {
        let text = TABLE.replace("[contact]", "[contact]\namong = true");
        let mut own = scene(&text, few, friction);
        own.obstacles[0].frame.pose.position.z = -0.0163;
        let expected = equilibrium(&own);
        let ObstacleShape::Box { size } = own.obstacles[0].shape else { unreachable!() };
        let mut mesh = own.clone();
        mesh.obstacles[0].shape = triangles(&size);
        // Newton's iteration ends at 1e-9 or below, and the two round apart.
        let apart = (tip(&equilibrium(&mesh)) - tip(&expected)).norm();
        assert!(apart < 1e-9 * 0.2, "{few} {friction}, a mesh: {apart:e}");
        let mounted = text.replace(
            "[obstacle.thing]\nbox = [\"100 mm\", \"80 mm\", \"30 mm\"]\nposition = [\"130 mm\", 0, \"-15.3 mm\"]",
            "[body.thing]\nmass = \"1 kg\"\nshape = { box = [\"100 mm\", \"80 mm\", \"30 mm\"] }\n\
             mount = { position = [\"130 mm\", 0, \"-16.3 mm\"] }",
        );
        let body = scene(&mounted, few, friction);
        let apart = (tip(&equilibrium(&body)) - tip(&expected)).norm();
        assert!(apart < 1e-9 * 0.2, "{few} {friction}, a body: {apart:e}");
    }
}

#[test]
fn a_rope_that_falls_over_the_edge_of_a_sheet_stays_on_it() {
    for (model, friction) in MODELS.into_iter().flat_map(|[few, _]| [(few, 0.0), (few, 0.4)]) {
        let falling = scene(SHEET, model, friction);
        for (what, scene) in [
            ("a box", falling.clone()),
            ("a mesh", {
                let mut scene = falling.clone();
                scene.obstacles[0].shape = triangles(&Vector3::new(0.001, 0.5, 0.3));
                scene
            }),
        ] {
            let answer = motion(&scene);
            let frames = &answer.record.frames;
            assert_eq!(answer.end, MotionEnd::Finished, "{what}, {model} {friction}");
            let deepest = frames.iter().map(|frame| frame.contacts[0].least_gap).fold(0.0, f64::min);
            assert!(deepest > -1e-8, "{what}, {model} {friction}: {deepest:e} m");
            assert!(
                frames.last().unwrap().contacts[0].force().z > 0.0,
                "{what}, {model} {friction}: it carries the rope"
            );
            let energy = frames.iter().map(|frame| frame.energy.kinetic + frame.energy.elastic + frame.energy.gravity);
            let (mut lowest, mut rise) = (f64::INFINITY, 0.0f64);
            energy.for_each(|own| (lowest, rise) = (lowest.min(own), rise.max(own - lowest.min(own))));
            let (mass, fallen) = (1100.0 * std::f64::consts::PI * 16e-6 * 0.8, 0.026);
            assert!(rise < 1e-5 * mass * 9.81 * fallen, "{what}, {model} {friction}: {rise:e} J");
        }
    }
}

/// A rope that flies against the edge of a plate which nothing holds: what one loses the other gains.
#[test]
fn a_rope_and_the_plate_that_it_runs_against_keep_their_momentum() {
    let start = SHEET.find("[obstacle").unwrap();
    let end = SHEET.find("[contact]").unwrap();
    let plate = "[body.plate]\nmass = \"100 g\"\nshape = { box = [\"1 mm\", \"50 cm\", \"30 cm\"] }\nstart = { position = [0, 0, \"15 cm\"] }\n";
    let text = format!("{}{plate}{}", &SHEET[..start], &SHEET[end..])
        .replace("-9.81", "0")
        .replace("[contact]", "[contact]\namong = true");
    let text = text.replace("base = \"free\"", "base = \"free\"\nvelocity = [0, 0, -1]");
    for (model, friction) in MODELS.into_iter().flat_map(|[few, _]| [(few, 0.0), (few, 0.4)]) {
        let answer = motion(&scene(&text, model, friction));
        assert_eq!(answer.end, MotionEnd::Finished, "{model} {friction}");
        let frames = &answer.record.frames;
        assert!(frames.iter().any(|frame| frame.contacts.iter().any(|pair| pair.force().norm() > 0.0)), "they meet");
        let first = frames[0].momentum;
        for frame in frames {
            // The balance of each step is solved to 1e-10 of what moves, over fifty steps.
            let (linear, angular) = (frame.momentum.linear - first.linear, frame.momentum.angular - first.angular);
            assert!(linear.norm() < 1e-8 * first.linear.norm(), "{model} {friction}: {linear:?}");
            assert!(angular.norm() < 1e-8 * 0.8 * first.linear.norm(), "{model} {friction}: {angular:?}");
        }
    }
}
