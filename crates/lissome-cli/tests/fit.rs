//! Fits as a user meets them: numbers with their errors from a table of measurements, and every table that cannot be one refused
//! with its place.

#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::fs;

const SCENE: &str = r#"
schema = 1
title  = "A soft arm with weights at its tip"

[material.silicone]
young   = "150 kPa"
poisson = 0.45

[rod.arm]
material = "silicone"
length   = "1 m"
section  = { shape = "circle", radius = "20 mm" }
base     = { fixed_to = "world" }

[load.tip]
rod   = "arm"
at    = "tip"
force = [0, 0, "0.1 N"]

[job]
kind = "statics"
"#;

const PENDULUM: &str = r#"
schema = 1
title  = "A soft pendulum let go"

[world]
gravity = [0, 0, "-9.81 m/s^2"]

[material.rubber]
young   = "0.4 MPa"
poisson = 0.49
density = "1100 kg/m^3"
damping = "5 ms"

[rod.arm]
material = "rubber"
length   = "300 mm"
section  = { shape = "circle", diameter = "20 mm" }
base     = { fixed_to = "world", tangent = [0.5, 0, -0.8660254037844386] }
model    = { spline = { degree = 3, spans = 3 } }

[job]
kind        = "dynamics"
duration    = "2 s"
output_rate = "25 Hz"
start       = "natural"
"#;

const TIP: &str = "backbone.tip.position.x (m),backbone.tip.position.y (m),backbone.tip.position.z (m)";
const FREE: &str = "--free=material.silicone.young";

impl Folder {
    fn new(name: &str) -> Self {
        Self::with(&format!("fit-{name}"), &[("arm.toml", SCENE), ("pendulum.toml", PENDULUM)])
    }

    fn json(&self, arguments: &[&str], exit: i32) -> Json {
        serde_json::from_slice(&self.lissome(&[arguments, &["--json"]].concat(), exit).stdout).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// Where the tip of the arm is under a force, with a modulus.
    fn tip(&self, force: f64, young: &str) -> [f64; 3] {
        let set = [format!("load.tip.force.2={force}"), format!("material.silicone.young={young}")];
        let run = self.json(&["run", "arm.toml", &set[0], &set[1], "--out", "truth.run"], 0);
        let tip = &run["rods"]["arm"]["tip"]["position"];
        [0, 1, 2].map(|axis| tip[axis].as_f64().unwrap())
    }

    /// The code and place of the first error.
    fn refusal(&self, data: &str, more: &[&str]) -> (String, Option<u64>, Option<u64>, String) {
        self.write("data.csv", data);
        let told = self.json(&[&["fit", "arm.toml", "data.csv"], more].concat(), 2);
        let first = &told["errors"][0];
        let words = ["message", "reason", "help"].map(|key| first[key].as_str().unwrap().to_owned()).join(" | ");
        (first["code"].as_str().unwrap().to_owned(), first["line"].as_u64(), first["column"].as_u64(), words)
    }
}

/// Noise of standard deviation about one that never changes: sums of twelve uniform numbers.
fn noise(seed: &mut u64) -> f64 {
    let mut sum = -6.0;
    for _ in 0..12 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sum += (*seed >> 11) as f64 / (1u64 << 53) as f64;
    }
    sum
}

/// A table of tips at forces, in mm, with noise of so many mm.
fn tips(here: &Folder, size: f64) -> String {
    let (mut text, mut seed) =
        (String::from("load.tip.force.2 (N),arm.tip.position.x (mm),arm.tip.position.z (mm)\n"), 5);
    for force in [0.05, 0.1, 0.15, 0.2, 0.3, 0.4] {
        let [x, _, z] = here.tip(force, "200 kPa");
        let mut mm = |metre: f64| 1e3 * metre + size * noise(&mut seed);
        let (x, z) = (mm(x), mm(z));
        writeln!(text, "{force},{x},{z}").unwrap();
    }
    text
}

fn number(json: &Json, key: &str) -> f64 {
    json[key].as_f64().unwrap_or(f64::INFINITY)
}

