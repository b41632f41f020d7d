//! Robots and paths as a user meets them: the screen, the folder, the report, and what comes back out of it.

#![allow(clippy::unwrap_used)]

use lissome::Unobserved;
use lissome::io::run_folder::{self, RunFacts};
use lissome::io::size::Size;
use lissome::io::{Ending, LoadedScene, Summary, scene};
use lissome::mech::System;
use lissome::solve::{Equilibrium, PathSample};
use serde_json::Value as Json;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A rod with two plates and a cable through their holes, pulled in steps.
const ARM: &str = r#"
schema = 1
title = "cable-driven arm"
[material.rubber]
young = "1 MPa"
poisson = 0.45
[rod.arm]
material = "rubber"
length = "1 m"
section = { shape = "circle", radius = "20 mm" }
base = { fixed_to = "world", tangent = [1, 0, 0] }
[body]
plate_1 = { shape = { cylinder = { radius = "60 mm", length = "4 mm" } }, frames = { hole = { position = [0, 0, "60 mm"] } }, mount = { fixed_to = "arm", at = "0.5 m" } }
plate_2 = { like = "plate_1", mount = { fixed_to = "arm", at = "tip" } }
[cable.flexor]
points = [{ position = [0, 0, "60 mm"] }, "plate_1.hole", "plate_2.hole"]
tension = "0 N"
[load.hook]
on = "plate_2"
force = [0, 0, "-0.1 N"]
[drive]
"flexor.tension" = { ramp = ["0 N", "3 N"] }
[job]
kind = "path"
samples = 4
"#;

/// Two legs on a driven hinge hold a plate: a loop, a joint, and a body without solids.
const LOOP: &str = r#"
schema = 1
[material.m]
young = "10 GPa"
poisson = 0.3
[joint.motor]
kind = "revolute"
axis = [0, 1, 0]
parent = "world"
angle = 0
[body.plate]
start = { position = [0, 0, "200 mm"] }
[rod.left]
material = "m"
length = "200 mm"
section = { shape = "circle", radius = "0.5 mm" }
base = { fixed_to = "motor", position = ["-20 mm", 0, 0], tangent = [0, 0, 1] }
tip = { fixed_to = "plate", position = ["-20 mm", 0, 0], tangent = [0, 0, 1] }
[rod.right]
like = "left"
base = { position = ["20 mm", 0, 0] }
tip = { position = ["20 mm", 0, 0] }
[load.rope]
on = "plate"
toward = ["100 mm", 0, "600 mm"]
size = "50 mN"
[drive]
"motor.angle" = { ramp = ["0 deg", "10 deg"] }
[job]
kind = "path"
samples = 3
"#;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lissome-robots-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn with(self, file: &str, text: &str) -> Self {
        std::fs::write(self.0.join(file), text).unwrap();
        self
    }

    fn lissome(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_lissome")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    fn json(&self, arguments: &[&str], exit: i32) -> Json {
        let output = self.lissome(arguments);
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{}", String::from_utf8_lossy(&output.stdout));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn load(text: &str) -> LoadedScene {
    scene::parse("robot.toml", text.to_owned(), &[])
        .unwrap_or_else(|d| panic!("{}", d.iter().map(ToString::to_string).collect::<String>()))
}

/// Compares all that is stored. Rotations pass through normalised quaternions, hence a few ulp.
fn assert_same(a: &Equilibrium, b: &Equilibrium) {
    const ULPS: f64 = 1e-14;
    assert_eq!((a.rods.len(), a.bodies.len(), a.cables.len()), (b.rods.len(), b.bodies.len(), b.cables.len()));
    for (a, b) in a.rods.iter().zip(&b.rods) {
        assert_eq!((a.samples.len(), a.control_poses.len()), (b.samples.len(), b.control_poses.len()));
        for (a, b) in a.samples.iter().zip(&b.samples) {
            let gap = a.pose.boxminus(&b.pose);
            assert!(gap.linear.norm().max(gap.angular.norm()) < ULPS);
            assert_eq!((a.s, a.strain, a.stress), (b.s, b.strain, b.stress));
        }
        assert!((a.tip_wrench.to_vector() - b.tip_wrench.to_vector()).norm() < ULPS);
        assert!((a.base_wrench.to_vector() - b.base_wrench.to_vector()).norm() < ULPS);
    }
    for (a, b) in a.bodies.iter().zip(&b.bodies) {
        let gap = a.pose.boxminus(&b.pose);
        assert!(a.name == b.name && gap.linear.norm().max(gap.angular.norm()) < ULPS);
    }
    for (a, b) in a.joints.iter().zip(&b.joints) {
        assert!(a.values.iter().zip(&b.values).all(|(a, b)| (a - b).abs() < ULPS));
    }
    for (a, b) in a.cables.iter().zip(&b.cables) {
        assert!((a.tension - b.tension).abs() < ULPS && (a.length - b.length).abs() < ULPS);
        assert!(a.points.iter().zip(&b.points).all(|(a, b)| (a - b).norm() < ULPS));
    }
    assert_eq!((a.outcome.status, &a.outcome.history), (b.outcome.status, &b.outcome.history));
}

