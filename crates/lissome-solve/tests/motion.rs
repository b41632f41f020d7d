//! Motion against references, orders in time, momentum, damping, robustness.
#![allow(clippy::unwrap_used)]

mod motion_scenes;

use lissome_lie::{Pose, Twist};
use lissome_mech::{Inputs, System};
use lissome_model::*;
use lissome_solve::dynamics::{Integrator, Motion, Run, Scheme, StepChoice, StopReason};
use motion_scenes::*;
use nalgebra::Vector3;

/// Tip height of the released rod of table 5 and the mean period of its motion: the reference is a run of an independent
/// program with 14 control poses at h = 1.25 ms.
#[test]
fn released_rod_swings_as_the_reference() {
    let system = System::compile(&table5(10.0, 11)).unwrap();
    let mut motion = Motion::at_rest(&system, equilibrium(&system));
    let tip = system.rods()[0].curve().pose_count() - 1;
    let expected = [(0.25, 0.167), (0.5, -0.3159), (1.0, 0.0271), (2.0, -0.3936)];
    let mut found = Vec::new();
    let (mut last, mut crossings) = ((0.0, 1.0), Vec::new());
    let step = 2.5e-3;
    run(released(&system, Scheme::default()), &mut motion, step, 20.0, None, |motion, _| {
        let z = motion.state.poses[tip].position.z;
        for (time, _) in expected {
            if (motion.time - time).abs() < 0.5 * step {
                found.push(z);
            }
        }
        let (before, height): (f64, f64) = last;
        if height < 0.0 && z >= 0.0 {
            crossings.push(before + (motion.time - before) * height / (height - z));
        }
        last = (motion.time, z);
    })
    .unwrap();
    assert_eq!(expected.len(), found.len(), "every time of the source is met");
    for ((time, expected), found) in expected.iter().zip(&found) {
        assert!((expected - found).abs() < 3e-3, "tip at {time} s: {found}, not {expected}");
    }
    let period = (crossings.last().unwrap() - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((period - 1.303).abs() < 3e-3, "period {period}");
}

/// Largest difference of poses, (m, rad).
fn distance(a: &[Pose], b: &[Pose]) -> (f64, f64) {
    let gap = |(a, b): (&Pose, &Pose)| ((a.position - b.position).norm(), (a.rotation.inverse() * b.rotation).angle());
    a.iter().zip(b).map(gap).fold((0.0, 0.0), |(p, r), (q, s)| (p.max(q), r.max(s)))
}

/// A naturally curved rod pulled sideways by a force that grows smoothly, so that no oscillation is faster than the
/// steps.
#[test]
fn orders_in_time_are_as_claimed() {
    let mut scene = table5(8.0, 4);
    scene.rods[0].natural = NaturalShape::curved(Vector3::new(0.3, 0.5, -0.6));
    let system = System::compile(&scene).unwrap();
    let at = |scheme: Scheme, steps: usize| {
        let grow = |t: f64, inputs: &mut Inputs| inputs.loads[0] = (t * std::f64::consts::PI / 0.4).sin().powi(4);
        let integrator = Integrator::with_course(&system, scheme, Box::new(grow));
        let mut motion = Motion::at_rest(&system, system.natural_state());
        run(integrator, &mut motion, 0.2 / steps as f64, 0.2, Some(1.0), |_, _| {}).unwrap();
        motion.state.poses
    };
    let schemes = [
        (Scheme::default(), 40),
        (Scheme::Conserving, 40),
        (Scheme::Symplectic, 40),
        (Scheme::Explicit, 250),
        (Scheme::TrBdf2, 40),
        (Scheme::ImplicitEuler, 160),
    ];
    for (scheme, coarse) in schemes {
        let p = scheme.order() as f64;
        let runs: Vec<Vec<Pose>> = (0..3).map(|k| at(scheme, coarse << k)).collect();
        let (first, second) = (distance(&runs[0], &runs[1]), distance(&runs[1], &runs[2]));
        for (what, order) in [("position", (first.0 / second.0).log2()), ("orientation", (first.1 / second.1).log2())] {
            assert!((order - p).abs() < 0.1, "{scheme:?}: order {order:.3} of {what}");
        }
    }
}

/// A free rod, spinning and bending, for 100,000 steps.
#[test]
fn free_flight_keeps_momentum() {
    let material = Material::from_poisson(2e6, 0.45).with_density(1000.0);
    let mut model = rod(1.0, Profile::uniform(Section::circle(0.02, material)), 2);
    model.base = None;
    let system = System::compile(&scene_of(model)).unwrap();
    let state = system.natural_state();
    // A spin about an inclined axis, a drift, and a bending motion on top.
    let (spin, drift) = (Vector3::new(1.0, 2.0, 0.5), Vector3::new(0.3, -0.2, 0.4));
    let velocity = state
        .poses
        .iter()
        .map(|g| {
            let x = g.position.x - 0.5;
            Twist::new(spin + Vector3::y() * (-4.0 * x), drift + spin.cross(&g.position) + Vector3::z() * (2.0 * x * x))
        })
        .collect();
    let mut motion = Motion::new(&system, state, velocity);
    let mut integrator = Integrator::new(&system, Scheme::default());
    let start = integrator.energies(&motion);
    let mut worst: (f64, f64) = (0.0, 0.0);
    let mut last = start;
    run(integrator, &mut motion, 0.01, 1000.0, None, |_, report| {
        let linear = (report.end.linear_momentum - start.linear_momentum).norm() / start.linear_momentum.norm();
        let angular = (report.end.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm();
        worst = (worst.0.max(linear), worst.1.max(angular));
        last = report.end;
    })
    .unwrap();
    assert_eq!(motion.counts.steps, 100_000);
    assert!(worst.0 < 1e-9 && worst.1 < 1e-9, "{worst:?}");
    assert!(last.energy() <= start.energy() && last.kinetic > 0.5 * start.kinetic, "{last:?}");
}

/// Decay of the first bending mode: Kelvin–Voigt damps a mode at ω²τ/2.
#[test]
fn damping_decays_as_kelvin_and_voigt_say() {
    let mut material = Material::from_poisson(2e6, 0.45).with_density(1000.0);
    material.damping = 0.01;
    let system = System::compile(&scene_of(rod(1.0, Profile::uniform(Section::circle(0.05, material)), 4))).unwrap();
    let mut motion = bending_start(&system, 1e-3, Vector3::z());
    let tip = system.rods()[0].curve().pose_count() - 1;
    // Higher modes die out first: they damp with the square of their frequency.
    let mut peaks: Vec<(f64, f64)> = Vec::new();
    let mut past = [(0.0, 0.0); 2];
    let summary = run(Integrator::new(&system, Scheme::Conserving), &mut motion, 2e-3, 6.0, None, |motion, _| {
        let z = motion.state.poses[tip].position.z;
        let [(_, a), (t, b)] = past;
        if b > a && b > z && b > 0.0 {
            // The top of the parabola through three heights.
            let bend = a - 2.0 * b + z;
            let shift = 0.5 * (a - z) / bend;
            peaks.push((t + shift * 2e-3, b - 0.25 * (a - z) * shift));
        }
        past = [past[1], (motion.time, z)];
    })
    .unwrap();
    let (first, last) = (peaks[1], peaks[peaks.len() - 1]);
    let cycles = (peaks.len() - 2) as f64;
    let rate = (first.1 / last.1).ln() / (last.0 - first.0);
    let damped = std::f64::consts::TAU * cycles / (last.0 - first.0);
    let square = damped * damped + rate * rate;
    let expected = 0.5 * square * 0.01;
    assert!((rate / expected - 1.0).abs() < 0.02, "rate {rate}, not {expected}");
    assert!(summary.worst_energy < 1e-6, "{summary:?}");
}

#[test]
fn default_holds_at_any_step() {
    let scenes = [table5(0.0, 5), steel_wire(8), silicone_arm(8)];
    for (k, scene) in scenes.iter().enumerate() {
        for step in [1e-3, 5e-3, 1e-2, 2e-2, 5e-2] {
            let mut scene = scene.clone();
            scene.gravity = Vector3::new(0.0, 0.0, -9.81);
            let system = System::compile(&scene).unwrap();
            let length = system.rods()[0].curve().length();
            // Dropped from the horizontal with a sideways swing, so that the motion is spatial.
            let mut motion = bending_start(&system, 2.0 * length, Vector3::y());
            let mut integrator = Integrator::new(&system, Scheme::default());
            let start = integrator.energies(&motion);
            let weight: f64 = 9.81 * rod_mass(&system);
            let scale = start.kinetic + weight * length;
            let until = if step < 2e-3 { 2.0 } else { 5.0 };
            let summary = run(integrator, &mut motion, step, until, Some(scale), |_, _| {});
            let summary = summary.unwrap_or_else(|stop| panic!("scene {k}, h = {step}: {stop}"));
            assert!(summary.last_energy < 0.02, "scene {k}, h = {step}: {summary:?}");
            assert!(motion.state.is_finite());
        }
    }
}

#[test]
fn explicit_scheme_is_refused_beyond_its_limit() {
    let system = System::compile(&table5(0.0, 5)).unwrap();
    let motion = bending_start(&system, 0.1, Vector3::z());
    let mut integrator = Integrator::new(&system, Scheme::Explicit);
    // 1.02 ms for eight control poses; the highest frequency is that of shear and rotation.
    let limit = integrator.step_limit(&motion).unwrap();
    assert!((limit - 1.02e-3).abs() < 0.01e-3, "limit {limit}");
    let mut run = Run::new(integrator, StepChoice::Fixed(1.1e-3));
    let stop = run.advance(&mut motion.clone(), 1.0, &mut |_, _| true).unwrap_err();
    assert!(matches!(stop.reason, StopReason::BeyondLimit { .. }));
    // Just below it the scheme runs.
    let mut motion = motion;
    let summary =
        motion_scenes::run(Integrator::new(&system, Scheme::Explicit), &mut motion, 1.0e-3, 1.0, None, |_, _| {});
    assert!(summary.unwrap().worst_energy < 0.05);
}

/// A tolerance chooses the step; the error of a run of second order falls with its power 2/3, by a hundred for a thousand.
/// Waves that only the finer run resolves may cost ten of that.
#[test]
fn tolerance_chooses_the_step() {
    let system = System::compile(&table5(10.0, 5)).unwrap();
    let start = equilibrium(&system);
    let at = |scheme: Scheme, error: f64| {
        let mut motion = Motion::at_rest(&system, start.clone());
        let choice = StepChoice::Tolerance { error, longest: 0.1 };
        Run::new(released(&system, scheme), choice).advance(&mut motion, 0.4, &mut |_, _| true).unwrap();
        motion
    };
    let reference = at(Scheme::default(), 1e-9);
    assert!((reference.time - 0.4).abs() < 1e-12);
    let error = |motion: &Motion| distance(&motion.state.poses, &reference.state.poses).0;
    for scheme in [Scheme::default(), Scheme::TrBdf2] {
        let (fine, coarse) = (at(scheme, 1e-7), at(scheme, 1e-4));
        assert!(fine.counts.steps > coarse.counts.steps);
        assert!(fine.counts.rejected > 0, "steps that were attempted and not taken leave no trace");
        assert!(error(&fine) < 0.1 * error(&coarse), "{scheme:?}: {} and {}", error(&fine), error(&coarse));
    }
}

/// Restoring a copy of the motion goes on exactly.
#[test]
fn a_copy_goes_on_bit_for_bit() {
    let system = System::compile(&table5(10.0, 5)).unwrap();
    for scheme in [Scheme::default(), Scheme::Symplectic, Scheme::TrBdf2, Scheme::ImplicitEuler] {
        let mut whole = Motion::at_rest(&system, equilibrium(&system));
        let mut half = whole.clone();
        let mut all = Run::new(released(&system, scheme), StepChoice::Fixed(0.005));
        all.advance(&mut whole, 0.2, &mut |_, _| true).unwrap();
        all.advance(&mut whole, 0.4, &mut |_, _| true).unwrap();
        Run::new(released(&system, scheme), StepChoice::Fixed(0.005))
            .advance(&mut half, 0.2, &mut |_, _| true)
            .unwrap();
        let mut resumed = half.clone();
        Run::new(released(&system, scheme), StepChoice::Fixed(0.005))
            .advance(&mut resumed, 0.4, &mut |_, _| true)
            .unwrap();
        assert_eq!(whole, resumed, "{scheme:?}");
    }
}
