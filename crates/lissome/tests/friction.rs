//! What friction takes, through the whole program: in motion against closed forms, along paths against force times way.
#![allow(clippy::unwrap_used)]

use lissome::model::Scene;
use lissome::solve::{MotionEnergy, PathSample};
use lissome::{Answer, Unobserved};
use nalgebra::Vector3;

const GRAVITY: f64 = 9.81;

/// A box of 2 kg whose mass sits in its middle, free to slide and to fall but not to turn.
const SLEDGE: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[joint.lift]
kind   = "prismatic"
axis   = [0, 0, 1]
parent = { position = [0, 0, "20 mm"] }
[joint.slide]
kind   = "prismatic"
axis   = [1, 0, 0]
parent = "lift"
rate   = "1 m/s"
[body.sledge]
mass  = "2 kg"
shape = { box = ["100 mm", "60 mm", "40 mm"] }
mount = { fixed_to = "slide" }
[obstacle.floor]
plane = {}
[contact]
friction = 0.3
[job]
kind        = "dynamics"
start       = "natural"
duration    = "0.5 s"
step        = "4 ms"
output_rate = 20
"#;

/// A rod that slides along itself; it may bend as it likes.
const ROD: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young   = "10 MPa"
poisson = 0.45
density = "3000 kg/m^3"
damping = "5 ms"
[joint.free]
kind   = "free"
parent = { position = [0, 0, "8 mm"] }
rate   = [0, 0, 0, 1, 0, 0]
[rod.log]
material = "rubber"
length   = "30 cm"
section  = { shape = "circle", radius = "8 mm" }
base     = { fixed_to = "free" }
model    = { spline = { degree = 3, spans = 8 } }
[obstacle.floor]
plane = {}
[contact]
friction = 0.3
[job]
kind        = "dynamics"
start       = "natural"
duration    = "0.5 s"
step        = "2 ms"
output_rate = 250
"#;

fn scene(text: &str, set: &[&str]) -> Scene {
    let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    lissome::io::scene::parse("scene.toml", text.to_owned(), &set).unwrap().scene
}

/// Energies at every output of a motion.
fn energies(text: &str, set: &[&str]) -> Vec<MotionEnergy> {
    match lissome::run(&scene(text, set), &mut Unobserved).unwrap() {
        Answer::Dynamics(motion) => motion.record.frames.iter().map(|frame| frame.energy).collect(),
        other => panic!("{other:?}"),
    }
}

/// What friction took at the end. On the way it only takes, and never more than all that is dissipated.
fn taken(all: &[MotionEnergy]) -> f64 {
    let largest = all.iter().map(|energy| energy.kinetic).fold(0.0, f64::max);
    for pair in all.windows(2) {
        assert!(pair[1].friction >= pair[0].friction - 1e-12 * largest, "{pair:?}");
        assert!(pair[1].friction <= pair[1].dissipated + 1e-12 * largest, "{pair:?}");
    }
    assert_eq!(all[0].friction, 0.0);
    all.last().unwrap().friction
}

/// All of ½ m v² goes to friction. The scheme is of second order, and what it cannot see is the step in which the sledge stops,
/// during which it has no more than ½ m (μ g h)².
#[test]
fn what_slides_to_rest_loses_its_motion_to_friction() {
    for step in [8e-3, 4e-3, 2e-3, 1e-3] {
        for speed in [0.9_f64, 1.0, 1.13] {
            let all = energies(SLEDGE, &[&format!("job.step={step}"), &format!("joint.slide.rate={speed}")]);
            let (kinetic, friction) = (all[0].kinetic, taken(&all));
            let (missing, last_step) = (kinetic - friction, (0.3 * GRAVITY * step).powi(2));
            println!("{step} {speed}: {missing:e} of {last_step:e}");
            assert!((kinetic / speed.powi(2) - 1.0).abs() < 1e-12, "{kinetic}");
            assert!(missing > -1e-9 && missing < last_step, "{missing:e} {last_step:e}");
            assert!(all.last().unwrap().kinetic < 1e-12, "{all:?}");
        }
    }
    // A rod bends a little while it is braked at its lower side, and its damping takes that.
    let all = energies(ROD, &[]);
    let (kinetic, friction, dissipated) = (all[0].kinetic, taken(&all), all.last().unwrap().dissipated);
    println!("rod: {friction:e} of {kinetic:e}, dissipated {dissipated:e}");
    assert!((friction / kinetic - 1.0).abs() < (0.3 * GRAVITY * 2e-3).powi(2), "{friction:e} {kinetic:e}");
}