#[test]
fn a_path_is_written_and_read_back_whole() {
    for (name, text) in [("arm", ARM), ("loop", LOOP)] {
        let folder = Folder::new(&format!("whole-{name}"));
        let loaded = load(text);
        let answer = lissome::run(&loaded.scene, &mut Unobserved).unwrap();
        let summary = Summary::of(&loaded.scene, &answer, Ending::Finished).unwrap();
        assert_eq!(summary.status(), "converged", "{name}");
        let target = folder.0.join("robot.run");
        run_folder::write(&target, &loaded, &summary, &RunFacts::default()).unwrap();
        let stored = run_folder::read(&target).unwrap();
        assert_same(summary.equilibrium, &stored.equilibrium);
        assert_eq!(summary.path.len(), stored.path.len());
        for (a, b) in summary.path.iter().zip(&stored.path) {
            assert_eq!((a.at, &a.drives), (b.at, &b.drives));
            assert_same(&a.equilibrium, &b.equilibrium);
        }
        assert_eq!(summary.to_json()["path"], stored.summary().to_json()["path"]);
    }
}

#[test]
fn a_path_tells_every_family_on_one_screen_and_in_json() {
    let folder = Folder::new("screen").with("arm.toml", ARM).with("loop.toml", LOOP);
    let text = String::from_utf8(folder.lissome(&["run", "arm.toml"]).stdout).unwrap();
    assert!(text.lines().count() <= 24, "{text}");
    for words in ["2 bodies", "1 cable", "4 of 4 samples", "plate_2 at", "flexor 3 N", "path.csv"] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    let run = folder.json(&["run", "loop.toml", "--json"], 0);
    assert_eq!((run["path"]["done"].as_u64(), run["path"]["reached"].as_f64()), (Some(3), Some(1.0)));
    assert!((run["joints"]["motor"]["angle"].as_f64().unwrap().to_degrees() - 10.0).abs() < 1e-12);
    assert_eq!(run["loops"]["count"], 2);
    assert!(run["loops"]["gap"]["position"].as_f64().unwrap() < 1e-9);
    // Balance of the plate, whatever the discretisation: what the legs exert on it and the rope cancel.
    let position = run["bodies"]["plate"]["position"].as_array().unwrap();
    let at = |i: usize| position[i].as_f64().unwrap();
    let way = [0.1 - at(0), -at(1), 0.6 - at(2)];
    let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
    for axis in 0..3 {
        let on_tip = |leg: &str| run["rods"][leg]["tip"]["force"][axis].as_f64().unwrap();
        let sum = on_tip("left") + on_tip("right") + 0.05 * way[axis] / length;
        assert!(sum.abs() < 1e-9, "{axis}: {sum}");
    }
}

