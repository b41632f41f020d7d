//! Contacts through the whole program: what is recorded of them, and scenes that begin inside an obstacle.
#![allow(clippy::unwrap_used)]

use lissome::model::{ObstacleShape, Problem, Scene};
use lissome::solve::Equilibrium;
use lissome::{Answer, SimulateError, Unobserved};
use nalgebra::Vector3;
use std::f64::consts::PI;

const FLOOR: &str = include_str!("../../../examples/scenes/rod-on-floor.toml");

fn scene(text: &str) -> Scene {
    lissome::io::scene::parse("floor.toml", text.to_owned(), &[]).unwrap().scene
}

fn equilibrium(scene: &Scene) -> Equilibrium {
    match lissome::run(scene, &mut Unobserved).unwrap() {
        Answer::Statics(equilibrium) if equilibrium.outcome.converged() => equilibrium,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_floor_carries_what_the_base_does_not() {
    let found = equilibrium(&scene(FLOOR));
    let pair = found.contact("arm", "floor").unwrap();
    let (contact, base) = (&pair.contact, found.rods[0].base_wrench.force);
    // A frustum of 300 mm between radii of 10 and 6 mm, 3000 kg/m³.
    let (a, b) = (0.010_f64, 0.006);
    let weight = 3000.0 * 9.81 * PI * 0.3 * (a * a + a * b + b * b) / 3.0;
    let lacking = contact.force() - base - Vector3::z() * weight;
    // The residual is scaled by the loads, and the search ends below 1e-9 of them.
    assert!(lacking.norm() < 1e-8 * weight, "{lacking:?} of {weight} N");
    assert!(contact.points.len() > 1 && contact.points.iter().all(|point| point.force.z > 0.0));
    // What touches has no gap, but for the accuracy of the search.
    assert!(contact.least_gap.abs() < 1e-9 * 0.3, "{}", contact.least_gap);
    assert!(contact.points.iter().all(|point| point.place.z.abs() < 1e-9), "on the floor");
}

#[test]
fn an_obstacle_out_of_reach_has_a_gap_and_no_force() {
    let found = equilibrium(&scene(&FLOOR.replace("plane = {}", "plane = {}\nposition = [0, 0, \"-1 m\"]")));
    let contact = &found.contact("arm", "floor").unwrap().contact;
    assert!(contact.points.is_empty() && contact.force().norm() == 0.0);
    let lowest = found.rods[0].samples.iter().map(|sample| sample.pose.position.z).fold(f64::INFINITY, f64::min);
    // The lowest place is the tip, which is 6 mm thick to each side.
    assert!((contact.least_gap - (1.0 + lowest - 0.006)).abs() < 1e-4, "{} {lowest}", contact.least_gap);
}

#[test]
fn what_begins_inside_an_obstacle_is_refused_with_depth_and_place() {
    let pin = "[obstacle.pin]\nsphere = { radius = \"20 mm\" }\nposition = [\"20 cm\", 0, \"7 cm\"]\n[job]";
    let inside = scene(&FLOOR.replace("[job]", pin));
    let Err(SimulateError::Invalid(refused)) = lissome::run(&inside, &mut Unobserved) else { panic!("refused") };
    assert_eq!(refused.path, "rod.arm");
    let Problem::Penetrates { obstacle, s, depth, place } = refused.problem else { panic!("{refused:?}") };
    assert_eq!(obstacle, "obstacle.pin");
    // The rod passes 20 mm below the centre with a radius of 10 − 4 s/300 mm, and the ball has 20 mm.
    let (s, radius) = (s.unwrap(), |s: f64| 0.010 - 0.004 * s / 0.3);
    assert!((s - 0.2).abs() < 2e-3 && (depth - radius(0.2)).abs() < 1e-4, "{s} {depth}");
    assert!((place[0] - s).abs() < 2e-3 && place[2] > 0.05, "{place:?}");
    // What only touches is not inside.
    let touching = scene(&FLOOR.replace("[job]", &pin.replace("7 cm", "8.1 cm")));
    assert!(equilibrium(&touching).contact("arm", "pin").is_some());
}

/// Corners and triangles of a box whose upper side is z = 0.
fn slab() -> ObstacleShape {
    let corner = |k: usize| {
        let side = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
        Vector3::new(side(1) * 1.3, side(2), if k & 4 == 0 { -0.5 } else { 0.0 })
    };
    let faces: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    ObstacleShape::Mesh { corners: (0..8).map(corner).collect(), triangles: triangles.collect() }
}

#[test]
fn a_flat_mesh_and_level_heights_are_as_good_as_a_floor() {
    let mut scene = scene(FLOOR);
    let floor = equilibrium(&scene);
    let force = |found: &Equilibrium| found.contacts[0].contact.force().z;
    let level =
        ObstacleShape::Heights { origin: [-1.0, -1.0], spacing: [0.5, 0.5], columns: 5, heights: vec![0.0; 25] };
    for shape in [slab(), level] {
        scene.obstacles[0].shape = shape;
        let found = equilibrium(&scene);
        // The same distances, so the same equilibrium as far as the search goes: 1e-9 of the loads, over the stiffness.
        assert!((force(&found) / force(&floor) - 1.0).abs() < 1e-7, "{} {}", force(&found), force(&floor));
        let apart = (found.rods[0].tip.position - floor.rods[0].tip.position).norm();
        assert!(apart < 1e-7 * 0.3, "{apart}");
    }
}

#[test]
fn a_mesh_with_a_hole_is_refused() {
    let mut scene = scene(FLOOR);
    let ObstacleShape::Mesh { corners, mut triangles } = slab() else { unreachable!() };
    triangles.pop();
    scene.obstacles[0].shape = ObstacleShape::Mesh { corners, triangles };
    let Err(SimulateError::Invalid(refused)) = lissome::run(&scene, &mut Unobserved) else { panic!("refused") };
    assert_eq!(refused.path, "obstacle.floor.mesh");
    assert!(refused.to_string().contains("belongs to one triangle only"), "{refused}");
}

/// A rod of 1 m that lies on a bar of 100 mm, with spans as long as the bar is thick: the bar passes between the points that touch, and nothing passes
/// through it. What a division into 24 spans gives, to the distance of its points.
#[test]
fn a_bar_between_two_points_is_not_passed() {
    let text = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young   = "10 MPa"
poisson = 0.3
density = "1100 kg/m^3"
[rod.arm]
material = "rubber"
length   = "1 m"
section  = { shape = "circle", radius = "10 mm" }
base     = { position = [0, 0, "2 cm"] }
[obstacle.bar]
capsule  = { radius = "5 cm", length = "20 cm" }
position = ["60 cm", 0, "-5 cm"]
tangent  = [0, 1, 0]
[job]
kind = "statics"
"#;
    let [own, fine] = ["", "model = { spline = { degree = 3, spans = 24 } }\n"]
        .map(|model| equilibrium(&scene(&text.replace("[obstacle.bar]", &format!("{model}[obstacle.bar]")))));
    let force = |found: &Equilibrium| found.contact("arm", "bar").unwrap().contact.force().z;
    assert!((own.rods[0].tip.position - fine.rods[0].tip.position).norm() < 1e-3, "{:?}", own.rods[0].tip.position);
    assert!(force(&own) > 2.0 && (force(&own) / force(&fine) - 1.0).abs() < 1e-2, "{} {}", force(&own), force(&fine));
}

/// Two rods that cross touch at one point, however short their spans are beside their radii, also where that lies on the border of two spans: the force
/// of the independent solver, as `cases/paper4/crossed` has it on 24 spans.
#[test]
fn rods_cross_at_one_point_on_spans_of_any_length() {
    let text = include_str!("../../../cases/paper4/crossed/scene.toml");
    for model in ["", "spans = 25", "spans = 48", "spans = 64", "spans = 100"] {
        let own = match model {
            "" => text.replace("model    = { spline = { degree = 3, spans = 24 } }", ""),
            spans => text.replace("spans = 24", spans),
        };
        let Answer::Path(path) = lissome::run(&scene(&own), &mut Unobserved).unwrap() else { panic!("a path") };
        assert_eq!(path.samples.len(), 4, "{model}");
        for (sample, expected) in [(1, 0.0213807), (3, 0.155822)] {
            let found = &path.samples[sample].equilibrium;
            assert!(found.outcome.converged(), "{model}");
            let contact = &found.contact("lower", "upper").unwrap().contact;
            assert_eq!(contact.points.len(), 1, "{model}");
            let force = -contact.force().z;
            assert!((force / expected - 1.0).abs() < 1e-2, "{model}: {force} of {expected} N");
        }
    }
}

/// A rod of rubber that hangs down to a floor and lies on it, on strain bases: as many points touch as the functions can hold apart, so that forces are
/// determined and the search settles. Force and tip of the spline, to the error that each tells of itself.
#[test]
fn strain_bases_lie_on_a_floor() {
    let text = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young   = "2 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[rod.arm]
material = "rubber"
length   = "40 cm"
section  = { shape = "circle", radius = "6 mm" }
base     = { position = [0, 0, "5 cm"] }
[obstacle.floor]
plane = {}
[job]
kind = "statics"
"#;
    let on = |model: &str| equilibrium(&scene(&text.replace("[obstacle", &format!("{model}\n[obstacle"))));
    let force = |found: &Equilibrium| found.contact("arm", "floor").unwrap().contact.force().z;
    let spline = on("");
    for model in
        ["segments = 6", "segments = 12, order = 2", "tolerance = 1e-3", "functions = \"linear\", tolerance = 1e-3"]
    {
        let found = on(&format!("model = {{ strain_basis = {{ {model} }} }}"));
        let (error, tip) = (found.rods[0].discretisation_error, found.rods[0].tip.position);
        assert!(error < 2e-3, "{model}: {error}");
        assert!((tip - spline.rods[0].tip.position).norm() < error * 0.4 + 1e-5, "{model}: {tip:?}");
        assert!((force(&found) / force(&spline) - 1.0).abs() < 5e-3, "{model}: {} N", force(&found));
        // Newton's method with a few changes of what touches, for each tenth of the load.
        assert!(found.outcome.iterations() < 150, "{model}: {}", found.outcome.iterations());
    }
}

/// A steel beam over a block whose far edge, at 0.7 m, holds it up half a millimetre below.
fn over_an_edge(model: &str, job: &str) -> String {
    format!(
        "schema = 1
        [material.steel]
        young = \"200 GPa\"
        poisson = 0.3
        density = \"7800 kg/m^3\"
        damping = 0.02
        [rod.beam]
        material = \"steel\"
        length = \"1 m\"
        section = {{ shape = \"circle\", radius = \"2 mm\" }}
        base = {{}}
        model = {model}
        [obstacle.block]
        box = [\"200 mm\", \"200 mm\", \"100 mm\"]
        position = [\"0.6 m\", 0, \"-52.5 mm\"]
        [load.tip]
        rod = \"beam\"
        at = \"tip\"
        force = [0, 0, \"-0.5 N\"]
        {job}"
    )
}

#[test]
fn the_edge_of_a_box_holds_a_rod_wherever_its_spans_end() {
    // Euler and Bernoulli: a cantilever with a support at b that gives way by the gap.
    let (load, length, b, gap) = (0.5, 1.0_f64, 0.7_f64, 0.5e-3);
    let stiffness = 200e9 * PI * 0.002_f64.powi(4) / 4.0;
    let by_load = load * b * b * (3.0 * length - b) / (6.0 * stiffness);
    let expected = (by_load - gap) * 3.0 * stiffness / b.powi(3);
    for model in [
        "{}",
        "{ spline = { spans = 8 } }",
        "{ spline = { spans = 9 } }",
        "{ spline = { spans = 16 } }",
        "{ linear_strain = {} }",
        "{ linear_strain = { elements = 16 } }",
        "{ strain_basis = { segments = 4 } }",
    ] {
        let found = equilibrium(&scene(&over_an_edge(model, "")));
        let contact = &found.contact("beam", "block").unwrap().contact;
        let force = contact.force().z;
        // The rod leans on the edge with its lower side, by its slope there times its radius beside 0.7 m: 2e-5 m of 0.7,
        // which counts threefold; and it may sink in by 6e-6 of its length, 6e-6/5e-4 of the gap, 3e-4 of the force.
        assert!((force / expected - 1.0).abs() < 1e-3, "{model}: {force} for {expected}");
        assert_eq!(contact.points.len(), 1, "{model}");
    }
}

#[test]
fn what_lies_in_an_edge_between_its_points_counts_as_error() {
    // Points with friction stay in the middle of their spans, beside the edge. Euler and Bernoulli as above; friction acts along the beam.
    let (load, length, b, gap) = (0.5, 1.0_f64, 0.7_f64, 0.5e-3);
    let stiffness = 200e9 * PI * 0.002_f64.powi(4) / 4.0;
    let force = load * (3.0 * length - b) / (2.0 * b) - 3.0 * stiffness * gap / b.powi(3);
    let tip = (force * b * b * (3.0 * length - b) / 6.0 - load * length.powi(3) / 3.0) / stiffness;
    for model in [
        "{}",
        "{ linear_strain = {} }",
        "{ strain_basis = {} }",
        "{ linear_strain = { elements = 8 } }",
        "{ linear_strain = { elements = 9 } }",
        "{ strain_basis = { segments = 4 } }",
    ] {
        let found = equilibrium(&scene(&over_an_edge(model, "[contact]\nfriction = 0.3")));
        let error = (found.rods[0].tip.position.z - tip).abs() / length;
        let told = found.rods[0].discretisation_error;
        // It is told where the rod lies inside, and the beam goes on as a lever behind it.
        assert!(told > 0.1 * error, "{model}: {told} for {error}");
    }
}

#[test]
fn what_rests_on_an_edge_with_friction_stays_there_in_motion() {
    // The load has grown until the contact slid: it begins on the border of the cone, where rounding decides what it does.
    let job = "[contact]\nfriction = 0.3\n[job]\nkind = \"dynamics\"\nduration = \"0.2 s\"\noutput_rate = \"10 Hz\"";
    for model in ["{ spline = { spans = 32 } }", "{ linear_strain = { elements = 32 } }"] {
        let answer = lissome::run(&scene(&over_an_edge(model, job)), &mut Unobserved).unwrap();
        assert!(answer.succeeded(), "{model}: {answer:?}");
    }
}

/// Two thick rods that fall over a capsule and each other, and come to lie on the floor in nearly one plane.
const END_ON_SIDE: &str = r#"
schema = 1

[world]
gravity = [0, 0, -9.81]

[material.rubber]
young   = "1.3332 MPa"
poisson = 0.4
density = "1000 kg/m^3"

[obstacle.floor]
plane = {}

[obstacle.capsule]
capsule  = { radius = "2 cm", length = "20 cm" }
position = [-0.032708, -0.03675, 5e-2]
rotvec   = [0.2203, -0.1728, 1.812]

[joint.first]
kind   = "free"
parent = { position = [0.097868, -0.022719, 0.19379], tangent = [-0.91986, 0.38601, 0.069655] }

[rod.thick]
material = "rubber"
base     = "first"
length   = "0.38232 m"
section  = { shape = "circle", radius = "0.023784 m" }
model    = { spline = { degree = 3, spans = 4 } }

[joint.second]
kind   = "free"
parent = { position = [0.013149, 0.15017, 0.28705], tangent = [-0.23589, -0.97166, -0.01549] }

[rod.thin]
material = "rubber"
base     = "second"
length   = "0.32328 m"
section  = { shape = "circle", radius = "0.019983 m" }
model    = { spline = { degree = 3, spans = 4 } }

[contact]
friction = 0.5
among    = true

[job]
kind        = "dynamics"
start       = "natural"
duration    = "0.8 s"
step        = "10 ms"
output_rate = 100
"#;

#[test]
fn the_end_of_a_rod_does_not_go_into_the_side_of_another_in_its_plane() {
    // The gap does not bend there along the rod that ends, but it rises: it lay alongside for that, with its point far from its end.
    let answer = lissome::run(&scene(END_ON_SIDE), &mut Unobserved).unwrap();
    assert!(answer.succeeded(), "{answer:?}");
}

/// Two thin rods of short spans that fall across each other at a small angle.
const SMALL_ANGLE: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young = "1.97e+07 Pa"
poisson = 0.35
density = "7800 kg/m^3"
damping = "2.68 ms"
[obstacle.floor]
plane = {}
[joint.first]
kind = "free"
parent = { position = [0.065172, -0.10581, 0.13494], tangent = [-0.56314, 0.82636, 0.014981] }
[rod.r0]
material = "rubber"
length = 0.27796
section = { shape = "circle", radius = 0.002779 }
base = "first"
model = { linear_strain = { elements = 10 } }
[joint.second]
kind = "free"
parent = { position = [0.04147, -0.072342, 0.14799], tangent = [-0.40836, 0.91282, 0.045361] }
[rod.r1]
material = "rubber"
length = 0.1631
section = { shape = "circle", radius = 0.002318 }
base = "second"
[contact]
friction = 0.7
among = true
[job]
kind = "dynamics"
start = "natural"
duration = 0.3
output_rate = 102.3
step = 0.00489
"#;

#[test]
fn rods_that_cross_at_a_small_angle_touch_once() {
    // Where a search ended at the border of what it looked at stood a second point and a third, which slid to the first.
    let answer = lissome::run(&scene(SMALL_ANGLE), &mut Unobserved).unwrap();
    assert!(answer.succeeded(), "{answer:?}");
}