/// Down a slope, given by the direction of gravity, from rest: s = ½ a t², and friction takes μ m g cos θ s of what gravity gives.
#[test]
fn on_a_slope_friction_takes_its_part_of_the_fall() {
    let (sine, cosine) = (0.5, 0.75f64.sqrt());
    let slope = format!("world.gravity=[{}, 0, {}]", GRAVITY * sine, -GRAVITY * cosine);
    let all = energies(SLEDGE, &[&slope, "joint.slide.rate=0"]);
    let acceleration = GRAVITY * (sine - 0.3 * cosine);
    let way = 0.5 * acceleration * 0.25;
    let expected = 0.3 * 2.0 * GRAVITY * cosine * way;
    let (friction, last) = (taken(&all), all.last().unwrap());
    println!("slope: {:e}, kinetic {:e}", friction / expected - 1.0, last.kinetic / (acceleration * way * 2.0) - 1.0);
    assert!((friction / expected - 1.0).abs() < 1e-6, "{friction} {expected}");
    // The force of the floor begins in the first step, which is taken by implicit Euler and goes ½ a h² too far.
    let balance = |energy: &MotionEnergy| energy.mechanical() + energy.friction;
    let first = 2.0 * GRAVITY * sine * 0.5 * acceleration * 4e-3f64.powi(2);
    let lost = balance(&all[0]) - balance(last);
    println!("lost {lost:e} of {first:e}, balance {:e}", last.balance() - all[0].balance());
    assert!(lost.abs() < first && (last.balance() - all[0].balance()).abs() < 1e-9, "{lost:e} {first:e}");
}

/// What falls on the floor at an angle: the impulse along the floor is μ times that of the fall, whatever the step. All that the
/// motion along the floor has lost since then friction took; the landing took the rest, the height of the fall.
#[test]
fn friction_has_its_part_of_a_landing() {
    let height = 0.02_f64;
    let fall = (2.0 * GRAVITY * height).sqrt();
    for step in [16e-3, 4e-3, 1e-3] {
        let step = format!("job.step={step}");
        let all = energies(SLEDGE, &[&step, "joint.lift.parent.position.2=40 mm", "job.duration=0.1 s"]);
        let (friction, last) = (taken(&all), all.last().unwrap());
        let lost = 1.0 - last.kinetic;
        println!("{step}: {friction} of {lost}, dissipated {}", last.dissipated);
        // v − μ g t: friction acts from the landing on, with the impulse of the fall in it, as if it had always done.
        let slow = 1.0 - 0.3 * GRAVITY * 0.1;
        assert!(slow < 1.0 - 0.3 * fall && (last.kinetic / slow.powi(2) - 1.0).abs() < 1e-6, "{last:?}");
        assert!((friction / lost - 1.0).abs() < 1e-6, "{friction} {lost}");
        assert!((last.dissipated - friction - 2.0 * GRAVITY * height).abs() < 1e-6, "{last:?}");
    }
}

/// A small shoe at the end of a stiff blade, pushed along the floor by a driven joint and pressed on it by a load.
const PUSHED: &str = r#"
schema = 1
[material.steel]
young   = "200 GPa"
poisson = 0.3
[joint.slide]
kind   = "prismatic"
axis   = [1, 0, 0]
parent = { position = [0, 0, "0.1 mm"] }
travel = 0
[rod.blade]
material = "steel"
length   = "200 mm"
section  = { shape = "circle", radius = "1 mm" }
base     = { fixed_to = "slide" }
model    = { spline = { degree = 3, spans = 2 } }
[body.shoe]
shape = { sphere = { radius = "0.1 mm" } }
mount = { fixed_to = "blade", at = "tip" }
[load.press]
on    = "shoe"
force = [0, 0, "-10 N"]
[obstacle.floor]
plane = {}
[contact]
friction = 0.3
pairs    = [{ of = ["blade", "floor"], touches = false }]
[job]
kind    = "path"
samples = 5
"#;

