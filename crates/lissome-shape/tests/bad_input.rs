//! Ends that cannot be, and what is said about them.
#![allow(clippy::unwrap_used)]

mod rods;

use lissome_lie::Pose;
use lissome_model::{NaturalShape, Profile, Shape as Outline};
use lissome_shape::{
    ElasticRod, End, Ends, Method, Options, ShapeError, Winding, pose_from_matrix, pose_from_quat_wxyz, solve,
};
use nalgebra::{Matrix3, Vector3};
use rods::{TestRod, about, fibreglass, section};

#[test]
fn too_far_apart_says_by_how_much() {
    let rod = TestRod::round().rod;
    let ends = Ends::relative(Pose::at(Vector3::new(0.61, 0.02, 0.0))).unwrap();
    for method in [Method::PRINTED, Method::QUINTIC, Method::Exact] {
        let error = solve(&rod, &ends, &Options::with(method)).unwrap_err();
        let ShapeError::TooFarApart { distance, length } = error else { panic!("{error:?}") };
        assert!((distance - 0.61f64.hypot(0.02)).abs() < 1e-12 && length == 0.6);
        assert!(error.to_string().contains("0.0103278 m too far"), "{error}");
    }
}

#[test]
fn rods_without_length_or_sense_are_refused() {
    for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(ElasticRod::round(length, 1e-3, fibreglass()), Err(ShapeError::Rod(_))), "{length}");
    }
    assert!(matches!(ElasticRod::round(1.0, -1e-3, fibreglass()), Err(ShapeError::Rod(_))));
    let profile = Profile::uniform(section(Outline::Circle { radius: 1e-3 }));
    let natural = NaturalShape::curved(Vector3::new(0.0, f64::NAN, 0.0));
    assert!(matches!(ElasticRod::new(1.0, &profile, &natural), Err(ShapeError::Rod(_))));
}

#[test]
fn matrices_that_are_no_rotations_are_refused() {
    let at = Vector3::zeros();
    let stretched = Matrix3::from_diagonal(&Vector3::new(1.0, 1.01, 1.0));
    let error = pose_from_matrix(End::Tip, &stretched, at).unwrap_err();
    assert!(matches!(error, ShapeError::NotARotation { end: End::Tip, defect, .. } if (defect - 0.0201).abs() < 1e-12));
    let mirror = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -1.0));
    let error = pose_from_matrix(End::Base, &mirror, at).unwrap_err();
    assert!(matches!(error, ShapeError::NotARotation { end: End::Base, determinant, .. } if determinant == -1.0));
    assert!(error.to_string().contains("det R = -1"), "{error}");
    let nan = Matrix3::from_element(f64::NAN);
    assert!(matches!(pose_from_matrix(End::Tip, &nan, at), Err(ShapeError::NotFinite { end: End::Tip })));
    assert!(pose_from_matrix(End::Tip, &Matrix3::identity(), at).is_ok());
}

#[test]
fn quaternions_must_have_length_one() {
    let at = Vector3::zeros();
    let error = pose_from_quat_wxyz(End::Tip, [1.0, 0.1, 0.0, 0.0], at).unwrap_err();
    assert!(matches!(error, ShapeError::NotAUnitQuaternion { norm, .. } if (norm - 1.01f64.sqrt()).abs() < 1e-15));
    assert!(matches!(pose_from_quat_wxyz(End::Tip, [0.0; 4], at), Err(ShapeError::NotAUnitQuaternion { .. })));
    let nan = [f64::NAN, 0.0, 0.0, 0.0];
    assert!(matches!(pose_from_quat_wxyz(End::Base, nan, at), Err(ShapeError::NotFinite { end: End::Base })));
    let six_digits = [0.923880, 0.382683, 0.0, 0.0];
    assert!(pose_from_quat_wxyz(End::Tip, six_digits, at).is_ok());
}

#[test]
fn numbers_that_are_none_are_refused() {
    let rod = TestRod::round().rod;
    let bad = Pose::at(Vector3::new(0.1, f64::NAN, 0.0));
    assert!(matches!(Ends::relative(bad), Err(ShapeError::NotFinite { end: End::Tip })));
    // Also when the fields are set by hand.
    let ends = Ends { base: bad, tip: Pose::identity() };
    assert!(matches!(solve(&rod, &ends, &Options::default()), Err(ShapeError::NotFinite { end: End::Base })));
}

#[test]
fn a_winding_must_lead_to_the_tip() {
    let rod = TestRod::round().rod;
    let ends = Ends::relative(about(Vector3::new(0.0, 0.0, 1.0), Vector3::new(0.4, 0.2, 0.0))).unwrap();
    let options = Options { winding: Winding::Given(Vector3::new(0.0, 0.0, 1.1)), ..Options::default() };
    let error = solve(&rod, &ends, &options).unwrap_err();
    assert!(matches!(error, ShapeError::WindingMismatch { angle } if (angle - 0.1).abs() < 1e-12), "{error:?}");
}

#[test]
fn degrees_and_segments_are_limited() {
    let round = TestRod::round().rod;
    let ends = Ends::relative(about(Vector3::new(0.0, 0.0, 1.0), Vector3::new(0.4, 0.2, 0.0))).unwrap();
    for degree in [0, 2, 6] {
        let options = Options::with(Method::Energy { degree, segments: 0 });
        assert_eq!(solve(&round, &ends, &options).unwrap_err(), ShapeError::Degree { found: degree });
    }
    let stepped = TestRod::stepped().rod;
    let options = Options::with(Method::Energy { degree: 5, segments: 1 });
    let error = solve(&stepped, &ends, &options).unwrap_err();
    assert!(matches!(error, ShapeError::Segments { found: 1, least: 2, .. }), "{error:?}");
}

#[test]
fn the_straight_rod_is_a_shape_and_a_taut_one_is_not() {
    let rod = TestRod::round().rod;
    let straight = about(Vector3::new(0.5, 0.0, 0.0), Vector3::new(0.6, 0.0, 0.0));
    let shape = solve(&rod, &Ends::relative(straight).unwrap(), &Options::default()).unwrap();
    // GJ/L θ of twist, no bending.
    let wrench = shape.wrench_on_base();
    assert!((wrench.moment.x - 0.004712388980384691 / 0.6 * 0.5).abs() < 1e-12);
    assert!(wrench.moment.yz().norm() < 1e-12 && wrench.force.norm() < 1e-12);
    assert!((shape.pose(0.5).position.x - 0.3).abs() < 1e-12);
    assert!(matches!(shape.jacobian(), Err(ShapeError::Taut { .. })));
    let bent = about(Vector3::new(0.0, 0.0, 0.1), Vector3::new(0.6, 0.0, 0.0));
    let error = solve(&rod, &Ends::relative(bent).unwrap(), &Options::default()).unwrap_err();
    assert!(matches!(error, ShapeError::Taut { misalignment, .. } if (misalignment - 0.1).abs() < 1e-9), "{error}");
}
