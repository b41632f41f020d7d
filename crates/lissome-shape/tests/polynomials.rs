//! Polynomial shapes of several segments and kinds of rod against the exact ones, and their own error estimates.
#![allow(clippy::unwrap_used)]

mod rods;

use lissome_shape::{Ends, Method, Options, Shape, Winding, solve};
use nalgebra::Vector3;
use rods::{Random, TestRod, about, reachable_tip};

/// Largest position error (m) and rotation error (rad) over the rod.
fn error(approximate: &Shape, exact: &Shape) -> (f64, f64) {
    let at = |i: i32| {
        let (a, b) = (approximate.pose(f64::from(i) / 100.0), exact.pose(f64::from(i) / 100.0));
        ((a.position - b.position).norm(), (a.rotation.inverse() * b.rotation).angle())
    };
    (0..=100).map(at).fold((0.0, 0.0), |worst, e| (f64::max(worst.0, e.0), f64::max(worst.1, e.1)))
}

#[test]
fn more_segments_converge_at_the_order_of_the_polynomials() {
    // Rotations by polynomials of degree p have an error of order p + 1 in the segment's length.
    let relative = about(Vector3::new(0.77, 1.33, 0.31), Vector3::new(0.46, 0.187, -0.252) / 0.6);
    for test in [TestRod::round(), TestRod::stepped(), TestRod::tapered(), TestRod::curved()] {
        let tip = lissome_lie::Pose::new(relative.rotation, relative.position * test.length);
        let ends = Ends::relative(tip).unwrap();
        let exact = solve(&test.rod, &ends, &Options::default()).unwrap();
        for (degree, order) in [(3, 4.0), (5, 6.0)] {
            let with = |segments: usize| {
                let method = Method::Energy { degree, segments };
                let options = Options { method, winding: Winding::Given(exact.winding), ..Options::default() };
                error(&solve(&test.rod, &ends, &options).unwrap(), &exact).1
            };
            // The stepped rod is cut at 0.4, so 10 and 20 pieces nest; the others do so anyway.
            let (coarse, fine) = (with(10), with(20));
            let observed = (coarse / fine).log2();
            let rounding = fine < 1e-11;
            assert!(observed > order - 0.7 || rounding, "{} degree {degree}: order {observed:.2}", test.name);
        }
    }
}

#[test]
fn estimates_tell_the_error() {
    // One Newton step in a richer space: right to a factor of two where the error is small, and never far off.
    let test = TestRod::round();
    let mut random = Random(31);
    let mut checked = 0;
    for _ in 0..60 {
        let ends = Ends::relative(reachable_tip(&mut random, test.length)).unwrap();
        let exact = solve(&test.rod, &ends, &Options::default()).unwrap();
        for method in [Method::PRINTED, Method::Energy { degree: 3, segments: 0 }, Method::QUINTIC] {
            let options = Options { method, winding: Winding::Given(exact.winding), ..Options::default() };
            let Ok(shape) = solve(&test.rod, &ends, &options) else { continue };
            let (position, rotation) = error(&shape, &exact);
            let estimate = shape.error();
            // Above a tenth of the length a Newton step says no more than that the shape is wrong.
            if position > 0.03 * test.length || rotation > 0.3 {
                assert!(estimate.position > 0.003 * test.length || estimate.rotation > 0.03, "{method:?} {estimate:?}");
                continue;
            }
            checked += 1;
            let ratio = estimate.rotation / rotation;
            assert!((0.3..3.0).contains(&ratio), "{method:?}: estimated {estimate:?}, true {position:e} {rotation:e}");
        }
    }
    assert!(checked > 80, "{checked}");
}

#[test]
fn curvature_and_wrench_are_consistent_along_the_curve() {
    let test = TestRod::round();
    let ends = Ends::relative(about(Vector3::new(0.77, 1.33, 0.31), Vector3::new(0.46, 0.187, -0.252))).unwrap();
    let exact = solve(&test.rod, &ends, &Options::default()).unwrap();
    let stiffness = Vector3::new(0.004712388980384691, 0.027488935718910694, 0.027488935718910694);
    for tau in [0.0, 0.31, 0.5, 0.93, 1.0] {
        let moment = stiffness.component_mul(&exact.strain(tau).curvature);
        assert!((moment - exact.wrench(tau).moment).amax() < 1e-13);
    }
    let quintic = solve(&test.rod, &ends, &Options::with(Method::QUINTIC)).unwrap();
    for tau in [0.1, 0.5, 0.9] {
        let gap = quintic.strain(tau).curvature - exact.strain(tau).curvature;
        assert!(gap.norm() < 1e-3 * exact.strain(tau).curvature.norm());
        let gap = quintic.wrench(tau).to_vector() - exact.wrench(tau).to_vector();
        assert!(gap.norm() < 1e-4 * exact.wrench(tau).to_vector().norm());
    }
}
