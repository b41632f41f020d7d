//! Scenes read as networks: the same robots described twice.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model as model;
use lissome_model::{
    Drive, DriveTarget, Frame, FrameLoad, FrameLoadKind, Inertia, LoadFrame, Material, NaturalShape, Profile, Scene,
    Section, Signal,
};
use lissome_reference::network::robots::{
    JOINT_ROD, PLATFORM, cable_arm, joint_frame, joint_kinds, joint_loop, joint_rod_section, joint_tree, motor_angles,
    six_rod_robot,
};
use lissome_reference::network::{JointKind, JointMotion, Network, SceneNetwork, solve};
use nalgebra::{Matrix6, Vector3};
use std::f64::consts::{FRAC_PI_2, TAU};

fn rod(name: &str, length: f64, section: Section, base: Frame, tip: Option<Frame>) -> model::Rod {
    model::Rod {
        name: name.into(),
        length,
        profile: Profile::uniform(section),
        natural: NaturalShape::Straight,
        base: Some(base),
        tip,
        ..model::Rod::default()
    }
}

fn body(name: &str, mount: model::Mount) -> model::Body {
    model::Body { name: name.into(), mount, ..model::Body::default() }
}

fn joint(name: &str, kind: model::JointKind, parent: Frame, motion: model::JointMotion) -> model::Joint {
    model::Joint { name: name.into(), kind, parent, motion, ..model::Joint::default() }
}

fn assert_same(a: &Pose, b: &Pose, what: &str) {
    assert!((a.position - b.position).amax() < 1e-11, "{what}: {} {}", a.position, b.position);
    assert!((a.rotation.matrix() - b.rotation.matrix()).amax() < 1e-10, "{what}");
}

#[test]
fn six_rod_robot_with_its_motors_on_drives() {
    let section = Section::circle(0.5e-3, Material::from_poisson(1.13e10, 0.3));
    let upright = Rotation::exp(&(Vector3::y() * -FRAC_PI_2));
    let platform = Pose::at(Vector3::new(0.0, 0.0, 0.2));
    let mut scene = Scene { bodies: vec![body("platform", model::Mount::Free(platform))], ..Scene::default() };
    for (m, angle) in motor_angles(4).into_iter().enumerate() {
        let (sine, cosine) = (TAU * m as f64 / 3.0).sin_cos();
        let (centre, axis) = (Vector3::new(cosine, sine, 0.0) * 0.05, Vector3::new(-sine, cosine, 0.0));
        let motion = model::JointMotion::Driven { value: vec![0.0] };
        let kind = model::JointKind::Revolute { axis };
        scene.joints.push(joint(&format!("motor{m}"), kind, Frame::world(Pose::at(centre)), motion));
        scene.drives.push(Drive {
            path: format!("motor{m}.angle"),
            target: DriveTarget::JointValue { joint: m, coordinate: 0 },
            signal: Signal::Constant(angle),
        });
        for side in [0.015, -0.015] {
            let base = Frame::joint(m).at(Pose::new(upright, axis * side));
            let tip = Frame::body(0).at(Pose::new(upright, centre + axis * side));
            scene.rods.push(rod(&format!("rod{m}{side}"), 0.2, section.clone(), base, Some(tip)));
        }
    }
    scene.frame_loads.push(FrameLoad {
        name: "rope".into(),
        on: Frame::body(0),
        kind: FrameLoadKind::Toward { point: Vector3::new(0.1, 0.0, 0.6), size: 0.5 },
    });
    let read = SceneNetwork::new(&scene, 0.0).unwrap();
    let by_scene = solve(&read.network).unwrap();
    let by_hand = solve(&six_rod_robot(motor_angles(4), 0.5)).unwrap();
    assert_same(&read.body_pose(&by_scene, 0), &by_hand.body_pose(PLATFORM), "platform");
    for m in 0..3 {
        assert!((read.joint_coordinates(&by_scene, m)[0] - motor_angles(4)[m]).abs() < 1e-12);
        let torque = |w: Wrench| w.moment.norm();
        let reaction = read.joint_reaction(&by_scene, m).unwrap();
        assert!((torque(reaction) - torque(by_hand.joint_reaction(m))).abs() < 1e-10);
    }
}

