//! Cables: by tension and by length the same, slack that carries nothing, dV/dT = length.

use crate::bench::*;
use lissome_model::*;
use nalgebra::Vector3;

/// An arm with four discs and a cable through holes 12 mm aside.
fn arm(drive: CableDrive, stiffness: Option<f64>) -> Scene {
    let discs = (1..=4).map(|k| {
        let mount = Mount::On(Frame::rod(0, 0.05 * f64::from(k)));
        body(&format!("disc{k}"), mount, 0.002, Vector3::zeros())
    });
    let hole = at(0.0, 0.004, 0.012);
    let points = std::iter::once(Frame::world(hole)).chain((0..4).map(|k| Frame::body(k).at(hole)));
    Scene {
        gravity: down(),
        rods: vec![rod("arm", 0.2, Some(ground()), None)],
        bodies: discs.collect(),
        cables: vec![Cable { name: "cable".into(), points: points.collect(), drive, stiffness }],
        ..Scene::default()
    }
}

#[test]
fn pulled_by_tension_and_by_length() {
    for tension in [0.1, 1.0, 4.0, 12.0] {
        let by_tension = agree(&arm(CableDrive::Tension(tension), None), 1e-6, "tension");
        let length = by_tension.cable_length(0);
        let mut others = vec![(CableDrive::Length(length), None), (CableDrive::Pull(0.2 - length), None)];
        let stiffness = 500.0;
        others.push((CableDrive::Length(length / (1.0 + tension / stiffness)), Some(stiffness)));
        for (drive, stiffness) in others {
            let scene = arm(drive, stiffness);
            let by_length = solve(&scene);
            assert!(differ(&scene, &by_tension, &by_length) < 1e-9, "{tension} {drive:?}");
            assert!((by_length.tension(0) / tension - 1.0).abs() < 1e-8, "{} {tension}", by_length.tension(0));
        }
    }
}

#[test]
fn a_slack_cable_carries_nothing() {
    let bare = solve(&Scene { cables: Vec::new(), ..arm(CableDrive::Tension(0.0), None) });
    let path = solve(&arm(CableDrive::Tension(0.0), None)).cable_length(0);
    for (drive, stiffness) in [
        (CableDrive::Tension(0.0), None),
        (CableDrive::Length(path + 1e-6), None),
        (CableDrive::Length(0.25), Some(100.0)),
    ] {
        let scene = arm(drive, stiffness);
        let slack = solve(&scene);
        assert!(differ(&scene, &bare, &slack) < 1e-9, "{drive:?}");
        assert_eq!(slack.tension(0), 0.0);
    }
    // Just shorter than its slack path: taut with a tension of that order, EI/L³ times what is missing.
    let taut = solve(&arm(CableDrive::Length(path - 1e-6), None));
    assert!(taut.tension(0) > 0.0 && taut.tension(0) < 1e-2, "{}", taut.tension(0));
}

/// Along a family of equilibria dV/dT of V = elastic + gravity + Tℓ is ℓ: the tension does the work.
#[test]
fn work_of_the_tension() {
    let potential = |tension: f64| {
        let solved = solve(&arm(CableDrive::Tension(tension), None));
        (solved.solution.outcome.energy.total(), solved.cable_length(0))
    };
    let h = 1e-3;
    for tension in [0.5, 3.0] {
        let ((low, _), (_, length), (high, _)) = (potential(tension - h), potential(tension), potential(tension + h));
        // Central differences: h² V‴/6, and V‴ is of the order of the length over T² here.
        assert!(((high - low) / (2.0 * h) - length).abs() < 1e-5 * length, "{} {length}", (high - low) / (2.0 * h));
    }
}

/// Two against each other, one slack, one holding a free body against its weight; a rope over a pulley.
#[test]
fn several_cables() {
    let mut scene = arm(CableDrive::Pull(0.01), None);
    let points = [ground().at(at(0.0, 0.0, -0.012)), Frame::body(1).at(at(0.0, 0.0, -0.012))];
    let other = Cable { name: "other".into(), points: points.into(), drive: CableDrive::Pull(0.0), stiffness: None };
    scene.cables.push(other.clone());
    agree(&Scene { cables: vec![scene.cables[0].clone()], ..scene.clone() }, 1e-6, "one");
    let both = solve(&scene);
    assert!(both.tension(0) > 0.0 && both.tension(1) >= 0.0);
    scene.cables[1].drive = CableDrive::Length(0.3);
    let slack = solve(&scene);
    assert_eq!(slack.tension(1), 0.0);
    // The rope of a pulley.
    scene.cables.clear();
    let kind = FrameLoadKind::Toward { point: Vector3::new(0.1, 0.2, 0.3), size: 0.3 };
    scene.frame_loads.push(FrameLoad { name: "rope".into(), on: Frame::body(3).at(at(0.0, 0.01, 0.0)), kind });
    agree(&scene, 1e-6, "pulley");
}

/// A bob on a cable alone: the cable carries its weight, and it hangs below the eyelet.
#[test]
fn a_body_hangs_on_a_cable() {
    let points = vec![ground(), Frame::body(0).at(at(0.0, 0.0, 0.01))];
    for drive in [CableDrive::Length(0.5), CableDrive::Pull(-0.1)] {
        let cable = Cable { name: "cable".into(), points: points.clone(), drive, stiffness: None };
        let scene = Scene {
            gravity: down(),
            bodies: vec![body("bob", Mount::Free(at(0.1, 0.0, -0.4)), 0.2, Vector3::zeros())],
            cables: vec![cable],
            ..Scene::default()
        };
        let solved = attempt(&scene);
        assert!(solved.solution.outcome.converged(), "{:?}", solved.solution.outcome.status);
        assert!((solved.tension(0) - 0.2 * GRAVITY).abs() < 1e-8, "{}", solved.tension(0));
    }
}
