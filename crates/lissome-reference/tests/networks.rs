//! What must hold for any network: closed forms, balance, objectivity, independence of units; and what is refused.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_reference::OracleError;
use lissome_reference::analytic::elastica::dead_tip_load;
use lissome_reference::network::robots::{cable_arm, joint_tree};
use lissome_reference::network::{
    Anchor, Body, Cable, CableDrive, Joint, JointKind, JointMotion, Load, Mount, Network, NetworkSolution, On, Rod,
    RodSection, Spring, SpringLaw, solve, solve_from,
};
use nalgebra::{Matrix6, Vector3, Vector6};
use proptest::prelude::*;
use std::sync::Arc;

/// EI = 1, slender as 1e5.
fn inextensible() -> RodSection {
    RodSection::straight(Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, 1e10, 1e10, 1e10)))
}

#[test]
fn a_cantilever_is_the_elastica() {
    for load in [0.5, 4.0, 15.0] {
        let tip = Pose::at(Vector3::x());
        let network = Network {
            bodies: vec![Body::massless(tip)],
            rods: vec![Rod::uniform(
                1.0,
                inextensible(),
                Mount::ground(Pose::identity()),
                Some(Mount::body(0, Pose::identity())),
            )],
            loads: vec![Load::dead(0, Vector3::zeros(), Wrench::new(Vector3::zeros(), Vector3::z() * load))],
            ..Network::default()
        };
        let solved = solve(&network).unwrap();
        let exact = dead_tip_load(load).unwrap();
        let p = solved.body_pose(0).position;
        // Shear and stretch add load/1e10.
        assert!((p.z - exact.deflection).abs() < 1e-8 && (1.0 - p.x - exact.shortening).abs() < 1e-8, "{load}");
        // Moment of the force at the base, about −y.
        assert!((solved.rod_wrench(0, 0.0).moment.y + load * p.x).abs() < 1e-10 * load);
    }
}

#[test]
fn a_straight_path_past_buckling_is_reported() {
    // A cantilever four times as stiff about z as about y buckles at P L²/EI = π²/4, and again at 9π²/4 and, about z, π².
    let first = std::f64::consts::PI.powi(2) / 4.0;
    let strip = RodSection::straight(Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 4.0, 1e6, 1e6, 1e6)));
    for (multiple, crossed) in [(0.9, 0), (1.1, 1), (3.9, 1), (4.1, 2), (8.9, 2), (9.1, 3)] {
        let push = Wrench::new(Vector3::zeros(), Vector3::x() * (-multiple * first));
        let network = Network {
            bodies: vec![Body::massless(Pose::at(Vector3::x()))],
            rods: vec![Rod::uniform(
                1.0,
                strip,
                Mount::ground(Pose::identity()),
                Some(Mount::body(0, Pose::identity())),
            )],
            loads: vec![Load::dead(0, Vector3::zeros(), push)],
            ..Network::default()
        };
        // In one step nothing would be noticed but the last change: in twenty, each.
        let mut solved = solve(&Network { loads: vec![], ..network.clone() }).unwrap();
        let mut total = 0;
        for k in 1..=20 {
            let mut part = network.clone();
            part.loads = vec![Load::dead(0, Vector3::zeros(), push * (f64::from(k) / 20.0))];
            solved = solve_from(&part, &solved).unwrap();
            total += solved.bifurcations_crossed;
        }
        assert_eq!(total, crossed, "{multiple}");
        assert!(solved.body_pose(0).position.yz().amax() < 1e-12);
    }
}

#[test]
fn a_pendulum_with_a_rod_hangs() {
    // Nothing but the weight holds it, and 60° from where it will hang; a soft rod sticks out of it sideways.
    let start = Pose::new(Rotation::exp(&(Vector3::y() * 0.5)), Vector3::zeros());
    let soft = RodSection { mass_per_length: 0.1, ..RodSection::round(3e-3, 1e9, 0.3) };
    let across = Mount::body(0, Pose::new(Rotation::exp(&Vector3::new(0.0, 0.3, 0.8)), Vector3::x() * 0.2));
    let network = Network {
        gravity: Vector3::z() * -9.81,
        bodies: vec![Body { mass: 0.2, centre: Vector3::x() * 0.3, start }],
        rods: vec![Rod::uniform(0.3, soft, across, None)],
        joints: vec![Joint::free(
            Mount::ground(Pose::identity()),
            Mount::body(0, Pose::identity()),
            JointKind::Revolute(Vector3::y()),
        )],
        ..Network::default()
    };
    let solved = solve(&network).unwrap();
    // The weight of body and rod is below the hinge.
    let base = solved.rod_wrench(0, 0.0);
    let about_hinge = base.moment + solved.rod_pose(0, 0.0).position.cross(&base.force);
    let own = solved.body_pose(0).transform(&(Vector3::x() * 0.3)).cross(&(network.gravity * 0.2));
    assert!((about_hinge + own).y.abs() < 1e-11);
    assert!((base.force - network.gravity * 0.03).amax() < 1e-11);
    assert!((solved.joint_reaction(0).force + network.gravity * 0.23).amax() < 1e-10);
    assert!((solved.joint_coordinates(0)[0] - std::f64::consts::FRAC_PI_2).abs() < 0.5);
}

