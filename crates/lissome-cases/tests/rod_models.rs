//! One suite that every rod model must pass: what holds for a rod holds however it becomes unknowns.
//!
//! The tangent has a suite of its own that runs over the same models: `tests/tangent.rs` of `lissome-mech`.
#![allow(clippy::unwrap_used)]

use lissome::lie::{Pose, Rotation, Wrench};
use lissome::model::{
    Discretization, Load, LoadFrame, LoadKind, Material, NaturalShape, Profile, Resolution, Rod, Scene, Section,
    StrainForm, StrainFunctions,
};
use lissome::solve::Equilibrium;
use lissome::{Answer, Unobserved, run};
use lissome_reference::solve_cantilever;
use nalgebra::Vector3;

/// A rod model and the order with which its tip converges.
struct Model {
    name: String,
    with: Box<dyn Fn(usize) -> Discretization>,
    order: f64,
    /// It keeps its accuracy when the rod is slender.
    slender: bool,
}

fn models() -> Vec<Model> {
    let spline = |degree: usize, form: StrainForm, order: f64| Model {
        name: format!("{form:?} spline of degree {degree}"),
        with: Box::new(move |spans| Discretization::Spline { degree, resolution: Resolution::Spans(spans), form }),
        order,
        slender: form == StrainForm::Mixed,
    };
    // Splines: degree plus one up to cubics, in both forms. Higher degrees have smaller errors, and as uniform knots end
    // at a clamp not always a higher order.
    let order = |p: usize| (p as f64 + 1.0).min(4.0);
    let mut all: Vec<Model> = (1..=5).map(|p| spline(p, StrainForm::Mixed, order(p))).collect();
    all.extend((2..=4).map(|p| spline(p, StrainForm::Printed, order(p))));
    all.push(Model {
        name: "linear-strain elements".into(),
        with: Box::new(|elements| Discretization::LinearStrain { resolution: Resolution::Spans(elements) }),
        order: 4.0,
        slender: true,
    });
    let basis = |functions: StrainFunctions, order: f64| Model {
        name: format!("strain basis of {} functions", functions.name()),
        with: Box::new(move |segments| Discretization::StrainBasis {
            functions,
            resolution: Resolution::Spans(segments),
        }),
        order,
        slender: true,
    };
    all.push(basis(StrainFunctions::Constant { on: [true; 6] }, 2.0));
    all.push(basis(StrainFunctions::Linear { on: [true; 6] }, 4.0));
    // A tip errs by the square of what the strains err by: twice the number of polynomials.
    all.push(basis(StrainFunctions::Legendre { orders: [2; 6] }, 4.0));
    all
}

/// Length over radius of a rod on which the printed form does not lock yet.
const STOCKY: f64 = 20.0;

/// A round rod one metre long with EI = 1 N·m², held at its base.
fn rod(model: &Model, pieces: usize, slenderness: f64, natural: NaturalShape) -> Rod {
    let radius = 1.0 / slenderness;
    let inertia = std::f64::consts::PI * radius.powi(4) / 4.0;
    let material = Material { density: Some(100.0), ..Material::from_poisson(1.0 / inertia, 0.3) };
    Rod {
        name: "arm".into(),
        length: 1.0,
        profile: Profile::uniform(Section::circle(radius, material)),
        natural,
        base: Some(Pose::identity().into()),
        tip: None,
        discretization: (model.with)(pieces),
        ..Rod::default()
    }
}

fn at_tip(moment: Vector3<f64>, force: Vector3<f64>) -> Load {
    let wrench = Wrench::new(moment, force);
    Load { name: "tip".into(), rod: 0, frame: LoadFrame::World, kind: LoadKind::Point { at: 1.0, wrench } }
}

fn scene(rod: Rod, loads: Vec<Load>) -> Scene {
    Scene { rods: vec![rod], loads, ..Scene::default() }
}

