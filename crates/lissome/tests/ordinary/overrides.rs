//! Another job on the command line, and the samples of a path as data.

use super::{json, loaded, refused, run};
use lissome::Answer;

const PATH: &str = r#"
schema = 1
[material.rubber]
young   = "1 MPa"
poisson = 0.45
density = "1000 kg/m^3"
[rod.arm]
material = "rubber"
length   = "0.3 m"
section  = { shape = "circle", radius = "10 mm" }
base     = { fixed_to = "world" }
[load.tip]
rod   = "arm"
at    = "tip"
force = [0, 0, "0.1 N"]
[drive]
"tip.scale" = { values = [0, 0.5, 1] }
[job]
kind    = "path"
samples = 3
end     = "2 s"
"#;

#[test]
fn statics_asked_for_over_a_path_scene_are_done_with_a_note() {
    for kind in ["statics", "modes"] {
        let scene = loaded(PATH, &[&format!("job.kind={kind}")]);
        let codes: Vec<&str> = scene.warnings.iter().map(|warning| warning.fault.code()).collect();
        assert!(codes.contains(&"W0204") && codes.contains(&"W0202"), "{codes:?}");
        let note = scene.warnings.iter().find(|warning| warning.fault.code() == "W0204").unwrap().to_string();
        assert!(note.contains("samples") && note.contains("end"), "{note}");
        assert!(run(&scene).succeeded());
        // What is written can be run again, and needs no second note.
        let again = loaded(&scene.to_toml(), &[]);
        assert!(again.warnings.iter().all(|warning| warning.fault.code() != "W0204"));
    }
}

#[test]
fn keys_of_another_job_in_the_file_itself_are_still_a_mistake() {
    assert!(refused(&PATH.replace("\"path\"", "\"statics\""), &[]).contains("it belongs to another kind of job"));
    assert!(refused(PATH, &["job.kind=statics", "job.count=3"]).contains("it belongs to another kind of job"));
}

#[test]
fn every_sample_of_a_path_is_in_the_json() {
    let scene = loaded(PATH, &[]);
    let answer = run(&scene);
    let Answer::Path(path) = &answer else { panic!("the job is a path") };
    let json = json(&scene, &answer);
    let states = json["path"]["states"].as_array().unwrap();
    assert_eq!(states.len(), 3);
    for (state, sample) in states.iter().zip(&path.samples) {
        assert_eq!(state["parameter"], sample.at);
        assert_eq!(state["drives"]["tip.scale"], sample.drives[0]);
        assert_eq!((&state["status"], &state["stable"]), (&"converged".into(), &true.into()));
        assert_eq!(state["energy"], sample.equilibrium.outcome.energy.elastic);
        let tip = sample.equilibrium.rods[0].tip.position;
        assert_eq!(state["tips"]["arm"]["position"][2], tip.z);
    }
}
