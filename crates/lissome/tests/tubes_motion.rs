//! Two tubes that wind against each other in time: they let go near the fold of their equilibria and come to rest beyond it.
#![allow(clippy::unwrap_used)]

use lissome::Unobserved;
use lissome_lie::Pose;
use lissome_model::*;
use lissome_solve::{Answer, MotionEnd};
use nalgebra::{Vector2, Vector3};

/// Turn of the outer base at the fold, rad: the largest θ(β) on the branch from rest of θ″ = 34.8 sin θ.
const FOLD: f64 = 4.058564;
const END: f64 = 4.3;
const LENGTH: f64 = 0.23;

fn scene(job: Job, over: f64) -> Scene {
    let tube = |name: &str, inner: f64, outer: f64, curvature: f64| Tube {
        name: name.into(),
        material: Material { damping: 5e-3, ..Material::from_poisson(60e9, 0.3).with_density(1200.0) },
        inner_diameter: inner,
        outer_diameter: outer,
        length: 0.21 + LENGTH,
        curved_length: LENGTH,
        curvature: vec![(0.0, Vector2::new(0.0, curvature))],
        insertion: LENGTH,
        ..Tube::default()
    };
    let tubes = vec![tube("inner", 1.6e-3, 2e-3, 6.0), tube("outer", 2.2e-3, 2.6e-3, 34.8 / 1.3 / 6.0)];
    let spline = Discretization::Spline { degree: 3, resolution: Resolution::Spans(2), form: StrainForm::Mixed };
    let drive = Drive {
        path: "robot.outer.rotation".into(),
        target: DriveTarget::TubeRotation { rod: 0, tube: 1 },
        signal: Signal::Ramp { from: 0.0, to: END, start: 0.0, over },
    };
    let rod = TubeSet { tubes }.rod("robot", Frame::world(Pose::identity()), spline);
    Scene { rods: vec![rod], drives: vec![drive], job, ..Scene::default() }
}

/// Tips of the equilibria at rotations 0, END/samples, …, END.
fn equilibria(samples: usize) -> Vec<Vector3<f64>> {
    let job = Job::Path(PathJob { samples, ..PathJob::default() });
    let Answer::Path(path) = lissome::run(&scene(job, 1.0), &mut Unobserved).unwrap() else { unreachable!() };
    path.samples.iter().map(|sample| sample.equilibrium.rods[0].tip.position).collect()
}

#[test]
fn tubes_let_go_near_the_fold_and_rest_on_the_far_branch() {
    let rest = equilibria(44);
    let job = DynamicsJob {
        duration: END + 0.3,
        output_rate: 100.0,
        scheme: Scheme::Robust,
        step: StepControl::Fixed(1e-3),
        start: Start::Equilibrium,
        release: vec![],
    };
    // One radian a second.
    let answer = lissome::run(&scene(Job::Dynamics(job), END), &mut Unobserved).unwrap();
    let Answer::Dynamics(motion) = answer else { unreachable!() };
    assert_eq!(motion.end, MotionEnd::Finished);
    let tip_at = |t: f64| {
        let frame = &motion.record.frames[(t * 100.0).round() as usize];
        frame.rods[0].poses.last().unwrap().position
    };
    let equilibrium_at = |angle: f64| rest[(angle / END * 43.0).round() as usize];
    // Before the fold the motion is where its equilibria are, 0.1 rad behind it it has left them.
    let before = (tip_at(3.9) - equilibrium_at(3.9)).norm();
    assert!(before < 0.02 * LENGTH, "{before}");
    let last = equilibrium_at(4.0);
    let beyond = (tip_at(FOLD + 0.1) - last).norm();
    assert!(beyond > 0.2 * LENGTH, "{beyond}");
    let settled = (tip_at(END + 0.3) - rest[43]).norm();
    assert!(settled < 5e-3 * LENGTH, "{settled}");
}
