//! Poses at random within reach.

use crate::robots::{SIX_RODS, TENDONS, TUBES, Tally, battery, six_rods, tendon_arm, tubes};
use lissome::inverse::Seeker;
use lissome::model::Scene;

fn run(scene: &Scene, ranges: &[(f64, f64)]) -> Tally {
    let seeker = Seeker::of(scene).unwrap().unwrap();
    let count = std::env::var("N").map_or(20, |n| n.parse().unwrap());
    let tally = battery(&seeker, count, ranges);
    for (k, (drives, found)) in tally.found.iter().enumerate() {
        if found.distance > 1e-8 || found.iterations > 40 {
            let u: Vec<String> = seeker.unknowns().iter().zip(drives).map(|(o, t)| format!("{:.4}/{t:.4}", found.posture.inputs.get(o.input))).collect();
            println!("{k}: {:?} {:.1e} {} {u:?}", found.end, found.distance, found.iterations);
        }
    }
    println!("{}: met {} of {}, median {} rounds, {:.1} ms", scene.title, tally.met(), count, tally.median_rounds(), tally.seconds * 1e3 / count as f64);
    tally
}

#[test]
fn platform_poses() { run(&six_rods(), &SIX_RODS); }
#[test]
fn arm_poses() { run(&tendon_arm(), &TENDONS); }
#[test]
fn tube_poses() { run(&tubes(), &TUBES); }
