//! Derivatives of the tip by tensions, lengths and loads against central differences.

use crate::equilibria::{legendre, solve, spline};
use crate::robots::scene;
use lissome_lie::{Pose, Wrench};
use lissome_mech::System;
use lissome_model::*;
use lissome_reference::tendons::scenarios::Scenario;
use lissome_solve::sensitivity::{self, Sensitivity};
use lissome_solve::statics::Solution;
use nalgebra::{Vector3, Vector6};

/// Difference quotients of smooth functions err by h² and by 1e-12/h of rounding.
const BAR: f64 = 1e-6;

fn models() -> [Discretization; 4] {
    let elements = Discretization::LinearStrain { resolution: Resolution::Spans(12) };
    [spline(9, StrainForm::Mixed), elements, spline(9, StrainForm::Printed), legendre(4, 1)]
}

fn arm(tensions: &[f64; 3], tip: &Vector6<f64>, model: &Discretization) -> Scene {
    let mut scene = scene(Scenario::A, tensions, model.clone());
    let kind = LoadKind::Point { at: 0.242, wrench: Wrench::from_vector(tip) };
    scene.loads.push(Load { name: "tip".into(), rod: 0, frame: LoadFrame::World, kind });
    scene
}

fn tip(system: &System, found: &Solution) -> Pose {
    assert!(found.outcome.converged());
    found.state.poses[system.rods()[0].curve().pose_count() - 1]
}

/// From one pose to another, turn and shift in world axes.
fn apart(from: &Pose, to: &Pose) -> Vector6<f64> {
    let turn = from.rotation.rotate(&to.boxminus(from).angular);
    let shift = to.position - from.position;
    Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z)
}

fn close(found: &Vector6<f64>, exact: &Vector6<f64>, told: &str) {
    assert!((found - exact).norm() < BAR * exact.norm(), "{told}: {found} {exact}");
}

fn examine(system: &System, found: &Solution) -> Sensitivity {
    sensitivity::examine(system, &found.state, &found.inputs, &mut system.workspace()).unwrap()
}

const TENSIONS: [f64; 3] = [3.0, 1.0, 0.5];

#[test]
fn the_tip_by_tensions_loads_and_wrenches() {
    let load = Vector6::new(0.0, 0.0, 0.0, 0.01, -0.02, 0.03);
    for model in models() {
        let (system, found) = solve(&arm(&TENSIONS, &load, &model));
        let exact = examine(&system, &found);
        let here = tip(&system, &found);
        let moved = |tensions: &[f64; 3], load: &Vector6<f64>| {
            let (system, found) = solve(&arm(tensions, load, &model));
            let lengths: Vec<f64> = (0..3).map(|i| system.tendon(i, &found.state).length).collect();
            (apart(&here, &tip(&system, &found)), lengths)
        };
        let h = 1e-3;
        for i in 0..3 {
            let at = |sign: f64| {
                let mut tensions = TENSIONS;
                tensions[i] += sign * h;
                moved(&tensions, &load)
            };
            let (plus, minus) = (at(1.0), at(-1.0));
            close(&exact.tips[0].by_inputs[i], &((plus.0 - minus.0) / (2.0 * h)), "tension");
            for k in 0..3 {
                let slope = (plus.1[k] - minus.1[k]) / (2.0 * h);
                assert!((exact.lengths[(k, i)] - slope).abs() < BAR * slope.abs(), "{model:?} length {k} by {i}");
            }
        }
        let at = |factor: f64| moved(&TENSIONS, &(load * factor)).0;
        close(&exact.tips[0].by_inputs[3], &((at(1.0 + h) - at(1.0 - h)) / (2.0 * h)), "load");
        for c in 0..6 {
            let mut unit = Vector6::zeros();
            unit[c] = if c < 3 { 1e-5 } else { 1e-4 };
            let difference =
                (moved(&TENSIONS, &(load + unit)).0 - moved(&TENSIONS, &(load - unit)).0) / (2.0 * unit[c]);
            // Moments on a tip in world axes have no potential; those of the difference are along the axes all the same.
            close(&exact.tips[0].compliance.column(c).into(), &difference, "wrench");
        }
    }
}

#[test]
fn the_tip_by_lengths() {
    let none = Vector6::zeros();
    for model in models() {
        let (system, found) = solve(&arm(&TENSIONS, &none, &model));
        let by_tension = examine(&system, &found);
        let lengths: Vec<f64> = (0..3).map(|i| system.tendon(i, &found.state).length).collect();
        let driven = |change: &Vector3<f64>| {
            let mut scene = arm(&[0.0; 3], &none, &model);
            for (i, tendon) in scene.tendons.iter_mut().enumerate() {
                tendon.drive = CableDrive::Length(lengths[i] + change[i]);
            }
            solve(&scene)
        };
        let (system, found) = driven(&Vector3::zeros());
        let by_length = examine(&system, &found);
        let here = tip(&system, &found);
        for i in 0..3 {
            let mut unit = Vector3::zeros();
            unit[i] = 1e-6;
            let there = |sign: f64| {
                let (system, found) = driven(&(unit * sign));
                let tensions: Vec<f64> = (0..3).map(|i| system.tendon(i, &found.state).tension).collect();
                (apart(&here, &tip(&system, &found)), tensions)
            };
            let (plus, minus) = (there(1.0), there(-1.0));
            let difference = (plus.0 - minus.0) / 2e-6;
            close(&by_length.tips[0].by_inputs[i], &difference, "length");
            // The same from tensions that were given: through ∂ℓ/∂T.
            close(&by_tension.tips[0].by_lengths[i], &by_length.tips[0].by_inputs[i], "length from tensions");
            for k in 0..3 {
                let slope = (plus.1[k] - minus.1[k]) / 2e-6;
                assert!(
                    (by_length.tensions[(k, i)] - slope).abs() < 1e-5 * slope.abs(),
                    "{model:?} tension {k} by {i}"
                );
            }
        }
    }
}
