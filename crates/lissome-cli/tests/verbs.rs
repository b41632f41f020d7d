//! The verbs as a user meets them: exit codes, JSON, files.

#![allow(clippy::unwrap_used)]

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lissome-verbs-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn lissome(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_lissome")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    /// Runs, expects the exit code, and reads the JSON.
    fn json(&self, arguments: &[&str], exit: i32) -> Json {
        let output = self.lissome(arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            output.status.code(),
            Some(exit),
            "{arguments:?}\n{text}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.stderr.is_empty(), "{arguments:?} speaks beside its JSON");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{arguments:?}: {e}\n{text}"))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn numbers(json: &Json) -> Vec<f64> {
    json.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn files_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn alone_it_is_the_demo() {
    let folder = Folder::new("demo");
    let output = folder.lissome(&[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("converged") && text.contains("lissome new tendon-arm"), "{text}");
    assert!(text.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "draws the rod");
    assert!(text.lines().count() <= 25, "one screen");
    let expected = [
        "control_poses.csv",
        "events.jsonl",
        "history.csv",
        "manifest.json",
        "report.html",
        "samples.csv",
        "samples.npz",
        "scene.toml",
        "tendon_samples.csv",
        "tendons.csv",
    ];
    assert_eq!(files_in(&folder.at("demo.run")), expected);
}

#[test]
fn every_shipped_scene_is_written_checked_and_solved() {
    let folder = Folder::new("shipped");
    let list = folder.json(&["new", "--list", "--json"], 0);
    for scene in list["scenes"].as_array().unwrap() {
        let name = scene["name"].as_str().unwrap();
        let file = format!("{name}.toml");
        folder.json(&["new", name, &file, "--json"], 0);
        let check = folder.json(&["check", &file, "--json"], 0);
        assert_eq!(check["warnings"].as_array().map(Vec::len), Some(0), "{name}");
        let run = folder.json(&["run", &file, "--json"], 0);
        match run["status"].as_str() {
            // A motion has an end instead of a stable answer.
            Some("finished") => {}
            // Branches that are followed by their length pass through unstable equilibria and may end on one.
            status if run["path"]["branches"].is_array() => assert_eq!(status, Some("converged"), "{name}"),
            status => assert_eq!((status, run["stable"].as_bool()), (Some("converged"), Some(true)), "{name}"),
        }
    }
}

#[test]
fn run_json_has_the_documented_fields() {
    let folder = Folder::new("json");
    folder.json(&["new", "rod", "rod.toml", "--json"], 0);
    let run = folder.json(&["run", "rod.toml", "--json"], 0);
    assert_eq!(run["status"], "converged");
    assert!(run["iterations"].as_u64().unwrap() >= 2);
    assert_eq!(run["load_steps"], 1);
    assert_eq!(run["stable"], true);
    assert!(run["energy"].as_f64().unwrap() > 0.0);
    assert_eq!(run["energy"], run["energies"]["elastic"]);
    let arm = &run["rods"]["arm"];
    let position = numbers(&arm["tip"]["position"]);
    assert_eq!(position.len(), 3);
    assert!(position[2] > 0.3, "pulled up: {position:?}");
    let quaternion = numbers(&arm["tip"]["quat_wxyz"]);
    assert!((quaternion.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12);
    // Global balance, whatever the discretisation: the base carries the tip force and its moment about the base.
    let wrench = [numbers(&arm["base"]["moment"]), numbers(&arm["base"]["force"])].concat();
    for (found, expected) in wrench.iter().zip([0.0, -0.25 * position[0], 0.0, 0.0, 0.0, 0.25]) {
        assert!((found - expected).abs() < 1e-9, "{wrench:?}");
    }
    let elastic = run["energies"]["elastic"].as_f64().unwrap();
    let loads = run["energies"]["loads"].as_f64().unwrap();
    assert!((loads + 0.25 * position[2]).abs() < 1e-12);
    assert!((run["energies"]["total"].as_f64().unwrap() - elastic - loads).abs() < 1e-12);
}

#[test]
fn a_resolved_scene_runs_again_to_the_same_numbers() {
    let folder = Folder::new("again");
    folder.json(&["new", "rod", "rod.toml", "--json"], 0);
    let first = folder.json(&["run", "rod.toml", "load.tip.force=[0, 0.05, 0.1] N", "rod.arm.length=1.2", "--json"], 0);
    let second = folder.json(&["run", "rod.run/scene.toml", "--out", "second.run", "--json"], 0);
    assert_eq!(first["rods"], second["rods"]);
    let samples = |run: &str| std::fs::read(folder.at(run).join("samples.csv")).unwrap();
    assert!(samples("rod.run") == samples("second.run"), "not the same bits");
    assert_ne!(first["rods"], folder.json(&["run", "rod.toml", "--json"], 0)["rods"]);
}

#[test]
fn the_manifest_lists_every_file_with_its_hash() {
    let folder = Folder::new("manifest");
    folder.lissome(&["demo", "--json"]);
    let run = folder.at("demo.run");
    let manifest: Json = serde_json::from_slice(&std::fs::read(run.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["program"], "lissome");
    assert_eq!(manifest["status"], "converged");
    let listed = manifest["files"].as_array().unwrap();
    assert_eq!(listed.len() + 1, files_in(&run).len());
    for file in listed {
        let bytes = std::fs::read(run.join(file["name"].as_str().unwrap())).unwrap();
        assert_eq!(file["bytes"].as_u64(), Some(bytes.len() as u64));
        assert_eq!(file["sha256"].as_str(), Some(lissome::io::files::sha256(&bytes).as_str()));
    }
    let html = std::fs::read_to_string(run.join("report.html")).unwrap();
    assert!(!html.contains("src=") && !html.contains("@import") && !html.contains("<link"), "self-contained");
    // The numbers of the view, and the one script that the policy knows by its hash.
    assert_eq!(html.matches("<script").count(), 2);
    assert!(html.contains("default-src 'none'; script-src 'sha256-"), "nothing else runs, nothing is fetched");
    assert!(html.matches("<svg").count() >= 7);
}

#[test]
fn a_run_is_replaced_whole_and_nothing_else_is() {
    let folder = Folder::new("replace");
    folder.lissome(&["demo", "--json"]);
    // What the user put or changed there stays, and stands in the way.
    std::fs::write(folder.at("demo.run/notes.txt"), "mine").unwrap();
    let refused = folder.json(&["demo", "--json"], 2);
    assert_eq!(refused["errors"][0]["code"], "E0610");
    assert!(refused["errors"][0]["reason"].as_str().unwrap().contains("notes.txt"), "{refused:#}");
    assert_eq!(std::fs::read_to_string(folder.at("demo.run/notes.txt")).unwrap(), "mine");
    std::fs::remove_file(folder.at("demo.run/notes.txt")).unwrap();
    let before = std::fs::metadata(folder.at("demo.run/report.html")).unwrap().modified().unwrap();
    folder.json(&["demo", "--json"], 0);
    let after = std::fs::metadata(folder.at("demo.run/report.html")).unwrap().modified().unwrap();
    assert!(after > before, "the old run is gone as a whole");
    assert_eq!(files_in(&folder.0), ["demo.run"], "no temporary names are left");
    // A folder of somebody else's, even one with a manifest, is not touched.
    std::fs::create_dir(folder.at("web")).unwrap();
    std::fs::write(folder.at("web/manifest.json"), "{\"name\": \"a web page\"}").unwrap();
    folder.json(&["demo", "--out", "web", "--json"], 2);
    assert_eq!(files_in(&folder.at("web")), ["manifest.json"]);
    std::fs::write(folder.at("web/manifest.json"), "{\"program\": \"lissome\"}").unwrap();
    std::fs::write(folder.at("web/thesis.tex"), "years of work").unwrap();
    folder.json(&["demo", "--out", "web", "--json"], 2);
    assert_eq!(files_in(&folder.at("web")), ["manifest.json", "thesis.tex"]);
}

#[test]
fn an_unwritable_place_is_told_and_nothing_is_left() {
    let folder = Folder::new("unwritable");
    // A file where a folder is needed fails for every user, root too.
    std::fs::write(folder.at("file"), "").unwrap();
    let answer = folder.json(&["demo", "--out", "file/demo.run", "--json"], 2);
    assert_eq!(answer["errors"][0]["code"], "E0603");
    assert_eq!(files_in(&folder.0), ["file"]);
}

#[test]
fn export_repeats_the_numbers_and_does_not_clobber() {
    let folder = Folder::new("export");
    folder.lissome(&["demo", "--json"]);
    let exported = folder.json(&["export", "demo.run", "--to", "csv,npz,svg", "--json"], 0);
    assert_eq!(exported["files"].as_array().unwrap().len(), 5 + 1 + 11);
    for name in ["samples.csv", "control_poses.csv", "history.csv", "samples.npz"] {
        let read = |of: &str| std::fs::read(folder.at(of).join(name)).unwrap();
        assert!(read("demo.export") == read("demo.run"), "{name} differs");
    }
    let svg = std::fs::read_to_string(folder.at("demo.export/side.svg")).unwrap();
    assert!(svg.starts_with("<?xml") && svg.trim_end().ends_with("</svg>"));
    // What an export wrote it may write again; what was changed since it may not.
    folder.json(&["export", "demo.run", "--json"], 0);
    std::fs::write(folder.at("demo.export/side.svg"), "mine").unwrap();
    assert_eq!(folder.json(&["export", "demo.run", "--json"], 2)["errors"][0]["code"], "E0610");
    assert_eq!(std::fs::read_to_string(folder.at("demo.export/side.svg")).unwrap(), "mine");
    folder.json(&["export", "demo.run", "--force", "--json"], 0);
    std::fs::write(folder.at("demo.run/samples.csv"), "rod,nonsense\n").unwrap();
    assert_eq!(folder.json(&["export", "demo.run", "--force", "--json"], 2)["errors"][0]["code"], "E0606");
}

#[test]
fn a_limit_keeps_the_last_iterate_and_says_so() {
    let folder = Folder::new("limit");
    folder.json(&["new", "rod", "rod.toml", "--json"], 0);
    let run = folder.json(&["run", "rod.toml", "--limit", "1e-9", "--json"], 4);
    assert_eq!(run["status"], "limit");
    assert_eq!(run["errors"][0]["code"], "E0503");
    assert!(folder.at("rod.run/report.html").is_file());
}

#[cfg(unix)]
#[test]
fn a_new_scene_has_its_schema_beside_it() {
    let folder = Folder::new("editors");
    let first = folder.json(&["new", "rod", "rod.toml", "--json"], 0);
    assert_eq!(first["schema"], "scene.schema.json");
    let scene = std::fs::read_to_string(folder.at("rod.toml")).unwrap();
    assert_eq!(scene.lines().next(), Some("#:schema scene.schema.json"));
    let schema = std::fs::read(folder.at("scene.schema.json")).unwrap();
    let shown: Json = serde_json::from_slice(&folder.lissome(&["schema"]).stdout).unwrap();
    assert_eq!(serde_json::from_slice::<Json>(&schema).unwrap(), shown);
    // One that is there stays as it is.
    std::fs::write(folder.at("scene.schema.json"), "{}").unwrap();
    let second = folder.json(&["new", "arch", "arch.toml", "--json"], 0);
    assert_eq!(second["schema"], Json::Null);
    assert_eq!(std::fs::read(folder.at("scene.schema.json")).unwrap(), b"{}");
}

#[test]
fn ctrl_c_keeps_the_last_iterate_and_ends_with_130() {
    use std::io::{BufRead, BufReader};
    let folder = Folder::new("interrupt");
    folder.json(&["new", "rod", "rod.toml", "--json"], 0);
    // Far more work than it takes a signal to arrive.
    let mut child = Command::new(env!("CARGO_BIN_EXE_lissome"))
        .args(["run", "rod.toml", "rod.arm.model.spline.control_poses=8000"])
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    // The headline is printed after the handler is in place and before the solve.
    out.read_line(&mut line).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut out, &mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    // On a busy machine one step of it may take so long that it is left in the middle: then nothing is written.
    match std::fs::read(folder.at("rod.run/manifest.json")) {
        Ok(manifest) => {
            let manifest: Json = serde_json::from_slice(&manifest).unwrap();
            assert_eq!(manifest["status"], "interrupted");
        }
        Err(_) => assert_eq!(files_in(&folder.0), ["rod.toml", "scene.schema.json"]),
    }
}

#[test]
fn quiet_is_quiet_and_doctor_is_well() {
    let folder = Folder::new("quiet");
    folder.json(&["new", "rod", "rod.toml", "--json"], 0);
    let output = folder.lissome(&["run", "rod.toml", "--quiet"]);
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
    let doctor = folder.json(&["doctor", "--json"], 0);
    assert_eq!(doctor["status"], "ok");
    assert!(doctor["threads"].as_u64().unwrap() >= 1);
}

#[test]
fn the_published_schema_is_the_readers() {
    let folder = Folder::new("schema");
    let output = folder.lissome(&["schema"]);
    let published = include_str!("../../../docs/reference/scene.schema.json");
    assert!(
        String::from_utf8_lossy(&output.stdout) == published,
        "docs/reference/scene.schema.json is stale: write the output of `lissome schema` there"
    );
}

#[test]
fn a_shape_from_two_poses_is_found_compared_and_written() {
    let folder = Folder::new("shape");
    folder.json(&["new", "two-grippers", "held.toml", "--json"], 0);
    let answer = folder.json(&["shape", "held.toml", "--json"], 0);
    assert_eq!(answer["status"], "converged");
    // [muller2025cfk, section VI], large bend in space; the quaternion of the scene has six digits.
    let energy = answer["energies"]["elastic"].as_f64().unwrap();
    assert!((energy - 0.07130211669).abs() < 1e-6, "{energy}");
    assert!(files_in(&folder.at("held.run")).iter().any(|name| name == "shapes.csv"));
    let shapes: Json = serde_json::from_slice(&std::fs::read(folder.at("held.run/shapes.json")).unwrap()).unwrap();
    let rod = &shapes["rod"];
    assert_eq!(rod["stability"]["verdict"], "stable");
    let of = |method: &str| {
        let all = rod["approximations"].as_array().unwrap();
        all.iter().find(|a| a["method"] == method).unwrap()["distance_from_exact"]["position"].as_f64().unwrap()
    };
    assert!(of("printed") > 5e-3 && of("cubic") < 1e-3 && of("quintic") < 5e-6);
    let page = std::fs::read_to_string(folder.at("held.run/report.html")).unwrap();
    assert!(page.contains("Shapes of rod") && page.contains("Distance from the exact rod"));
    // A scene that asks for it needs no verb, and a verb needs no scene that asks for it.
    let run = folder.json(&["run", "held.toml", "--json"], 0);
    assert_eq!(run["energies"]["elastic"], answer["energies"]["elastic"]);
}

#[test]
fn ends_too_far_apart_are_refused_with_the_excess() {
    let folder = Folder::new("apart");
    folder.json(&["new", "two-grippers", "held.toml", "--json"], 0);
    let answer = folder.json(&["shape", "held.toml", "rod.rod.tip.position=[0.7, 0, 0]", "--json"], 2);
    let error = &answer["errors"][0];
    assert_eq!(error["path"], "rod.rod.tip");
    let words = format!("{}{}", error["message"], error["reason"]);
    assert!(words.contains("0.1 m too far"), "{words}");
    assert!(!folder.at("held.run").exists());
}
