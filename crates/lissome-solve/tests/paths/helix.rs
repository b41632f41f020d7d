//! Straight rods wound into helices by a dead force and moment on their tips.

use lissome_lie::{Pose, Wrench};
use lissome_mech::System;
use lissome_mech::index::RodIndex;
use lissome_model::*;
use lissome_reference::analytic::helix::{Helix, RoundRod, Winding};
use lissome_solve::{Solution, StaticOptions, statics};
use nalgebra::{Matrix6, Vector3, Vector6};

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
            initial_velocity: None,
            tubes: None,
            turns: Vector3::zeros(),
            laid: Vec::new(),
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

/// The closed form is an equilibrium of the whole load, and the branch from the unloaded rod leads to it or to another, over
/// folds if need be. Six spans a turn of degree four: (1/6)⁴ of a turn's bend at most, 1e-3 of the radius, and mostly far less; what is
/// asked is the tolerance that rods have by default.
#[test]
fn a_rod_wound_into_a_helix_of_three_turns_arrives() {
    for (radius, pitch, torsion) in [(0.2, 0.3, 0.0), (0.2, 0.3, 0.5), (0.3, 0.5, 1.0), (0.15, 1.0, 2.0)] {
        let helix = ROD.wound(Winding { radius, pitch, torsion }).unwrap();
        for turns in [0.5, 1.0, 2.0, 3.0] {
            let length = helix.length_of_turns(turns);
            let scene = wound(&helix, length, (6.0 * turns).ceil() as usize + 4);
            let (system, solution) = solve(&scene);
            let outcome = &solution.outcome;
            let tip = *system.rod_poses(RodIndex::new(0), &solution.state).last().unwrap();
            let off = (tip.position - helix.pose(length).position).norm() / length;
            assert!(outcome.converged(), "{radius} {pitch} {torsion}, {turns} turns: {:?}", outcome.status);
            // There may be other equilibria; a stable answer is the closed form.
            let unstable = outcome.stability.is_some_and(|stability| !stability.stable);
            assert!(off < 1e-5 || unstable, "{radius} {pitch} {torsion}, {turns} turns: off by {off:.1e}");
            assert!(outcome.residual < 1e-9, "{}", outcome.residual);
        }
    }
}
