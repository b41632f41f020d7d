//! Rods on strain bases in statics and in motion: against the shooting oracle, against mixed rods, and what the schemes keep.
#![allow(clippy::unwrap_used)]

mod motion_scenes;

use lissome_lie::{Pose, Twist, Wrench};
use lissome_mech::{Inputs, System};
use lissome_model::*;
use lissome_reference::solve_cantilever;
use lissome_solve::StaticOptions;
use lissome_solve::dynamics::{Integrator, Motion, Scheme};
use lissome_solve::statics;
use motion_scenes::*;
use nalgebra::Vector3;

fn basis(functions: StrainFunctions, segments: usize) -> Discretization {
    Discretization::StrainBasis { functions, resolution: Resolution::Spans(segments) }
}

fn legendre(order: usize) -> Discretization {
    basis(StrainFunctions::Legendre { orders: [order; 6] }, 1)
}

/// The three kinds with about as many coordinates.
fn kinds() -> [Discretization; 3] {
    let on = [true; 6];
    [basis(StrainFunctions::Constant { on }, 4), basis(StrainFunctions::Linear { on }, 3), legendre(4)]
}

/// A strip-like rod that is curved without stress, under its weight and a force in space.
fn curved(discretization: Discretization) -> Scene {
    let mut stiffness = nalgebra::Matrix6::zeros();
    stiffness.set_diagonal(&nalgebra::Vector6::new(1.0, 1.5, 6.0, 2e4, 8e3, 8e3));
    let mut mass = nalgebra::Matrix6::identity() * 0.2;
    mass.fixed_view_mut::<3, 3>(0, 0).fill_with_identity();
    mass.fixed_view_mut::<3, 3>(0, 0).scale_mut(1e-5);
    let mut model = rod(1.0, Profile::uniform(Section::Given { stiffness, mass, damping: 0.0, radius: 0.01 }), 1);
    model.natural = NaturalShape::curved(Vector3::new(1.5, 2.0, -1.0));
    model.discretization = discretization;
    let mut scene = scene_of(model);
    scene.gravity = Vector3::new(0.0, 0.0, -9.81);
    let wrench = Wrench::new(Vector3::new(0.2, -0.1, 0.3), Vector3::new(1.0, 3.0, -2.0));
    let kind = LoadKind::Point { at: 1.0, wrench };
    scene.loads.push(Load { name: "tip".into(), rod: 0, frame: LoadFrame::World, kind });
    scene
}

fn tip_of(scene: &Scene) -> Pose {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    *equilibrium(&system).poses[..system.rods()[0].curve().pose_count()].last().unwrap()
}

/// Every function more takes a like part of the error, until steps and oracle have the last word.
#[test]
fn tip_errors_fall_exponentially_with_the_order() {
    let truth = solve_cantilever(&curved(legendre(1)), 0, None).unwrap().tip();
    let error = |order: usize| tip_of(&curved(legendre(order))).boxminus(&truth).to_vector().norm();
    let errors: Vec<f64> = (2..=9).map(error).collect();
    println!("{errors:?}");
    // The strain is analytic: its coefficients fall geometrically, and the tip errs by the square of what is left out.
    for (k, pair) in errors.windows(3).enumerate() {
        assert!(pair[2] < 0.1 * pair[0] || pair[2] < 1e-9, "order {}: {errors:?}", k + 2);
    }
    assert!(errors[7] < 1e-8, "{errors:?}");
}

