//! Rods with tendons in motion.

use crate::robots::tendon;
use lissome_lie::Pose;
use lissome_mech::{Inputs, System};
use lissome_model::*;
use lissome_solve::dynamics::{Counts, Integrator, Motion, Scheme};
use lissome_solve::statics;
use nalgebra::Vector2;

const LENGTH: f64 = 0.3;

/// A soft arm with two tendons, one straight and one helical.
fn arm(discretization: Discretization, damping: f64) -> Scene {
    let silicone = Material { damping, ..Material::from_poisson(2e7, 0.45).with_density(1100.0) };
    let rod = Rod {
        name: "arm".into(),
        length: LENGTH,
        profile: Profile::uniform(Section::circle(8e-3, silicone)),
        base: Some(Frame::world(Pose::identity())),
        discretization,
        ..Rod::default()
    };
    let straight = Routing::parallel(Vector2::new(6e-3, 0.0), 0.0, LENGTH);
    let helical = Routing::helix([6e-3; 2], 1.0, 0.5, 0.0, 0.8 * LENGTH);
    let given = CableDrive::Tension(0.0);
    Scene { rods: vec![rod], tendons: vec![tendon(0, straight, given), tendon(1, helical, given)], ..Scene::default() }
}

fn models() -> [Discretization; 3] {
    let resolution = Resolution::Spans(6);
    [
        Discretization::Spline { degree: 3, resolution, form: StrainForm::Mixed },
        Discretization::LinearStrain { resolution: Resolution::Spans(10) },
        crate::equilibria::legendre(4, 1),
    ]
}

/// Where the tip is after a time under tensions that vary with it, and what of the energy is unaccounted for, relative to the
/// work.
fn run(system: &System, scheme: Scheme, course: fn(f64) -> [f64; 2], time: f64, steps: usize) -> (Pose, f64) {
    let inputs = move |t: f64, inputs: &mut Inputs| inputs.tendons.copy_from_slice(&course(t));
    let mut integrator = Integrator::with_course(system, scheme, Box::new(inputs));
    let mut state = system.natural_state();
    system.drive(&integrator.inputs_at(0.0), &mut state);
    let mut motion = Motion::at_rest(system, state);
    let first = integrator.energies(&motion).energy();
    let h = time / steps as f64;
    let mut counts = Counts::default();
    let mut last = first;
    for _ in 0..steps {
        let report = integrator.attempt(&motion, h, &mut counts).unwrap();
        integrator.take(&mut motion, h, &report);
        last = report.end.energy();
    }
    let missing = (last - first) - (motion.work - motion.dissipated);
    let tip = motion.state.poses[system.rods()[0].curve().pose_count() - 1];
    (tip, missing / motion.work)
}

fn swell(t: f64) -> [f64; 2] {
    let rise = (10.0 * t).sin().powi(2);
    [150.0 * rise, 80.0 * rise]
}

/// Tensions enter at the time of the strain they go with: second order, and the energy follows the work of the tendons.
#[test]
fn varying_tensions_are_of_second_order() {
    for model in models() {
        let system = System::compile(&arm(model.clone(), 0.0)).unwrap();
        for scheme in [Scheme::default(), Scheme::Conserving] {
            let (exact, _) = run(&system, scheme, swell, 0.2, 1280);
            let error = |steps: usize| {
                let (tip, missing) = run(&system, scheme, swell, 0.2, steps);
                ((tip.position - exact.position).norm() / LENGTH, missing)
            };
            let ((coarse, missing), (fine, less)) = (error(40), error(80));
            let order = (coarse / fine).log2();
            println!("{scheme:?} {model:?}: {coarse:e} {fine:e} order {order:.2}, missing {missing:e} {less:e}");
            assert!(fine < 1e-2 && order > 1.7, "{scheme:?} {model:?}: {coarse:e} {fine:e}");
            assert!(less.abs() < 0.3 * missing.abs() + 1e-9 && less.abs() < 1e-2, "{missing:e} {less:e}");
        }
    }
}

fn slow(t: f64) -> [f64; 2] {
    let part = (t / 2.0).min(1.0);
    let smooth = part * part * (3.0 - 2.0 * part);
    [120.0 * smooth, 50.0 * smooth]
}

/// Pulled slowly, with damping, the arm ends in the equilibrium of the same tensions.
#[test]
fn a_slow_pull_ends_at_rest() {
    for model in models() {
        let scene = arm(model, 0.02);
        let system = System::compile(&scene).unwrap();
        let (tip, _) = run(&system, Scheme::default(), slow, 4.0, 400);
        let mut inputs = system.inputs_at(0.0);
        inputs.tendons.copy_from_slice(&slow(4.0));
        let mut work = system.workspace();
        let found = statics::solve_from_natural_under(&system, &inputs, &Default::default(), &mut work, &mut |_| true);
        let rest = found.state.poses[system.rods()[0].curve().pose_count() - 1];
        let apart = (tip.position - rest.position).norm() / LENGTH;
        assert!(found.outcome.converged() && apart < 1e-4, "{apart:e}");
    }
}

fn pulled_in(t: f64) -> [f64; 2] {
    let part = (t / 2.0).min(1.0);
    let smooth = part * part * (3.0 - 2.0 * part);
    [0.015 * smooth, -0.01]
}

/// Pulled in by length, the first tendon taut and the second slack: the same.
#[test]
fn a_slow_pull_by_length_ends_at_rest() {
    for model in models() {
        let mut scene = arm(model, 0.02);
        for tendon in &mut scene.tendons {
            (tendon.drive, tendon.stiffness) = (CableDrive::Pull(0.0), Some(1e4));
        }
        scene.validate().unwrap();
        let system = System::compile(&scene).unwrap();
        let (tip, missing) = run(&system, Scheme::default(), pulled_in, 4.0, 400);
        let mut inputs = system.inputs_at(0.0);
        inputs.tendons.copy_from_slice(&pulled_in(4.0));
        let mut work = system.workspace();
        let found = statics::solve_from_natural_under(&system, &inputs, &Default::default(), &mut work, &mut |_| true);
        let rest = found.state.poses[system.rods()[0].curve().pose_count() - 1];
        let apart = (tip.position - rest.position).norm() / LENGTH;
        assert!(found.outcome.converged() && system.tendon(0, &found.state).tension > 1.0);
        assert_eq!(system.tendon(1, &found.state).tension, 0.0);
        assert!(apart < 1e-4 && missing.abs() < 1e-2, "{apart:e} {missing:e}");
    }
}