#[test]
fn tendons_that_rub_are_told() {
    let folder = Folder::new("rubbing");
    folder.lissome(&["new", "tendon-arm", "tendons.toml"], 0);
    for (friction, told) in [("tendon.lower.friction=0.15", true), ("tendon.lower.friction=0", false)] {
        let run = folder.json(&["run", "tendons.toml", friction, "--out", "truth.run"], 0);
        let tip = run["rods"]["backbone"]["tip"]["position"].as_array().unwrap();
        let [x, y, z] = [0, 1, 2].map(|axis| tip[axis].as_f64().unwrap());
        folder.write("tip.csv", &format!("{TIP}\n{x},{y},{z}\n"));
        let found = folder.json(&["fit", "tendons.toml", "tip.csv", friction, "--free=material.nitinol.young"], 0);
        let codes: Vec<&str> =
            found["warnings"].as_array().unwrap().iter().map(|own| own["code"].as_str().unwrap()).collect();
        assert_eq!(codes.contains(&"W0747"), told, "{friction}: {codes:?}");
    }
}

#[test]
fn a_modulus_is_found_with_its_error_and_the_folder_holds_the_fitted_scene() {
    let here = Folder::new("modulus");
    here.write("data.csv", &tips(&here, 1.0));
    let told = here.json(&["fit", "arm.toml", "data.csv", FREE, "--noise", "position=1mm"], 0);
    assert_eq!(told["status"], "converged");
    let young = &told["numbers"][0];
    let (value, error) = (number(young, "value"), number(young, "standard_error"));
    // Noise is of one standard deviation: four of them are one seed in sixteen thousand.
    assert!((value - 200e3).abs() < 4.0 * error && error < 0.01 * value, "{young}");
    let (low, high) = (young["interval"][0].as_f64().unwrap(), young["interval"][1].as_f64().unwrap());
    assert!((high - low - 2.0 * 1.959_964 * error).abs() < 1e-5 * error, "the normal interval");
    assert_eq!((&told["degrees_of_freedom"], &told["noise"]), (&11.into(), &"stated".into()));
    assert!(number(&told, "chance") > 1e-3 && told["outliers"].as_array().unwrap().is_empty(), "{told}");
    for name in ["fit.json", "residuals.csv", "report.html", "scene.toml", "manifest.json"] {
        assert!(here.0.join("arm.fit").join(name).is_file(), "{name}");
    }
    let page = fs::read_to_string(here.0.join("arm.fit/report.html")).unwrap();
    assert!(page.contains("material.silicone.young") && page.matches("<svg").count() >= 4);
    // The fitted scene is one, and stands where the fit says.
    let rows = fs::read_to_string(here.0.join("arm.fit/residuals.csv")).unwrap();
    let last: Vec<&str> = rows.lines().nth(11).unwrap().split(',').collect();
    assert_eq!(last[3], "arm.tip.position.x");
    let run = here.json(&["run", "arm.fit/fitted.toml", "load.tip.force.2=0.4", "--out", "again.run"], 0);
    let x = run["rods"]["arm"]["tip"]["position"][0].as_f64().unwrap();
    // Both are found to the tolerance of the scene, 1e-5 of the length, on divisions of their own.
    assert!((x - last[5].parse::<f64>().unwrap()).abs() < 1e-5, "{x} {}", last[5]);
    // Estimated noise gives the interval of Student's distribution of 11 degrees of freedom.
    let told = here.json(&["fit", "arm.toml", "data.csv", FREE], 0);
    let young = &told["numbers"][0];
    let half = young["interval"][1].as_f64().unwrap() - number(young, "value");
    assert!((half / number(young, "standard_error") - 2.200_985).abs() < 1e-5, "{young}");
    assert_eq!(told["noise"], "estimated");
}