fn solve(scene: &Scene, model: &Model) -> Equilibrium {
    let Answer::Statics(equilibrium) = run(scene, &mut Unobserved).unwrap() else { panic!("the job is statics") };
    assert!(equilibrium.outcome.converged(), "{}: {:?}", model.name, equilibrium.outcome.status);
    equilibrium
}

/// A force in space on a rod that is curved without stress.
fn bent(model: &Model, pieces: usize, slenderness: f64) -> Scene {
    let natural = NaturalShape::curved(Vector3::new(0.8, 1.0, -0.6));
    scene(rod(model, pieces, slenderness, natural), vec![at_tip(Vector3::zeros(), Vector3::new(0.5, 1.2, 1.6))])
}

#[test]
fn natural_shape_costs_nothing() {
    for model in models() {
        let curvature = Vector3::new(1.0, 2.0, -1.5);
        let equilibrium = solve(&scene(rod(&model, 7, STOCKY, NaturalShape::curved(curvature)), Vec::new()), &model);
        let helix = Pose::exp(&lissome::lie::Twist::new(curvature, Vector3::x()));
        let tip = equilibrium.rods[0].tip.boxminus(&helix).to_vector().norm();
        assert!(tip < 1e-12, "{}: tip {tip:e} from the helix", model.name);
        // Strains of 1e-15 against EA = 1600 N.
        let energy = equilibrium.outcome.energy.elastic;
        assert!(energy.abs() < 1e-25, "{}: energy {energy:e}", model.name);
    }
}

#[test]
fn rigid_motions_change_nothing() {
    let motion = Pose::new(Rotation::exp(&Vector3::new(0.9, -1.7, 0.4)), Vector3::new(3.0, -2.0, 5.0));
    let turn = |v: Vector3<f64>| motion.rotation.rotate(&v);
    for model in models() {
        let mut here = bent(&model, 6, STOCKY);
        here.gravity = Vector3::new(0.0, 0.0, -9.81);
        let mut there = here.clone();
        there.gravity = turn(here.gravity);
        there.rods[0].base = Some(motion.into());
        for load in &mut there.loads {
            let LoadKind::Point { wrench, .. } = &mut load.kind else { unreachable!("point loads only") };
            *wrench = Wrench::new(turn(wrench.moment), turn(wrench.force));
        }
        let (here, there) = (solve(&here, &model), solve(&there, &model));
        for (a, b) in here.rods[0].samples.iter().zip(&there.rods[0].samples) {
            let apart = (motion * a.pose).boxminus(&b.pose).to_vector().norm();
            // The last Newton step is below 1e-9 and leaves its square; the rest is round-off over metres.
            assert!(apart < 1e-11, "{}: {apart:e} apart at {}", model.name, a.s);
        }
        let (a, b) = (here.outcome.energy.elastic, there.outcome.energy.elastic);
        assert!((a - b).abs() < 1e-10 * a, "{}: energies {a} and {b}", model.name);
    }
}

/// M = 2π EI/L rolls a straight rod into a circle, in every model exactly: its strain is constant.
#[test]
fn end_moment_makes_a_circle() {
    let moment = std::f64::consts::TAU;
    for model in models() {
        let loads = vec![at_tip(Vector3::y() * moment, Vector3::zeros())];
        let equilibrium = solve(&scene(rod(&model, 8, STOCKY, NaturalShape::Straight), loads), &model);
        let tip = equilibrium.rods[0].tip.to_owned();
        let (apart, turned) = (tip.position.norm(), tip.rotation.angle());
        assert!(apart < 1e-9 && turned < 1e-9, "{}: {apart:e}, {turned:e} rad", model.name);
        let energy = 0.5 * moment * moment;
        let relative = (equilibrium.outcome.energy.elastic - energy).abs() / energy;
        assert!(relative < 1e-9, "{}: energy off by {relative:e}", model.name);
    }
}

