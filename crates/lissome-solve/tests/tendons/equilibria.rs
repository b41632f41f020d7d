//! Equilibria of rods with tendons.

use crate::robots::{OFFSET, scene};
use lissome_lie::Pose;
use lissome_mech::index::RodIndex;
use lissome_mech::{CurvatureOf, Input, System};
use lissome_model::*;
use lissome_reference::tendons::scenarios::Scenario;
use lissome_reference::tendons::solution::pose_difference;
use lissome_reference::tendons::total_stress;
use lissome_solve::StaticOptions;
use lissome_solve::defect::DefectKind;
use lissome_solve::statics::{self, Solution};

pub fn spline(spans: usize, form: StrainForm) -> Discretization {
    Discretization::Spline { degree: 3, resolution: Resolution::Spans(spans), form }
}

pub fn solve(scene: &Scene) -> (System, Solution) {
    scene.validate().unwrap();
    solve_any(scene)
}

/// The same with tensions below zero, which the door refuses.
fn solve_any(scene: &Scene) -> (System, Solution) {
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let found = statics::solve_from_natural(&system, &StaticOptions::default(), &mut work, &mut |_| true);
    (system, found)
}

/// Legendre polynomials, so many functions for each strain, on so many segments between breaks.
pub fn legendre(functions: usize, segments: usize) -> Discretization {
    let functions = StrainFunctions::Legendre { orders: [functions; 6] };
    Discretization::StrainBasis { functions, resolution: Resolution::Spans(segments) }
}

fn tip(system: &System, found: &Solution) -> Pose {
    let length = system.rods()[0].curve().length();
    system.sample_at(RodIndex::new(0), &found.state, &[length])[0].pose
}

const CASES: [(Scenario, &[f64]); 8] = [
    (Scenario::A, &[5.0, 0.0, 0.0]),
    (Scenario::A, &[3.0, 1.0, 0.0]),
    (Scenario::B, &[8.0, 0.0]),
    (Scenario::C, &[10.0, 0.0]),
    (Scenario::C, &[5.0, 0.0]),
    (Scenario::D, &[5.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 5.0]),
    (Scenario::E, &[4.0, 0.0, 0.0, 4.0, 0.0, 4.0]),
    (Scenario::E, &[0.0, 2.0, 1.0, 0.0, 3.0, 0.0]),
];

/// The bar of the paper's reference: 0.05 mm and 0.02°, from rest in one call. Elements of linear strain and the printed
/// form of the spline need more of them for it.
#[test]
fn equilibria_of_the_paper() {
    for (scenario, tensions) in CASES {
        let exact = total_stress::solve(&scenario.robot(tensions)).unwrap();
        let spans = if scenario == Scenario::C { 12 } else { 9 };
        let elements =
            Discretization::LinearStrain { resolution: Resolution::Spans(if spans == 12 { 48 } else { 15 }) };
        let basis = legendre(6, if spans == 12 { 2 } else { 1 });
        for model in [spline(spans, StrainForm::Mixed), elements, spline(60, StrainForm::Printed), basis] {
            let (system, found) = solve(&scene(scenario, tensions, model.clone()));
            let (shift, turn) = pose_difference(&tip(&system, &found), &exact.tip());
            let told =
                format!("{scenario:?} {tensions:?} {model:?}: {shift:e} m, {turn:e} rad, {:?}", found.outcome.status);
            println!("{told} {} iterations", found.outcome.history.len());
            assert!(found.outcome.converged() && shift < 0.05e-3 && turn < 0.02f64.to_radians(), "{told}");
        }
    }
}

/// Tensions far beyond what one tendon could have alone: the rod is compressed and hardly bent.
#[test]
fn three_strong_tendons_hold_each_other() {
    for tensions in [[200.0, 200.0, 200.0], [200.0, 199.0, 195.0]] {
        let exact = total_stress::solve(&Scenario::A.robot(&tensions)).unwrap();
        let (system, found) = solve(&scene(Scenario::A, &tensions, spline(10, StrainForm::Mixed)));
        let (shift, _) = pose_difference(&tip(&system, &found), &exact.tip());
        assert!(found.outcome.converged() && found.outcome.history.len() < 10 && shift < 0.05e-3, "{shift:e}");
    }
}

/// One tendon up to where it closes up, T d² = EI; beyond it there is no smooth shape.
#[test]
fn one_tendon_until_it_closes_up() {
    let bending = 210e9 * std::f64::consts::PI * 0.4e-3f64.powi(4) / 4.0;
    let closing = bending / OFFSET.powi(2);
    for part in [0.5, 0.9, 0.95, 1.05, 3.0] {
        let (system, found) = solve(&scene(Scenario::A, &[part * closing], spline(24, StrainForm::Mixed)));
        assert_eq!(found.outcome.converged(), part < 1.0, "{part}: {:?}", found.outcome.status);
        if part < 1.0 {
            // The tendon alone, without weight: |Γ| = 1 − T d²/EI all along.
            let narrowest = system.tendon(0, &found.state).narrowest;
            assert!((narrowest - (1.0 - part)).abs() < 0.01, "{part}: {narrowest}");
        } else {
            let defect = found.outcome.defect.unwrap();
            assert_eq!((defect.kind, defect.paths), (DefectKind::TendonClosed, vec!["tendon.t0".to_owned()]));
        }
    }
}

/// How the tip moves with a tension: the column against central differences, whose error is h² of a smooth function.
#[test]
fn tension_columns_are_derivatives() {
    let elements = Discretization::LinearStrain { resolution: Resolution::Spans(12) };
    for model in [spline(8, StrainForm::Mixed), elements, spline(8, StrainForm::Printed), legendre(4, 1)] {
        for (scenario, tensions) in
            [(Scenario::A, vec![3.0, 1.0, 0.0]), (Scenario::E, vec![4.0, 0.0, 0.0, 4.0, 0.0, 4.0])]
        {
            let (system, found) = solve(&scene(scenario, &tensions, model.clone()));
            for i in 0..tensions.len() {
                let mut work = system.workspace();
                system.assemble(&found.state, &found.inputs, CurvatureOf::Poses, &mut work);
                system.factor(&mut work).unwrap();
                system.assemble_input_column(&found.state, &found.inputs, Input::Tendon(i), &mut work);
                let step = system.solve_input_column(&found.state, &mut work);
                let last = system.rods()[0].curve().pose_count() - 1;
                let h = 1e-3;
                let there = |change: f64| {
                    let mut tensions = tensions.clone();
                    tensions[i] += change;
                    let scene = scene(scenario, &tensions, model.clone());
                    let (_, found) = solve_any(&scene);
                    found.state.poses[last]
                };
                let (plus, minus) = (there(h), there(-h));
                let at = found.state.poses[last];
                let difference = (plus.boxminus(&at) - minus.boxminus(&at)) * (0.5 / h);
                let error = (difference - step.poses[last]).to_vector().norm();
                let size = difference.to_vector().norm();
                assert!(error < 1e-6 * size, "{model:?} {scenario:?} {i}: {error:e} of {size:e}");
            }
        }
    }
}