fn path(drives: &str, set: &[&str]) -> Vec<PathSample> {
    match lissome::run(&scene(&format!("{PUSHED}{drives}"), set), &mut Unobserved).unwrap() {
        Answer::Path(path) => path.samples,
        other => panic!("{other:?}"),
    }
}

/// Along a path it is the force of friction times the way, to and fro, also where what presses changes on the way.
#[test]
fn friction_takes_force_times_way_along_a_path() {
    let friction = |drives: &str| -> Vec<f64> {
        let samples = path(drives, &[]);
        assert!(samples.len() == 5 && samples.iter().all(|sample| sample.equilibrium.outcome.converged()));
        samples.iter().map(|sample| sample.friction.unwrap()).collect()
    };
    let near = |found: &[f64], expected: [f64; 5]| {
        let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("path: {found:?}");
        // Before it slides the blade gives way by 1e-6 m of 20 mm; its moment lifts the shoe by 2e-4 of what presses it.
        assert!(off < 5e-4 * expected[4], "{found:?} {expected:?}");
    };
    // 0.3 of 10 N over 20 mm; over 10 mm and back again.
    let there = friction("[drive]\n\"slide.travel\" = { ramp = [0, \"20 mm\"] }");
    near(&there, [0.0, 0.015, 0.03, 0.045, 0.06]);
    let back = friction("[drive]\n\"slide.travel\" = { table = [[0, 0], [0.5, \"10 mm\"], [1, 0]] }");
    near(&back, [0.0, 0.015, 0.03, 0.045, 0.06]);
    // Pressed by 10 N and then by up to 30 N: 0.3 ∫ (10 + 20 t) 20 mm dt.
    let more = friction("[drive]\n\"slide.travel\" = { ramp = [0, \"20 mm\"] }\n\"press.scale\" = { ramp = [1, 3] }");
    near(&more, [0.0, 0.01875, 0.045, 0.07875, 0.12]);
}

/// Where nothing rubs nothing is taken, and where nothing touches nothing is told.
#[test]
fn without_friction_nothing_is_taken() {
    let smooth = path("[drive]\n\"slide.travel\" = { ramp = [0, \"20 mm\"] }", &["contact.friction=0"]);
    assert!(smooth.iter().all(|sample| sample.friction == Some(0.0)));
    let all = energies(SLEDGE, &["contact.friction=0", "joint.lift.parent.position.2=40 mm"]);
    assert!(taken(&all) == 0.0 && all.last().unwrap().dissipated > 0.0, "{:?}", all.last());
}

/// A ball that comes down on a floor, turning or not.
const BALL: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[body.ball]
density  = "2000 kg/m^3"
shape    = { sphere = { radius = "5 cm" } }
start    = { position = [0, 0, "10 cm"] }
velocity = [1, "0.5 m/s", "-2 m/s"]
[obstacle.floor]
plane = {}
[job]
kind        = "dynamics"
start       = "natural"
duration    = "40 ms"
output_rate = 1000
[contact]
"#;

fn ball(law: &str, set: &[&str]) -> (Vector3<f64>, Vector3<f64>, MotionEnergy) {
    match lissome::run(&scene(&format!("{BALL}{law}"), set), &mut Unobserved).unwrap() {
        Answer::Dynamics(motion) => {
            let last = motion.record.frames.last().unwrap();
            (last.body_velocities[0].linear, last.body_velocities[0].angular, last.energy)
        }
        other => panic!("{other:?}"),
    }
}

