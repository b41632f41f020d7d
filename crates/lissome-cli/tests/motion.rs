//! Motions as a user meets them: run, interrupt, resume, export, and what is refused.
#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use serde_json::Value as Json;
use std::process::Command;

impl Folder {
    fn new(name: &str) -> Self {
        let swing = include_str!("../../../examples/scenes/swing.toml");
        let whip = include_str!("../../../examples/scenes/whip.toml");
        Self::with(&format!("motion-{name}"), &[("swing.toml", swing), ("whip.toml", whip)])
    }

    fn json(&self, arguments: &[&str], exit: i32) -> Json {
        serde_json::from_slice(&self.lissome(arguments, exit).stdout).unwrap()
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

#[test]
fn half_a_run_and_its_rest_export_the_same_table() {
    let here = Folder::new("halves");
    let whole = here.json(&["run", "swing.toml", "job.duration=\"1 s\"", "--out", "whole.run", "--json"], 0);
    assert_eq!((whole["status"].as_str(), whole["frames"].as_u64()), (Some("finished"), Some(101)));
    here.lissome(&["run", "swing.toml", "job.duration=\"0.5 s\"", "--out", "half.run", "--quiet"], 0);
    let rest = here.json(&["run", "--resume", "half.run", "job.duration=\"1 s\"", "--json"], 0);
    assert_eq!(rest["frames"], 101);
    for run in ["whole", "half"] {
        here.lissome(&["export", &format!("{run}.run"), "--to", "csv,npz,svg,glb,vtk"], 0);
    }
    for name in ["motion.csv", "motion_shapes.csv"] {
        assert_eq!(here.text(&format!("whole.export/{name}")), here.text(&format!("half.export/{name}")));
    }
    let (a, b) = (here.0.join("whole.export/motion.glb"), here.0.join("half.export/motion.glb"));
    assert_eq!(std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
    assert!(here.text("half.run/report.html").contains("Shapes over time"));
    assert_eq!(here.text("half.run/events.jsonl"), here.text("whole.run/events.jsonl"));
    let manifest: Json = serde_json::from_str(&here.text("half.run/manifest.json")).unwrap();
    assert_eq!(manifest["resumed"], serde_json::json!([0.5]));
}

#[test]
fn limit_and_interrupt_keep_what_there_is() {
    let here = Folder::new("kept");
    let long = ["whip.toml", "job.duration=\"1000 s\"", "--quiet"];
    here.lissome(&[&["run"], &long[..], &["--limit", "1.5", "--out", "limit.run"]].concat(), 4);
    here.lissome(&["export", "limit.run", "--to", "csv"], 0);
    assert!(here.text("limit.export/motion.csv").lines().count() > 2);
    #[cfg(unix)]
    {
        let mut child = here.command(&[&["run"], &long[..], &["--out", "cut.run"]].concat()).spawn().unwrap();
        let begun = here.0.join("cut.run/manifest.json");
        // The folder appears with the first frame.
        for _ in 0..600 {
            if begun.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        here.lissome(&["run", "--resume", "cut.run", "--limit", "0.2", "--quiet"], 4);
        let manifest: Json = serde_json::from_str(&here.text("cut.run/manifest.json")).unwrap();
        assert_eq!((manifest["status"].as_str(), manifest["kind"].as_str()), (Some("limit"), Some("dynamics")));
    }
}

#[test]
fn bad_input_is_refused_before_anything_is_written() {
    let here = Folder::new("refused");
    let faults = [
        ("job.step=0", "E0303"),
        ("job.step=\"-1 ms\"", "E0303"),
        ("job.step=\"6 s\"", "E0305"),
        ("job.output_rate=0", "E0303"),
        ("job.output_rate=\"-5 Hz\"", "E0303"),
        ("job.output_rate=\"5 s\"", "E0306"),
        ("job.duration=0", "E0303"),
        ("job.duration=\"-1 s\"", "E0303"),
        ("job.release=[\"push\"]", "E0205"),
    ];
    for (change, code) in faults {
        let refused = here.json(&["run", "swing.toml", change, "--json"], 2);
        assert_eq!(refused["errors"][0]["code"], code, "{change}: {refused:#}");
        assert!(!here.0.join("swing.run").exists());
    }
    let table = here.text("whip.toml").replace(
        "{ sine = { mean = \"0 rad\", amplitude = \"0.6 rad\", frequency = \"1 Hz\" } }",
        "{ table = [[\"0 s\", \"0 rad\"], [\"1 s\", \"1 rad\"]] }",
    );
    std::fs::write(here.0.join("short.toml"), &table).unwrap();
    assert_eq!(here.json(&["run", "short.toml", "--json"], 2)["errors"][0]["code"], "E0421");
    std::fs::write(here.0.join("wrong.toml"), table.replace("\"1 rad\"", "\"1 N\"")).unwrap();
    assert_eq!(here.json(&["run", "wrong.toml", "--json"], 2)["errors"][0]["code"], "E0306");
    assert_eq!(here.json(&["run", "--resume", "nothing.run", "--json"], 2)["errors"][0]["code"], "E0605");
}

#[test]
fn statics_of_a_scene_that_moves_set_its_keys_aside() {
    let here = Folder::new("set-aside");
    let answer = here.json(&["run", "swing.toml", "job.kind=statics", "--json", "--out", "still.run"], 0);
    assert_eq!(answer["status"], "converged");
    assert_eq!(answer["warnings"][0]["code"], "W0204", "{answer:#}");
}
