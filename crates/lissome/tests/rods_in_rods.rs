//! A rod in the bore of another one, through the whole program: against beams, against the work that pushes it, and by what both keep when they move
//! freely.

#![allow(clippy::unwrap_used)]

use lissome::io::scene;
use lissome::solve::PathSample;
use lissome::{Answer, Unobserved};
use std::f64::consts::PI;

fn answer(text: &str, set: &[&str]) -> Answer {
    let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    let file = scene::parse("scene.toml", text.to_owned(), &set).unwrap_or_else(|faults| panic!("{}", faults[0]));
    lissome::run(&file.scene, &mut Unobserved).unwrap()
}

/// A wire that reaches out of a stiffer sheath, both clamped at one place, with a force on its tip.
const REACHING: &str = r#"
schema = 1
[material.steel]
young   = "200 GPa"
poisson = 0.3
[material.polymer]
young   = "5 GPa"
poisson = 0.3
[rod.wire]
material = "steel"
length   = "10 cm"
section  = { shape = "circle", radius = "0.3 mm" }
base     = {}
model    = { spline = { degree = 3, spans = 20 } }
[rod.sheath]
material = "polymer"
length   = "8 cm"
section  = { shape = "annulus", inner = "0.4 mm", outer = "0.8 mm" }
base     = {}
model    = { spline = { degree = 3, spans = 10 } }
[contact]
pairs = [{ of = ["wire", "sheath"], bore = "0.4 mm" }]
[load.tip]
rod   = "wire"
at    = "tip"
force = [0, "1 mN", 0]
[job]
kind = "statics"
"#;

/// P a²(3L − a)/6B₁ − F a³/3B₁ = F a³/3B₂ + c at the mouth. Beams know no slope, of which the wire has 4e-3: forces differ by its square and, by
/// the shear of the sheath, 2e-4.
#[test]
fn the_mouth_of_a_sheath_holds_a_wire_as_beams_do() {
    let (wire, sheath) =
        (200e9 * PI / 4.0 * 0.3e-3f64.powi(4), 5e9 * PI / 4.0 * (0.8e-3f64.powi(4) - 0.4e-3f64.powi(4)));
    let (l, a, load, clearance) = (0.1, 0.08, 1e-3, 1e-4);
    let free = load * a * a * (3.0 * l - a) / (6.0 * wire);
    let expected = (free - clearance) / (a.powi(3) / 3.0 * (1.0 / wire + 1.0 / sheath));
    let strains = "rod.wire.model={ strain_basis = { order = 8 } }";
    let lines = "rod.wire.model={ linear_strain = { elements = 20 } }";
    for set in [&[][..], &[strains], &[lines]] {
        let Answer::Statics(found) = answer(REACHING, set) else { panic!("statics") };
        assert!(found.outcome.converged() && found.is_stable() == Some(true), "{set:?}: {:?}", found.outcome);
        let [pair] = &found.contacts[..] else { panic!("{:?}", found.contacts) };
        let [point] = &pair.contact.points[..] else { panic!("{set:?}: {:?}", pair.contact) };
        assert!((point.s - a).abs() < 1e-6 && pair.contact.least_gap.abs() < 1e-12, "{set:?}: {point:?}");
        assert!((-point.force.y / expected - 1.0).abs() < 1e-3, "{set:?}: {} for {expected}", -point.force.y);
        // What presses on one presses on the other.
        let held: f64 = found.rods.iter().map(|rod| rod.base_wrench.force.y).sum();
        assert!((held / load - 1.0).abs() < 1e-9, "{set:?}: {held}");
    }
}

fn pushed(friction: f64) -> Vec<PathSample> {
    let text = lissome::templates::find("wire-in-sheath").unwrap().text;
    let friction = format!("contact.pairs.0.friction={friction}");
    match answer(text, &[&friction, "job.samples=91", "rod.wire.model.spline.spans=24"]) {
        Answer::Path(path) => path.samples,
        other => panic!("{other:?}"),
    }
}