/// J_t = μ (1 + e) m v where that does not stop the slip, 2/7 m of the slip where it does: then the ball rolls. The speed of the impact is
/// √(4 + 2 g 0.05) m/s.
#[test]
fn what_bounces_rubs() {
    let down = (4.0 + 2.0 * GRAVITY * 0.05f64).sqrt();
    let speed = 1.25f64.sqrt();
    for (friction, restitution) in [(0.05, 0.5), (0.02, 0.9), (0.4, 0.5), (0.8, 0.2)] {
        let (linear, angular, energy) = ball(&format!("friction = {friction}\nrestitution = {restitution}\n"), &[]);
        let lost = (friction * (1.0 + restitution) * down).min(2.0 / 7.0 * speed);
        let part = 1.0 - lost / speed;
        let expected = Vector3::new(part, 0.5 * part, linear.z);
        assert!((linear - expected).norm() < 1e-6, "{friction} {restitution}: {linear:?} for {expected:?}");
        // r ω = −(5/2) J_t/m about the axis across the way.
        let turn = 2.5 * lost / (0.05 * speed);
        assert!(
            (angular - Vector3::new(-0.5 * turn, turn, 0.0)).norm() < 1e-4,
            "{friction} {restitution}: {angular:?}"
        );
        let mass = 2000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3);
        let rubbed = mass * lost * (speed - 1.75 * lost);
        assert!(
            (energy.friction / rubbed - 1.0).abs() < 1e-5,
            "{friction} {restitution}: {} {rubbed}",
            energy.friction
        );
    }
}

/// What lands and does not bounce slides on or rolls: its friction does not drive it back. In the step in which it lands friction acts
/// where the ball was at its beginning, with an arm that is longer by as much as it falls in it: v h of the radius at most.
#[test]
fn what_lands_rolls_on() {
    for step in [5e-3, 1e-3, 2e-4] {
        let (linear, angular, _) = ball("friction = 0.2\n", &[&format!("job.step={step}")]);
        let slip = Vector3::new(linear.x - 0.05 * angular.y, linear.y + 0.05 * angular.x, 0.0);
        assert!(slip.norm() < 1e-6, "{step}: {slip:?}");
        let expected = 5.0 / 7.0 * 1.25f64.sqrt();
        assert!((linear.xy().norm() / expected - 1.0).abs() < 2.3 * step / 0.05, "{step}: {linear:?} for {expected}");
    }
}

/// A box at rest on a slope stays there: what rounding does to its energy is no gain.
#[test]
fn what_rests_on_a_slope_stays() {
    for angle in [0.0f64, 0.1, 0.2, 0.35] {
        let (sin, cos) = angle.sin_cos();
        let text = format!(
            "schema = 1\n[world]\ngravity = [0, 0, -9.81]\n[body.brick]\ndensity = \"2000 kg/m^3\"\nshape = {{ box = [0.1, 0.08, 0.02] }}\n\
             start = {{ position = [{}, 0, {}], rotvec = [0, {angle}, 0] }}\n[obstacle.slope]\nplane = {{ normal = [{sin}, 0, {cos}] }}\n\
             [contact]\nfriction = 0.4\n[job]\nkind = \"dynamics\"\nstart = \"natural\"\nduration = \"0.2 s\"\noutput_rate = 100\n",
            0.01 * sin,
            0.01 * cos,
        );
        let all = energies(&text, &[]);
        assert_eq!(all.len(), 21, "{angle}: it goes on to its end");
        assert!(all.iter().all(|energy| energy.kinetic < 1e-20), "{angle}");
    }
}

/// A crate on a belt that runs at 2 m/s from one instant to another.
const BELT: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[joint.roller]
kind   = "prismatic"
axis   = [1, 0, 0]
parent = "world"
[obstacle.belt]
box      = [20, 2, 0.1]
fixed_to = "roller"
position = [0, 0, -0.05]
[body.crate]
mass  = "2 kg"
shape = { box = [0.2, 0.2, 0.2] }
start = { position = [0, 0, 0.1] }
[contact]
friction = 0.1
[job]
kind     = "dynamics"
start    = "natural"
duration = "3 s"
"#;

