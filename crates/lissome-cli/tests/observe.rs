//! `lissome observe` as a user meets it: what it writes, what it refuses, and with which words.

#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use serde_json::Value as Json;
use std::fs;

const ARM: &str = r#"
schema = 1
title = "arm"
[material.silicone]
young = "0.5 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[rod.arm]
material = "silicone"
length = "200 mm"
section = { shape = "circle", radius = "8 mm" }
base = { fixed_to = "world", tangent = [1, 0, 0] }
[load.tip]
rod = "arm"
at = "tip"
force = "[0, 0, 0.01] N"
"#;

/// A bend in the x–z plane by eye: three places and their heights.
const BENT: &str = "time (ms),arm.at(0.1).position.x (mm),arm.at(0.1).position.z (mm),arm.at(0.15).position.z (mm),arm.tip.position.z (mm)
0,99,6,12.5,20
20,99,,12,19.5
";

fn folder(name: &str, table: &str) -> Folder {
    Folder::with(&format!("observe-{name}"), &[("arm.toml", ARM), ("markers.csv", table)])
}

fn json(folder: &Folder, arguments: &[&str], exit: i32) -> Json {
    let all = [&["observe", "arm.toml", "markers.csv"], arguments, &["--json"]].concat();
    serde_json::from_slice(&folder.lissome(&all, exit).stdout).unwrap()
}

#[test]
fn a_sequence_is_written_with_bands_and_a_report() {
    let folder = folder("whole", BENT);
    let answer = json(&folder, &["--noise", "0.5 mm"], 0);
    assert_eq!(answer["status"], "finished");
    assert_eq!(answer["frames"].as_array().unwrap().len(), 2);
    let frame = &answer["frames"][1];
    assert_eq!(frame["time"], 0.02);
    assert_eq!(frame["markers"].as_array().unwrap().len(), 3);
    assert!(frame["markers"][0]["residual"][1].is_null(), "y was not measured");
    assert!(frame["rods"][0]["largest_band"]["curvature"].as_f64().unwrap() > 0.0);
    let at = |name: &str| fs::read_to_string(folder.0.join("arm.observe").join(name)).unwrap();
    let shape = at("shape.csv");
    assert!(shape.starts_with("time,rod,s,position.x,"), "{}", &shape[..200]);
    let header = shape.lines().next().unwrap();
    assert!(header.ends_with("force_band.x,force_band.y,force_band.z"), "{header}");
    let columns = header.split(',').count();
    assert_eq!(shape.lines().count(), 1 + 2 * 101);
    assert!(shape.lines().all(|line| line.split(',').count() == columns));
    assert_eq!(at("residuals.csv").lines().count(), 1 + 2 * 3);
    assert!(at("report.html").contains("Along arm") && at("manifest.json").contains("\"observation\""));
    // Again over its own folder, and not over one that was touched.
    json(&folder, &["--noise", "0.5 mm", "--unknown", "load.tip.force.z"], 0);
    assert!(folder.0.join("arm.observe/unknowns.csv").is_file());
    fs::write(folder.0.join("arm.observe/shape.csv"), "mine").unwrap();
    assert_eq!(json(&folder, &[], 2)["errors"][0]["code"], "E0610");
}

#[test]
fn a_force_is_told_on_the_screen_with_its_band() {
    let folder = folder("screen", BENT);
    let arguments = ["observe", "arm.toml", "markers.csv", "--noise", "0.5 mm", "--unknown", "load.tip.force.z"];
    let said = String::from_utf8(folder.lissome(&arguments, 0).stdout).unwrap();
    assert!(said.contains("load.tip.force.z = ") && said.contains(" ± "), "{said}");
    assert!(said.contains("degrees of freedom") && said.contains("arm.observe/"), "{said}");
}

