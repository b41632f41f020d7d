//! Tendons driven by their lengths.

use crate::equilibria::{legendre, solve, spline};
use crate::robots::scene;
use lissome_mech::{Input, System};
use lissome_model::*;
use lissome_reference::tendons::scenarios::Scenario;
use lissome_solve::statics::Solution;
use std::f64::consts::PI;

fn models() -> [Discretization; 4] {
    let elements = Discretization::LinearStrain { resolution: Resolution::Spans(12) };
    [spline(9, StrainForm::Mixed), elements, spline(9, StrainForm::Printed), legendre(4, 1)]
}

/// The same scene with every tendon driven by a length.
fn by_length(mut scene: Scene, lengths: &[f64], stiffness: Option<f64>) -> Scene {
    for (tendon, length) in scene.tendons.iter_mut().zip(lengths) {
        tendon.drive = CableDrive::Length(*length);
        tendon.stiffness = stiffness;
    }
    scene
}

fn lengths_of(system: &System, found: &Solution) -> Vec<f64> {
    (0..system.tendons().len()).map(|index| system.tendon(index, &found.state).length).collect()
}

/// Pulling by the lengths of a solution reproduces its tensions; tendons that are longer than their path are slack.
#[test]
fn lengths_give_the_tensions_back() {
    let cases: [(Scenario, &[f64]); 4] = [
        (Scenario::A, &[3.0, 1.0, 0.0]),
        (Scenario::B, &[8.0, 0.0]),
        (Scenario::C, &[5.0, 0.0]),
        (Scenario::D, &[5.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 5.0]),
    ];
    for model in models() {
        for (scenario, tensions) in cases {
            let (system, given) = solve(&scene(scenario, tensions, model.clone()));
            let slack = |(length, tension): (f64, &f64)| if *tension == 0.0 { length + 1e-3 } else { length };
            let lengths: Vec<f64> = lengths_of(&system, &given).into_iter().zip(tensions).map(slack).collect();
            let (system, found) = solve(&by_length(scene(scenario, tensions, model.clone()), &lengths, None));
            let told = format!("{scenario:?} {model:?} {:?}", found.outcome.status);
            println!("{told} {} iterations", found.outcome.history.len());
            assert!(found.outcome.converged(), "{told}");
            for (index, tension) in tensions.iter().enumerate() {
                let back = system.tendon(index, &found.state).tension;
                match *tension == 0.0 {
                    true => assert_eq!(back, 0.0, "{told}"),
                    // Rounding of a stretch, times EA over the length: 1e-16 of 1e5 N.
                    false => assert!((back - tension).abs() < 1e-9 * tension, "{told}: {back} {tension}"),
                }
            }
        }
    }
}

/// With stretch: the tension is EA times the strain of the tendon.
#[test]
fn stretch_follows_the_tension() {
    for model in models() {
        let scene = by_length(scene(Scenario::A, &[], model), &[0.20, 0.26, 0.26], Some(2e3));
        let (system, found) = solve(&scene);
        let own = system.tendon(0, &found.state);
        assert!(found.outcome.converged() && own.tension > 1.0);
        assert!((own.tension - 2e3 * (own.length / 0.20 - 1.0)).abs() < 1e-8 * own.tension);
    }
}

/// How the tip moves with a length: the column against central differences.
#[test]
fn length_columns_are_derivatives() {
    for model in models() {
        let lengths = [0.20, 0.245, 0.25];
        let at = |change: f64| {
            let mut lengths = lengths;
            lengths[0] += change;
            solve(&by_length(scene(Scenario::A, &[], model.clone()), &lengths, Some(1e4)))
        };
        let (system, found) = at(0.0);
        let last = system.rods()[0].curve().pose_count() - 1;
        let mut work = system.workspace();
        system.assemble(&found.state, &found.inputs, lissome_mech::CurvatureOf::Poses, &mut work);
        system.factor(&mut work).unwrap();
        system.assemble_input_column(&found.state, &found.inputs, Input::Tendon(0), &mut work);
        let step = system.solve_input_column(&found.state, &mut work);
        let h = 1e-5;
        let here = found.state.poses[last];
        let tip = |change: f64| at(change).1.state.poses[last].boxminus(&here);
        let difference = (tip(h) - tip(-h)) * (0.5 / h);
        let error = (difference - step.poses[last]).to_vector().norm() / difference.to_vector().norm();
        assert!(error < 1e-6, "{model:?} {error:e}");
    }
}

/// Random pulls of nine tendons: every one an equilibrium, every tendon taut or exactly slack.
#[test]
fn random_pulls_of_nine_tendons() {
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut most = 0;
    for trial in 0..60 {
        let natural = [0.1, 0.2, 0.1 + 0.1 + 0.1];
        let pulls: Vec<f64> = (0..9).map(|_| 8e-3 * PI * (random() - 0.4)).collect();
        let lengths: Vec<f64> =
            pulls.iter().enumerate().map(|(i, pull)| natural[i / 3] - pull * natural[i / 3]).collect();
        let stiffness = if trial % 2 == 0 { None } else { Some(5e3) };
        let (system, found) =
            solve(&by_length(scene(Scenario::D, &[], spline(9, StrainForm::Mixed)), &lengths, stiffness));
        let told = format!("{trial} {pulls:?}: {:?} {}", found.outcome.status, found.outcome.history.len());
        most = most.max(found.outcome.history.len());
        if !found.outcome.converged() {
            println!("{told}");
            continue;
        }
        for (index, length) in lengths.iter().enumerate() {
            let own = system.tendon(index, &found.state);
            let stretched = length * (1.0 + stiffness.map_or(0.0, |ea| own.tension / ea));
            match own.tension > 0.0 {
                true => assert!((own.length - stretched).abs() < 1e-9, "{told}: {own:?} {length}"),
                false => assert!(own.tension == 0.0 && own.length < length + 1e-12, "{told}: {own:?} {length}"),
            }
        }
    }
    println!("at most {most} iterations");
}

/// Three tendons that do not stretch and hold each other against the rod: large tensions, which must be found as well as the
/// small motions that are left.
#[test]
fn tendons_that_squeeze_the_rod() {
    let pulls = [-2.876e-3, 4.333e-3, 4.468e-3, 1.034e-3, -3.7e-3, 1.494e-3, -3.16e-3, -5.176e-3, -2.56e-5];
    let mut scene = scene(Scenario::D, &[], Discretization::default());
    for (tendon, pull) in scene.tendons.iter_mut().zip(pulls) {
        tendon.drive = CableDrive::Pull(pull);
    }
    let found = lissome_solve::accuracy::solve(&scene, &Default::default(), &mut |_| true).unwrap();
    assert!(found.solution.outcome.converged(), "{:?}", found.solution.outcome.status);
    assert!(found.system.tendon(0, &found.solution.state).tension > 100.0);
}