#[test]
fn a_belt_that_starts_and_stops_at_once_slides_under_its_load() {
    let (gravity, runs) = (0.1 * GRAVITY, 2.0);
    for start in [0.0, 0.5] {
        for step in ["step = \"25 ms\"", "step = \"1 ms\"", ""] {
            let drive =
                format!("[drive]\n\"roller.travel\" = {{ ramp = [0, 4], start = \"{start} s\", over = \"2 s\" }}\n");
            let text = format!("{BELT}{step}\n{drive}");
            let Answer::Dynamics(motion) = lissome::run(&scene(&text, &[]), &mut Unobserved).unwrap() else {
                panic!("no motion")
            };
            let last = motion.record.frames.last().unwrap();
            assert!((last.time - 3.0).abs() < 1e-9, "{step}: ended at {}", last.time);
            // It is dragged along by μg until it runs with the belt, goes with it, and is braked by as much.
            let dragged = (runs / gravity).min(2.0);
            let top = gravity * dragged;
            let (left, with) = (3.0 - start - 2.0, runs * (2.0 - dragged));
            let place = 0.5 * gravity * dragged * dragged + with + top * left - 0.5 * gravity * left * left;
            let (speed, found) = (last.body_velocities[0].linear.x, last.bodies[0].position.x);
            assert!((speed - (top - gravity * left)).abs() < 1e-4, "{start} {step}: {speed} m/s");
            assert!((found - place).abs() < 2e-3, "{start} {step}: {found} m, expected {place}");
        }
    }
}

/// Two balls that meet aslant and do not bounce: half of the speed along the line of their centres goes over, and across it what friction
/// can, a seventh of the slip at most.
#[test]
fn balls_that_meet_rub_whatever_chooses_the_step() {
    for (friction, step) in [(0.3, ""), (0.05, ""), (0.3, "step = \"1 ms\""), (0.05, "step = \"1 ms\"")] {
        let text = format!(
            "schema = 1\n[body.a]\ndensity = 1000\nshape = {{ sphere = {{ radius = 0.05 }} }}\nstart = {{ position = [0, 0, 0] }}\n\
             velocity = [1, 0, 0]\n[body.b]\ndensity = 1000\nshape = {{ sphere = {{ radius = 0.05 }} }}\nstart = {{ position = [0.2, 0.04, 0] }}\n\
             [contact]\nfriction = {friction}\namong = true\n[job]\nkind = \"dynamics\"\nstart = \"natural\"\nduration = \"0.3 s\"\n{step}\n"
        );
        let Answer::Dynamics(motion) = lissome::run(&scene(&text, &[]), &mut Unobserved).unwrap() else {
            panic!("no motion")
        };
        let last = motion.record.frames.last().unwrap();
        assert!((last.time - 0.3).abs() < 1e-9, "{friction} {step}: ended at {}", last.time);
        let normal = Vector3::new(0.84f64.sqrt(), 0.4, 0.0);
        let across = Vector3::new(0.4, -normal.x, 0.0);
        let pressed = 0.5 * normal.x;
        let expected = normal * pressed + across * (friction * pressed).min(0.4 / 7.0);
        let found = last.body_velocities[1].linear;
        // They touch up to a step early or late, aslant by v h over their distance: 1 % at 1 ms.
        assert!((found - expected).norm() < 0.01, "{friction} {step}: {found:?}, expected {expected:?}");
    }
}

/// A square tile 300 mm from the axis of a table that turns by 1 rad/s from one instant to another: it slides, is turned, and sticks after 0.077 s. Where it is
/// after half a second an integration of the slip of its four corners says (steps of 4 µs, friction over 30 µm/s).
#[test]
fn a_tile_on_a_turntable_slides_until_it_goes_along() {
    let text = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[joint.table]
kind   = "revolute"
axis   = [0, 0, 1]
parent = "world"
[obstacle.disc]
box      = [2, 2, 0.1]
fixed_to = "table"
position = [0, 0, -0.05]
[body.tile]
mass  = "0.1 kg"
shape = { box = [0.04, 0.04, 0.01] }
start = { position = [0.3, 0, 0.005] }
[contact]
friction = 0.4
[drive]
"table.angle" = { ramp = [0, 3], over = "3 s" }
[job]
kind     = "dynamics"
start    = "natural"
duration = "0.5 s"
"#;
    for (step, within) in [("step = \"5 ms\"", 2e-4), ("step = \"1 ms\"", 1e-5), ("", 2e-4)] {
        let Answer::Dynamics(motion) = lissome::run(&scene(&format!("{text}{step}"), &[]), &mut Unobserved).unwrap()
        else {
            panic!("no motion")
        };
        let place = motion.record.frames.last().unwrap().bodies[0].position;
        assert!((place - Vector3::new(0.268683, 0.133688, 0.005)).norm() < within, "{step}: {place:?}");
    }
}