#[test]
fn wrong_tables_are_refused_at_their_place() {
    let x = "arm.at(0.1).position.x";
    for (name, text, code, line, column) in [
        ("empty", String::new(), "E0751", 1, 1),
        ("no-frame", format!("{x}\n"), "E0751", 2, 1),
        ("ragged", format!("{x},arm.tip.position.z\n1\n"), "E0751", 2, 1),
        ("text", format!("{x}\nabc\n"), "E0751", 2, 1),
        ("unit-in-cell", format!("{x}\n3 mm\n"), "E0751", 2, 1),
        ("nan", format!("{x}\nnan\n"), "E0751", 2, 1),
        ("wrong-unit", format!("{x} (N)\n1\n"), "E0751", 1, 1),
        ("no-unit", format!("{x} (furlong)\n1\n"), "E0751", 1, 1),
        ("twice", format!("{x},{x}\n1,2\n"), "E0751", 1, 24),
        ("beyond", "arm.at(0.3).position.x\n1\n".into(), "E0751", 1, 1),
        ("axis", "arm.tip.position.w\n1\n".into(), "E0751", 1, 1),
        ("quaternion", "arm.tip.quat_wxyz.w\n1\n".into(), "E0751", 1, 1),
        ("back-in-time", format!("time,{x}\n1,0.1\n1,0.1\n"), "E0751", 3, 1),
        ("nothing", format!("time,{x}\n1,\n"), "E0751", 1, 1),
        ("unknown", "arn.tip.position.x\n1\n".into(), "E0752", 1, 1),
        ("stranger", "banana\n1\n".into(), "E0752", 1, 1),
    ] {
        let folder = folder(name, &text);
        let refused = json(&folder, &[], 2);
        let error = &refused["errors"][0];
        assert_eq!(error["code"], code, "{name}: {error}");
        assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(line), Some(column)), "{name}: {error}");
        assert!(!folder.0.join("arm.observe").exists(), "{name}");
    }
    let near = json(&folder("near", "arn.tip.position.x\n1\n"), &[], 2);
    assert_eq!(near["errors"][0]["help"], "did you mean `arm.tip.position.x`?");
}

#[test]
fn wrong_questions_are_refused() {
    let base = "arm.at(0).position.x,arm.at(0).position.z\n0,0.001\n";
    let scaled = "tip.scale,arm.tip.position.x,arm.tip.position.z\n1,0.01,-0.19\n2,0.02,-0.18\n";
    for (name, table, arguments, code) in [
        ("noise", BENT, &["--noise", "0.5 N"][..], "E0754"),
        ("negative", BENT, &["--noise=-1 mm"], "E0754"),
        ("nobody", BENT, &["--noise", "0.5 mm", "--noise", "arm.tp=1 mm"], "E0754"),
        ("partly", BENT, &["--noise", "arm.tip=1 mm"], "E0754"),
        ("unknown", BENT, &["--unknown", "load.tpi.force"], "E0753"),
        ("geometry", BENT, &["--unknown", "rod.arm.length"], "E0753"),
        ("given", scaled, &["--noise", "0.5 mm", "--unknown", "load.tip.force.z"], "E0750"),
        ("given-scale", scaled, &["--noise", "0.5 mm", "--unknown", "tip.scale"], "E0750"),
        ("held", base, &["--noise", "0.5 mm"], "E0755"),
        ("held-force", base, &["--noise", "0.5 mm", "--unknown", "load.tip.force.z"], "E0755"),
        ("few", BENT, &["--noise", "0.5 mm", "--unknown", "load.tip.force", "--unknown", "load.tip.moment"], "E0756"),
        ("energy", BENT, &["--energy", "2 mm"], "E0001"),
        ("limit", BENT, &["--limit", "-1"], "E0001"),
        ("missing", BENT, &["rod.arm.lenght=3"], "E0203"),
    ] {
        let folder = folder(name, table);
        let refused = json(&folder, arguments, 2);
        assert_eq!(refused["errors"][0]["code"], code, "{name}: {refused:#}");
    }
}
