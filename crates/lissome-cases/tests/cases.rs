//! Every case under `cases/` as a test: it runs, and each of its figures is within its bar.
#![allow(clippy::unwrap_used)]

use lissome_cases::study::statics_battery::HISTOGRAM;
use lissome_cases::{Row, names, validate};
use std::path::Path;

/// Head of the histogram in the documents.
const TABLE_HEAD: &str = "| estimate over true error | share of the scenes |\n|---|---|\n";

fn describe(row: &Row) -> String {
    let Row { quantity, expected, measured, error, tolerance, .. } = row;
    format!("{quantity}: expected {expected:e}, measured {measured:e}, error {error:e}, tolerance {tolerance:e}")
}

fn assert_case(name: &str) {
    let reports = validate(Some(name), &mut |_| {});
    let report = reports.iter().find(|report| report.case == name).expect("the case exists");
    assert!(!report.rows.is_empty(), "{name} asks nothing");
    // Shown with `--nocapture`, and where the case fails.
    report.rows.iter().for_each(|row| println!("{name}: {}", describe(row)));
    check_histogram(&report.rows);
    let failed: Vec<String> = report.rows.iter().filter(|row| !row.pass).map(describe).collect();
    assert!(failed.is_empty(), "{name}:\n{}", failed.join("\n"));
}

/// The histogram of a battery stands in the documents, word for word; `LISSOME_WRITE_TABLES` writes it anew.
fn check_histogram(rows: &[Row]) {
    let bins = rows.iter().filter_map(|row| Some((row.quantity.strip_prefix(HISTOGRAM)?, row.measured)));
    let lines: Vec<String> = bins.map(|(bin, share)| format!("| {bin} | {:.1} % |\n", 100.0 * share)).collect();
    if lines.is_empty() {
        return;
    }
    let found = format!("{TABLE_HEAD}{}", lines.concat());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/how-to/trust-an-answer.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let start = page.find(TABLE_HEAD).expect("the page has the histogram");
    let end = start + page[start..].find("\n\n").expect("text follows the histogram") + 1;
    if page[start..end] == found {
        return;
    }
    if std::env::var_os("LISSOME_WRITE_TABLES").is_some() {
        std::fs::write(&path, format!("{}{found}{}", &page[..start], &page[end..])).unwrap();
        return;
    }
    panic!("{} says\n{}\nbut\n{found}\nset LISSOME_WRITE_TABLES to write it", path.display(), &page[start..end]);
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
    arch: "classic/arch",
    beck: "classic/beck",
    bend45: "classic/bend45",
    buckling: "classic/buckling",
    circle: "classic/circle",
    columns: "classic/columns",
    derivatives: "classic/derivatives",
    elastica: "classic/elastica",
    elbow: "classic/elbow",
    frame: "classic/frame",
    greenhill: "classic/greenhill",
    helices: "classic/helix",
    linkages: "classic/linkages",
    ring: "classic/ring",
    slender: "classic/slender",
    snap: "classic/snap",
    spaghetti: "classic/spaghetti",
    spin_up: "classic/spinup",
    vibration: "classic/vibration",
    writhe: "classic/writhe",
    capstan: "contact/capstan",
    dropped_rod: "contact/drop",
    impact: "contact/impact",
    incline: "contact/incline",
    knot: "contact/knot",
    random_contacts: "contact/random",
    trefoil: "contact/trefoil",
    inverse: "inverse",
    joints: "joints",
    moving_loops: "loops",
    objectivity: "objectivity",
    optimise: "optimise",
    accuracy: "paper0/accuracy",
    cable: "paper0/cable",
    chiral: "paper0/chiral",
    convergence: "paper0/convergence",
    swing_energy: "paper0/energy",
    finger: "paper0/finger",
    newton: "paper0/newton",
    swing_period: "paper0/period",
    paper_snap: "paper0/snap",
    swing_start: "paper0/swing-start",
    paper_tubes: "paper0/tubes",
    identification: "paper1/identification",
    linear_strain_order: "paper1/order",
    parallel: "paper1/parallel",
    tendons_a: "paper2/A",
    tendons_b: "paper2/B",
    tendons_c: "paper2/C",
    tendons_d: "paper2/D",
    tendons_e: "paper2/E",
    tendon_jump: "paper2/jump",
    tendon_table: "paper2/table3",
    shape_energy: "paper3/energy",
    shape_exact: "paper3/exact",
    shape_printed: "paper3/printed",
    shape_random: "paper3/random",
    contact_bilateral: "paper4/bilateral",
    contact_crossed: "paper4/crossed",
    contact_droop: "paper4/droop",
    contact_heavy: "paper4/heavy",
    contact_insertion: "paper4/insertion",
    observer: "paper4/observer",
    contact_press: "paper4/press",
    contact_smoothing: "paper4/smoothing",
    contact_thrown: "paper4/thrown",
    contact_twist: "paper4/twist",
    random_motion: "random/motion",
    random_statics: "random/statics",
    random_tendons: "random/tendons",
    strain_bases: "rods/strain-bases",
    tendon_disks: "tendons/discs",
    tendon_friction: "tendons/friction",
    tendon_lengths: "tendons/length",
    tube_border: "tubes/fold-curve",
    tube_insertion: "tubes/insertion",
    tube_limits: "tubes/limits",
    tube_oracle: "tubes/oracle",
}
