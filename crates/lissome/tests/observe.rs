//! Robots from measured markers: on every rod model, with tendons and tubes, with missing and wrong markers.
#![allow(clippy::unwrap_used)]

use lissome::io::Ending;
use lissome::io::observe::{MarkerTable, Noise, ObserveSummary};
use lissome::model::Scene;
use lissome::observe::{ObserveOptions, observe_scene};
use lissome::solve::observe::{Observation, ObservedFrame, Seen};
use lissome::solve::{Equilibrium, Sample};
use lissome::{Answer, Unobserved};
use nalgebra::Vector3;

const ARM: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.silicone]
young = "0.5 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[rod.arm]
material = "silicone"
length = "200 mm"
section = { shape = "circle", radius = "8 mm" }
base = { fixed_to = "world", tangent = [0, 0, -1] }
[load.tip]
rod = "arm"
at = "tip"
force = "[0, 0, 0] N"
"#;
const FORCE: Vector3<f64> = Vector3::new(0.06, 0.02, 0.03);
const BENT: &str = "load.tip.force=[0.06, 0.02, 0.03] N";

fn scene(text: &str, settings: &[&str]) -> Scene {
    let settings: Vec<String> = settings.iter().map(|own| (*own).to_owned()).collect();
    lissome::io::scene::parse("arm.toml", text.to_owned(), &settings).unwrap().scene
}

fn equilibrium(scene: &Scene) -> Equilibrium {
    match lissome::run(scene, &mut Unobserved).unwrap() {
        Answer::Statics(equilibrium) if equilibrium.outcome.converged() => equilibrium,
        other => panic!("{other:?}"),
    }
}

/// A table with a frame for each list of positions of markers at these arc lengths.
fn table(scene: &Scene, rod: &str, arc: &[f64], frames: &[Vec<Option<Vector3<f64>>>], noise: &[&str]) -> MarkerTable {
    let names: Vec<String> =
        arc.iter().flat_map(|s| ["x", "y", "z"].map(|axis| format!("{rod}.at({s}).position.{axis}"))).collect();
    let mut text = names.join(",") + "\n";
    for frame in frames {
        let cells: Vec<String> = (frame.iter())
            .flat_map(|at| [0, 1, 2].map(|axis| at.map_or(String::new(), |at| format!("{:?}", at[axis]))))
            .collect();
        text += &(cells.join(",") + "\n");
    }
    let noise: Vec<String> = noise.iter().map(|own| (*own).to_owned()).collect();
    MarkerTable::parse("markers.csv", text, scene, &Noise::read(&noise).unwrap()).unwrap()
}

/// Positions of every k-th sample of a rod.
fn places(samples: &[Sample], every: usize) -> (Vec<f64>, Vec<Option<Vector3<f64>>>) {
    let chosen = samples.iter().skip(every).step_by(every);
    chosen.map(|own| (own.s, Some(own.pose.position))).unzip()
}

fn observe(scene: &Scene, table: &MarkerTable, unknown: &[&str]) -> Observation {
    let unknown = unknown.iter().map(|own| (*own).to_owned()).collect();
    let options = ObserveOptions { unknown, ..ObserveOptions::default() };
    observe_scene(scene, table, &options, &mut Unobserved).unwrap()
}

fn found(observation: &Observation) -> &ObservedFrame {
    let frame = &observation.frames[0];
    assert_eq!(frame.seen, Seen::Found);
    frame
}

fn value(frame: &ObservedFrame, path: &str) -> f64 {
    frame.unknowns.iter().find(|own| own.path == path).unwrap().value
}

