//! Branches followed by their own length: through folds, onto branches that cross, around closed loops.

use super::strip::strip;
use lissome_lie::{Pose, Rotation, Wrench};
use lissome_mech::System;
use lissome_model::*;
use lissome_reference::analytic::snap::Strip;
use lissome_solve::{BranchEnd, Event, EventKind, StaticOptions, TracedBranch, diagram, fold_curve};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// A point of a diagram: branch, parameter, stability, event.
struct Seen {
    branch: usize,
    at: f64,
    stable: bool,
    event: Option<Event>,
}

fn trace(scene: &Scene, end: f64, how: &Arclength) -> (Vec<Seen>, Vec<TracedBranch>) {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let mut seen = Vec::new();
    let options = StaticOptions::default();
    let branches = diagram::trace(&system, end, how, &options, &mut work, &mut |_| true, &mut |step| {
        let outcome = &step.solution.outcome;
        assert!(outcome.converged(), "branch {} at {}: residual {}", step.branch, step.at, outcome.residual);
        seen.push(Seen {
            branch: step.branch,
            at: step.at,
            stable: outcome.stability.unwrap().stable,
            event: outcome.events.first().copied().filter(|_| step.index > 0),
        });
        true
    });
    (seen, branches)
}

/// The strip snaps at a fold, which the path goes through: the branch turns back there, unstable, against the drive. The
/// fold is that of the exact planar rod.
#[test]
fn a_fold_is_a_point_like_any_other() {
    let compression = 0.5e-3_f64.powi(2) / 12.0;
    let exact = Strip { distance: 0.99, axial_compliance: compression, shear_compliance: 3.0 * compression };
    let [fold, _] = exact.fold().unwrap();
    let mut folds = 0;
    for angle in [0.26, -0.26] {
        let (seen, branches) = trace(&strip(angle), 0.26, &Arclength::default());
        assert_eq!(branches.len(), 1);
        assert_eq!(branches[0].end, BranchEnd::LeavesRange);
        let Some(index) = seen.iter().position(|point| point.event.is_some()) else { continue };
        let event = seen[index].event.unwrap();
        assert_eq!(event.kind, EventKind::Fold);
        // The division of the strip errs by 1e-5.
        assert!((event.at - fold.angle).abs() < 1e-4 * 0.26, "{} is not {}", event.at, fold.angle);
        assert!(seen[..index].iter().all(|point| point.stable), "until the fold");
        assert!(!seen[index + 1].stable && seen[index + 1].at < event.at, "beyond the fold");
        folds += 1;
    }
    assert_eq!(folds, 1);
}

/// A cantilever column along x, EI = 1 in its weak plane, round or four times as stiff in the other, pushed from 0 to 4. Its
/// own compression changes Euler's load by (π r/2L)² ≈ 2.5e-6 and less.
fn column(round: bool) -> Scene {
    let radius: f64 = 1e-3;
    let young = 1.0 / (PI * radius.powi(4) / 4.0);
    let section = match round {
        true => Section::circle(radius, Material::from_poisson(young, 0.3)),
        false => {
            let shape = Shape::Rectangle { width: 4.0 * radius, height: 2.0 * radius };
            Section::plain(shape, Material::from_poisson(young * 3.0 * PI / 32.0, 0.3))
        }
    };
    let rod = Rod {
        name: "column".into(),
        length: 1.0,
        profile: Profile::uniform(section),
        natural: NaturalShape::Straight,
        base: Some(Pose::identity().into()),
        tip: None,
        discretization: Discretization::Spline {
            degree: 3,
            // With fewer the free turn of a buckled round column is not quite free, and its eigenvalue changes its sign.
            resolution: Resolution::Spans(16),
            form: StrainForm::Mixed,
        },
        initial_velocity: None,
        turns: Vector3::zeros(),
        laid: Vec::new(),
        tubes: None,
    };
    let wrench = Wrench::new(Vector3::zeros(), Vector3::new(-1.0, 0.0, 0.0));
    let load =
        Load { name: "thrust".into(), rod: 0, frame: LoadFrame::World, kind: LoadKind::Point { at: 1.0, wrench } };
    let push = Drive {
        path: "thrust.scale".into(),
        target: DriveTarget::Load(0),
        signal: Signal::Ramp { from: 0.0, to: 4.0, start: 0.0, over: 1.0 },
    };
    Scene { rods: vec![rod], loads: vec![load], drives: vec![push], ..Scene::default() }
}

