//! Single faults, one at a time, in an otherwise good scene: each is refused with exit code 2, its code, its place and
//! a hint, and nothing is written.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const GOOD: &str = r#"schema = 1
title = "good"
[world]
gravity = [0, 0, -9.81]
[material.nitinol]
young = "60 GPa"
poisson = 0.33
density = "6450 kg/m^3"
damping = "0.5 ms"
[rod.arm]
material = "nitinol"
length = "240 mm"
section = { shape = "circle", radius = "0.5 mm" }
base = { fixed_to = "world", position = [0, 0, 0], tangent = [0, 0, 1] }
shape = "straight"
model = { spline = { degree = 3, spans = 12, form = "mixed" } }
[load.tip]
rod = "arm"
at = "tip"
force = [0, "0.1 N", 0]
frame = "world"
[job]
kind = "statics"
"#;

/// What is replaced, by what, and the code that must answer.
const FAULTS: &[(&str, &str, &str)] = &[
    // NaN, infinite, too large
    ("\"60 GPa\"", "nan", "E0302"),
    ("\"240 mm\"", "inf", "E0302"),
    ("\"240 mm\"", "1e999", "E0302"),
    ("\"240 mm\"", "\"inf m\"", "E0302"),
    ("[0, 0, -9.81]", "[0, 0, nan]", "E0302"),
    ("[0, \"0.1 N\", 0]", "[0, \"nan N\", 0]", "E0302"),
    ("position = [0, 0, 0]", "position = [0, -inf, 0]", "E0302"),
    ("spans = 12", "spans = inf", "E0302"),
    // negative and zero
    ("\"60 GPa\"", "\"-60 GPa\"", "E0303"),
    ("\"60 GPa\"", "0", "E0303"),
    ("\"240 mm\"", "\"0 mm\"", "E0303"),
    ("\"240 mm\"", "-0.24", "E0303"),
    ("\"0.5 mm\"", "0.0", "E0303"),
    ("\"6450 kg/m^3\"", "\"0 kg/m^3\"", "E0303"),
    ("\"0.5 ms\"", "\"-0.5 ms\"", "E0304"),
    ("spans = 12", "spans = 0", "E0303"),
    ("spans = 12", "spans = -3", "E0304"),
    ("radius = \"0.5 mm\"", "radius = \"0.5 mm\", shear_factor = 0", "E0303"),
    ("kind = \"statics\"", "kind = \"statics\"\nmax_iterations = 0", "E0303"),
    // outside a range
    ("poisson = 0.33", "poisson = 0.6", "E0305"),
    ("poisson = 0.33", "poisson = -1", "E0305"),
    ("degree = 3", "degree = 9", "E0305"),
    ("spans = 12", "tolerance = 1e-30", "E0305"),
    // units
    ("\"240 mm\"", "\"240 kg\"", "E0306"),
    ("\"60 GPa\"", "\"60 GN\"", "E0306"),
    ("\"0.5 mm\"", "\"0.5 mm^2\"", "E0306"),
    ("[0, \"0.1 N\", 0]", "\"[0, 0.1, 0] m\"", "E0306"),
    ("\"240 mm\"", "\"0.24\"", "E0307"),
    ("\"240 mm\"", "\"240 mn\"", "E0308"),
    ("\"240 mm\"", "\"240 millimetrs\"", "E0308"),
    ("\"60 GPa\"", "\"60 gpa\"", "E0308"),
    ("\"240 mm\"", "\"mm 240\"", "E0309"),
    ("\"240 mm\"", "\"2,40 mm\"", "E0309"),
    ("\"240 mm\"", "\"240 mm^99\"", "E0309"),
    ("\"240 mm\"", "\"\"", "E0309"),
    // types and counts
    ("\"240 mm\"", "true", "E0301"),
    ("\"240 mm\"", "[0.24]", "E0301"),
    ("\"240 mm\"", "2026-01-01", "E0301"),
    ("material = \"nitinol\"", "material = 3", "E0301"),
    ("{ shape = \"circle\", radius = \"0.5 mm\" }", "\"circle\"", "E0301"),
    ("[0, 0, -9.81]", "-9.81", "E0301"),
    ("[0, 0, -9.81]", "[0, -9.81]", "E0310"),
    ("tangent = [0, 0, 1]", "quat_wxyz = [1, 0, 0]", "E0310"),
    ("radius = \"0.5 mm\"", "radius = [1, 2, 3]", "E0310"),
    ("spans = 12", "spans = 2.5", "E0311"),
    ("title = \"good\"", "title = 7", "E0301"),
    // keys and names
    ("young =", "yung =", "E0203"),
    ("length =", "lenght =", "E0203"),
    ("fixed_to =", "fixedto =", "E0203"),
    ("[job]", "[jobb]", "E0203"),
    ("tangent =", "quat =", "E0203"),
    ("spans =", "elements =", "E0203"),
    ("young = \"60 GPa\"\n", "", "E0204"),
    ("length = \"240 mm\"\n", "", "E0204"),
    ("at = \"tip\"\n", "", "E0204"),
    ("rod = \"arm\"\n", "", "E0204"),
    ("radius = \"0.5 mm\"", "shear_factor = 1", "E0204"),
    ("poisson = 0.33\n", "", "E0208"),
    ("force = [0, \"0.1 N\", 0]\n", "", "E0208"),
    ("material = \"nitinol\"", "material = \"nitinoll\"", "E0205"),
    ("rod = \"arm\"", "rod = \"leg\"", "E0205"),
    ("shape = \"circle\"", "shape = \"cirle\"", "E0206"),
    ("frame = \"world\"", "frame = \"word\"", "E0206"),
    ("kind = \"statics\"", "kind = \"dinamics\"", "E0206"),
    ("fixed_to = \"world\"", "fixed_to = \"moon\"", "E0212"),
    ("shape = \"straight\"", "shape = \"bent\"", "E0206"),
    ("form = \"mixed\"", "form = \"mixt\"", "E0206"),
    ("at = \"tip\"", "at = \"top\"", "E0206"),
    ("poisson = 0.33", "poisson = 0.33\nshear = \"20 GPa\"", "E0207"),
    ("radius = \"0.5 mm\"", "radius = \"0.5 mm\", diameter = \"1 mm\"", "E0207"),
    ("radius = \"0.5 mm\"", "width = \"0.5 mm\"", "E0207"),
    ("tangent = [0, 0, 1]", "tangent = [0, 0, 1], quat_wxyz = [1, 0, 0, 0]", "E0207"),
    ("spans = 12", "spans = 12, control_poses = 15", "E0207"),
    ("at = \"tip\"", "at = \"tip\"\nfrom = \"base\"", "E0207"),
    ("[rod.arm]", "[rod.\"arm 1\"]", "E0211"),
    ("schema = 1", "schema = 2", "E0202"),
    ("schema = 1\n", "", "E0201"),
    // physics
    ("tangent = [0, 0, 1]", "tangent = [0, 0, 0]", "E0312"),
    ("tangent = [0, 0, 1]", "quat_wxyz = [0, 0, 0, 0]", "E0313"),
    ("tangent = [0, 0, 1]", "quat_wxyz = [2, 0, 0, 0]", "E0313"),
    ("shape = \"circle\", radius = \"0.5 mm\"", "shape = \"annulus\", inner = \"2 mm\", outer = \"1 mm\"", "E0407"),
    ("radius = \"0.5 mm\"", "radius = \"2 mm\", sheath = { outer = \"1 mm\", material = \"nitinol\" }", "E0407"),
    ("base = { fixed_to = \"world\", position = [0, 0, 0], tangent = [0, 0, 1] }\n", "", "E0403"),
    ("density = \"6450 kg/m^3\"\n", "", "E0404"),
    ("at = \"tip\"", "at = \"300 mm\"", "E0405"),
    ("at = \"tip\"", "at = -0.1", "E0405"),
    ("spans = 12", "spans = 5000000", "E0413"),
    ("spans = 12", "control_poses = 2", "E0411"),
    ("radius = \"0.5 mm\"", "table = [{ at = 0, radius = 1 }, { at = \"100 mm\", radius = 1 }]", "E0408"),
    ("radius = \"0.5 mm\"", "table = [{ at = \"tip\", radius = 1 }, { at = 0, radius = 1 }]", "E0409"),
    ("radius = \"0.5 mm\"", "table = []", "E0310"),
    (
        "\"straight\"",
        "{ control_poses = [{ position = [0, 0, 0] }, { position = [0.2, 0, 0], tangent = [-1, 0, 0] }] }",
        "E0412",
    ),
    ("\"straight\"", "{}", "E0208"),
    // text
    ("length = \"240 mm\"", "length = \"240 mm\"\nlength = 3", "E0104"),
    ("length = \"240 mm\"", "length = 240 mm", "E0101"),
    ("[load.tip]", "[load.tip", "E0101"),
    ("schema = 1", "schema = = 1", "E0101"),
];

