//! Rods that begin along a line of their own, under stress.

use super::{loaded, refused, run};
use lissome::Progress;
use std::f64::consts::TAU;
use std::ops::ControlFlow;

/// Points of a part of a circle of radius 1/2π m, which leaves the origin along x.
fn arc(part: f64, count: usize) -> String {
    let point = |k: usize| {
        let angle = TAU * part * k as f64 / count as f64;
        format!("[{:.6}, {:.6}, 0]", angle.sin() / TAU, (1.0 - angle.cos()) / TAU)
    };
    let points: Vec<String> = (1..=count).map(point).collect();
    format!("[{}]", points.join(", "))
}

fn ring(laid: &str, model: &str) -> String {
    format!(
        r#"
schema = 1
[rod.ring]
length  = "1 m"
section = {{ stiffness = [0.5, 1, 1, 1e6, 1e6, 1e6] }}
base    = {{ fixed_to = "world" }}
tip     = {{ fixed_to = "world" }}
laid    = {laid}
model   = {model}
"#
    )
}

#[test]
fn a_rod_laid_in_a_ring_stays_one() {
    let models = [
        "{ spline = { degree = 3, spans = 32 } }",
        "{ spline = { degree = 3, spans = 32, form = \"printed\" } }",
        "{ linear_strain = { elements = 16 } }",
    ];
    let exact = 0.5 * TAU * TAU;
    for model in models {
        for loops in ["embedding", "constraints"] {
            let answer = run(&loaded(&ring(&arc(1.0, 24), model), &[&format!("world.loops={loops}")]));
            assert!(answer.succeeded(), "{model}, {loops}: {:?}", answer.outcome().unwrap().status);
            let found = answer.outcome().unwrap().energy.elastic;
            // As for a rod with one turn in bending; a straight one would have no energy.
            assert!((found / exact - 1.0).abs() < 1e-3, "{model}, {loops}: {found} for {exact}");
        }
    }
}

#[test]
fn a_bent_strip_that_is_let_go_has_the_energy_of_its_bend() {
    let scene = r#"
schema = 1
[material.rubber]
young   = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[rod.strip]
material = "rubber"
length   = "25 cm"
section  = { shape = "circle", radius = "20 mm" }
base     = { fixed_to = "world" }
model    = { spline = { degree = 3, spans = 12 } }
[job]
kind     = "dynamics"
start    = "natural"
duration = "2 ms"
step     = "0.1 ms"
"#;
    let text = scene.replace("[job]", &format!("laid = {}\n[job]", arc(0.25, 8)));
    let mut first = None;
    let answer = lissome::run(&loaded(&text, &[]).scene, &mut |progress: &Progress<'_>| {
        if let Progress::Frame(state) = progress {
            first.get_or_insert(state.frame.energy);
        }
        ControlFlow::Continue(())
    });
    assert!(answer.unwrap().succeeded());
    let stiffness = 1e6 * std::f64::consts::PI / 4.0 * 0.02f64.powi(4);
    let exact = 0.5 * stiffness * TAU * TAU * 0.25;
    let first = first.unwrap();
    // The line ends without curvature, which costs less than half of the last of eight stretches.
    assert!((first.elastic / exact - 1.0).abs() < 0.5 / 8.0, "{} for {exact}", first.elastic);
}

#[test]
fn lines_that_are_not_the_rods_are_refused() {
    let spline = "{ spline = { degree = 3, spans = 32 } }";
    let with = |laid: &str| refused(&ring(laid, spline), &[]);
    assert!(with("[[0.3, 0, 0], [0.5, 0, 0]]").contains("50.0 % as long"));
    assert!(with("[[-0.5, 0, 0], [-1, 0, 0]]").contains("backwards"));
    assert!(with("[[0.5, 0, 0], [0.5, 0, 0], [1, 0, 0]]").contains("two points in one place"));
    assert!(with("[[0.5, 0], [1, 0]]").contains("three coordinates"));
    assert!(with("[[\"0.5 kg\", 0, 0], [1, 0, 0]]").contains("E0306"));
    let straight = "[[0.5, 0, 0], [1, 0, 0]]";
    let scene = ring(straight, spline);
    assert!(refused(&scene, &["rod.ring.turns=[1, 0, 0]"]).contains("leave out `turns`"));
    assert!(refused(&ring(straight, "{ strain_basis = { segments = 4 } }"), &[]).contains("strain"));
    let no_base = scene.replace("base    = { fixed_to = \"world\" }\n", "");
    assert!(refused(&no_base, &[]).contains("base"));
}