#[test]
fn cable_arm_with_plates_on_one_rod() {
    let material = Material::from_poisson(1e6, 0.45);
    let mut arm = rod("arm", 1.0, Section::circle(0.04, material), Frame::world(Pose::identity()), None);
    arm.profile = Profile::taper(Section::circle(0.04, material), Section::circle(0.02, material), 1.0);
    let hole = Pose::at(Vector3::new(0.0, 0.0, 0.06));
    let plates = (1..=10).map(|k| body(&format!("plate{k}"), model::Mount::On(Frame::rod(0, 0.1 * f64::from(k)))));
    let points = std::iter::once(Frame::world(hole)).chain((0..10).map(|k| Frame::body(k).at(hole))).collect();
    let scene = Scene {
        rods: vec![arm],
        bodies: plates.collect(),
        cables: vec![model::Cable {
            name: "cable".into(),
            points,
            drive: model::CableDrive::Tension(10.0),
            stiffness: None,
        }],
        ..Scene::default()
    };
    let read = SceneNetwork::new(&scene, 0.0).unwrap();
    let (by_scene, by_hand) = (solve(&read.network).unwrap(), solve(&cable_arm(10.0)).unwrap());
    for k in 0..10 {
        assert_same(&read.body_pose(&by_scene, k), &by_hand.body_pose(k), "plate");
        assert_same(&read.rod_pose(&by_scene, 0, 0.1 * (k + 1) as f64), &by_hand.body_pose(k), "section");
    }
    // Pulled by as much as the cable has shortened, without and with a stiffness.
    let mut pulled = scene;
    pulled.cables[0].drive = model::CableDrive::Pull(1.0 - by_hand.cable_length(0));
    let read = SceneNetwork::new(&pulled, 0.0).unwrap();
    assert!((solve(&read.network).unwrap().cable_tension(0) - 10.0).abs() < 1e-8);
    pulled.cables[0].stiffness = Some(2000.0);
    pulled.cables[0].drive = model::CableDrive::Length(by_hand.cable_length(0) / (1.0 + 10.0 / 2000.0));
    let read = SceneNetwork::new(&pulled, 0.0).unwrap();
    assert!((solve(&read.network).unwrap().cable_tension(0) - 10.0).abs() < 1e-8);
}

fn modelled(kind: &JointKind) -> model::JointKind {
    match *kind {
        JointKind::Fixed => model::JointKind::Fixed,
        JointKind::Revolute(axis) => model::JointKind::Revolute { axis },
        JointKind::Prismatic(axis) => model::JointKind::Prismatic { axis },
        JointKind::Cylindrical(axis) => model::JointKind::Cylindrical { axis },
        JointKind::Universal(first, second) => model::JointKind::Universal { first, second },
        JointKind::Spherical => model::JointKind::Spherical,
        JointKind::Planar(x, y) => model::JointKind::Planar { normal: x.cross(&y) },
        JointKind::Free => model::JointKind::Free,
    }
}

fn joint_section() -> Section {
    let stiffness = joint_rod_section().stiffness;
    Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 2e-3 }
}

/// The joint of a hand-made network with the same springs, on a frame.
fn same_joint(network: &Network, parent: Frame) -> model::Joint {
    let JointMotion::Passive { stiffness, .. } = &network.joints[0].motion else { panic!("not driven") };
    let kind = network.joints[0].kind;
    let motion = model::JointMotion::Free { start: vec![0.0; kind.freedoms()] };
    model::Joint { stiffness: stiffness.clone(), ..joint("joint", modelled(&kind), parent, motion) }
}

fn dead(name: &str, on: Frame, force: Vector3<f64>) -> FrameLoad {
    let wrench = Wrench::new(Vector3::zeros(), force);
    FrameLoad { name: name.into(), on, kind: FrameLoadKind::Wrench { axes: LoadFrame::World, wrench } }
}

#[test]
fn every_joint_in_a_tree() {
    for (name, kind) in joint_kinds() {
        let by_hand = joint_tree(kind);
        // The second rod starts on the joint, turned back by the joint's frame.
        let back = Pose::new(joint_frame().rotation.inverse(), Vector3::zeros());
        let scene = Scene {
            rods: vec![
                rod("first", JOINT_ROD, joint_section(), Frame::world(Pose::identity()), None),
                rod("second", JOINT_ROD, joint_section(), Frame::joint(0).at(back), None),
            ],
            joints: vec![same_joint(&by_hand, Frame::rod(0, JOINT_ROD).at(joint_frame()))],
            frame_loads: vec![dead("push", Frame::rod(1, JOINT_ROD), Vector3::new(-0.02, 0.05, 0.08))],
            ..Scene::default()
        };
        let read = SceneNetwork::new(&scene, 0.0).unwrap();
        let (a, b) = (solve(&read.network).unwrap(), solve(&by_hand).unwrap());
        assert_same(&read.rod_pose(&a, 1, JOINT_ROD), &b.body_pose(2), name);
    }
}

