//! Rods that are given by their stiffness.

use super::{loaded, refused, run};

const GIVEN: &str = r#"
schema = 1
[rod.arm]
length  = "1 m"
section = { stiffness = [1, 1, 1, 1e4, 1e4, 1e4] }
base    = { fixed_to = "world" }
[load.tip]
rod   = "arm"
at    = "tip"
force = [0, 0, 0.5]
"#;

#[test]
fn statics_need_no_radius_and_no_mass() {
    let answer = run(&loaded(GIVEN, &[]));
    assert!(answer.succeeded());
}

#[test]
fn what_a_job_needs_is_asked_for_by_name() {
    let gravity = refused(GIVEN, &["world.gravity=[0, 0, -9.81]"]);
    assert!(gravity.contains("mass_per_length"), "{gravity}");
    let light = refused(GIVEN, &["job.kind=modes"]);
    assert!(light.contains("mass_per_length"), "{light}");
    let unspread = refused(GIVEN, &["job.kind=modes", "rod.arm.section.mass_per_length=0.1"]);
    assert!(unspread.contains("rotary_inertia"), "{unspread}");
    let given =
        ["job.kind=modes", "rod.arm.section.mass_per_length=0.1", "rod.arm.section.rotary_inertia=[2e-6, 1e-6, 1e-6]"];
    assert!(run(&loaded(GIVEN, &given)).succeeded());
    let radius = ["job.kind=modes", "rod.arm.section.mass_per_length=0.1", "rod.arm.section.radius=6e-3"];
    assert!(run(&loaded(GIVEN, &radius)).succeeded());
    assert!(refused(GIVEN, &["rod.arm.section.rotary_inertia=[1, 0, 1]"]).contains("positive"));
}

#[test]
fn a_stated_inertia_replaces_that_of_the_disc() {
    let settings = ["rod.arm.section.mass_per_length=0.1", "rod.arm.section.rotary_inertia=[2e-6, 1e-6, 3e-6]"];
    let mass = loaded(GIVEN, &settings).scene.rods[0].profile.at(0.5).mass();
    assert_eq!([mass[(0, 0)], mass[(1, 1)], mass[(2, 2)], mass[(3, 3)]], [2e-6, 1e-6, 3e-6, 0.1]);
}

#[test]
fn drawn_as_a_disc_of_the_same_ratio_of_stiffnesses() {
    let radius = loaded(GIVEN, &[]).scene.rods[0].profile.at(0.5).outer_radius();
    // r² = 4 EI/EA.
    assert!((radius - 0.02).abs() < 1e-15);
}
