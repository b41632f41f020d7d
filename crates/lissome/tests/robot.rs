//! A robot at hand against searches from nothing.

#![allow(clippy::unwrap_used)]

use lissome::io::scene::parse;
use lissome::model::Scene;
use lissome::robot::{Hand, Judgement, Robot, Settled, solve, with_drives};
use lissome::{Answer, Progress, Unobserved};
use std::ops::ControlFlow;

/// Two ways to one equilibrium agree to what the last step of Newton's method leaves, in lengths.
const SAME: f64 = 1e-7;

fn scene(name: &str) -> Scene {
    let template = lissome::templates::find(name).unwrap();
    parse(name, template.text.to_owned(), &[]).unwrap().scene
}

/// A rod with a given number of spans, so that all searches live on the same knots.
fn rod() -> Scene {
    scene("rod")
}

fn tip(equilibrium: &lissome::solve::Equilibrium) -> [f64; 3] {
    equilibrium.rods[0].tip.position.into()
}

fn assert_same(a: [f64; 3], b: [f64; 3], tolerance: f64) {
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance), "{a:?} and {b:?}");
}

#[test]
fn by_sign_and_with_the_eigenvalue_the_bits_are_the_same() {
    for name in ["rod", "hooked", "two-grippers", "tendon-arm", "strut", "rod-on-floor"] {
        let scene = with_drives(&scene(name), &[]).unwrap();
        let Answer::Statics(whole) = lissome::run(&scene, &mut Unobserved).unwrap() else { panic!("{name}") };
        let solved = solve(&scene, Judgement::Sign, &mut Unobserved).unwrap();
        let quick = &solved.equilibrium;
        assert_eq!(quick.is_stable(), whole.is_stable(), "{name}");
        assert_eq!(quick.outcome.events, whole.outcome.events, "{name}");
        for (a, b) in quick.rods.iter().zip(&whole.rods) {
            assert_eq!(a.control_poses, b.control_poses, "{name}");
            assert_eq!((a.base_wrench, a.tip_wrench), (b.base_wrench, b.tip_wrench), "{name}");
        }
        let (asked, told) = (solved.stability().unwrap(), whole.outcome.stability.unwrap());
        assert!((asked.smallest_eigenvalue - told.smallest_eigenvalue).abs() < 1e-9, "{name}");
    }
}

#[test]
fn warm_and_cold_meet() {
    let scene = rod();
    let mut robot = Robot::new(&scene, &mut Unobserved).unwrap();
    assert!(robot.is_settled());
    for value in [0.3, 1.7, 0.0, 1.0] {
        robot.set("tip.scale", value).unwrap();
        assert!(robot.settle(&mut Unobserved).unwrap().is_there());
        let held = with_drives(&scene, &[("tip.scale", value)]).unwrap();
        let cold = solve(&held, Judgement::Sign, &mut Unobserved).unwrap();
        assert_same(tip(&robot.record().unwrap()), tip(&cold.equilibrium), SAME);
        assert_eq!(robot.get("tip.scale").unwrap(), value);
    }
    let mut points = Vec::new();
    robot.draw(5, &mut points);
    assert_eq!(points.len(), 15);
}

#[test]
fn a_stop_is_told_and_leaves_the_robot_where_it_stood() {
    let mut robot = Robot::new(&rod(), &mut Unobserved).unwrap();
    let before = tip(&robot.record().unwrap());
    robot.set("tip.scale", 2.0).unwrap();
    let stopped = robot.settle(&mut |_: &Progress<'_>| ControlFlow::Break(())).unwrap();
    assert_eq!(stopped, Settled::Stopped);
    assert_eq!(tip(&robot.record().unwrap()), before);
    assert!(!robot.is_settled());
    assert!(robot.settle(&mut Unobserved).unwrap().is_there());
    let solved = solve(&rod(), Judgement::Sign, &mut |_: &Progress<'_>| ControlFlow::Break(())).unwrap();
    assert!(solved.stopped);
    assert!(matches!(solved.equilibrium.outcome.status, lissome::solve::Status::Stopped { .. }));
}

#[test]
fn what_cannot_be_set_is_refused_with_a_code() {
    let mut robot = Robot::new(&scene("cable-arm"), &mut Unobserved).unwrap();
    let tension = robot.drives().into_iter().find(|path| path.ends_with(".tension")).unwrap();
    for (path, value, code) in
        [("no.such", 1.0, "E0215"), (tension.as_str(), -1.0, "E0304"), (tension.as_str(), f64::NAN, "E0302")]
    {
        assert_eq!(robot.set(path, value).unwrap_err().fault.code(), code);
    }
    assert!(robot.is_settled());
}

#[test]
fn a_hand_pulls_like_a_load() {
    let scene = rod();
    let mut robot = Robot::new(&scene, &mut Unobserved).unwrap();
    assert!(!robot.pull([0.0, 0.0, 1.0]).unwrap(), "nothing is held");
    robot.grab("arm", 0.5).unwrap();
    assert!(robot.grab("leg", 0.5).is_err());
    assert!(robot.pull([0.0, 0.1, 0.2]).unwrap());
    assert!(robot.settle(&mut Unobserved).unwrap().is_there());
    let text = lissome::templates::find("rod").unwrap().text.to_owned()
        + "\n[load.hand]\nrod = \"arm\"\nat = 0.5\nforce = [0, 0.1, 0.2]\n";
    let held = parse("rod", text, &[]).unwrap().scene;
    let cold = solve(&held, Judgement::Sign, &mut Unobserved).unwrap();
    assert_same(tip(&robot.record().unwrap()), tip(&cold.equilibrium), SAME);
    robot.release().unwrap();
    assert!(robot.settle(&mut Unobserved).unwrap().is_there());
    let free = solve(&scene, Judgement::Sign, &mut Unobserved).unwrap();
    assert_same(tip(&robot.record().unwrap()), tip(&free.equilibrium), SAME);
}

#[test]
fn a_motion_by_hand_goes_on_from_its_snapshot_to_the_bit() {
    let scene = scene("swing");
    let mut hand = Hand::start(&scene, &mut Unobserved).map_err(|_| "it begins").unwrap();
    hand.step(0.02, &[("world.gravity", 0.8)], &mut Unobserved).map_err(|_| "it moves").unwrap();
    let mut other = Hand::restore(&scene, &hand.snapshot(), &mut Unobserved).map_err(|_| "it goes on").unwrap();
    for one in [&mut hand, &mut other] {
        one.step(0.03, &[], &mut Unobserved).map_err(|_| "it moves").unwrap();
    }
    assert_eq!(hand.frame(), other.frame());
    let stopped = hand.step(1.0, &[], &mut |_: &Progress<'_>| ControlFlow::Break(()));
    assert!(stopped.is_err());
    assert_eq!(hand.time(), other.time());
}