/// A hinge, a rod, a plate, a cable and a loop.
const ROBOT: &str = r#"schema = 1
[material.nitinol]
young = "60 GPa"
poisson = 0.33
density = "6450 kg/m^3"
[joint.motor]
kind = "revolute"
parent = { fixed_to = "world" }
angle = "0 deg"
[rod.arm]
material = "nitinol"
length = "240 mm"
section = { shape = "circle", radius = "0.5 mm" }
base = { fixed_to = "motor" }
[body.plate]
mass = "5 g"
frames = { hole = { position = [0, 0, "8 mm"] } }
mount = { fixed_to = "arm", at = "tip" }
[body.hand]
start = { position = ["240 mm", 0, 0] }
velocity = [0, 0, "0.1 m/s"]
[closure.wrist]
a = { fixed_to = "plate" }
b = { fixed_to = "hand" }
kind = "spherical"
stiffness = "0.1 N*m/rad"
[cable.flexor]
points = [{ position = [0, 0, "8 mm"] }, { fixed_to = "plate.hole" }]
tension = "1 N"
[spring.return]
a = { fixed_to = "world", position = [0, "1 m", 0] }
b = { fixed_to = "arm", at = "100 mm" }
rest_length = "50 mm"
stiffness = "20 N/m"
[spring.mount]
a = { position = ["0.24 m", 0, 0] }
b = { fixed_to = "hand", roll = 0 }
bushing = { turn = "2 N*m/rad", shift = ["1 kN/m", 200, 200] }
[load.rope]
on = { fixed_to = "hand" }
toward = [0, 0, 1]
size = "0.1 N"
[drive]
"motor.angle" = { table = [["0 s", 0], ["2 s", "10 deg"]] }
[job]
kind = "dynamics"
duration = "2 s"
output_rate = "100 Hz"
step = "1 ms"
"#;

