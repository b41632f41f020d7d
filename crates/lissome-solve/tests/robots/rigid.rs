//! Robots without or nearly without rods, by hand: pendulums, sliders, stops, cranks.

use crate::bench::*;
use lissome_model::*;
use nalgebra::Vector3;

fn swing() -> JointKind {
    JointKind::Revolute { axis: Vector3::y() }
}

/// A body of `mass` at x = 0.3 m on a hinge about y: its weight turns it toward +y.
fn pendulum(stiffness: f64, mass: f64) -> Scene {
    let hinge = Joint { stiffness: vec![stiffness], ..joint("hinge", swing(), ground()) };
    Scene {
        gravity: down(),
        bodies: vec![body("bob", Mount::On(Frame::joint(0)), mass, Vector3::x() * 0.3)],
        joints: vec![hinge],
        ..Scene::default()
    }
}

#[test]
fn pendulum_on_a_torsion_spring() {
    for (stiffness, mass) in [(1.0, 0.1), (1.0, 1.0), (0.01, 2.0), (1e4, 3.0)] {
        let solved = solve(&pendulum(stiffness, mass));
        let angle = solved.joint(0)[0];
        let torque = mass * GRAVITY * 0.3;
        assert!((stiffness * angle - torque * angle.cos()).abs() < 1e-9 * torque, "{stiffness} {mass}: {angle}");
    }
}

/// Without a spring it hangs straight down; started straight up it must fall.
#[test]
fn pendulum_without_a_spring_hangs() {
    for start in [0.0, 1.0, -1.4, 3.0, -std::f64::consts::FRAC_PI_2] {
        let mut scene = pendulum(0.0, 0.5);
        scene.joints[0].motion = JointMotion::Free { start: vec![start] };
        let solved = solve(&scene);
        let centre = solved.body(0).transform(&(Vector3::x() * 0.3));
        assert!((centre - Vector3::new(0.0, 0.0, -0.3)).norm() < 1e-8, "from {start}: {centre}");
    }
}

#[test]
fn slider_on_a_spring() {
    let axis = Vector3::new(0.6, 0.0, 0.8);
    let slide =
        Joint { stiffness: vec![50.0], rest: vec![0.02], ..joint("s", JointKind::Prismatic { axis }, ground()) };
    let scene = Scene {
        gravity: down(),
        bodies: vec![body("block", Mount::On(Frame::joint(0)), 0.4, Vector3::zeros())],
        joints: vec![slide],
        ..Scene::default()
    };
    let travel = solve(&scene).joint(0)[0];
    assert!((travel - (0.02 - 0.4 * GRAVITY * 0.8 / 50.0)).abs() < 1e-12, "{travel}");
}

#[test]
fn body_on_a_spherical_joint_hangs_below_it() {
    let arm = Vector3::new(0.1, 0.2, 0.05);
    let scene = Scene {
        gravity: down(),
        bodies: vec![body("bob", Mount::On(Frame::joint(0)), 0.3, arm)],
        joints: vec![joint("ball", JointKind::Spherical, ground())],
        ..Scene::default()
    };
    let centre = solve(&scene).body(0).transform(&arm);
    assert!((centre + Vector3::z() * arm.norm()).norm() < 1e-8, "{centre}");
}

/// On a stop the torque of the stop is what the spring does not carry.
#[test]
fn pendulum_rests_on_its_stop() {
    for (limits, at) in [((-0.2, 0.25), 0.25), ((-2.0, 2.0), f64::NAN)] {
        let mut scene = pendulum(0.5, 0.2);
        scene.joints[0].limits = vec![Some(limits)];
        let solved = solve(&scene);
        let (angle, stop) = (solved.joint(0)[0], solved.limit_force(0));
        let torque = |angle: f64| 0.2 * GRAVITY * 0.3 * angle.cos() - 0.5 * angle;
        if at.is_nan() {
            assert!(stop.abs() < 1e-12 && torque(angle).abs() < 1e-9, "{angle} {stop}");
        } else {
            assert!((angle - at).abs() < 1e-10, "{angle}");
            assert!((stop + torque(at)).abs() < 1e-9, "{stop} {}", torque(at));
        }
    }
}

/// A heavy flap on a rod's tip, whose hinge stops it: as a fixed joint at that angle.
#[test]
fn stop_on_a_rod_is_a_fixed_joint_there() {
    let hinge = |motion, limits| Joint { motion, limits, ..joint("hinge", swing(), Frame::rod(0, 0.2)) };
    let scene = |joint: Joint| Scene {
        gravity: down(),
        rods: vec![rod("rod", 0.2, Some(ground()), None), rod("flap", 0.1, Some(Frame::joint(0)), None)],
        bodies: vec![body("bob", Mount::On(Frame::rod(1, 0.1)), 0.01, Vector3::zeros())],
        joints: vec![joint],
        ..Scene::default()
    };
    let stopped = scene(hinge(JointMotion::Free { start: vec![0.0] }, vec![Some((-0.1, 0.2))]));
    let fixed = scene(hinge(JointMotion::Driven { value: vec![0.2] }, vec![]));
    let (a, b) = (solve(&stopped), solve(&fixed));
    assert!((a.joint(0)[0] - 0.2).abs() < 1e-10);
    assert!(differ(&fixed, &a, &b) < 1e-9);
    // The stop pushes back with the moment that the flap exerts about the hinge.
    let flap = a.base_wrench(1);
    let axis = a.base(1).rotation.rotate(&Vector3::y());
    let stop = a.limit_force(0);
    assert!((flap.moment.dot(&axis) + stop).abs() < 1e-8, "{flap:?} {stop}");
}

