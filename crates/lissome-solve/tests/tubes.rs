//! Concentric tubes against closed forms: the angle of two tubes that wind against each other, and a tube that is a rod.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Wrench};
use lissome_mech::index::RodIndex;
use lissome_mech::{Input, System};
use lissome_model::*;
use lissome_solve::path::{self, Path};
use lissome_solve::{Solution, StaticOptions, statics};
use nalgebra::{Vector2, Vector3};

/// Poisson's ratio of both tubes: λ = κ₁κ₂(1 + ν) for round sections.
const POISSON: f64 = 0.3;
const LAMBDA: f64 = 34.8;
/// Length of the transmission and of the curved overlap, m.
const TRANSMISSION: f64 = 0.21;
const OVERLAP: f64 = 0.23;

fn spline(spans: usize) -> Discretization {
    Discretization::Spline { degree: 3, resolution: Resolution::Spans(spans), form: StrainForm::Mixed }
}

fn tube(name: &str, inner: f64, outer: f64, curvature: f64) -> Tube {
    Tube {
        name: name.into(),
        material: Material::from_poisson(60e9, POISSON).with_density(1200.0),
        inner_diameter: inner,
        outer_diameter: outer,
        length: TRANSMISSION + OVERLAP,
        curved_length: OVERLAP,
        curvature: vec![(0.0, Vector2::new(0.0, curvature))],
        insertion: OVERLAP,
        ..Tube::default()
    }
}

/// Two tubes that wind against each other; the outer one is turned by `angle`.
fn pair(angle: f64, spans: usize) -> Scene {
    let inner = 6.0;
    let mut tubes =
        vec![tube("inner", 1.6e-3, 2e-3, inner), tube("outer", 2.2e-3, 2.6e-3, LAMBDA / (1.0 + POISSON) / inner)];
    tubes[1].rotation = angle;
    let rod = TubeSet { tubes, ..TubeSet::default() }.rod("robot", Frame::world(Pose::identity()), spline(spans));
    Scene { rods: vec![rod], ..Scene::default() }
}

fn solve(scene: &Scene) -> (System, Solution) {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &StaticOptions::default(), &mut work, &mut |_| true);
    assert!(solution.outcome.converged(), "{:?}", solution.outcome.status);
    (system, solution)
}

fn tip_angle(system: &System, solution: &Solution) -> f64 {
    let length = system.rods()[0].curve().length();
    let arc = [length * (1.0 - 1e-12)];
    system.tubes_at(RodIndex::new(0), &solution.state, &arc)[0][1].angle
}

/// θ(β) for an angle θ(l) at the tip, by θ″ = λ sin θ with θ′(l) = 0 and a straight line behind the entry: classical
/// Runge–Kutta, whose error is below 1e-11 here.
fn base_angle(tip: f64) -> f64 {
    let steps = 4000;
    let h = -OVERLAP / f64::from(steps);
    let (mut angle, mut slope) = (tip, 0.0);
    for _ in 0..steps {
        let f = |angle: f64| LAMBDA * angle.sin();
        let (a1, s1) = (slope, f(angle));
        let (a2, s2) = (slope + 0.5 * h * s1, f(angle + 0.5 * h * a1));
        let (a3, s3) = (slope + 0.5 * h * s2, f(angle + 0.5 * h * a2));
        let (a4, s4) = (slope + h * s3, f(angle + h * a3));
        angle += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        slope += h / 6.0 * (s1 + 2.0 * s2 + 2.0 * s3 + s4);
    }
    angle - TRANSMISSION * slope
}

