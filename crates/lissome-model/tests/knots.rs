//! Where rods are divided: by count, by tolerance, by places.
#![allow(clippy::unwrap_used)]

use lissome_model::{Discretization, Material, NaturalShape, Profile, Resolution, Rod, Section, Station, StrainForm};
use nalgebra::Vector3;

fn rod(resolution: Resolution) -> Rod {
    let section = Section::circle(1e-3, Material::from_poisson(1e9, 0.3));
    Rod {
        name: "arm".into(),
        length: 2.0,
        profile: Profile::uniform(section),
        discretization: Discretization::Spline { degree: 3, resolution, form: StrainForm::Mixed },
        ..Rod::default()
    }
}

#[test]
fn a_spring_of_ten_turns_starts_with_spans_for_its_turns() {
    let mut spring = rod(Resolution::Tolerance(1e-5));
    let straight = spring.knots(&[]).unwrap().spans();
    let turn = 20.0 * std::f64::consts::PI;
    spring.natural = NaturalShape::curved(Vector3::new(0.0, turn / 2.0, 0.0));
    let knots = spring.knots(&[]).unwrap();
    assert!(knots.spans() > 4 * straight);
    let lines = knots.lines();
    let longest = lines.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    // A turn of more than about a radian a span leaves nothing for the estimate to go by.
    assert!(longest * turn / 2.0 < 1.0, "{longest}");
}

#[test]
fn a_tolerance_sees_corners_steps_and_tapers_beforehand() {
    let mut stepped = rod(Resolution::Tolerance(1e-5));
    let material = Material::from_poisson(1e9, 0.3);
    let stations = [(0.0, 1e-3), (0.7, 1e-3), (0.7, 2e-3), (1.3, 2e-3), (2.0, 2e-5)];
    let station = |(s, radius)| Station { s, section: Section::circle(radius, material) };
    stepped.profile = Profile { stations: stations.map(station).to_vec() };
    let lines = stepped.knots(&[]).unwrap().lines();
    for place in [0.0, 0.7, 1.3, 2.0] {
        assert!(lines.contains(&place), "{place} in {lines:?}");
    }
    let behind = |from: f64, to: f64| lines.iter().filter(|s| **s > from && **s < to).count();
    assert!(behind(1.3, 2.0) > 2 * behind(0.7, 1.3), "{lines:?}");
}

#[test]
fn given_knots_are_obeyed_and_jumps_come_in_between() {
    let divided = rod(Resolution::Knots(vec![0.1, 0.5, 1.7]));
    let knots = divided.knots(&[0.5, 1.0]).unwrap();
    assert_eq!(knots.knots, [0.0, 0.0, 0.0, 0.0, 0.1, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.7, 2.0, 2.0, 2.0, 2.0]);
    assert_eq!(knots.lines(), [0.0, 0.1, 0.5, 1.0, 1.7, 2.0]);
    for wrong in [vec![0.5, 0.5], vec![0.7, 0.2], vec![0.0], vec![2.0], vec![f64::NAN]] {
        assert!(rod(Resolution::Knots(wrong.clone())).knots(&[]).is_err(), "{wrong:?}");
    }
}
