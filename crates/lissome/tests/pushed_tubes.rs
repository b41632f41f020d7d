//! Tubes that are pushed in and out while they move.
#![allow(clippy::unwrap_used)]

use lissome::Unobserved;
use lissome::observer::Progress;
use lissome_io::scene;
use lissome_lie::Pose;
use lissome_model::{
    Body, Discretization, Drive, DriveTarget, DynamicsJob, Frame, Inertia, Job, Joint, JointKind, JointMotion,
    Material, Mount, Relative, Resolution, Scene, Scheme, Signal, Start, StaticsJob, StepControl, StrainForm, Tube,
    TubeSet,
};
use lissome_solve::{Answer, MotionAnswer, MotionEnd, MotionFrame, MotionRecord};
use nalgebra::{Matrix3, Vector3};
use std::ops::ControlFlow;

const SCENE: &str = include_str!("../../../examples/scenes/concentric-tubes.toml");
const LENGTH: f64 = 0.2;

/// The shipped robot, its innermost tube pushed past two places, from rest to rest.
fn pushed(over: f64, rest: f64, step: f64) -> Scene {
    let mut scene = scene::parse("tubes.toml", SCENE.to_owned(), &[]).unwrap().scene;
    scene.drives.retain(|drive| matches!(drive.target, DriveTarget::TubeInsertion { .. }));
    scene.drives[0].signal = Signal::SmoothRamp { from: 0.13, to: 0.2, start: 0.0, over };
    scene.insert_tube(0, 0, 0.13);
    scene.rods[0].discretization =
        Discretization::Spline { degree: 3, resolution: Resolution::Spans(6), form: StrainForm::Mixed };
    for tube in scene.rods[0].tubes.iter_mut().flat_map(|set| &mut set.tubes) {
        tube.material = Material { damping: 4e-3, density: Some(6450.0), ..tube.material };
    }
    let rod = scene.rods[0].clone();
    let set = rod.tubes.unwrap();
    scene.rods[0] = set.rod(rod.name, rod.base.unwrap(), rod.discretization);
    scene.job = Job::Dynamics(DynamicsJob {
        duration: over + rest,
        output_rate: 100.0,
        step: StepControl::Fixed(step),
        ..DynamicsJob::default()
    });
    scene
}

fn run(scene: &Scene, mut see: impl FnMut(&MotionFrame)) -> MotionAnswer {
    let answer = lissome::run(scene, &mut |progress: &Progress<'_>| {
        if let Progress::Frame(output) = progress {
            see(output.frame);
        }
        ControlFlow::Continue(())
    });
    let Answer::Dynamics(motion) = answer.unwrap() else { unreachable!() };
    motion
}

fn tip(frame: &MotionFrame) -> Vector3<f64> {
    frame.rods[0].poses.last().unwrap().position
}

/// Distance from the tip of the equilibrium with the insertions at the end, m.
fn from_rest(scene: &Scene, tip: &Vector3<f64>) -> f64 {
    let mut resting = scene.inserted_at(scene.job.end());
    resting.drives.clear();
    *resting.rods[0].discretization.resolution_mut() = Resolution::Spans(30);
    resting.job = Job::Statics(StaticsJob::default());
    let Answer::Statics(rest) = lissome::run(&resting, &mut Unobserved).unwrap() else { unreachable!() };
    (rest.rods[0].tip.position - tip).norm()
}

#[test]
fn tubes_that_are_pushed_come_to_rest_where_their_equilibrium_is_and_go_on_from_a_checkpoint() {
    // The innermost tube passes two places in half a second.
    let scene = pushed(0.5, 2.0, 5e-3);
    let (mut tips, mut snapshot) = (Vec::new(), None);
    let answer = lissome::run(&scene, &mut |progress: &Progress<'_>| {
        if let Progress::Frame(output) = progress {
            tips.push(tip(output.frame));
            if tips.len() == 21 {
                snapshot = Some(output.snapshot());
            }
        }
        ControlFlow::Continue(())
    });
    let Answer::Dynamics(motion) = answer.unwrap() else { unreachable!() };
    assert_eq!(motion.end, MotionEnd::Finished);
    // The house trusts a motion whose balance rises by less than 2 %; nothing here is near to that.
    assert!(motion.record.balance.relative_drift() < 1e-3, "{:e}", motion.record.balance.relative_drift());
    let off = from_rest(&scene, tips.last().unwrap());
    // The default tolerance of a rod; the equilibrium is divided otherwise.
    assert!(off < 1e-5 * LENGTH, "{off:e}");
    // What was kept on the way, behind the first passing and before the second, goes on bit for bit.
    let mut again = Vec::new();
    let earlier = MotionRecord::of(&scene);
    lissome::resume(&scene, &snapshot.unwrap(), earlier, &mut |progress: &Progress<'_>| {
        if let Progress::Frame(output) = progress {
            again.push(tip(output.frame));
        }
        if again.len() < 30 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .unwrap();
    assert_eq!(again[..30], tips[21..51]);
}

