//! The derivative of a shape by its end poses against finite differences of the whole solve.
#![allow(clippy::unwrap_used)]

mod rods;

use lissome_lie::{Pose, Twist};
use lissome_shape::{Ends, Mechanics, Method, Options, Shape, ShapeError, Winding, solve};
use nalgebra::{Vector3, Vector6};
use rods::{Random, TestRod, about, reachable_tip};

/// Central differences of order four; the solve is exact to 1e-12, so a step of 1e-3 leaves about 1e-9.
const STEP: f64 = 1e-3;

fn difference(f: impl Fn(f64) -> Vector6<f64>) -> Vector6<f64> {
    ((f(STEP) - f(-STEP)) * 8.0 - (f(2.0 * STEP) - f(-2.0 * STEP))) / (12.0 * STEP)
}

/// Compares every column at a few sections and both wrenches, in units of the length and the stiffness.
fn check(test: &TestRod, base: Pose, tip: Pose, options: Options) {
    let length = test.length;
    let here = solve(&test.rod, &Ends::new(base, tip).unwrap(), &options).unwrap();
    // Differences must stay on the branch, so they keep the winding.
    let jacobian = here.jacobian().unwrap();
    let moment = here.energy;
    for column in 0..6 {
        let mut unit = Vector6::zeros();
        unit[column] = if column < 3 { 1.0 } else { length };
        let motion = Twist::from_vector(&unit);
        for base_moves in [true, false] {
            let moved = |h: f64| -> Shape {
                let ends = match base_moves {
                    true => Ends::new(base.boxplus(&(motion * h)), tip),
                    false => Ends::new(base, tip.boxplus(&(motion * h))),
                };
                solve(&test.rod, &ends.unwrap(), &options).unwrap()
            };
            let shapes: Vec<(f64, Shape)> = [1.0, -1.0, 2.0, -2.0].map(|k| (k * STEP, moved(k * STEP))).into();
            let at = |h: f64| &shapes.iter().find(|(k, _)| *k == h).unwrap().1;
            let pick = |by: lissome_shape::ByEnds| if base_moves { by.base * unit } else { by.tip * unit };
            for tau in [0.0, 0.37, 0.8, 1.0] {
                let numeric = difference(|h| at(h).pose(tau).boxminus(&here.pose(tau)).to_vector());
                let mut gap = numeric - pick(jacobian.pose(tau));
                gap.fixed_rows_mut::<3>(3).scale_mut(1.0 / length);
                assert!(gap.amax() < 1e-6, "{} pose at {tau}, column {column}: {gap}", test.name);
            }
            let numeric = difference(|h| at(h).wrench_on_base().to_vector());
            let mut gap = numeric - pick(jacobian.wrench_on_base());
            gap.fixed_rows_mut::<3>(3).scale_mut(length);
            assert!(gap.amax() < 1e-6 * moment.max(numeric.amax()), "{} base wrench: {gap}", test.name);
            let numeric = difference(|h| at(h).wrench_on_tip().to_vector());
            let mut gap = numeric - pick(jacobian.wrench_on_tip());
            gap.fixed_rows_mut::<3>(3).scale_mut(length);
            assert!(gap.amax() < 1e-6 * moment.max(numeric.amax()), "{} tip wrench: {gap}", test.name);
        }
    }
}

#[test]
fn reference_poses() {
    let test = TestRod::round();
    let place = about(Vector3::new(0.3, -1.0, 2.0), Vector3::new(1.0, 2.0, 3.0));
    for (x, r) in [
        ([0.0, 0.0, 1.08], [0.503, 0.271, 0.0]),
        ([0.77, 1.33, 0.31], [0.46, 0.187, -0.252]),
        ([1.85, 1.59, 0.25], [0.358, 0.366, -0.205]),
    ] {
        check(&test, place, place * about(x.into(), r.into()), Options::default());
    }
}

#[test]
fn other_rods_and_a_rod_that_stretches() {
    let relative = about(Vector3::new(0.5, 0.9, 0.4), Vector3::new(0.78, 0.3, -0.35));
    for test in TestRod::all() {
        let tip = Pose::new(relative.rotation, relative.position * test.length);
        let options = Options { winding: Winding::Shortest, ..Options::default() };
        check(&test, Pose::identity(), tip, options);
        check(&test, Pose::identity(), tip, Options { mechanics: Mechanics::Cosserat, ..options });
    }
}

#[test]
fn ends_that_move_together_carry_the_rod_along() {
    // Rigid motion: the tip by Ad⁻¹ of the base's twist moves every section rigidly and changes no wrench.
    let test = TestRod::round();
    let mut random = Random(17);
    for _ in 0..30 {
        let tip = reachable_tip(&mut random, test.length);
        let shape = solve(&test.rod, &Ends::relative(tip).unwrap(), &Options::default()).unwrap();
        let Ok(jacobian) = shape.jacobian() else { continue };
        let rigid = tip.inverse().adjoint();
        let by = jacobian.wrench_on_base();
        let scale = by.tip.amax();
        assert!((by.base + by.tip * rigid).amax() < 1e-7 * scale);
        let by = jacobian.pose(0.6);
        let whole = by.base + by.tip * rigid;
        assert!((whole - shape.pose(0.6).inverse().adjoint()).amax() < 1e-7 * by.tip.amax().max(1.0));
    }
}

#[test]
fn a_polynomial_has_no_derivative() {
    let test = TestRod::round();
    let ends = Ends::relative(about(Vector3::new(0.0, 0.0, 1.08), Vector3::new(0.503, 0.271, 0.0))).unwrap();
    let shape = solve(&test.rod, &ends, &Options::with(Method::QUINTIC)).unwrap();
    assert!(matches!(shape.jacobian(), Err(ShapeError::NotAnEquilibrium { .. })));
}
