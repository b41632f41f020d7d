//! Following moving ends: warm starts give the same shapes as cold ones, and a fold is found where it is.
#![allow(clippy::unwrap_used)]

mod rods;

use lissome_shape::{Ends, Followed, Follower, Options, ShapeError, solve};
use nalgebra::Vector3;
use rods::{TestRod, about, misfit};

#[test]
fn a_smooth_trajectory_is_followed_to_the_same_shapes() {
    let test = TestRod::round();
    let ends = |t: f64| {
        let turn = Vector3::new(0.3 * t, 1.3 * t, 0.5 * (2.0 * t).sin());
        let place = about(Vector3::new(0.0, 0.2 * t, t), Vector3::new(t, 0.0, 0.0));
        Ends::new(place, place * about(turn, Vector3::new(0.55 - 0.1 * t, 0.1 * t, -0.25 * t))).unwrap()
    };
    let mut follower = Follower::start(&test.rod, &ends(0.1), &Options::default()).unwrap();
    let mut steps_in_all = 0;
    for i in 1..=40 {
        let t = 0.1 + 0.9 * i as f64 / 40.0;
        let Followed::Shape { shape, steps } = follower.advance(&ends(t)).unwrap() else { panic!("fold at {t}") };
        steps_in_all += steps;
        let cold = solve(&test.rod, &ends(t), &Options::default()).unwrap();
        assert!((shape.energy / cold.energy - 1.0).abs() < 1e-9, "{t}");
        assert!(misfit(&shape.pose(0.5), &cold.pose(0.5), 0.6) < 1e-9);
    }
    assert!(steps_in_all <= 60, "{steps_in_all} steps for 40 moves");
}

#[test]
fn an_arch_turned_at_its_ends_snaps() {
    // A strip pushed together arches to one side. Both ends are then turned about y to send it to the other side: the
    // symmetric path would end in a bifurcation, the skew one in a fold; either way the arch is lost before the ends
    // have turned as far as the mirrored arch would have them.
    let test = TestRod::strip();
    let length = test.length;
    let ends = |angle: f64| {
        let place = about(Vector3::new(0.0, angle, 0.0), Vector3::zeros());
        let tip = about(Vector3::new(0.0, -0.8 * angle, 0.0), Vector3::new(0.9 * length, 0.0, 0.0));
        Ends::new(place, tip).unwrap()
    };
    let start = solve(&test.rod, &ends(0.0), &Options::default()).unwrap();
    let side = start.pose(0.5).position.z.signum();
    let mut follower = Follower::start(&test.rod, &ends(0.0), &Options::default()).unwrap();
    let mut fold = None;
    for i in 1..=100 {
        // Turn the ends against the arch.
        let angle = side * 2.0 * i as f64 / 100.0;
        if let Followed::Fold(found) = follower.advance(&ends(angle)).unwrap() {
            fold = Some(*found);
            break;
        }
    }
    let fold = fold.expect("the arch cannot follow");
    assert!((0.0..1.0).contains(&fold.fraction));
    let stability = fold.shape.stability();
    let margin = stability.fold_margin.unwrap();
    assert!(margin.abs() < 0.02, "the last shape is at the fold: {stability:?}");
    // The rod that snaps ends lower than the branch it leaves.
    let beyond = solve(&test.rod, &fold.ends, &Options::default()).unwrap();
    assert!(beyond.energy < fold.shape.energy);
}

#[test]
fn ends_pulled_too_far_apart_are_refused_and_the_rod_stays() {
    let test = TestRod::round();
    let near = Ends::relative(about(Vector3::new(0.0, 0.0, 0.5), Vector3::new(0.5, 0.1, 0.0))).unwrap();
    let far = Ends::relative(about(Vector3::new(0.0, 0.0, 0.5), Vector3::new(0.7, 0.1, 0.0))).unwrap();
    let mut follower = Follower::start(&test.rod, &near, &Options::default()).unwrap();
    assert!(matches!(follower.advance(&far), Err(ShapeError::TooFarApart { .. })));
    assert_eq!(follower.ends(), &near);
    assert!(matches!(follower.advance(&near), Ok(Followed::Shape { .. })));
}