#[test]
fn every_rod_model_gives_the_force_back() {
    let truth = equilibrium(&scene(ARM, &[BENT, "rod.arm.model={ spline = { degree = 3, spans = 64 } }"]));
    let samples = &truth.rods[0].samples;
    let (arc, at) = places(samples, 20);
    let tip = samples[100].pose.position;
    let hangs = equilibrium(&scene(ARM, &[])).rods[0].tip.position;
    for model in [
        "{ spline = { degree = 3 } }",
        "{ spline = { degree = 3, spans = 12, form = \"printed\" } }",
        "{ linear_strain = { elements = 16 } }",
        "{ strain_basis = { functions = \"legendre\", segments = 1, order = 3 } }",
    ] {
        let model = format!("rod.arm.model={model}");
        let own = scene(ARM, &[&model]);
        // How far the model itself is off, of the way that the force moves the tip: the force is told as well, but for the
        // directions in which the arm is stiff, ten times as stiff at most.
        let off = (equilibrium(&scene(ARM, &[BENT, &model])).rods[0].tip.position - tip).norm();
        let bar = 30.0 * off / (tip - hangs).norm() * FORCE.norm() + 1e-7;
        let exact = table(&own, "arm", &arc, std::slice::from_ref(&at), &[]);
        let answer = observe(&own, &exact, &["load.tip.force"]);
        let frame = found(&answer);
        for (axis, truth) in ["x", "y", "z"].iter().zip(FORCE.iter()) {
            let force = value(frame, &format!("load.tip.force.{axis}"));
            assert!((force - truth).abs() < bar, "{model} {axis}: {force} {truth}, bar {bar}");
        }
        // Through exact markers: each is met, and between them the arm is where it was but for what five cubics differ.
        let answer = observe(&own, &exact, &[]);
        let frame = found(&answer);
        assert!(frame.noise < 1e-9, "{model}: {}", frame.noise);
        for (found, truth) in frame.rods[0].samples.iter().zip(samples) {
            let apart = (found.sample.pose.position - truth.pose.position).norm();
            assert!(apart < 1e-3 * 0.2 + 10.0 * off, "{model} at {}: {apart}", truth.s);
        }
        // With noise the bands have a width, and what was measured without error lies inside.
        let noisy = table(&own, "arm", &arc, std::slice::from_ref(&at), &["0.5 mm"]);
        let answer = observe(&own, &noisy, &[]);
        let frame = found(&answer);
        assert!(frame.least && frame.energy > 0.0);
        for own in &frame.rods[0].samples[1..] {
            assert!(own.band.position.amax() > 0.0 && own.band.curvature.amax() > 0.0);
            assert!(own.band.position.amax() < 5e-3, "{model}: {}", own.band.position);
        }
    }
}

#[test]
fn bands_are_what_differences_of_the_data_say() {
    let truth = equilibrium(&scene(ARM, &[BENT]));
    let (arc, at) = places(&truth.rods[0].samples, 20);
    let own = scene(ARM, &["rod.arm.model={ spline = { degree = 3, spans = 10 } }"]);
    let energy = Some(1e-3);
    let options = ObserveOptions { energy, ..ObserveOptions::default() };
    let curvature = |at: &[Option<Vector3<f64>>]| {
        let table = table(&own, "arm", &arc, &[at.to_vec()], &["0.5 mm"]);
        let answer = observe_scene(&own, &table, &options, &mut Unobserved).unwrap();
        let frame = found(&answer).clone();
        let own = frame.rods[0].samples[35];
        (own.sample.strain.curvature.y, own.band.curvature.y, frame)
    };
    // What the curvature answers to each number by: with fixed T its variance is at least that of the data's noise, and for
    // springs much stiffer than the robot no more.
    let (_, band, frame) = curvature(&at);
    let step = 1e-5;
    let mut variance = 0.0;
    for marker in 0..at.len() {
        for axis in 0..3 {
            let moved = |by: f64| {
                let mut at = at.clone();
                at[marker].as_mut().unwrap()[axis] += by;
                curvature(&at).0
            };
            variance += ((moved(step) - moved(-step)) / (2.0 * step) * 5e-4).powi(2);
        }
    }
    let of_noise = 1.96 * variance.sqrt();
    assert!(of_noise <= 1.001 * band && of_noise > 0.3 * band, "{of_noise} {band}");
    assert!(frame.freedom > 0.0 && frame.freedom < 15.0);
}

