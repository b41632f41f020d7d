//! Critical loads of straight rods and the stability of bent ones.
#![allow(clippy::unwrap_used)]

mod scenes;

use lissome_lie::{Pose, Rotation};
use lissome_model::{LoadFrame, LoadKind, Material, Profile, Scene, Section, Shape};
use lissome_reference::analytic::critical_load::{Ends, cosserat, engesser, euler, greenhill, haringx};
use lissome_reference::analytic::root::bisect;
use lissome_reference::{OracleError, TipSupport, critical_load_factor, negative_directions, solve_cantilever};
use nalgebra::{Matrix6, Vector3, Vector6};
use scenes::{cantilever, round, with_load, with_tip_load};

/// A rod of table 8 of [xun2025] under 1 N of axial compression, held askew in the world.
fn chiral_rod() -> Scene {
    let mut scene = round(0.8, 0.04, Material::from_poisson(1e5, 0.45));
    let base = Pose::new(Rotation::exp(&Vector3::new(0.4, -1.0, 0.7)), Vector3::new(1.0, 2.0, 3.0));
    scene.rods[0].base = Some(base.into());
    with_tip_load(scene, Vector3::zeros(), -base.rotation.rotate(&Vector3::x()))
}

#[test]
fn compressed_rods_buckle_where_the_closed_form_says() {
    let scene = chiral_rod();
    let k = scene.rods[0].profile.at(0.0).stiffness();
    for (support, ends) in [(TipSupport::Free, Ends::ClampedFree), (TipSupport::Clamped, Ends::ClampedClamped)] {
        let expected = cosserat(euler(k[(1, 1)], 0.8, ends), k[(4, 4)], k[(3, 3)]);
        let found = critical_load_factor(&scene, 0, support, 100.0).unwrap();
        assert!((found - expected).abs() < 1e-11 * expected, "{support:?}: {found} {expected}");
    }
}

#[test]
fn clamped_and_pinned() {
    // Euler–Bernoulli: P L²/EI = u² with tan u = u. At L/r = 1000 shear and compression take off P/GA ≈ 1e-5.
    let u = bisect(4.4, 4.6, |u: f64| u.sin() - u * u.cos()).unwrap();
    let slender = with_tip_load(
        round(1.0, 1e-3, Material::from_poisson(1e9, 0.3)),
        Vector3::zeros(),
        Vector3::new(-1.0, 0.0, 0.0),
    );
    let bending = slender.rods[0].profile.at(0.0).stiffness()[(1, 1)];
    let found = critical_load_factor(&slender, 0, TipSupport::Pinned, 100.0 * bending).unwrap() / bending;
    assert!((found - u * u).abs() < 2e-5 * u * u, "{found} {}", u * u);
}

#[test]
fn chiral_rod_between_the_classical_corrections() {
    // The rod's own load lies between Haringx's (no compression of the axis) and Euler's; Engesser's is below.
    let scene = chiral_rod();
    let k = scene.rods[0].profile.at(0.0).stiffness();
    let euler_load = euler(k[(1, 1)], 0.8, Ends::ClampedClamped);
    let found = critical_load_factor(&scene, 0, TipSupport::Clamped, 100.0).unwrap();
    assert!(engesser(euler_load, k[(4, 4)]) < haringx(euler_load, k[(4, 4)]));
    assert!(haringx(euler_load, k[(4, 4)]) < found && found < euler_load);
}

/// An upright column whose weight per length is w EI/L³ for a gravity of w.
fn column(profile: Profile) -> Scene {
    let mut scene = cantilever(1.0, profile);
    scene.rods[0].base =
        Some(Pose::new(Rotation::exp(&Vector3::new(0.0, -std::f64::consts::FRAC_PI_2, 0.0)), Vector3::zeros()).into());
    scene.gravity = Vector3::new(0.0, 0.0, -1.0);
    scene
}

#[test]
fn greenhill_column() {
    let stiffness = Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, 1e12, 1e12, 1e12));
    let mass = Matrix6::from_diagonal(&Vector6::new(0.0, 0.0, 0.0, 1.0, 1.0, 1.0));
    let section = Section::Given { stiffness, mass, damping: 0.0, radius: 0.01 };
    let found = critical_load_factor(&column(Profile::uniform(section)), 0, TipSupport::Free, 20.0).unwrap();
    assert!((found - greenhill()).abs() < 1e-10, "{found}");
    assert!((found - 7.837347439).abs() < 6e-10, "{found}");
}

