//! What friction takes, through the whole program: in motion against closed forms, along paths against force times way.
#![allow(clippy::unwrap_used)]

use lissome::model::Scene;
use lissome::solve::{MotionEnergy, PathSample};
use lissome::{Answer, Unobserved};

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