const EULER: f64 = PI * PI / 4.0;

#[test]
fn a_column_buckles_to_both_sides() {
    let how = Arclength { branches: MOST_BRANCHES, ..Arclength::default() };
    let (seen, branches) = trace(&column(false), 1.0, &how);
    assert_eq!(branches.len(), 3, "{branches:?}");
    assert!(branches.iter().all(|branch| branch.end == BranchEnd::LeavesRange && !branch.neutral));
    let events: Vec<Event> = seen.iter().filter_map(|point| point.event).collect();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!((events[0].kind, events[0].multiplicity), (EventKind::Bifurcation, 1));
    assert!((events[0].at * 4.0 / EULER - 1.0).abs() < 1e-4, "{}", events[0].at * 4.0);
    let beyond = |point: &&Seen| point.at * 4.0 > EULER * 1.001;
    assert!(seen.iter().filter(beyond).all(|point| point.stable == (point.branch > 0)));
}

/// Round, it buckles to any side: two eigenvalues pass through zero at once, and one branch stands for all.
#[test]
fn a_round_column_has_a_double_bifurcation() {
    let how = Arclength { branches: MOST_BRANCHES, ..Arclength::default() };
    let (seen, branches) = trace(&column(true), 1.0, &how);
    let events: Vec<Event> = seen.iter().filter_map(|point| point.event).collect();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!((events[0].kind, events[0].multiplicity), (EventKind::Bifurcation, 2));
    assert!((events[0].at * 4.0 / EULER - 1.0).abs() < 1e-4, "{}", events[0].at * 4.0);
    assert_eq!(branches.len(), 2, "{branches:?}");
    assert!(branches[1].neutral && branches[1].end == BranchEnd::LeavesRange);
}

/// The fold of the strip over the distance of its clamps: in the shallow limit the angle at the fold is 1.7818 √(1 − d/L).
#[test]
fn folds_are_followed_over_a_second_drive() {
    let mut scene = strip(0.26);
    // The far clamp on a rail, driven from 0.99 to 0.985.
    scene.joints.push(Joint {
        name: "rail".into(),
        kind: JointKind::Prismatic { axis: Vector3::x() },
        parent: Frame::world(Pose::new(Rotation::identity(), Vector3::new(0.99, 0.0, 0.0))),
        ..scene.joints[0].clone()
    });
    scene.rods[0].tip = Some(Frame::joint(1));
    scene.drives.push(Drive {
        path: "rail.travel".into(),
        target: DriveTarget::JointValue { joint: 1, coordinate: 0 },
        signal: Signal::Ramp { from: 0.0, to: -0.005, start: 0.0, over: 0.26 },
    });
    let mut found = 0;
    for sense in [1.0, -1.0] {
        scene.drives[0].signal = Signal::Ramp { from: 0.0, to: sense * 0.26, start: 0.0, over: 0.26 };
        scene.validate().unwrap();
        let system = System::compile(&scene).unwrap();
        let mut work = system.workspace();
        let job = FoldCurveJob { end: 0.26, ..FoldCurveJob::over(1) };
        let options = StaticOptions::default();
        let curves = fold_curve::trace(&system, &job, &options, &mut work, &mut |_| true);
        let Some(curve) = curves.first() else { continue };
        assert_eq!(curve.end.name(), "leaves-range");
        for point in &curve.points {
            let compression = 0.5e-3_f64.powi(2) / 12.0;
            let distance = 0.99 + point.drives[1];
            let exact = Strip { distance, axial_compliance: compression, shear_compliance: 3.0 * compression };
            let [fold, _] = exact.fold().unwrap();
            assert!((point.at - fold.angle).abs() < 1e-4 * 0.26, "{} is not {}", point.at, fold.angle);
            assert_eq!(point.negative_directions, 0, "a stable branch ends there");
        }
        let last = curve.points.last().unwrap();
        assert!((last.drives[1] + 0.005).abs() < 1e-12, "{}", last.drives[1]);
        found += 1;
    }
    assert_eq!(found, 1);
}