#[test]
fn a_wrong_marker_is_named_and_a_missing_one_is_not_missed() {
    let truth = equilibrium(&scene(ARM, &[BENT]));
    let (arc, at) = places(&truth.rods[0].samples, 10);
    let own = scene(ARM, &[]);
    let mut missing = at.clone();
    (missing[3], missing[9]) = (None, None);
    let mut wrong = at.clone();
    *wrong[5].as_mut().unwrap() += Vector3::new(0.0, 0.02, 0.0);
    let nothing = vec![None; at.len()];
    let table = table(&own, "arm", &arc, &[at, missing, nothing, wrong], &["0.5 mm"]);
    for unknown in [&[][..], &["load.tip.force"][..]] {
        let answer = observe(&own, &table, unknown);
        let seen: Vec<Seen> = answer.frames.iter().map(|frame| frame.seen).collect();
        assert_eq!(seen, [Seen::Found, Seen::Found, Seen::Nothing, Seen::Found]);
        for (index, frame) in answer.frames.iter().enumerate() {
            let outliers: Vec<usize> = (0..frame.markers.len()).filter(|own| frame.markers[*own].outlier).collect();
            assert_eq!(outliers, if index == 3 { vec![5] } else { vec![] }, "{unknown:?} frame {index}");
        }
        // What was left out is where the others say, within their band.
        let last = &answer.frames[3];
        let apart = last.markers[5].residual - Vector3::new(0.0, 0.02, 0.0);
        let band = last.rods[0].samples[60].band.position;
        assert!((0..3).all(|axis| apart[axis].abs() <= band[axis].max(1e-4)), "{apart} {band}");
    }
}

#[test]
fn what_markers_cannot_tell_is_named() {
    // Twisting a hanging round rod moves no marker on its axis.
    let truth = equilibrium(&scene(ARM, &[]));
    let (arc, at) = places(&truth.rods[0].samples, 25);
    let own = scene(ARM, &[]);
    let table = table(&own, "arm", &arc, &[at], &["0.5 mm"]);
    let answer = observe(&own, &table, &["arm.tip.moment.z", "load.tip.force.x"]);
    let frame = found(&answer);
    assert_eq!(frame.blind.len(), 1);
    assert!(frame.blind[0][0].abs() > 0.0 && frame.blind[0][1].abs() < 1e-9 * frame.blind[0][0].abs());
    assert!(frame.unknowns[0].band.is_infinite() && frame.unknowns[1].band < 0.1);
}

#[test]
fn tensions_of_tendons_are_found() {
    let text = include_str!("../../../examples/scenes/tendon-arm.toml");
    let truth = equilibrium(&scene(text, &["tendon.lower.tension=[\"5 N\", \"0.5 N\", 0]"]));
    let (arc, at) = places(&truth.rods[0].samples, 10);
    let own = scene(text, &[]);
    let table = table(&own, "backbone", &arc, &[at], &["0.1 mm"]);
    let answer = observe(&own, &table, &["lower.1.tension", "lower.2.tension"]);
    let frame = found(&answer);
    for (path, truth) in [("lower.1.tension", 5.0), ("lower.2.tension", 0.5)] {
        let own = frame.unknowns.iter().find(|own| own.path == path).unwrap();
        // Without noise in the data, what is left is the division of the arm: much less than the band of 0.1 mm.
        assert!((own.value - truth).abs() < 0.05 * own.band, "{path}: {} ± {}", own.value, own.band);
    }
    // The bands against differences: the equilibrium with one more standard error of the first tension.
    let pulled = |by: f64| {
        let tension = format!("tendon.lower.tension=[\"{} N\", \"0.5 N\", 0]", 5.0 + by);
        equilibrium(&scene(text, &[&tension])).rods[0].samples[50]
    };
    let alone = observe(&scene(text, &["tendon.lower.tension=[\"5 N\", \"0.5 N\", 0]"]), &table, &["lower.1.tension"]);
    let frame = found(&alone);
    let (band, step) = (frame.unknowns[0].band, 0.01);
    let (up, down) = (pulled(step), pulled(-step));
    let sample = &frame.rods[0].samples[50];
    let check = |slope: Vector3<f64>, own: Vector3<f64>| {
        // Differences are good to the tolerance of the division, 1e-5 of lengths, over the step.
        (slope.abs() * band - own).amax() <= 0.02 * own.amax()
    };
    assert!(check((up.pose.position - down.pose.position) / (2.0 * step), sample.band.position));
    assert!(check((up.strain.curvature - down.strain.curvature) / (2.0 * step), sample.band.curvature));
    assert!(check((up.stress.moment - down.stress.moment) / (2.0 * step), sample.band.moment));
}

