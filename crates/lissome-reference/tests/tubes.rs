//! Nested tubes: the shooting code against closed forms, against one rod, and against what energy demands.
#![allow(clippy::unwrap_used)]

mod scenes;

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model::{Load, LoadFrame, LoadKind, Material, NaturalShape, Profile, Section};
use lissome_reference::analytic::tube_pair::{PairedTube, TubePair, bifurcation_on_insertion, coupling};
use lissome_reference::tubes::{
    CurvedPart, ElasticTube, Stretch, TubeLoad, TubeRobot, TubeSolution, solve, solve_from,
};
use lissome_reference::{negative_directions, solve_cantilever};
use nalgebra::{Vector2, Vector3};
use scenes::round;
use std::f64::consts::{FRAC_PI_2, PI};

/// A tube of superelastic wire: outer and inner diameter, lengths in m, curved at its far end in the plane of its y axis.
fn nitinol(diameters: [f64; 2], length: f64, behind: f64, curved: f64, curvature: f64) -> ElasticTube {
    const YOUNG: f64 = 60e9;
    const SHEAR: f64 = 23.1e9;
    let (outer, inner) = (0.5 * diameters[0], 0.5 * diameters[1]);
    let area = PI * (outer * outer - inner * inner);
    let second = 0.25 * PI * (outer.powi(4) - inner.powi(4));
    ElasticTube {
        length,
        behind,
        angle: 0.0,
        bending: YOUNG * second,
        torsion: SHEAR * 2.0 * second,
        axial: YOUNG * area,
        shear: SHEAR * area,
        mass_per_length: 6450.0 * area,
        curved: vec![CurvedPart::constant(length - curved, length, Vector2::new(0.0, curvature))],
    }
}

fn three_tubes() -> TubeRobot {
    let mut tubes = vec![
        nitinol([0.8e-3, 0.6e-3], 0.40, 0.15, 0.10, 14.0),
        nitinol([1.2e-3, 0.9e-3], 0.30, 0.12, 0.08, 9.0),
        nitinol([1.8e-3, 1.4e-3], 0.20, 0.10, 0.06, 5.0),
    ];
    for (tube, angle) in tubes.iter_mut().zip([0.4, 1.9, -0.8]) {
        tube.angle = angle;
    }
    let entry = Pose::new(Rotation::from_quat_wxyz([0.8, 0.1, -0.5, 0.3]).unwrap(), Vector3::new(0.1, -0.2, 0.3));
    TubeRobot { entry, tubes, gravity: Vector3::zeros(), loads: Vec::new(), stretch: Stretch::SumOfTubes }
}

fn loaded() -> TubeRobot {
    let mut robot = three_tubes();
    robot.gravity = Vector3::new(0.0, 0.0, -9.81);
    robot.loads = vec![
        TubeLoad::force(0.25, Vector3::new(0.02, 0.05, -0.04)),
        TubeLoad {
            frame: LoadFrame::Body,
            kind: LoadKind::Distributed {
                from: 0.05,
                to: 0.2,
                per_length: Wrench::new(Vector3::new(1e-3, 0.0, 2e-3), Vector3::new(0.0, 0.3, 0.1)),
            },
        },
    ];
    robot
}

fn shift(a: &Pose, b: &Pose) -> f64 {
    (a.position - b.position).norm()
}

/// Table 7 of [xun2025] as in equation (56): both tubes held 0.21 m behind the entry, curved over 0.23 m beyond it.
fn printed_pair(plates: f64) -> (TubeRobot, TubePair) {
    let tube = |radius: f64, curvature: f64| {
        let section = Section::circle(radius, Material::from_poisson(2e9, 0.45)).stiffness();
        let (length, behind) = (0.44, 0.21);
        ElasticTube {
            length,
            behind,
            angle: 0.0,
            bending: section[(1, 1)],
            torsion: section[(0, 0)],
            axial: section[(3, 3)],
            shear: section[(4, 4)],
            mass_per_length: 0.0,
            curved: vec![CurvedPart::constant(behind, length, Vector2::new(0.0, curvature))],
        }
    };
    let mut tubes = vec![tube(0.0025, 6.0), tube(0.005, 4.0)];
    tubes[0].angle = -plates;
    let paired =
        |i: usize, curvature: f64| PairedTube { bending: tubes[i].bending, torsion: tubes[i].torsion, curvature };
    let pair = TubePair { coupling: coupling(&[paired(0, 6.0), paired(1, 4.0)]), overlap: 0.23, transmission: 0.21 };
    let (gravity, loads) = (Vector3::zeros(), Vec::new());
    (TubeRobot { entry: Pose::identity(), tubes, gravity, loads, stretch: Stretch::None }, pair)
}

