//! Springs of networks and of scenes against closed forms, joints and each other.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model as model;
use lissome_model::{Frame, Inertia, Material, NaturalShape, Profile, Scene, Section};
use lissome_reference::network::{
    Body, Joint, JointKind, Load, Mount, Network, NetworkSolution, Rod, RodSection, SceneNetwork, Spring, SpringLaw,
    solve,
};
use nalgebra::{Matrix6, Vector3, Vector6};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::at(Vector3::new(x, y, z))
}

fn push(body: usize, force: Vector3<f64>) -> Load {
    Load::dead(body, Vector3::zeros(), Wrench::new(Vector3::zeros(), force))
}

fn on_rail(body: usize, start: &Pose) -> Joint {
    Joint::free(Mount::ground(*start), Mount::body(body, Pose::identity()), JointKind::Prismatic(Vector3::x()))
}

#[test]
fn two_springs_in_a_row_give_way_by_the_sum() {
    let (soft, stiff, force) = (30.0, 70.0, 1.5);
    let (first, second) = (at(0.2, 0.0, 0.0), at(0.5, 0.0, 0.0));
    let carts = [first, second].map(Body::massless);
    let [a, b] = [0, 1].map(|body| Mount::body(body, Pose::identity()));
    let network = Network {
        bodies: carts.to_vec(),
        joints: vec![on_rail(0, &first), on_rail(1, &second)],
        springs: vec![Spring::line(Mount::ground(Pose::identity()), a, soft, 0.2), Spring::line(a, b, stiff, 0.3)],
        loads: vec![push(1, Vector3::x() * force)],
        ..Network::default()
    };
    let solved = solve(&network).unwrap();
    let travel = [0, 1].map(|joint| solved.joint_coordinates(joint)[0]);
    // Newton's method stops at 1e-12 of forces of order one, over stiffnesses of order ten.
    assert!((travel[0] - force / soft).abs() < 1e-12, "{travel:?}");
    assert!((travel[1] - force / soft - force / stiff).abs() < 1e-12, "{travel:?}");
    for spring in [0, 1] {
        assert!((solved.spring_wrench(spring).force + Vector3::x() * force).norm() < 1e-11);
    }
    assert!((solved.spring_length(1) - 0.3 - force / stiff).abs() < 1e-12);
    assert!((solved.elastic_energy() - 0.5 * force * travel[1]).abs() < 1e-11);
}

/// A bar on a hinge about y at the origin, held up by a spring from its end to a point above the hinge: with the bar at an
/// angle φ from the upright, the spring of length d pulls with the moment k (d − L₀) l h sin φ/d, and the weight at its end
/// turns it down with m g l sin φ. So it rests where k (1 − L₀/d) h = m g, whatever its length.
#[test]
fn a_pendulum_rests_where_the_spring_carries_it() {
    let (bar, height, stiffness, rest_length, gravity) = (0.4, 0.5, 60.0, 0.1, 9.81);
    let angle = 1.1f64;
    let apart = (bar * bar + height * height - 2.0 * bar * height * angle.cos()).sqrt();
    let mass = stiffness * (1.0 - rest_length / apart) * height / gravity;
    let end = Vector3::new(0.0, 0.0, bar);
    let network = Network {
        gravity: -Vector3::z() * gravity,
        // Begins 0.2 rad from where it rests.
        bodies: vec![Body {
            mass,
            centre: end,
            start: Pose::new(Rotation::exp(&(Vector3::y() * 0.9)), Vector3::zeros()),
        }],
        joints: vec![Joint::free(
            Mount::ground(Pose::identity()),
            Mount::body(0, Pose::identity()),
            JointKind::Revolute(Vector3::y()),
        )],
        springs: vec![Spring::line(
            Mount::ground(at(0.0, 0.0, height)),
            Mount::body(0, Pose::at(end)),
            stiffness,
            rest_length,
        )],
        ..Network::default()
    };
    let solved = solve(&network).unwrap();
    assert!((solved.joint_coordinates(0)[0] - angle).abs() < 1e-11, "{:?}", solved.joint_coordinates(0));
    assert!((solved.spring_length(0) - apart).abs() < 1e-11);
}