#[test]
fn every_joint_in_a_loop() {
    for (name, kind) in joint_kinds() {
        let by_hand = joint_loop(kind);
        let back = Pose::new(joint_frame().rotation.inverse(), Vector3::zeros());
        let along_y = Rotation::exp(&(Vector3::z() * FRAC_PI_2));
        let below = Frame::world(Pose::new(along_y, Vector3::new(JOINT_ROD, -JOINT_ROD, 0.0)));
        // What body 1 is in the network is the frame of the joint, turned back; the second rod's tip closes on it.
        let second = Frame::joint(0).at(back);
        let off_centre = second.at(Pose::at(Vector3::new(0.06, -0.04, 0.1)));
        let scene = Scene {
            rods: vec![
                rod("first", JOINT_ROD, joint_section(), Frame::world(Pose::identity()), None),
                rod("second", JOINT_ROD, joint_section(), below, Some(second.at(Pose::new(along_y, Vector3::zeros())))),
            ],
            joints: vec![same_joint(&by_hand, Frame::rod(0, JOINT_ROD).at(joint_frame()))],
            frame_loads: vec![
                dead("first", Frame::rod(0, JOINT_ROD), Vector3::new(0.03, -0.05, 0.1)),
                dead("second", off_centre, Vector3::new(0.04, -0.06, 0.05)),
            ],
            ..Scene::default()
        };
        let read = SceneNetwork::new(&scene, 0.0).unwrap();
        let (a, b) = (solve(&read.network).unwrap(), solve(&by_hand).unwrap());
        assert_same(&read.rod_pose(&a, 0, JOINT_ROD), &b.body_pose(0), name);
        let (p, q) = (read.rod_pose(&a, 1, 0.17), b.rod_pose(1, 0.17));
        assert_same(&p, &q, name);
    }
}

#[test]
fn heavy_bodies_closures_and_branches() {
    // A rod with two bodies of 20 g and 10 g on its middle, one of them 3 cm aside, and a second rod from there whose tip a
    // closure ties to the world.
    let section = Section::circle(3e-3, Material::from_poisson(1e9, 0.3).with_density(1200.0));
    let heavy = |mass: f64| Inertia { mass, centre: Vector3::new(0.0, 0.0, 0.01), ..Inertia::default() };
    let middle = Frame::rod(0, 0.2);
    let aside = middle.at(Pose::at(Vector3::new(0.0, 0.03, 0.0)));
    let branch = middle.at(Pose::new(Rotation::exp(&(Vector3::z() * FRAC_PI_2)), Vector3::zeros()));
    let wall = Pose::new(Rotation::exp(&(Vector3::z() * FRAC_PI_2)), Vector3::new(0.2, 0.3, 0.01));
    let mut scene = Scene {
        gravity: Vector3::new(0.0, 0.0, -9.81),
        rods: vec![
            rod("trunk", 0.4, section.clone(), Frame::world(Pose::identity()), None),
            rod("branch", 0.3, section, branch, None),
        ],
        bodies: vec![
            model::Body { inertia: heavy(0.02), ..body("one", model::Mount::On(middle)) },
            model::Body { inertia: heavy(0.01), ..body("two", model::Mount::On(aside)) },
        ],
        closures: vec![model::Closure { name: "wall".into(), a: Frame::rod(1, 0.3), b: Frame::world(wall) }],
        ..Scene::default()
    };
    let read = SceneNetwork::new(&scene, 0.0).unwrap();
    let by_closure = solve(&read.network).unwrap();
    assert_same(&read.rod_pose(&by_closure, 1, 0.3), &wall, "the closure closes");
    // Weight: what both supports carry.
    let linear = 1200.0 * std::f64::consts::PI * 9e-6;
    let carried = read.rod_wrench(&by_closure, 0, 0.0).force - read.rod_wrench(&by_closure, 1, 0.3).force;
    let weight = scene.gravity * (linear * 0.7 + 0.03);
    assert!((carried - weight).amax() < 1e-10 * weight.norm(), "{carried} {weight}");
    // A tip held by the wall is the same.
    scene.closures.clear();
    scene.rods[1].tip = Some(Frame::world(wall));
    let read_tip = SceneNetwork::new(&scene, 0.0).unwrap();
    let by_tip = solve(&read_tip.network).unwrap();
    assert_same(&read.body_pose(&by_closure, 1), &read_tip.body_pose(&by_tip, 1), "body");
    assert_same(&read.rod_pose(&by_closure, 0, 0.4), &read_tip.rod_pose(&by_tip, 0, 0.4), "tip");
}
