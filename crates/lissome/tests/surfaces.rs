//! Stretches of rods with friction of their own, through the whole program.
#![allow(clippy::unwrap_used)]

use lissome::model::Scene;
use lissome::solve::{ContactRecord, Equilibrium, MotionFrame};
use lissome::{Answer, Unobserved};
use nalgebra::Vector3;

const GRAVITY: f64 = 9.81;

/// A thin stiff rod that lies on a slope, given by the direction of gravity: slick in the middle half and rough beyond, so that
/// it does not matter that friction, which acts at its lower side, presses its front more than its rear.
const SLOPE: &str = r#"
schema = 1
[material.glass]
young   = "50 GPa"
poisson = 0.3
density = "2500 kg/m^3"
damping = "1 ms"
[joint.free]
kind   = "free"
parent = { position = [0, 0, "2 mm"] }
[rod.log]
material = "glass"
length   = "30 cm"
section  = { shape = "circle", radius = "2 mm" }
base     = { fixed_to = "free" }
surface  = { rear = { to = "75 mm" }, slick = { from = "75 mm", to = "225 mm" }, front = { from = "225 mm" } }
model    = { spline = { degree = 3, spans = 8 } }
[obstacle.slope]
plane = {}
[contact]
friction = 0.9
pairs    = [
  { of = ["log.slick", "slope"], friction = 0.1 },
  { of = ["slope", "log.rear"], friction = 0.5 },
  { of = ["log.front", "slope"], friction = 0.5 },
]
[job]
kind        = "dynamics"
start       = "natural"
duration    = "0.2 s"
step        = "2 ms"
output_rate = 50
"#;

fn scene(text: &str, set: &[&str]) -> Scene {
    let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    lissome::io::scene::parse("scene.toml", text.to_owned(), &set).unwrap().scene
}

/// States of a motion on a slope.
fn slid(degrees: f64, set: &[&str]) -> Vec<MotionFrame> {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let slope = format!("world.gravity=[{}, 0, {}]", GRAVITY * sine, -GRAVITY * cosine);
    let set: Vec<&str> = set.iter().copied().chain([slope.as_str()]).collect();
    match lissome::run(&scene(SLOPE, &set), &mut Unobserved).unwrap() {
        Answer::Dynamics(motion) => motion.record.frames,
        other => panic!("{other:?}"),
    }
}

/// Acceleration along the slope once the floor carries the rod, from the first output time to the last.
fn acceleration(frames: &[MotionFrame]) -> f64 {
    let mass = 2500.0 * std::f64::consts::PI * 0.002f64.powi(2) * 0.3;
    let [_, first, .., last] = frames else { panic!("{} frames", frames.len()) };
    (last.momentum.linear.x - first.momentum.linear.x) / (mass * (last.time - first.time))
}

/// g (sin θ − μ cos θ) with the mean μ by length, 0.3, above tan θ = 0.3; nothing below. 0.3 is 16.699°.
#[test]
fn a_rod_with_a_slick_middle_slides_by_its_mean_friction() {
    for degrees in [17.0_f64, 30.0] {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let (found, expected) = (acceleration(&slid(degrees, &[])), GRAVITY * (sine - 0.3 * cosine));
        println!("{degrees}: {found} {expected}, off by {:e}", found - expected);
        // Forces of single points are shares of a sum: of the weight the middle half carries a half to 2e-3.
        assert!((found - expected).abs() < 0.4 * 2e-3 * GRAVITY * cosine, "{degrees}: {found} {expected}");
    }
    let stuck = slid(16.4, &[]);
    let kinetic = stuck.last().unwrap().energy.kinetic;
    println!("16.4: {kinetic:e} J");
    assert!(kinetic < 1e-14, "{kinetic:e}");
}

/// A border within a span: its point has the mean by length of what the span lies on. Halves, and a stretch of 130 mm whose
/// end lies within a span of 37.5 mm; the front is pressed more than the rear, its half by 3/2 μ r/L of the weight.
#[test]
fn halves_and_borders_within_spans_count_by_their_length() {
    let halves = ["rod.log.surface.rear.to=10 mm", "rod.log.surface.slick.from=10 mm"];
    for (border, front) in [("150 mm", 0.5), ("130 mm", 170.0 / 300.0)] {
        let borders = [format!("rod.log.surface.slick.to={border}"), format!("rod.log.surface.front.from={border}")];
        let mut set: Vec<&str> = borders.iter().map(String::as_str).chain(halves).collect();
        set.push("contact.pairs.1.friction=0.1");
        let mean = 0.1 + 0.4 * front;
        let (sine, cosine) = 30f64.to_radians().sin_cos();
        let (found, expected) = (acceleration(&slid(30.0, &set)), GRAVITY * (sine - mean * cosine));
        // What friction presses to the front, times the difference of the coefficients.
        let shifted = 0.4 * 1.5 * mean * 0.002 / 0.3 * GRAVITY * cosine;
        println!("{border}: {found} {expected}, off by {:e} of {shifted:e}", found - expected);
        let share = 0.4 * 2e-3 * GRAVITY * cosine;
        assert!((found - expected + shifted).abs() < share, "{border}: {found} {expected} {shifted}");
    }
}