fn relative(solution: &TubeSolution, s: f64) -> f64 {
    solution.angle(1, s) - solution.angle(0, s)
}

#[test]
fn one_tube_is_a_rod() {
    let mut scene = round(0.5, 0.01, Material::from_poisson(2e6, 0.4));
    scene.rods[0].natural = NaturalShape::curved(Vector3::new(0.0, 2.0, -1.0));
    let base = Pose::new(Rotation::from_quat_wxyz([0.7, -0.3, 0.2, 0.5]).unwrap(), Vector3::new(1.0, 2.0, 3.0));
    scene.rods[0].base = Some(base.into());
    scene.gravity = Vector3::new(0.3, 0.0, -9.81);
    let density = 1100.0;
    let material = Material { density: Some(density), ..Material::from_poisson(2e6, 0.4) };
    scene.rods[0].profile = Profile::uniform(Section::circle(0.01, material));
    let wrench = Wrench::new(Vector3::new(2e-3, 1e-3, -1e-3), Vector3::new(0.05, 0.08, -0.02));
    let loads = [
        (LoadFrame::World, LoadKind::Point { at: 0.5, wrench }),
        (LoadFrame::Body, LoadKind::Point { at: 0.3, wrench }),
        (LoadFrame::Body, LoadKind::Distributed { from: 0.1, to: 0.4, per_length: wrench }),
    ];
    for (i, (frame, kind)) in loads.into_iter().enumerate() {
        scene.loads.push(Load { name: format!("load{i}"), rod: 0, frame, kind });
    }
    let section = scene.rods[0].profile.at(0.0);
    let stiffness = section.stiffness();
    let angle = 0.7;
    // The same natural curve seen from axes that are turned by −0.7 rad, held by a plate that is turned by 0.7 rad.
    let (sine, cosine) = f64::sin_cos(-angle);
    let curvature = Vector2::new(2.0 * cosine + sine, 2.0 * sine - cosine);
    let tube = ElasticTube {
        length: 0.5,
        behind: 0.0,
        angle,
        bending: stiffness[(1, 1)],
        torsion: stiffness[(0, 0)],
        axial: stiffness[(3, 3)],
        shear: stiffness[(4, 4)],
        mass_per_length: density * PI * 1e-4,
        curved: vec![CurvedPart::constant(0.0, 0.5, curvature)],
    };
    // Followers keep the axes of the tube, which are turned too.
    let turn_back = Rotation::exp(&Vector3::new(-angle, 0.0, 0.0));
    let turned = |w: Wrench| Wrench::new(turn_back.rotate(&w.moment), turn_back.rotate(&w.force));
    let loads = loads.map(|(frame, kind)| match (frame, kind) {
        (LoadFrame::Body, LoadKind::Point { at, wrench }) => {
            TubeLoad { frame, kind: LoadKind::Point { at, wrench: turned(wrench) } }
        }
        (LoadFrame::Body, LoadKind::Distributed { from, to, per_length }) => {
            TubeLoad { frame, kind: LoadKind::Distributed { from, to, per_length: turned(per_length) } }
        }
        _ => TubeLoad { frame, kind },
    });
    let robot = TubeRobot {
        entry: base,
        tubes: vec![tube],
        gravity: scene.gravity,
        loads: loads.to_vec(),
        stretch: Stretch::SumOfTubes,
    };
    let (rod, tube) = (solve_cantilever(&scene, 0, None).unwrap(), solve(&robot).unwrap());
    for s in [0.1, 0.25, 0.5] {
        assert!(shift(&rod.pose(s), &tube.pose(0, s)) < 1e-11, "{s}");
        let turn = rod.pose(s).rotation.inverse() * tube.pose(0, s).rotation;
        assert!((turn.angle() - angle).abs() < 1e-10, "{s}");
    }
    assert!((rod.elastic_energy - tube.elastic_energy).abs() < 1e-11 * rod.elastic_energy);
    assert_eq!(negative_directions(&rod).unwrap(), tube.negative_directions().unwrap());
}

#[test]
fn tubes_of_one_material_that_do_not_part_are_one() {
    // Two equal tubes with equal curvature and plates share everything by halves.
    let whole = TubeRobot { tubes: loaded().tubes[..1].to_vec(), loads: loaded().loads[..1].to_vec(), ..loaded() };
    let mut halves = whole.clone();
    let half = &mut halves.tubes[0];
    for value in [&mut half.bending, &mut half.torsion, &mut half.axial, &mut half.shear, &mut half.mass_per_length] {
        *value *= 0.5;
    }
    halves.tubes.push(halves.tubes[0].clone());
    let (one, two) = (solve(&whole).unwrap(), solve(&halves).unwrap());
    assert!(shift(&one.tip(), &two.tip()) < 1e-10, "{}", shift(&one.tip(), &two.tip()));
    // The force has no moment about the tangent at its own place, but a twist of its own further in; both halves carry it.
    assert!((two.torque(0, 0.0) + two.torque(1, 0.0) - one.torque(0, 0.0)).abs() < 1e-10);
    assert!((one.elastic_energy - two.elastic_energy).abs() < 1e-10 * one.elastic_energy);
}

