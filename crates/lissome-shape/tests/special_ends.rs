//! Ends at which something is singular: parallel, coaxial, half a turn apart, closed, nearly taut, turned back.
#![allow(clippy::unwrap_used)]

mod rods;

use lissome_shape::{Ends, Method, Options, solve};
use nalgebra::Vector3;
use rods::{TestRod, about, misfit};
use std::f64::consts::PI;

/// Rotation vector and position (m) of the tip of a rod of 0.6 m.
const ENDS: [(&str, [f64; 3], [f64; 3]); 19] = [
    ("plane", [0.0, 0.0, 2.4], [0.2, 0.38, 0.0]),
    ("an S", [0.0, 0.0, 0.0], [0.4, 0.25, 0.0]),
    ("coaxial", [0.0, 0.0, 0.0], [0.42, 0.0, 0.0]),
    ("coaxial, hardly buckled", [0.0, 0.0, 0.0], [0.57, 0.0, 0.0]),
    ("coaxial and twisted", [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]),
    ("coaxial and much twisted", [2.5, 0.0, 0.0], [0.45, 0.0, 0.0]),
    ("nearly coaxial", [0.0, 1e-6, 0.0], [0.42, 1e-7, 0.0]),
    ("less nearly coaxial", [0.0, 1e-4, 0.0], [0.42, 1e-5, 0.0]),
    ("parallel", [0.0, 0.0, 0.0], [0.5, 0.1, 0.05]),
    ("just below half a turn", [0.0, 0.0, PI - 1e-7], [0.0, 0.3, 0.0]),
    ("half a turn", [0.0, 0.0, PI], [0.0, 0.3, 0.0]),
    ("nearly closed", [0.0, 0.0, 0.0], [0.05, 0.0, 0.0]),
    ("closed", [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    ("nearly taut", [0.0, 0.0, 1.0], [0.57, 0.05, 0.0]),
    ("in space", [2.0, 2.0, -1.5], [-0.1, 0.2, 0.3]),
    ("turned back", [0.0, 0.0, 3.0], [-0.3, 0.1, 0.0]),
    ("behind the base", [0.0, 0.0, 0.0], [-0.3, 0.1, 0.0]),
    ("behind the base, coaxial", [0.0, 0.0, 0.0], [-0.3, 0.0, 0.0]),
    ("nearly straight", [0.0, 0.0, 1e-3], [0.5999998, 3e-4, 0.0]),
];

#[test]
fn all_are_solved_in_ten_iterations_and_stand_up_to_the_oracle() {
    let test = TestRod::round();
    for (name, turn, tip) in ENDS {
        let ends = Ends::relative(about(turn.into(), tip.into())).unwrap();
        let shape = solve(&test.rod, &ends, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(shape.iterations() <= 10, "{name}: {} iterations", shape.iterations());
        let off = misfit(&test.integrate(&shape.wrench_on_base()), &ends.base_from_tip(), test.length);
        assert!(off < 1e-9, "{name}: off by {off:e}");
        let quintic =
            solve(&test.rod, &ends, &Options::with(Method::QUINTIC)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(misfit(&quintic.pose(1.0), &ends.tip, test.length) < 1e-9, "{name}");
    }
}

#[test]
fn a_rod_too_taut_to_be_integrated_from_one_end_is_still_solved() {
    // Tension 1e4 in units of B/L²: errors grow by e^100 along the rod, so no integration from the base arrives. The
    // shape itself is well determined: halves joined from both ends must meet.
    let test = TestRod::round();
    let ends = Ends::relative(about(Vector3::new(0.0, 0.5, 1.0), Vector3::new(0.597, 0.01, 0.0))).unwrap();
    let shape = solve(&test.rod, &ends, &Options::default()).unwrap();
    assert!(shape.tip_sensitivity() > 1e20);
    assert!(misfit(&shape.pose(1.0), &ends.tip, test.length) < 1e-10);
    assert!(shape.error().position < 1e-11);
    // Equilibrium along the rod: K κ is the moment that the force and the base's moment leave, by differences of poses.
    let stiffness = Vector3::new(0.004712388980384691, 0.027488935718910694, 0.027488935718910694);
    let h = 1e-5;
    for tau in [0.01, 0.1, 0.5, 0.9, 0.99] {
        let turn = shape.pose(tau + h).boxminus(&shape.pose(tau - h)).angular / (2.0 * h * test.length);
        let moment = stiffness.component_mul(&turn);
        let gap = (moment - shape.wrench(tau).moment).norm();
        assert!(gap < 1e-5 * shape.wrench(0.0).moment.norm(), "{tau}: {gap:e}");
    }
}
