//! Sections against textbook values, and what the door refuses.
#![allow(clippy::unwrap_used)]

use lissome_model::*;
use nalgebra::Matrix6;
use std::f64::consts::PI;

const STEEL: Material = Material { young: 200e9, shear: 80e9, density: Some(7800.0), damping: 0.01 };

#[test]
fn round_sections() {
    let k = Section::circle(0.01, STEEL).stiffness();
    assert!((k[(1, 1)] / (200e9 * PI * 1e-8 / 4.0) - 1.0).abs() < 1e-14);
    assert!((k[(0, 0)] / (80e9 * PI * 1e-8 / 2.0) - 1.0).abs() < 1e-14);
    assert!((k[(3, 3)] / (200e9 * PI * 1e-4) - 1.0).abs() < 1e-14);
    let tube = Section::plain(Shape::Annulus { inner: 0.005, outer: 0.01 }, STEEL).stiffness();
    let core = Section::circle(0.005, STEEL).stiffness();
    // A tube and the core that fills it make a full disc.
    assert!((tube + core - k).amax() < 1e-9 * k.amax());
}

/// Saint-Venant's constants of [timoshenko1951, table of section 109]: J = k a b³ for sides a ≥ b.
#[test]
fn torsion_of_rectangles() {
    for (ratio, constant) in [(1.0, 0.1406), (1.5, 0.1958), (2.0, 0.2287), (3.0, 0.2633), (5.0, 0.2913), (10.0, 0.3123)]
    {
        for shape in [Shape::Rectangle { width: ratio, height: 1.0 }, Shape::Rectangle { width: 1.0, height: ratio }] {
            let measured = shape.torsion_constant() / ratio;
            // The table has four digits.
            assert!((measured - constant).abs() < 6e-5, "{ratio}: {measured} {constant}");
        }
    }
}

#[test]
fn rectangle_bends_about_its_own_axes() {
    let k = Section::plain(Shape::Rectangle { width: 0.02, height: 0.001 }, STEEL).stiffness();
    // About y the strip is thin, about z wide.
    assert!((k[(2, 2)] / k[(1, 1)] - 400.0).abs() < 1e-9);
}

#[test]
fn a_sheath_adds_its_own_stiffness_and_mass() {
    let rubber = Material::from_poisson(1e6, 0.49).with_density(1000.0);
    let sheath = Shape::Annulus { inner: 0.001, outer: 0.004 };
    let layers = vec![
        Layer { shape: Shape::Circle { radius: 0.001 }, material: STEEL },
        Layer { shape: sheath, material: rubber },
    ];
    let both = Section::Layers { layers, shear_factor: 1.0 };
    let alone = Section::circle(0.001, STEEL).stiffness() + Section::plain(sheath, rubber).stiffness();
    assert!((both.stiffness() - alone).amax() < 1e-9 * alone.amax());
    assert!((both.mass()[(3, 3)] - (7800.0 * PI * 1e-6 + 1000.0 * PI * 15e-6)).abs() < 1e-12);
    // Only the core is viscous here.
    assert!((both.viscosity() - Section::circle(0.001, STEEL).stiffness() * 0.01).amax() < 1e-9);
}

#[test]
fn tapers_are_linear_and_steps_are_sharp() {
    let taper = Profile::taper(Section::circle(0.03, STEEL), Section::circle(0.015, STEEL), 2.0);
    assert!((taper.at(0.5).outer_radius() - 0.02625).abs() < 1e-16);
    assert!(taper.steps().is_empty());
    let station = |s: f64, radius: f64| Station { s, section: Section::circle(radius, STEEL) };
    let step =
        Profile { stations: vec![station(0.0, 0.03), station(1.0, 0.03), station(1.0, 0.01), station(2.0, 0.01)] };
    step.validate("rod.a.section", 2.0).unwrap();
    assert_eq!(step.steps(), vec![1.0]);
    assert_eq!((step.at(0.999).outer_radius(), step.at(1.001).outer_radius()), (0.03, 0.01));
}

/// Between two stations the diagonals are those of the section there, to the last digit, and there are none where it is not made of layers.
#[test]
fn diagonals_of_layers_are_those_of_the_section_between() {
    let rubber = Material { young: 1e6, shear: 3e5, density: None, damping: 0.0 };
    let layered = |size: f64| Section::Layers {
        layers: vec![
            Layer { shape: Shape::Rectangle { width: 2.0 * size, height: size }, material: STEEL },
            Layer { shape: Shape::Annulus { inner: size, outer: 1.5 * size }, material: rubber },
        ],
        shear_factor: 0.9,
    };
    for [from, to] in [[Section::circle(0.03, STEEL), Section::circle(0.015, STEEL)], [0.02, 0.013].map(layered)] {
        let taper = Profile::taper(from, to, 2.0);
        for s in [0.0, 0.3, 1.1, 1.999] {
            let section = taper.at(s);
            assert_eq!(taper.layered_stiffness(s).map(|own| Matrix6::from_diagonal(&own)), Some(section.stiffness()));
            assert_eq!(taper.layered_mass(s).map(|own| Matrix6::from_diagonal(&own)), Some(section.mass()));
        }
        assert_eq!(taper.layered_mass(2.0), None);
    }
}

#[test]
fn impossible_sections_are_refused() {
    let refused = |section: Section, key: &str| {
        let error = section.validate("rod.a.section").unwrap_err();
        assert!(error.path.ends_with(key), "{error}");
    };
    refused(Section::circle(f64::NAN, STEEL), "radius");
    refused(Section::circle(-1.0, STEEL), "radius");
    refused(Section::plain(Shape::Annulus { inner: 2.0, outer: 1.0 }, STEEL), "inner");
    refused(Section::circle(1.0, Material { young: 0.0, ..STEEL }), "young");
    refused(Section::circle(1.0, Material { density: Some(f64::INFINITY), ..STEEL }), "density");
    let given = |stiffness| Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 1.0 };
    refused(given(-Matrix6::identity()), "stiffness");
    let mut skew = Matrix6::identity();
    skew[(0, 1)] = 0.5;
    refused(given(skew), "stiffness");
    let short = Profile::taper(Section::circle(1.0, STEEL), Section::circle(0.5, STEEL), 1.0);
    assert!(short.validate("rod.a.section", 2.0).is_err(), "a table that ends before the rod does");
}