#[test]
fn a_spring_without_rest_length_pulls_with_its_whole_length() {
    // Hung on three of them with its weight: it sinks by m g/(3 k), from where they are all at rest.
    let (stiffness, mass, gravity) = (40.0, 0.3, 9.81);
    let feet = [0.0, 1.0, 2.0].map(|third: f64| {
        let (sine, cosine) = (third * std::f64::consts::TAU / 3.0).sin_cos();
        at(0.2 * cosine, 0.2 * sine, 0.0)
    });
    let network = Network {
        gravity: -Vector3::z() * gravity,
        bodies: vec![Body { mass, centre: Vector3::new(0.0, 0.0, -0.1), start: Pose::identity() }],
        springs: feet.map(|foot| Spring::line(Mount::ground(foot), Mount::body(0, foot), stiffness, 0.0)).to_vec(),
        ..Network::default()
    };
    let solved = solve(&network).unwrap();
    let sunk = Vector3::z() * (-mass * gravity / (3.0 * stiffness));
    assert!((solved.body_pose(0).position - sunk).norm() < 1e-12);
    assert!(solved.body_pose(0).rotation.log().norm() < 1e-12);
}

const ROD: f64 = 0.2;

/// A rod on a foot, with a force across its tip; the foot is held by whatever is added.
fn foot() -> Network {
    Network {
        bodies: vec![Body::massless(Pose::identity()), Body::massless(at(ROD, 0.0, 0.0))],
        rods: vec![Rod::uniform(
            ROD,
            RodSection::round(2e-3, 1e9, 0.3),
            Mount::body(0, Pose::identity()),
            Some(Mount::body(1, Pose::identity())),
        )],
        loads: vec![push(1, Vector3::new(0.3, 0.4, -0.6))],
        ..Network::default()
    }
}

fn held_by(stiffness: Matrix6<f64>) -> Network {
    let (ground, own) = (Mount::ground(Pose::identity()), Mount::body(0, Pose::identity()));
    Network { springs: vec![Spring::bushing(ground, own, stiffness)], ..foot() }
}

fn tip(solved: &NetworkSolution) -> Vector3<f64> {
    solved.body_pose(1).position
}

#[test]
fn a_bushing_is_a_free_joint_with_springs_where_little_turns() {
    // One counts the logarithm of the pose, the other rotation vector and position: they differ by turn times shift.
    let springs = [0.3, 0.5, 0.2, 60.0, 40.0, 90.0];
    let (ground, own) = (Mount::ground(Pose::identity()), Mount::body(0, Pose::identity()));
    let little = |mut network: Network| {
        network.loads = vec![push(1, Vector3::new(0.3, 0.4, -0.6) * 1e-4)];
        network
    };
    let joint = Joint::free(ground, own, JointKind::Free).with_spring(&springs, &[0.0; 6]);
    let by_joint = solve(&little(Network { joints: vec![joint], ..foot() })).unwrap();
    let by_bushing = solve(&little(held_by(Matrix6::from_diagonal(&Vector6::from(springs))))).unwrap();
    let turn = by_bushing.body_pose(0).rotation.log().norm();
    assert!(turn > 1e-5 && turn < 1e-3, "it turns a little: {turn}");
    let (a, b) = (by_joint.body_pose(0), by_bushing.body_pose(0));
    assert!((a.position - b.position).norm() < 2.0 * turn * b.position.norm());
    assert!((a.rotation.matrix() - b.rotation.matrix()).amax() < 2.0 * turn * turn);
}

#[test]
fn a_stiff_bushing_is_a_fixed_joint_up_to_one_over_its_stiffness() {
    let (ground, own) = (Mount::ground(Pose::identity()), Mount::body(0, Pose::identity()));
    let fixed = solve(&Network { joints: vec![Joint::free(ground, own, JointKind::Fixed)], ..foot() }).unwrap();
    let away = |factor: f64| {
        let stiffness = Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, 400.0, 400.0, 400.0)) * factor;
        (tip(&solve(&held_by(stiffness)).unwrap()) - tip(&fixed)).norm()
    };
    // The next term of the series in 1/stiffness is a part of order 1/factor.
    let [first, second] = [1e3, 1e4].map(away);
    assert!((first / second / 10.0 - 1.0).abs() < 1e-2, "{first} {second}");
    // To first order it gives way under what the fixed joint carries: a fixed joint at that place is the same again.
    let reaction = fixed.joint_reaction(0);
    let given_way = Pose::new(Rotation::exp(&(reaction.moment / -1e4)), reaction.force / -4e6);
    let mut moved = Network { joints: vec![Joint::free(Mount::ground(given_way), own, JointKind::Fixed)], ..foot() };
    moved.bodies[0].start = given_way;
    let expected = (tip(&solve(&moved).unwrap()) - tip(&fixed)).norm();
    assert!((expected / second - 1.0).abs() < 1e-3, "{expected} {second}");
}

