//! Motions at default settings: what swings keeps its pace and its energy, however small it is and however often it is
//! recorded; what falls goes on until its time is over.
#![allow(clippy::unwrap_used)]

use lissome::io::scene::parse;
use lissome::solve::{MotionAnswer, MotionEnd, MotionFrame};
use lissome::{Answer, Progress};
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};
use std::ops::ControlFlow;

/// A round cantilever along x that is pulled aside at its tip and let go.
struct Cantilever {
    length: f64,
    young: f64,
    density: f64,
    /// First frequency of the slender rod, Hz: it decides the radius.
    frequency: f64,
    /// Deflection of the tip in lengths.
    pluck: f64,
}

/// (β₁L)²/2π of a cantilever.
const FIRST: f64 = 3.516_015_268_5 / TAU;

impl Cantilever {
    fn scene(&self, job: &str) -> String {
        let Self { length, young, density, frequency, pluck } = self;
        let radius = 2.0 * frequency * length * length / (FIRST * (young / density).sqrt());
        let bending = young * PI * radius.powi(4) / 4.0;
        let force = 3.0 * bending * pluck / (length * length);
        format!(
            r#"
schema = 1
[material.m]
young = "{young} Pa"
poisson = 0.3
density = "{density} kg/m^3"
[rod.arm]
material = "m"
length = "{length} m"
section = {{ shape = "circle", radius = "{radius} m" }}
base = {{ fixed_to = "world", tangent = [1, 0, 0] }}
[load.pull]
rod = "arm"
at = "tip"
force = [0, 0, "{force} N"]
[job]
kind = "dynamics"
release = ["pull"]
{job}
"#
        )
    }
}

/// The steel-like rod of 100 mm that swings at 141 Hz.
fn steel(pluck: f64) -> Cantilever {
    Cantilever { length: 0.1, young: 2e11, density: 7850.0, frequency: 141.0, pluck }
}

/// A soft rod that swings at 15.69 Hz.
fn soft(pluck: f64) -> Cantilever {
    Cantilever { length: 0.2, young: 1.26e9, density: 1000.0, frequency: 15.69, pluck }
}

fn run(text: &str) -> (Vec<MotionFrame>, MotionAnswer) {
    let scene = parse("test.toml", text.to_owned(), &[]).unwrap().scene;
    let mut frames = Vec::new();
    let answer = lissome::run(&scene, &mut |progress: &Progress<'_>| {
        if let Progress::Frame(state) = progress {
            frames.push(state.frame.clone());
        }
        ControlFlow::Continue(())
    });
    let Answer::Dynamics(answer) = answer.unwrap() else { panic!("a motion") };
    (frames, answer)
}

fn tip(frame: &MotionFrame) -> Vector3<f64> {
    frame.rods[0].poses.last().unwrap().position
}

/// Mean frequency of the upward crossings of z = 0.
fn frequency(frames: &[MotionFrame]) -> f64 {
    let crossings: Vec<f64> = frames
        .windows(2)
        .map(|w| (w[0].time, tip(&w[0]).z, w[1].time, tip(&w[1]).z))
        .filter(|(_, before, _, after)| *before < 0.0 && *after >= 0.0)
        .map(|(t, before, next, after)| t - before * (next - t) / (after - before))
        .collect();
    (crossings.len() - 1) as f64 / (crossings[crossings.len() - 1] - crossings[0])
}

#[test]
fn a_plucked_steel_rod_keeps_its_energy_for_a_second() {
    let (frames, answer) = run(&steel(1e-3).scene("duration = \"1 s\""));
    assert_eq!(answer.end, MotionEnd::Finished);
    let mechanical = |frame: &MotionFrame| frame.energy.kinetic + frame.energy.elastic;
    let kept = mechanical(frames.last().unwrap()) / mechanical(&frames[0]);
    assert!((kept - 1.0).abs() < 0.01, "kept {kept}");
    assert!(!answer.record.balance.loses_much());
}

/// The bar is that of issue and case: 0.2 %. Shear and rotary inertia of a rod with L/r = 100 take 0.03 %.
#[test]
fn a_small_pluck_swings_at_the_pace_of_the_rod() {
    for pluck in [1e-6, 1e-3] {
        let (frames, answer) = run(&soft(pluck).scene("duration = \"1.3 s\"\noutput_rate = \"500 Hz\""));
        assert_eq!(answer.end, MotionEnd::Finished);
        let found = frequency(&frames) / 15.69;
        assert!((found - 1.0).abs() < 2e-3, "{pluck}: {found}");
    }
}

/// The steps are those of the tolerance, whatever is recorded: two answers differ by no more than the error that they
/// share, a frequency within 0.2 % for twelve periods, and a run recorded once is no coarser than one recorded often.
#[test]
fn the_output_rate_does_not_decide_accuracy() {
    let ends: Vec<(Vector3<f64>, u64)> = [1.0, 20.0, 1000.0]
        .iter()
        .map(|rate| {
            let (frames, answer) =
                run(&soft(1e-3).scene(&format!("duration = \"0.8 s\"\noutput_rate = \"{rate} Hz\"")));
            assert_eq!(answer.end, MotionEnd::Finished);
            let last = frames.last().unwrap();
            (tip(last), last.effort.steps)
        })
        .collect();
    let amplitude = 1e-3 * 0.2;
    for (end, _) in &ends[1..] {
        let apart = (end - ends[0].0).norm() / amplitude;
        assert!(apart < 2e-3 * TAU * 12.5, "{apart}");
    }
    // More than thirty steps a period even if nothing is recorded on the way.
    assert!(ends[0].1 as f64 > 30.0 * 0.8 * 15.69, "{} steps", ends[0].1);
}