/// Where no places pass each other, all parts of a step are of second order: halving it takes off three quarters of the error.
#[test]
fn pushed_tubes_move_to_second_order_in_the_step() {
    let ends = [5e-3, 2.5e-3, 1.25e-3].map(|step| {
        let mut scene = pushed(0.5, 0.0, step);
        let Job::Dynamics(job) = &mut scene.job else { unreachable!() };
        job.duration = 0.1;
        tip(&run(&scene, |_| {}).record.last.unwrap())
    });
    let ratio = (ends[0] - ends[1]).norm() / (ends[1] - ends[2]).norm();
    assert!((3.0..6.0).contains(&ratio), "{ratio}");
}

#[test]
fn schemes_that_keep_an_energy_do_not_push_tubes() {
    for scheme in [Scheme::Conserving, Scheme::Symplectic, Scheme::Explicit] {
        let mut scene = pushed(0.5, 0.1, 5e-3);
        let Job::Dynamics(job) = &mut scene.job else { unreachable!() };
        job.scheme = scheme;
        let why = lissome::run(&scene, &mut Unobserved).unwrap_err().to_string();
        assert!(why.contains("robust"), "{why}");
    }
}

/// A straight tube on a hinge.
fn turning(
    length: f64,
    pushing: f64,
    (motion, initial_rate): (JointMotion, Vec<f64>),
    stiffness: impl Fn(f64) -> f64,
) -> (Scene, f64, f64) {
    let material = Material { damping: 5e-3, ..Material::from_poisson(60e9, 0.3).with_density(6450.0) };
    let mut tube = Tube {
        name: "wire".into(),
        material,
        inner_diameter: 0.6e-3,
        outer_diameter: 0.8e-3,
        length: 0.5,
        insertion: length,
        ..Tube::default()
    };
    let mass = 6450.0 * tube.shape().area();
    let stiffness = stiffness(mass);
    tube.bending_stiffness = Some(stiffness);
    let spline = Discretization::Spline { degree: 3, resolution: Resolution::Spans(4), form: StrainForm::Mixed };
    let hinge = Joint {
        name: "hinge".into(),
        kind: JointKind::Revolute { axis: Vector3::z() },
        parent: Frame::world(Pose::identity()),
        motion,
        initial_rate,
        ..Joint::default()
    };
    let set = TubeSet { tubes: vec![tube], ..TubeSet::default() };
    let scene = Scene {
        joints: vec![hinge],
        rods: vec![set.rod("robot", Frame::joint(0), spline)],
        drives: vec![Drive {
            path: "robot.wire.insertion".into(),
            target: DriveTarget::TubeInsertion { rod: 0, tube: 0 },
            signal: Signal::Ramp { from: length, to: length + pushing, start: 0.0, over: 1.0 },
        }],
        job: Job::Dynamics(DynamicsJob {
            duration: 0.8,
            output_rate: 50.0,
            start: Start::Natural,
            step: StepControl::Fixed(1e-3),
            ..DynamicsJob::default()
        }),
        ..Scene::default()
    };
    (scene, mass, stiffness)
}

/// A straight tube on a hinge that turns evenly, pushed out evenly. All its material moves along it with the same speed v, so that
/// 2ρA v ω acts on every part of it and bends it back by 2ρA v ω ℓ⁴/8EI at its tip. The push alone would give 11/15 of that.
#[test]
fn material_that_moves_along_a_turning_tube_bends_it_back() {
    let (omega, pushing, length) = (2.0, 0.1, 0.28);
    // So stiff that the turn itself stiffens it by a part in a thousand only.
    let stiff = |mass: f64| mass * omega * omega * 0.3f64.powi(4) / 1e-3;
    let (mut scene, mass, stiffness) =
        turning(0.2, pushing, (JointMotion::Driven { value: vec![0.0] }, Vec::new()), stiff);
    scene.drives.push(Drive {
        path: "hinge".into(),
        target: DriveTarget::JointValue { joint: 0, coordinate: 0 },
        signal: Signal::Ramp { from: 0.0, to: omega, start: 0.0, over: 1.0 },
    });
    let motion = run(&scene, |_| {});
    assert_eq!(motion.end, MotionEnd::Finished);
    let last = motion.record.last.unwrap();
    let (tip, angle) = (tip(&last), omega * last.time);
    let across = tip.y * angle.cos() - tip.x * angle.sin();
    let expected = -2.0 * mass * pushing * omega * f64::powi(length, 4) / (8.0 * stiffness);
    // The turn stiffens it by a thousandth of what it has, and its length changes by a percent in the time that a swing takes.
    assert!((across / expected - 1.0).abs() < 0.02, "{across:e} {expected:e}");
}