/// The same for what robots have.
const ROBOT_FAULTS: &[(&str, &str, &str)] = &[
    ("fixed_to = \"motor\"", "fixed_to = \"moter\"", "E0212"),
    ("fixed_to = \"plate.hole\"", "fixed_to = \"plate.hoel\"", "E0212"),
    ("[cable.flexor]", "[cable.arm]", "E0213"),
    ("[body.hand]", "[body.hand]\nlike = \"hand\"", "E0214"),
    ("[body.hand]", "[body.hand]\nlike = \"plato\"", "E0205"),
    ("\"motor.angle\" =", "\"moter.angle\" =", "E0215"),
    ("\"motor.angle\" =", "\"motor.torque\" =", "E0216"),
    ("[drive]", "[drive]\n\"motor.torque\" = 1", "E0423"),
    ("[\"2 s\", \"10 deg\"]", "[\"2 s\", \"10 N\"]", "E0306"),
    ("[\"2 s\", \"10 deg\"]", "[\"1 s\", \"10 deg\"]", "E0421"),
    ("[\"2 s\", \"10 deg\"]", "[\"-1 s\", \"10 deg\"]", "E0422"),
    ("start = {", "mount = \"arm\"\nstart = {", "E0207"),
    ("parent = { fixed_to = \"world\" }", "parent = { fixed_to = \"arm\" }", "E0417"),
    ("[closure.wrist]", "[joint.idle]\nkind = \"free\"\nparent = \"arm\"\n[closure.wrist]", "E0418"),
    ("b = { fixed_to = \"hand\" }\nkind = \"spherical\"\nstiffness = \"0.1 N*m/rad\"", "b = \"plate\"", "E0419"),
    ("b = { fixed_to = \"hand\" }", "b = { fixed_to = \"hand\", at = \"tip\" }", "E0207"),
    ("a = { fixed_to = \"plate\" }\n", "", "E0204"),
    ("kind = \"spherical\"", "kind = \"revolute\"\ndamping = -1", "E0304"),
    (", { fixed_to = \"plate.hole\" }]", "]", "E0310"),
    ("{ fixed_to = \"plate.hole\" }]", "{ position = [0, 0, 0.008] }]", "E0420"),
    ("tension = \"1 N\"", "tension = \"1 N\"\npull = 0", "E0207"),
    ("mass = \"5 g\"", "mass = \"-5 g\"", "E0304"),
    ("mass = \"5 g\"", "mass = \"5 mm\"", "E0306"),
    ("step = \"1 ms\"", "step = 0", "E0303"),
    ("step = \"1 ms\"", "step = \"-1 ms\"", "E0303"),
    ("output_rate = \"100 Hz\"", "output_rate = \"-100 Hz\"", "E0303"),
    ("output_rate = \"100 Hz\"", "output_rate = 0", "E0303"),
    ("duration = \"2 s\"", "duration = \"-2 s\"", "E0303"),
    ("duration = \"2 s\"", "duration = \"2 m\"", "E0306"),
    ("toward = [0, 0, 1]", "toward = [0, 0, 1]\nforce = [0, 0, 1]", "E0207"),
    ("base = { fixed_to = \"motor\" }\n", "", "E0418"),
    // springs, velocities, smooth drives
    ("stiffness = \"20 N/m\"", "stiffness = \"-20 N/m\"", "E0304"),
    ("stiffness = \"20 N/m\"", "stiffness = \"20 N\"", "E0306"),
    ("stiffness = \"20 N/m\"", "stiffness = inf", "E0302"),
    ("stiffness = \"20 N/m\"\n", "", "E0208"),
    ("rest_length = \"50 mm\"", "rest_length = -1", "E0304"),
    ("b = { fixed_to = \"arm\", at = \"100 mm\" }", "b = { position = [0, 0, 1] }", "E0432"),
    ("b = { fixed_to = \"arm\", at = \"100 mm\" }\n", "", "E0204"),
    ("[spring.mount]", "[spring.flexor]", "E0213"),
    ("turn = \"2 N*m/rad\"", "turn = \"2 N*m/rad\", stiffness_matrix = [[0]]", "E0207"),
    (
        "bushing = { turn = \"2 N*m/rad\", shift = [\"1 kN/m\", 200, 200] }",
        "bushing = { stiffness_matrix = [[0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]] }",
        "E0431",
    ),
    ("shift = [\"1 kN/m\", 200, 200] }", "shift = [\"1 kN/m\", -200, 200] }", "E0304"),
    ("[spring.mount]", "[spring.mount]\ndamping = 1", "E0207"),
    ("velocity = [0, 0, \"0.1 m/s\"]", "velocity = [0, 0, \"0.1 m\"]", "E0306"),
    ("velocity = [0, 0, \"0.1 m/s\"]", "spin = [0, 0]", "E0310"),
    ("mass = \"5 g\"", "mass = \"5 g\"\nvelocity = [0, 0, 1]", "E0207"),
    ("angle = \"0 deg\"", "angle = \"0 deg\"\nrate = 1", "E0207"),
    ("angle = \"0 deg\"", "angle = \"0 deg\"\nrestitution = 0.5", "E0204"),
    ("angle = \"0 deg\"", "angle = \"0 deg\"\nlimits = [-1, 1]\nrestitution = 2", "E0305"),
    ("[\"2 s\", \"10 deg\"]] }", "[\"2 s\", \"10 deg\"]], smooth = 3 }", "E0301"),
    ("b = { fixed_to = \"hand\", roll = 0 }", "b = { fixed_to = \"hand\", rotvec = [0, 0, \"3 m\"] }", "E0306"),
];