/// Every point that slides has the friction of its place, and what stands in no stretch that of all.
#[test]
fn every_point_has_the_friction_of_its_place() {
    let frame = slid(60.0, &["rod.log.surface.rear.from=37.5 mm"]);
    let points = &frame.last().unwrap().contacts[0].points;
    assert!(points.len() > 6, "{points:?}");
    for point in points {
        let expected = match point.s {
            s if s < 0.0375 => 0.9,
            s if s > 0.075 && s < 0.225 => 0.1,
            _ => 0.5,
        };
        let found = point.force.x.hypot(point.force.y) / point.force.z;
        assert!((found / expected - 1.0).abs() < 1e-6, "{point:?} {expected}");
    }
    assert!(points.iter().any(|point| point.s < 0.0375) && points.iter().any(|point| point.s > 0.25), "{points:?}");
}

/// A stiff rod that begins to lie on a slope is held from its first step on: it has no step of free flight.
#[test]
fn friction_acts_from_the_first_step_on() {
    let same = ["contact.pairs.0.friction=0.3", "contact.pairs.1.friction=0.3", "contact.pairs.2.friction=0.3"];
    let frames = slid(30.0, &same);
    let (first, mass) = (&frames[1], 2500.0 * std::f64::consts::PI * 0.002f64.powi(2) * 0.3);
    let (sine, cosine) = 30f64.to_radians().sin_cos();
    let expected = GRAVITY * (sine - 0.3 * cosine) * first.time;
    let found = first.momentum.linear.x / mass;
    println!("{found} {expected}");
    assert!((found - expected).abs() < 1e-6, "{found} {expected}");
}

/// A wire that is pulled over a bar, with a coated stretch that comes to lie on the bar on the way.
const PULLED: &str = r#"
schema = 1
[material.steel]
young   = "200 GPa"
poisson = 0.3
[joint.hand]
kind   = "prismatic"
axis   = [1, 0, 0]
parent = { position = ["-150 mm", 0, "2.001 mm"] }
travel = 0
[rod.wire]
material = "steel"
length   = "200 mm"
section  = { shape = "circle", radius = "1 mm" }
base     = { fixed_to = "hand" }
surface  = { coated = { from = "80 mm", to = "128 mm" } }
model    = { spline = { degree = 3, spans = 6 } }
[rod.bar]
material = "steel"
length   = "100 mm"
section  = { shape = "circle", radius = "1 mm" }
base     = { position = [0, "-50 mm", 0], tangent = [0, 1, 0] }
tip      = { position = [0, "50 mm", 0], tangent = [0, 1, 0] }
model    = { spline = { degree = 3, spans = 4 } }
[load.weight]
rod   = "wire"
at    = "tip"
force = [0, 0, "-0.2 N"]
[contact]
friction = 0.2
pairs    = [{ of = ["wire", "bar"] }, { of = ["bar", "wire.coated"], friction = 0.6 }]
[job]
kind    = "path"
samples = 11
[drive]
"hand.travel" = { ramp = [0, "50 mm"] }
"#;

/// Where two rods cross, the place of each counts: 0.2 until the coated stretch lies on the bar, 0.6 from then on.
#[test]
fn a_coated_stretch_is_pulled_over_a_bar() {
    let Answer::Path(path) = lissome::run(&scene(PULLED, &[]), &mut Unobserved).unwrap() else { panic!("a path") };
    assert_eq!(path.samples.len(), 11);
    let (mut plain, mut coated) = (0, 0);
    for sample in &path.samples[1..] {
        let found: &Equilibrium = &sample.equilibrium;
        assert!(found.outcome.converged());
        let pair: &ContactRecord = found.contact("wire", "bar").unwrap();
        let [point] = pair.contact.points.as_slice() else { panic!("{pair:?}") };
        // Along the wire, and across it and the bar.
        let along = found.rods[0].samples.iter().min_by(|a, b| (a.s - point.s).abs().total_cmp(&(b.s - point.s).abs()));
        let tangent: Vector3<f64> = along.unwrap().pose.rotation.rotate(&Vector3::x());
        let pulled = point.force.dot(&tangent).abs();
        let pressed = (point.force.norm_squared() - pulled * pulled).sqrt();
        let expected = if point.s > 0.08 && point.s < 0.128 { 0.6 } else { 0.2 };
        println!("s = {}: {} {expected}", point.s, pulled / pressed);
        // Tangents are those of the nearest place that is recorded.
        assert!((pulled / pressed / expected - 1.0).abs() < 0.02, "{point:?} {expected}");
        *(if expected > 0.5 { &mut coated } else { &mut plain }) += 1;
    }
    assert!(plain > 1 && coated > 1, "{plain} {coated}");
}
