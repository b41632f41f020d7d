//! The work of an iteration grows with the number of rods, not faster.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "robots/bench.rs"]
mod bench;

use bench::*;
use lissome_lie::Wrench;
use lissome_mech::{CurvatureOf, System};
use lissome_model::*;
use nalgebra::Vector3;
use std::time::Instant;

/// A platform on legs, with a hinge that has a stop, a cable of given length, and a twig.
fn robot(legs: usize, loops: LoopMethod) -> Scene {
    let mut scene = Scene {
        gravity: down(),
        bodies: vec![body("platform", Mount::Free(at(0.0, 0.0, 0.2)), 0.01, Vector3::zeros())],
        joints: vec![Joint {
            stiffness: vec![0.02],
            limits: vec![Some((-0.1, 0.1))],
            ..joint("hinge", JointKind::Revolute { axis: Vector3::y() }, Frame::body(0))
        }],
        loops,
        ..Scene::default()
    };
    let up = turned(0.0, -std::f64::consts::FRAC_PI_2, 0.0);
    for leg in 0..legs {
        let (sine, cosine) = (std::f64::consts::TAU * leg as f64 / legs as f64).sin_cos();
        let foot = at(0.05 * cosine, 0.05 * sine, 0.0) * up;
        let mut leg = rod(&format!("leg{leg}"), 0.2, Some(Frame::world(foot)), Some(Frame::body(0).at(foot)));
        leg.discretization = Discretization::default();
        scene.rods.push(leg);
    }
    scene.rods.push(rod("twig", 0.1, Some(Frame::joint(0)), None));
    scene.cables.push(Cable {
        name: "cable".into(),
        points: vec![Frame::world(at(0.1, 0.0, 0.1)), Frame::body(0).at(at(0.02, 0.0, 0.0))],
        drive: CableDrive::Pull(0.002),
        stiffness: Some(100.0),
    });
    let axes = LoadFrame::World;
    let wrench = Wrench::new(Vector3::zeros(), Vector3::new(0.0, 0.02, 0.01));
    let on = Frame::rod(legs, 0.1);
    scene.frame_loads.push(FrameLoad { name: "push".into(), on, kind: FrameLoadKind::Wrench { axes, wrench } });
    scene
}

/// Everything that an iteration does, a number of times.
fn iterate(system: &System, times: usize) {
    let mut work = system.workspace();
    let inputs = system.inputs_at(0.0);
    let mut state = system.natural_state();
    let mut trial = state.clone();
    for _ in 0..times {
        system.assemble(&state, &inputs, CurvatureOf::Increments, &mut work);
        system.shift_to(0.1, &mut work);
        system.factor(&mut work).unwrap();
        system.solve(&state, &mut work);
        system.stress_work(&state, &mut work);
        system.force_potential(&state, &state, &mut work);
        system.open_merit(&state, &state, &work);
        system.retract_increments(&state, 0.1, &work, &mut trial);
        std::mem::swap(&mut state, &mut trial);
        system.retract_poses(&trial, 0.05, work.step(), &mut state);
    }
}

#[test]
fn the_work_grows_with_the_number_of_rods() {
    let time = |legs: usize, loops: LoopMethod| {
        let system = System::compile(&robot(legs, loops)).unwrap();
        // The best of several: other work on the machine only adds.
        (0..5)
            .map(|_| {
                let start = Instant::now();
                iterate(&system, 3);
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min)
    };
    for loops in [LoopMethod::Embedding, LoopMethod::Constraints] {
        let (few, many) = (time(8, loops), time(256, loops));
        println!("{loops:?}: 8 legs {few:.2e} s, 256 legs {many:.2e} s, ratio {:.1} for 32", many / few);
        // Thirty-two times the legs; a factor of two for caches, none for a square.
        assert!(many / few < 64.0, "{loops:?}: {few} {many}");
    }
}
