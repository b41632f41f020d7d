//! Sweeps as a user meets them: tables that depend on nothing but the scene and the plan, whatever happens on the way.

#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SCENES: [(&str, &str); 4] = [
    ("rod.toml", include_str!("../../../examples/scenes/rod.toml")),
    ("cable-arm.toml", include_str!("../../../examples/scenes/cable-arm.toml")),
    ("swing.toml", include_str!("../../../examples/scenes/swing.toml")),
    ("strut.toml", include_str!("../../../examples/scenes/strut.toml")),
];

impl Folder {
    fn new(name: &str) -> Self {
        Self::with(&format!("sweep-{name}"), &SCENES)
    }

    fn json(&self, arguments: &[&str], exit: i32) -> Json {
        serde_json::from_slice(&self.lissome(&[arguments, &["--json"]].concat(), exit).stdout).unwrap()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Header and rows of a table.
    fn table(&self, sweep: &str) -> (Vec<String>, Vec<Vec<String>>) {
        let text = fs::read_to_string(self.at(sweep).join("table.csv")).unwrap();
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        (lines.next().unwrap(), lines.collect())
    }

    /// The numbers of the one column whose name has these words.
    fn column(&self, sweep: &str, words: &[&str]) -> Vec<f64> {
        let (names, rows) = self.table(sweep);
        let index = column_of(&names, words);
        rows.iter().map(|row| row[index].parse().unwrap()).collect()
    }
}

fn column_of(names: &[String], words: &[&str]) -> usize {
    let has = |name: &String| words.iter().all(|word| name.split(['.', '_']).any(|part| part == *word));
    let found: Vec<usize> = (0..names.len()).filter(|index| has(&names[*index])).collect();
    assert_eq!(found.len(), 1, "{words:?} of {names:?}");
    found[0]
}

/// Every file of a sweep, in the order of their names.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = (fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

const GRID: [&str; 2] = ["rod.arm.length=500..1000 mm:4", "load.tip.force.2=0..1 N:3"];

#[test]
fn a_row_is_what_run_says_of_its_case() {
    let here = Folder::new("run");
    let all = [&["sweep", "rod.toml"], &GRID[..], &["--output", "all"]].concat();
    let told = here.json(&all, 0);
    assert_eq!((&told["status"], &told["cases"], &told["answered"]), (&"finished".into(), &12.into(), &12.into()));
    let (names, rows) = here.table("rod.sweep");
    assert_eq!(names[..3], ["case", "rod.arm.length", "load.tip.force.2"]);
    assert_eq!(names[names.len() - 2..], ["status", "code"]);
    // The first axis changes slowest.
    let lengths: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert!(lengths[0] == "0.5" && lengths[3] == lengths[5] && lengths[2] != lengths[3] && lengths[11] == "1.0");
    let changes = [format!("rod.arm.length={}", lengths[5]), "load.tip.force.2=1 N".to_owned()];
    let run = here.json(&["run", "rod.toml", &changes[0], &changes[1]], 0);
    let tip = &run["rods"]["arm"]["tip"]["position"];
    for (index, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let column = column_of(&names, &["tip", "position", axis]);
        let (here, there) = (rows[5][column].parse::<f64>().unwrap(), tip[index].as_f64().unwrap());
        // The reader of JSON may miss the last bit.
        assert!((here - there).abs() <= f64::EPSILON * here.abs(), "{here} {there}");
    }
    let files: Vec<String> = contents(&here.at("rod.sweep")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(files, ["manifest.json", "plan.json", "report.html", "scene.toml", "table.csv", "table.npz"]);
}

#[test]
fn threads_change_nothing_and_finished_sweeps_are_replaced() {
    let here = Folder::new("threads");
    let with = |threads: &'static str| [&["sweep", "rod.toml", "--threads", threads, "--quiet"], &GRID[..]].concat();
    here.lissome(&with("1"), 0);
    let one = contents(&here.at("rod.sweep"));
    here.lissome(&with("7"), 0);
    assert_eq!(one, contents(&here.at("rod.sweep")));
    // What somebody changed is not replaced.
    fs::write(here.at("rod.sweep/table.csv"), "mine").unwrap();
    let refused = here.json(&with("2")[..], 2);
    assert_eq!(refused["errors"][0]["code"], "E0610");
    assert_eq!(fs::read_to_string(here.at("rod.sweep/table.csv")).unwrap(), "mine");
}

#[test]
fn a_case_that_fails_is_a_row_with_its_code() {
    let here = Folder::new("failing");
    here.lissome(&["sweep", "rod.toml", "rod.arm.length=-1..1 m:3", "--quiet"], 0);
    let (_, rows) = here.table("rod.sweep");
    let ends: Vec<[&str; 2]> =
        rows.iter().map(|row| [row[row.len() - 2].as_str(), row[row.len() - 1].as_str()]).collect();
    assert_eq!(ends, [["refused", "E0303"], ["refused", "E0303"], ["converged", ""]]);
    assert_eq!(rows[0][3], "NaN");
    // So few iterations that nothing is found; nothing at all is exit code 3.
    let short = ["sweep", "rod.toml", "load.tip.force.2=5..9 N:3", "job.max_iterations=1", "--out", "short.sweep"];
    let told = here.json(&short, 3);
    assert_eq!((&told["counts"]["not_converged"], &told["answered"]), (&3.into(), &0.into()));
    assert!(here.column("short.sweep", &["tip", "position", "x"]).iter().all(|x| x.is_nan()));
    assert!(here.table("short.sweep").1.iter().all(|row| row[row.len() - 1] == "E0501"));
}

#[test]
fn tables_and_hypercubes_give_their_cases() {
    let here = Folder::new("tables");
    let cases = "rod.arm.length,load.tip.force,rod.arm.material\n1 m,\"[0, 0, 0.25] N\",silicone\n\
                 0.5,\"[0, 0.1, 0] N\",silicone\n0.5,\"[0, 0, 0.1] N\",gold\n";
    fs::write(here.at("cases.csv"), cases).unwrap();
    here.lissome(&["sweep", "rod.toml", "--cases", "cases.csv", "--quiet"], 0);
    let text = fs::read_to_string(here.at("rod.sweep/table.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].starts_with("0,1.0,\"[0, 0, 0.25] N\",silicone,") && lines[1].ends_with(",converged,"), "{text}");
    assert!(lines[3].ends_with(",refused,E0205"), "{text}");

    let latin = ["sweep", "rod.toml", "rod.arm.length=0.5..1 m", "load.tip.force.2=0..1 N", "--latin", "8", "--quiet"];
    here.lissome(&[&latin[..], &["--out", "a.sweep"]].concat(), 0);
    here.lissome(&[&latin[..], &["--out", "b.sweep"]].concat(), 0);
    here.lissome(&[&latin[..], &["--out", "c.sweep", "--seed", "1"]].concat(), 0);
    let [a, b, c] = ["a.sweep", "b.sweep", "c.sweep"].map(|name| fs::read(here.at(name).join("table.csv")).unwrap());
    assert!(a == b && a != c, "the seed decides");
    let mut parts: Vec<usize> =
        here.column("a.sweep", &["rod", "arm", "length"]).iter().map(|x| ((x - 0.5) * 16.0) as usize).collect();
    parts.sort_unstable();
    assert_eq!(parts, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn every_job_has_its_numbers() {
    let here = Folder::new("jobs");
    // The last sample of a path.
    let path = ["sweep", "cable-arm.toml", "drive.a.tension.ramp.1=5..20 N:2", "--quiet"];
    here.lissome(&path, 0);
    here.lissome(&["run", "cable-arm.toml", "--quiet"], 0);
    let text = fs::read_to_string(here.at("cable-arm.run/path.csv")).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let last: Vec<&str> = text.lines().last().unwrap().split(',').collect();
    let (columns, rows) = here.table("cable-arm.sweep");
    let shared = columns.iter().enumerate().filter_map(|(i, name)| Some((i, names.iter().position(|n| n == name)?)));
    let shared: Vec<(usize, usize)> = shared.collect();
    assert!(shared.len() > 20, "{columns:?}");
    assert!(shared.iter().all(|(here, there)| rows[1][*here] == last[*there]), "to the byte");
    // Frequencies fall with the square of the length, to the order of the spline.
    let modes = ["sweep", "rod.toml", "rod.arm.length=0.5..1 m:2", "job.kind=modes", "job.count=2"];
    let uniform =
        ["rod.arm.section.taper=[\"1 mm\", \"1 mm\"]", "material.silicone.density=1000", "load.tip.force=[0, 0, 0]"];
    here.lissome(&[&modes[..], &uniform, &["--out", "modes.sweep", "--quiet"]].concat(), 0);
    let frequency = here.column("modes.sweep", &["mode", "1", "frequency"]);
    // A slender rod is a beam but for shear and rotary inertia, which are of the order (radius/length)².
    assert!((frequency[0] / frequency[1] - 4.0).abs() < 4.0 * 1e-4, "{frequency:?}");
    // The last state of a motion, and extremes on the way that hold it.
    here.lissome(&["sweep", "swing.toml", "job.duration=0.05..0.1 s:2", "--output", "all", "--quiet"], 0);
    let of = |end: &[&str]| here.column("swing.sweep", &[&["energy", "kinetic"], end].concat());
    let (names, rows) = here.table("swing.sweep");
    let last = names.iter().position(|name| name == "energy.kinetic").unwrap();
    for (case, (least, most)) in of(&["least"]).into_iter().zip(of(&["most"])).enumerate() {
        let last: f64 = rows[case][last].parse().unwrap();
        assert!(least <= last && last <= most && most > 0.0, "{least} {last} {most}");
    }
    // Times are sums of steps, each rounded.
    let times = here.column("swing.sweep", &["time"]);
    assert!((times[0] - 0.05).abs() < 1e-12 && (times[1] - 0.1).abs() < 1e-12, "{times:?}");
    // Critical loads.
    here.lissome(&["sweep", "strut.toml", "rod.strut.section.width=10..12 mm:2", "--quiet"], 0);
    let factors = here.column("strut.sweep", &["critical", "load", "1", "factor"]);
    // All stiffnesses grow with the width; the branch is followed until the factor changes by less than 1e-6.
    assert!((factors[1] / factors[0] - 1.2).abs() < 1e-5, "{factors:?}");
}

/// Arguments, the code that answers, and file, line and column of what is to blame.
type Refusal<'a> = (&'a [&'a str], &'a str, Option<(&'a str, u64, u64)>);

#[test]
fn bad_input_is_refused_with_place_and_hint_and_nothing_is_written() {
    let here = Folder::new("bad");
    for (name, text) in [
        ("ragged.csv", "rod.arm.length,load.tip.force.2\n1,2\n3\n"),
        ("nan.csv", "rod.arm.length\n1\nnan\n"),
        ("twice.csv", "rod.arm.length,arm.length\n1,2\n"),
        ("path.csv", "rod.arm.length,rod.arn.length\n1,2\n"),
        ("unit.csv", "rod.arm.length\n2 kg\n"),
        ("mixed.csv", "rod.arm.length\n2 m\n2 kg\n"),
        ("empty.csv", ""),
    ] {
        fs::write(here.at(name), text).unwrap();
    }
    let table: &[Refusal<'_>] = &[
        (&["rod.arn.length=1..2:3"], "E0210", Some(("argument 1", 1, 5))),
        (&["job.max_iterations=100", "rod.arm.lenght=1..2:3"], "E0203", Some(("argument 2", 1, 9))),
        (&["rod.arm.length=1..2 kg:3"], "E0306", Some(("argument 1", 1, 16))),
        (&["rod.arm.length=1..2 mmm:3"], "E0308", Some(("argument 1", 1, 16))),
        (&["rod.arm.length=1..2:0"], "E0701", Some(("argument 1", 1, 21))),
        (&["rod.arm.length=1..2"], "E0701", Some(("argument 1", 1, 16))),
        (&["rod.arm.length=1..inf:3"], "E0701", Some(("argument 1", 1, 16))),
        (&["rod.arm.length=1..2:3", "--latin", "5"], "E0701", Some(("argument 1", 1, 21))),
        (&["rod.arm.length=1..2:1000000", "load.tip.force.2=0..1:1000000"], "E0702", None),
        (&["rod.arm.length=1..2", "--latin", "1000000000000"], "E0702", None),
        (&["rod.arm.length=1..2:3", "arm.length=2..3:3"], "E0706", Some(("argument 2", 1, 1))),
        (&["rod.arm.length=1..2:3", "arm.length=2"], "E0706", Some(("argument 1", 1, 1))),
        (&["rod.arm.length=1..2:3", "--output", "arm.tpi"], "E0704", None),
        (&[], "E0707", None),
        (&["rod.arm.length=2"], "E0707", None),
        (&["--cases", "ragged.csv"], "E0703", Some(("ragged.csv", 3, 1))),
        (&["--cases", "nan.csv"], "E0703", Some(("nan.csv", 3, 1))),
        (&["--cases", "twice.csv"], "E0706", Some(("twice.csv", 1, 16))),
        (&["--cases", "path.csv"], "E0210", Some(("path.csv", 1, 16))),
        (&["--cases", "unit.csv"], "E0306", Some(("unit.csv", 2, 1))),
        (&["--cases", "mixed.csv"], "E0703", Some(("mixed.csv", 3, 1))),
        (&["--cases", "empty.csv"], "E0703", Some(("empty.csv", 1, 1))),
        (&["--cases", "absent.csv"], "E0601", None),
        (&["--cases", "nan.csv", "rod.arm.length=1..2:3"], "E0001", None),
        (&["rod.arm.length=1..2:3", "--limit", "0"], "E0001", None),
        (&["rod.arm.length=1..2:3", "--threads", "0"], "E0001", None),
        (&["rod.arm.length=1..2", "--latin", "0"], "E0001", None),
    ];
    for (arguments, code, place) in table {
        let error = here.json(&[&["sweep", "rod.toml"], *arguments].concat(), 2)["errors"][0].clone();
        assert_eq!(error["code"], *code, "{arguments:?}: {error}");
        assert!(!error["help"].as_str().unwrap().is_empty());
        if let Some((file, line, column)) = place {
            let found = (error["file"].as_str().unwrap(), error["line"].as_u64(), error["column"].as_u64());
            assert_eq!(found, (*file, Some(*line), Some(*column)), "{arguments:?}");
        }
        assert!(!here.at("rod.sweep").exists(), "{arguments:?}");
    }
}

#[test]
fn only_what_was_begun_and_left_as_it_was_is_resumed() {
    let here = Folder::new("resume");
    let code = |arguments: &[&str]| here.json(arguments, 2)["errors"][0]["code"].as_str().unwrap().to_owned();
    assert_eq!(code(&["sweep", "--resume", "rod.toml"]), "E0605");
    here.lissome(&["run", "rod.toml", "--quiet"], 0);
    assert_eq!(code(&["sweep", "--resume", "rod.run"]), "E0612");
    // Nor is a sweep a run.
    here.lissome(&["sweep", "rod.toml", "rod.arm.length=0.5..1 m:2", "--out", "small.sweep", "--quiet"], 0);
    assert_eq!(code(&["export", "small.sweep"]), "E0605");
    assert_eq!(code(&["run", "--resume", "small.sweep"]), "E0605");
    // A limit that nothing can be done in.
    let begun = ["sweep", "rod.toml", "rod.arm.length=0.5..1 m:5000", "--limit", "0.3"];
    let told = here.json(&begun, 4);
    assert_eq!((&told["status"], &told["errors"][0]["code"]), (&"limit".into(), &"E0531".into()));
    let done = told["done"].as_u64().unwrap();
    assert!(done < 5000, "{told}");
    assert_eq!(code(&begun), "E0705", "rows are not thrown away");
    assert_eq!(code(&["sweep", "--resume", "rod.sweep", "rod.arm.length=1..2:3"]), "E0001");
    // Nothing that was done is done again.
    let on = here.json(&["sweep", "--resume", "rod.sweep", "--limit", "0.3"], 4);
    assert!(on["done"].as_u64().unwrap() >= done, "{on}");
    for (file, expected) in [("scene.toml", "E0612"), ("plan.json", "E0612"), ("part-00000.csv", "E0606")] {
        let path = here.at("rod.sweep").join(file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen('1', "2", 1)).unwrap();
        assert_eq!(code(&["sweep", "--resume", "rod.sweep"]), expected, "{file}");
        fs::write(&path, text).unwrap();
    }
    // A table that somebody put there is not written over; a part that is removed is solved again.
    fs::remove_file(here.at("rod.sweep/part-00000.csv")).unwrap();
    let fewer = here.json(&["sweep", "--resume", "rod.sweep", "--limit", "0.01"], 4);
    assert!(fewer["done"].as_u64() < on["done"].as_u64());
}

/// Numbers that look random and are the same each time.
struct Moments(u64);

impl Moments {
    fn below(&mut self, most: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        most.mul_f64((self.0 >> 33) as f64 / (1u64 << 31) as f64)
    }
}

#[test]
#[cfg(unix)]
fn killed_twenty_times_it_leaves_the_same_bytes() {
    let here = Folder::new("kills");
    let plan = ["rod.arm.length=0.5..1 m:40", "load.tip.force.2=0..1 N:20"];
    let begun = Instant::now();
    here.lissome(&[&["sweep", "rod.toml", "--quiet", "--out", "whole.sweep"], &plan[..]].concat(), 0);
    let whole = begun.elapsed();
    let undisturbed = contents(&here.at("whole.sweep"));
    let (mut moments, mut hit) = (Moments(5), 0);
    for kill in 0..20 {
        let arguments = match here.at("cut.sweep").exists() {
            true => vec!["sweep", "--resume", "cut.sweep", "--quiet"],
            false => [&["sweep", "rod.toml", "--quiet", "--out", "cut.sweep"], &plan[..]].concat(),
        };
        let mut child = here.command(&arguments).spawn().unwrap();
        std::thread::sleep(moments.below(whole / 8));
        if kill % 4 == 3 {
            // A request to end is obeyed, and leaves as much.
            Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        } else {
            child.kill().unwrap();
        }
        let ended = child.wait().unwrap();
        hit += usize::from(!ended.success());
    }
    assert!(hit >= 10, "most kills met a sweep under way: {hit}");
    if here.at("cut.sweep").exists() {
        here.lissome(&["sweep", "--resume", "cut.sweep", "--quiet"], 0);
    }
    assert_eq!(
        contents(&here.at("cut.sweep")).iter().map(|(name, _)| name).collect::<Vec<_>>(),
        undisturbed.iter().map(|(name, _)| name).collect::<Vec<_>>()
    );
    assert!(contents(&here.at("cut.sweep")) == undisturbed, "the same bytes");
}

#[test]
#[cfg(unix)]
fn signals_end_it_soon_with_their_number_and_the_rows_found() {
    let here = Folder::new("signals");
    for (signal, exit) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let out = format!("{signal}.sweep");
        let arguments = ["sweep", "rod.toml", "rod.arm.length=0.5..1 m:100000", "--json", "--out", &out];
        let child = here.command(&arguments).spawn().unwrap();
        let begun = Instant::now();
        // Once the folder is there, signals are watched for.
        while !here.at(&out).exists() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(200));
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        let asked = Instant::now();
        let output = child.wait_with_output().unwrap();
        // The promise is 0.2 s on a quiet machine.
        assert!(asked.elapsed() < Duration::from_secs(10), "{signal}: {:?}", asked.elapsed());
        assert_eq!(output.status.code(), Some(exit), "{}", String::from_utf8_lossy(&output.stderr));
        let told: Json = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&told["status"], &told["errors"][0]["code"]), (&"interrupted".into(), &"E0532".into()));
        let rows: usize = contents(&here.at(&out))
            .iter()
            .filter(|(name, _)| name.starts_with("part-"))
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).lines().count() - 2)
            .sum();
        assert_eq!(rows as u64, told["done"].as_u64().unwrap(), "all rows found are kept");
    }
}

