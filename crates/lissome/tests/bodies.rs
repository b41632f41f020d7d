//! Bodies that touch with their edges, rims and flat sides: they fall on balls, posts, corners, edges and hills, lie across each other,
//! roll and stand.
#![allow(clippy::unwrap_used)]

use lissome::lie::Pose;
use lissome::model::{ObstacleShape, Outline, Scene};
use lissome::solve::{Equilibrium, MotionEnd, MotionFrame, MotionRecord};
use lissome::{Answer, Unobserved};
use lissome_geometry::{Capsule, Cuboid, Cylinder, Solid, Sphere};
use nalgebra::Vector3;
use std::f64::consts::TAU;

const GRAVITY: f64 = 9.81;

fn scene(text: &str, set: &[&str]) -> Scene {
    let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    lissome::io::scene::parse("scene.toml", text.to_owned(), &set).unwrap().scene
}

fn motion(scene: &Scene) -> MotionRecord {
    match lissome::run(scene, &mut Unobserved).unwrap() {
        Answer::Dynamics(motion) => {
            assert_eq!(motion.end, MotionEnd::Finished);
            motion.record
        }
        other => panic!("{other:?}"),
    }
}

fn equilibrium(scene: &Scene) -> Equilibrium {
    match lissome::run(scene, &mut Unobserved).unwrap() {
        Answer::Statics(equilibrium) if equilibrium.outcome.converged() => equilibrium,
        other => panic!("{other:?}"),
    }
}

/// Signed distance of a point, m.
type Distance = Box<dyn Fn(&Vector3<f64>) -> f64>;

/// A solid with the distance of a point from it, and points all over its surface.
struct Tried {
    pose: Pose,
    distance: Distance,
    points: Vec<Vector3<f64>>,
}

/// Places from −1 to 1.
fn grid() -> impl Iterator<Item = f64> + Clone {
    (-20..=20).map(|k| f64::from(k) / 20.0)
}

