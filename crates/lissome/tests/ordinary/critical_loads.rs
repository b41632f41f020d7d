//! The job for critical loads.

use super::{json, loaded, refused, run};
use lissome::Answer;
use lissome::io::{Ending, Summary, report};
use lissome::solve::BucklingAnswer;
use lissome::solve::buckling::CriticalKind;
use std::f64::consts::PI;

/// EI = 1 in the weak plane, four times as much in the other; L = 1: P L²/EI = π²/4, π², 9π²/4.
const COLUMN: &str = r#"
schema = 1
[rod.column]
length  = "1 m"
section = { stiffness = [1, 4, 1, 4e6, 4e6, 4e6] }
base    = { fixed_to = "world" }
[load.thrust]
rod   = "column"
at    = "tip"
force = [-1, 0, 0]
[job]
kind = "buckling"
"#;

fn critical(answer: &Answer) -> &BucklingAnswer {
    let Answer::Buckling(buckling) = answer else { panic!("the job is buckling") };
    buckling
}

#[test]
fn a_column_says_at_which_loads_it_buckles() {
    let scene = loaded(COLUMN, &[]);
    let answer = run(&scene);
    let loads = &critical(&answer).loads;
    for (load, exact) in loads.iter().zip([1.0, 4.0, 9.0].map(|k| k * PI * PI / 4.0)) {
        assert!((load.factor / exact - 1.0).abs() < 1e-4, "{} for {exact}", load.factor);
        assert_eq!(load.kind, CriticalKind::Bifurcation);
    }
    // It gives way in its weak plane (x, y), its tip most, as 1 − cos(πs/2).
    let way = &loads[0].rods[0];
    assert!((way.last().unwrap().y.abs() - 1.0).abs() < 1e-6, "{:?}", way.last());
    let middle = way[way.len() / 2].y / way.last().unwrap().y;
    assert!((middle - (1.0 - (PI / 4.0).cos())).abs() < 1e-3, "{middle}");
    let json = json(&scene, &answer);
    assert_eq!((&json["buckling"]["from"], json["buckling"]["loads"].as_array().unwrap().len()), (&0.0.into(), 3));
    assert_eq!(json["buckling"]["loads"][0]["kind"], "bifurcation");
    let summary = Summary::of(&scene.scene, &answer, Ending::Finished).unwrap();
    let page = report::page::html(&summary, &scene.to_toml());
    assert!(page.contains("Critical loads") && page.contains("Load factor 2.46"), "a picture of each");
}

#[test]
fn from_the_loaded_state_the_factors_are_the_same() {
    let answer = run(&loaded(COLUMN, &["job.from=loaded", "job.count=1"]));
    let (from, load) = (critical(&answer).from, critical(&answer).loads[0].factor);
    assert_eq!(from, 1.0);
    assert!((load / (PI * PI / 4.0) - 1.0).abs() < 1e-4, "{load}");
}

#[test]
fn a_follower_thrust_has_no_critical_load_and_flutters() {
    let text = COLUMN.replace("4e6] }", "4e6], mass_per_length = 1, rotary_inertia = [5e-7, 2.5e-7, 2.5e-7] }");
    let text = text.replace("[1, 4, 1,", "[0.77, 1, 1,").replace("force = ", "frame = \"body\"\nforce = ");
    let answer = run(&loaded(&text, &["job.count=1"]));
    let onset = critical(&answer).flutter.as_ref().unwrap();
    assert!((onset.factor / 20.05095361897 - 1.0).abs() < 1e-3, "{}", onset.factor);
    assert!(onset.to_string().starts_with("stable against divergence, flutters from load factor 20.05"));
}

#[test]
fn loads_are_needed_and_the_printed_form_is_refused_by_name() {
    let bare = COLUMN.split("[load.thrust]").next().unwrap().to_owned() + "[job]\nkind = \"buckling\"\n";
    assert!(refused(&bare, &[]).contains("nothing does"), "{}", refused(&bare, &[]));
    let printed = refused(COLUMN, &["rod.column.model.spline.form=printed"]);
    assert!(printed.contains("the printed form has no critical loads"), "{printed}");
    assert!(refused(COLUMN, &["job.count=0"]).contains("positive"));
    assert!(refused(COLUMN, &["job.from=nowhere"]).contains("loaded"));
}

#[test]
fn a_load_beyond_the_critical_one_has_a_factor_below_one() {
    let answer = run(&loaded(COLUMN, &["load.thrust.force=[-3, 0, 0]", "job.count=1"]));
    assert!((3.0 * critical(&answer).loads[0].factor / (PI * PI / 4.0) - 1.0).abs() < 1e-4);
}

#[test]
fn the_search_ends_where_its_observer_asks_it_to() {
    use lissome::Progress;
    use std::ops::ControlFlow;
    let scene = loaded(COLUMN, &[]);
    let watched = |most: usize| {
        let mut seen = 0;
        let mut observer = |_: &Progress<'_>| {
            seen += 1;
            if seen < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let answer = lissome::run(&scene.scene, &mut observer).unwrap();
        (seen, answer)
    };
    let (all, whole) = watched(usize::MAX);
    assert!(!critical(&whole).stopped && all > 50, "{all} iterations");
    for most in [all / 2, 3 * all / 4, all - 1] {
        let (seen, answer) = watched(most);
        assert_eq!(seen, most, "it goes on");
        assert!(critical(&answer).stopped && critical(&answer).loads.len() <= 3);
        let summary = Summary::of(&scene.scene, &answer, Ending::Interrupted).unwrap();
        assert_eq!(summary.status(), "interrupted");
    }
}
