//! Motions through the façade: a run to T is a run to T/2 and the rest, bit for bit; what stops keeps what it has.
#![allow(clippy::unwrap_used)]

use lissome::io::scene::parse;
use lissome::model::{Job, Scene};
use lissome::solve::{MotionAnswer, MotionEnd, MotionEventKind, MotionFrame, MotionRecord};
use lissome::{Answer, Progress, Snapshot, Unobserved};
use std::ops::ControlFlow;

const SWING: &str = include_str!("../../../examples/scenes/swing.toml");
const WHIP: &str = include_str!("../../../examples/scenes/whip.toml");

/// Steps between two outputs share a tangent.
const SLIDE: &str = include_str!("../../../cases/contact/incline/sliding.toml");

/// A plate on a rod pulled by a cable whose tension rises.
const CABLE: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
damping = "2 ms"
[rod.arm]
material = "rubber"
length = "40 cm"
section = { shape = "circle", radius = "12 mm" }
base = { fixed_to = "world", tangent = [0, 0, -1] }
model = { spline = { degree = 3, spans = 6 } }
[body.plate]
mass = "50 g"
shape = { cylinder = { radius = "30 mm", length = "4 mm" } }
frames = { hole = { position = [0, 0, "30 mm"] } }
mount = { fixed_to = "arm", at = "tip" }
[cable.flexor]
points = [{ position = ["-30 mm", 0, 0] }, "plate.hole"]
tension = "0 N"
[drive]
"flexor.tension" = { ramp = ["0 N", "4 N"], over = "0.1 s" }
[job]
kind = "dynamics"
duration = "0.4 s"
output_rate = "50 Hz"
tolerance = 1e-3
"#;

/// A rigid pendulum on a hinge with friction, and a rod held at both ends beside it.
const LOOP: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young = "2 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[joint.hinge]
kind = "revolute"
parent = "world"
axis = [0, 1, 0]
start = "1 rad"
damping = "1e-3 N*m*s/rad"
[body.bob]
mass = "0.2 kg"
shape = { box = ["20 mm", "20 mm", "0.2 m"] }
mount = { fixed_to = "hinge", position = [0, 0, "-0.1 m"] }
[rod.bridge]
material = "rubber"
length = "0.6 m"
section = { shape = "circle", radius = "10 mm" }
base = { fixed_to = "world", position = [0, "1 m", 0], tangent = [1, 0, 0] }
tip = { fixed_to = "world", position = ["0.6 m", "1 m", 0], tangent = [1, 0, 0] }
model = { spline = { degree = 3, spans = 6 } }
[job]
kind = "dynamics"
duration = "0.4 s"
output_rate = "50 Hz"
start = "natural"
"#;

fn scene(text: &str, overrides: &[&str]) -> Scene {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    match parse("t", text.to_owned(), &overrides) {
        Ok(loaded) => loaded.scene,
        Err(all) => panic!("{}", all.iter().map(ToString::to_string).collect::<String>()),
    }
}

