//! Rods in motion that several tests share.
#![allow(dead_code)]

use lissome_lie::{Pose, Twist, Wrench};
use lissome_mech::{Inputs, State, System};
use lissome_model::*;
use lissome_solve::dynamics::{Integrator, Motion, Run, Scheme, StepChoice, StepReport, Stop};
use lissome_solve::statics;
use nalgebra::Vector3;

/// A scene with one rod and nothing else.
pub fn scene_of(rod: Rod) -> Scene {
    Scene { rods: vec![rod], ..Scene::default() }
}

/// A straight rod along x with a clamped base.
pub fn rod(length: f64, profile: Profile, spans: usize) -> Rod {
    Rod {
        name: "rod".into(),
        length,
        profile,
        natural: NaturalShape::Straight,
        base: Some(Pose::identity().into()),
        tip: None,
        discretization: Discretization::Spline {
            degree: 3,
            resolution: Resolution::Spans(spans),
            form: StrainForm::Mixed,
        },
        ..Rod::default()
    }
}

/// Table 5 of [xun2025] with a density of 1000 kg/m³, eight control poses for five spans, and a force at the tip.
pub fn table5(force: f64, spans: usize) -> Scene {
    let material = Material::from_poisson(2e6, 0.45).with_density(1000.0);
    let profile = Profile::taper(Section::circle(0.05, material), Section::circle(0.03, material), 1.0);
    let mut scene = scene_of(rod(1.0, profile, spans));
    let wrench = Wrench::new(Vector3::zeros(), Vector3::z() * force);
    scene.loads.push(Load {
        name: "tip".into(),
        rod: 0,
        frame: LoadFrame::World,
        kind: LoadKind::Point { at: 1.0, wrench },
    });
    scene
}

/// Steel, r = 0.2 mm, 1 m long.
pub fn steel_wire(spans: usize) -> Scene {
    let steel = Material::from_poisson(2e11, 0.3).with_density(7850.0);
    let mut scene = scene_of(rod(1.0, Profile::uniform(Section::circle(2e-4, steel)), spans));
    scene.gravity = Vector3::new(0.0, 0.0, -9.81);
    scene
}

/// A soft arm of silicone.
pub fn silicone_arm(spans: usize) -> Scene {
    let silicone = Material::from_poisson(1e5, 0.48).with_density(1070.0);
    let mut scene = scene_of(rod(0.3, Profile::uniform(Section::circle(0.01, silicone)), spans));
    scene.gravity = Vector3::new(0.0, 0.0, -9.81);
    scene
}

/// The equilibrium of a scene under its loads.
pub fn equilibrium(system: &System) -> State {
    let solution = statics::solve_from_natural(system, &Default::default(), &mut system.workspace(), &mut |_| true);
    assert!(solution.outcome.converged());
    solution.state
}

/// An integrator without the loads on rods: they are gone at time zero.
pub fn released(system: &System, scheme: Scheme) -> Integrator<'_> {
    Integrator::with_course(system, scheme, Box::new(|_: f64, inputs: &mut Inputs| inputs.loads.fill(0.0)))
}

/// Velocities that bend a clamped rod smoothly: sideways with the square of the distance.
pub fn bending_start(system: &System, speed: f64, direction: Vector3<f64>) -> Motion {
    let state = system.natural_state();
    let axis = Vector3::x().cross(&direction);
    let length = system.rods()[0].curve().length();
    let velocity = state
        .poses
        .iter()
        .map(|g| {
            let s = g.position.x / length;
            Twist::new(axis * (2.0 * s * speed / length), direction * (s * s * speed))
        })
        .collect();
    Motion::new(system, state, velocity)
}

/// What a run showed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Largest |E − E₀ + dissipated − work| over the run, over `scale`.
    pub worst_energy: f64,
    /// The same at its end, with its sign.
    pub last_energy: f64,
    /// Most iterations in a step.
    pub most_iterations: usize,
}

/// Runs with fixed steps and watches the energy.
pub fn run(
    integrator: Integrator<'_>,
    motion: &mut Motion,
    step: f64,
    until: f64,
    scale: Option<f64>,
    mut see: impl FnMut(&Motion, &StepReport),
) -> Result<Summary, Stop> {
    let mut run = Run::new(integrator, StepChoice::Fixed(step));
    let start = run.integrator.energies(motion).energy();
    let scale = scale.unwrap_or(start);
    let mut summary = Summary::default();
    run.advance(motion, until, &mut |motion, report| {
        summary.last_energy = (report.end.energy() - start + motion.dissipated - motion.work) / scale;
        summary.worst_energy = summary.worst_energy.max(summary.last_energy.abs());
        summary.most_iterations = summary.most_iterations.max(report.iterations);
        see(motion, report);
        true
    })?;
    Ok(summary)
}

/// Mass of the first rod, kg.
pub fn rod_mass(system: &System) -> f64 {
    let curve = system.rods()[0].curve();
    (0..curve.point_count()).map(|q| curve.line_density(q) * curve.point_weight(q)).sum()
}
