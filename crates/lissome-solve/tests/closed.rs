//! Rods held at both ends: random end poses, and Kirchhoff shapes from independent solvers.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation};
use lissome_mech::{System, Winding};
use lissome_model::*;
use lissome_solve::{Solution, StaticOptions, statics};
use nalgebra::{Matrix6, Vector3, Vector6};

/// Small deterministic generator: tests must not depend on a library's stream.
struct Random(u64);
impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn in_ball(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::from_fn(|_, _| 2.0 * self.unit() - 1.0);
            if v.norm() < 1.0 {
                return v;
            }
        }
    }
}

fn rod(length: f64, section: Section, tip: Pose) -> Scene {
    Scene {
        title: String::new(),
        gravity: Vector3::zeros(),
        rods: vec![Rod {
            name: "rod".into(),
            length,
            profile: Profile::uniform(section),
            natural: NaturalShape::Straight,
            base: Some(Pose::identity().into()),
            tip: Some(tip.into()),
            discretization: Discretization::default(),
            ..Rod::default()
        }],
        loads: Vec::new(),
        ..Scene::default()
    }
}

fn solve(scene: &Scene) -> (System, Solution) {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let solution = statics::solve_from_natural(&system, &StaticOptions::default(), &mut work, &mut |_| true);
    (system, solution)
}

/// Any end pose within reach has a stable equilibrium, and the driver finds one whatever the slenderness.
#[test]
fn random_end_poses_by_embedding() {
    random_end_poses(LoopMethod::Embedding);
}

/// The same with multipliers.
#[test]
fn random_end_poses_by_constraints() {
    random_end_poses(LoopMethod::Constraints);
}

fn random_end_poses(loops: LoopMethod) {
    let mut random = Random(7);
    let material = Material::from_poisson(2e9, 0.3);
    let mut iterations = Vec::new();
    let mut missed = Vec::new();
    for case in 0..200 {
        let radius = 10f64.powf(-2.0 - 2.0 * random.unit());
        let section = if case % 2 == 0 {
            Section::circle(radius, material)
        } else {
            Section::plain(Shape::Rectangle { width: 10.0 * radius, height: radius }, material)
        };
        let position = random.in_ball() * 0.9;
        let turn = random.in_ball().normalize() * (random.unit() * std::f64::consts::PI);
        let tip = Pose::new(Rotation::exp(&turn), position);
        let (system, solution) = solve(&Scene { loops, ..rod(1.0, section, tip) });
        let outcome = &solution.outcome;
        iterations.push(outcome.iterations());
        if !(outcome.converged() && outcome.stability.unwrap().stable) {
            missed.push((case, outcome.status));
            continue;
        }
        let gap = solution.state.poses[system.rods()[0].curve().increments()].boxminus(&tip);
        assert!(gap.to_vector().norm() < 1e-9, "case {case} is not closed: {gap:?}");
    }
    iterations.sort_unstable();
    println!("{loops:?}: median {} most {} missed {missed:?}", iterations[100], iterations[199]);
    assert!(missed.len() <= 2, "{missed:?}");
    assert!(iterations[100] <= 35, "median {}", iterations[100]);
}

/// A scene may ask for the way round that is not of least energy: another stable equilibrium, with more.
#[test]
fn the_other_way_round() {
    let tip = Pose::new(Rotation::exp(&Vector3::new(0.0, 0.0, 2.0)), Vector3::new(0.4, 0.4, 0.0));
    let scene = rod(1.0, Section::circle(0.01, Material::from_poisson(2e9, 0.3)), tip);
    let system = System::compile(&scene).unwrap();
    let mut work = system.workspace();
    let mut energy = |winding| {
        let options = StaticOptions { winding, ..StaticOptions::default() };
        let outcome = statics::solve_from_natural(&system, &options, &mut work, &mut |_| true).outcome;
        assert!(outcome.converged() && outcome.stability.unwrap().stable, "{winding:?}: {:?}", outcome.status);
        outcome.energy.total()
    };
    let [least, short, long] = [None, Some(Winding::Short), Some(Winding::Long)].map(&mut energy);
    assert!((least / short - 1.0).abs() < 1e-9 && long > 1.5 * short, "{least} {short} {long}");
}

/// Fibreglass rod of [muller2025cfk, section VI]: exact Kirchhoff energies of four end poses. Stretch and shear are made
/// ten thousand times stiffer than the rod's, so that what is left of them is below the accuracy of 15 cubic poses.
#[test]
fn kirchhoff_shapes() {
    let (bending, torsion, length) = (0.027488935718910694, 0.004712388980384691, 0.6);
    let stiff = 1e4 * 4.0 * bending / 1e-6;
    let stiffness = Matrix6::from_diagonal(&Vector6::new(torsion, bending, bending, stiff, stiff, stiff));
    let section = Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 1e-3 };
    let cases = [
        ([0.0, 0.0, 1.08], [0.503, 0.271, 0.0], 0.027275753073441718),
        ([0.77, 1.33, 0.31], [0.46, 0.187, -0.252], 0.04443492236013864),
        ([1.85, 1.59, 0.25], [0.358, 0.366, -0.205], 0.07130211669055529),
    ];
    for (turn, position, energy) in cases {
        let tip = Pose::new(Rotation::exp(&Vector3::from(turn)), Vector3::from(position));
        let (_, solution) = solve(&rod(length, section.clone(), tip));
        assert!(solution.outcome.converged() && solution.outcome.stability.unwrap().stable);
        let error = (solution.outcome.energy.elastic / energy - 1.0).abs();
        // The energy converges twice as fast as the shape: 15 cubic poses are good to about 1e-7.
        assert!(error < 1e-6, "{turn:?}: {} against {energy}, {error:e}", solution.outcome.energy.elastic);
    }
}
