//! Friction along tendons.

use crate::equilibria::{solve, spline};
use crate::robots::{OFFSET, backbone, tendon};
use lissome_mech::System;
use lissome_model::*;
use lissome_solve::path::{self, Path, Step};
use nalgebra::{Vector2, Vector3};

const LENGTH: f64 = 0.242;

fn models() -> [Discretization; 3] {
    let elements = Discretization::LinearStrain { resolution: Resolution::Spans(24) };
    [spline(12, StrainForm::Mixed), elements, spline(24, StrainForm::Printed)]
}

fn arm(tension: f64, friction: f64, sliding: Sliding, model: Discretization) -> Scene {
    let routing = Routing::parallel(Vector2::new(OFFSET, 0.0), 0.0, LENGTH);
    let tendon = Tendon { friction, sliding, ..tendon(0, routing, CableDrive::Tension(tension)) };
    Scene { rods: vec![backbone(LENGTH, model)], tendons: vec![tendon], ..Scene::default() }
}

/// ln(T at s over T at the driven end) at the last point that is known, with its place.
fn loss(system: &System, state: &lissome_mech::State) -> (f64, f64) {
    let last = *system.tendon_points(0, state).last().unwrap();
    (last.s, (last.tension / system.tendon(0, state).tension).ln())
}

/// A rod that is an arc of a circle and a tension that hardly bends it: T(s)/T = e^{∓μκs}.
#[test]
fn tension_falls_along_an_arc() {
    let curvature = 2.0 / LENGTH;
    for model in models() {
        for (sliding, sign) in [(Sliding::Pulled, -1.0), (Sliding::Released, 1.0)] {
            let mut scene = arm(1e-9, 0.4, sliding, model.clone());
            scene.rods[0].natural = NaturalShape::curved(Vector3::z() * curvature);
            let (system, found) = solve(&scene);
            let (s, lost) = loss(&system, &found.state);
            assert!((lost - sign * 0.4 * curvature * s).abs() < 1e-6, "{model:?}: {lost} {}", 0.4 * curvature * s);
        }
    }
}

/// A straight arm that the tendon bends: the turning of a parallel tendon is the angle of the arm.
#[test]
fn tension_falls_by_the_angle_of_the_arm() {
    for model in models() {
        for friction in [0.1, 0.3, 0.6] {
            let (system, found) = solve(&arm(8.0, friction, Sliding::Pulled, model.clone()));
            let (s, lost) = loss(&system, &found.state);
            let rod = lissome_mech::index::RodIndex::new(0);
            let angle = system.sample_at(rod, &found.state, &[s])[0].pose.rotation.angle();
            println!("{model:?} {friction}: {} iterations, angle {angle}", found.outcome.history.len());
            assert!(found.outcome.converged());
            // The printed form's strain errs by more than its poses do.
            let bar =
                if matches!(model, Discretization::Spline { form: StrainForm::Printed, .. }) { 1e-3 } else { 1e-6 };
            assert!((lost + friction * angle).abs() < bar, "{model:?} {friction}: {lost} {angle}");
        }
    }
}

/// Pulled to 8 N, let go to 2 N, pulled again: where the tip is at the end of each, and the largest gap between ways.
fn cycle(samples: usize) -> ([Vector3<f64>; 4], f64) {
    let mut scene = arm(2.0, 0.3, Sliding::Pulled, spline(12, StrainForm::Mixed));
    let points = vec![(0.0, 2.0), (1.0, 8.0), (2.0, 2.0), (3.0, 8.0)];
    scene.drives.push(Drive {
        path: "t0.tension".into(),
        target: DriveTarget::Tendon(0),
        signal: Signal::Table(points),
    });
    let job = Path { end: 3.0, samples: 3 * samples + 1, on_event: OnEvent::Jump };
    let system = System::compile(&scene).unwrap();
    let mut tips = Vec::new();
    let see = &mut |step: Step<'_>| {
        assert!(step.solution.outcome.converged());
        let rod = lissome_mech::index::RodIndex::new(0);
        tips.push(system.sample_at(rod, &step.solution.state, &[LENGTH])[0].pose.position);
        true
    };
    path::follow(&system, &job, &Default::default(), &mut system.workspace(), &mut |_| true, see);
    let apart = |i: usize| (tips[i] - tips[2 * samples - i]).norm();
    let widest = (0..=samples).map(apart).fold(0.0, f64::max);
    ([0, samples, 2 * samples, 3 * samples].map(|i| tips[i]), widest)
}

/// The loop of pulling and letting go is open, closes when pulled again, and does not depend on the samples.
#[test]
fn letting_go_does_not_lead_back() {
    let (few, widest) = cycle(6);
    let (many, finer) = cycle(24);
    println!("{widest} {finer} {:e}", (few[1] - few[3]).norm());
    assert!(widest > 0.02 * LENGTH && (widest - finer).abs() < 0.1 * widest);
    assert!((few[1] - few[3]).norm() < 1e-6 * LENGTH && (few[0] - few[2]).norm() > 0.01 * LENGTH);
    for (a, b) in few.iter().zip(&many) {
        assert!((a - b).norm() < 1e-4 * LENGTH, "{:e}", (a - b).norm() / LENGTH);
    }
}