#[test]
fn pages_have_curves_maps_and_scattered_points() {
    let here = Folder::new("pages");
    let page = |name: &str| fs::read_to_string(here.at(name).join("report.html")).unwrap();
    here.lissome(&["sweep", "rod.toml", "load.tip.force.2=0..1 N:5", "--quiet", "--out", "one.sweep"], 0);
    assert!(page("one.sweep").contains("load.tip.force.2 / N"));
    here.lissome(&[&["sweep", "rod.toml", "--quiet", "--out", "two.sweep"], &GRID[..]].concat(), 0);
    let two = page("two.sweep");
    assert!(two.contains("rod.arm.length / mm") && two.matches("<g opacity").count() > 12, "cells of a map");
    let latin = ["sweep", "rod.toml", "rod.arm.length=0.5..1 m", "load.tip.force.2=0..1 N", "--latin", "9"];
    here.lissome(&[&latin[..], &["--quiet", "--out", "three.sweep"]].concat(), 0);
    assert!(page("three.sweep").contains(" over rod.arm.length"));
    for name in ["one.sweep", "two.sweep", "three.sweep"] {
        let page = page(name);
        let pictures = page.split("<svg").skip(1).map(|part| part.split("</svg>").next().unwrap());
        assert!(pictures.clone().count() > 2 && pictures.clone().all(|svg| !svg.contains("NaN")), "{name}");
    }
}