#[test]
fn what_cannot_be_told_is_named_limits_hold_and_outliers_are_told() {
    let here = Folder::new("told");
    let data = tips(&here, 1.0);
    here.write("data.csv", &data);
    let both = "--free=material.silicone.young,rod.arm.section.radius";
    let told = here.json(&["fit", "arm.toml", "data.csv", both, "--noise=position=1mm"], 0);
    let untold = &told["cannot_tell"][0]["parts"];
    assert_eq!(untold.as_array().unwrap().len(), 2, "{told}");
    // Bending tells E r⁴ alone; what stretch and shear tell beside it is (r/L)² of it.
    let parts = [0, 1].map(|index| number(&untold[index], "part"));
    assert!((parts[0] / parts[1] + 4.0).abs() < 0.1, "{untold}");
    assert!(told["warnings"].as_array().unwrap().iter().any(|w| w["code"] == "W0741"), "{told}");

    let limited = "--free=material.silicone.young=100..180 kPa";
    let told = here.json(&["fit", "arm.toml", "data.csv", limited, "--noise=position=1mm"], 0);
    let young = &told["numbers"][0];
    assert_eq!((&young["at_limit"], number(young, "value")), (&true.into(), 180e3));
    let codes: Vec<&str> = told["warnings"].as_array().unwrap().iter().filter_map(|w| w["code"].as_str()).collect();
    assert!(codes.contains(&"W0743") && codes.contains(&"W0744"), "{codes:?}");

    // One reading is off by 300 mm: named, and a robust loss hardly feels it.
    let mut lines: Vec<String> = data.lines().map(str::to_owned).collect();
    let cells: Vec<f64> = lines[3].split(',').map(|cell| cell.parse().unwrap()).collect();
    lines[3] = format!("{},{},{}", cells[0], cells[1], cells[2] + 300.0);
    here.write("data.csv", &lines.join("\n"));
    let value = |loss: &str| {
        let told = here.json(&["fit", "arm.toml", "data.csv", FREE, "--noise=position=1mm", "--loss", loss], 0);
        (number(&told["numbers"][0], "value"), number(&told["numbers"][0], "standard_error"), told)
    };
    let (square, _, told) = value("square");
    let (cauchy, error, robust) = value("cauchy");
    assert!(
        (cauchy - 200e3).abs() < 4.0 * error && (square - 200e3).abs() > 5.0 * (cauchy - 200e3).abs(),
        "{square} {cauchy}"
    );
    for told in [told, robust] {
        let lines: Vec<&Json> = told["outliers"].as_array().unwrap().iter().map(|own| &own["line"]).collect();
        assert!(lines.contains(&&Json::from(4)), "{told}");
    }
}

