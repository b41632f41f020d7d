//! Straight rods wound into helices by a dead force and moment on their tips.

use lissome_lie::{Pose, Wrench};
use lissome_mech::System;
use lissome_model::*;
use lissome_reference::analytic::helix::{Helix, RoundRod, Winding};
use lissome_solve::{Solution, StaticOptions, statics};
use nalgebra::{Matrix6, Vector6};

const ROD: RoundRod = RoundRod { torsion: 0.8, bending: 1.0, axial: 4e4, shear: 1.5e4 };

/// A straight rod of this many turns under the wrench that holds the helix.
fn wound(helix: &Helix, length: f64, spans: usize) -> Scene {
    let stiffness = Vector6::new(ROD.torsion, ROD.bending, ROD.bending, ROD.axial, ROD.shear, ROD.shear);
    let section = Section::Given {
        stiffness: Matrix6::from_diagonal(&stiffness),
        mass: Matrix6::zeros(),
        damping: 0.0,
        radius: 1e-2,
    };
    let Wrench { moment, force } = helix.wrench(length);
    let kind = LoadKind::Point { at: length, wrench: Wrench::new(moment, force) };
    Scene {
        rods: vec![Rod {
            name: "rod".into(),
            length,
            profile: Profile::uniform(section),
            natural: NaturalShape::Straight,
            base: Some(Pose::identity().into()),
            tip: None,
            discretization: Discretization::Spline {
                degree: 4,
                resolution: Resolution::Spans(spans),
                form: StrainForm::Mixed,
            },
        }],
        loads: vec![Load { name: "tip".into(), rod: 0, frame: LoadFrame::World, kind }],
        ..Scene::default()
    }
}

fn solve(scene: &Scene) -> (System, Solution) {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &StaticOptions::default(), &mut work, &mut |_| true);
    (system, solution)
}

#[test]
fn explore() {
    for (radius, pitch, torsion) in [(0.2, 0.3, 0.0), (0.2, 0.3, 0.5), (0.3, 0.5, 1.0), (0.15, 1.0, 2.0)] {
        let helix = ROD.wound(Winding { radius, pitch, torsion }).unwrap();
        for turns in [0.5, 1.0, 2.0, 3.0, 5.0] {
            let length = helix.length_of_turns(turns);
            let scene = wound(&helix, length, (6.0 * turns).ceil() as usize + 4);
            let (system, solution) = solve(&scene);
            let outcome = &solution.outcome;
            let tip = solution.state.poses[system.rods()[0].increments()];
            let off = (tip.position - helix.pose(length).position).norm() / length;
            println!(
                "{radius} {pitch} {torsion} turns {turns}: {:?} {} its {} steps, off {off:.1e}, residual {:.1e} {:?}",
                outcome.status,
                outcome.iterations(),
                outcome.load_steps,
                outcome.residual,
                outcome.stability.map(|s| (s.negative_directions, s.smallest_eigenvalue)),
            );
            for event in &outcome.events {
                println!("   {:?} at {} moved {}", event.kind, event.at, event.moved);
            }
        }
    }
}