/// A rod at rest under its weight has nothing to resolve.
#[test]
fn what_stays_at_rest_takes_long_steps() {
    let text = soft(0.0)
        .scene("duration = \"10 s\"\noutput_rate = \"10 Hz\"")
        .replace("[material.m]", "[world]\ngravity = [0, 0, -9.81]\n[material.m]");
    let (frames, answer) = run(&text);
    assert_eq!(answer.end, MotionEnd::Finished);
    let last = frames.last().unwrap();
    assert!(last.effort.steps < 1000, "{} steps", last.effort.steps);
    assert!((tip(last) - tip(&frames[0])).norm() < 1e-9 * 0.2);
}

/// Rods whose weight is 400 and 1000 times their stiffness, ρgAL³/EI, let go from straight.
#[test]
fn soft_rods_that_are_dropped_fall_until_their_time_is_over() {
    for (ratio, slenderness, rise) in [(400.0, 20.0, 0.3), (1000.0, 60.0, 1.2)] {
        let (length, density): (f64, f64) = (0.5, 1000.0);
        let radius = length / slenderness;
        let young = 4.0 * density * 9.81 * length.powi(3) / (ratio * radius * radius);
        let (z, x) = f64::sin_cos(rise);
        let text = format!(
            r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.m]
young = "{young} Pa"
poisson = 0.45
density = "{density} kg/m^3"
[rod.arm]
material = "m"
length = "{length} m"
section = {{ shape = "circle", radius = "{radius} m" }}
base = {{ fixed_to = "world", tangent = [{x}, 0.1, {z}] }}
[job]
kind = "dynamics"
duration = "1 s"
output_rate = "50 Hz"
start = "natural"
"#
        );
        let (frames, answer) = run(&text);
        assert_eq!(answer.end, MotionEnd::Finished, "{ratio} {slenderness} {rise}");
        assert!((frames.last().unwrap().time - 1.0).abs() < 1e-9);
    }
}

/// A soft coil of three turns, let go in gravity: its weight is 400 times its stiffness, ρgAL³/EI.
#[test]
fn a_helix_falls_until_its_time_is_over() {
    let text = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.m]
young = "1 MPa"
poisson = 0.45
density = "1000 kg/m^3"
[rod.coil]
material = "m"
length = "1 m"
section = { shape = "circle", radius = "10 mm" }
shape = { curvature = [4, 0, 18] }
base = { fixed_to = "world", tangent = [1, 0, 0] }
model = { spline = { degree = 3, spans = 16 } }
[job]
kind = "dynamics"
start = "natural"
duration = "2 s"
"#;
    let (frames, answer) = run(text);
    assert_eq!(answer.end, MotionEnd::Finished);
    assert!((frames[frames.len() - 1].time - 2.0).abs() < 1e-12);
}

/// Fast waves run over the slow swing of an arm whose cables are tensioned at once. Its steps are those of the swing: as many
/// iterations as ten seconds have at half a millisecond each.
#[test]
fn a_robot_whose_cables_are_tensioned_at_once_takes_steps_of_its_swing() {
    let plates: String = (1..=10)
        .map(|k| format!("plate_{k} = {{ like = \"plate_0\", mount = {{ at = \"{} mm\" }} }}\n", 100 * k))
        .collect();
    let cable = |side: &str| {
        let points: Vec<String> = (0..=10).map(|k| format!("\"plate_{k}.{side}\"")).collect();
        format!("{side}.points = [{}]\n", points.join(", "))
    };
    let text = format!(
        r#"
schema = 1
[material.silicone]
young = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[rod.arm]
material = "silicone"
length = "1 m"
section = {{ shape = "circle", taper = ["40 mm", "20 mm"] }}
base = {{ fixed_to = "world", tangent = [1, 0, 0] }}
model = {{ spline = {{ degree = 3, spans = 20 }} }}
[body.plate_0]
mount = {{ fixed_to = "arm", at = "base" }}
shape = {{ cylinder = {{ radius = "60 mm", length = "4 mm" }} }}
frames = {{ a = {{ position = "[0, 0, 60] mm" }}, b = {{ position = "[0, 51.96, -30] mm" }} }}
[body]
{plates}
[cable]
{}{}
[drive]
"a.tension" = "20 N"
"b.tension" = "5 N"
[job]
kind = "dynamics"
start = "natural"
duration = "1 s"
"#,
        cable("a"),
        cable("b"),
    );
    let (_, answer) = run(&text);
    assert_eq!(answer.end, MotionEnd::Finished);
    let effort = answer.record.last.unwrap().effort;
    assert!(effort.iterations < 20_000, "{} iterations", effort.iterations);
}