/// The coordinates of a free joint are the rotation vector and the position in the parent's axes: prescribed, on springs and
/// at limits alike.
#[test]
fn a_free_joint_stands_where_its_coordinates_say() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let value = vec![0.0, 0.0, quarter, 0.1, 0.02, 0.0];
    let mut scene = Scene {
        gravity: down(),
        bodies: vec![body("block", Mount::On(Frame::joint(0)), 0.3, Vector3::zeros())],
        joints: vec![joint("six", JointKind::Free, ground())],
        ..Scene::default()
    };
    scene.joints[0].motion = JointMotion::Driven { value: value.clone() };
    assert!((solve(&scene).body(0).position - Vector3::new(0.1, 0.02, 0.0)).norm() < 1e-15);
    // On springs at rest there, the weight pulls it along z alone, although it is turned; a limit stops it half way.
    scene.joints[0].motion = JointMotion::Free { start: value.clone() };
    scene.joints[0].stiffness = vec![2.0, 2.0, 2.0, 50.0, 60.0, 70.0];
    scene.joints[0].rest = value;
    let sunk = 0.3 * GRAVITY / 70.0;
    let hangs = solve(&scene);
    assert!((hangs.body(0).position - Vector3::new(0.1, 0.02, -sunk)).norm() < 1e-10, "{}", hangs.body(0).position);
    assert!((hangs.joint(0)[5] + sunk).abs() < 1e-10 && (hangs.joint(0)[2] - quarter).abs() < 1e-10);
    scene.joints[0].limits = vec![None, None, None, None, None, Some((-0.5 * sunk, 1.0))];
    let stopped = solve(&scene);
    assert!((stopped.body(0).position - Vector3::new(0.1, 0.02, -0.5 * sunk)).norm() < 1e-10);
}

/// Limits of joints with several coordinates hold too.
#[test]
fn stops_of_joints_with_several_coordinates() {
    let mut scene = Scene {
        gravity: down(),
        bodies: vec![body("bob", Mount::On(Frame::joint(0)), 0.3, Vector3::new(0.1, 0.05, 0.0))],
        joints: vec![joint("ball", JointKind::Spherical, ground())],
        ..Scene::default()
    };
    scene.joints[0].stiffness = vec![0.05; 3];
    scene.joints[0].limits = vec![None, Some((-0.3, 0.3)), None];
    let q = solve(&scene).joint(0);
    assert!((q[1] - 0.3).abs() < 1e-9, "{q:?}");
    // Minimum of the potential within the stop: no move of the others lowers it.
    let potential = |q: [f64; 3]| {
        let z = turned(q[0], q[1], q[2]).transform(&Vector3::new(0.1, 0.05, 0.0)).z;
        0.3 * GRAVITY * z + 0.025 * q.iter().map(|x| x * x).sum::<f64>()
    };
    let lowest = potential([q[0], q[1], q[2]]);
    for h in [1e-3, -1e-3] {
        assert!(potential([q[0] + h, q[1], q[2]]) > lowest && potential([q[0], q[1], q[2] + h]) > lowest);
    }
}

/// Slider-crank with an elastic rod for its connecting rod: the crank's motor torque balances the slider's push as the
/// oracle says, and with a short stiff rod as rigid geometry says.
#[test]
fn crank_and_slider() {
    let crank = Joint { motion: JointMotion::Driven { value: vec![0.6] }, ..joint("crank", swing(), ground()) };
    let slide = Frame::world(at(0.25, 0.0, 0.0));
    let slider = Joint { stiffness: vec![3.0], ..joint("slide", JointKind::Prismatic { axis: Vector3::x() }, slide) };
    let pin = joint("pin", swing(), Frame::body(0).at(at(0.05, 0.0, 0.0)));
    let wrist = joint("wrist", swing(), Frame::body(1));
    let scene = Scene {
        rods: vec![rod("rod", 0.2, Some(Frame::joint(2)), Some(Frame::joint(3)))],
        bodies: vec![
            body("arm", Mount::On(Frame::joint(0)), 0.0, Vector3::zeros()),
            body("block", Mount::On(Frame::joint(1)), 0.0, Vector3::zeros()),
        ],
        joints: vec![crank, slider, pin, wrist],
        ..Scene::default()
    };
    let solved = agree(&scene, 1e-6, "crank");
    // Pinned at both ends and stiff beside the spring, the rod stays straight: x of the slider by Pythagoras.
    let (x, z) = (0.05 * 0.6f64.cos(), -0.05 * 0.6f64.sin());
    let geometric = x + (0.2f64.powi(2) - z * z).sqrt();
    let compression = 3.0 * (geometric - 0.25f64).abs();
    let strain = compression / (1e9 * std::f64::consts::PI * 4e-6);
    assert!((solved.body(1).position.x - geometric).abs() < 0.2 * strain * 2.0 + 1e-9, "{:?}", solved.body(1));
}
