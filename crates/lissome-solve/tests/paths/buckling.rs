//! Columns: where the straight branch loses its stability is told.

use crate::strip::outcomes;
use lissome_lie::{Pose, Wrench};
use lissome_mech::System;
use lissome_model::*;
use lissome_solve::{EventKind, StaticOptions, Status, statics};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// A slender cantilever along x under a compression at its tip, in units of Euler's load.
fn column(multiple: f64) -> Scene {
    let radius: f64 = 1e-3;
    let young = 1.0 / (PI * radius.powi(4) / 4.0);
    let wrench = Wrench::new(Vector3::zeros(), -Vector3::x() * (multiple * PI * PI / 4.0));
    Scene {
        rods: vec![Rod {
            name: "column".into(),
            length: 1.0,
            profile: Profile::uniform(Section::plain(
                Shape::Rectangle { width: 4.0 * radius, height: 2.0 * radius },
                Material::from_poisson(young * 3.0 * PI / 32.0, 0.3),
            )),
            natural: NaturalShape::Straight,
            base: Some(Pose::identity().into()),
            tip: None,
            discretization: Discretization::default(),
            initial_velocity: None,
            tubes: None,
            turns: Vector3::zeros(),
            laid: Vec::new(),
        }],
        loads: vec![Load {
            name: "thrust".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Point { at: 1.0, wrench },
        }],
        ..Scene::default()
    }
}

/// Above Euler's load statics finds the buckled column, and says at which part of the load the straight one gave way. Shear
/// and compression change Euler's load by (π r/2L)² ≈ 1e-5 and less.
#[test]
fn statics_on_the_buckled_branch_tells_where_the_straight_one_lost_its_stability() {
    for multiple in [1.2, 2.0, 5.0] {
        let system = System::compile(&column(multiple)).unwrap();
        let mut work = system.workspace();
        let solution = statics::solve_from_natural(&system, &StaticOptions::default(), &mut work, &mut |_| true);
        let outcome = &solution.outcome;
        assert!(outcome.converged() && outcome.stability.unwrap().stable, "{:?}", outcome.status);
        let [event] = outcome.events[..] else { panic!("{:?}", outcome.events) };
        assert_eq!(event.kind, EventKind::Bifurcation);
        assert!((event.at * multiple - 1.0).abs() < 1e-4 * multiple, "{multiple}: {event:?}");
    }
    let system = System::compile(&column(0.9)).unwrap();
    let solution =
        statics::solve_from_natural(&system, &StaticOptions::default(), &mut system.workspace(), &mut |_| true);
    assert!(solution.outcome.converged() && solution.outcome.events.is_empty());
}

/// A path along a growing thrust passes from the straight to the buckled column at a bifurcation that it names.
#[test]
fn a_path_over_the_critical_load_names_the_bifurcation() {
    let mut scene = column(2.0);
    scene.drives = vec![Drive {
        path: "thrust".into(),
        target: DriveTarget::Load(0),
        signal: Signal::Ramp { from: 0.0, to: 1.0, start: 0.0, over: 1.0 },
    }];
    let found = outcomes(&scene, 11, 1.0, OnEvent::Jump);
    assert!(found.len() == 11 && found.iter().all(|outcome| outcome.stability.unwrap().stable));
    let events: Vec<_> = found.iter().flat_map(|outcome| &outcome.events).collect();
    let [event] = events[..] else { panic!("{events:?}") };
    assert_eq!((event.kind, event.negative_directions), (EventKind::Bifurcation, (0, Some(0))));
    assert!((event.at - 0.5).abs() < 1e-4, "{event:?}");
    // It stops there if it is asked to.
    let found = outcomes(&scene, 11, 1.0, OnEvent::Stop);
    let last = found.last().unwrap();
    let Status::Fold { load_factor, .. } = last.status else { panic!("{:?}", last.status) };
    // The sample at 0.5 may just be reached.
    let at = 0.1 * (found.len() as f64 - 2.0 + load_factor);
    assert!((at - 0.5).abs() < 1e-4, "{at}");
}

/// A column with a slight side load bends steadily, whatever the number of samples: steps that land on the way of the straight
/// column, which is unstable, are halved until they follow the bend. A load of ε times Euler's turns the branch within
/// ε^(2/3) of it.
#[test]
fn a_column_with_a_side_load_bends_whatever_the_number_of_samples() {
    for (multiple, part) in [(2.5, 5e-5), (50.0, 5e-5), (50.0, 1e-3)] {
        let mut scene = column(multiple);
        let side = Wrench::new(Vector3::zeros(), Vector3::z() * (part * PI * PI / 4.0));
        scene.loads.push(Load {
            name: "side".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Point { at: 1.0, wrench: side },
        });
        scene.drives = vec![Drive {
            path: "thrust".into(),
            target: DriveTarget::Load(0),
            signal: Signal::Ramp { from: 0.0, to: 1.0, start: 0.0, over: 1.0 },
        }];
        let mut energies = Vec::new();
        for samples in [3, 21, 41] {
            let found = outcomes(&scene, samples, 1.0, OnEvent::Jump);
            assert_eq!(found.len(), samples);
            assert!(found.iter().all(|outcome| outcome.stability.unwrap().stable), "{multiple} {part} {samples}");
            assert!(found.iter().all(|outcome| outcome.events.is_empty()), "{multiple} {part} {samples}");
            energies.push(found[samples - 1].energy.elastic);
        }
        // One equilibrium, found by Newton to its tolerance of 1e-8 in the energy's square root and better.
        assert!(energies.iter().all(|energy| (energy / energies[0] - 1.0).abs() < 1e-8), "{energies:?}");
    }
}
