//! Natural frequencies against closed forms, the reference and each other.
#![allow(clippy::unwrap_used)]

mod motion_scenes;

use lissome_mech::System;
use lissome_model::*;
use lissome_solve::dynamics::modes;
use motion_scenes::*;

/// Linear first bending frequency of the rod of table 5: 0.764425 Hz within 1e-4 (relative), in both planes.
#[test]
fn first_bending_of_table_5() {
    let mut scene = table5(0.0, 5);
    scene.loads.clear();
    let system = System::compile(&scene).unwrap();
    let found = modes(&system, &system.natural_state(), system.nominal_inputs(), 4).unwrap();
    for mode in &found[..2] {
        assert!((mode.frequency / 0.764425 - 1.0).abs() < 1e-4, "{}", mode.frequency);
    }
    assert!(found[2].frequency > 2.0 * found[1].frequency);
}

/// A slender cantilever: ω_k = (β_k)² √(EI/ρA)/L², β = 1.8751, 4.6941, 7.8548 [Euler and Bernoulli]. Shear and rotary inertia
/// lower them by about (β_k r/L)², 1e-5 here.
#[test]
fn slender_cantilever() {
    let material = Material::from_poisson(1e9, 0.3).with_density(1000.0);
    let (radius, length) = (1e-3, 1.0);
    for spline in [true, false] {
        let mut model = rod(length, Profile::uniform(Section::circle(radius, material)), 24);
        if !spline {
            model.discretization = Discretization::LinearStrain { resolution: Resolution::Spans(64) };
        }
        let system = System::compile(&scene_of(model)).unwrap();
        let found = modes(&system, &system.natural_state(), system.nominal_inputs(), 6).unwrap();
        let unit = (1e9 * radius * radius / 4.0 / 1000.0).sqrt() / (length * length);
        // Velocities are interpolated linearly between the poses of linear-strain elements: order two.
        let tolerance = if spline { 1e-4 } else { 2e-3 };
        for (k, beta) in [1.875104069, 4.694091133, 7.854757438].iter().enumerate() {
            for mode in &found[2 * k..2 * k + 2] {
                let expected = beta * beta * unit / std::f64::consts::TAU;
                assert!((mode.frequency / expected - 1.0).abs() < tolerance, "{} not {expected}", mode.frequency);
            }
        }
    }
}

/// A free rod floats: six motions without frequency, then free–free bending, β₁ = 4.7300.
#[test]
fn free_rod_floats() {
    let material = Material::from_poisson(1e9, 0.3).with_density(1000.0);
    let mut model = rod(1.0, Profile::uniform(Section::circle(2e-3, material)), 12);
    model.base = None;
    let system = System::compile(&scene_of(model)).unwrap();
    let found = modes(&system, &system.natural_state(), system.nominal_inputs(), 8).unwrap();
    let unit = (1e9f64 * 4e-6 / 4.0 / 1000.0).sqrt();
    let bending = 4.730040745f64.powi(2) * unit / std::f64::consts::TAU;
    assert!(found[..6].iter().all(|mode| mode.frequency < 1e-3 * bending));
    assert!((found[6].frequency / bending - 1.0).abs() < 1e-3, "{} not {bending}", found[6].frequency);
}