/// A folder of its own that disappears with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lissome-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn entries(&self) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn lissome(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lissome")).args(arguments).current_dir(folder).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_good_scenes_are_good() {
    let folder = Folder::new("good");
    for good in [GOOD, ROBOT] {
        std::fs::write(folder.0.join("scene.toml"), good).unwrap();
        let output = lissome(&folder.0, &["check", "scene.toml"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(stderr(&output), "", "no warnings either");
    }
}

#[test]
fn every_single_fault_is_refused_with_code_place_and_help() {
    assert!(FAULTS.len() >= 60);
    let folder = Folder::new("faults");
    let start = std::time::Instant::now();
    let robot_faults = ROBOT_FAULTS.iter().map(|fault| (ROBOT, fault));
    for (good, (old, new, code)) in FAULTS.iter().map(|fault| (GOOD, fault)).chain(robot_faults) {
        assert_eq!(good.matches(old).count(), 1, "{old} must stand once in the good scene");
        std::fs::write(folder.0.join("scene.toml"), good.replace(old, new)).unwrap();
        let output = lissome(&folder.0, &["run", "scene.toml"]);
        let text = stderr(&output);
        let context = format!("{old} -> {new}\n{text}");
        assert_eq!(output.status.code(), Some(2), "{context}");
        assert!(text.contains(&format!("error[{code}]:")), "wanted {code}: {context}");
        assert!(text.contains("--> scene.toml:"), "no place: {context}");
        assert!(text.contains("help:") && text.contains('^'), "no help or caret: {context}");
        assert!(!text.contains("bug in lissome"), "{context}");
        assert_eq!(folder.entries(), ["scene.toml"], "{context}");
        assert!(output.stdout.is_empty(), "{context}");
    }
    // A tenth of a second each, with room for a busy machine to start so many processes.
    let mean = start.elapsed().as_secs_f64() / (FAULTS.len() + ROBOT_FAULTS.len()) as f64;
    assert!(mean < 0.5, "{mean} s each");
}

#[test]
fn the_place_is_the_fault_itself() {
    let folder = Folder::new("place");
    let place_of = |old: &str, new: &str| {
        std::fs::write(folder.0.join("scene.toml"), GOOD.replace(old, new)).unwrap();
        let output = lissome(&folder.0, &["check", "scene.toml", "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let error = &json["errors"][0];
        (error["line"].as_u64().unwrap(), error["column"].as_u64().unwrap(), error["path"].as_str().map(str::to_owned))
    };
    assert_eq!(place_of("\"60 GPa\"", "-1"), (6, 9, Some("material.nitinol.young".into())));
    assert_eq!(place_of("young =", "yung ="), (6, 1, Some("material.nitinol.yung".into())));
    assert_eq!(place_of("\"0.1 N\"", "\"0.1 m\""), (20, 13, Some("load.tip.force".into())));
    assert_eq!(place_of("at = \"tip\"\n", ""), (17, 7, Some("load.tip.at".into())));
    assert_eq!(place_of("degree = 3", "degree = 9"), (16, 31, Some("rod.arm.model.spline.degree".into())));
}

#[test]
fn bad_files_and_arguments_are_refused() {
    let folder = Folder::new("files");
    let here = |name: &str| folder.0.join(name);
    std::fs::write(here("scene.toml"), GOOD).unwrap();
    std::fs::write(here("latin1.toml"), b"title = \"\xe9\"\n").unwrap();
    std::fs::write(here("binary.toml"), [0u8, 159, 146, 150, 255, 10, 13].repeat(50)).unwrap();
    std::fs::write(here("nul.toml"), "schema = 1\0").unwrap();
    std::fs::write(here("empty.toml"), "").unwrap();
    std::fs::write(here("deep.toml"), format!("a = {}", "[".repeat(100_000))).unwrap();
    std::fs::File::create(here("large.toml")).unwrap().set_len(100 << 20).unwrap();
    std::fs::create_dir(here("folder.toml")).unwrap();
    std::fs::create_dir(here("taken")).unwrap();
    std::fs::write(here("taken/mine.txt"), "precious").unwrap();
    std::fs::write(here("manifest.json"), "{}").unwrap();
    let before = folder.entries();
    let cases: &[(&[&str], &str)] = &[
        (&["run", "nothing.toml"], "E0601"),
        (&["run", "scene.tom"], "E0601"),
        (&["run", "folder.toml"], "E0602"),
        (&["run", "latin1.toml"], "E0102"),
        (&["run", "binary.toml"], "E0102"),
        (&["run", "nul.toml"], "E0101"),
        (&["run", "empty.toml"], "E0201"),
        (&["run", "deep.toml"], "E010"),
        (&["run", "large.toml"], "E0103"),
        (&["run", "scene.toml", "rod.arm.lenght=3"], "E0203"),
        (&["run", "scene.toml", "rod.amr.length=3"], "E0210"),
        (&["run", "scene.toml", "rod.arm.length"], "E0209"),
        (&["run", "scene.toml", "rod.arm.length=3 kg"], "E0306"),
        (&["run", "scene.toml", "=3"], "E0210"),
        (&["run", "scene.toml", "--out", "taken"], "E0604"),
        (&["run", "scene.toml", "--out", "."], "E0603"),
        (&["run", "scene.toml", "--out", "no/such/place"], "E0603"),
        (&["run", "scene.toml", "--limit", "-1"], "E0001"),
        (&["run", "scene.toml", "--limit", "nan"], "E0001"),
        (&["run", "scene.toml", "--threads", "0"], "E0001"),
        (&["run"], "E0001"),
        (&["fly"], "E0001"),
        (&["new", "octopus", "x.toml"], "E0607"),
        (&["new", "rod", "scene.toml"], "E0611"),
        (&["new", "rod"], "E0001"),
        (&["demo", "octopus"], "E0607"),
        (&["export", "taken"], "E0605"),
        (&["export", "taken", "--to", "xml"], "E0609"),
        (&["validate", "no-such-case"], "E0608"),
    ];
    for (arguments, code) in cases {
        let output = lissome(&folder.0, arguments);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{text}");
        assert!(text.contains(&format!("error[{code}")), "{arguments:?} wanted {code}\n{text}");
        assert!(text.contains("help") || text.contains("--help"), "{arguments:?}\n{text}");
        assert_eq!(folder.entries(), before, "{arguments:?}");

        let mut with_json = arguments.to_vec();
        with_json.push("--json");
        let output = lissome(&folder.0, &with_json);
        assert_eq!(output.status.code(), Some(2), "{with_json:?}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(json["errors"][0]["code"].as_str().unwrap().starts_with(code), "{with_json:?} {json}");
        assert!(!json["errors"][0]["help"].as_str().unwrap().is_empty());
    }
    assert_eq!(std::fs::read_to_string(here("taken/mine.txt")).unwrap(), "precious");
}
