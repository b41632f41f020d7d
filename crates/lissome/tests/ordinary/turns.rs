//! A rod that was closed after some turns.

use super::{loaded, refused, run};
use lissome::Answer;
use lissome::io::LoadedScene;
use std::f64::consts::TAU;

/// C = 0.1 N·m² so that three turns do not writhe: M L/B = 2π·3·0.1 = 1.9, below 2 × 4.49 of clamped ends.
const STRAIGHT: &str = r#"
schema = 1
[rod.wire]
length  = "1 m"
section = { stiffness = [0.1, 1, 1, 1e6, 1e6, 1e6] }
base    = { fixed_to = "world" }
tip     = { fixed_to = "world", position = ["1 m", 0, 0] }
turns   = [3, 0, 0]
model   = { spline = { degree = 3, spans = 16 } }
"#;

/// A ring of a straight rod, C/B = 1/2: stable up to √3 B/C = 3.46 turns of twist.
const RING: &str = r#"
schema = 1
[rod.ring]
length  = "1 m"
section = { stiffness = [0.5, 1, 1, 1e6, 1e6, 1e6] }
base    = { fixed_to = "world" }
tip     = { fixed_to = "world" }
turns   = [3, 0, 1]
model   = { spline = { degree = 3, spans = 32 } }
"#;

fn energy(scene: &LoadedScene) -> f64 {
    let answer = run(scene);
    assert!(answer.succeeded(), "{:?}", answer.outcome().unwrap().status);
    answer.outcome().unwrap().energy.elastic
}

#[test]
fn a_rod_closed_after_three_turns_of_twist_stores_them() {
    for (turns, n) in [("[3, 0, 0]", 3.0), ("[-2, 0, 0]", 2.0), ("[0, 0, 0]", 0.0)] {
        for loops in ["embedding", "constraints"] {
            let scene = loaded(STRAIGHT, &[&format!("rod.wire.turns={turns}"), &format!("world.loops={loops}")]);
            let exact = 0.5 * 0.1 * (TAU * n).powi(2);
            let found = energy(&scene);
            // Uniform twist is exact for any number of spans.
            assert!((found - exact).abs() < 1e-9 * exact.max(1.0), "{turns}, {loops}: {found} for {exact}");
        }
    }
}

#[test]
fn the_sense_of_the_turns_counts() {
    let moment = |turns: &str| {
        let answer = run(&loaded(STRAIGHT, &[&format!("rod.wire.turns={turns}")]));
        answer.rod("wire").unwrap().samples[50].stress.moment.x
    };
    let exact = 0.1 * TAU * 2.0;
    assert!((moment("[2, 0, 0]") - exact).abs() < 1e-8 && (moment("[-2, 0, 0]") + exact).abs() < 1e-8);
}

#[test]
fn a_ring_with_three_turns_of_twist_stores_both() {
    for loops in ["embedding", "constraints"] {
        for n in [0.0, 1.0, 3.0] {
            let scene = loaded(RING, &[&format!("rod.ring.turns=[{n}, 0, 1]"), &format!("world.loops={loops}")]);
            let exact = 0.5 * TAU * TAU * (1.0 + 0.5 * n * n);
            let found = energy(&scene);
            // A cubic spline of 32 spans on a circle that turns three times about itself.
            assert!((found / exact - 1.0).abs() < 1e-4, "{n} turns, {loops}: {found} for {exact}");
        }
    }
}

#[test]
fn a_path_begins_with_the_turns_too() {
    let path = format!(
        "{STRAIGHT}\n[joint.motor]\nkind = \"revolute\"\naxis = [1, 0, 0]\nparent = {{ fixed_to = \"world\" }}\n[drive]\n\"motor.angle\" = {{ ramp = [0, \"-90 deg\"] }}\n[job]\nkind = \"path\"\nsamples = 4\n"
    );
    let path = path.replace("base    = { fixed_to = \"world\" }", "base    = { fixed_to = \"motor\" }");
    let Answer::Path(answer) = run(&loaded(&path, &[])) else { panic!("the job is a path") };
    for sample in &answer.samples {
        // The base turns backwards, so that the twist grows.
        let exact = 0.5 * 0.1 * (3.0 * TAU + TAU / 4.0 * sample.at).powi(2);
        let found = sample.equilibrium.outcome.energy.elastic;
        assert!((found / exact - 1.0).abs() < 1e-8, "{}: {found} for {exact}", sample.at);
    }
    // The way round is a key of paths as well.
    assert!(loaded(&path, &["job.winding=shortest"]).scene.validate().is_ok());
}

#[test]
fn turns_that_nothing_keeps_are_refused() {
    let free = STRAIGHT.replace("tip     = { fixed_to = \"world\", position = [\"1 m\", 0, 0] }\n", "");
    assert!(refused(&free, &[]).contains("a free end unwinds"));
    assert!(refused(STRAIGHT, &["rod.wire.turns=[0.5, 0, 0]"]).contains("whole numbers of turns"));
    assert!(refused(STRAIGHT, &["rod.wire.turns=[30, 0, 0]"]).contains("at least 100"));
}
