//! Balance: what the world carries is what loads the robot, and what one side of a joint exerts the other takes.

use crate::bench::*;
use lissome_lie::Wrench;
use lissome_model::*;
use nalgebra::Vector3;

/// Moment about the origin.
fn about_origin(wrench: &Wrench, at: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (wrench.moment + at.cross(&wrench.force), wrench.force)
}

fn robot(loops: LoopMethod) -> Scene {
    let second = Frame::world(at(0.25, 0.15, 0.05) * turned(0.0, 0.2, -2.2));
    let hinge = JointKind::Revolute { axis: Vector3::new(0.0, 0.6, 0.8) };
    Scene {
        gravity: down(),
        rods: vec![
            rod("first", 0.2, Some(ground()), None),
            rod("second", 0.22, Some(second), Some(Frame::body(0).at(turned(0.0, 0.0, -2.4)))),
            rod("third", 0.1, Some(Frame::joint(0).at(at(0.01, 0.0, 0.0))), None),
            rod(
                "fourth",
                0.12,
                Some(Frame::world(at(0.1, -0.1, 0.0) * turned(0.0, 0.0, 1.0))),
                Some(Frame::rod(0, 0.15)),
            ),
        ],
        bodies: vec![
            body("hub", Mount::On(Frame::rod(0, 0.2)), 0.008, Vector3::new(0.01, 0.0, 0.004)),
            body("end", Mount::On(Frame::rod(2, 0.1)), 0.003, Vector3::zeros()),
        ],
        joints: vec![Joint { stiffness: vec![0.03], rest: vec![0.2], ..joint("hinge", hinge, Frame::body(0)) }],
        cables: vec![Cable {
            name: "cable".into(),
            points: vec![Frame::world(at(0.0, 0.1, 0.1)), Frame::body(0).at(at(0.0, 0.01, 0.0)), Frame::rod(2, 0.07)],
            drive: CableDrive::Pull(0.004),
            stiffness: Some(300.0),
        }],
        frame_loads: vec![push("push", Frame::body(1).at(at(0.0, 0.02, 0.0)), Vector3::new(0.05, -0.03, 0.06))],
        loops,
        ..Scene::default()
    }
}

#[test]
fn the_world_carries_the_loads() {
    for loops in [LoopMethod::Embedding, LoopMethod::Constraints] {
        let scene = robot(loops);
        let solved = solve(&scene);
        let mut sum = (Vector3::zeros(), Vector3::zeros());
        let mut add = |(moment, force): (Vector3<f64>, Vector3<f64>), sign: f64| {
            sum.0 += moment * sign;
            sum.1 += force * sign;
        };
        // What the rods exert on the world.
        for rod in [0, 1, 3] {
            add(about_origin(&solved.base_wrench(rod), &solved.base(rod).position), 1.0);
        }
        // What loads the robot: weights, the push, the cable's far end.
        let linear = 1200.0 * std::f64::consts::PI * 4e-6;
        for (i, model) in scene.rods.iter().enumerate() {
            let n = 400;
            let arc: Vec<f64> = (0..=n).map(|k| model.length * f64::from(k) / f64::from(n)).collect();
            for (k, sample) in solved.samples(i, &arc).iter().enumerate() {
                // Simpson.
                let c = if k == 0 || k == n as usize {
                    1.0
                } else if k % 2 == 1 {
                    4.0
                } else {
                    2.0
                };
                let weight = down() * (linear * model.length / f64::from(n) * c / 3.0);
                add((sample.pose.position.cross(&weight), weight), -1.0);
            }
        }
        for (i, model) in scene.bodies.iter().enumerate() {
            let weight = down() * model.inertia.mass;
            add((solved.body(i).transform(&model.inertia.centre).cross(&weight), weight), -1.0);
        }
        let (push, on) = (Vector3::new(0.05, -0.03, 0.06), solved.body(1).transform(&Vector3::new(0.0, 0.02, 0.0)));
        add((on.cross(&push), push), -1.0);
        let eyelet = Vector3::new(0.0, 0.1, 0.1);
        let toward = (eyelet - solved.body(0).transform(&Vector3::new(0.0, 0.01, 0.0))).normalize();
        let pull = toward * solved.tension(0);
        add((eyelet.cross(&pull), pull), -1.0);
        // The samples' curve is re-integrated: as near to the spline as its order makes it.
        assert!(sum.1.norm() < 1e-8, "{loops:?} force {}", sum.1);
        assert!(sum.0.norm() < 1e-7, "{loops:?} moment {}", sum.0);
    }
}

/// The tip of the closing rod exerts what the hub takes: hub's balance with everything on it.
#[test]
fn action_is_reaction_at_the_hub() {
    let scene = robot(LoopMethod::Embedding);
    let solved = solve(&scene);
    let hub = solved.body(0);
    let centre = hub.transform(&scene.bodies[0].inertia.centre);
    let weight = down() * 0.008;
    let eyelet = hub.transform(&Vector3::new(0.0, 0.01, 0.0));
    let sides = [Vector3::new(0.0, 0.1, 0.1), solved.samples(2, &[0.0, 0.07])[1].pose.position];
    let pull: Vector3<f64> = sides.iter().map(|p| (p - eyelet).normalize() * solved.tension(0)).sum();
    // What the first rod's tip exerts on what hangs on it must balance the rest.
    let first = about_origin(&solved.tip_wrench(0), &solved.tip(0).position);
    let second = about_origin(&solved.tip_wrench(1), &solved.tip(1).position);
    let third = about_origin(&solved.base_wrench(2), &solved.base(2).position);
    let force = first.1 + second.1 + third.1 + weight + pull;
    let moment = first.0 + second.0 + third.0 + centre.cross(&weight) + eyelet.cross(&pull);
    assert!(force.norm() < 1e-8, "{force}");
    assert!(moment.norm() < 1e-8, "{moment}");
}

/// About its axis a hinge transmits its spring's moment and nothing else.
#[test]
fn a_hinge_transmits_its_spring() {
    let scene = robot(LoopMethod::Constraints);
    let solved = solve(&scene);
    let hinge = solved.solution.state.poses[solved.system.joint_slot(0)];
    let axis = hinge.rotation.rotate(&Vector3::new(0.0, 0.6, 0.8));
    let third = solved.base_wrench(2);
    let about_hinge = third.moment + (solved.base(2).position - hinge.position).cross(&third.force);
    let spring = 0.03 * (solved.joint(0)[0] - 0.2);
    assert!((about_hinge.dot(&axis) - spring).abs() < 1e-8, "{} {spring}", about_hinge.dot(&axis));
}
