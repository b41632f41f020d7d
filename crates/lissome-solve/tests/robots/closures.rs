//! Closures that are redundant, contradictory, or rigid: each ends in an answer or in a name.

use crate::bench::*;
use lissome_lie::Pose;
use lissome_model::*;
use nalgebra::Vector3;

fn swing() -> JointKind {
    JointKind::Revolute { axis: Vector3::y() }
}

fn cardan() -> JointKind {
    JointKind::Universal { first: Vector3::y(), second: Vector3::z() }
}

fn hinge(name: &str, parent: Frame) -> Joint {
    joint(name, swing(), parent)
}

/// Four bars of rigid bodies: ground 0.3, crank 0.1, coupler 0.3, rocker 0.2, hinges about y. Closed by a ball joint with a
/// universal one on the crank it moves in one way; with four hinges it is redundant in space.
fn four_bar(on_crank: JointKind, closing: JointKind, spring: f64) -> Scene {
    let crank = Joint { stiffness: vec![spring], rest: vec![-1.0], ..hinge("crank", ground()) };
    let coupler = joint("coupler", on_crank, Frame::joint(0).at(at(0.1, 0.0, 0.0)));
    let rocker = hinge("rocker", Frame::world(at(0.3, 0.0, 0.0)));
    let pin = joint("pin", closing, Frame::joint(1).at(at(0.3, 0.0, 0.0)));
    let mut joints = vec![crank, coupler, rocker, pin];
    // Crank up, rocker up, coupler across: near a closed shape.
    for (joint, start) in joints.iter_mut().zip([-1.2, 1.0, -1.4]) {
        let mut each = joint.start().to_vec();
        each[0] = start;
        joint.motion = JointMotion::Free { start: each };
    }
    Scene {
        gravity: down(),
        bodies: vec![
            body("a", Mount::On(Frame::joint(0)), 0.1, Vector3::x() * 0.05),
            body("b", Mount::On(Frame::joint(1)), 0.2, Vector3::x() * 0.15),
            body("c", Mount::On(Frame::joint(2)), 0.1, Vector3::x() * 0.1),
        ],
        closures: vec![Closure { name: "loop".into(), a: Frame::joint(3), b: Frame::joint(2).at(at(0.2, 0.0, 0.0)) }],
        joints,
        ..Scene::default()
    }
}

/// Least potential of the four-bar over the crank angle, by geometry: the circle of the rocker meets that of the coupler.
fn four_bar_by_geometry(spring: f64, from: f64) -> f64 {
    let point = |angle: f64, length: f64| Vector3::new(length * angle.cos(), 0.0, -length * angle.sin());
    let potential = |crank: f64| {
        let a = point(crank, 0.1);
        let d = Vector3::new(0.3, 0.0, 0.0) - a;
        let r = d.norm();
        // Intersection of |p − a| = 0.3 and |p − ground| = 0.2, the upper one.
        let x = (r * r + 0.3f64.powi(2) - 0.2f64.powi(2)) / (2.0 * r);
        let h = (0.3f64.powi(2) - x * x).sqrt();
        let up = Vector3::new(-d.z, 0.0, d.x) / r;
        let up = if up.z > 0.0 { up } else { -up };
        let p = a + d / r * x + up * h;
        let ground = Vector3::new(0.3, 0.0, 0.0);
        let weights = 0.1 * a.z / 2.0 + 0.2 * (a.z + p.z) / 2.0 + 0.1 * (p.z + ground.z) / 2.0;
        GRAVITY * weights + 0.5 * spring * (crank + 1.0).powi(2)
    };
    // Newton on the potential by differences.
    let (mut x, h) = (from, 1e-4);
    for _ in 0..50 {
        let (l, m, r) = (potential(x - h), potential(x), potential(x + h));
        x -= ((r - l) / (2.0 * h)) / ((r - 2.0 * m + l) / (h * h));
    }
    x
}

#[test]
fn a_four_bar_with_a_ball_joint() {
    for spring in [2.0, 10.0] {
        let solved = solve(&four_bar(cardan(), JointKind::Spherical, spring));
        let crank = solved.joint(0)[0];
        let (turn, shift) = solved.system.largest_gap(&solved.solution.state);
        assert!(turn < 1e-9 && shift < 1e-9, "{turn:e} {shift:e}");
        let expected = four_bar_by_geometry(spring, crank);
        // Differences of 1e-4 leave 1e-8 and round-off 1e-16/1e-8.
        assert!((crank - expected).abs() < 1e-6, "spring {spring}: {crank} {expected}");
    }
}

/// Four parallel hinges: three of the six conditions say what the others imply. Consistent, so there is an equilibrium;
/// what matters is that the answer is that equilibrium or a name, not a shape in silence.
#[test]
fn a_four_bar_of_four_hinges_is_redundant() {
    let solved = attempt(&four_bar(swing(), swing(), 5.0));
    let outcome = &solved.solution.outcome;
    println!("four hinges: {:?} {:?}", outcome.status, outcome.defect);
    assert!(outcome.converged() || outcome.defect.is_some());
    if outcome.converged() {
        let ball = solve(&four_bar(cardan(), JointKind::Spherical, 5.0));
        assert!((solved.joint(0)[0] - ball.joint(0)[0]).abs() < 1e-7, "{:?} {:?}", solved.joint(0), ball.joint(0));
    }
}