#[test]
fn tendons_that_rub_are_told() {
    let text = include_str!("../../../examples/scenes/tendon-arm.toml");
    for (friction, told) in [(0.15, true), (0.0, false)] {
        let own = scene(text, &[&format!("tendon.lower.friction={friction}")]);
        let (arc, at) = places(&equilibrium(&own).rods[0].samples, 10);
        let observation = observe(&own, &table(&own, "backbone", &arc, &[at], &["0.1 mm"]), &["lower.1.tension"]);
        let summary = ObserveSummary { scene: &own, observation: &observation, of: 1, ending: Ending::Finished };
        assert_eq!(summary.warnings().iter().any(|own| own.fault.code() == "W0758"), told, "{friction}");
    }
}

#[test]
fn tubes_are_observed() {
    let text = include_str!("../../../examples/scenes/concentric-tubes.toml");
    let pushed = r#"
[load.tip]
rod = "robot"
at = "tip"
force = "[0.05, 0.1, 0] N"
"#;
    let settings = ["drive.\"robot.inner.insertion\"=0.15", "job.kind=statics"];
    let Ok(loaded) = std::panic::catch_unwind(|| scene(&(text.to_owned() + pushed), &settings)) else {
        panic!("the scene is read")
    };
    let truth = equilibrium(&loaded);
    let (arc, at) = places(&truth.rods[0].samples, 10);
    let own = scene(text, &settings);
    let table = table(&own, "robot", &arc, &[at], &["0.2 mm"]);
    let answer = observe(&own, &table, &["robot.tip.force"]);
    let frame = found(&answer);
    for (axis, truth) in ["x", "y", "z"].iter().zip([0.05, 0.1, 0.0]) {
        let own = frame.unknowns.iter().find(|own| own.path == format!("robot.tip.force.{axis}")).unwrap();
        assert!((own.value - truth).abs() < 0.05 * own.band, "{axis}: {} ± {}", own.value, own.band);
    }
    let answer = observe(&own, &table, &[]);
    let tip = found(&answer).rods[0].samples[100];
    let apart = tip.sample.pose.position - truth.rods[0].samples[100].pose.position;
    assert!((0..3).all(|axis| apart[axis].abs() <= tip.band.position[axis]), "{apart} {}", tip.band.position);
}

#[test]
fn poses_and_places_off_the_axis_count() {
    let truth = equilibrium(&scene(ARM, &[BENT]));
    let samples = &truth.rods[0].samples;
    let (middle, tip) = (&samples[50], &samples[100]);
    let off = middle.pose.position + middle.pose.rotation.rotate(&Vector3::new(0.0, 0.008, 0.0));
    let q = tip.pose.rotation.quat_wxyz();
    let text = format!(
        "arm.at(100 mm; 8 mm; 0).position.x (mm),arm.at(100 mm; 8 mm; 0).position.z (mm),arm.tip.quat_wxyz.w,arm.tip.quat_wxyz.x,arm.tip.quat_wxyz.y,arm.tip.quat_wxyz.z\n{:?},{:?},{:?},{:?},{:?},{:?}\n",
        1e3 * off.x,
        1e3 * off.z,
        q[0],
        q[1],
        q[2],
        q[3]
    );
    let own = scene(ARM, &[]);
    let noise = Noise::read(&["0.5 mm".to_owned(), "1 deg".to_owned()]).unwrap();
    let table = MarkerTable::parse("markers.csv", text, &own, &noise).unwrap();
    let answer = observe(&own, &table, &["load.tip.force"]);
    let frame = found(&answer);
    for (axis, truth) in ["x", "y", "z"].iter().zip(FORCE.iter()) {
        let own = frame.unknowns.iter().find(|own| own.path == format!("load.tip.force.{axis}")).unwrap();
        assert!((own.value - truth).abs() < 0.05 * own.band, "{axis}: {} ± {}", own.value, own.band);
    }
    let answer = observe(&own, &table, &[]);
    let frame = found(&answer);
    assert!(frame.misfit < 1.0 && frame.markers[1].wrench.moment.norm() > 0.0, "{}", frame.misfit);
}
