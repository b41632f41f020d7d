//! Textbook rods: the shooting code against closed forms and the literature's numbers.
#![allow(clippy::unwrap_used)]

mod scenes;

use lissome_lie::{Pose, Rotation};
use lissome_model::{Material, NaturalShape, Profile, Section};
use lissome_reference::analytic::elastica;
use lissome_reference::solve_cantilever;
use nalgebra::{Matrix6, Vector3, Vector6};
use scenes::{cantilever, round, with_tip_load};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// A unit rod with EI = 1 that neither stretches nor shears.
fn inextensible() -> Profile {
    let stiffness = Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, 1e18, 1e18, 1e18));
    Profile::uniform(Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 0.01 })
}

#[test]
fn elastica_under_a_dead_tip_load() {
    for load in [0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 50.0, 400.0] {
        let exact = elastica::dead_tip_load(load).unwrap();
        let scene = with_tip_load(cantilever(1.0, inextensible()), Vector3::zeros(), Vector3::new(0.0, 0.0, load));
        let tip = solve_cantilever(&scene, 0, None).unwrap().tip();
        assert!((tip.position.x - 1.0 + exact.shortening).abs() < 1e-11, "{load}");
        assert!((tip.position.z - exact.deflection).abs() < 1e-11, "{load}");
        assert!((tip.rotation.angle() - exact.tip_slope).abs() < 1e-11, "{load}");
    }
}

#[test]
fn full_circle_under_a_tip_moment() {
    // A pure moment neither stretches nor shears, so that a thick rod closes too.
    let scene = round(2.0, 0.1, Material::from_poisson(1e6, 0.3));
    let bending = scene.rods[0].profile.at(0.0).stiffness()[(1, 1)];
    let moment = elastica::full_circle_moment(bending, 2.0);
    let solution =
        solve_cantilever(&with_tip_load(scene, Vector3::new(0.0, -moment, 0.0), Vector3::zeros()), 0, None).unwrap();
    assert!(solution.tip().position.norm() < 1e-12);
    assert!(solution.tip().rotation.angle() < 1e-12);
    let energy = elastica::full_circle_energy(bending, 2.0);
    assert!((solution.elastic_energy - energy).abs() < 1e-12 * energy);
    assert!((solution.pose(1.0).position - Vector3::new(0.0, 0.0, 2.0 / PI)).amax() < 1e-12);
}

/// Tip (x, z) of a unit planar rod with EI = 1 under F = 3 along z, by classical Runge–Kutta and the secant method on
/// the moment at the root: θ′ = M, (x, z)′ = the turned (1 + F sin θ/EA, F cos θ/GA), M′ = −F x′.
fn planar_tip(axial: f64, shear: f64) -> [f64; 2] {
    const FORCE: f64 = 3.0;
    const STEPS: usize = 2000;
    let rate = |y: [f64; 4]| {
        let (sin, cos) = y[0].sin_cos();
        let (stretch, slip) = (1.0 + FORCE * sin / axial, FORCE * cos / shear);
        let dx = cos * stretch - sin * slip;
        [y[3], dx, sin * stretch + cos * slip, -FORCE * dx]
    };
    let along = |y: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let shoot = |root_moment: f64| {
        let (mut y, h) = ([0.0, 0.0, 0.0, root_moment], 1.0 / STEPS as f64);
        for _ in 0..STEPS {
            let k1 = rate(y);
            let k2 = rate(along(y, k1, 0.5 * h));
            let k3 = rate(along(y, k2, 0.5 * h));
            let k4 = rate(along(y, k3, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        y
    };
    let (mut a, mut b) = (2.2f64, 2.25f64);
    while (b - a).abs() > 1e-15 {
        let (at_a, at_b) = (shoot(a)[3], shoot(b)[3]);
        if at_a == at_b {
            break;
        }
        (a, b) = (b, b - at_b * (b - a) / (at_b - at_a));
    }
    let tip = shoot(b);
    [tip[1], tip[2]]
}

#[test]
fn slender_rods_keep_their_digits() {
    // F L²/EI = 3, ν = 0.45. Runge–Kutta's own error is 5e-14 at 2000 steps, by comparison with 1000.
    for slenderness in [10.0, 100.0, 1000.0, 1e4] {
        let scene = round(1.0, 1.0 / slenderness, Material::from_poisson(1e7, 0.45));
        let stiffness = scene.rods[0].profile.at(0.0).stiffness();
        let bending = stiffness[(1, 1)];
        let [x, z] = planar_tip(stiffness[(3, 3)] / bending, stiffness[(4, 4)] / bending);
        let scene = with_tip_load(scene, Vector3::zeros(), Vector3::new(0.0, 0.0, 3.0 * bending));
        let tip = solve_cantilever(&scene, 0, None).unwrap().tip().position;
        assert!((tip.x - x).abs() < 1e-12 && (tip.z - z).abs() < 1e-12, "{slenderness}: {tip:?} {x} {z}");
    }
}

#[test]
fn shear_and_stretch_fade_with_the_square_of_the_slenderness() {
    let elastica = elastica::dead_tip_load(3.0).unwrap();
    let departure = |slenderness: f64| {
        let scene = round(1.0, 1.0 / slenderness, Material::from_poisson(1e7, 0.45));
        let force = 3.0 * scene.rods[0].profile.at(0.0).stiffness()[(1, 1)];
        let scene = with_tip_load(scene, Vector3::zeros(), Vector3::new(0.0, 0.0, force));
        solve_cantilever(&scene, 0, None).unwrap().tip().position.z - elastica.deflection
    };
    // The next term is smaller by (r/L)² again.
    assert!((departure(100.0) / departure(1000.0) / 100.0 - 1.0).abs() < 1e-3);
    assert!((departure(1000.0) / departure(10000.0) / 100.0 - 1.0).abs() < 1e-3);
}

#[test]
fn forty_five_degree_bend() {
    // Bathe and Bolourchi's bend: radius 100, section 1 × 1, E = 1e7, G = 5e6, J = 1/6, no shear factor.
    let stiffness = Matrix6::from_diagonal(&Vector6::new(5e6 / 6.0, 1e7 / 12.0, 1e7 / 12.0, 1e7, 5e6, 5e6));
    let section = Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 0.5 };
    let mut bend = cantilever(100.0 * FRAC_PI_4, Profile::uniform(section));
    // Root along y, curving towards +x.
    bend.rods[0].base = Some(Pose::new(Rotation::exp(&Vector3::new(0.0, 0.0, FRAC_PI_2)), Vector3::zeros()).into());
    bend.rods[0].natural = NaturalShape::curved(Vector3::new(0.0, 0.0, -0.01));

    let unloaded = solve_cantilever(&bend, 0, None).unwrap().tip().position;
    let chord = 100.0 * FRAC_PI_4.sin();
    assert!((unloaded - Vector3::new(100.0 - chord, chord, 0.0)).amax() < 1e-10);

    for (force, expected) in [(300.0, [22.244781, 58.779122, 40.191892]), (600.0, [15.684801, 47.150439, 53.474859])] {
        let scene = with_tip_load(bend.clone(), Vector3::zeros(), Vector3::new(0.0, 0.0, force));
        let tip = solve_cantilever(&scene, 0, None).unwrap().tip().position;
        // Half a unit of the sixth decimal.
        assert!((tip - Vector3::from(expected)).amax() < 5.1e-7, "{tip:?}");
    }
}
