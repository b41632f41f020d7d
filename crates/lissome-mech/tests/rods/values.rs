//! Values renewed on a rod are those it would be compiled with, bit for bit.

use crate::models::{Random, all_models};
use lissome_mech::rod::Rod;
use lissome_model::{NaturalShape, Profile, Resolution, Station};
use nalgebra::Vector3;

#[test]
fn renewed_values_are_those_of_a_new_rod() {
    for (seed, model) in all_models().iter().enumerate() {
        let random = &mut Random(900 + seed as u64);
        let first = model.scene_rod(4, random);
        let mut second = model.scene_rod(4, random);
        second.natural = NaturalShape::curved(Vector3::new(0.3, -0.2, 0.5));
        let mut rod = model.compile(&first);
        assert_ne!(format!("{rod:?}"), format!("{:?}", model.compile(&second)));
        rod.set_values(&second).unwrap();
        // The shortest text of a number is another for every other bit.
        assert_eq!(format!("{rod:?}"), format!("{:?}", model.compile(&second)), "{}", model.name);
    }
}

#[test]
fn a_rod_compiled_beside_another_is_the_one_compiled_alone() {
    for (seed, model) in all_models().iter().enumerate() {
        let random = &mut Random(930 + seed as u64);
        let first = model.scene_rod(4, random);
        let known = model.compile(&first);
        // Another section and shape on the same knots, and other knots.
        let mut curved = model.scene_rod(4, random);
        curved.natural = NaturalShape::curved(Vector3::new(0.3, -0.2, 0.5));
        for second in [curved, model.scene_rod(5, random)] {
            let alone = Rod::compile(&second, "rod.rod", &[0.6], Vec::new()).unwrap();
            let beside = Rod::compile_beside(&second, "rod.rod", &[0.6], Vec::new(), Some(&known)).unwrap();
            assert_eq!(format!("{:?}", beside.curve()), format!("{:?}", alone.curve()), "{}", model.name);
        }
    }
}

#[test]
fn values_that_need_another_layout_are_refused() {
    for (seed, model) in all_models().iter().enumerate() {
        let random = &mut Random(950 + seed as u64);
        let scene = model.scene_rod(4, random);
        let mut rod = model.compile(&scene);
        let before = format!("{rod:?}");
        let mut longer = scene.clone();
        longer.length = 1.8;
        let mut finer = scene.clone();
        *finer.discretization.resolution_mut() = Resolution::Spans(9);
        let mut stepped = scene.clone();
        let at = |s: f64| Station { s, section: scene.profile.at(s) };
        stepped.profile = Profile { stations: vec![at(0.0), at(0.37), at(0.37), at(1.7)] };
        let mut hung = scene.clone();
        (hung.base, hung.tip) = (None, scene.base);
        for other in all_models().iter().filter(|other| other.name != model.name && other.stiffening == 0.0) {
            let mut changed = scene.clone();
            changed.discretization = (other.with)(other.degree, 4);
            if changed.discretization != scene.discretization {
                assert!(rod.set_values(&changed).is_err(), "{} as {}", model.name, other.name);
            }
        }
        for changed in [longer, finer, stepped, hung] {
            assert!(rod.set_values(&changed).is_err(), "{}", model.name);
        }
        assert_eq!(format!("{rod:?}"), before, "{} is as it was", model.name);
    }
}
