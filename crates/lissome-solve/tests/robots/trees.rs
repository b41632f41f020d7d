//! Trees: bodies in the middle of rods, branches, rods that hang on their tips, rods on bodies on rods.

use crate::bench::*;
use lissome_lie::Pose;
use lissome_model::*;
use nalgebra::Vector3;

const TOLERANCE: f64 = 1e-6;

fn heavy() -> Scene {
    Scene { gravity: down(), ..Scene::default() }
}

/// A body on a rod at s is a body between two rods.
#[test]
fn a_rod_with_a_body_is_two_rods() {
    for s in [0.02, 0.11, 0.123456, 0.2, 0.29] {
        let off = Vector3::new(0.0, 0.01, 0.005);
        let whole = Scene {
            rods: vec![rod("rod", 0.3, Some(ground()), None)],
            bodies: vec![body("b", Mount::On(Frame::rod(0, s)), 0.02, off)],
            ..heavy()
        };
        let halves = Scene {
            rods: vec![rod("a", s, Some(ground()), None), rod("b", 0.3 - s, Some(Frame::body(0)), None)],
            bodies: vec![body("b", Mount::On(Frame::rod(0, s)), 0.02, off)],
            ..heavy()
        };
        let (a, b) = (agree(&whole, TOLERANCE, "whole"), agree(&halves, TOLERANCE, "halves"));
        assert!(apart(&a.tip(0), &b.tip(1)) < TOLERANCE, "{s}");
        assert!(apart(&a.body(0), &b.body(0)) < TOLERANCE, "{s}");
    }
}

#[test]
fn branches() {
    let fork = Frame::rod(0, 0.12);
    let scene = Scene {
        rods: vec![
            rod("trunk", 0.2, Some(ground()), None),
            rod("left", 0.15, Some(fork.at(turned(0.0, 0.0, 1.0))), None),
            rod("right", 0.1, Some(fork.at(at(0.0, -0.01, 0.0) * turned(0.0, -0.4, -0.8))), None),
            rod("twig", 0.08, Some(Frame::rod(1, 0.05).at(turned(0.5, -1.2, 0.0))), None),
        ],
        bodies: vec![body("fruit", Mount::On(Frame::rod(3, 0.08).at(at(0.0, 0.0, 0.02))), 0.005, Vector3::zeros())],
        ..heavy()
    };
    agree(&scene, TOLERANCE, "branches");
}

/// Held by its tip only, on the tip of another, and carrying a third on its base.
#[test]
fn hanging_on_its_tip() {
    let second = rod("second", 0.15, None, Some(Frame::rod(0, 0.2).at(turned(0.0, 0.3, 2.0))));
    let scene = Scene {
        rods: vec![
            rod("first", 0.2, Some(ground()), None),
            second,
            rod("third", 0.1, Some(Frame::rod(1, 0.0).at(turned(0.0, 0.0, 1.0))), None),
            rod("fourth", 0.08, None, Some(Frame::rod(1, 0.06).at(turned(0.0, 1.0, 0.3)))),
        ],
        bodies: vec![body("end", Mount::On(Frame::rod(2, 0.1)), 0.004, Vector3::zeros())],
        frame_loads: vec![push("push", Frame::rod(3, 0.0), Vector3::new(0.02, 0.03, -0.01))],
        ..heavy()
    };
    agree(&scene, TOLERANCE, "hanging");
}

/// Rods on bodies on joints on rods, three deep, each off the axis of what carries it.
#[test]
fn three_deep() {
    let mut scene = heavy();
    let mut carrier = ground();
    for level in 0..3 {
        let name = |what: &str| format!("{what}{level}");
        scene.rods.push(rod(&name("rod"), 0.15, Some(carrier.at(at(0.0, 0.005, 0.0))), None));
        let parent = Frame::rod(level, 0.15).at(turned(0.2, 0.1, -0.3));
        let axis = Vector3::new(0.1, 1.0, 0.3).normalize();
        let kind = if level == 1 { JointKind::Spherical } else { JointKind::Revolute { axis } };
        let stiffness = vec![bending() / 0.1; kind.coordinates().len()];
        scene.joints.push(Joint { stiffness, ..joint(&name("joint"), kind, parent) });
        let mount = Mount::On(Frame::joint(level).at(at(0.01, 0.0, 0.0)));
        scene.bodies.push(body(&name("body"), mount, 0.003, Vector3::new(0.0, 0.01, 0.0)));
        carrier = Frame::body(level);
    }
    agree(&scene, TOLERANCE, "three deep");
}

/// Loads, cables and further rods on the tip of a rod that is held at both ends: its tip moves with what holds it.
#[test]
fn what_stands_on_a_held_tip() {
    let platform = Mount::Free(at(0.0, 0.0, 0.2));
    let up = |y: f64| Frame::world(at(0.0, y, 0.0) * turned(0.0, -std::f64::consts::FRAC_PI_2, 0.0));
    let hold = |y: f64| Frame::body(0).at(at(0.0, y, 0.0) * turned(0.0, -std::f64::consts::FRAC_PI_2, 0.0));
    let base = Scene {
        rods: vec![
            rod("left", 0.2, Some(up(-0.03)), Some(hold(-0.03))),
            rod("right", 0.2, Some(up(0.03)), Some(hold(0.03))),
        ],
        bodies: vec![body("platform", platform, 0.003, Vector3::zeros())],
        ..heavy()
    };
    let aside: Pose = at(0.0, 0.02, 0.01);
    for loops in [LoopMethod::Embedding, LoopMethod::Constraints] {
        let mut pushed = Scene { loops, ..base.clone() };
        pushed.frame_loads.push(push("p", Frame::rod(0, 0.2).at(aside), Vector3::new(0.02, 0.05, 0.0)));
        agree(&pushed, TOLERANCE, &format!("load aside of a held tip, {loops:?}"));
        let mut pulled = Scene { loops, ..base.clone() };
        pulled.cables.push(Cable {
            name: "cable".into(),
            points: vec![Frame::world(at(0.1, 0.1, 0.1)), Frame::rod(0, 0.2).at(aside)],
            drive: CableDrive::Tension(0.1),
            stiffness: None,
        });
        agree(&pulled, TOLERANCE, &format!("cable aside of a held tip, {loops:?}"));
        let mut carrying = Scene { loops, ..base.clone() };
        carrying.rods.push(rod("third", 0.1, Some(Frame::rod(1, 0.2).at(turned(0.3, 0.4, 0.5))), None));
        agree(&carrying, TOLERANCE, &format!("rod on a held tip, {loops:?}"));
        // The tip of one rod held by the held tip of another, in either order.
        for order in [[0, 1], [1, 0]] {
            let mut tied = Scene { loops, ..base.clone() };
            let [first, second] = order;
            let across = at(0.0, if first == 0 { 0.06 } else { -0.06 }, 0.0);
            tied.rods[second].tip = Some(Frame::rod(first, 0.2).at(across));
            tied.frame_loads.push(push("p", Frame::body(0), Vector3::new(0.02, 0.05, 0.0)));
            agree(&tied, TOLERANCE, &format!("tip on a held tip {order:?}, {loops:?}"));
        }
    }
}