#[test]
fn a_rod_divided_by_a_massless_body_is_the_same_rod() {
    let heavy = |_| RodSection { mass_per_length: 0.8, ..inextensible().with_curvature(Vector3::new(0.3, 0.5, -0.2)) };
    let gravity = Vector3::new(0.0, 1.0, -9.81);
    let whole = Network {
        gravity,
        rods: vec![Rod::varying(1.0, heavy, Mount::ground(Pose::identity()), None)],
        ..Network::default()
    };
    let natural = solve(&Network { gravity: Vector3::zeros(), ..whole.clone() }).unwrap();
    let divided = Network {
        gravity,
        bodies: vec![Body::massless(natural.rod_pose(0, 0.4))],
        rods: vec![
            Rod::varying(0.4, heavy, Mount::ground(Pose::identity()), Some(Mount::body(0, Pose::identity()))),
            Rod::varying(0.6, heavy, Mount::body(0, Pose::identity()), None),
        ],
        ..Network::default()
    };
    let (one, two) = (solve(&whole).unwrap(), solve(&divided).unwrap());
    for s in [0.0, 0.2, 0.4] {
        assert!((one.rod_pose(0, s).position - two.rod_pose(0, s).position).amax() < 1e-11);
        assert!((one.rod_wrench(0, s) - two.rod_wrench(0, s)).to_vector().amax() < 1e-10);
    }
    for s in [0.0, 0.3, 0.6] {
        assert!((one.rod_pose(0, s + 0.4).position - two.rod_pose(1, s).position).amax() < 1e-11);
        assert!((one.rod_wrench(0, s + 0.4) - two.rod_wrench(1, s)).to_vector().amax() < 1e-10);
    }
    // The base carries the weight: 0.8 kg.
    assert!((one.rod_wrench(0, 0.0).force - gravity * 0.8).amax() < 1e-11);
}

