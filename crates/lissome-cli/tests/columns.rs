//! Names of numbers: every column and array that the program writes is on the page on run folders, by one spelling.

#![allow(clippy::unwrap_used)]

use lissome::io::run_folder::npz;
use lissome::model::Scene;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = include_str!("../../../docs/reference/run-folder.md");

/// Scenes that have every family and every job between them, with what keeps them short.
const SCENES: [(&str, &[&str]); 8] = [
    (include_str!("../../../examples/scenes/cable-arm.toml"), &["job.samples=3"]),
    (include_str!("../../../examples/scenes/swing.toml"), &["job.duration=0.02 s"]),
    (include_str!("../../../examples/scenes/sprung-arm.toml"), &[]),
    (include_str!("../../../examples/scenes/tendon-arm.toml"), &[]),
    (include_str!("../../../examples/scenes/rod-on-floor.toml"), &[]),
    (include_str!("../../../examples/scenes/two-grippers.toml"), &[]),
    (include_str!("../../../examples/scenes/strut.toml"), &[]),
    (MOVING, &[]),
];

/// Bodies, joints, a cable and something to touch, in motion.
const MOVING: &str = r#"
schema = 1
[joint.hinge]
kind = "universal"
axes = [[0, 1, 0], [0, 0, 1]]
parent = "world"
[body.link]
shape = { box = ["0.2 m", "20 mm", "20 mm"] }
density = 1000
mount = { fixed_to = "hinge", position = ["0.1 m", 0, 0] }
frames = { end = { position = ["0.1 m", 0, 0] } }
[cable.rope]
points = [{ position = ["0.3 m", 0, "0.3 m"] }, "link.end"]
tension = "0.1 N"
[obstacle.floor]
plane = {}
position = [0, 0, "-1 m"]
[world]
gravity = [0, 0, -9.81]
[job]
kind = "dynamics"
duration = "0.02 s"
step = "1 ms"
"#;

/// Code spans of the page.
fn documented() -> BTreeSet<&'static str> {
    PAGE.split('`').skip(1).step_by(2).collect()
}

/// A name as the page has it: families for parts, without its component.
fn general(scene: &Scene, name: &str) -> String {
    let names = |family: &'static str, names: Vec<&String>| -> Vec<(String, &'static str)> {
        names.into_iter().map(|name| (name.clone(), family)).collect()
    };
    let known = [
        names("ROD", scene.rods.iter().map(|rod| &rod.name).collect()),
        names("BODY", scene.bodies.iter().map(|body| &body.name).collect()),
        names("JOINT", scene.joints.iter().map(|joint| &joint.name).collect()),
        names("CABLE", scene.cables.iter().map(|cable| &cable.name).collect()),
        names("TENDON", scene.tendons.iter().map(|tendon| &tendon.name).collect()),
        names("SPRING", scene.springs.iter().map(|spring| &spring.name).collect()),
    ]
    .concat();
    let family = |part: &str| known.iter().find(|(name, _)| name == part).map(|(_, family)| *family);
    // Tendons of a set have numbers: `lower.1` is one name.
    let own = known.iter().filter(|(part, _)| part.contains('.') && name.starts_with(&format!("{part}.")));
    let own = own.max_by_key(|(part, _)| part.len());
    let name = own.map_or(name.to_owned(), |(part, family)| name.replacen(part.as_str(), family, 1));
    let parts: Vec<&str> = name.split('.').collect();
    let mut out: Vec<String> = Vec::new();
    match parts[..] {
        // A column that names a row, or a number of the whole scene.
        [alone] => return alone.to_owned(),
        ["drive", ..] => return "drive.PATH".into(),
        ["contact", _, _, ref rest @ ..] => {
            out.extend(["contact", "PART", "OBSTACLE"].map(str::to_owned));
            out.extend(rest.iter().map(|part| (*part).to_owned()));
        }
        [first, ref rest @ ..] => {
            let of_joint = family(first) == Some("JOINT");
            out.push(family(first).unwrap_or(first).to_owned());
            for (index, part) in rest.iter().enumerate() {
                let coordinate = of_joint && index == 0 && *part != "frame";
                let number = part.parse::<usize>().is_ok();
                let known = if index == 0 { family(part) } else { None };
                out.push(match (coordinate, number, known) {
                    (true, ..) => "COORDINATE".into(),
                    (_, true, _) => "NUMBER".into(),
                    (_, _, Some(family)) => family.into(),
                    _ => (*part).to_owned(),
                });
            }
        }
        [] => {}
    }
    if out.len() > 1 && ["w", "x", "y", "z"].contains(&out[out.len() - 1].as_str()) {
        out.pop();
    }
    out.join(".")
}

fn names_in(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        if file.ends_with(".csv") {
            let text = std::fs::read_to_string(&path).unwrap();
            let head = text.lines().next().unwrap().split(',').map(|name| (file.clone(), name.to_owned()));
            found.extend(head.collect::<Vec<_>>());
            // Every table is one that any program reads: numbers are plain, and each row is as long as the first.
            let width = text.lines().next().unwrap().split(',').count();
            assert!(text.lines().all(|line| line.split(',').count() == width), "{file}");
        } else if file.ends_with(".npz") && !file.starts_with("checkpoint") {
            let arrays = npz::read(&std::fs::read(&path).unwrap()).unwrap();
            found.extend(arrays.into_iter().map(|array| (file.clone(), array.name)));
        }
    }
    found
}

#[test]
fn every_column_and_array_is_on_the_page() {
    let root: PathBuf = std::env::temp_dir().join(format!("lissome-cli-columns-{}", std::process::id()));
    let documented = documented();
    let mut seen = BTreeSet::new();
    for (index, (text, overrides)) in SCENES.iter().enumerate() {
        let folder = root.join(index.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("scene.toml"), text).unwrap();
        let overrides: Vec<String> = overrides.iter().map(|one| (*one).to_owned()).collect();
        let scene = lissome::io::load(&folder.join("scene.toml"), &overrides).unwrap().scene;
        for arguments in [&["run", "scene.toml"][..], &["export", "scene.run", "--to", "csv,npz"]] {
            let overrides = overrides.iter().filter(|_| arguments[0] == "run");
            let output = Command::new(env!("CARGO_BIN_EXE_lissome"))
                .args(arguments)
                .args(overrides)
                .current_dir(&folder)
                .output()
                .unwrap();
            assert!(output.status.success(), "{index}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let exported = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        for place in exported.filter(|path| path.is_dir()) {
            for (file, name) in names_in(&place) {
                assert!(!name.contains("_x") && !name.contains("quat_w,"), "{file}: {name}");
                let general = general(&scene, &name);
                // `motion.csv` has the two ends of what the page says of the whole rod.
                let whole = general.replace("ROD.base.", "ROD.").replace("ROD.tip.", "ROD.");
                let known = documented.contains(general.as_str())
                    || file == "motion.csv" && documented.contains(whole.as_str());
                assert!(known, "{file}: `{general}` ({name}) is not on the page");
                seen.insert(general);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&root);
    // What the scenes are for.
    for name in [
        "ROD.velocity",
        "BODY.angular_velocity",
        "JOINT.COORDINATE.rate",
        "CABLE.points.NUMBER",
        "TENDON.ROD.pressure",
        "SPRING.force",
        "contact.PART.OBSTACLE.gap",
        "displacement",
        "tau",
    ] {
        assert!(seen.contains(name), "no scene writes {name}");
    }
}
