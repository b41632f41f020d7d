//! Poses at random within reach: found from the neutral pose, and equilibria indeed.

use crate::robots::{SIX_RODS, TENDONS, TUBES, battery, pose_of, six_rods, tendon_arm, tubes, under};
use lissome::inverse::Seeker;
use lissome::model::Scene;
use lissome::solve::inverse::End;

/// Poses of each robot; the validation case has more.
const COUNT: usize = 12;
/// Gaps of a pose that is found, in lengths of the robot and rad.
const SOLVED: f64 = 1e-8;

fn check(scene: &Scene, ranges: &[(f64, f64)]) {
    let mut seeker = Seeker::of(scene).unwrap().unwrap();
    let tally = battery(&mut seeker, COUNT, ranges);
    assert_eq!(tally.met(), COUNT, "{}", scene.title);
    for (drives, found) in &tally.found {
        assert_eq!(found.end, End::Met);
        assert!(found.distance < SOLVED && found.negative == Some(0), "{}", scene.title);
        let wanted = under(&seeker, drives).unwrap();
        let own: Vec<f64> = seeker.unknowns().iter().map(|own| found.posture.inputs.get(own.input)).collect();
        // The drives that were found, taken up again from the neutral pose: where nothing happens on the way, the robot is there.
        let Some(again) = under(&seeker, &own) else { continue };
        let gap = pose_of(&again).boxminus(&pose_of(&found.posture));
        if gap.angular.norm() < 1e-3 {
            let gap = pose_of(&again).boxminus(&pose_of(&wanted));
            assert!(gap.angular.norm() < 1e-6 && gap.linear.norm() < 1e-6, "{}: {gap:?}", scene.title);
        }
    }
}

#[test]
fn poses_of_a_platform_on_six_rods() {
    check(&six_rods(), &SIX_RODS);
}

#[test]
fn poses_of_an_arm_with_six_tendons() {
    check(&tendon_arm(), &TENDONS);
}

#[test]
fn poses_of_three_tubes_that_are_turned_and_pushed() {
    check(&tubes(), &TUBES);
}
