//! Energy over long runs: the rod of table 5 [xun2025, section 7.4], released from 10 N, for 50 s.
#![allow(clippy::unwrap_used)]

mod motion_scenes;

use lissome_mech::System;
use lissome_solve::dynamics::scheme::{BackwardStage, TR_FRACTION};
use lissome_solve::dynamics::{Motion, Scheme};
use motion_scenes::*;
use nalgebra::Complex;

fn fifty_seconds(scheme: Scheme, step: f64) -> (Summary, Motion) {
    let system = System::compile(&table5(10.0, 5)).unwrap();
    let mut motion = Motion::at_rest(&system, equilibrium(&system));
    let summary = run(released(&system, scheme), &mut motion, step, 50.0, None, |_, _| {}).unwrap();
    assert_eq!(motion.counts.halved, 0);
    (summary, motion)
}

/// "Relative energy error ≤ 2e-4 at h = 0.005".
#[test]
fn symplectic_keeps_energy_within_bounds() {
    let (summary, _) = fifty_seconds(Scheme::Symplectic, 0.005);
    assert!(summary.worst_energy < 2e-4, "{summary:?}");
}

/// "≤ 1e-6 at h = 0.01".
#[test]
fn conserving_keeps_energy() {
    let (summary, _) = fifty_seconds(Scheme::Conserving, 0.01);
    assert!(summary.worst_energy < 1e-6, "{summary:?}");
}

/// "No failure, loss ≤ 1 %, at most 4 Newton iterations a step".
#[test]
fn robust_loses_little() {
    let (summary, motion) = fifty_seconds(Scheme::default(), 0.01);
    assert!(summary.last_energy < 0.0 && summary.last_energy > -0.01, "{summary:?}");
    assert!(motion.counts.iterations <= 4 * motion.counts.steps, "{:?}", motion.counts);
}

/// "Loses most of it, as figure 18 shows".
#[test]
fn implicit_euler_loses_most() {
    let (summary, _) = fifty_seconds(Scheme::ImplicitEuler, 0.01);
    assert!(summary.last_energy < -0.9, "{summary:?}");
}

/// Damped where hω is not small: a linear mode keeps |R(ihω)|^2n of its energy, R the stability function of TR-BDF2. The
/// first mode, with a period of 1.303 s, has 97 % of the energy of a cantilever that a force at its tip has bent; the rest
/// may all be lost.
#[test]
fn trapezoidal_and_backward_differences_lose_what_their_stability_function_says() {
    let (step, steps) = (0.01, 5000);
    let (summary, _) = fifty_seconds(Scheme::TrBdf2, step);
    let z = Complex::new(0.0, step * std::f64::consts::TAU / 1.303);
    let gamma = TR_FRACTION;
    let one = Complex::new(1.0, 0.0);
    let middle = (one + z * (0.5 * gamma)) / (one - z * (0.5 * gamma));
    let stage = BackwardStage::new();
    let r = (middle * stage.near - one * stage.far) / (one - z * stage.weight);
    let first = 1.0 - r.norm_sqr().powi(steps);
    let lost = -summary.last_energy;
    assert!(lost > 0.97 * 0.9 * first && lost < first + 0.03, "lost {lost}, the first mode {first}");
}
