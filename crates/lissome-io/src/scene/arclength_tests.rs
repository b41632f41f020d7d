//! Paths by arclength and curves of folds: what their keys mean, and what is refused.

#![allow(clippy::unwrap_used)]

use super::*;
use lissome_model::{ArcDirection, Arclength, FoldCurveJob, Follow, Job, MOST_BRANCHES};

const SCENE: &str = r#"
schema = 1
[rod.column]
length = 1
section = { stiffness = [1, 4, 1, 1e6, 1e6, 1e6] }
base = "world"
[load.thrust]
rod = "column"
at = "tip"
force = [-1, 0, 0]
[load.side]
rod = "column"
at = "tip"
force = [0, 0.1, 0]
[drive]
"thrust.scale" = { ramp = [0, 4] }
"side.scale" = { ramp = [0, 1] }
[job]
"#;

fn job(keys: &str) -> Result<Job, Vec<Diagnostic>> {
    parse("test.toml", format!("{SCENE}{keys}"), &[]).map(|loaded| loaded.scene.job)
}

#[test]
fn a_path_by_arclength_is_read() {
    let Job::Path(path) = job("kind = \"path\"\nfollow = \"arclength\"").unwrap() else { panic!("a path") };
    assert_eq!(path.follow, Follow::Arclength(Arclength::default()));
    let keys = "kind = \"path\"\nfollow = \"arclength\"\nend = 2\nstart_at = 0.5\ndirection = \"both\"\nbranches = \"all\"\n\
                max_steps = 50\nlongest_step = 0.05";
    let Job::Path(path) = job(keys).unwrap() else { panic!("a path") };
    let all = Arclength {
        start_at: 0.5,
        direction: ArcDirection::Both,
        branches: MOST_BRANCHES,
        max_steps: 50,
        longest_step: 0.05,
    };
    assert_eq!(path.follow, Follow::Arclength(all));
    let Job::Path(path) = job("kind = \"path\"\nfollow = \"arclength\"\nbranches = 3").unwrap() else {
        panic!("a path")
    };
    assert!(matches!(path.follow, Follow::Arclength(Arclength { branches: 3, .. })));
    let Job::FoldCurve(folds) = job("kind = \"fold-curve\"\nover = \"side.scale\"").unwrap() else { panic!("folds") };
    assert_eq!(folds, FoldCurveJob::over(1));
}

#[test]
fn what_does_not_fit_is_refused_at_its_place() {
    let refused = [
        ("kind = \"path\"\nfollow = \"arclength\"\nsamples = 5", "job.samples"),
        ("kind = \"path\"\nfollow = \"arclength\"\non_event = \"stop\"", "job.on_event"),
        ("kind = \"path\"\nfollow = \"length\"", "job.follow"),
        ("kind = \"path\"\nbranches = \"all\"", "job.branches"),
        ("kind = \"path\"\nstart_at = 0.5", "job.start_at"),
        ("kind = \"path\"\nfollow = \"arclength\"\nbranches = \"every\"", "job.branches"),
        ("kind = \"path\"\nfollow = \"arclength\"\nbranches = 41", "job.branches"),
        ("kind = \"path\"\nfollow = \"arclength\"\nbranches = -1", "job.branches"),
        ("kind = \"path\"\nfollow = \"arclength\"\nstart_at = 1.5", "job.start_at"),
        ("kind = \"path\"\nfollow = \"arclength\"\nstart_at = -0.5", "job.start_at"),
        ("kind = \"path\"\nfollow = \"arclength\"\nmax_steps = 0", "job.max_steps"),
        ("kind = \"path\"\nfollow = \"arclength\"\nlongest_step = 0", "job.longest_step"),
        ("kind = \"path\"\nfollow = \"arclength\"\nlongest_step = 2", "job.longest_step"),
        ("kind = \"path\"\nfollow = \"arclength\"\ndirection = \"up\"", "job.direction"),
        ("kind = \"statics\"\nfollow = \"arclength\"", "job.follow"),
        ("kind = \"path\"\non_event = \"follow\"", "job.on_event"),
        ("kind = \"fold-curve\"", "job.over"),
        ("kind = \"fold-curve\"\nover = \"sides.scale\"", "job.over"),
        ("kind = \"fold-curve\"\nover = \"side.scale\"\nstart_at = 2", "job.start_at"),
        ("kind = \"fold-curve\"\nover = \"side.scale\"\nbranches = 2", "job.branches"),
    ];
    for (keys, place) in refused {
        let found = job(keys).expect_err(keys);
        assert!(found.iter().any(|d| d.path.as_deref() == Some(place)), "{keys}: {found:?}");
    }
    let hint = format!("{:?}", job("kind = \"path\"\non_event = \"follow\"").unwrap_err());
    assert!(hint.contains("arclength"), "{hint}");
}

#[test]
fn a_curve_of_folds_needs_two_drives_that_move() {
    let text = SCENE.replace("\"thrust.scale\" = { ramp = [0, 4] }", "\"thrust.scale\" = 4");
    let found = parse("test.toml", format!("{text}kind = \"fold-curve\"\nover = \"side.scale\""), &[]);
    assert!(found.unwrap_err().iter().any(|d| d.path.as_deref() == Some("job.over")));
}

#[test]
fn values_for_each_sample_are_refused_where_samples_are_not_known() {
    let text = SCENE.replace("\"thrust.scale\" = { ramp = [0, 4] }", "\"thrust.scale\" = { values = [0, 1, 2] }");
    let found = parse("test.toml", format!("{text}kind = \"path\"\nfollow = \"arclength\""), &[]).unwrap_err();
    assert!(format!("{found:?}").contains("arclength"), "{found:?}");
}
