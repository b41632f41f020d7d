//! Limits, least effort and targets out of reach: each against a second method.

use crate::robots::{Random, carrier, goals, load, pose_of, tendon_arm, under};
use lissome::inverse::{Seeker, place_at};
use lissome::lie::{Pose, Rotation};
use lissome::solve::inverse::{End, Found, Goal, Posture, Quantity};
use lissome::{Answer, Unobserved};
use nalgebra::{DMatrix, DVector, Vector3};

fn seeker() -> Seeker {
    Seeker::of(&tendon_arm()).unwrap().unwrap()
}

/// Only the place of the tip: three numbers for six tensions.
fn place_goal(seeker: &Seeker, target: Vector3<f64>) -> [Goal; 1] {
    let place = place_at(carrier(&seeker.posture().system));
    let length = seeker.posture().system.scales().length;
    [Goal { quantity: Quantity::Position { place, target, axes: [true; 3] }, weight: 1.0 / length }]
}

fn drives(seeker: &Seeker, found: &Found) -> Vec<f64> {
    seeker.unknowns().iter().map(|own| found.posture.inputs.get(own.input)).collect()
}

/// Where the tip is under drives, from an equilibrium near it: no code of the search.
fn tip(seeker: &mut Seeker, near: &Posture, drives: &[f64]) -> Pose {
    let before = seeker.posture().clone();
    seeker.stand(near.clone());
    let there = under(seeker, drives).expect("a small change leads nowhere else");
    seeker.stand(before);
    pose_of(&there)
}

/// Derivatives of the tip's place by the drives in their units, by central differences.
fn differenced(seeker: &mut Seeker, found: &Found) -> DMatrix<f64> {
    let at = drives(seeker, found);
    let units: Vec<f64> = seeker.unknowns().iter().map(|own| own.unit).collect();
    let length = found.posture.system.scales().length;
    let mut jacobian = DMatrix::zeros(3, at.len());
    for j in 0..at.len() {
        let h = 1e-4 * units[j];
        let side = |by: f64, seeker: &mut Seeker| {
            let mut moved = at.clone();
            moved[j] += by;
            tip(seeker, &found.posture, &moved).position
        };
        let base = at[j] - h >= 0.0;
        let slope = match base {
            true => (side(h, seeker) - side(-h, seeker)) / (2.0 * h),
            // At a lower limit of zero there is no tension below: forward, of second order.
            false => (side(h, seeker) * 4.0 - side(2.0 * h, seeker) - side(0.0, seeker) * 3.0) / (2.0 * h),
        };
        jacobian.set_column(j, &(slope * units[j] / length));
    }
    jacobian
}

#[test]
fn derivatives_of_the_gaps_are_those_of_equilibria() {
    let mut seeker = seeker();
    let goals = place_goal(&seeker, Vector3::new(0.04, -0.03, 0.22));
    let found = seeker.reach(&goals, &mut |_| true);
    assert_eq!(found.end, End::Met);
    let finite = differenced(&mut seeker, &found);
    let error = (&found.jacobian - &finite).amax() / finite.amax();
    // Differences err by the square of their step, 1e-8, times the third derivative.
    assert!(error < 1e-5, "{error:e}");
}

