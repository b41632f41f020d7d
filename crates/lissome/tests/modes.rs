//! Modes through the façade: as many spans as they need, where they need them, and a word where a division is too coarse.
#![allow(clippy::unwrap_used)]

use lissome::io::scene::parse;
use lissome::io::{Ending, Summary};
use lissome::solve::ModesAnswer;
use lissome::{Answer, Unobserved};
use std::f64::consts::{PI, TAU};

/// A round wire held by both ends under tension.
struct Wire {
    young: f64,
    density: f64,
    radius: f64,
    length: f64,
    /// Its length in the frame over its own.
    pulled: f64,
}

impl Wire {
    fn scene(&self, model: &str) -> String {
        let Self { young, density, radius, length, pulled } = self;
        let frame = length * pulled;
        format!(
            "schema = 1\n[material.m]\nyoung = {young}\npoisson = 0.3\ndensity = {density}\n\
             [rod.wire]\nmaterial = \"m\"\nlength = {length}\nsection = {{ shape = \"circle\", radius = {radius} }}\n\
             base = {{ fixed_to = \"world\" }}\ntip = {{ fixed_to = \"world\", position = [{frame}, 0, 0] }}\n{model}\n\
             [job]\nkind = \"modes\"\ncount = 5\n"
        )
    }

    /// Frequency of the n-th transverse mode of a clamped Euler–Bernoulli beam under tension, by bisection of
    /// 2αβ(1 − cosh α cos β) + (α² − β²) sinh α sin β = 0, with α² − β² = TL²/EI and αβ = ωL²√(μ/EI).
    fn frequency(&self, n: usize) -> f64 {
        let area = PI * self.radius.powi(2);
        let bending = self.young * PI * self.radius.powi(4) / 4.0;
        let tension = self.young * area * (self.pulled - 1.0);
        let length = self.length * self.pulled;
        let mass = self.density * area / self.pulled;
        let square = tension * length * length / bending;
        let alpha = |beta: f64| (square + beta * beta).sqrt();
        // Divided by cosh α.
        let equation = |beta: f64| {
            let a = alpha(beta);
            2.0 * a * beta * (1.0 / a.cosh() - beta.cos()) + square * a.tanh() * beta.sin()
        };
        let (mut low, mut high) = (PI * n as f64, PI * (n as f64 + 1.0) - 1e-9);
        let sign = equation(low + 1e-9) > 0.0;
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if (equation(middle) > 0.0) == sign { low = middle } else { high = middle }
        }
        alpha(low) * low / (length * length) * (bending / mass).sqrt() / TAU
    }
}

fn modes(text: &str) -> (ModesAnswer, Vec<&'static str>) {
    let scene = parse("wire.toml", text.to_owned(), &[]).unwrap().scene;
    let answer = lissome::run(&scene, &mut Unobserved).unwrap();
    let codes = Summary::of(&scene, &answer, Ending::Finished)
        .unwrap()
        .warnings()
        .iter()
        .map(|warning| warning.fault.code())
        .collect();
    let Answer::Modes(modes) = answer else { panic!("no modes") };
    (modes, codes)
}

const WIRES: [Wire; 3] = [
    Wire { young: 200e9, density: 7850.0, radius: 0.15e-3, length: 0.65, pulled: 1.005 },
    Wire { young: 2e6, density: 1100.0, radius: 1e-3, length: 0.3, pulled: 1.0005 },
    Wire { young: 70e9, density: 2700.0, radius: 5e-6, length: 2e-3, pulled: 1.002 },
];

#[test]
fn a_taut_wire_sounds_as_it_should() {
    for wire in WIRES {
        let (answer, codes) = modes(&wire.scene(""));
        assert!(codes.is_empty(), "{codes:?}");
        // Both planes alike, so that each comes twice.
        for (k, mode) in answer.modes.iter().enumerate() {
            let expected = wire.frequency(k / 2 + 1);
            // Shear and rotary inertia, which the formula leaves out, take (nπr/L)² or so.
            let thick = ((k / 2 + 1) as f64 * PI * wire.radius / wire.length).powi(2);
            let error = (mode.frequency - expected).abs() / expected;
            assert!(error < 1e-4 + thick, "mode {k}: {} Hz, expected {expected}", mode.frequency);
            assert!(mode.error <= 1e-4, "{}", mode.error);
        }
    }
}

#[test]
fn spans_that_are_too_few_for_the_modes_are_told() {
    let (answer, codes) = modes(&WIRES[0].scene("model = { spline = { spans = 12 } }"));
    assert_eq!(codes, ["W0508"]);
    // The wire bends within 1 mm of its ends, a span is 54 mm long: the estimate is of the error's size, which is 1.6 %.
    let error = answer.modes[0].frequency / WIRES[0].frequency(1) - 1.0;
    assert!(error > 0.01 && answer.modes[0].error > 0.2 * error, "{error} {}", answer.modes[0].error);
}

/// A rubber arm on a hinge that gravity holds at its stop, or clamped.
fn arm(base: &str) -> String {
    let hinge = match base {
        "hinge" => {
            "[joint.hinge]\nkind = \"revolute\"\naxis = [0, 1, 0]\nparent = \"world\"\nlimits = [\"-90 deg\", \"0 deg\"]\n"
        }
        _ => "",
    };
    format!(
        "schema = 1\n[world]\ngravity = [0, 0, -9.81]\n[material.rubber]\nyoung = \"5 MPa\"\npoisson = 0.45\ndensity = 1100\n{hinge}\
         [rod.arm]\nmaterial = \"rubber\"\nlength = 0.2\nsection = {{ shape = \"circle\", radius = 0.01 }}\nbase = {{ fixed_to = \"{base}\" }}\n\
         [job]\nkind = \"modes\"\ncount = 4\n"
    )
}

/// What a stop holds does not swing: the modes are those of the clamped arm.
#[test]
fn a_stop_holds() {
    let [(stopped, _), (clamped, _)] = ["hinge", "world"].map(|base| modes(&arm(base)));
    let swinging: Vec<f64> = clamped.modes.iter().map(|mode| mode.frequency).collect();
    for (own, other) in stopped.modes.iter().zip(&swinging) {
        assert!((own.frequency / other - 1.0).abs() < 1e-4, "{} for {swinging:?}", own.frequency);
    }
    let bar = "schema = 1\n[world]\ngravity = [0, 0, -9.81]\n[joint.hinge]\nkind = \"revolute\"\naxis = [0, 1, 0]\nparent = \"world\"\n\
               limits = [\"-10 deg\", \"10 deg\"]\n[body.bar]\nmass = 1\nshape = { box = [0.4, 0.02, 0.02] }\n\
               mount = { fixed_to = \"hinge\", position = [0.2, 0, 0] }\n[job]\nkind = \"modes\"\ncount = 3\n";
    let scene = parse("bar.toml", bar.to_owned(), &[]).unwrap().scene;
    let refused = lissome::run(&scene, &mut Unobserved).unwrap_err().to_string();
    assert!(refused.contains("nothing swings"), "{refused}");
}