/// Shapes that a mixed rod has too, where strains are off because they hardly matter: a slender rod does not shear or
/// stretch.
#[test]
fn strains_that_hardly_matter_can_be_off() {
    let steel = Material::from_poisson(2e11, 0.3).with_density(7850.0);
    let scene = |discretization: Discretization| {
        let mut model = rod(1.0, Profile::uniform(Section::circle(1e-3, steel)), 16);
        model.discretization = discretization;
        let mut scene = scene_of(model);
        scene.gravity = Vector3::new(0.0, 0.0, -9.81);
        scene
    };
    let mixed = Discretization::Spline { degree: 3, resolution: Resolution::Spans(16), form: StrainForm::Mixed };
    let exact = tip_of(&scene(mixed));
    let planar = StrainFunctions::Legendre { orders: [0, 7, 0, 0, 0, 0] };
    let kirchhoff = StrainFunctions::Legendre { orders: [7, 7, 7, 0, 0, 0] };
    for functions in [planar, kirchhoff] {
        let apart = tip_of(&scene(basis(functions, 1))).boxminus(&exact).to_vector().norm();
        // Shear and stretch give (r/L)² ≈ 1e-6 of what bending does.
        assert!(apart < 5e-6, "{functions:?}: {apart:e}");
    }
    let system = System::compile(&scene(basis(planar, 1))).unwrap();
    assert_eq!(system.unknowns(), 7);
}

/// Newton from rest under the whole load takes as many iterations at every slenderness.
#[test]
fn slender_rods_take_no_more_iterations() {
    for functions in [StrainFunctions::Legendre { orders: [6; 6] }, StrainFunctions::Linear { on: [true; 6] }] {
        for load in [3.0, 10.0, 50.0] {
            let iterations = |slenderness: f64| {
                let radius = 1.0 / slenderness;
                let inertia = std::f64::consts::PI * radius.powi(4) / 4.0;
                let material = Material::from_poisson(1.0 / inertia, 0.3);
                let mut model = rod(1.0, Profile::uniform(Section::circle(radius, material)), 1);
                model.discretization = basis(functions, 4);
                let mut scene = scene_of(model);
                let wrench = Wrench::new(Vector3::zeros(), Vector3::z() * load);
                let kind = LoadKind::Point { at: 1.0, wrench };
                scene.loads.push(Load { name: "tip".into(), rod: 0, frame: LoadFrame::World, kind });
                let system = System::compile(&scene).unwrap();
                let options = StaticOptions::default();
                let solution = statics::solve_from_natural(&system, &options, &mut system.workspace(), &mut |_| true);
                assert!(solution.outcome.converged(), "{load} at {slenderness}: {:?}", solution.outcome.status);
                solution.outcome.history.len()
            };
            let counts = [10.0, 100.0, 1e3, 1e4].map(iterations);
            println!("{} functions, {load}: {counts:?}", functions.name());
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*most <= least + 2, "{functions:?} under {load}: {counts:?}");
        }
    }
}

/// Largest difference of poses, (m, rad).
fn distance(a: &[Pose], b: &[Pose]) -> (f64, f64) {
    let gap = |(a, b): (&Pose, &Pose)| ((a.position - b.position).norm(), (a.rotation.inverse() * b.rotation).angle());
    a.iter().zip(b).map(gap).fold((0.0, 0.0), |(p, r), (q, s)| (p.max(q), r.max(s)))
}

