//! Every kind of joint, in trees and in loops, against the oracle.

use crate::bench::*;
use lissome_lie::Pose;
use lissome_model::*;
use nalgebra::Vector3;

/// Error of twelve quintic spans beside the oracle's own 1e-9.
const TOLERANCE: f64 = 1e-6;

fn sprung(kind: JointKind, parent: Frame, strength: f64) -> Joint {
    let (turn, shift) = (strength * bending() / 0.2, strength * bending() / 0.2f64.powi(3));
    let each = |turn: f64, shift: f64| -> Vec<f64> {
        let coordinates = kind.coordinates().iter().enumerate();
        coordinates.map(|(i, (_, c))| if *c == Coordinate::Angle { turn } else { shift } * (1.0 + i as f64)).collect()
    };
    Joint { stiffness: each(turn, shift), rest: each(0.1, -0.004), ..joint("joint", kind, parent) }
}

/// Rod, joint, a heavy body off its axis, and a rod on that.
fn tree(kind: JointKind) -> Scene {
    let end = Frame::rod(0, 0.2).at(Pose::at(Vector3::new(0.01, 0.0, 0.005)) * turned(0.2, -0.1, 0.4));
    let stub = Frame::body(0).at(turned(0.0, 0.0, 0.7));
    Scene {
        gravity: down(),
        rods: vec![rod("first", 0.2, Some(ground()), None), rod("second", 0.15, Some(stub), None)],
        bodies: vec![body("hub", Mount::On(Frame::joint(0)), 0.01, Vector3::new(0.01, 0.02, 0.0))],
        joints: vec![sprung(kind, end, 1.0)],
        frame_loads: vec![push("push", Frame::rod(1, 0.15), Vector3::new(-0.05, 0.08, 0.1))],
        ..Scene::default()
    }
}

/// The same with a rod from the body back to the world.
fn ring(kind: JointKind) -> Scene {
    let mut scene = tree(kind);
    let held = Frame::world(at(0.2, 0.12, 0.03) * turned(0.0, 0.1, -1.4));
    scene.rods.push(rod("third", 0.14, Some(held), Some(Frame::body(0).at(turned(0.1, 0.2, -1.3)))));
    scene
}

#[test]
fn free_with_springs_in_a_tree() {
    for kind in kinds() {
        agree(&tree(kind), TOLERANCE, &format!("{kind:?}"));
    }
}

#[test]
fn free_with_springs_in_a_loop_by_both_methods() {
    for kind in kinds() {
        let embedded = agree(&Scene { loops: LoopMethod::Embedding, ..ring(kind) }, TOLERANCE, &format!("{kind:?}"));
        let scene = Scene { loops: LoopMethod::Constraints, ..ring(kind) };
        let constrained = solve(&scene);
        assert!(differ(&scene, &embedded, &constrained) < 1e-9, "{kind:?}");
    }
}

/// Without springs where gravity or the loop decides the coordinates.
#[test]
fn free_without_springs_in_a_loop() {
    for kind in kinds() {
        if matches!(kind, JointKind::Free) {
            continue; // nothing hangs together then
        }
        let mut scene = ring(kind);
        scene.joints[0].stiffness.clear();
        scene.joints[0].rest.clear();
        agree(&scene, TOLERANCE, &format!("{kind:?}"));
    }
}

#[test]
fn driven_in_a_tree_and_in_a_loop() {
    for kind in kinds() {
        for (name, mut scene) in [("tree", tree(kind)), ("loop", ring(kind))] {
            let value = kind.coordinates().iter().enumerate().map(|(i, (_, coordinate))| match coordinate {
                Coordinate::Angle => 0.3 - 0.2 * i as f64,
                Coordinate::Distance => 0.01 - 0.004 * i as f64,
            });
            scene.joints[0].motion = JointMotion::Driven { value: value.collect() };
            let solved = agree(&scene, TOLERANCE, &format!("{kind:?} driven in a {name}"));
            assert_eq!(solved.joint(0).as_slice(), scene.joints[0].start());
        }
    }
}

#[test]
fn actuated_in_a_tree_and_in_a_loop() {
    for kind in kinds() {
        for (name, mut scene) in [("tree", tree(kind)), ("loop", ring(kind))] {
            let effort = kind.coordinates().iter().enumerate().map(|(i, (_, coordinate))| match coordinate {
                Coordinate::Angle => (0.01 - 0.004 * i as f64) * 0.5,
                Coordinate::Distance => 0.1 - 0.03 * i as f64,
            });
            let start = vec![0.0; kind.coordinates().len()];
            scene.joints[0].motion = JointMotion::Actuated { effort: effort.collect(), start };
            agree(&scene, TOLERANCE, &format!("{kind:?} actuated in a {name}"));
        }
    }
}

/// An articulated closure: the tip of a rod ties to a joint that sits in the world or on another rod.
#[test]
fn tip_tied_to_a_joint() {
    for kind in kinds() {
        let pin = Frame::world(at(0.19, 0.03, 0.01) * turned(0.1, 0.1, 0.2));
        let mut scene = Scene {
            gravity: down(),
            rods: vec![rod("rod", 0.2, Some(ground()), Some(Frame::joint(0).at(turned(0.0, -0.2, 0.1))))],
            joints: vec![sprung(kind, pin, 0.3)],
            ..Scene::default()
        };
        agree(&scene, TOLERANCE, &format!("{kind:?} in the world"));
        let side = Frame::world(at(0.19, 0.12, 0.0) * turned(0.0, 0.0, -1.5));
        scene.rods.push(rod("post", 0.15, Some(side), None));
        scene.joints[0].parent = Frame::rod(1, 0.1).at(turned(0.0, 0.0, 1.6));
        agree(&scene, TOLERANCE, &format!("{kind:?} on a post"));
    }
}