/// Two welds between the same two rigid parts are refused at the door.
#[test]
fn welding_twice_is_refused() {
    let mut scene = Scene {
        rods: vec![rod("a", 0.2, Some(ground()), None), rod("b", 0.2, Some(Frame::world(at(0.0, 0.1, 0.0))), None)],
        closures: vec![
            Closure { name: "one".into(), a: Frame::rod(0, 0.2), b: Frame::rod(1, 0.2) },
            Closure { name: "two".into(), a: Frame::rod(0, 0.2).at(at(0.01, 0.0, 0.0)), b: Frame::rod(1, 0.2) },
        ],
        ..Scene::default()
    };
    let error = scene.validate().unwrap_err();
    assert!(error.to_string().contains("two"), "{error}");
    scene.closures.pop();
    agree(&scene, 1e-6, "welded once");
}

/// A tip tied to two places by its own attachment and by a closure is refused.
#[test]
fn a_tip_in_two_places_is_refused() {
    let scene = Scene {
        rods: vec![rod("a", 0.2, Some(ground()), Some(Frame::world(at(0.18, 0.0, 0.02))))],
        closures: vec![Closure { name: "two".into(), a: Frame::rod(0, 0.2), b: Frame::world(at(0.17, 0.05, 0.0)) }],
        ..Scene::default()
    };
    assert!(scene.validate().is_err());
}

/// Out of reach: no shape closes a rod over twice its length without tearing it; a stiff rod stretches instead, so the answer is
/// an equilibrium with enormous force or a failure, never a silent gap.
#[test]
fn a_rigid_chain_out_of_reach_is_named() {
    let scene = Scene {
        bodies: vec![body("arm", Mount::On(Frame::joint(0)), 0.1, Vector3::zeros())],
        joints: vec![hinge("shoulder", ground()), joint("ball", JointKind::Spherical, Frame::world(at(0.5, 0.0, 0.0)))],
        closures: vec![Closure {
            name: "loop".into(),
            a: Frame::joint(1),
            b: Frame::body(0).at(Pose::at(Vector3::new(0.3, 0.0, 0.0))),
        }],
        ..Scene::default()
    };
    let solved = attempt(&scene);
    assert!(!solved.solution.outcome.converged(), "0.3 m do not reach 0.5 m");
}

/// An articulated loop of elastic rods with a joint in the scene's closure.
#[test]
fn closures_between_rods() {
    for kind in kinds() {
        let far = Frame::world(at(0.18, 0.15, 0.0) * turned(0.0, 0.0, -1.5));
        let stiffness = kind.coordinates().iter().map(|(_, coordinate)| match coordinate {
            Coordinate::Angle => 0.02,
            Coordinate::Distance => 2.0,
        });
        let pin = Joint { stiffness: stiffness.collect(), ..joint("pin", kind, Frame::rod(0, 0.17)) };
        let scene = Scene {
            gravity: down(),
            rods: vec![rod("a", 0.17, Some(ground()), None), rod("b", 0.16, Some(far), None)],
            joints: vec![pin],
            closures: vec![Closure {
                name: "tie".into(),
                a: Frame::joint(0).at(turned(0.0, 0.0, -1.45)),
                b: Frame::rod(1, 0.16),
            }],
            ..Scene::default()
        };
        agree(&scene, 1e-6, &format!("{kind:?}"));
    }
}

/// Two rigid mechanisms side by side have nothing to do with each other.
#[test]
fn two_four_bars() {
    let mut scene = four_bar(cardan(), JointKind::Spherical, 5.0);
    let other = four_bar(cardan(), JointKind::Spherical, 3.0);
    let aside = |frame: &Frame, joints: usize| match frame.of {
        FrameOf::World => Frame::world(at(0.0, 1.0, 0.0) * frame.pose),
        FrameOf::Joint(joint) => Frame { of: FrameOf::Joint(joint + joints), pose: frame.pose },
        of => Frame { of, pose: frame.pose },
    };
    let joints = scene.joints.len();
    for joint in other.joints {
        let parent = aside(&joint.parent, joints);
        scene.joints.push(Joint { name: format!("{}2", joint.name), parent, ..joint });
    }
    for body in other.bodies {
        let Mount::On(frame) = body.mount else { panic!("all are mounted") };
        scene.bodies.push(Body { name: format!("{}2", body.name), mount: Mount::On(aside(&frame, joints)), ..body });
    }
    for closure in other.closures {
        let (a, b) = (aside(&closure.a, joints), aside(&closure.b, joints));
        scene.closures.push(Closure { name: "loop2".into(), a, b });
    }
    let solved = solve(&scene);
    for (first, spring) in [(0, 5.0), (joints, 3.0)] {
        let crank = solved.joint(first)[0];
        assert!((crank - four_bar_by_geometry(spring, crank)).abs() < 1e-6, "spring {spring}: {crank}");
    }
}

/// A platform on legs that carries a twig on a hinge: what stands on it does not hold it.
#[test]
fn a_platform_that_carries_a_rod() {
    let up = turned(0.0, -std::f64::consts::FRAC_PI_2, 0.0);
    let mut scene = Scene {
        gravity: down(),
        bodies: vec![body("platform", Mount::Free(at(0.0, 0.0, 0.2)), 0.005, Vector3::zeros())],
        joints: vec![Joint { stiffness: vec![0.05], ..hinge("hinge", Frame::body(0)) }],
        ..Scene::default()
    };
    for (i, y) in [-0.03, 0.03].into_iter().enumerate() {
        let foot = at(0.0, y, 0.0) * up;
        scene.rods.push(rod(&format!("leg{i}"), 0.2, Some(Frame::world(foot)), Some(Frame::body(0).at(foot))));
    }
    scene.rods.push(rod("twig", 0.1, Some(Frame::joint(0)), None));
    let embedded = agree(&Scene { loops: LoopMethod::Embedding, ..scene.clone() }, 1e-6, "embedded");
    let constrained = agree(&Scene { loops: LoopMethod::Constraints, ..scene.clone() }, 1e-6, "constrained");
    assert!(differ(&scene, &embedded, &constrained) < 1e-9);
}