#[test]
fn tapered_column_against_rayleigh_ritz() {
    // A slender cone frustum, r from 1 to 1/2: polynomials in the slope, EI = r⁴, weight per length r².
    let material = Material::from_moduli(4e12 / std::f64::consts::PI, 1e12).with_density(1e6 / std::f64::consts::PI);
    let section = |r: f64| Section::circle(r * 1e-3, material);
    let found =
        critical_load_factor(&column(Profile::taper(section(1.0), section(0.5), 1.0)), 0, TipSupport::Free, 60.0)
            .unwrap();
    let expected = ritz_column(|s| 1.0 - 0.5 * s);
    // Shear and compression count for (r/L)² ≈ 1e-6 times the load.
    assert!((found - expected).abs() < 1e-4 * expected, "{found} {expected}");
}

/// Least w with ∫ r⁴ θ′² = w ∫ N θ² for some slope θ, N(s) = ∫ₛ¹ r², over θ = s, s², … s⁸.
fn ritz_column(radius: impl Fn(f64) -> f64) -> f64 {
    const TERMS: usize = 8;
    const POINTS: usize = 4000;
    let (mut bending, mut weight) = (nalgebra::DMatrix::zeros(TERMS, TERMS), nalgebra::DMatrix::zeros(TERMS, TERMS));
    let h = 1.0 / POINTS as f64;
    let mut above = 0.0;
    for i in (0..POINTS).rev() {
        let s: f64 = (i as f64 + 0.5) * h;
        let r = radius(s);
        let normal = above + 0.5 * h * r * r;
        above += h * r * r;
        for a in 0..TERMS {
            for b in 0..TERMS {
                let (p, q) = (a as i32 + 1, b as i32 + 1);
                bending[(a, b)] += h * r.powi(4) * f64::from(p * q) * s.powi(p + q - 2);
                weight[(a, b)] += h * normal * s.powi(p + q);
            }
        }
    }
    // The largest eigenvalue of weight relative to bending is 1/w.
    let l = bending.cholesky().unwrap().l();
    let half = l.solve_lower_triangular(&weight).unwrap();
    let full = l.solve_lower_triangular(&half.transpose()).unwrap();
    1.0 / nalgebra::SymmetricEigen::new((&full + full.transpose()) * 0.5).eigenvalues.max()
}

#[test]
fn a_strip_buckles_about_its_weak_axis() {
    let material = Material::from_poisson(1e9, 0.3);
    let strip = Section::plain(Shape::Rectangle { width: 0.02, height: 0.002 }, material);
    let scene = with_tip_load(cantilever(1.0, Profile::uniform(strip)), Vector3::zeros(), Vector3::new(-1.0, 0.0, 0.0));
    let k = scene.rods[0].profile.at(0.0).stiffness();
    let expected = cosserat(euler(k[(1, 1)], 1.0, Ends::ClampedFree), k[(5, 5)], k[(3, 3)]);
    let found = critical_load_factor(&scene, 0, TipSupport::Free, 100.0 * k[(1, 1)]).unwrap();
    assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
}

#[test]
fn loads_across_the_axis_and_loads_too_small_are_refused() {
    let across = with_tip_load(chiral_rod(), Vector3::zeros(), Vector3::new(0.0, 0.0, 0.1));
    let refused = critical_load_factor(&across, 0, TipSupport::Free, 10.0);
    assert!(matches!(refused, Err(OracleError::NotAxial { .. })), "{refused:?}");
    let refused = critical_load_factor(&chiral_rod(), 0, TipSupport::Free, 0.1);
    assert!(matches!(refused, Err(OracleError::NoSignChange { .. })), "{refused:?}");
}

#[test]
fn straight_column_gains_two_negative_directions_per_critical_load() {
    // A round cantilever: critical loads at 1, 9, 25 … times Euler's, each in two planes.
    let scene = round(1.0, 0.01, Material::from_poisson(1e7, 0.4));
    let bending = scene.rods[0].profile.at(0.0).stiffness()[(1, 1)];
    let first = euler(bending, 1.0, Ends::ClampedFree);
    for (multiple, expected) in [(0.5, 0), (0.98, 0), (1.02, 2), (8.5, 2), (9.5, 4), (24.0, 4), (27.0, 6)] {
        let loaded = with_tip_load(scene.clone(), Vector3::zeros(), Vector3::new(-multiple * first, 0.0, 0.0));
        let solution = solve_cantilever(&loaded, 0, None).unwrap();
        assert_eq!(negative_directions(&solution).unwrap(), expected, "{multiple}");
    }
}

#[test]
fn a_bent_cantilever_is_stable() {
    let scene = round(1.0, 0.01, Material::from_poisson(1e7, 0.4));
    let bending = scene.rods[0].profile.at(0.0).stiffness()[(1, 1)];
    let loaded = with_load(
        with_tip_load(scene, Vector3::zeros(), Vector3::new(-5.0, 1.0, 3.0) * bending),
        LoadFrame::World,
        LoadKind::Point { at: 0.4, wrench: lissome_lie::Wrench::new(Vector3::zeros(), Vector3::y() * bending) },
    );
    assert_eq!(negative_directions(&solve_cantilever(&loaded, 0, None).unwrap()).unwrap(), 0);
}