/// The same motion, schemes and bar as for splines in `motion.rs`.
#[test]
fn orders_in_time_are_as_claimed() {
    let mut scene = table5(8.0, 4);
    scene.rods[0].natural = NaturalShape::curved(Vector3::new(0.3, 0.5, -0.6));
    scene.rods[0].discretization = legendre(3);
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

/// The rod of table 5 [xun2025, section 7.4], released from 10 N, for ten seconds: the bars for splines over fifty.
#[test]
fn schemes_keep_energy_as_for_splines() {
    for discretization in kinds() {
        let mut scene = table5(10.0, 5);
        scene.rods[0].discretization = discretization.clone();
        let system = System::compile(&scene).unwrap();
        let ten_seconds = |scheme: Scheme, step: f64| {
            let mut motion = Motion::at_rest(&system, equilibrium(&system));
            let summary = run(released(&system, scheme), &mut motion, step, 10.0, None, |_, _| {}).unwrap();
            assert_eq!(motion.counts.halved, 0, "{scheme:?} on {discretization:?}");
            (summary, motion)
        };
        let (symplectic, _) = ten_seconds(Scheme::Symplectic, 0.005);
        assert!(symplectic.worst_energy < 2e-4, "{discretization:?}: {symplectic:?}");
        let (conserving, _) = ten_seconds(Scheme::Conserving, 0.01);
        assert!(conserving.worst_energy < 1e-6, "{discretization:?}: {conserving:?}");
        let (robust, motion) = ten_seconds(Scheme::default(), 0.01);
        assert!(robust.last_energy < 0.0 && robust.last_energy > -0.01, "{discretization:?}: {robust:?}");
        assert!(motion.counts.iterations <= 4 * motion.counts.steps, "{discretization:?}: {:?}", motion.counts);
        println!("{symplectic:?} {conserving:?} {robust:?} {:?}", motion.counts);
    }
}

/// A free rod, spinning and bending, with its base a free pose and with its tip one.
#[test]
fn free_flight_keeps_momentum() {
    let material = Material::from_poisson(2e6, 0.45).with_density(1000.0);
    for discretization in kinds() {
        let mut model = rod(1.0, Profile::uniform(Section::circle(0.02, material)), 2);
        model.base = None;
        model.discretization = discretization.clone();
        let system = System::compile(&scene_of(model)).unwrap();
        let state = system.natural_state();
        let (spin, drift) = (Vector3::new(1.0, 2.0, 0.5), Vector3::new(0.3, -0.2, 0.4));
        let velocity = state
            .poses
            .iter()
            .map(|g| {
                let x = g.position.x - 0.5;
                let bend = Vector3::y() * (-4.0 * x);
                Twist::new(spin + bend, drift + spin.cross(&g.position) + Vector3::z() * (2.0 * x * x))
            })
            .collect();
        let mut motion = Motion::new(&system, state, velocity);
        let mut integrator = Integrator::new(&system, Scheme::default());
        integrator.make_consistent(&mut motion).unwrap();
        let start = integrator.energies(&motion);
        let mut worst: (f64, f64) = (0.0, 0.0);
        let mut last = start;
        run(integrator, &mut motion, 0.01, 20.0, None, |_, report| {
            let linear = (report.end.linear_momentum - start.linear_momentum).norm() / start.linear_momentum.norm();
            let angular = (report.end.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm();
            worst = (worst.0.max(linear), worst.1.max(angular));
            last = report.end;
        })
        .unwrap();
        assert!(worst.0 < 1e-9 && worst.1 < 1e-9, "{discretization:?}: {worst:?}");
        assert!(last.energy() <= start.energy() && last.kinetic > 0.5 * start.kinetic, "{last:?}");
    }
}

/// Decay of the first bending mode, measured as for splines: Kelvin–Voigt damps a mode at ω²τ/2.
#[test]
fn damping_dissipates_what_is_lost() {
    let mut material = Material::from_poisson(2e6, 0.45).with_density(1000.0);
    material.damping = 0.01;
    let tip_after = |discretization: Discretization| {
        let mut model = rod(1.0, Profile::uniform(Section::circle(0.05, material)), 8);
        model.discretization = discretization;
        let system = System::compile(&scene_of(model)).unwrap();
        let mut motion = bending_start(&system, 0.5, Vector3::z());
        let mut integrator = Integrator::new(&system, Scheme::Conserving);
        integrator.make_consistent(&mut motion).unwrap();
        let tip = system.rods()[0].curve().pose_count() - 1;
        let summary = run(integrator, &mut motion, 2e-3, 2.0, None, |_, _| {}).unwrap();
        assert!(summary.worst_energy < 1e-6, "{summary:?}");
        (motion.state.poses[tip].position.z, motion.dissipated)
    };
    let mixed = Discretization::Spline { degree: 3, resolution: Resolution::Spans(8), form: StrainForm::Mixed };
    let (exact, lost) = tip_after(mixed);
    let (found, own) = tip_after(legendre(6));
    assert!((found - exact).abs() < 1e-2 * exact.abs().max(1e-2), "{found} beside {exact}");
    assert!((own / lost - 1.0).abs() < 1e-2, "{own} J beside {lost} J");
}
