//! Networks against the robots of the papers.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation};
use lissome_reference::network::robots::{
    CHIRAL_ROD, PLATFORM, cable_arm, chiral_column, finger, finger_strip, motor_angles, six_rod_robot,
};
use lissome_reference::network::{CableDrive, Network, NetworkSolution, solve, solve_from};
use nalgebra::Vector3;
use std::f64::consts::FRAC_PI_2;

/// Position in mm and quaternion (w, x, y, z) of the platform from an independent 42-unknown shooting of the same robot,
/// samples 1 to 6 unloaded.
const UNLOADED: [([f64; 3], [f64; 4]); 6] = [
    ([0.0, 0.0, 200.0], [1.0, 0.0, 0.0, 0.0]),
    (
        [1.8766846020543335, -13.670320437213796, 198.23405484574315],
        [0.9999340601063665, -0.011273347216495255, 0.00043923262204381675, 0.0021433983385407453],
    ),
    (
        [-7.2966256676900985, -8.636608510782239, 198.3592508103537],
        [0.9999263044614948, -0.010170113411780202, 0.006621068210804588, 0.0003404334261473541],
    ),
    (
        [-13.646636119565892, -3.2951056544037076, 198.22217752259226],
        [0.9999298571719536, -0.0032935590668830266, 0.011233680313236034, -0.001799341926809321],
    ),
    (
        [-13.646636119566095, 3.295105654403879, 198.22217752259223],
        [0.9999298571719536, 0.003293559066882076, 0.011233680313235404, 0.0017993419268095983],
    ),
    (
        [-7.2966256676901375, 8.636608510782269, 198.35925081035373],
        [0.9999263044614948, 0.010170113411780014, 0.006621068210804291, -0.00034043342614718146],
    ),
];

/// The same for samples 1 to 4 with 0.5 N over the pulley.
const LOADED: [([f64; 3], [f64; 4]); 4] = [
    ([13.334773590755225, 0.0, 199.47446141358805], [0.9999999990008913, 0.0, 4.470142748461344e-05, 0.0]),
    (
        [14.964117800790321, -7.640117012784871, 198.05243098652403],
        [0.9999352136539464, -0.010544238730406726, 0.0035525366724614535, -0.0024014594777966368],
    ),
    (
        [9.171103302364871, -5.163347968335267, 198.41167962337644],
        [0.9999231374221189, -0.008287885486054948, 0.00920776761636667, -0.000497209814415171],
    ),
    (
        [6.340895231386563, -2.1247518488089656, 198.54046294414923],
        [0.9998755840902096, -0.001883823321741704, 0.015622171466477682, 0.001102410371494335],
    ),
];

/// The reference closes its equations to 5e-12; rods a thousand times stiffer along than across carry some ten times
/// that to the platform's 200 mm.
const REFERENCE_MM: f64 = 1e-8;
const REFERENCE_TURN: f64 = 1e-9;

fn samples(pull: f64) -> Vec<Pose> {
    let mut previous: Option<NetworkSolution> = None;
    (1..=11)
        .map(|sample| {
            let robot = six_rod_robot(motor_angles(sample), pull);
            let solved = match &previous {
                Some(start) => solve_from(&robot, start).unwrap(),
                None => solve(&robot).unwrap(),
            };
            let pose = solved.body_pose(PLATFORM);
            previous = Some(solved);
            pose
        })
        .collect()
}

fn assert_reference(found: &Pose, (mm, quaternion): &([f64; 3], [f64; 4])) {
    for i in 0..3 {
        assert!((found.position[i] * 1e3 - mm[i]).abs() < REFERENCE_MM, "{:?} {mm:?}", found.position);
    }
    for (x, y) in found.rotation.quat_wxyz().iter().zip(quaternion) {
        assert!((x - y).abs() < REFERENCE_TURN, "{:?} {quaternion:?}", found.rotation.quat_wxyz());
    }
}

