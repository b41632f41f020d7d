//! Every joint of a network, once in a tree and once in a loop.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Wrench};
use lissome_reference::network::robots::{joint_kinds, joint_loop, joint_tree};
use lissome_reference::network::{
    Joint, JointKind, JointMotion, Load, Network, NetworkSolution, On, solve, solve_from,
};
use nalgebra::Vector3;

/// Forces and their points, from the loads of a network of dead forces.
fn forces(network: &Network) -> Vec<(usize, Vector3<f64>, Vector3<f64>)> {
    let force = |load: &Load| match *load {
        Load::Dead { body, at, wrench } => (body, at, wrench.force),
        _ => panic!("these networks have dead forces only"),
    };
    network.loads.iter().map(force).collect()
}

/// Σ F·p over the loads.
fn work(network: &Network, solved: &NetworkSolution) -> f64 {
    forces(network).iter().map(|(body, at, force)| force.dot(&solved.body_pose(*body).transform(at))).sum()
}

fn scaled(network: &Network, factor: f64) -> Network {
    let mut scaled = network.clone();
    for load in &mut scaled.loads {
        if let Load::Dead { wrench, .. } = load {
            *wrench = *wrench * factor;
        }
    }
    scaled
}

/// The potential V = E − f Σ F·p at equilibrium has dV/df = −Σ F·p, whatever the joint does.
fn assert_virtual_work(name: &str, network: &Network) {
    let here = solve(network).unwrap();
    // Fourth-order differences: h⁴/30 of V's fifth derivative, which the nonlinearity of order one makes of V's size.
    let h = 0.02;
    let potential = |k: f64| {
        let loaded = scaled(network, 1.0 + k * h);
        let solved = solve_from(&loaded, &here).unwrap();
        solved.elastic_energy() - work(&loaded, &solved)
    };
    let rate = (8.0 * (potential(1.0) - potential(-1.0)) - (potential(2.0) - potential(-2.0))) / (12.0 * h);
    let expected = -work(network, &here);
    assert!((rate - expected).abs() < 1e-7 * expected.abs(), "{name}: {rate} {expected}");
}

/// The ground carries the loads: forces and moments about the origin.
fn assert_balance(name: &str, network: &Network, solved: &NetworkSolution) {
    let mut sum = Wrench::zero();
    let mut add = |point: Vector3<f64>, moment: Vector3<f64>, force: Vector3<f64>| {
        sum += Wrench::new(moment + point.cross(&force), force);
    };
    for (body, at, force) in forces(network) {
        add(solved.body_pose(body).transform(&at), Vector3::zeros(), force);
    }
    for (i, rod) in network.rods.iter().enumerate() {
        if rod.base.on == On::Ground {
            let w = solved.rod_wrench(i, 0.0);
            add(solved.rod_pose(i, 0.0).position, -w.moment, -w.force);
        }
    }
    assert!(sum.to_vector().amax() < 1e-12, "{name}: {sum:?}");
}

