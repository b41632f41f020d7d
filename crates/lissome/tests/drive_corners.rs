//! Drives that change their rate at once under, beside and before what they touch, against closed forms: contacts push and rub, and do not pull.
#![allow(clippy::unwrap_used)]

use lissome::solve::MotionFrame;
use lissome::{Answer, Unobserved};
use nalgebra::Vector3;

const GRAVITY: f64 = 9.81;

/// The frames of a motion that ran to its end.
fn frames(text: &str, set: &[&str]) -> Vec<MotionFrame> {
    let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    let scene = lissome::io::scene::parse("scene.toml", text.to_owned(), &set).unwrap().scene;
    let answer = lissome::run(&scene, &mut Unobserved).unwrap();
    assert!(answer.succeeded(), "{set:?}");
    match answer {
        Answer::Dynamics(motion) => motion.record.frames,
        other => panic!("{other:?}"),
    }
}

/// Where the only body is.
fn place(frame: &MotionFrame) -> Vector3<f64> {
    frame.bodies[0].position
}

/// A brick rides on a belt with 1 m/s, which stops at 1 s.
const BELT: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[joint.belt]
kind   = "prismatic"
axis   = [1, 0, 0]
parent = "world"
travel = 0
[obstacle.top]
box      = [10, 1, 0.2]
position = [0, 0, -0.1]
fixed_to = "belt"
[body.brick]
density  = 700
shape    = { box = [0.2, 0.2, 0.1] }
start    = { position = [0, 0, 0.05] }
velocity = [1, 0, 0]
[contact]
friction = 0.1
[drive]
"belt.travel" = { table = [[0, 0], [1, 1], [3, 1]] }
[job]
kind     = "dynamics"
start    = "natural"
duration = 2.5
step     = "5 ms"
"#;

#[test]
fn a_belt_that_stops_lets_go_of_what_rides_on_it() {
    for friction in [0.1, 0.5, 1.0, 1.5] {
        let all = frames(BELT, &[&format!("contact.friction={friction}")]);
        // v²/(2 μ g), off by half of the way of the last step at most; all of the energy is taken by friction.
        let (slid, expected) = (place(all.last().unwrap()).x - 1.0, 1.0 / (2.0 * friction * GRAVITY));
        assert!(
            (slid - expected).abs() < 0.5 * 5e-3 * friction * GRAVITY * 5e-3 + 1e-8,
            "{friction}: {slid} {expected}"
        );
        let taken = all.last().unwrap().energy.friction;
        let kinetic = 0.5 * 700.0 * 0.2 * 0.2 * 0.1;
        assert!((taken - kinetic).abs() < 0.02 * kinetic, "{friction}: {taken}");
    }
}

#[test]
fn a_belt_that_slows_down_carries_what_rides_on_it_to_its_own_speed() {
    let all = frames(BELT, &["drive.belt.travel.table=[[0, 0], [1, 1], [3, 2]]"]);
    // From 1 m/s to 0.5 m/s with μ g, and on with the belt.
    let slows = 0.5 / (0.1 * GRAVITY);
    let expected = 1.0 + 0.75 * slows + 0.5 * (1.5 - slows);
    let x = place(all.last().unwrap()).x;
    assert!((x - expected).abs() < 2.0 * 0.1 * GRAVITY * 5e-3 * 5e-3, "{x} {expected}");
}

/// A platform lifts a ball with 2 m/s and stops at 0.5 s.
const LIFT: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[joint.lift]
kind   = "prismatic"
axis   = [0, 0, 1]
parent = "world"
travel = 0
[obstacle.top]
plane    = {}
fixed_to = "lift"
[body.ball]
density = 1000
shape   = { sphere = { radius = 0.05 } }
start   = { position = [0, 0, 0.05] }
[contact]
friction = 0.3
[drive]
"lift.travel" = { table = [[0, 0], [0.5, 1], [2, 1]] }
[job]
kind        = "dynamics"
start       = "natural"
duration    = 0.75
output_rate = 200
"#;

#[test]
fn a_lift_that_stops_does_not_hold_what_it_threw() {
    for way in [[1.0, 1.0], [1.0, 0.5], [1.0, 1.3]] {
        let table = format!("drive.lift.travel.table=[[0, 0], [0.5, {}], [2, {}]]", way[0], way[1]);
        let all = frames(LIFT, &[&table]);
        for frame in &all {
            let t = frame.time - 0.5;
            if t > 0.0 {
                let expected = 1.05 + 2.0 * t - 0.5 * GRAVITY * t * t;
                // The step after the corner is of first order, and no longer than 5 ms.
                let within = 0.5 * GRAVITY * 5e-3 * 5e-3;
                assert!((place(frame).z - expected).abs() < within, "{way:?} {t}: {}", place(frame).z);
            }
            let pushes: f64 = frame.contacts.iter().flat_map(|pair| &pair.points).map(|point| point.force.z).sum();
            assert!(pushes >= 0.0, "{way:?} {t}: {pushes}");
        }
    }
}

/// A ram pushes a box over a floor with 0.5 m/s for a second.
const RAM: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[joint.ram]
kind   = "prismatic"
axis   = [1, 0, 0]
parent = { position = [-0.2, 0, 0] }
travel = 0
[obstacle.head]
sphere   = { radius = 0.05 }
fixed_to = "ram"
position = [0, 0, 0.1]
[obstacle.floor]
plane = {}
[body.box]
mass     = 3
inertia  = [0.02, 0.02, 0.02]
shape    = { box = [0.3, 0.3, 0.2] }
start    = { position = [0, 0, 0.1] }
velocity = [0.5, 0, 0]
[contact]
friction = 0.3
pairs    = [{ of = ["box", "head"], friction = 0 }]
[drive]
"ram.travel" = { table = [[0, 0], [1, 0.5], [2, 0.5]] }
[job]
kind     = "dynamics"
start    = "natural"
duration = 2
step     = "5 ms"
"#;

#[test]
fn a_ram_that_stops_or_turns_back_leaves_what_it_pushed_alone() {
    for end in [0.5, 0.0] {
        let all = frames(RAM, &[&format!("drive.ram.travel.table=[[0, 0], [1, 0.5], [2, {end}]]")]);
        let (x, expected) = (place(all.last().unwrap()).x, 0.5 + 0.25 / (2.0 * 0.3 * GRAVITY));
        assert!((x - expected).abs() < 0.3 * GRAVITY * 5e-3 * 5e-3, "{end}: {x} {expected}");
    }
}