fn scene() -> Scene {
    let body = |name: &str, mass: f64, mount: model::Mount| model::Body {
        name: name.into(),
        inertia: Inertia { mass, ..Inertia::default() },
        mount,
        ..model::Body::default()
    };
    let mut coupled = Matrix6::from_diagonal(&Vector6::new(0.2, 0.3, 0.1, 30.0, 50.0, 20.0));
    coupled[(1, 5)] = 1.2;
    coupled[(5, 1)] = 1.2;
    let spring = |name: &str, a: Frame, b: Frame, law| model::Spring { name: name.into(), a, b, law };
    Scene {
        gravity: Vector3::new(0.0, 0.0, -9.81),
        rods: vec![model::Rod {
            name: "arm".into(),
            length: 0.4,
            profile: Profile::uniform(Section::circle(2e-3, Material::from_poisson(1e9, 0.3).with_density(1200.0))),
            natural: NaturalShape::curved(Vector3::new(0.0, 0.5, 0.0)),
            base: Some(Frame::joint(0)),
            ..model::Rod::default()
        }],
        joints: vec![model::Joint {
            name: "motor".into(),
            kind: model::JointKind::Revolute { axis: Vector3::y() },
            motion: model::JointMotion::Driven { value: vec![0.3] },
            ..model::Joint::default()
        }],
        bodies: vec![
            body("load", 0.005, model::Mount::On(Frame::rod(0, 0.4))),
            body("hung", 0.01, model::Mount::Free(at(0.1, 0.01, -0.06))),
        ],
        springs: vec![
            spring(
                "stay",
                Frame::world(at(0.0, 0.2, 0.3)),
                Frame::rod(0, 0.25).at(at(0.0, 0.0, 0.01)),
                model::SpringLaw::Line { stiffness: 5.0, rest_length: None, damping: 1.0 },
            ),
            spring(
                "mount",
                Frame::rod(0, 0.1).at(at(0.0, 0.0, -0.05)),
                Frame::body(1),
                model::SpringLaw::Bushing { stiffness: coupled, damping: Matrix6::zeros() },
            ),
        ],
        ..Scene::default()
    }
}

#[test]
fn springs_of_a_scene_carry_what_hangs_on_them() {
    let scene = scene();
    let read = SceneNetwork::new(&scene, 0.0).unwrap();
    let solved = solve(&read.network).unwrap();
    // The bushing carries the weight of the body, and nothing else acts on it.
    let weight = Wrench::new(Vector3::zeros(), Vector3::new(0.0, 0.0, 0.01 * 9.81));
    let carried = read.spring_wrench(&solved, 1);
    assert!((carried.force - weight.force).amax() < 1e-10 && carried.moment.amax() < 1e-10, "{carried:?}");
    // The rod's force jumps at 0.25 m by what the stay exerts, along the line to the wall.
    let [before, after] = [0.25 - 1e-9, 0.25].map(|s| read.rod_wrench(&solved, 0, s).force);
    let stay = read.spring_wrench(&solved, 0).force;
    assert!((before - after - stay).amax() < 1e-6, "{} {stay}", before - after);
    let section = read.rod_pose(&solved, 0, 0.25);
    let apart = Vector3::new(0.0, 0.2, 0.3) - section.transform(&Vector3::new(0.0, 0.0, 0.01));
    assert!(stay.cross(&apart).norm() < 1e-10 * stay.norm(), "along the line: {stay} {apart}");
    assert!((solved.spring_length(0) - apart.norm()).abs() < 1e-10);
}

#[test]
fn a_rest_length_that_is_left_open_is_the_distance_with_joints_at_their_start() {
    // The motor stands at 0.3 rad, the rod bends by 0.5 1/m: a circle in the x–z plane.
    let scene = scene();
    let read = SceneNetwork::new(&scene, 0.0).unwrap();
    let SpringLaw::Line { rest_length, .. } = read.network.springs[0].law else { panic!("a line") };
    let (s, kappa) = (0.25, 0.5f64);
    let turned = Rotation::exp(&(Vector3::y() * (kappa * s)));
    let along = Vector3::new((kappa * s).sin(), 0.0, (kappa * s).cos() - 1.0) / kappa;
    let motor = Rotation::exp(&(Vector3::y() * 0.3));
    let point = motor.rotate(&(along + turned.rotate(&Vector3::new(0.0, 0.0, 0.01))));
    assert!((rest_length - (point - Vector3::new(0.0, 0.2, 0.3)).norm()).abs() < 1e-11, "{rest_length}");
}