/// Frames of a motion, the snapshot after the last, and the answer.
fn watched(scene: &Scene, from: Option<&Snapshot>, most_steps: usize) -> (Vec<MotionFrame>, Snapshot, MotionAnswer) {
    let (mut frames, mut last, mut steps) = (Vec::new(), Snapshot::default(), 0);
    let mut observer = |progress: &Progress<'_>| {
        match progress {
            Progress::Frame(state) => {
                frames.push(state.frame.clone());
                last = state.snapshot();
            }
            Progress::Step { .. } => steps += 1,
            _ => {}
        }
        if steps < most_steps { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let answer = match from {
        None => lissome::run(scene, &mut observer),
        Some(snapshot) => lissome::resume(scene, snapshot, MotionRecord::of(scene), &mut observer),
    };
    let Answer::Dynamics(motion) = answer.unwrap() else { panic!("the job is dynamics") };
    (frames, last, motion)
}

/// Frames of a whole motion and the snapshot after the last.
fn run(scene: &Scene, from: Option<&Snapshot>) -> (Vec<MotionFrame>, Snapshot, MotionEnd) {
    let (frames, last, motion) = watched(scene, from, usize::MAX);
    (frames, last, motion.end)
}

/// Frames of the first half of a motion that is stopped there, and the snapshot after the last.
fn first_half(scene: &Scene) -> (Vec<MotionFrame>, Snapshot) {
    let (mut frames, mut last) = (Vec::new(), Snapshot::default());
    let until = 0.5 * scene.job.end() * (1.0 - 1e-9);
    let mut observer = |progress: &Progress<'_>| {
        let Progress::Frame(state) = progress else { return ControlFlow::Continue(()) };
        frames.push(state.frame.clone());
        last = state.snapshot();
        if state.frame.time < until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    lissome::run(scene, &mut observer).unwrap();
    (frames, last)
}

#[test]
fn a_run_in_two_halves_is_the_run_bit_for_bit() {
    let scenes = [
        ("robust", scene(SWING, &["job.duration=\"0.4 s\""])),
        ("conserving", scene(SWING, &["job.duration=\"0.4 s\"", "job.scheme=conserving"])),
        ("two stages", scene(SWING, &["job.duration=\"0.4 s\"", "job.scheme=tr-bdf2"])),
        ("driven, by tolerance", scene(WHIP, &["job.duration=\"0.4 s\""])),
        ("cable and plate", scene(CABLE, &[])),
        ("loop and hinge", scene(LOOP, &[])),
        ("slides", scene(SLIDE, &["job.duration=\"0.4 s\""])),
    ];
    for (name, scene) in scenes {
        let (whole, _, end) = run(&scene, None);
        assert_eq!(end, MotionEnd::Finished, "{name}");
        let (mut half, snapshot) = first_half(&scene);
        let (rest, _, end) = run(&scene, Some(&snapshot));
        assert_eq!(end, MotionEnd::Finished, "{name}");
        assert_eq!(half.len(), whole.len() / 2 + 1, "{name}: both ends of the first half");
        half.extend(rest);
        assert_eq!(half, whole, "{name}");
        assert!(whole.iter().all(|frame| frame.energy.balance().is_finite()));
        let moved = (whole[0].rods[0].poses[16].position - whole[whole.len() - 1].rods[0].poses[16].position).norm();
        assert!(moved > 1e-3, "{name} moves");
    }
}

#[test]
fn threads_change_no_bit() {
    let scene = scene(CABLE, &["job.duration=\"0.1 s\""]);
    let alone = run(&scene, None).0;
    let beside: Vec<Vec<MotionFrame>> = std::thread::scope(|scope| {
        let both: Vec<_> = (0..2).map(|_| scope.spawn(|| run(&scene, None).0)).collect();
        both.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(beside.iter().all(|frames| *frames == alone));
}

#[test]
fn output_times_are_multiples_of_the_rate_and_end_with_the_duration() {
    // 0.25 s at 30 Hz: seven intervals, then a shorter one.
    let scene = scene(SWING, &["job.duration=\"0.25 s\"", "job.output_rate=\"30 Hz\"", "job.step=\"7 ms\""]);
    let (frames, snapshot, _) = run(&scene, None);
    let times: Vec<f64> = frames.iter().map(|frame| frame.time).collect();
    assert_eq!(times.len(), 9);
    for (k, time) in times[..8].iter().enumerate() {
        assert!((time - k as f64 / 30.0).abs() < 1e-12, "{times:?}");
    }
    assert_eq!(times[8], 0.25);
    // Five steps of 6.67 ms fit into an interval where 7 ms were asked for.
    assert_eq!(frames[7].effort.steps, 35);
    assert!(frames.iter().all(|frame| frame.effort.step <= 7e-3));
    // Nothing is left to do.
    let (more, _, end) = run(&scene, Some(&snapshot));
    assert!(more.is_empty() && end == MotionEnd::Finished);
}

#[test]
fn the_released_load_holds_the_start_and_is_gone() {
    let scene = scene(SWING, &["job.duration=\"0.02 s\"", "job.scheme=conserving"]);
    let (frames, ..) = run(&scene, None);
    let first = &frames[0];
    assert_eq!(first.energy.kinetic, 0.0);
    assert!(first.energy.elastic > 0.1 && first.rods[0].poses[32].position.z > 0.1);
    // Before it moves, the internal force at the tip is what pulled; nothing does work afterwards.
    let force = first.rods[0].poses[32].rotation.rotate(&first.rods[0].stress[32].force);
    assert!((force.norm() - 10.0).abs() < 0.2, "{force}");
    assert_eq!(frames[2].energy.work, 0.0);
    assert!(frames[2].energy.kinetic > 0.0);
}

#[test]
fn an_observer_can_stop_between_outputs_and_nothing_is_lost() {
    let scene = scene(SWING, &["job.duration=\"0.4 s\"", "job.output_rate=\"10 Hz\""]);
    let (whole, ..) = run(&scene, None);
    let (mut frames, last, motion) = watched(&scene, None, 25);
    assert_eq!(motion.end, MotionEnd::Asked);
    assert_eq!(frames.len(), 3, "two intervals of ten steps, and the start");
    frames.extend(run(&scene, Some(&last)).0);
    assert_eq!(frames, whole);
}

#[test]
fn the_explicit_scheme_refuses_a_step_beyond_its_limit() {
    let scene = scene(SWING, &["job.scheme=explicit"]);
    let (frames, _, end) = run(&scene, None);
    let MotionEnd::Stopped(stop) = end else { panic!("{end:?}") };
    assert!(stop.reason.contains("stable below") && stop.time == 0.0, "{stop:?}");
    assert_eq!(frames.len(), 1, "the start is kept");
}

#[test]
fn a_snapshot_of_another_scene_is_refused() {
    let snapshot = run(&scene(SWING, &["job.duration=\"0.02 s\""]), None).1;
    let other = scene(WHIP, &[]);
    assert!(lissome::resume(&other, &snapshot, MotionRecord::of(&other), &mut Unobserved).is_err());
    let still = Scene { job: Job::Statics(Default::default()), ..scene(SWING, &[]) };
    assert!(lissome::resume(&still, &snapshot, MotionRecord::of(&still), &mut Unobserved).is_err());
}

#[test]
fn the_answer_finds_parts_by_name_and_tells_of_the_start() {
    let (frames, _, motion) = watched(&scene(LOOP, &["job.start=equilibrium"]), None, usize::MAX);
    assert_eq!(motion.record.count, frames.len());
    let bridge = motion.record.rod("bridge").unwrap();
    assert_eq!((bridge.len(), bridge[3].1), (frames.len(), &frames[3].rods[0]));
    assert_eq!(motion.record.joint("hinge").unwrap()[3], (frames[3].time, &frames[3].joints[0]));
    assert!(motion.record.rod("hinge").is_none() && motion.record.cable("bridge").is_none());
    let answer = Answer::Dynamics(motion);
    assert!(answer.succeeded() && answer.outcome().unwrap().converged());
    assert!(answer.rod("bridge").is_some() && answer.body("bob").is_some() && answer.joint("hinge").is_some());
}

#[test]
fn a_motion_that_finds_no_start_says_how_the_search_ended() {
    let stop_at_once = |progress: &Progress<'_>| match progress {
        Progress::Iteration(_) => ControlFlow::Break(()),
        _ => panic!("there is nothing to see after the search"),
    };
    let answer = lissome::run(&scene(SWING, &[]), &mut { stop_at_once }).unwrap();
    assert!(!answer.succeeded() && !answer.outcome().unwrap().converged());
    assert!(matches!(answer, Answer::Dynamics(motion) if motion.end == MotionEnd::NoStart && motion.record.count == 0));
}

/// A stiff pendulum that falls onto the stop of its hinge.
const STOP: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[joint.hinge]
kind = "revolute"
parent = "world"
axis = [0, 1, 0]
start = "1 rad"
limits = ["0.5 rad", "2 rad"]
[body.bob]
mass = "0.2 kg"
shape = { box = ["20 mm", "20 mm", "0.2 m"] }
mount = { fixed_to = "hinge", position = [0, 0, "-0.1 m"] }
[job]
kind = "dynamics"
duration = "0.3 s"
output_rate = "100 Hz"
step = "1 ms"
start = "natural"
"#;

#[test]
fn a_limit_that_is_reached_is_an_event_with_its_speed() {
    let (.., motion) = watched(&scene(STOP, &[]), None, usize::MAX);
    let event = &motion.record.events[0];
    assert_eq!((event.kind, event.part.as_str()), (MotionEventKind::Limit, "joint.hinge"));
    // m g d (cos 0.5 − cos 1) = I ω²/2 about the hinge.
    let inertia = 0.2 * (0.02f64.powi(2) + 0.2f64.powi(2)) / 12.0 + 0.2 * 0.01;
    let speed = (2.0 * 0.2 * 9.81 * 0.1 * (0.5f64.cos() - 1f64.cos()) / inertia).sqrt();
    // The mean speed of a step that ends at most one step of 1 ms before the impact: two steps of the acceleration.
    let acceleration = 0.2 * 9.81 * 0.1 * 1f64.sin() / inertia;
    assert!((event.value - speed).abs() < 2.0 * 1e-3 * acceleration, "{} {speed}", event.value);
    let fall = motion.record.joint("hinge").unwrap();
    assert!(fall.iter().all(|(time, value)| *time >= event.time || value[0] > 0.5), "it was not there before");
}

#[test]
fn modes_of_the_swing_are_those_of_its_reference() {
    // [xun2025, table 5] without load: the first bending frequency of the tapered rod is 0.764425 Hz, in two planes.
    let scene = scene(SWING.split("[job]").next().unwrap(), &["load.pull.force=[0, 0, 0]"]);
    let scene = Scene { job: Job::Modes(Default::default()), ..scene };
    let Answer::Modes(answer) = lissome::run(&scene, &mut Unobserved).unwrap() else { panic!("the job is modes") };
    assert_eq!(answer.modes.len(), 6);
    for mode in &answer.modes[..2] {
        assert!((mode.frequency / 0.764425 - 1.0).abs() < 1e-3, "{}", mode.frequency);
        let tip = mode.rods[0][32];
        assert!((tip.norm() - 1.0).abs() < 1e-6 && tip.x.abs() < 1e-3, "the tip swings sideways most: {tip}");
        assert!(mode.rods[0][0].norm() < 1e-9, "the base is held");
    }
}

/// A block that tumbles on a free joint with springs along its position, begun with rates of the coordinates.
const TUMBLE: &str = r#"
schema = 1
[joint.six]
kind = "free"
parent = "world"
start = [0.3, -0.2, 0.5, "50 mm", 0, 0]
rate = ["2 rad/s", "3 rad/s", "-1 rad/s", "0.1 m/s", "-0.2 m/s", "0.3 m/s"]
stiffness = [0, 0, 0, "20 N/m", "30 N/m", "40 N/m"]
damping = [0, 0, 0, "0.2 N*s/m", 0, 0]
[body.block]
mass = "0.2 kg"
shape = { box = ["60 mm", "40 mm", "20 mm"] }
mount = { fixed_to = "six" }
[job]
kind = "dynamics"
duration = "0.2 s"
output_rate = "1 kHz"
step = "1 ms"
"#;

#[test]
fn recorded_velocities_are_the_derivatives_of_what_is_recorded() {
    // Central differences over two outputs err by (ω dt)²/6 of the speed: the tumbling block at 20 rad/s by 7e-5, the damped
    // rod, whose cable is pulled smoothly and whose second mode has 200 rad/s, by 7e-3; the scheme errs by as much.
    for (text, allowed) in [(TUMBLE, 3e-4), (CABLE, 2e-2)] {
        let overrides = ["job.duration=0.2 s", "job.output_rate=1 kHz"];
        let (frames, _, end) = run(&scene(text, &overrides), None);
        assert_eq!(end, MotionEnd::Finished);
        let dt = frames[2].time - frames[0].time;
        let (mut worst, mut fastest, mut fastest_turn) = ([0.0_f64; 3], 0.0_f64, 0.0_f64);
        for three in frames.windows(3) {
            let all = |frame: &MotionFrame| -> Vec<_> {
                let rods = frame.rods.iter().flat_map(|rod| rod.poses.iter().zip(&rod.velocities));
                let bodies = frame.bodies.iter().zip(&frame.body_velocities);
                rods.chain(bodies).map(|(pose, velocity)| (*pose, *velocity)).collect()
            };
            let (before, now, after) = (all(&three[0]), all(&three[1]), all(&three[2]));
            for (((a, _), (_, velocity)), (b, _)) in before.iter().zip(&now).zip(&after) {
                fastest = fastest.max(velocity.linear.norm());
                fastest_turn = fastest_turn.max(velocity.angular.norm());
                worst[0] = worst[0].max(((b.position - a.position) / dt - velocity.linear).norm());
                let turned = a.rotation.rotate(&(a.rotation.inverse() * b.rotation).log()) / dt;
                worst[1] = worst[1].max((turned - velocity.angular).norm());
            }
            for (index, rates) in three[1].joint_rates.iter().enumerate() {
                for (k, rate) in rates.iter().enumerate() {
                    let difference = (three[2].joints[index][k] - three[0].joints[index][k]) / dt;
                    worst[2] = worst[2].max((difference - rate).abs());
                }
            }
        }
        assert!(fastest > 0.1 && fastest_turn > 0.1, "{fastest} {fastest_turn}");
        assert!(
            worst[0] < allowed * fastest && worst[1] < allowed * fastest_turn,
            "{worst:?} {fastest} {fastest_turn}"
        );
        assert!(worst[2] < allowed * fastest.max(fastest_turn), "{worst:?}");
    }
    let first = run(&scene(TUMBLE, &["job.duration=2 ms"]), None).0.remove(0);
    assert!(first.joint_rates[0].iter().zip([2.0, 3.0, -1.0, 0.1, -0.2, 0.3]).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!((first.body_velocities[0].linear - nalgebra::Vector3::new(0.1, -0.2, 0.3)).norm() < 1e-12);
}
