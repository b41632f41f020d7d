//! What is said of stability where loads have no potential.

use super::{json, loaded, run};
use lissome::Answer;
use lissome::io::equilibrium_json::stability_words;
use lissome::io::{Ending, Summary};

/// Beck's column: EI = 1 N·m², L = 1 m, 1 kg/m; flutters at 20.05095 N.
const BECK: &str = r#"
schema = 1
[rod.column]
length  = "1 m"
section = { stiffness = [0.77, 1, 1, 4e6, 1.4e6, 1.4e6], radius = "1 mm", mass_per_length = "1 kg/m" }
base    = { fixed_to = "world" }
model   = { spline = { degree = 3, spans = 12 } }
[load.thrust]
rod   = "column"
at    = "tip"
frame = "body"
force = [-10, 0, 0]
"#;

#[test]
fn a_column_that_flutters_is_not_called_stable() {
    let scene = loaded(BECK, &["load.thrust.force=[-25, 0, 0]"]);
    let answer = run(&scene);
    let equilibrium = answer.equilibrium().unwrap();
    assert!(answer.outcome().unwrap().stability.unwrap().stable, "it never diverges");
    assert_eq!(equilibrium.is_stable(), Some(false));
    let onset = equilibrium.flutter.unwrap().onset.unwrap();
    assert!((25.0 * onset / 20.05095361897 - 1.0).abs() < 1e-3, "{onset}");
    let words = stability_words(equilibrium).unwrap();
    assert!(words.starts_with("stable against divergence, flutters from load factor 0.80"), "{words}");
    let json = json(&scene, &answer);
    assert_eq!(json["stable"], false);
    assert_eq!(json["stability"]["flutter"]["verdict"], "flutters");
    let complaint = Summary::of(&scene.scene, &answer, Ending::Finished).unwrap().complaint().unwrap();
    assert_eq!(complaint.fault.code(), "W0510");
}

#[test]
fn a_column_below_flutter_says_that_both_were_examined() {
    let scene = loaded(BECK, &[]);
    let answer = run(&scene);
    assert_eq!(stability_words(answer.equilibrium().unwrap()).unwrap(), "stable against divergence and flutter");
    assert_eq!(json(&scene, &answer)["stability"]["examined"], serde_json::json!(["divergence", "flutter"]));
    assert!(Summary::of(&scene.scene, &answer, Ending::Finished).unwrap().complaint().is_none());
}

#[test]
fn without_mass_flutter_is_said_not_to_be_examined() {
    let text = BECK.replace(", mass_per_length = \"1 kg/m\"", "");
    let answer = run(&loaded(&text, &[]));
    let words = stability_words(answer.equilibrium().unwrap()).unwrap();
    assert!(words.contains("flutter is not examined") && words.contains("mass"), "{words}");
}

#[test]
fn a_load_with_a_potential_costs_no_examination() {
    let answer = run(&loaded(BECK, &["load.thrust.frame=world", "load.thrust.force=[-1, 0, 0]"]));
    assert!(answer.equilibrium().unwrap().flutter.is_none());
    assert_eq!(stability_words(answer.equilibrium().unwrap()).unwrap(), "stable");
}

#[test]
fn modes_tell_growth_and_what_a_motion_does() {
    let beyond = loaded(BECK, &["job.kind=modes", "job.count=4", "load.thrust.force=[-25, 0, 0]"]);
    let answer = run(&beyond);
    let Answer::Modes(modes) = &answer else { panic!("the job is modes") };
    let fluttering: Vec<_> = modes.modes.iter().filter(|mode| mode.word() == Some("flutters")).collect();
    assert_eq!(fluttering.len(), 2, "a round column flutters in two planes");
    assert!((fluttering[0].growth / 4.917017877589179 - 1.0).abs() < 1e-3, "{}", fluttering[0].growth);
    assert!(json(&beyond, &answer)["modes"][0]["growth"].is_number());

    // Damped beyond what swings: 2π f τ/2 > 1 for all but the lowest shapes.
    let damped = BECK.replace("mass_per_length", "damping = \"1 s\", mass_per_length");
    let answer = run(&loaded(
        &damped,
        &["job.kind=modes", "job.count=4", "load.thrust.frame=world", "load.thrust.force=[0, 0.01, 0]"],
    ));
    let Answer::Modes(modes) = &answer else { panic!("the job is modes") };
    assert!(modes.modes.iter().any(|mode| mode.word() == Some("over-damped")), "{:?}", modes.modes[0].growth);
}
