//! Concentric tubes from a scene file to the answer: insertion as a drive, motion, refusals.
#![allow(clippy::unwrap_used)]

use lissome::Unobserved;
use lissome_io::scene::{self, LoadedScene};
use lissome_model::{DriveTarget, Job, PathJob, Signal, StaticsJob};
use lissome_solve::{Answer, Equilibrium};

const SCENE: &str = include_str!("../../../examples/scenes/concentric-tubes.toml");

fn load(text: &str) -> LoadedScene {
    scene::parse("tubes.toml", text.to_owned(), &[]).unwrap_or_else(|found| {
        panic!("{}", found.iter().map(ToString::to_string).collect::<String>());
    })
}

/// The shipped robot with one drive of the innermost tube's insertion.
fn inserted(from: f64, to: f64, samples: usize) -> Vec<Equilibrium> {
    let mut scene = load(SCENE).scene;
    scene.drives.retain(|drive| matches!(drive.target, DriveTarget::TubeInsertion { .. }));
    scene.drives[0].signal = Signal::Ramp { from, to, start: 0.0, over: 1.0 };
    scene.insert_tube(0, 0, from);
    scene.job = Job::Path(PathJob { samples, ..PathJob::default() });
    let Answer::Path(path) = lissome::run(&scene, &mut Unobserved).unwrap() else { unreachable!() };
    path.samples.into_iter().map(|sample| sample.equilibrium).collect()
}

#[test]
fn insertion_is_followed_past_places_where_tubes_end_and_curve() {
    // The inner tube's curvature begins 60 mm before its tip: it passes the end of the outer tube at 140 mm of insertion and
    // that of the middle one at 180 mm.
    let path = inserted(0.125, 0.245, 7);
    assert_eq!(path.len(), 7);
    for equilibrium in &path {
        assert!(equilibrium.outcome.converged() && equilibrium.is_stable() == Some(true));
        assert!(equilibrium.outcome.events.is_empty(), "{:?}", equilibrium.outcome.events);
    }
    let mut alone = load(SCENE).scene;
    alone.drives.clear();
    alone.insert_tube(0, 0, 0.245);
    alone.job = Job::Statics(StaticsJob::default());
    let Answer::Statics(found) = lissome::run(&alone, &mut Unobserved).unwrap() else { unreachable!() };
    let gap = found.rods[0].tip.boxminus(&path[6].rods[0].tip);
    assert!(gap.linear.norm() < 1e-9 * 0.245 && gap.angular.norm() < 1e-8, "{gap:?}");
}

#[test]
fn the_robot_is_continuous_where_the_layout_is_renewed() {
    let step = 1e-8;
    for crossing in [0.14, 0.18] {
        let path = inserted(crossing - step, crossing + step, 3);
        let [before, .., after] = &path[..] else { unreachable!() };
        let gap = after.rods[0].tip.position - before.rods[0].tip.position;
        // The tip itself moves by the change of the insertion.
        assert!(gap.norm() < 3.0 * step + 1e-6 * crossing, "{gap:?} at {crossing}");
    }
}

#[test]
fn what_tubes_do_stands_in_the_record() {
    let path = inserted(0.15, 0.16, 2);
    let rod = &path[0].rods[0];
    let names: Vec<&str> = rod.tubes.iter().map(|tube| tube.name.as_str()).collect();
    assert_eq!(names, ["inner", "middle", "outer"]);
    // Of 101 samples over 150 mm the outer tube of 80 mm reaches 54, the middle one of 120 mm 81.
    let counts: Vec<usize> = rod.tubes.iter().map(|tube| tube.angle.len()).collect();
    assert!(counts[0] == 101 && (80..=81).contains(&counts[1]) && (53..=54).contains(&counts[2]), "{counts:?}");
    // Without load nothing twists the tubes as a whole: their torques balance everywhere, and free ends carry none.
    for k in 0..50 {
        let sum: f64 = rod.tubes.iter().map(|tube| tube.torque[k]).sum();
        let largest = rod.tubes.iter().map(|tube| tube.torque[k].abs()).fold(0.0, f64::max);
        assert!(sum.abs() < 2e-3 * largest.max(1e-4), "{sum} of {largest} at {k}");
    }
}

#[test]
fn mistakes_with_tubes_have_a_place_and_a_reason() {
    let cases = [
        ("inner_diameter = \"1.2 mm\"", "inner_diameter = \"0.9 mm\"", "does not fit around `inner`"),
        ("insertion      = \"120 mm\"", "insertion      = \"320 mm\"", "no longer"),
        ("curved_length  = \"80 mm\"", "curved_length  = \"400 mm\"", "longer than the tube"),
        ("\"robot.inner.rotation\"", "\"robot.inmost.rotation\"", "robot.inner.rotation"),
        ("length         = \"430 mm\"", "", "length"),
        (
            "insertion\" = { ramp = [\"150 mm\", \"190 mm\"] }",
            "insertion\" = { ramp = [\"150 mm\", \"500 mm\"] }",
            "0.5",
        ),
    ];
    for (from, to, told) in cases {
        assert!(SCENE.contains(from), "{from}");
        let text = SCENE.replacen(from, to, 1);
        let found = scene::parse("tubes.toml", text, &[]).expect_err(to);
        let words: String = found.iter().map(ToString::to_string).collect();
        assert!(words.contains(told), "{to}: {words}");
        assert!(found.iter().all(|diagnostic| diagnostic.place.is_some()), "{words}");
    }
}