/// θ(l) on the branch from rest, where θ(β) rises up to the fold.
fn exact_tip_angle(base: f64, (mut low, mut high): (f64, f64)) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if base_angle(middle) < base { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[test]
fn two_tubes_wind_as_the_pendulum_equation_says() {
    // Nearer to half a turn, where two branches are stable, it takes the path below to say which is meant.
    for base in [1.0, 2.0] {
        let exact = exact_tip_angle(base, (0.0, 1.5));
        // The order of a cubic spline: four spans leave 1e-8 of the angle, eight the round-off of the bisection.
        for (spans, tolerance) in [(1, 1e-4), (4, 1e-6), (8, 1e-8)] {
            let (system, solution) = solve(&pair(base, spans));
            let found = tip_angle(&system, &solution);
            assert!((found - exact).abs() < tolerance, "{base} rad, {spans} spans: {found} {exact}");
            assert!(solution.outcome.stability.unwrap().stable);
        }
    }
}

#[test]
fn a_path_over_the_fold_says_where_it_snapped_and_lands_on_the_far_branch() {
    let mut scene = pair(0.0, 4);
    scene.drives = vec![Drive {
        path: "robot.outer.rotation".into(),
        target: DriveTarget::TubeRotation { rod: 0, tube: 1 },
        signal: Signal::Ramp { from: 0.0, to: 4.3, start: 0.0, over: 1.0 },
    }];
    scene.validate().unwrap();
    let system = System::compile(&scene).unwrap();
    let mut found = Vec::new();
    let path = Path { samples: 9, end: 1.0, on_event: OnEvent::Jump };
    path::follow(&system, &path, &StaticOptions::default(), &mut system.workspace(), &mut |_| true, &mut |step| {
        let angle = tip_angle(&system, step.solution);
        found.push((step.at * 4.3, angle, step.solution.outcome.events.clone()));
        true
    });
    for (base, angle, _) in found.iter().filter(|(base, ..)| *base < 4.0) {
        let exact = exact_tip_angle(*base, (0.0, 1.7));
        assert!((angle - exact).abs() < 1e-5, "{angle} at {base} is {exact}");
    }
    let (base, last, _) = found.last().unwrap();
    assert!((base - 4.3).abs() < 1e-12, "the path ends at {base}");
    let far = exact_tip_angle(4.3, (5.2, std::f64::consts::TAU));
    assert!((last - far).abs() < 1e-5, "{last} on the far branch is {far}");
    let events: Vec<f64> = found.iter().flat_map(|(_, _, events)| events).map(|event| event.at * 4.3).collect();
    // The largest θ(β) of the branch from rest.
    let fold = (0..4000).map(|k| base_angle(1e-3 * f64::from(k))).take_while(|x| x.is_finite()).fold(0.0, f64::max);
    assert!((fold - 4.058564).abs() < 1e-5);
    assert!(events.iter().any(|at| (at - fold).abs() < 1e-3 * fold), "fold at {fold}, told {events:?}");
}

#[test]
fn one_tube_held_at_its_entry_is_a_rod() {
    let mut alone = tube("wire", 1e-3, 2e-3, 5.0);
    (alone.length, alone.rotation) = (OVERLAP, 0.4);
    let (inner, outer, material) = (0.5e-3, 1e-3, alone.material);
    let load = Load {
        name: "tip".into(),
        rod: 0,
        frame: LoadFrame::World,
        kind: LoadKind::Point {
            at: OVERLAP,
            wrench: Wrench::new(Vector3::new(1e-3, 0.0, 0.0), Vector3::new(0.02, -0.05, 0.06)),
        },
    };
    let rod =
        TubeSet { tubes: vec![alone], ..TubeSet::default() }.rod("robot", Frame::world(Pose::identity()), spline(5));
    let tubes = Scene { rods: vec![rod], loads: vec![load.clone()], ..Scene::default() };
    let turned = lissome_lie::Rotation::exp(&(Vector3::x() * 0.4));
    let plain = Rod {
        name: "robot".into(),
        length: OVERLAP,
        profile: Profile::uniform(Section::plain(Shape::Annulus { inner, outer }, material)),
        natural: NaturalShape::curved(Vector3::new(0.0, 0.0, 5.0)),
        base: Some(Pose::new(turned, Vector3::zeros()).into()),
        discretization: spline(5),
        ..Rod::default()
    };
    let rods = Scene { rods: vec![plain], loads: vec![load], ..Scene::default() };
    let [(a, one), (b, other)] = [solve(&tubes), solve(&rods)];
    let rod = RodIndex::new(0);
    let samples = a.sample(rod, &one.state, 21).into_iter().zip(b.sample(rod, &other.state, 21));
    for (tube, rod) in samples {
        let gap = tube.pose.boxminus(&rod.pose);
        assert!(gap.angular.norm() < 1e-10 && gap.linear.norm() < 1e-10 * OVERLAP, "{gap:?} at {}", tube.s);
        let force = (tube.stress.to_vector() - rod.stress.to_vector()).amax();
        assert!(force < 1e-10 * rod.stress.to_vector().amax(), "{force}");
    }
}

/// The derivative of the whole state by the turn of a base against solved neighbours, of a base behind the entry and of one
/// at it.
#[test]
fn the_columns_of_rotations_are_derivatives() {
    for held in [false, true] {
        let mut scene = pair(1.2, 3);
        if held {
            let tubes = scene.rods[0].tubes.as_mut().unwrap();
            tubes.tubes[1].length = OVERLAP;
        }
        for tube in 0..2 {
            let turned = |by: f64| {
                let mut scene = scene.clone();
                scene.rods[0].tubes.as_mut().unwrap().tubes[tube].rotation += by;
                let (system, solution) = solve(&scene);
                let last = system.rods()[0].curve().pose_count() - 1;
                solution.state.poses[last]
            };
            let h = 1e-4;
            let finite = turned(h).boxminus(&turned(-h)).to_vector() / (2.0 * h);
            let (system, solution) = solve(&scene);
            let mut work = system.workspace();
            system.assemble(&solution.state, &solution.inputs, lissome_mech::CurvatureOf::Poses, &mut work);
            system.factor(&mut work).unwrap();
            let input = Input::TubeRotation { rod: 0, tube };
            system.assemble_input_column(&solution.state, &solution.inputs, input, &mut work);
            let step = system.solve_input_column(&solution.state, &mut work);
            let exact = step.poses[system.rods()[0].curve().pose_count() - 1].to_vector();
            let error = (finite - exact).amax() / exact.amax();
            assert!(error < 1e-6, "tube {tube}, held {held}: {error:e}");
        }
    }
}