fn tried(shape: &ObstacleShape, pose: Pose) -> Option<Tried> {
    let mut points = Vec::new();
    let distance: Distance = match *shape {
        ObstacleShape::Box { size } => {
            let half = size * 0.5;
            for (u, v) in grid().flat_map(|u| grid().map(move |v| (u, v))) {
                for axis in 0..3 {
                    for side in [-1.0, 1.0] {
                        let mut at = Vector3::zeros();
                        (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (side, u, v);
                        points.push(at.component_mul(&half));
                    }
                }
            }
            Box::new(move |at| Cuboid { half }.nearest(at).distance)
        }
        ObstacleShape::Sphere { radius } => Box::new(move |at| Sphere { radius }.nearest(at).distance),
        ObstacleShape::Capsule { radius, length } => {
            let end = Vector3::x() * (0.5 * length);
            Box::new(move |at| Capsule { ends: [-end, end], radius }.nearest(at).distance)
        }
        ObstacleShape::Cylinder { radius, length } => {
            let half_length = 0.5 * length;
            for (u, k) in grid().flat_map(|u| (0..120).map(move |k| (u, TAU * f64::from(k) / 120.0))) {
                let ring = Vector3::new(0.0, radius * k.cos(), radius * k.sin());
                points.push(ring + Vector3::x() * (u * half_length));
                points.extend([-1.0, 1.0].map(|side| ring * u + Vector3::x() * (side * half_length)));
            }
            // Its axis is z there.
            Box::new(move |at| Cylinder { radius, half_length }.nearest(&Vector3::new(at.y, at.z, at.x)).distance)
        }
        _ => return None,
    };
    Some(Tried { pose, distance, points })
}

fn shape_of(outline: &Outline) -> ObstacleShape {
    match *outline {
        Outline::Sphere { radius } => ObstacleShape::Sphere { radius },
        Outline::Box { size } => ObstacleShape::Box { size },
        Outline::Cylinder { radius, length } => ObstacleShape::Cylinder { radius, length },
    }
}

/// The deepest that a point of one solid lies in another, m; obstacles stand in the world.
fn deepest(scene: &Scene, frame: &MotionFrame) -> f64 {
    let bodies = scene.bodies.iter().zip(&frame.bodies);
    let mut all: Vec<Vec<Tried>> = bodies
        .map(|(body, pose)| {
            body.solids.iter().filter_map(|solid| tried(&shape_of(&solid.outline), *pose * solid.pose)).collect()
        })
        .collect();
    let count = all.len();
    all.extend(scene.obstacles.iter().map(|own| tried(&own.shape, own.frame.pose).into_iter().collect()));
    let mut deepest = 0.0f64;
    for (i, one) in all.iter().enumerate() {
        for (j, two) in all.iter().enumerate() {
            if i == j || i >= count && j >= count {
                continue;
            }
            for (a, b) in one.iter().flat_map(|a| two.iter().map(move |b| (a, b))) {
                let seen = b.pose.inverse() * a.pose;
                deepest = a.points.iter().map(|at| -(b.distance)(&seen.transform(at))).fold(deepest, f64::max);
            }
        }
    }
    deepest
}

/// Energy that appears between two outputs, J, at most.
fn rise(record: &MotionRecord) -> f64 {
    let energy = record.frames.iter().map(|frame| frame.energy.mechanical());
    let (mut least, mut rise) = (f64::INFINITY, 0.0f64);
    for energy in energy {
        rise = rise.max(energy - least);
        least = least.min(energy);
    }
    rise
}

/// Runs a motion in which something of a mass falls by about a height, m: nothing in anything by more than 1e-5 of its size, 6 cm, and
/// no energy from nowhere.
fn falls(name: &str, text: &str, set: &[&str], mass: f64, height: f64) -> MotionRecord {
    let scene = scene(text, set);
    let record = motion(&scene);
    let depth = record.frames.iter().map(|frame| deepest(&scene, frame)).fold(0.0, f64::max);
    let rise = rise(&record) / (mass * GRAVITY * height);
    println!(
        "{name} {set:?}: {depth:e} m deep, rise {rise:e}, ends at {:?}",
        record.frames.last().unwrap().bodies[0].position
    );
    assert!(depth < 1e-5 * 0.06, "{name} {set:?}: {depth:e} m deep");
    assert!(rise < 1e-5, "{name} {set:?}: {rise:e}");
    record
}

const BRICK: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[contact]
friction = 0.3
[job]
kind = "dynamics"
start = "natural"
duration = "0.6 s"
step = "2 ms"
output_rate = 100
[obstacle.floor]
plane = {}
position = [0, 0, "-6 cm"]
[body.brick]
mass = "30 g"
shape = { box = ["6 cm", "5 cm", "3 cm"] }
start = { position = ["6 mm", "2 mm", "6 cm"] }
"#;

const BALL: &str = "[obstacle.under]\nsphere = { radius = \"2 cm\" }\n";
const POST: &str = "[obstacle.under]\ncapsule = { radius = \"1 cm\", length = \"12 cm\" }\nrotvec = [0, 0, 1.1]\n";
const UPRIGHT: &str = "[obstacle.under]\ncylinder = { radius = \"1 cm\", length = \"6 cm\" }\ntangent = [0, 0, 1]\n";
const LOG: &str = "[obstacle.under]\ncylinder = { radius = \"1 cm\", length = \"10 cm\" }\nrotvec = [0, 0, 0.9]\n";
const CORNER: &str = "[obstacle.under]\nbox = [\"4 cm\", \"4 cm\", \"4 cm\"]\nrotvec = [0.615, 0.615, 0.3]\n";
const EDGE: &str = "[obstacle.under]\nbox = [\"2 cm\", \"14 cm\", \"2 cm\"]\nrotvec = [0, \"45 deg\", 0]\n";

/// Whatever has its top between the corners of a brick is not passed: the brick slides or tips off.
#[test]
fn a_brick_falls_on_what_is_between_its_corners() {
    for (name, under) in
        [("ball", BALL), ("post", POST), ("upright", UPRIGHT), ("log", LOG), ("corner", CORNER), ("edge", EDGE)]
    {
        for friction in ["0", "0.5"] {
            let friction = format!("contact.friction={friction}");
            let record = falls(name, &format!("{BRICK}{under}"), &[&friction], 0.03, 0.1);
            let touched = record.frames.iter().any(|frame| frame.contacts.iter().any(|own| own.force().norm() > 0.0));
            assert!(touched, "{name}");
        }
    }
}

/// What lies with its middle over a ball, a post or a table stays there, and is carried: the forces are its weight, and nothing moves.
#[test]
fn what_lies_over_something_rests() {
    let table = "[obstacle.under]\nbox = [\"5 cm\", \"20 cm\", \"2 cm\"]\n";
    let lying = |z: &str, x: &str, turn: &str| {
        format!("body.brick.start={{ position = [\"{x}\", 0, \"{z}\"], rotvec = [0, 0, {turn}] }}")
    };
    for (name, under, start) in [
        ("overhang", table, lying("2.5 cm", "20 mm", "0.3")),
        ("wide", "[obstacle.under]\nbox = [\"2 cm\", \"20 cm\", \"2 cm\"]\n", lying("2.5 cm", "2 mm", "0.2")),
        ("square", "[obstacle.under]\nbox = [\"2 cm\", \"2 cm\", \"2 cm\"]\n", lying("2.5 cm", "1 mm", "0.7")),
        ("upright", UPRIGHT, lying("4.5 cm", "3 mm", "0.2")),
    ] {
        for friction in ["0", "0.5"] {
            let friction = format!("contact.friction={friction}");
            let record = falls(name, &format!("{BRICK}{under}"), &[&friction, &start, "job.duration=0.2 s"], 0.03, 0.1);
            let last = record.frames.last().unwrap();
            let force: Vector3<f64> = last.contacts.iter().map(|own| own.force()).sum();
            let lacking = (force - Vector3::z() * (0.03 * GRAVITY)).norm() / (0.03 * GRAVITY);
            let first = &record.frames[0];
            let moved = (last.bodies[0].position - first.bodies[0].position).norm();
            println!("{name} {friction}: lacking {lacking:e}, moved {moved:e}, kinetic {:e}", last.energy.kinetic);
            assert!(lacking < 1e-4 && moved < 1e-8, "{name} {friction}: {lacking:e} {moved:e}");
        }
    }
}

/// Two bars that fall across each other, edge on edge and flat: each stops the other, and what one takes the other loses.
#[test]
fn two_bars_lie_across_each_other() {
    let text = |turn: &str| {
        format!(
            "schema = 1\n[contact]\namong = true\n[job]\nkind = \"dynamics\"\nstart = \"natural\"\nduration = \"0.2 s\"\nstep = \"2 ms\"\n\
             output_rate = 100\n[body.low]\nmass = \"50 g\"\nshape = {{ box = [\"12 cm\", \"2 cm\", \"2 cm\"] }}\n\
             start = {{ position = [0, 0, 0], rotvec = [\"{turn}\", 0, 0] }}\n[body.high]\nlike = \"low\"\n\
             start = {{ position = [\"5 mm\", \"3 mm\", \"4 cm\"], quat_wxyz = [0.70710678118654757, 0, 0, 0.70710678118654757] }}\n\
             velocity = [0, 0, \"-0.5 m/s\"]\n"
        )
    };
    for (turn, friction) in [("45 deg", "0"), ("45 deg", "0.4"), ("10 deg", "0"), ("0 deg", "0.4")] {
        let scene = scene(&text(turn), &[&format!("contact.friction={friction}")]);
        let record = motion(&scene);
        let depth = record.frames.iter().map(|frame| deepest(&scene, frame)).fold(0.0, f64::max);
        let (first, last) = (&record.frames[0], record.frames.last().unwrap());
        let shift = (last.momentum.linear - first.momentum.linear).norm() / 0.025;
        let turned = (last.momentum.angular - first.momentum.angular).norm() / (0.025 * 0.06);
        println!(
            "{turn} {friction}: {depth:e} m deep, momentum {shift:e} {turned:e}, kinetic {:e}",
            last.energy.kinetic
        );
        assert!(depth < 1e-5 * 0.12, "{turn} {friction}: {depth:e}");
        assert!(shift < 1e-8 && turned < 1e-6, "{turn} {friction}: {shift:e} {turned:e}");
        assert!(rise(&record) < 1e-8 * first.energy.kinetic, "{turn} {friction}");
        assert!(last.body_velocities[0].linear.z < -0.1, "{turn} {friction}: the lower one is taken along");
    }
}

const ROLL: &str = r#"
schema = 1
[contact]
friction = 0.6
[job]
kind = "dynamics"
start = "natural"
duration = "0.4 s"
step = "2 ms"
output_rate = 100
[obstacle.floor]
plane = {}
[body.roll]
density = "1000 kg/m^3"
shape = { cylinder = { radius = "2 cm", length = "5 cm" } }
"#;

/// On a slope a cylinder rolls with two thirds of what gravity gives along it, on a plane and on a box; on the level it lies and stands still.
#[test]
fn a_cylinder_rolls_and_stands() {
    let lying = "body.roll.start={ position = [0, 0, \"2 cm\"], tangent = [0, 1, 0] }";
    for floor in ["plane = {}", "box = [4, 1, 0.2]\nposition = [0, 0, -0.1]"] {
        let text = ROLL.replace("plane = {}", floor);
        for angle in [10.0f64, 30.0] {
            let (sin, cos) = angle.to_radians().sin_cos();
            let gravity = format!("world.gravity=[{}, 0, {}]", GRAVITY * sin, -GRAVITY * cos);
            let record = motion(&scene(&text, &[&gravity, lying]));
            let velocity = |k: usize| record.frames[k].body_velocities[0].linear.x;
            let (from, to) = (10, record.frames.len() - 1);
            let time = record.frames[to].time - record.frames[from].time;
            let found = (velocity(to) - velocity(from)) / time;
            let expected = 2.0 / 3.0 * GRAVITY * sin;
            println!("{floor} {angle}: {found} for {expected}: {:e}", found / expected - 1.0);
            assert!((found / expected - 1.0).abs() < 1e-3, "{floor} {angle}: {found} for {expected}");
        }
        let level = format!("world.gravity=[0, 0, {}]", -GRAVITY);
        for start in [lying, "body.roll.start={ position = [0, 0, \"2.5 cm\"], tangent = [0, 0, 1] }"] {
            let record = motion(&scene(&text, &[&level, start]));
            let (first, last) = (&record.frames[0].bodies[0], record.frames.last().unwrap());
            let moved = last.bodies[0].boxminus(first);
            let size = moved.angular.norm().max(moved.linear.norm());
            println!("{floor} {start}: moved {size:e}");
            assert!(size < 1e-8 && last.energy.kinetic < 1e-16, "{floor} {start}: {size:e}");
        }
    }
}

/// A cylinder that is dropped on its rim wobbles and comes down without gaining energy.
#[test]
fn a_cylinder_that_is_dropped_gains_nothing() {
    let start = "body.roll.start={ position = [0, 0, \"4 cm\"], tangent = [0.3, 0.1, 1] }";
    let gravity = format!("world.gravity=[0, 0, {}]", -GRAVITY);
    for step in ["2 ms", "10 ms"] {
        let record = motion(&scene(ROLL, &[start, &gravity, &format!("job.step=\"{step}\""), "job.duration=\"1 s\""]));
        let mass = 1000.0 * std::f64::consts::PI * 0.02f64.powi(2) * 0.05;
        let rise = rise(&record) / (mass * GRAVITY * 0.02);
        println!("dropped, {step}: rise {rise:e}");
        assert!(rise < 1e-5, "{step}: {rise:e}");
    }
}

/// A box on a hinge lies with its flat side on a round post between its corners: force times arm is weight times arm.
#[test]
fn a_box_on_a_hinge_is_carried_by_a_post() {
    for friction in ["0", "0.3"] {
        let text = format!(
            "schema = 1\n[world]\ngravity = [0, 0, -9.81]\n[contact]\nfriction = {friction}\n[job]\nkind = \"statics\"\n\
             [joint.hinge]\nkind = \"revolute\"\naxis = [0, 1, 0]\nparent = \"world\"\nstart = \"-5 deg\"\nstiffness = \"0.02 N m/rad\"\n\
             [body.lid]\nmass = \"200 g\"\nshape = {{ box = [\"20 cm\", \"10 cm\", \"2 cm\"], position = [\"10 cm\", 0, 0] }}\n\
             mount = \"hinge\"\n[obstacle.post]\ncapsule = {{ radius = \"1 cm\", length = \"30 cm\" }}\ntangent = [0, 1, 0]\n\
             position = [\"13 cm\", 0, \"-3 cm\"]\n"
        );
        let found = equilibrium(&scene(&text, &[]));
        let contact = &found.contact("lid", "post").unwrap().contact;
        // The axis of the post is 2 cm below the middle plane of the lid, along which it is so far from the hinge:
        let (away, below) = ((0.13f64.powi(2) + 0.03f64.powi(2)).sqrt(), 0.02f64);
        let along = (away * away - below * below).sqrt();
        // Positive angles about y lower the lid.
        let angle = (0.03f64).atan2(0.13) - below.atan2(along);
        let moment = 0.2 * GRAVITY * 0.1 * angle.cos() - 0.02 * angle;
        // Forces along the lid have an arm too.
        let carried: f64 = contact.points.iter().map(|own| -own.place.cross(&own.force).y).sum();
        println!("{friction}: {carried} for {moment}, gap {:e}", contact.least_gap);
        assert!((carried / moment - 1.0).abs() < 1e-6, "{carried} {moment}");
        if friction == "0" {
            let normal = Vector3::new(angle.sin(), 0.0, angle.cos());
            assert!((contact.force().dot(&normal) * along / moment - 1.0).abs() < 1e-6, "{:?}", contact.force());
        }
        assert!(contact.least_gap.abs() < 1e-9);
    }
}

/// The deepest that points of the world lie in the box of the first body in any state, m.
fn deepest_of(scene: &Scene, record: &MotionRecord, points: &[Vector3<f64>]) -> f64 {
    let Outline::Box { size } = scene.bodies[0].solids[0].outline else { panic!("a box") };
    let depth =
        |pose: &Pose, at: &Vector3<f64>| -Cuboid { half: size * 0.5 }.nearest(&pose.inverse().transform(at)).distance;
    let all = record.frames.iter().flat_map(|frame| points.iter().map(move |at| (&frame.bodies[0], at)));
    all.map(|(pose, at)| depth(pose, at)).fold(0.0, f64::max)
}

/// The top of a hill of heights and the ridge of a roof of triangles hold a brick between its corners.
#[test]
fn a_brick_falls_on_a_hill_and_on_a_roof() {
    let hill = "[obstacle.under]\nheights = { spacing = [\"2 cm\", \"2 cm\"], origin = [\"-4 cm\", \"-4 cm\"], rows = [[0, 0, 0, 0, 0], \
                [0, 0, 0.01, 0, 0], [0, 0.01, 0.03, 0.01, 0], [0, 0, 0.01, 0, 0], [0, 0, 0, 0, 0]] }\n";
    let high = "body.brick.start.position.2=5 cm";
    let on_hill = scene(&format!("{BRICK}{hill}"), &[high, "job.duration=0.2 s"]);
    let record = motion(&on_hill);
    let depth = deepest_of(&on_hill, &record, &[Vector3::z() * 0.03]);
    println!("hill: {depth:e} m deep, rise {:e}", rise(&record));
    assert!(depth < 1e-5 * 0.06 && rise(&record) < 1e-5 * 0.03 * GRAVITY * 0.02, "{depth:e}");
    // A roof with its ridge along x, 3 cm high.
    let mut on_roof = scene(&format!("{BRICK}{BALL}"), &[high, "job.duration=0.4 s"]);
    let corner = |x: f64, y: f64, z: f64| Vector3::new(x, y, z);
    let corners = vec![
        corner(-0.05, -0.02, 0.0),
        corner(0.05, -0.02, 0.0),
        corner(0.05, 0.02, 0.0),
        corner(-0.05, 0.02, 0.0),
        corner(-0.05, 0.0, 0.03),
        corner(0.05, 0.0, 0.03),
    ];
    let triangles = vec![[0, 3, 2], [0, 2, 1], [0, 1, 5], [0, 5, 4], [2, 3, 4], [2, 4, 5], [0, 4, 3], [1, 2, 5]];
    on_roof.obstacles[1].shape = ObstacleShape::Mesh { corners, triangles };
    let record = motion(&on_roof);
    let ridge: Vec<Vector3<f64>> = grid().map(|x| Vector3::new(0.05 * x, 0.0, 0.03)).collect();
    let depth = deepest_of(&on_roof, &record, &ridge);
    println!("roof: {depth:e} m deep, rise {:e}", rise(&record));
    assert!(depth < 1e-5 * 0.06 && rise(&record) < 1e-5 * 0.03 * GRAVITY * 0.02, "{depth:e}");
}