#[test]
fn a_reading_may_be_missing_and_attitudes_are_measured() {
    let here = Folder::new("missing");
    let truth = "material.silicone.young=200 kPa";
    let mut text = String::from(
        "load.tip.force.2 (N),arm.tip.position.z (mm),arm.tip.rotation.x (rad),arm.tip.rotation.y (deg),arm.tip.rotation.z\n",
    );
    for (index, force) in [0.1, 0.2, 0.3].into_iter().enumerate() {
        let run = here.json(&["run", "arm.toml", &format!("load.tip.force.2={force}"), truth, "--out", "t.run"], 0);
        let tip = &run["rods"]["arm"]["tip"];
        let z = 1e3 * tip["position"][2].as_f64().unwrap();
        // A plane rod turns about −y alone.
        let q: Vec<f64> = tip["quat_wxyz"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let turn = 2.0 * q[2].atan2(q[0]);
        let z = if index == 1 { String::new() } else { z.to_string() };
        writeln!(text, "{force},{z},0,{},0", turn.to_degrees()).unwrap();
    }
    here.write("data.csv", &text);
    let told = here.json(&["fit", "arm.toml", "data.csv", FREE, "--noise=position=1mm,rotation=0.1deg"], 0);
    assert_eq!((&told["measured"], &told["outputs"][0]["count"]), (&11.into(), &2.into()));
    let young = &told["numbers"][0];
    // Without noise the truth comes back to what divisions of their own leave, 1e-5 of the length over 0.1 m of motion.
    assert!((number(young, "value") - 200e3).abs() < 1e-3 * 200e3, "{young}");
}

#[test]
fn a_force_is_set_by_its_component_or_as_a_part_of_what_the_scene_has() {
    let here = Folder::new("named");
    let by_number = tips(&here, 0.0);
    let fitted = |data: &str| {
        here.write("data.csv", data);
        let told = here.json(&["fit", "arm.toml", "data.csv", FREE, "--noise", "position=1mm"], 0);
        number(&told["numbers"][0], "value")
    };
    let known = fitted(&by_number);
    assert_eq!(known, fitted(&by_number.replace("load.tip.force.2", "load.tip.force.z")));
    // The scene has a force of its own, 0.1 N, which the factor is on; it has no drives.
    let own = 0.1;
    let mut scaled = String::from("tip.scale,arm.tip.position.x (mm),arm.tip.position.z (mm)\n");
    for line in by_number.lines().skip(1) {
        let (force, rest) = line.split_once(',').unwrap();
        writeln!(scaled, "{},{rest}", force.parse::<f64>().unwrap() / own).unwrap();
    }
    assert!((fitted(&scaled) / known - 1.0).abs() < 1e-6);
    let (code, _, _, words) = here.refusal("tip.scal,arm.tip.position.z\n1,2\n", &[FREE]);
    assert_eq!(code, "E0742");
    assert!(words.contains("did you mean `tip.scale`"), "{words}");
}

/// Without stated noise, what is left is told in the units of the data: as with noise that is stated.
#[test]
fn what_is_left_does_not_depend_on_who_tells_the_noise() {
    let here = Folder::new("left");
    here.write("data.csv", "load.tip.force.z,arm.tip.position.z (mm)\n0.05,110\n0.07,170\n0.09,200\n");
    here.write("arm.toml", SCENE);
    let left = |folder: &str, more: &[&str]| {
        let arguments = [&["fit", "arm.toml", "data.csv", FREE, "--out", folder][..], more].concat();
        here.json(&arguments, 0);
        let rows = fs::read_to_string(here.0.join(folder).join("residuals.csv")).unwrap();
        let column = rows.lines().next().unwrap().split(',').position(|name| name == "residual").unwrap();
        let cell = |row: &str| row.split(',').nth(column).unwrap().parse::<f64>().unwrap();
        rows.lines().skip(1).map(cell).collect::<Vec<f64>>()
    };
    let (told, own) = (left("stated.fit", &["--noise", "position=1mm"]), left("own.fit", &[]));
    assert!(told.iter().zip(&own).all(|(a, b)| (a - b).abs() < 1e-6), "{told:?} {own:?}");
}

#[test]
fn tables_that_are_none_are_refused_with_their_place() {
    let here = Folder::new("bad");
    let head = "load.tip.force.2 (N),arm.tip.position.z (mm)\n";
    let with = |text: &str| format!("{head}{text}");
    let free = &[FREE][..];
    for (data, more, code, line, column, word) in [
        (String::new(), free, "E0741", Some(1), Some(1), "empty"),
        (head.to_owned(), free, "E0741", Some(2), Some(1), "no row"),
        (
            "load.tip.force.2,load.tip.force.z,arm.tip.position.z\n1,2,3\n".to_owned(),
            free,
            "E0741",
            Some(1),
            Some(18),
            "set the same number",
        ),
        (with("0.1,3\n0.2\n"), free, "E0741", Some(3), Some(1), "this line has 1 values"),
        (with("0.1,x\n"), free, "E0741", Some(2), Some(5), "`x` is no number"),
        (with("0.1,nan\n"), free, "E0741", Some(2), Some(5), "finite"),
        (with("0.1,3\n,4\n"), free, "E0741", Some(3), Some(1), "not set in this row"),
        (
            "load.tip.force.2,arm.tip.positoin.z\n1,2\n".into(),
            free,
            "E0742",
            Some(1),
            Some(18),
            "did you mean `arm.tip.position.z`",
        ),
        ("load.tipp.force.2,arm.tip.position.z\n1,2\n".into(), free, "E0742", Some(1), Some(1), "neither"),
        ("arm.tip.position.z (N)\n2\n".into(), free, "E0744", Some(1), Some(1), "length"),
        ("arm.tip.position\n2\n".into(), free, "E0741", Some(1), Some(1), "arm.tip.position.x"),
        ("load.tip.force.2\n2\n".into(), free, "E0741", Some(1), Some(1), "no column is a measured output"),
        ("arm.tip.position.z,arm.tip.position.z\n2,3\n".into(), free, "E0741", Some(1), Some(20), "twice"),
        ("time,arm.tip.position.z\n2,3\n".into(), free, "E0749", Some(1), Some(1), "no motion"),
        (
            with("0.1,3\n"),
            &["--free=material.silicone.young,rod.arm.length"],
            "E0745",
            None,
            None,
            "2 numbers cannot be told from 1",
        ),
        (
            with("0.1,3\n"),
            &["--free=material.silicone.yung"],
            "E0722",
            None,
            None,
            "did you mean `material.silicone.young`",
        ),
        (with("0.1,3\n0.2,4\n"), &["--free=load.tip.force.2"], "E0746", None, None, "sets it"),
        (with("0.1,3\n0.2,4\n"), &["--free=material.silicone.young=1..2 mm"], "E0746", None, None, "limits"),
        (with("0.1,3\n0.2,4\n"), &["--free=material.silicone.young=1..2 kPa"], "E0746", None, None, "beyond"),
        (with("0.1,3\n0.2,4\n"), &[FREE, "--noise=position=1deg"], "E0747", None, None, "angle"),
        (with("0.1,3\n0.2,4\n"), &[FREE, "--noise=rotation=1deg"], "E0747", None, None, "nothing measured"),
        (with("0.1,3\n0.2,4\n"), &[FREE, "--noise=position=-1mm"], "E0747", None, None, "positive"),
        (with("0.1,3\n0.2,4\n"), &[FREE, "--loss=mean"], "E0001", None, None, "huber"),
    ] {
        let (found, at_line, at_column, words) = here.refusal(&data, more);
        assert_eq!((found.as_str(), at_line, at_column), (code, line, column), "{data:?} {more:?}: {words}");
        assert!(words.contains(word), "{data:?}: {words}");
        assert!(!here.0.join("arm.fit").exists(), "nothing is written of what is refused");
    }
    // A unit of a setting is that of the scene's reader.
    let (code, line, ..) = here.refusal("load.tip.force.2 (mm),arm.tip.position.z\n1,2\n2,3\n", free);
    assert_eq!((code.as_str(), line), ("E0306", Some(2)));
    // Noise for a part of the values.
    let (code, ..) = here.refusal("arm.tip.position.z,arm.tip.position.z.sigma\n1,0.1\n2,\n3,0.1\n", free);
    assert_eq!(code, "E0747");
    // A motor that is driven, and whose angle is an output.
    let robot = include_str!("../../../examples/scenes/six-rod-robot.toml");
    here.write("six.toml", robot);
    here.write("data.csv", "motor_1.angle,platform.position.x\n0,0\n");
    let told = here.json(&["fit", "six.toml", "data.csv", "--free=material.fibre.young"], 2);
    assert_eq!(told["errors"][0]["code"], "E0743");
}

#[test]
fn damping_and_modulus_of_a_pendulum_come_from_two_seconds_of_its_tip() {
    let here = Folder::new("pendulum");
    here.lissome(&["run", "pendulum.toml", "--out", "truth.run", "--quiet"], 0);
    here.lissome(&["export", "truth.run", "--to", "csv", "--out", "truth"], 0);
    let motion = fs::read_to_string(here.0.join("truth/motion.csv")).unwrap();
    let mut lines = motion.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let names = lines.next().unwrap();
    let column = |name: &str| names.iter().position(|own| *own == name).unwrap();
    let (time, x, z) = (column("time"), column("arm.tip.position.x"), column("arm.tip.position.z"));
    let (mut text, mut seed) = (String::from("time (s),arm.tip.position.x (mm),arm.tip.position.z (mm)\n"), 11);
    for line in lines {
        let mut mm = |cell: usize| 1e3 * line[cell].parse::<f64>().unwrap() + noise(&mut seed);
        let (x, z) = (mm(x), mm(z));
        writeln!(text, "{},{x},{z}", line[time]).unwrap();
    }
    here.write("swing.csv", &text);
    let begin = ["material.rubber.young=0.3 MPa", "material.rubber.damping=2 ms"];
    let free = "--free=material.rubber.young,material.rubber.damping";
    let told = here.json(&["fit", "pendulum.toml", "swing.csv", begin[0], begin[1], free, "--noise=position=1mm"], 0);
    for (number_, truth) in told["numbers"].as_array().unwrap().iter().zip([0.4e6, 5e-3]) {
        let (value, error) = (number(number_, "value"), number(number_, "standard_error"));
        // Four standard deviations of noise; what the steps of a motion leave (tolerance 1e-4 or so of a swing of 0.1 m) is a
        // hundredth of the noise.
        assert!((value - truth).abs() < 4.0 * error && error < 0.1 * truth, "{number_}");
    }
    assert!(number(&told, "chance") > 1e-3, "{told}");
    // Rows of a motion have their time.
    here.write("none.csv", "arm.tip.position.x\n1\n2\n3\n");
    let refused = here.json(&["fit", "pendulum.toml", "none.csv", free], 2);
    assert_eq!(refused["errors"][0]["code"], "E0749");
    here.write("late.csv", "time,arm.tip.position.x\n1,0\n1.5,0\n3,0\n");
    let refused = here.json(&["fit", "pendulum.toml", "late.csv", free], 2);
    assert_eq!((&refused["errors"][0]["code"], &refused["errors"][0]["line"]), (&"E0741".into(), &4.into()));
    // A limit is heard, and what is known until then is kept.
    let told = here.json(&["fit", "pendulum.toml", "swing.csv", begin[0], free, "--limit=0.01"], 4);
    assert_eq!(told["status"], "limit");
}

/// Velocities are outputs of motions as positions are; what a moving robot does not have at rest is refused, and not read as if it stood still.
#[test]
fn a_modulus_comes_from_velocities_and_reactions_of_a_motion_are_refused() {
    let here = Folder::new("velocity");
    here.lissome(&["run", "pendulum.toml", "job.duration=0.5 s", "--out", "truth.run", "--quiet"], 0);
    here.lissome(&["export", "truth.run", "--to", "csv", "--out", "truth"], 0);
    let motion = fs::read_to_string(here.0.join("truth/motion.csv")).unwrap();
    let mut lines = motion.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let names = lines.next().unwrap();
    let column = |name: &str| names.iter().position(|own| *own == name).unwrap();
    let (time, x, spin) = (column("time"), column("arm.tip.velocity.x"), column("arm.tip.angular_velocity.y"));
    let mut text = String::from("time (s),arm.tip.velocity.x (m/s),arm.tip.angular_velocity.y (rad/s)\n");
    for line in lines.skip(1) {
        writeln!(text, "{},{},{}", line[time], line[x], line[spin]).unwrap();
    }
    here.write("swing.csv", &text);
    let set = ["job.duration=0.5 s", "material.rubber.young=0.35 MPa"];
    let free = "--free=material.rubber.young";
    let told = here.json(&["fit", "pendulum.toml", "swing.csv", set[0], set[1], free], 0);
    // Without noise what is left is the error of the steps, a tolerance of 1e-4 or so.
    assert!((number(&told["numbers"][0], "value") / 0.4e6 - 1.0).abs() < 1e-3, "{told}");
    for (name, code) in [("arm.base.force.x", "E0728"), ("mode.1.frequency", "E0728"), ("arm.tip.velocty.x", "E0742")] {
        here.write("bad.csv", &format!("time,{name}\n0.1,1\n0.2,2\n"));
        let refused = here.json(&["fit", "pendulum.toml", "bad.csv", free], 2);
        assert_eq!(
            (&refused["errors"][0]["code"], &refused["errors"][0]["line"]),
            (&code.into(), &1.into()),
            "{refused}"
        );
    }
}

/// One number under two names is refused wherever inputs are named.
#[test]
fn one_number_under_two_names_is_refused() {
    let here = Folder::new("twice");
    let (z, two) = ("load.tip.force.z=0.1", "load.tip.force.2=0.2");
    let told = here.json(&["run", "arm.toml", z, two], 2);
    assert_eq!(told["errors"][0]["code"], "E0220");
    let told = here.json(&["sweep", "arm.toml", z, "load.tip.force.2=0.1..0.2:2"], 2);
    assert_eq!(told["errors"][0]["code"], "E0706");
    let wrt = "job.derivatives=[{ of = \"arm.tip.position\", wrt = [\"load.tip.force.z\", \"tip.force.2\"] }]";
    let told = here.json(&["run", "arm.toml", wrt], 2);
    assert_eq!(told["errors"][0]["code"], "E0220");
    let (code, line, ..) = here.refusal("load.tip.force.z,load.tip.force.2,arm.tip.position.z\n0.1,0.1,0\n", &[FREE]);
    assert_eq!((code.as_str(), line), ("E0741", Some(1)));
    let (code, ..) = here.refusal("load.tip.force.z,arm.tip.position.z\n0.1,0\n0.2,0\n", &["--free=load.tip.force.2"]);
    assert_eq!(code, "E0746");
}
