//! What the program shows of springs, and its warning of rods that their frames twist.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn lissome(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lissome")).args(arguments).current_dir(folder).output().unwrap()
}

/// An arm between a spring to a crank and a bushing, both without force as it stands.
const SCENE: &str = r#"
schema = 1
[material.rubber]
young = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[rod.arm]
material = "rubber"
length = "30 cm"
section = { shape = "circle", radius = "10 mm" }
base = { fixed_to = "world" }
[joint.crank]
kind = "revolute"
parent = { position = [0, 0, "20 cm"] }
angle = "90 deg"
[spring.coil]
a = { fixed_to = "crank", position = ["10 cm", 0, 0] }
b = { fixed_to = "arm", at = "15 cm" }
stiffness = "2 N/m"
[spring.rubber]
a = { position = ["30 cm", "1 cm", 0] }
b = { fixed_to = "arm", at = "tip", position = [0, "1 cm", 0] }
bushing = { shift = "1 N/m" }
"#;

#[test]
fn springs_are_listed_and_drawn() {
    let folder = folder("springs-drawn");
    std::fs::write(folder.join("scene.toml"), SCENE).unwrap();
    let check = lissome(&folder, &["check", "scene.toml"]);
    let text = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(text.contains("springs  coil, rubber"), "{text}");
    let json: serde_json::Value =
        serde_json::from_slice(&lissome(&folder, &["check", "scene.toml", "--json"]).stdout).unwrap();
    assert_eq!(json["springs"], serde_json::json!(["coil", "rubber"]));
    let run = lissome(&folder, &["run", "scene.toml"]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let page = std::fs::read_to_string(folder.join("scene.run/report.html")).unwrap();
    // Two springs in each of the four views of a robot.
    assert_eq!(page.matches("class=\"spring\"").count(), 8);
    // The crank's end is at (0, 10, 20) cm, the arm at (15, 0, 0) cm.
    assert!(page.contains("<td>coil</td><td>2 N/m</td><td>269.3 mm</td>"), "the table");
    assert!(page.contains("<td>crank – arm at 150 mm</td>"), "the table");
    assert!(page.contains("<td>rubber</td><td>bushing</td>"), "the table");
    assert!(page.contains("2 springs"), "the sentence");
}

#[test]
fn springs_are_drawn_in_motion() {
    let folder = folder("springs-in-motion");
    let job = "[job]\nkind = \"dynamics\"\nduration = \"20 ms\"\noutput_rate = \"200 Hz\"\nstart = \"natural\"\n";
    std::fs::write(folder.join("scene.toml"), format!("{SCENE}{job}")).unwrap();
    let run = lissome(&folder, &["run", "scene.toml"]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let page = std::fs::read_to_string(folder.join("scene.run/report.html")).unwrap();
    // Five states, two springs, two views.
    assert_eq!(page.matches("class=\"spring\"").count(), 20);
}

#[test]
fn a_twist_that_nobody_asked_for_is_warned_of_by_check_and_run() {
    let folder = folder("twisted");
    let scene = r#"
schema = 1
[material.steel]
young = "200 GPa"
poisson = 0.3
[joint.motor]
kind = "revolute"
parent = "world"
angle = "120 deg"
[rod.leg]
material = "steel"
length = "20 cm"
section = { shape = "circle", radius = "1 mm" }
base = { fixed_to = "motor", tangent = [0, 0, 1] }
tip = { position = [0, 0, "20 cm"], tangent = [0, 0, 1] }
"#;
    std::fs::write(folder.join("scene.toml"), scene).unwrap();
    for verb in ["check", "run"] {
        let output = lissome(&folder, &[verb, "scene.toml"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(text.contains("warning[W0408]: rod `leg` is twisted by 120° between its ends at rest"), "{text}");
        assert!(text.contains("--> scene.toml:15:1") && text.contains("roll = \"120"), "{text}");
        let mended = lissome(&folder, &[verb, "scene.toml", "leg.tip.roll=\"120 deg\""]);
        assert!(!String::from_utf8_lossy(&mended.stderr).contains("W0408"));
    }
}