/// All work of the hand is stored in both rods, or rubbed away in between. By trapezoids over 90 steps of 1 mm, in which the force rises from
/// nothing over the first three spans: to a part in a hundred.
#[test]
fn what_pushes_a_wire_into_a_bent_sheath_is_stored_and_rubbed_away() {
    for friction in [0.0, 0.1] {
        let samples = pushed(friction);
        let (first, last) = (samples.first().unwrap(), samples.last().unwrap());
        assert!(samples.iter().all(|sample| sample.equilibrium.outcome.converged()), "{friction}");
        let force = |sample: &PathSample| -sample.equilibrium.rods[0].base_wrench.force.x;
        let pairs = samples.windows(2);
        let work: f64 =
            pairs.map(|pair| 0.5 * (force(&pair[0]) + force(&pair[1])) * (pair[1].drives[0] - pair[0].drives[0])).sum();
        let stored = last.equilibrium.outcome.energy.elastic - first.equilibrium.outcome.energy.elastic;
        let rubbed = last.friction.unwrap_or(0.0);
        println!("{friction}: {work:e} = {stored:e} + {rubbed:e}");
        assert!((work / (stored + rubbed) - 1.0).abs() < 0.01, "{friction}: {work:e}, {stored:e}, {rubbed:e}");
        assert!((rubbed > 0.3 * stored) == (friction > 0.0), "{friction}: {rubbed:e}");
    }
}

/// A wire that flies and turns in a sheath that nothing holds.
const FLYING: &str = r#"
schema = 1
[world]
gravity = [0, 0, 0]
[material.rubber]
young   = "20 MPa"
poisson = 0.45
density = "1100 kg/m^3"
damping = "0.2 ms"
[joint.one]
kind   = "free"
parent = { position = ["1 cm", 0, 0] }
[joint.two]
kind   = "free"
parent = {}
[rod.wire]
material = "rubber"
length   = "25 cm"
section  = { shape = "circle", radius = "2 mm" }
base     = { fixed_to = "one" }
model    = { spline = { degree = 3, spans = 10 } }
velocity = [0, "0.4 m/s", "0.1 m/s"]
spin     = [0, 0, "3 rad/s"]
[rod.sheath]
material = "rubber"
length   = "20 cm"
section  = { shape = "annulus", inner = "4 mm", outer = "6 mm" }
base     = { fixed_to = "two" }
model    = { spline = { degree = 3, spans = 8 } }
[contact]
friction = 0.3
pairs    = [{ of = ["wire", "sheath"], bore = "4 mm" }]
[job]
kind        = "dynamics"
start       = "natural"
duration    = "0.2 s"
step        = "1 ms"
output_rate = 200
"#;

/// What the two do to each other changes nothing of their momentum, about any point, and energy falls. Nothing comes through the wall.
#[test]
fn a_wire_that_flies_in_a_sheath_keeps_what_both_have() {
    for friction in ["contact.friction=0.0", "contact.friction=0.3"] {
        let Answer::Dynamics(motion) = answer(FLYING, &[friction]) else { panic!("a motion") };
        let frames = &motion.record.frames;
        let (first, last) = (frames.first().unwrap(), frames.last().unwrap());
        assert!((last.time - 0.2).abs() < 1e-12, "{friction}: ended at {}", last.time);
        let size = first.momentum.linear.norm();
        let mut least = f64::INFINITY;
        for pair in frames.windows(2) {
            let [before, after] = [&pair[0], &pair[1]];
            assert!((after.momentum.linear - first.momentum.linear).norm() < 1e-9 * size, "{friction}: {after:?}");
            let turn = (after.momentum.angular - first.momentum.angular).norm();
            assert!(turn < 1e-9 * first.momentum.angular.norm(), "{friction}: {turn:e}");
            let rise = after.energy.mechanical() - before.energy.mechanical();
            assert!(rise < 1e-6 * first.energy.kinetic, "{friction}: {rise:e} at {}", after.time);
            least = least.min(after.contacts[0].least_gap);
        }
        assert!(least > -1e-8 && least < 1e-6, "{friction}: {least:e}");
    }
}

#[test]
fn bores_that_cannot_be_are_refused() {
    let code = |pair: &str| {
        let text = REACHING.replace("{ of = [\"wire\", \"sheath\"], bore = \"0.4 mm\" }", pair);
        let faults = scene::parse("scene.toml", text, &[]).err();
        faults.map(|faults| faults[0].fault.code().to_owned())
    };
    assert_eq!(code("{ of = [\"wire\", \"sheath\"], bore = \"0.4 mm\" }"), None);
    let refused = [
        "{ of = [\"wire\", \"sheath\"], bore = \"0.3 mm\" }",
        "{ of = [\"wire\", \"sheath\"], bore = \"0.9 mm\" }",
        "{ of = [\"wire\", \"wire\"], bore = \"0.4 mm\" }",
        "{ of = [\"wire\", \"sheath\"], bore = \"0.4 mm\", touches = false }",
        "{ of = [\"wire\", \"sheath\"], bore = \"-0.4 mm\" }",
        "{ of = [\"wire\", \"sheath\"], bore = 0.4 }",
    ];
    for pair in refused {
        assert!(code(pair).is_some(), "{pair}");
    }
}
