//! Accuracy as the default: what every job does with a rod that says nothing of its spans, and with one that says too few.

use lissome::io::{self, Ending, MotionSummary, Summary};
use lissome::model::Scene;
use lissome::{Answer, Unobserved};

const SCENE: &str = r#"
schema = 1

[material.steel]
young   = "200 GPa"
poisson = 0.3
density = "7800 kg/m^3"

[rod.arm]
material = "steel"
length   = "500 mm"
section  = { shape = "circle", radius = "1 mm" }
base     = { fixed_to = "world" }

[load.tip]
rod   = "arm"
at    = "tip"
force = [0, 0, "8 N"]
"#;

fn read(more: &str, settings: &[&str]) -> Scene {
    let settings: Vec<String> = settings.iter().map(|text| (*text).to_owned()).collect();
    io::scene::parse("inline", format!("{SCENE}{more}"), &settings).expect("the scene is sound").scene
}

fn run(scene: &Scene) -> Answer {
    let answer = lissome::run(scene, &mut Unobserved).expect("the scene is sound");
    assert!(answer.succeeded());
    answer
}

fn codes(scene: &Scene, answer: &Answer) -> Vec<&'static str> {
    let summary = Summary::of(scene, answer, Ending::Finished).expect("an equilibrium");
    summary.warnings().into_iter().map(|warning| warning.fault.code()).collect()
}

#[test]
fn a_coarse_answer_is_never_quiet() {
    let coarse = read("", &["rod.arm.model={ spline = { spans = 1 } }"]);
    let answer = run(&coarse);
    let rod = answer.rod("arm").expect("the arm");
    assert_eq!(rod.control_poses.len(), 4, "a number of spans is obeyed");
    assert!(rod.discretisation_error > 1e-3, "{:e}", rod.discretisation_error);
    assert_eq!(codes(&coarse, &answer), ["W0507"]);

    let default = read("", &[]);
    let answer = run(&default);
    let fine = answer.rod("arm").expect("the arm");
    assert!(fine.discretisation_error <= 1e-5, "{:e}", fine.discretisation_error);
    assert!(codes(&default, &answer).is_empty());
    // The estimate of the coarse rod is its distance from the fine one.
    let far = rod.samples.iter().zip(&fine.samples).map(|(a, b)| {
        let turn = (a.pose.rotation.inverse() * b.pose.rotation).angle();
        turn.max((a.pose.position - b.pose.position).norm() / 0.5)
    });
    let far = far.fold(0.0, f64::max);
    let ratio = rod.discretisation_error / far;
    assert!((0.3..30.0).contains(&ratio), "{ratio}");
}

#[test]
fn a_path_is_divided_for_its_whole_way() {
    // Hardly bent in the beginning, wound up in the end.
    let scene = read(
        "[drive]\n\"tip.scale\" = { ramp = [0, 6] }\n[job]\nkind = \"path\"\nsamples = 13\n",
        &["load.tip.moment=[0, 0.6, 0]"],
    );
    let answer = run(&scene);
    let Answer::Path(path) = &answer else { panic!("a path") };
    for sample in &path.samples {
        let error = sample.equilibrium.rods[0].discretisation_error;
        assert!(error <= 1e-5, "at {}: {error:e}", sample.at);
    }
    assert!(codes(&scene, &answer).is_empty());
}

#[test]
fn modes_take_a_tolerance() {
    let scene = read("[job]\nkind = \"modes\"\ncount = 6\n", &["load.tip.force=[0, 0, 0]"]);
    let Answer::Modes(modes) = run(&scene) else { panic!("modes") };
    // Bending of a cantilever, βL from cos βL cosh βL = −1; twice each, for a round rod. Shear and rotary inertia take
    // (r/L)² βL² of it, 1e-4 for the third.
    let (young, density, radius, length): (f64, f64, f64, f64) = (200e9, 7800.0, 1e-3, 0.5);
    let unit = (young * radius * radius / 4.0 / density).sqrt() / (length * length) / std::f64::consts::TAU;
    for (index, beta) in [1.875_104_07, 4.694_091_13, 7.854_757_44_f64].iter().enumerate() {
        let exact = beta * beta * unit;
        let found = modes.modes[2 * index].frequency;
        assert!((found / exact - 1.0).abs() < 5e-4, "{found} not {exact}");
    }
}

#[test]
fn a_motion_takes_a_tolerance_and_warns_of_few_spans() {
    let job = "[job]\nkind = \"dynamics\"\nduration = \"20 ms\"\noutput_rate = \"500 Hz\"\n";
    for (settings, code) in [(&[][..], None), (&["rod.arm.model={ spline = { spans = 1 } }"][..], Some("W0507"))] {
        let scene = read(job, &[settings, &["job.start=natural"]].concat());
        let Answer::Dynamics(motion) = lissome::run(&scene, &mut Unobserved).expect("sound") else {
            panic!("a motion")
        };
        let summary = MotionSummary { scene: &scene, motion: &motion, ending: Ending::Finished, wall_seconds: 0.0 };
        let found: Vec<&str> = summary.warnings().iter().map(|warning| warning.fault.code()).collect();
        assert_eq!(found.iter().find(|found| **found == "W0507").copied(), code, "{found:?}");
    }
}

/// A column that buckles on the way to its load says so, whoever chose its spans; P = π²EI/4L² = 1.55 N.
#[test]
fn a_buckled_column_is_told_whoever_chose_its_spans() {
    let models = [
        "{ spline = {} }",
        "{ spline = { spans = 12 } }",
        "{ linear_strain = {} }",
        "{ strain_basis = {} }",
        "{ strain_basis = { order = 5 } }",
        "{ strain_basis = { segments = 16 } }",
        "{ strain_basis = { functions = \"constant\", tolerance = 1e-3 } }",
    ];
    for model in models {
        let scene = read("", &[&format!("rod.arm.model={model}"), "load.tip.force=[-4, 0, 0]"]);
        let answer = run(&scene);
        // That a round column may turn about its axis is no error of its division.
        assert_eq!(codes(&scene, &answer), ["W0512"], "{model}");
        let event = answer.equilibrium().expect("an equilibrium").outcome.events[0];
        let critical = std::f64::consts::PI.powi(3) * 200e9 * 1e-12 / 4.0 / (4.0 * 0.25);
        // The way along the load is that of the first division: constants on eight pieces of a quarter wave err by (π/16)²/12.
        let within = if model.contains("constant") { 3.3e-3 } else { 1e-3 };
        assert!((event.at * 4.0 / critical - 1.0).abs() < within, "{model}: {}", event.at);
    }
}

/// A wire that is pulled has one equilibrium. That it is hard to follow from no load at all is no event.
#[test]
fn a_taut_wire_is_on_its_branch() {
    for model in ["{ spline = {} }", "{ linear_strain = { elements = 400 } }"] {
        let scene = read(
            "",
            &[&format!("rod.arm.model={model}"), "rod.arm.section.radius=1e-4", "load.tip.force=[25, 0, 0.05]"],
        );
        let found = codes(&scene, &run(&scene));
        assert!(!found.contains(&"W0512"), "{model}: {found:?}");
    }
}
