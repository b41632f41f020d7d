//! What touches and what is held in between, on every model of a rod: all of them stick, roll and bend as closed forms say.
#![allow(clippy::unwrap_used)]

use lissome::solve::PathSample;
use lissome::{Answer, Progress, Unobserved};
use std::f64::consts::PI;
use std::ops::ControlFlow;

/// Elements, functions and spans, given and by tolerance.
const MODELS: [&str; 5] = [
    "spline = { spans = 8 }",
    "spline = { degree = 1, spans = 8 }",
    "linear_strain = { elements = 8 }",
    "strain_basis = { segments = 2, order = 4 }",
    "strain_basis = { functions = \"linear\", segments = 6 }",
];
const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 8e-3;
const LENGTH: f64 = 0.3;
const DENSITY: f64 = 3000.0;

fn run(text: &str) -> Answer {
    let loaded = lissome::io::scene::parse("scene.toml", text.to_owned(), &[]).unwrap();
    let answer = lissome::run(&loaded.scene, &mut Unobserved).unwrap();
    assert!(answer.succeeded(), "{text}");
    answer
}

/// A rod that lies on a plane, under a gravity that leans towards `slope`.
fn log(model: &str, slope: [f64; 3], friction: f64, job: &str) -> String {
    format!(
        r#"
schema = 1
[world]
gravity = {slope:?}
[material.rubber]
young   = "1 MPa"
poisson = 0.45
density = {DENSITY}
damping = "5 ms"
[joint.free]
kind   = "free"
parent = {{ position = [0, 0, {RADIUS}] }}
[rod.log]
material = "rubber"
length   = {LENGTH}
section  = {{ shape = "circle", radius = {RADIUS} }}
base     = {{ fixed_to = "free" }}
model    = {{ {model} }}
[obstacle.slope]
plane = {{}}
[contact]
friction = {friction}
[job]
kind  = "dynamics"
start = "natural"
{job}
"#
    )
}

/// Momentum of the log at the end of its motion over its mass, m/s, and how many steps were taken or tried.
fn speed(text: &str) -> ([f64; 3], u64) {
    let Answer::Dynamics(motion) = run(text) else { panic!("a motion") };
    let last = motion.record.frames.last().unwrap();
    let mass = DENSITY * PI * RADIUS * RADIUS * LENGTH;
    let momentum = last.momentum.linear / mass;
    (momentum.into(), last.effort.steps + last.effort.halved)
}

/// Points that stick are held along the rod too. Where there were more of them than stretch can hold apart, forces to and fro along the rod
/// grew without bound: a log on a slope took thousands of steps of a microsecond, or rolled too fast.
#[test]
fn rods_of_every_model_roll_and_stick() {
    let (sin, cos) = 40f64.to_radians().sin_cos();
    for model in MODELS {
        // 2/3 g sin θ, to the square of the turn in a step, ωh = 0.02: 1e-4.
        let across = log(model, [0.0, GRAVITY * sin, -GRAVITY * cos], 0.5, "duration = 0.02\nstep = 0.002");
        let ([_, found, _], steps) = speed(&across);
        let expected = 2.0 / 3.0 * GRAVITY * sin * 0.02;
        assert!((found / expected - 1.0).abs() < 1e-3, "{model}: {found} of {expected} m/s");
        assert!(steps <= 40, "{model}: {steps} steps");
        let along = log(model, [GRAVITY * sin, 0.0, -GRAVITY * cos], 1.0, "duration = 0.1\nstep = 0.005");
        let ([found, _, _], steps) = speed(&along);
        assert!(found.abs() < 1e-6, "{model}: {found} m/s");
        assert!(steps <= 80, "{model}: {steps} steps");
    }
}

/// A rod that is dropped has no equilibrium. None is looked for: on a floor without friction that took more than half a minute before the motion began.
#[test]
fn a_rod_on_a_strain_basis_is_dropped() {
    let text = log("strain_basis = {}", [0.0, 0.0, -GRAVITY], 0.0, "duration = 0.01\nstep = 0.005")
        .replace(&format!("position = [0, 0, {RADIUS}]"), "position = [0, 0, 0.028], tangent = [0.966, 0, 0.259]");
    let loaded = lissome::io::scene::parse("scene.toml", text, &[]).unwrap();
    let mut iterations = 0;
    let answer = lissome::run(&loaded.scene, &mut |progress: &Progress<'_>| {
        iterations += usize::from(matches!(progress, Progress::Iteration(_)));
        if iterations > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(answer.unwrap().succeeded(), "{iterations} iterations");
}

/// A slender wire, clamped, held at 0.3 of 0.5 m by a closure on a driven joint.
fn held(model: &str, kind: &str, rest: &str) -> String {
    format!(
        r#"
schema = 1
[material.nitinol]
young   = "60 GPa"
poisson = 0.33
density = "6450 kg/m^3"
damping = "5 ms"
[joint.lift]
kind   = "prismatic"
axis   = [0, 0, 1]
parent = {{ position = ["30 cm", 0, 0] }}
travel = 0
[rod.wire]
material = "nitinol"
length   = "50 cm"
section  = {{ shape = "circle", radius = "1 mm" }}
base     = {{}}
model    = {{ {model} }}
[closure.hold]
kind = "{kind}"
a    = "lift"
b    = {{ fixed_to = "wire", at = "30 cm" }}
{rest}
"#
    )
}

fn last_sample(text: &str) -> PathSample {
    let Answer::Path(path) = run(text) else { panic!("a path") };
    path.samples.into_iter().last().unwrap()
}

/// A place along a rod that is held by its point or its pose and lifted by d: the tip goes by d (1 + 3b/(2a)) or d, along a path and where a motion has
/// died out.
#[test]
fn places_in_between_are_held_and_taken_along() {
    let (a, b, d) = (0.3, 0.2, 30e-6);
    for model in ["spline = { spans = 10 }", "linear_strain = { elements = 10 }", "strain_basis = { segments = 4 }"] {
        for (kind, tip) in [("spherical", d * (1.0 + 1.5 * b / a)), ("fixed", d)] {
            let drive = |rest: &str| format!("[drive]\n\"lift.travel\" = {{ ramp = [0, {d}]{rest} }}\n[job]\n");
            let along = last_sample(&held(model, kind, &(drive("") + "kind = \"path\"\nsamples = 3")));
            let found = along.equilibrium.rods[0].tip.position.z;
            // Shear and what the wire is stretched by: parts of a thousand.
            assert!((found / tip - 1.0).abs() < 1e-3, "{kind}, {model}: {found} of {tip} m");
            let job = "kind = \"dynamics\"\nduration = 0.6\nstep = 0.002\noutput_rate = 10";
            let Answer::Dynamics(motion) = run(&held(model, kind, &(drive(", over = 0.1, smooth = true") + job)))
            else {
                panic!("a motion")
            };
            let last = motion.record.frames.last().unwrap();
            let moved = last.rods[0].poses.last().unwrap().position.z;
            assert!((moved / found - 1.0).abs() < 1e-2, "{kind}, {model}: {moved} of {found} m");
        }
    }
}