#[test]
fn s_curve_of_two_tubes() {
    let (_, pair) = printed_pair(0.0);
    assert!((pair.coupling - 34.8).abs() < 1e-9);
    let fold = pair.fold().unwrap().unwrap();
    // The stable branch from parallel tubes, the unstable one from opposite tubes; both end at the fold. Closer to it than
    // 2 % the branches lie too near each other for a plain search.
    let (stable, unstable) = (0.98 * fold.tip, 1.02 * fold.tip);
    for (from, to, directions) in [(0.0, stable, 0), (PI, unstable, 1), (PI, 2.0 * PI - unstable, 1)] {
        let mut near = solve(&printed_pair(from).0).unwrap();
        for i in 1..=25 {
            // Steps that shrink towards the fold, where the angle of the plates stands still.
            let part = 1.0 - (1.0 - f64::from(i) / 25.0).powi(2);
            let exact = pair.state(from + (to - from) * part);
            near = solve_from(&printed_pair(exact.plates).0, &near).unwrap();
            let (tip, entry) = (relative(&near, 0.23), relative(&near, 0.0));
            // The integrator's tolerance over the slope of the S-curve, at least 0.03 here.
            assert!((tip - exact.tip).abs() < 1e-9 && (entry - exact.entry).abs() < 1e-9, "{exact:?} {tip} {entry}");
            assert!(near.frame_torque() < 1e-9);
            assert_eq!(near.negative_directions().unwrap(), directions, "{exact:?}");
        }
    }
}

#[test]
fn opposite_tubes_turn_away_where_the_closed_form_says() {
    let (robot, pair) = printed_pair(PI);
    let critical = bifurcation_on_insertion(pair.coupling, 0.44).unwrap();
    let at = |overlap: f64| {
        let mut robot = robot.clone();
        for tube in &mut robot.tubes {
            tube.behind = 0.44 - overlap;
            tube.curved[0].from = 0.0;
        }
        solve(&robot).unwrap()
    };
    for (overlap, directions) in [(0.5, 0), (0.999, 0), (1.001, 1), (1.3, 1)].map(|(x, n)| (x * critical, n)) {
        let found = at(overlap);
        assert!((relative(&found, overlap) - PI).abs() < 1e-10, "opposite tubes are in balance");
        assert_eq!(found.negative_directions().unwrap(), directions, "{overlap}");
    }
}

#[test]
fn plates_exert_the_slope_of_the_energy() {
    // Without loads the elastic energy is all the energy there is: its slope by the angle of a plate is the torque there.
    let robot = three_tubes();
    let found = solve(&robot).unwrap();
    let h = 1e-3;
    let energy = |tube: usize, angle: f64| {
        let mut robot = robot.clone();
        robot.tubes[tube].angle += angle;
        solve_from(&robot, &found).unwrap().elastic_energy
    };
    for tube in 0..3 {
        // Differences of fourth order.
        let slope =
            (8.0 * (energy(tube, h) - energy(tube, -h)) - energy(tube, 2.0 * h) + energy(tube, -2.0 * h)) / (12.0 * h);
        let torque = -found.torque(tube, 0.0);
        assert!((slope - torque).abs() < 1e-8 * torque.abs().max(1e-3), "{tube}: {slope} {torque}");
    }
    // Turning all plates by the same angle turns the robot and costs nothing.
    let sum: f64 = (0..3).map(|tube| found.torque(tube, 0.0)).sum();
    assert!(sum.abs() < 1e-12, "{sum}");
    assert_eq!(found.negative_directions().unwrap(), 0);
}

#[test]
fn a_force_and_a_plate_act_on_each_other_alike() {
    // Maxwell: the torque of plate j changes with a dead force at the tip as the tip moves with plate j.
    let robot = TubeRobot { loads: vec![TubeLoad::force(0.25, Vector3::new(0.01, 0.02, -0.03))], ..three_tubes() };
    let found = solve(&robot).unwrap();
    let h = 1e-4;
    for tube in 0..3 {
        let turned = |angle: f64| {
            let mut robot = robot.clone();
            robot.tubes[tube].angle += angle;
            solve_from(&robot, &found).unwrap().tip().position
        };
        let by_plate = (turned(h) - turned(-h)) / (2.0 * h);
        for axis in 0..3 {
            let pulled = |size: f64| {
                let mut robot = robot.clone();
                let mut force = Vector3::zeros();
                force[axis] = size;
                robot.loads.push(TubeLoad::force(0.25, force));
                // What the plate exerts.
                -solve_from(&robot, &found).unwrap().torque(tube, 0.0)
            };
            let step = 1e-5;
            let by_force = (pulled(step) - pulled(-step)) / (2.0 * step);
            // The potential has the slopes (torque of the plate, −tip).
            assert!((by_force + by_plate[axis]).abs() < 1e-6 * by_plate.norm(), "{tube} {axis}: {by_force} {by_plate}");
        }
    }
}