#[test]
fn the_tables_have_the_documented_columns() {
    let folder = Folder::new("tables").with("arm.toml", ARM);
    folder.json(&["run", "arm.toml", "--json"], 0);
    let path = folder.read("arm.run/path.csv");
    let head: Vec<&str> = path.lines().next().unwrap().split(',').collect();
    for name in ["parameter", "drive.flexor.tension", "smallest_eigenvalue", "arm.tip.position.z"] {
        assert!(head.contains(&name), "{name}");
    }
    assert!(head.contains(&"plate_1.quat_wxyz.w") && head.contains(&"flexor.points.2.x"));
    assert_eq!(path.lines().count(), 5);
    let tension = head.iter().position(|name| *name == "flexor.tension").unwrap();
    let column: Vec<f64> = path.lines().skip(1).map(|l| l.split(',').nth(tension).unwrap().parse().unwrap()).collect();
    assert_eq!(column, [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(folder.read("arm.run/bodies.csv").lines().count(), 3);
    let exported = folder.json(&["export", "arm.run", "--json"], 0);
    let files = exported["files"].to_string();
    for name in [
        "path.csv",
        "path_samples.csv",
        "path.npz",
        "bodies.csv",
        "cables.csv",
        "oblique.svg",
        "path-way-plate-2-side.svg",
    ] {
        assert!(files.contains(name), "{name} in {files}");
    }
    assert!(folder.read("arm.export/path.csv") == path);
}

#[test]
fn the_report_draws_bodies_cables_joints_and_the_way_there() {
    let folder = Folder::new("report").with("arm.toml", ARM).with("loop.toml", LOOP);
    folder.json(&["run", "arm.toml", "--json"], 0);
    folder.json(&["run", "loop.toml", "--json"], 0);
    let (arm, tied) = (folder.read("arm.run/report.html"), folder.read("loop.run/report.html"));
    for page in [&arm, &tied] {
        assert_eq!(
            (page.matches("<g>").count(), page.matches("<svg").count()),
            (page.matches("</g>").count(), page.matches("</svg>").count())
        );
        assert!(page.contains("class=\"trail") && page.contains("class=\"solid\"") && !page.contains("NaN"));
        assert!(page.contains("Along the path") && page.contains("Responses"));
    }
    assert!(arm.contains("flexor: 3 N") && arm.contains("<h2>Cables</h2>"));
    assert!(tied.contains("motor: angle 10°") && tied.contains("largest gap of 2 loops"));
    assert!(tied.contains(">50 mN</text>"), "the rope's arrow");
}

#[test]
fn a_path_that_stops_names_the_parameter_and_keeps_its_samples() {
    let folder = Folder::new("stops").with("arm.toml", ARM);
    let run = folder.json(&["run", "arm.toml", "job.max_iterations=1", "--json"], 3);
    assert_eq!(run["status"], "not_converged");
    let code = run["errors"][0]["code"].as_str().unwrap();
    assert!(["E0505", "E0506"].contains(&code), "{run}");
    assert!(run["errors"][0]["message"].as_str().unwrap().contains("parameter"), "{run}");
    assert!(folder.0.join("arm.run/path.csv").is_file());
    let run = folder.json(&["run", "arm.toml", "--limit", "1e-9", "--json"], 4);
    assert_eq!((run["status"].as_str(), run["errors"][0]["code"].as_str()), (Some("limit"), Some("E0507")));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_samples_found() {
    use std::io::{BufRead, BufReader, Read};
    let folder = Folder::new("interrupt").with("arm.toml", ARM);
    // Far more samples than can be found before a signal arrives.
    let mut child = Command::new(env!("CARGO_BIN_EXE_lissome"))
        .args(["run", "arm.toml", "job.samples=200000"])
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    // The scene's line is the last before the work begins.
    for _ in 0..2 {
        out.read_line(&mut String::new()).unwrap();
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    out.read_to_string(&mut String::new()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let stored = run_folder::read(&folder.0.join("arm.run")).unwrap();
    assert_eq!(stored.summary().status(), "interrupted");
    let path: &[PathSample] = &stored.path;
    assert!(!path.is_empty() && path.len() < 200_000);
    let found = |sample: &&PathSample| sample.equilibrium.outcome.converged();
    assert!(path.len() == 1 || path.iter().filter(found).count() == path.len());
}

#[test]
fn sizes_are_those_of_the_compiled_equations() {
    const LEFT: &str = "rod.left.model={ spline = { spans = 12 } }";
    const RIGHT: &str = "rod.right.model={ spline = { spans = 9 } }";
    let folder = Folder::new("sizes").with("arm.toml", ARM).with("loop.toml", LOOP);
    for (file, text, extra) in [
        ("arm.toml", ARM, vec!["rod.arm.model={ spline = { spans = 7 } }"]),
        ("loop.toml", LOOP, [LEFT, RIGHT].to_vec()),
        ("loop.toml", LOOP, [LEFT, RIGHT, "world.loops=constraints"].to_vec()),
        ("loop.toml", LOOP, vec!["rod.left.model={ linear_strain = { elements = 4 } }", RIGHT]),
    ] {
        let overrides: Vec<String> = extra.iter().map(|text| (*text).to_owned()).collect();
        let scene = scene::parse(file, text.to_owned(), &overrides).unwrap().scene;
        let system = System::compile(&scene).unwrap();
        for (index, rod) in system.rods().iter().enumerate() {
            assert_eq!(Size::of(&scene, index).control_poses, Some(rod.curve().pose_count()), "{file} {extra:?}");
        }
        let arguments = [vec!["check", file], extra, vec!["--json"]].concat();
        let check = folder.json(&arguments, 0);
        assert_eq!(check["unknowns"].as_u64(), Some(system.unknowns() as u64));
    }
}