#[test]
fn of_all_tensions_that_reach_a_place_those_of_least_effort_are_found() {
    let mut seeker = seeker();
    for target in [Vector3::new(0.04, -0.03, 0.22), Vector3::new(-0.08, 0.02, 0.2), Vector3::new(0.0, 0.11, 0.17)] {
        let goals = place_goal(&seeker, target);
        let found = seeker.reach(&goals, &mut |_| true);
        assert!(found.end == End::Met && found.distance < 1e-8, "{:?} {:e}", found.end, found.distance);
        // Karush, Kuhn and Tucker: x = Jᵀλ of what is free, and what is held at zero would like to be below. J is not the search's.
        let jacobian = differenced(&mut seeker, &found);
        let x: Vec<f64> =
            seeker.unknowns().iter().map(|own| (found.posture.inputs.get(own.input) - own.rest) / own.unit).collect();
        let free: Vec<usize> = (0..x.len()).filter(|j| found.at_limit[*j] == 0).collect();
        let of_free = jacobian.select_columns(&free).transpose();
        let wanted = DVector::from_iterator(free.len(), free.iter().map(|j| x[*j]));
        let lambda = of_free.clone().svd(true, true).solve(&wanted, 1e-12).unwrap();
        let left = (&of_free * &lambda - &wanted).amax();
        assert!(left < 1e-4 * wanted.amax(), "{target}: {left:e} of {:e}", wanted.amax());
        for j in (0..x.len()).filter(|j| found.at_limit[*j] < 0) {
            let pull = x[j] - jacobian.column(j).dot(&lambda.column(0));
            assert!(pull > -1e-4 * wanted.amax(), "{target}: drive {j} is held and would rather be free");
        }
    }
}

/// Weighted distance of the tip's pose from a target, from equilibria alone.
fn distance(pose: &Pose, target: &Pose, length: f64) -> f64 {
    let turn = (target.rotation.inverse() * pose.rotation).log();
    ((pose.position - target.position).norm_squared() / (length * length) + turn.norm_squared()).sqrt()
}

#[test]
fn no_drives_nearby_are_nearer_to_a_target_out_of_reach() {
    let mut seeker = seeker();
    let length = seeker.posture().system.scales().length;
    let mut random = Random(3);
    for _ in 0..2 {
        // Farther than the arm is long, or turned as it cannot.
        let direction = Vector3::new(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(0.2, 1.0));
        let turn = Vector3::new(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
        let rest = pose_of(seeker.posture());
        let target =
            Pose::new(rest.rotation * Rotation::exp(&turn), direction.normalize() * random.uniform(0.25, 0.35));
        let goals = goals(&seeker, &target);
        let found = seeker.reach(&goals, &mut |_| true);
        assert!(found.end == End::Nearest && found.distance > 1e-3, "{:?} {:e}", found.end, found.distance);
        let best = distance(&pose_of(&found.posture), &target, length);
        // A pattern search that knows no derivative, between the limits, from there.
        let (mut at, limits) = (drives(&seeker, &found), (0.0, 15.0));
        let (mut step, mut least) = (0.3, best);
        while step > 1e-2 {
            let mut gained = false;
            for j in 0..at.len() {
                for by in [step, -step] {
                    let mut moved = at.clone();
                    moved[j] = (moved[j] + by).clamp(limits.0, limits.1);
                    let there = distance(&tip(&mut seeker, &found.posture, &moved), &target, length);
                    if there < least - 1e-13 {
                        (at, least, gained) = (moved, there, true);
                    }
                }
            }
            if !gained {
                step *= 0.3;
            }
        }
        assert!(least > best * (1.0 - 1e-6), "{best} could be {least}");
    }
}

#[test]
fn a_circle_is_followed_and_tensions_that_do_not_matter_are_told() {
    let scene = load(lissome::templates::find("drawing-arm").unwrap().text);
    let Answer::Path(answer) = lissome::run(&scene, &mut Unobserved).unwrap() else { panic!("an inverse job") };
    assert_eq!(answer.samples.len(), 25);
    for sample in &answer.samples {
        let sought = sample.sought.as_ref().unwrap();
        assert_eq!(sought.end, End::Met);
        let angle = std::f64::consts::TAU * sample.at;
        let wanted = Vector3::new(0.06 * angle.cos(), 0.06 * angle.sin(), 0.225);
        assert!((sample.equilibrium.rods[0].tip.position - wanted).norm() < 1e-9, "{}", sample.at);
        assert!(sample.drives.iter().all(|tension| (0.0..=12.0).contains(tension)));
    }
}