/// A heavy body on two unequal rods, one tapered and one curved, with a hinged flap on it, a cable and every kind of load.
fn everything() -> Network {
    let at = |x: f64, y: f64, z: f64| Vector3::new(x, y, z);
    let radius = |s: f64| 3e-3 - 2e-3 * s;
    let tapered = move |s: f64| RodSection { mass_per_length: 0.02, ..RodSection::round(radius(s), 2e9, 0.3) };
    let curved = RodSection::round(2e-3, 3e9, 0.4).with_curvature(at(0.0, 0.0, 1.0));
    let wrench = |a: [f64; 3], b: [f64; 3]| Wrench::new(a.into(), b.into());
    let second_base = Pose::new(Rotation::exp(&at(0.0, 0.0, 1.2)), at(0.2, -0.35, 0.05));
    let mut first = Rod::varying(0.4, tapered, Mount::ground(Pose::identity()), Some(Mount::body(0, Pose::identity())));
    first.dead_load = wrench([1e-3, 0.0, 2e-3], [0.05, 0.0, -0.1]);
    first.follower_load = wrench([0.0, 1e-3, 0.0], [0.0, 0.1, 0.05]);
    let second_tip = Pose::new(Rotation::exp(&at(0.1, 0.0, 1.4)), at(0.02, -0.03, 0.0));
    let second = Rod::uniform(0.4, curved, Mount::ground(second_base), Some(Mount::body(0, second_tip)));
    Network {
        gravity: at(0.5, -0.3, -9.81),
        bodies: vec![
            Body { mass: 0.02, centre: at(0.01, 0.02, -0.01), start: Pose::at(at(0.4, 0.0, 0.0)) },
            Body { mass: 0.01, centre: at(0.03, 0.0, 0.0), start: Pose::at(at(0.45, 0.0, 0.0)) },
        ],
        rods: vec![first, second],
        joints: vec![
            Joint::free(
                Mount::body(0, Pose::at(at(0.05, 0.0, 0.0))),
                Mount::body(1, Pose::identity()),
                JointKind::Universal(Vector3::y(), Vector3::z()),
            )
            .with_spring(&[0.05, 0.08], &[0.1, -0.2])
            .with_effort(&[2e-3, 1e-3]),
        ],
        cables: vec![Cable {
            points: vec![
                Anchor::ground(at(0.0, 0.1, 0.1)),
                Anchor::body(0, at(0.0, 0.03, 0.02)),
                Anchor::body(1, at(0.05, 0.02, 0.01)),
            ],
            drive: CableDrive::Tension(0.3),
        }],
        springs: vec![
            Spring::line(
                Mount::ground(Pose::at(at(0.3, 0.2, 0.1))),
                Mount::body(1, Pose::at(at(0.02, 0.0, 0.01))),
                2.0,
                0.1,
            ),
            // Between the bodies it is no force from outside.
            Spring::bushing(
                Mount::body(0, Pose::at(at(0.04, 0.01, 0.0))),
                Mount::body(1, Pose::identity()),
                Matrix6::from_diagonal(&Vector6::new(0.01, 0.02, 0.03, 3.0, 2.0, 1.0)) + Matrix6::from_element(1e-3),
            ),
        ],
        loads: vec![
            Load::dead(0, at(0.01, 0.0, 0.02), wrench([1e-3, 2e-3, -1e-3], [0.1, -0.05, 0.2])),
            Load::Follower { body: 1, at: at(0.04, 0.0, 0.0), wrench: wrench([0.0, 2e-3, 0.0], [0.0, 0.05, 0.1]) },
            Load::Toward { body: 0, at: at(0.0, 0.0, 0.03), target: at(0.6, 0.3, 0.5), force: 0.25 },
        ],
    }
}

