//! Random scenes in which things touch, as text: rods and bodies over a floor, over obstacles and over each other, that lie
//! on them or fall.
//!
//! Every scene takes from the stream of [`crate::random`]: stiffness, damping, obstacle, then part by part, then friction and
//! the step. Nothing begins inside anything: parts are laid in layers, each above the last.

use crate::random::Random;
use std::f64::consts::{PI, TAU};
use std::fmt::Write;

/// What a scene asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Its equilibrium.
    Rest,
    /// Its motion.
    Motion,
}

const OBSTACLES: [&str; 4] = [
    "sphere = { radius = \"4 cm\" }",
    "capsule = { radius = \"2 cm\", length = \"20 cm\" }",
    "cylinder = { radius = \"3 cm\", length = \"20 cm\" }",
    "box = [\"10 cm\", \"12 cm\", \"4 cm\"]",
];
const BODIES: [&str; 3] = [
    "sphere = { radius = \"3 cm\" }",
    "box = [\"6 cm\", \"5 cm\", \"3 cm\"]",
    "cylinder = { radius = \"2 cm\", length = \"5 cm\" }",
];

/// A scene that was drawn.
pub struct Drawn {
    /// What is in it, in words.
    pub words: String,
    /// What it asks for.
    pub asks: Asks,
    /// The scene.
    pub text: String,
    /// Mass of all that moves, kg.
    pub mass: f64,
    /// Length of the shortest rod, or of a body where there is none, m.
    pub length: f64,
}

/// Density of the rods, kg/m³, and the size of bodies, m.
const DENSITY: f64 = 1000.0;
const BODY_SIZE: f64 = 0.05;

/// A vector of a file.
fn vector(v: [f64; 3]) -> String {
    format!("[{:e}, {:e}, {:e}]", v[0], v[1], v[2])
}

/// Scene k. Every third one asks for an equilibrium, the others for a motion of so many seconds, with a frame for every step.
pub fn draw(k: usize, duration: f64, random: &mut Random) -> Drawn {
    let asks = if k % 3 == 2 { Asks::Rest } else { Asks::Motion };
    let young = random.log_uniform(3e5, 3e7);
    let damping = if random.chance(0.5) { "damping = \"2 ms\"\n" } else { "" };
    let mut text = format!(
        "schema = 1\n[world]\ngravity = [0, 0, -9.81]\n[material.m]\nyoung = \"{young:e} Pa\"\npoisson = 0.4\n\
         density = \"{DENSITY} kg/m^3\"\n{damping}[obstacle.floor]\nplane = {{}}\n"
    );
    let (mut height, mut mass, mut length) = (0.03, 0.0, f64::INFINITY);
    let kind = k / 3 % 4;
    if kind == 1 || kind == 2 {
        let shape = OBSTACLES[random.below(OBSTACLES.len())];
        let place = [random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.05];
        let turn = [random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-PI, PI)];
        let (place, turn) = (vector(place), vector(turn));
        let _ = write!(text, "[obstacle.thing]\n{shape}\nposition = {place}\nrotvec = {turn}\n");
        height = 0.16;
    }
    let bodies = if kind == 3 && asks == Asks::Motion { 1 + random.below(3) } else { 0 };
    for b in 0..bodies {
        let shape = BODIES[random.below(BODIES.len())];
        let own = random.uniform(0.02, 0.3);
        (mass, length) = (mass + own, length.min(BODY_SIZE));
        let place = vector([random.uniform(-0.03, 0.03), random.uniform(-0.03, 0.03), height + 0.05]);
        let turn = vector([random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-PI, PI)]);
        let _ = write!(
            text,
            "[body.b{b}]\nmass = \"{own:e} kg\"\nshape = {{ {shape} }}\nstart = {{ position = {place}, rotvec = {turn} }}\n"
        );
        height += 0.11;
    }
    let rods = if kind == 3 { random.below(2) } else { 1 + random.below(2) }.max(usize::from(bodies == 0));
    for i in 0..rods {
        let rod = rod(i, asks, height, random, &mut text);
        height = rod.above;
        (mass, length) = (mass + rod.mass, length.min(rod.length));
    }
    let friction = [0.0, 0.2, 0.5][random.below(3)];
    let _ = write!(text, "[contact]\nfriction = {friction}\namong = true\n[job]\n");
    let words = format!("{rods} rods, {bodies} bodies, E = {young:.1e} Pa, μ = {friction}");
    match asks {
        Asks::Rest => text.push_str("kind = \"statics\"\n"),
        Asks::Motion => {
            let step = [5, 10, 20][random.below(3)];
            let _ = write!(
                text,
                "kind = \"dynamics\"\nstart = \"natural\"\nduration = \"{duration} s\"\nstep = \"{step} ms\"\noutput_rate = {}\n",
                1000 / step
            );
        }
    }
    Drawn { words, asks, text, mass, length }
}

/// A rod that was laid.
struct Laid {
    /// The height above it, m.
    above: f64,
    /// kg.
    mass: f64,
    /// m.
    length: f64,
}

/// A rod in the layer above a height: clamped near its base, or free.
fn rod(i: usize, asks: Asks, height: f64, random: &mut Random, text: &mut String) -> Laid {
    let length = random.uniform(0.15, 0.4);
    let radius = length / random.uniform(15.0, 50.0);
    let (sine, cosine) = random.uniform(0.0, TAU).sin_cos();
    let (rise, level) = random.uniform(-0.15, 0.15f64).sin_cos();
    let tangent = [cosine * level, sine * level, rise];
    let middle =
        [random.uniform(-0.03, 0.03), random.uniform(-0.03, 0.03), height + radius + 0.5 * length * rise.abs() + 0.005];
    let part = if asks == Asks::Rest { 0.2 } else { random.uniform(0.3, 0.7) };
    // What is clamped off its middle reaches as far up again on its long side.
    let start: [f64; 3] = std::array::from_fn(|axis| middle[axis] - tangent[axis] * length * part);
    let spans = [4, 6][random.below(2)];
    let frame = format!("position = {}, tangent = {}", vector(start), vector(tangent));
    let base = match asks {
        Asks::Rest => format!("base = {{ {frame} }}"),
        Asks::Motion => {
            let _ = write!(text, "[joint.j{i}]\nkind = \"free\"\nparent = {{ {frame} }}\n");
            format!("base = \"j{i}\"")
        }
    };
    let _ = write!(
        text,
        "[rod.r{i}]\n{base}\nmaterial = \"m\"\nlength = \"{length:e} m\"\n\
         section = {{ shape = \"circle\", radius = \"{radius:e} m\" }}\n\
         model = {{ spline = {{ degree = 3, spans = {spans} }} }}\n"
    );
    let above = middle[2] + length * rise.abs() + radius + 0.005;
    Laid { above, mass: DENSITY * PI * radius * radius * length, length }
}