/// Samples at phases φ and π − φ swap motors 2 and 3, which mirrors robot and pulley at the plane y = 0.
fn assert_mirrored(samples: &[Pose]) {
    for (i, j) in [(2, 7), (3, 6), (4, 5), (8, 11), (9, 10)] {
        let (a, b) = (samples[i - 1], samples[j - 1]);
        let mirrored = Vector3::new(a.position.x, -a.position.y, a.position.z);
        assert!((mirrored - b.position).amax() * 1e3 < REFERENCE_MM, "{i} {j}");
        let ([w, x, y, z], q) = (a.rotation.quat_wxyz(), b.rotation.quat_wxyz());
        for (expected, found) in [w, -x, y, -z].iter().zip(q) {
            assert!((expected - found).abs() < REFERENCE_TURN, "{i} {j}");
        }
    }
}

#[test]
fn six_rod_robot_unloaded() {
    let found = samples(0.0);
    found.iter().zip(&UNLOADED).for_each(|(pose, reference)| assert_reference(pose, reference));
    assert_mirrored(&found);
}

#[test]
fn six_rod_robot_over_the_pulley() {
    let found = samples(0.5);
    found.iter().zip(&LOADED).for_each(|(pose, reference)| assert_reference(pose, reference));
    assert_mirrored(&found);
}

#[test]
fn the_path_to_a_sample_does_not_matter() {
    for sample in 2..=4 {
        let from_rest = solve(&six_rod_robot(motor_angles(sample), 0.5)).unwrap();
        assert_reference(&from_rest.body_pose(PLATFORM), &LOADED[sample - 1]);
        assert_eq!(from_rest.bifurcations_crossed, 0);
    }
}

fn tip(solved: &NetworkSolution) -> (f64, f64, f64) {
    let last = solved.body_pose(9);
    let r = last.rotation.matrix();
    (last.position.x, last.position.z, r[(2, 0)].atan2(r[(0, 0)]))
}

#[test]
fn cable_arm_of_section_8_1() {
    // x, z (m) and angle (rad); 5 N and 20 N from an independent shooting, printed to 1e-10. 10 N is this oracle's own.
    for (tension, expected) in [
        (5.0, (0.9615242471, 0.1943051927, 0.7061046698)),
        (10.0, (0.8572393821, 0.3567440282, 1.4260951885)),
        (20.0, (0.5561725656, 0.4991199425, 2.8702343922)),
    ] {
        let solved = solve(&cable_arm(tension)).unwrap();
        let found = tip(&solved);
        assert!((found.0 - expected.0).abs() < 1e-10, "{tension} {found:?}");
        assert!((found.1 - expected.1).abs() < 1e-10, "{tension} {found:?}");
        assert!((found.2 - expected.2).abs() < 1e-10, "{tension} {found:?}");
        // It stays in its plane.
        assert!(solved.body_pose(9).position.y.abs() < 1e-12);
    }
}

/// Total potential of a network whose only load is the tension of its cable.
fn potential(solved: &NetworkSolution) -> f64 {
    solved.elastic_energy() + solved.cable_tension(0) * solved.cable_length(0)
}

/// At equilibrium the potential is stationary in everything but the tension T, so that dV/dT is the cable's length.
fn assert_virtual_work(robot: impl Fn(f64) -> Network, tension: f64) {
    let here = solve(&robot(tension)).unwrap();
    // Fourth-order differences: (h/T)⁴/30 of V.
    let h = 0.02 * tension;
    let at = |k: f64| potential(&solve_from(&robot(tension + k * h), &here).unwrap());
    let rate = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
    assert!((rate - here.cable_length(0)).abs() < 1e-8 * here.cable_length(0), "{rate} {}", here.cable_length(0));
}

#[test]
fn the_cable_does_its_work_on_the_arm() {
    assert_virtual_work(cable_arm, 10.0);
}

#[test]
fn the_cable_does_its_work_on_the_finger() {
    assert_virtual_work(|tension| finger(tension, [12.0, -8.0]), 3.3);
}