/// A stiff straight tube with a body at its tip that turns freely about its entry keeps its angular momentum (ρAℓ³/3 + mℓ²) ω
/// while it is pushed out: what comes through the entry brings none.
#[test]
fn a_tube_that_is_pushed_out_turns_the_slower() {
    let (omega, pushing, length) = (2.0, 0.2, 0.2);
    for bodies in [false, true] {
        let tip_mass = if bodies { 2e-4 } else { 0.0 };
        let stiff = |mass: f64| (mass + 3.0 * tip_mass / 0.4) * omega * omega * 0.4f64.powi(4) / 1e-4;
        let motion = (JointMotion::Free { start: vec![0.0] }, vec![omega]);
        let (mut scene, mass, _) = turning(length, pushing, motion, stiff);
        if bodies {
            // A ball of a millimetre.
            let about_centre = Matrix3::from_diagonal_element(0.4 * tip_mass * 1e-6);
            let inertia = Inertia { mass: tip_mass, centre: Vector3::zeros(), about_centre };
            let mount = Mount::On(Frame::rod(0, length));
            scene.bodies = vec![Body { name: "ball".into(), inertia, mount, ..Body::default() }];
        }
        let inertia = |time: f64| {
            let reach = length + pushing * time;
            mass * reach.powi(3) / 3.0 + tip_mass * reach * reach
        };
        let errors = [4e-3, 2e-3].map(|step| {
            let Job::Dynamics(job) = &mut scene.job else { unreachable!() };
            job.step = StepControl::Fixed(step);
            let motion = run(&scene, |_| {});
            assert_eq!(motion.end, MotionEnd::Finished);
            let last = motion.record.last.unwrap();
            // ∫ ω dt by Simpson's rule, far finer than the motion.
            let part = |k: usize| inertia(0.0) / inertia(last.time * k as f64 / 1000.0);
            let weight = |k: usize| if k.is_multiple_of(1000) { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
            let sum: f64 = (0..=1000).map(|k| weight(k) * part(k)).sum();
            let expected = omega * last.time * sum / 3000.0;
            (last.joints[0][0] / expected - 1.0).abs()
        });
        // Of second order; and it bends by 1e-4 of its length.
        assert!(errors[1] < 1e-4 && errors[1] < 0.4 * errors[0], "{bodies} {errors:?}");
    }
}

/// Each way of pushing ends at rest where the equilibrium is, with a balance that holds.
#[test]
fn tubes_are_pushed_in_every_way() {
    let ramp = |tube: usize, from: f64, to: f64| Drive {
        path: format!("robot.{tube}.insertion"),
        target: DriveTarget::TubeInsertion { rod: 0, tube },
        signal: Signal::SmoothRamp { from, to, start: 0.0, over: 0.5 },
    };
    let ways = [
        ("pulled in past two places", vec![ramp(0, 0.2, 0.13)]),
        ("all at once and alike", vec![ramp(0, 0.13, 0.2), ramp(1, 0.12, 0.19), ramp(2, 0.08, 0.15)]),
        ("against each other", vec![ramp(0, 0.13, 0.2), ramp(2, 0.08, 0.05)]),
        ("until two places are one", vec![ramp(0, 0.13, 0.14)]),
        ("from where two places are one", vec![ramp(0, 0.14, 0.145)]),
        ("until curvature comes out of the guide", vec![ramp(2, 0.06, 0.1)]),
    ];
    for (name, drives) in ways {
        let mut scene = pushed(0.5, 0.8, 5e-3);
        for drive in &drives {
            let DriveTarget::TubeInsertion { tube, .. } = drive.target else { unreachable!() };
            scene.insert_tube(0, tube, drive.signal.at(0.0));
        }
        scene.drives = drives;
        let motion = run(&scene, |_| {});
        assert_eq!(motion.end, MotionEnd::Finished, "{name}");
        let off = from_rest(&scene, &tip(&motion.record.last.unwrap()));
        assert!(off < 1e-5 * LENGTH, "{name}: {off:e}");
    }
}

#[test]
fn tubes_that_may_tilt_and_other_schemes_and_steps_push_too() {
    let mut tilting = pushed(0.3, 0.0, 5e-3);
    let rod = tilting.rods[0].clone();
    let set = TubeSet { relative: Relative::General, ..rod.tubes.unwrap() };
    tilting.rods[0] = set.rod(rod.name, rod.base.unwrap(), rod.discretization);
    let heavy = |scheme: Scheme, step: StepControl| {
        let mut scene = pushed(0.3, 0.0, 5e-3);
        scene.gravity = Vector3::new(0.0, -9.81, 0.0);
        let Job::Dynamics(job) = &mut scene.job else { unreachable!() };
        (job.scheme, job.step) = (scheme, step);
        scene
    };
    let fixed = StepControl::Fixed(5e-3);
    for scene in [
        tilting,
        heavy(Scheme::Euler, fixed),
        heavy(Scheme::TrBdf2, fixed),
        heavy(Scheme::Robust, StepControl::Tolerance(1e-2)),
    ] {
        let motion = run(&scene, |_| {});
        assert_eq!(motion.end, MotionEnd::Finished);
    }
}
