//! Rods and bodies that touch.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation};
use lissome_mech::{Inputs, System};
use lissome_model::*;
use lissome_solve::dynamics::{Integrator, Motion, Run, Scheme, StepChoice};
use lissome_solve::statics;
use nalgebra::Vector3;

/// The heavy tapered rod over a plane of paper 4's reference set-up: clamped level at a height of 50 mm.
fn heavy(spans: usize, friction: f64) -> Scene {
    let material = Material::from_poisson(1e6, 0.45).with_density(3000.0);
    let section = |radius: f64| Section::circle(radius, material);
    let rod = Rod {
        name: "rod".into(),
        length: 0.3,
        profile: Profile::taper(section(0.010), section(0.006), 0.3),
        natural: NaturalShape::Straight,
        base: Some(Frame::world(Pose::at(Vector3::new(0.0, 0.0, 0.05)))),
        tip: None,
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(spans), form: StrainForm::Mixed },
        turns: Vector3::zeros(),
        initial_velocity: None,
        tubes: None,
    };
    Scene {
        gravity: Vector3::new(0.0, 0.0, -9.81),
        rods: vec![rod],
        obstacles: vec![Obstacle {
            name: "floor".into(),
            shape: ObstacleShape::Plane,
            frame: Frame::world(Pose::identity()),
        }],
        touching: Touching { friction, ..Touching::default() },
        ..Scene::default()
    }
}

#[test]
fn a_heavy_rod_lies_on_the_floor() {
    for spans in [12, 24] {
        let system = System::compile(&heavy(spans, 0.0)).unwrap();
        let mut work = system.workspace();
        let solution = statics::solve_from_natural(&system, &Default::default(), &mut work, &mut |i| {
            println!("{i:?}");
            true
        });
        println!("{:?}", solution.outcome.status);
        let inputs = system.inputs_at(0.0);
        let contacts = system.contact_states(&solution.state, &inputs);
        let total: f64 = contacts.iter().map(|contact| contact.force.z).sum();
        let deepest = contacts.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
        let first = contacts.iter().filter(|contact| contact.force.z > 0.0).map(|c| c.s).fold(f64::INFINITY, f64::min);
        println!("{spans}: total {total} {}, deepest {deepest:e} first {first}", total / 0.69404 - 1.0);
        for c in &contacts { println!("{:.4} {:.3e} {:.4}", c.s, c.gap, c.force.z); }
        assert!(solution.outcome.converged());
    }
}

#[test]
fn a_heavy_rod_lies_on_a_rough_floor() {
    let system = System::compile(&heavy(12, 0.5)).unwrap();
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &Default::default(), &mut work, &mut |_| true);
    println!("{:?} {} its", solution.outcome.status, solution.outcome.history.len());
    let inputs = system.inputs_at(0.0);
    let contacts = system.contact_states(&solution.state, &inputs);
    let total: f64 = contacts.iter().map(|contact| contact.force.z).sum();
    for c in &contacts { println!("{:.4} {:.3e} {:.4?}", c.s, c.gap, c.force); }
    println!("{total}");
    assert!(solution.outcome.converged());
}

/// The rod of the reference set-up `drop`: at 10° over a plane, 20 mm above it.
fn dropped(friction: f64) -> Scene {
    let material = Material::from_poisson(1e6, 0.45).with_density(3000.0);
    let tilt = Rotation::exp(&Vector3::new(0.0, -(10f64.to_radians()), 0.0));
    let joint = Joint {
        name: "fall".into(),
        kind: JointKind::Free,
        parent: Frame::world(Pose::new(tilt, Vector3::new(0.0, 0.0, 0.028))),
        motion: JointMotion::Free { start: vec![0.0; 6] },
        ..Joint::default()
    };
    let rod = Rod {
        name: "rod".into(),
        length: 0.3,
        profile: Profile::uniform(Section::circle(0.008, material)),
        natural: NaturalShape::Straight,
        base: Some(Frame::joint(0)),
        tip: None,
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(8), form: StrainForm::Mixed },
        turns: Vector3::zeros(),
        initial_velocity: None,
        tubes: None,
    };
    Scene { rods: vec![rod], joints: vec![joint], ..heavy(1, friction) }
}

#[test]
fn a_dropped_rod_comes_to_rest() {
    for friction in [0.5, 0.0] {
        for step in [2e-3, 5e-3, 10e-3, 20e-3, 50e-3] {
            let system = System::compile(&dropped(friction)).unwrap();
            let mut motion = Motion::at_rest(&system, system.natural_state());
            let mut integrator = Integrator::new(&system, Scheme::default());
            integrator.make_consistent(&mut motion).unwrap();
            let mut run = Run::new(integrator, StepChoice::Fixed(step));
            let first = run.energies_at(&motion);
            let weight = std::f64::consts::PI * 0.008f64.powi(2) * 0.3 * 3000.0 * 9.81;
            let (mut last, mut rise, mut deepest, mut landed, mut momentum) = (first.energy(), 0.0f64, 0.0f64, 0, 0.0f64);
            let (mut impulse, mut time) = (Vector3::zeros(), 0.0);
            let mut force = Vector3::zeros();
            let result = run.advance(&mut motion, 1.2, &mut |motion, report| {
                if report.end.energy() - last > 1e-7*weight*0.02 { println!("t {} rise {:.2e} its {} report {:?}", motion.time, (report.end.energy()-last)/(weight*0.02), report.iterations, report); }
                rise = rise.max(report.end.energy() - last);
                last = report.end.energy();
                let inputs = Inputs { duration: 1.0, ..system.inputs_at(0.0) };
                let contacts = system.contact_states(&motion.state, &inputs);
                force = contacts.iter().map(|contact| contact.force).sum();
                deepest = contacts.iter().map(|contact| contact.gap).fold(deepest, f64::min);
                let h = motion.time - time;
                time = motion.time;
                impulse += (force - Vector3::z() * weight) * h;
                momentum = momentum.max((report.end.linear_momentum - impulse).norm());
                landed += 1;
                true
            });
            let c = motion.counts;
            println!(
                "mu {friction} h {step}: {} rise {:.1e} of mgh, deepest {deepest:.1e}, momentum {momentum:.1e}, force/weight-1 {:.1e}, {} steps {} its {} halved, {result:?}",
                motion.time, rise / (weight * 0.02), force.z / weight - 1.0, c.steps, c.iterations, c.halved
            );
        }
    }
}