#[test]
fn a_cable_of_the_length_that_a_tension_gives_has_that_tension() {
    let by_tension = solve(&cable_arm(10.0)).unwrap();
    let mut robot = cable_arm(0.0);
    robot.cables[0].drive = CableDrive::Length(by_tension.cable_length(0));
    let by_length = solve(&robot).unwrap();
    assert!((by_length.cable_tension(0) - 10.0).abs() < 1e-9);
    assert!((by_length.body_pose(9).position - by_tension.body_pose(9).position).amax() < 1e-11);
}

#[test]
fn a_finger_without_tension_has_its_natural_shape() {
    for curvatures in [[0.0, 0.0], [12.0, -8.0], [30.0, 20.0]] {
        let robot = finger(0.0, curvatures);
        let solved = solve(&robot).unwrap();
        for (k, body) in robot.bodies.iter().enumerate() {
            assert!((solved.body_pose(k).position - body.start.position).amax() < 1e-14);
            assert!((solved.body_pose(k).rotation.matrix() - body.start.rotation.matrix()).amax() < 1e-13);
        }
        assert!(solved.elastic_energy().abs() < 1e-20);
    }
}

#[test]
fn each_joint_of_a_finger_has_the_stiffness_of_its_strip() {
    // A strip under the constant moment T d turns by T d L/EI; the cable leaves that line by the turn itself.
    let tension = 1e-2;
    let expected = tension * 0.01 * 0.02 / finger_strip().stiffness[(1, 1)];
    let solved = solve(&finger(tension, [0.0, 0.0])).unwrap();
    let turn = |k: usize| solved.body_pose(k).rotation.log().y;
    assert!((turn(0) / expected - 1.0).abs() < 1e-3, "{} {expected}", turn(0));
    assert!((turn(1) / turn(0) - 2.0).abs() < 1e-3);
    assert!(solved.body_pose(1).position.z < 0.0);
}

#[test]
fn natural_shapes_make_different_fingertip_paths() {
    let tips: Vec<_> = [[0.0, 0.0], [20.0, 0.0], [0.0, 20.0], [20.0, 20.0]]
        .into_iter()
        .map(|curvatures| {
            let solved = solve(&finger(3.3, curvatures)).unwrap();
            assert!(solved.residual < 1e-11);
            solved.body_pose(1).position
        })
        .collect();
    for i in 0..4 {
        for j in 0..i {
            assert!((tips[i] - tips[j]).norm() > 1e-3, "{i} {j}");
        }
    }
}

#[test]
fn a_chiral_column_without_torque_is_compressed_straight() {
    // Four rods of EA share the load: a straight rod shortens by P L/EA exactly.
    let (circle, push) = (0.3, 5.0);
    let column = chiral_column(circle, 0.0, push);
    let solved = solve(&column).unwrap();
    let axial = (column.rods[0].section)(0.0).stiffness[(3, 3)];
    for (k, storeys) in [(0, 1.0), (1, 2.0)] {
        let found = solved.body_pose(k).position;
        let expected = storeys * CHIRAL_ROD * (1.0 - 0.25 * push / axial);
        assert!((found - Vector3::z() * expected).amax() < 1e-12, "{found}");
    }
}

#[test]
fn a_chiral_column_keeps_its_four_fold_symmetry_and_softens_with_its_torque() {
    let height = |torque: f64, push: f64| {
        let solved = solve(&chiral_column(0.3, torque, push)).unwrap();
        let quarter = Rotation::exp(&(Vector3::z() * FRAC_PI_2));
        for (a, b) in [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7)] {
            for s in [0.2, 0.5] {
                let (p, q) = (solved.rod_pose(a, s).position, solved.rod_pose(b, s).position);
                assert!((quarter.rotate(&p) - q).amax() < 1e-10, "{a} {b}");
            }
        }
        assert!(solved.body_pose(0).rotation.log().z * torque > 0.0);
        solved.body_pose(1).position.z
    };
    // Shortening under the same push, from the twisted state.
    let shortening = [0.1, 0.5, 1.0, 2.0].map(|torque| height(torque, 0.0) - height(torque, 4.0));
    assert!(shortening.windows(2).all(|w| w[1] > w[0]), "{shortening:?}");
}