/// The two frames of the joint are where its coordinates say, and its spring carries the reaction along its freedoms.
fn assert_joint(name: &str, network: &Network, solved: &NetworkSolution) {
    let joint = &network.joints[0];
    let (On::Body(a), On::Body(b)) = (joint.parent.on, joint.child.on) else { panic!("{name} joins two bodies") };
    let (parent, child) = (solved.body_pose(a) * joint.parent.pose, solved.body_pose(b) * joint.child.pose);
    let seen = parent.inverse() * child;
    let q = solved.joint_coordinates(0);
    let turn = |v: Vector3<f64>| Pose::new(lissome_lie::Rotation::exp(&v), Vector3::zeros());
    let shift = Pose::at;
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let expected = match joint.kind {
        JointKind::Fixed => Pose::identity(),
        JointKind::Revolute(_) => turn(z * q[0]),
        JointKind::Prismatic(_) => shift(z * q[0]),
        JointKind::Cylindrical(_) => shift(z * q[1]) * turn(z * q[0]),
        JointKind::Universal(..) => turn(x * q[0]) * turn(y * q[1]),
        JointKind::Spherical => turn(Vector3::new(q[0], q[1], q[2])),
        JointKind::Planar(..) => shift(x * q[1] + y * q[2]) * turn(z * q[0]),
        JointKind::Free => shift(Vector3::new(q[3], q[4], q[5])) * turn(Vector3::new(q[0], q[1], q[2])),
    };
    assert!((expected.position - seen.position).amax() < 1e-12, "{name}");
    assert!((expected.rotation.matrix() - seen.rotation.matrix()).amax() < 1e-11, "{name}");

    let reaction = solved.joint_reaction(0);
    let moment = parent.rotation.inverse_rotate(&reaction.moment);
    let force = parent.rotation.inverse_rotate(&reaction.force);
    let JointMotion::Passive { stiffness: k, .. } = &joint.motion else { panic!("{name} is not driven") };
    let springs: Vec<(f64, f64)> = match joint.kind {
        JointKind::Fixed => vec![],
        JointKind::Revolute(_) => vec![(moment.z, k[0] * q[0])],
        JointKind::Prismatic(_) => vec![(force.z, k[0] * q[0])],
        JointKind::Cylindrical(_) => vec![(moment.z, k[0] * q[0]), (force.z, k[1] * q[1])],
        JointKind::Universal(..) => {
            let second = seen.rotation.rotate(&y);
            vec![(moment.x, k[0] * q[0]), (second.dot(&moment), k[1] * q[1])]
        }
        // A spring of equal stiffness about all axes turns back along the rotation vector.
        JointKind::Spherical => (0..3).map(|i| (moment[i], k[i] * q[i])).collect(),
        JointKind::Planar(..) => vec![(moment.z, k[0] * q[0]), (force.x, k[1] * q[1]), (force.y, k[2] * q[2])],
        JointKind::Free => (0..3).map(|i| (force[i], k[3 + i] * q[3 + i])).collect(),
    };
    for (carried, spring) in springs {
        assert!((carried + spring).abs() < 1e-12, "{name}: {carried} {spring}");
    }
    assert!(q.iter().all(|x| x.abs() > 1e-4), "{name} moves in every coordinate: {q:?}");
}

fn assert_all(name: &str, network: &Network) {
    let solved = solve(network).unwrap();
    assert!(solved.residual < 1e-11, "{name}");
    assert_balance(name, network, &solved);
    assert_joint(name, network, &solved);
    assert_virtual_work(name, network);
}

#[test]
fn every_joint_in_a_tree() {
    for (name, kind) in joint_kinds() {
        assert_all(name, &joint_tree(kind));
    }
}

#[test]
fn every_joint_in_a_loop() {
    for (name, kind) in joint_kinds() {
        assert_all(name, &joint_loop(kind));
    }
}

#[test]
fn a_joint_in_a_tree_gives_what_statics_says() {
    // The moment of the load about the joint's axis is the spring's; no rod enters but by where it puts the load.
    let network = joint_tree(JointKind::Revolute(Vector3::z()));
    let solved = solve(&network).unwrap();
    let axis = solved.body_pose(0).rotation.rotate(&network.joints[0].parent.pose.rotation.rotate(&Vector3::z()));
    let (body, _, force) = forces(&network)[0];
    let arm = solved.body_pose(body).position - solved.body_pose(1).position;
    let turn = axis.dot(&arm.cross(&force)) / 0.05;
    assert!((solved.joint_coordinates(0)[0] - turn).abs() < 1e-10);
    // The prismatic joint gives way by the force along it.
    let network = joint_tree(JointKind::Prismatic(Vector3::z()));
    let solved = solve(&network).unwrap();
    let axis = solved.body_pose(0).rotation.rotate(&network.joints[0].parent.pose.rotation.rotate(&Vector3::z()));
    assert!((solved.joint_coordinates(0)[0] - axis.dot(&force) / 20.0).abs() < 1e-12);
}

#[test]
fn an_effort_and_the_drive_that_it_amounts_to_agree() {
    for (name, kind) in joint_kinds() {
        let n = kind.freedoms();
        let effort: Vec<f64> = [2e-3, -1e-3, 3e-3, 0.02, -0.03, 0.01].into_iter().take(n).collect();
        let mut network = joint_tree(kind);
        let sprung = network.joints[0].clone().with_effort(&effort);
        network.joints[0] = sprung;
        let by_effort = solve(&network).unwrap();
        let q = by_effort.joint_coordinates(0);
        network.joints[0] = Joint::driven(network.joints[0].parent, network.joints[0].child, kind, &q);
        let driven = solve(&network).unwrap();
        assert!((by_effort.joint_reaction(0) - driven.joint_reaction(0)).to_vector().amax() < 1e-11, "{name}");
        for body in 0..3 {
            let (a, b) = (by_effort.body_pose(body), driven.body_pose(body));
            assert!((a.position - b.position).amax() < 1e-11, "{name}");
            assert!((a.rotation.matrix() - b.rotation.matrix()).amax() < 1e-10, "{name}");
        }
    }
}
