//! Objectivity and units: a robot turned as a whole, or measured otherwise, gives the same answer.

use crate::bench::*;
use crate::random_robots::random_robot;
use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model::*;
use nalgebra::{Matrix6, Vector3};

fn moved_frame(frame: &Frame, by: &Pose) -> Frame {
    match frame.of {
        FrameOf::World => Frame::world(*by * frame.pose),
        _ => *frame,
    }
}

fn moved(scene: &Scene, by: &Pose) -> Scene {
    let mut scene = scene.clone();
    scene.gravity = by.rotation.rotate(&scene.gravity);
    for rod in &mut scene.rods {
        rod.base = rod.base.map(|frame| moved_frame(&frame, by));
        rod.tip = rod.tip.map(|frame| moved_frame(&frame, by));
    }
    for body in &mut scene.bodies {
        body.mount = match body.mount {
            Mount::On(frame) => Mount::On(moved_frame(&frame, by)),
            Mount::Free(pose) => Mount::Free(*by * pose),
        };
    }
    for joint in &mut scene.joints {
        joint.parent = moved_frame(&joint.parent, by);
    }
    for closure in &mut scene.closures {
        closure.a = moved_frame(&closure.a, by);
        closure.b = moved_frame(&closure.b, by);
    }
    for cable in &mut scene.cables {
        cable.points = cable.points.iter().map(|point| moved_frame(point, by)).collect();
    }
    for load in &mut scene.frame_loads {
        load.on = moved_frame(&load.on, by);
        load.kind = match load.kind {
            FrameLoadKind::Wrench { axes: LoadFrame::World, wrench } => {
                let wrench = Wrench::new(by.rotation.rotate(&wrench.moment), by.rotation.rotate(&wrench.force));
                FrameLoadKind::Wrench { axes: LoadFrame::World, wrench }
            }
            FrameLoadKind::Toward { point, size } => FrameLoadKind::Toward { point: by.transform(&point), size },
            kind => kind,
        };
    }
    scene
}

fn longer(pose: &Pose, by: f64) -> Pose {
    Pose::new(pose.rotation, pose.position * by)
}

/// Lengths times `length`, forces times `force`.
fn measured(scene: &Scene, length: f64, force: f64) -> Scene {
    let mut scene = scene.clone();
    let frame = |frame: &Frame| {
        let of = match frame.of {
            FrameOf::Rod { rod, s } => FrameOf::Rod { rod, s: s * length },
            of => of,
        };
        Frame { of, pose: longer(&frame.pose, length) }
    };
    for rod in &mut scene.rods {
        rod.length *= length;
        let section = rod.profile.at(0.0);
        // Row and column of an angle carry a length each.
        let with = |m: Matrix6<f64>, unit: f64| {
            let lever = |i: usize| if i < 3 { length } else { 1.0 };
            Matrix6::from_fn(|i, j| m[(i, j)] * unit * lever(i) * lever(j))
        };
        rod.profile = Profile::uniform(Section::Given {
            stiffness: with(section.stiffness(), force),
            mass: with(section.mass(), force / length),
            damping: 0.0,
            radius: section.outer_radius() * length,
        });
        if let NaturalShape::Curvature(table) = &mut rod.natural {
            table.iter_mut().for_each(|(s, k)| (*s, *k) = (*s * length, *k / length));
        }
        rod.base = rod.base.map(|f| frame(&f));
        rod.tip = rod.tip.map(|f| frame(&f));
    }
    for body in &mut scene.bodies {
        body.inertia.mass *= force;
        body.inertia.centre *= length;
        body.mount = match body.mount {
            Mount::On(on) => Mount::On(frame(&on)),
            Mount::Free(pose) => Mount::Free(longer(&pose, length)),
        };
    }
    for joint in &mut scene.joints {
        joint.parent = frame(&joint.parent);
        for (i, (_, coordinate)) in joint.kind.coordinates().iter().enumerate() {
            let (stiffness, value) = match coordinate {
                Coordinate::Angle => (force * length, 1.0),
                Coordinate::Distance => (force / length, length),
            };
            if let Some(k) = joint.stiffness.get_mut(i) {
                *k *= stiffness;
            }
            if let Some(rest) = joint.rest.get_mut(i) {
                *rest *= value;
            }
        }
    }
    for closure in &mut scene.closures {
        (closure.a, closure.b) = (frame(&closure.a), frame(&closure.b));
    }
    for cable in &mut scene.cables {
        cable.points = cable.points.iter().map(frame).collect();
        cable.drive = match cable.drive {
            CableDrive::Tension(t) => CableDrive::Tension(t * force),
            CableDrive::Length(l) => CableDrive::Length(l * length),
            CableDrive::Pull(l) => CableDrive::Pull(l * length),
        };
        cable.stiffness = cable.stiffness.map(|k| k * force);
    }
    for load in &mut scene.frame_loads {
        load.on = frame(&load.on);
        load.kind = match load.kind {
            FrameLoadKind::Wrench { axes, wrench } => FrameLoadKind::Wrench {
                axes,
                wrench: Wrench::new(wrench.moment * (force * length), wrench.force * force),
            },
            FrameLoadKind::Toward { point, size } => {
                FrameLoadKind::Toward { point: point * length, size: size * force }
            }
        };
    }
    scene
}

/// Robots of seeds that have a stable equilibrium; those on the edge of two would show round-off.
fn robots() -> impl Iterator<Item = (u64, Scene, Solved)> {
    (0..12).filter_map(|seed| {
        let scene = random_robot(seed);
        let solved = attempt(&scene);
        let outcome = &solved.solution.outcome;
        let firm = outcome.stability.is_some_and(|s| s.stable && s.smallest_eigenvalue > 0.01);
        (outcome.converged() && firm).then_some((seed, scene, solved))
    })
}

#[test]
fn a_robot_turned_as_a_whole() {
    let by = Pose::new(Rotation::exp(&Vector3::new(0.7, -1.9, 0.4)), Vector3::new(0.3, -0.2, 0.5));
    let mut seen = 0;
    for (seed, scene, solved) in robots() {
        let turned = attempt(&moved(&scene, &by));
        assert_eq!(solved.iterations(), turned.iterations(), "robot {seed}");
        for i in 0..scene.rods.len() {
            let gap = apart(&(by * solved.tip(i)), &turned.tip(i));
            // Round-off over the smallest eigenvalue.
            assert!(gap < 1e-10, "robot {seed}: rod {i} is {gap:e} off");
        }
        seen += 1;
    }
    assert!(seen >= 8, "{seen}");
}

#[test]
fn a_robot_measured_otherwise() {
    for (seed, scene, solved) in robots() {
        for (length, force) in [(1e-3, 1e-4), (100.0, 1e5)] {
            let other = attempt(&measured(&scene, length, force));
            let same = solved.iterations() == other.iterations();
            assert!(same, "robot {seed}: {} {} iterations", solved.iterations(), other.iterations());
            for i in 0..scene.rods.len() {
                let gap = apart(&solved.tip(i), &longer(&other.tip(i), 1.0 / length));
                assert!(gap < 1e-9, "robot {seed} times {length}: rod {i} is {gap:e} off");
            }
        }
    }
}
