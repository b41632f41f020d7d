//! Every case under `cases/` as a test: it runs, and each of its figures is within its bar.

use lissome_cases::{Row, names, validate};

fn describe(row: &Row) -> String {
    let Row { quantity, expected, measured, error, tolerance, .. } = row;
    format!("{quantity}: expected {expected:e}, measured {measured:e}, error {error:e}, tolerance {tolerance:e}")
}

fn assert_case(name: &str) {
    let reports = validate(Some(name), &mut |_| {});
    let report = reports.iter().find(|report| report.case == name).expect("the case exists");
    assert!(!report.rows.is_empty(), "{name} asks nothing");
    let failed: Vec<String> = report.rows.iter().filter(|row| !row.pass).map(describe).collect();
    assert!(failed.is_empty(), "{name}:\n{}", failed.join("\n"));
}

macro_rules! case_tests {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            assert_case($name);
        })*

        #[test]
        fn every_case_has_a_test() {
            assert_eq!(names(), [$($name),*]);
        }
    };
}

case_tests! {
    agreement: "agreement",
    beck: "classic/beck",
    bend45: "classic/bend45",
    circle: "classic/circle",
    elastica: "classic/elastica",
    greenhill: "classic/greenhill",
    slender: "classic/slender",
    vibration: "classic/vibration",
    joints: "joints",
    moving_loops: "loops",
    objectivity: "objectivity",
    accuracy: "paper0/accuracy",
    cable: "paper0/cable",
    chiral: "paper0/chiral",
    convergence: "paper0/convergence",
    swing_energy: "paper0/energy",
    finger: "paper0/finger",
    newton: "paper0/newton",
    swing_period: "paper0/period",
    swing_start: "paper0/swing-start",
    linear_strain_order: "paper1/order",
    parallel: "paper1/parallel",
    shape_energy: "paper3/energy",
    shape_exact: "paper3/exact",
    shape_printed: "paper3/printed",
    shape_random: "paper3/random",
    random_motion: "random/motion",
}
