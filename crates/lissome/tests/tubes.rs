//! Concentric tubes from a scene file to the answer: insertion as a drive, motion, refusals.
#![allow(clippy::unwrap_used)]

use lissome::Unobserved;
use lissome::observer::Progress;
use lissome_io::scene::{self, LoadedScene};
use lissome_lie::Pose;
use lissome_model::{
    Discretization, Drive, DriveTarget, DynamicsJob, Frame, Job, Joint, JointKind, JointMotion, Material, PathJob,
    Resolution, Scene, Scheme, Signal, StaticsJob, StepControl, StrainForm, Tube, TubeSet,
};
use lissome_solve::{Answer, Equilibrium, MotionEnd, MotionRecord};
use nalgebra::Vector3;
use std::ops::ControlFlow;

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

/// The shipped robot, its innermost tube pushed past two places in half a second, from rest to rest.
fn pushed(over: f64) -> Scene {
    let mut scene = load(SCENE).scene;
    scene.drives.retain(|drive| matches!(drive.target, DriveTarget::TubeInsertion { .. }));
    scene.drives[0].signal = Signal::SmoothRamp { from: 0.13, to: 0.2, start: 0.0, over };
    scene.insert_tube(0, 0, 0.13);
    scene.rods[0].discretization =
        Discretization::Spline { degree: 3, resolution: Resolution::Spans(6), form: StrainForm::Mixed };
    for tube in scene.rods[0].tubes.iter_mut().flat_map(|set| &mut set.tubes) {
        tube.material = Material { damping: 0.02, density: Some(6450.0), ..tube.material };
    }
    let rod = scene.rods[0].clone();
    let set = rod.tubes.unwrap();
    scene.rods[0] = set.rod(rod.name, rod.base.unwrap(), rod.discretization);
    scene.job = Job::Dynamics(DynamicsJob {
        duration: over + 0.5,
        output_rate: 100.0,
        step: StepControl::Fixed(2.5e-3),
        ..DynamicsJob::default()
    });
    scene
}

#[test]
fn tubes_that_are_pushed_in_time_come_to_rest_where_their_equilibrium_is() {
    let scene = pushed(0.5);
    let mut tips = Vec::new();
    let mut snapshot = None;
    let answer = lissome::run(&scene, &mut |progress: &Progress<'_>| {
        if let Progress::Frame(output) = progress {
            let rod = &output.frame.rods[0];
            tips.push(rod.poses.last().unwrap().position);
            if tips.len() == 31 {
                snapshot = Some(output.snapshot());
            }
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    let Answer::Dynamics(motion) = &answer else { unreachable!() };
    assert_eq!(motion.end, MotionEnd::Finished, "{:?}", motion.end);
    let mut resting = scene.inserted_at(1.0);
    resting.drives.clear();
    resting.job = Job::Statics(StaticsJob::default());
    let Answer::Statics(rest) = lissome::run(&resting, &mut Unobserved).unwrap() else { unreachable!() };
    let off = (rest.rods[0].tip.position - tips.last().unwrap()).norm();
    assert!(off < 1e-5 * 0.2, "{off:e}");
    // What was kept on the way goes on bit for bit.
    let mut again = Vec::new();
    let earlier = MotionRecord::of(&scene);
    lissome::resume(&scene, &snapshot.unwrap(), earlier, &mut |progress: &Progress<'_>| {
        if let Progress::Frame(output) = progress {
            again.push(output.frame.rods[0].poses.last().unwrap().position);
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(again, tips[31..]);
}

#[test]
fn a_scheme_that_keeps_energy_does_not_push_tubes() {
    let mut scene = pushed(0.5);
    let Job::Dynamics(job) = &mut scene.job else { unreachable!() };
    job.scheme = Scheme::Conserving;
    let why = lissome::run(&scene, &mut Unobserved).unwrap_err().to_string();
    assert!(why.contains("robust"), "{why}");
}

/// A straight tube on a hinge that turns evenly, pushed out evenly. All its material moves along it with the same speed v, so that
/// 2ρA v ω acts on every part of it and bends it back by 2ρA v ω ℓ⁴/8EI at its tip. Sections' own points move with v s/ℓ, which
/// alone would give 11/15 of that.
#[test]
fn material_that_moves_along_a_turning_tube_bends_it_back() {
    let (turning, pushing, length) = (2.0, 0.1, 0.28);
    let material = Material { damping: 5e-3, ..Material::from_poisson(60e9, 0.3).with_density(6450.0) };
    let mut tube = Tube {
        name: "wire".into(),
        material,
        inner_diameter: 0.6e-3,
        outer_diameter: 0.8e-3,
        length: 0.5,
        insertion: 0.2,
        ..Tube::default()
    };
    let mass = 6450.0 * tube.shape().area();
    // So stiff that the turn itself stiffens it by a part in a thousand only.
    let stiffness = mass * turning * turning * 0.3f64.powi(4) / 1e-3;
    tube.bending_stiffness = Some(stiffness);
    let spline = Discretization::Spline { degree: 3, resolution: Resolution::Spans(4), form: StrainForm::Mixed };
    let ramp = |from: f64, to: f64| Signal::Ramp { from, to, start: 0.0, over: 1.0 };
    let hinge = Joint {
        name: "hinge".into(),
        kind: JointKind::Revolute { axis: Vector3::z() },
        parent: Frame::world(Pose::identity()),
        motion: JointMotion::Driven { value: vec![0.0] },
        ..Joint::default()
    };
    let set = TubeSet { tubes: vec![tube], ..TubeSet::default() };
    let scene = Scene {
        joints: vec![hinge],
        rods: vec![set.rod("robot", Frame::joint(0), spline)],
        drives: vec![
            Drive {
                path: "hinge".into(),
                target: DriveTarget::JointValue { joint: 0, coordinate: 0 },
                signal: ramp(0.0, turning),
            },
            Drive {
                path: "robot.wire.insertion".into(),
                target: DriveTarget::TubeInsertion { rod: 0, tube: 0 },
                signal: ramp(0.2, 0.2 + pushing),
            },
        ],
        job: Job::Dynamics(DynamicsJob {
            duration: 0.8,
            output_rate: 50.0,
            step: StepControl::Fixed(1e-3),
            ..DynamicsJob::default()
        }),
        ..Scene::default()
    };
    let Answer::Dynamics(motion) = lissome::run(&scene, &mut Unobserved).unwrap() else { unreachable!() };
    assert_eq!(motion.end, MotionEnd::Finished);
    let last = motion.record.last.unwrap();
    let tip = last.rods[0].poses.last().unwrap().position;
    let angle = turning * last.time;
    let across = tip.y * angle.cos() - tip.x * angle.sin();
    let expected = -2.0 * mass * pushing * turning * f64::powi(length, 4) / (8.0 * stiffness);
    // The turn stiffens it by a thousandth of what it has, and its length changes by a percent in the time that a swing takes.
    assert!((across / expected - 1.0).abs() < 0.02, "{across:e} {expected:e}");
}