#[test]
fn turning_all_plates_turns_the_robot() {
    let robot = loaded();
    let mut turned = robot.clone();
    turned.tubes.iter_mut().for_each(|tube| tube.angle -= 0.9);
    turned.entry.rotation = robot.entry.rotation * Rotation::exp(&Vector3::new(0.9, 0.0, 0.0));
    let (a, b) = (solve(&robot).unwrap(), solve(&turned).unwrap());
    assert!(shift(&a.tip(), &b.tip()) < 1e-11);
    assert!((a.tip().rotation.inverse() * b.tip().rotation).angle() < 1e-9);
}

#[test]
fn the_order_of_the_tubes_does_not_matter() {
    let mut robot = loaded();
    robot.loads.truncate(1);
    let mut other = robot.clone();
    other.tubes.reverse();
    let (a, b) = (solve(&robot).unwrap(), solve(&other).unwrap());
    assert!(shift(&a.tip(), &b.pose(2, 0.25)) < 1e-11);
    assert!((a.torque(0, 0.0) - b.torque(2, 0.0)).abs() < 1e-12);
    assert!((a.tip().rotation.inverse() * b.pose(2, 0.25).rotation).angle() < 1e-9);
}

#[test]
fn stretch_and_shear_fall_with_slenderness() {
    // An inextensible centre line is the limit of thin tubes: the difference is of the size (r/L)².
    let classical = TubeRobot { stretch: Stretch::None, ..loaded() };
    let (a, b) = (solve(&loaded()).unwrap(), solve(&classical).unwrap());
    let apart = shift(&a.tip(), &b.tip()) / 0.25;
    assert!(apart > 1e-9 && apart < 1e-3, "{apart}");
    assert_eq!(b.negative_directions().unwrap(), 0);
}

#[test]
fn curvature_that_varies_is_the_limit_of_many_parts() {
    let mut linear = three_tubes();
    linear.tubes[0].curved =
        vec![CurvedPart { from: 0.25, to: 0.4, start: Vector2::new(-4.0, 2.0), end: Vector2::new(6.0, 16.0) }];
    let exact = solve(&linear).unwrap().tip();
    let steps = |n: usize| {
        let mut robot = linear.clone();
        let part = linear.tubes[0].curved[0];
        robot.tubes[0].curved = (0..n)
            .map(|i| {
                let place = |x: f64| part.from + (part.to - part.from) * x / n as f64;
                let middle = part.start + (part.end - part.start) * ((i as f64 + 0.5) / n as f64);
                CurvedPart::constant(place(i as f64), place(i as f64 + 1.0), middle)
            })
            .collect();
        shift(&solve(&robot).unwrap().tip(), &exact)
    };
    // Means over parts: second order.
    let (coarse, fine) = (steps(4), steps(8));
    assert!((coarse / fine - 4.0).abs() < 0.5, "{coarse} {fine}");
}

#[test]
fn a_straight_stiff_tube_straightens_what_is_inside() {
    let mut robot = three_tubes();
    robot.tubes[2].curved.clear();
    robot.tubes[2].behind = 0.0;
    let off_axis = |stiffer: f64| {
        let mut robot = robot.clone();
        let sheath = &mut robot.tubes[2];
        sheath.bending *= stiffer;
        sheath.torsion *= stiffer;
        let found = solve(&robot).unwrap();
        let entry = robot.entry;
        let local = entry.rotation.inverse().rotate(&(found.pose(0, 0.2).position - entry.position));
        local.y.hypot(local.z)
    };
    let (soft, stiff) = (off_axis(1e3), off_axis(1e4));
    assert!((soft / stiff - 10.0).abs() < 0.1, "{soft} {stiff}");
}

#[test]
fn a_quarter_turn_of_a_stiff_robot_needs_its_branch() {
    // The angle of the plates enters the guess: without history, the search ends on the branch of torsionally rigid tubes.
    let (robot, pair) = printed_pair(FRAC_PI_2);
    let tips = pair.tips(FRAC_PI_2).unwrap();
    let found = solve(&robot).unwrap();
    assert!(tips.len() == 1 && (relative(&found, 0.23) - tips[0]).abs() < 1e-10, "{tips:?}");
}
