//! Random reachable ends: an equilibrium is found for all but the rarest, and every one of them stands up to a second
//! integration of the Kirchhoff equations that shares nothing with the first.
#![allow(clippy::unwrap_used)]

mod rods;

use lissome_lie::Pose;
use lissome_shape::{Ends, Options, ShapeError, solve, solve_batch};
use rods::{Random, TestRod, misfit, reachable_tip};

/// Solves `count` pairs of ends; returns how many were solved, named near a fold, and neither.
fn census(test: &TestRod, seed: u64, count: usize) -> (usize, usize, usize) {
    let mut random = Random(seed);
    let tips: Vec<Pose> = (0..count).map(|_| reachable_tip(&mut random, test.length)).collect();
    let ends: Vec<Ends> = tips.iter().map(|tip| Ends::relative(*tip).unwrap()).collect();
    let (mut solved, mut folds, mut missed) = (0, 0, 0);
    for (i, (answer, tip)) in solve_batch(&test.rod, &ends, &Options::default()).iter().zip(&tips).enumerate() {
        match answer {
            Ok(shape) => {
                solved += 1;
                assert!(shape.error().rotation < 1e-10, "{} {i}: {:?}", test.name, shape.error());
                assert!(misfit(&shape.pose(1.0), tip, test.length) < 1e-10);
                // A soft part under tension multiplies every error on the way: the second integration keeps 1e-13 a step.
                let bar = 1e-9_f64.max(1e-13 * shape.tip_sensitivity());
                let off = misfit(&test.integrate(&shape.wrench_on_base()), tip, test.length);
                assert!(off <= bar, "{} {i}: off by {off:e}, bar {bar:e}", test.name);
            }
            Err(ShapeError::NearFold { .. }) => folds += 1,
            Err(_) => missed += 1,
        }
    }
    (solved, folds, missed)
}

#[test]
fn two_thousand_round_rods() {
    let (solved, folds, missed) = census(&TestRod::round(), 2025, 2000);
    assert_eq!(solved + folds + missed, 2000);
    assert!(missed <= 10, "{solved} solved, {folds} near a fold, {missed} missed");
}

#[test]
fn other_rods() {
    for test in [TestRod::strip(), TestRod::tapered(), TestRod::stepped(), TestRod::curved()] {
        let (solved, folds, missed) = census(&test, 7, 200);
        assert!(missed <= 1, "{}: {solved} solved, {folds} near a fold, {missed} missed", test.name);
    }
}

#[test]
fn units_and_place_change_nothing() {
    // A millimetre rod and a kilometre rod, anywhere in the world: the same numbers of iterations, the same shape.
    let mut random = Random(11);
    for _ in 0..20 {
        let tip = reachable_tip(&mut random, 1.0);
        let shapes = [1e-3, 1.0, 1e3].map(|length: f64| {
            let radius = 1e-3 * length;
            let rod = lissome_shape::ElasticRod::round(length, radius, rods::fibreglass()).unwrap();
            let place = rods::about(random.vector(2.0), random.vector(10.0 * length));
            let ends = Ends::new(place, place * Pose::new(tip.rotation, tip.position * length)).unwrap();
            (solve(&rod, &ends, &Options::default()).unwrap(), place, length)
        });
        let relative = |i: usize, tau: f64| {
            let (shape, place, length) = &shapes[i];
            let pose = place.inverse() * shape.pose(tau);
            Pose::new(pose.rotation, pose.position / *length)
        };
        for i in [0, 2] {
            assert_eq!(shapes[i].0.iterations(), shapes[1].0.iterations());
            assert!(misfit(&relative(i, 0.4), &relative(1, 0.4), 1.0) < 1e-9);
        }
    }
}