/// Everything that acts, summed about the origin, from the solved places and the description alone: forces of the world on
/// the network.
fn total(network: &Network, solved: &NetworkSolution) -> Wrench {
    let mut sum = Wrench::zero();
    let mut add = |point: Vector3<f64>, moment: Vector3<f64>, force: Vector3<f64>| {
        sum += Wrench::new(moment + point.cross(&force), force);
    };
    for (i, body) in network.bodies.iter().enumerate() {
        add(solved.body_pose(i).transform(&body.centre), Vector3::zeros(), network.gravity * body.mass);
    }
    for load in &network.loads {
        match *load {
            Load::Dead { body, at, wrench } => {
                add(solved.body_pose(body).transform(&at), wrench.moment, wrench.force);
            }
            Load::Follower { body, at, wrench } => {
                let pose = solved.body_pose(body);
                add(pose.transform(&at), pose.rotation.rotate(&wrench.moment), pose.rotation.rotate(&wrench.force));
            }
            Load::Toward { body, at, target, force } => {
                let point = solved.body_pose(body).transform(&at);
                add(point, Vector3::zeros(), (target - point).normalize() * force);
            }
        }
    }
    // So does a spring that is fastened to the ground; a force of a line has no moment about its points.
    let pulled = solved.mount_pose(&network.springs[0].b).position;
    add(pulled, Vector3::zeros(), solved.spring_wrench(0).force);
    // A cable acts from outside only where it leaves the ground.
    let place = |anchor: &Anchor| match anchor.on {
        On::Ground => anchor.point,
        On::Body(i) => solved.body_pose(i).transform(&anchor.point),
    };
    let (a, b) = (place(&network.cables[0].points[0]), place(&network.cables[0].points[1]));
    add(a, Vector3::zeros(), (a - b).normalize() * 0.3);
    for (i, rod) in network.rods.iter().enumerate() {
        let base = solved.rod_wrench(i, 0.0);
        add(solved.rod_pose(i, 0.0).position, -base.moment, -base.force);
        // Simpson's rule on 400 panels: 1e-12 of what is spread.
        let n = 800;
        let h = rod.length / f64::from(n);
        for k in 0..=n {
            let weight = h / 3.0 * if k == 0 || k == n { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
            let s = h * f64::from(k);
            let pose = solved.rod_pose(i, s);
            let own = Wrench::new(
                pose.rotation.rotate(&rod.follower_load.moment),
                pose.rotation.rotate(&rod.follower_load.force) + network.gravity * (rod.section)(s).mass_per_length,
            );
            let spread = (own + rod.dead_load) * weight;
            add(pose.position, spread.moment, spread.force);
        }
    }
    sum
}

#[test]
fn everything_balances() {
    let network = everything();
    let solved = solve(&network).unwrap();
    assert!(solved.residual < 1e-11);
    let defect = total(&network, &solved);
    assert!(defect.to_vector().amax() < 1e-10, "{defect:?}");
    // It has moved far enough for that to say something.
    assert!((solved.body_pose(1).position - network.bodies[1].start.position).norm() > 0.05);
}

/// The same network in another world: lengths × a, forces × b, gravity as it is.
fn rescaled(network: &Network, a: f64, b: f64) -> Network {
    let mut scaled = network.clone();
    let pose = |x: Pose| Pose::new(x.rotation, x.position * a);
    let mount = |x: Mount| Mount { on: x.on, pose: pose(x.pose) };
    let wrench = |w: Wrench| Wrench::new(w.moment * (a * b), w.force * b);
    for body in &mut scaled.bodies {
        (body.mass, body.centre, body.start) = (body.mass * b, body.centre * a, pose(body.start));
    }
    for rod in &mut scaled.rods {
        let law = rod.section.clone();
        rod.section = Arc::new(move |s| {
            let mut section = law(s / a);
            for i in 0..6 {
                for j in 0..6 {
                    section.stiffness[(i, j)] *= b * if i < 3 { a } else { 1.0 } * if j < 3 { a } else { 1.0 };
                }
            }
            section.natural.curvature /= a;
            section.mass_per_length *= b / a;
            section
        });
        (rod.length, rod.base, rod.tip) = (rod.length * a, mount(rod.base), rod.tip.map(mount));
        (rod.dead_load, rod.follower_load) = (wrench(rod.dead_load) * (1.0 / a), wrench(rod.follower_load) * (1.0 / a));
    }
    for joint in &mut scaled.joints {
        (joint.parent, joint.child) = (mount(joint.parent), mount(joint.child));
        // Both coordinates are angles.
        if let JointMotion::Passive { stiffness, effort, .. } = &mut joint.motion {
            stiffness.iter_mut().chain(effort).for_each(|x| *x *= a * b);
        }
    }
    for cable in &mut scaled.cables {
        cable.points.iter_mut().for_each(|point| point.point *= a);
        cable.drive = CableDrive::Tension(0.3 * b);
    }
    for spring in &mut scaled.springs {
        (spring.a, spring.b) = (mount(spring.a), mount(spring.b));
        spring.law = match spring.law {
            SpringLaw::Line { stiffness, rest_length } => {
                SpringLaw::Line { stiffness: stiffness * b / a, rest_length: rest_length * a }
            }
            SpringLaw::Bushing(stiffness) => {
                let unit = Matrix6::from_diagonal(&Vector6::new(a, a, a, 1.0, 1.0, 1.0));
                SpringLaw::Bushing(unit * stiffness * unit * (b / a))
            }
            SpringLaw::Axes(stiffness) => SpringLaw::Axes(stiffness * (b / a)),
        };
    }
    for load in &mut scaled.loads {
        *load = match *load {
            Load::Dead { body, at, wrench: w } => Load::Dead { body, at: at * a, wrench: wrench(w) },
            Load::Follower { body, at, wrench: w } => Load::Follower { body, at: at * a, wrench: wrench(w) },
            Load::Toward { body, at, target, force } => {
                Load::Toward { body, at: at * a, target: target * a, force: force * b }
            }
        };
    }
    scaled
}

#[test]
fn units_do_not_matter() {
    let network = everything();
    let one = solve(&network).unwrap();
    for (a, b) in [(1e-3, 1e-6), (1e3, 1e6)] {
        let other = solve(&rescaled(&network, a, b)).unwrap();
        for body in 0..2 {
            assert!((other.body_pose(body).position / a - one.body_pose(body).position).amax() < 1e-10);
        }
        assert!((other.elastic_energy() / (a * b) - one.elastic_energy()).abs() < 1e-9 * one.elastic_energy());
    }
}

/// Everything carried along by a rigid motion, gravity and dead loads too.
fn carried(network: &Network, motion: &Pose) -> Network {
    let mut moved = network.clone();
    let on_ground = |x: Mount| Mount { pose: if x.on == On::Ground { *motion * x.pose } else { x.pose }, ..x };
    let turned = |w: Wrench| Wrench::new(motion.rotation.rotate(&w.moment), motion.rotation.rotate(&w.force));
    moved.gravity = motion.rotation.rotate(&network.gravity);
    moved.bodies.iter_mut().for_each(|body| body.start = *motion * body.start);
    for rod in &mut moved.rods {
        (rod.base, rod.tip, rod.dead_load) = (on_ground(rod.base), rod.tip.map(on_ground), turned(rod.dead_load));
    }
    for spring in &mut moved.springs {
        (spring.a, spring.b) = (on_ground(spring.a), on_ground(spring.b));
    }
    for point in moved.cables.iter_mut().flat_map(|cable| &mut cable.points) {
        if point.on == On::Ground {
            point.point = motion.transform(&point.point);
        }
    }
    for load in &mut moved.loads {
        match load {
            Load::Dead { wrench, .. } => *wrench = turned(*wrench),
            Load::Toward { target, .. } => *target = motion.transform(target),
            Load::Follower { .. } => {}
        }
    }
    moved
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_rigid_motion_changes_nothing(
        turn in prop::array::uniform3(-3.0..3.0f64),
        shift in prop::array::uniform3(-2.0..2.0f64),
    ) {
        let network = everything();
        let motion = Pose::new(Rotation::exp(&turn.into()), shift.into());
        let (a, b) = (solve(&network).unwrap(), solve(&carried(&network, &motion)).unwrap());
        for body in 0..2 {
            let (expected, found) = (motion * a.body_pose(body), b.body_pose(body));
            prop_assert!((expected.position - found.position).amax() < 1e-10);
            prop_assert!((expected.rotation.matrix() - found.rotation.matrix()).amax() < 1e-10);
        }
        for (x, y) in a.joint_coordinates(0).iter().zip(b.joint_coordinates(0)) {
            prop_assert!((x - y).abs() < 1e-10);
        }
        prop_assert!((a.elastic_energy() - b.elastic_energy()).abs() < 1e-10 * a.elastic_energy());
    }
}

#[test]
fn an_elastic_cable_pulls_by_its_stretch_or_not_at_all() {
    let slack = solve(&cable_arm(0.0)).unwrap();
    let mut arm = cable_arm(0.0);
    arm.cables[0].drive = CableDrive::Elastic { length: 1.01, stiffness: 500.0 };
    let loose = solve(&arm).unwrap();
    assert_eq!(loose.cable_tension(0), 0.0);
    assert!((loose.body_pose(9).position - slack.body_pose(9).position).amax() < 1e-14);
    arm.cables[0].drive = CableDrive::Elastic { length: 0.95, stiffness: 500.0 };
    let pulled = solve(&arm).unwrap();
    let tension = 500.0 * (pulled.cable_length(0) / 0.95 - 1.0);
    assert!(tension > 1.0 && (pulled.cable_tension(0) - tension).abs() < 1e-10);
    let by_tension = solve(&cable_arm(tension)).unwrap();
    assert!((by_tension.body_pose(9).position - pulled.body_pose(9).position).amax() < 1e-10);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let spherical = || joint_tree(JointKind::Spherical);
    let mut network = spherical();
    network.loads.push(Load::dead(7, Vector3::zeros(), Wrench::zero()));
    assert_eq!(solve(&network).err(), Some(OracleError::NoSuchBody { body: 7, count: 3 }));

    let mut network = spherical();
    network.joints[0].motion = JointMotion::Driven(vec![0.1]);
    assert_eq!(solve(&network).err(), Some(OracleError::WrongCoordinates { joint: 0, given: 1, need: 3 }));

    let mut network = spherical();
    network.cables.push(Cable { points: vec![Anchor::body(0, Vector3::x())], drive: CableDrive::Tension(1.0) });
    assert_eq!(solve(&network).err(), Some(OracleError::ShortCable { cable: 0, points: 1 }));

    let mut network = spherical();
    network.rods[1].section = Arc::new(|s| RodSection::round(1e-3 * (s - 0.3), 1e9, 0.3));
    assert!(matches!(solve(&network), Err(OracleError::NotStiff { rod: 1, .. })));

    let solved = solve(&spherical()).unwrap();
    let mut network = spherical();
    network.bodies.push(Body::massless(Pose::identity()));
    assert_eq!(
        solve_from(&network, &solved).err(),
        Some(OracleError::OtherParts { part: "bodies", here: 4, there: 3 })
    );
    // A body that nothing holds.
    network.loads.push(Load::dead(3, Vector3::zeros(), Wrench::new(Vector3::zeros(), Vector3::z())));
    assert!(matches!(solve(&network), Err(OracleError::NotConverged { .. })));
}