/// The virtual work of a rigid motion vanishes in every model, so the base takes exactly what acts on the tip.
#[test]
fn base_takes_what_the_tip_gets() {
    for model in models() {
        let scene = bent(&model, 5, STOCKY);
        let LoadKind::Point { wrench, .. } = scene.loads[0].kind else { unreachable!("a point load") };
        let equilibrium = solve(&scene, &model);
        let moment = equilibrium.rods[0].tip.position.cross(&wrench.force);
        let base = equilibrium.rods[0].base_wrench;
        let apart = (base.force - wrench.force).norm() + (base.moment - moment).norm();
        assert!(apart < 1e-8 * wrench.force.norm(), "{}: {apart:e}", model.name);
    }
}

/// What is sampled along a rod belongs together: the strain is the rate of the poses, the stress at the base is what the
/// base takes, and the curve ends at the tip.
#[test]
fn samples_belong_together() {
    let pieces = 10;
    for model in models() {
        let equilibrium = solve(&bent(&model, pieces, STOCKY), &model);
        let rod = &equilibrium.rods[0];
        let ds = rod.samples[1].s - rod.samples[0].s;
        let per_piece = (rod.samples.len() - 1) / pieces;
        for k in 1..rod.samples.len() - 1 {
            // Strains may jump between pieces.
            if k % per_piece <= 1 || k % per_piece == per_piece - 1 {
                continue;
            }
            let rate = rod.samples[k + 1].pose.boxminus(&rod.samples[k - 1].pose).to_vector() / (2.0 * ds);
            let strain = rod.samples[k].strain.to_vector();
            // Central differences over 0.02 m of a strain that changes by about its own size over 0.3 m.
            let apart = (rate - strain).norm() / strain.norm();
            assert!(apart < 2e-3, "{}: strain and rate differ by {apart:e} at {k}", model.name);
        }
        let (last, first) = (rod.samples[rod.samples.len() - 1], rod.samples[0]);
        let apart = last.pose.boxminus(&rod.tip).to_vector().norm();
        let piece = 1.0 / pieces as f64;
        assert!(apart < piece.powi(2), "{}: curve ends {apart:e} from the tip", model.name);
        // A constant stress in the first piece is half a piece away from the base.
        let taken = first.pose.rotation.inverse_rotate(&rod.base_wrench.moment);
        let relative = (first.stress.moment - taken).norm() / taken.norm();
        assert!(relative < piece, "{}: stress at the base differs by {relative:e}", model.name);
    }
}

#[test]
fn tip_converges_with_the_order_of_the_method() {
    for model in models() {
        let error = |pieces: usize| {
            let scene = bent(&model, pieces, STOCKY);
            let truth = solve_cantilever(&scene, 0, None).unwrap().tip();
            solve(&scene, &model).rods[0].tip.boxminus(&truth).to_vector().norm()
        };
        let order = (error(8) / error(16)).log2();
        assert!(order > model.order - 0.3, "{}: order {order}", model.name);
    }
}

/// Stress-carrying models neither lose accuracy nor iterations when the rod becomes slender.
#[test]
fn slender_rods_do_not_lock() {
    for model in models().iter().filter(|model| model.slender) {
        let outcome = |slenderness: f64| {
            let scene = bent(model, 8, slenderness);
            let truth = solve_cantilever(&scene, 0, None).unwrap().tip();
            let equilibrium = solve(&scene, model);
            let error = (equilibrium.rods[0].tip.position - truth.position).norm();
            (error, equilibrium.outcome.history.len())
        };
        let (stocky, slender) = (outcome(STOCKY), outcome(3000.0));
        assert!(slender.0 < 2.0 * stocky.0 + 1e-9, "{}: {:e} and {:e}", model.name, stocky.0, slender.0);
        assert!(slender.1 <= stocky.1 + 2, "{}: {} and {} iterations", model.name, stocky.1, slender.1);
    }
}
