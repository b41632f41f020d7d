//! Residual and tangent of the assembled system against finite differences, for every rod model and load.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_mech::index::{Node, Slot};
use lissome_mech::{CurvatureOf, State, System};
use lissome_model::*;
use nalgebra::{DMatrix, DVector, Matrix6, Vector3, Vector6};

/// Small deterministic generator: tests must not depend on a library's stream.
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }
    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }
    fn twist(&mut self, size: f64) -> Twist {
        Twist::new(self.vector(), self.vector()) * size
    }
}

fn scene(discretization: &Discretization, conservative: bool, closed: bool, random: &mut Random) -> Scene {
    // A full, coupled stiffness: no formula may rely on a diagonal one.
    let mut stiffness = Matrix6::from_diagonal(&Vector6::new(1.3, 2.0, 3.0, 50.0, 30.0, 20.0));
    let skew = Matrix6::from_fn(|_, _| 0.2 * random.next());
    stiffness += skew * skew.transpose();
    let mut mass = Matrix6::zeros();
    mass.fixed_view_mut::<3, 3>(3, 3).fill_with_identity();
    let section = Section::Given { stiffness, mass, damping: 0.0, radius: 0.01 };
    let rod = Rod {
        name: "rod".into(),
        length: 1.7,
        profile: Profile::uniform(section),
        natural: NaturalShape::curved(random.vector()),
        base: Some(Pose::new(Rotation::exp(&random.vector()), random.vector()).into()),
        tip: closed.then(|| Pose::new(Rotation::exp(&random.vector()), random.vector()).into()),
        discretization: discretization.clone(),
        ..Rod::default()
    };
    let wrench = |random: &mut Random, moment: f64| Wrench::new(random.vector() * moment, random.vector());
    let m = if conservative { 0.0 } else { 1.0 };
    let mut loads = vec![
        Load {
            name: "tip".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Point { at: 1.7, wrench: wrench(random, m) },
        },
        Load {
            name: "mid".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Point { at: 0.6, wrench: wrench(random, m) },
        },
        Load {
            name: "line".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Distributed { from: 0.2, to: 1.1, per_length: wrench(random, m) },
        },
    ];
    if !conservative {
        loads.push(Load {
            name: "follow".into(),
            rod: 0,
            frame: LoadFrame::Body,
            kind: LoadKind::Point { at: 1.7, wrench: wrench(random, 1.0) },
        });
        loads.push(Load {
            name: "pressure".into(),
            rod: 0,
            frame: LoadFrame::Body,
            kind: LoadKind::Distributed { from: 0.0, to: 1.7, per_length: wrench(random, 1.0) },
        });
    }
    Scene { title: String::new(), gravity: random.vector(), rods: vec![rod], loads, ..Scene::default() }
}

fn perturbed(system: &System, random: &mut Random) -> State {
    let mut state = system.natural_state();
    let x = DVector::from_fn(system.unknowns(), |_, _| random.next());
    state = moved(system, &state, &x, 0.3);
    // Stresses and closures carry something; tensions and forces at limits stay what they became.
    let stresses: usize = system.rods().iter().map(|rod| rod.stress_count()).sum();
    let closures = system.kinds().closures.iter().map(|closure| closure.multiplier.block.index());
    for block in (0..stresses).chain(closures) {
        state.linear[block] = random.twist(1.0).to_vector();
    }
    // Blocks of strain coordinates are what their joints hold.
    system.settle(&mut state);
    state
}

/// Moves every unknown along x, poses and joints by their exponentials.
fn moved(system: &System, state: &State, x: &DVector<f64>, h: f64) -> State {
    let mut out = state.clone();
    system.retract_poses(state, h, &system.step_of(x.as_slice()), &mut out);
    out
}

/// Every rod model, with a few pieces.
fn discretizations() -> Vec<Discretization> {
    let resolution = || Resolution::Spans(4);
    let spline = |form| (1..=5).map(move |degree| Discretization::Spline { degree, resolution: resolution(), form });
    let mut all: Vec<_> = spline(StrainForm::Mixed).chain(spline(StrainForm::Printed)).collect();
    all.push(Discretization::LinearStrain { resolution: resolution() });
    all.extend(strain_bases());
    all
}

/// Every kind of strain basis, with all strains on, and one with orders of its own for each.
fn strain_bases() -> Vec<Discretization> {
    let on = [true; 6];
    [
        StrainFunctions::Constant { on },
        StrainFunctions::Linear { on },
        StrainFunctions::Legendre { orders: [3; 6] },
        StrainFunctions::Legendre { orders: [2, 4, 5, 1, 3, 1] },
    ]
    .map(|functions| Discretization::StrainBasis { functions, resolution: Resolution::Spans(2) })
    .into()
}

/// Largest difference between the assembled tangent and the derivative of the residual, relative. The tangent in
/// exponential coordinates differs from the derivative of the left-trivialised residual by ½Mx(r) on the diagonal, so
/// that is added before comparing.
fn tangent_error(scene: &Scene, random: &mut Random) -> f64 {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let mut work = system.workspace();
    let state = perturbed(&system, random);
    let n = system.unknowns();
    let inputs = system.inputs_at(0.0).with_factor(0.7);
    let residual = |state: &State, work: &mut lissome_mech::Workspace| {
        let mut state = state.clone();
        system.refresh_dependent_stress(&mut state, work);
        system.assemble(&state, &inputs, CurvatureOf::Poses, work);
        -DVector::from_column_slice(work.right_hand_side())
    };
    let mut dense = DMatrix::zeros(n, n);
    let at = residual(&state, &mut work);
    let (mut alone, mut settled) = (system.workspace(), state.clone());
    system.refresh_dependent_stress(&mut settled, &mut alone);
    system.evaluate(&settled, &inputs, &mut alone);
    let apart = (&at + DVector::from_column_slice(alone.right_hand_side())).amax();
    assert!(apart < ROUNDING * at.amax(), "asked with the tangent and without: {apart:e}");
    for c in 0..n {
        let mut x = vec![0.0; n];
        x[c] = 1.0;
        let mut y = vec![0.0; n];
        work.multiply(&x, &mut y);
        dense.set_column(c, &DVector::from_vec(y));
    }
    let layout = system.layout();
    let mut trivialise = |node: Node, subspace: &Matrix6<f64>| {
        let Some(group) = layout.own_group(node) else { return };
        let rows = layout.rows(group);
        let r = Vector6::from_fn(|i, _| at.as_slice()[rows.clone()].get(i).copied().unwrap_or(0.0));
        let w = Wrench::from_vector(&(subspace * r));
        let mx = lissome_lie::dual::DualVector::from(w).skew().covector_map() * 0.5;
        let mx = subspace.tr_mul(&(mx * subspace));
        let mut view = dense.view_mut((rows.start, rows.start), (rows.len(), rows.len()));
        view += mx.view((0, 0), (rows.len(), rows.len()));
    };
    Slot::first(state.poses.len()).for_each(|slot| trivialise(slot.node(), &Matrix6::identity()));
    // Coordinates that add up have no bracket, whatever they stand for.
    for joint in system.joints().iter().filter(|joint| !joint.subgroup.commutes) {
        trivialise(joint.node, &joint.subgroup.subspace);
    }
    let h = 1e-5;
    let mut worst: f64 = 0.0;
    for _ in 0..6 {
        let x = DVector::from_fn(n, |_, _| random.next());
        let plus = residual(&moved(&system, &state, &x, h), &mut work);
        let minus = residual(&moved(&system, &state, &x, -h), &mut work);
        let finite = (plus - minus) / (2.0 * h);
        let exact = &dense * &x;
        worst = worst.max((finite - &exact).amax() / exact.amax());
    }
    worst
}

// Sums of a few hundred terms, taken in another order.
const ROUNDING: f64 = 1e-12;

// Central differences: h² truncation and 1e-16/h round-off leave about 1e-9.
const DIFFERENCES: f64 = 1e-7;

#[test]
fn tangent_is_the_derivative_of_the_residual() {
    for (seed, discretization) in discretizations().into_iter().enumerate() {
        for (conservative, closed) in [(true, false), (false, false), (true, true), (false, true)] {
            let mut random = Random(seed as u64 * 7 + conservative as u64);
            let mut scene = scene(&discretization, conservative, closed, &mut random);
            scene.loops = LoopMethod::Constraints;
            assert_eq!(System::compile(&scene).unwrap().is_conservative(), conservative);
            let worst = tangent_error(&scene, &mut random);
            assert!(worst < DIFFERENCES, "{discretization:?} conservative {conservative} closed {closed}: {worst:e}");
        }
    }
}

fn pose(random: &mut Random) -> Pose {
    Pose::new(Rotation::exp(&random.vector()), random.vector())
}

fn joint(kind: JointKind, parent: Frame, random: &mut Random) -> Joint {
    let freedom = kind.coordinates().len();
    let list = |random: &mut Random, low: f64, high: f64| {
        (0..freedom).map(|_| low + (high - low) * (0.5 + 0.5 * random.next())).collect::<Vec<f64>>()
    };
    Joint {
        name: "joint".into(),
        kind,
        parent,
        motion: JointMotion::Actuated { start: list(random, -0.5, 0.5), effort: list(random, -1.0, 1.0) },
        stiffness: list(random, 0.5, 2.0),
        rest: list(random, -0.5, 0.5),
        damping: vec![],
        // Wide enough to begin with, and soon met by what the perturbation makes of it.
        limits: vec![Some((-0.51, 0.51)); freedom],
        ..Joint::default()
    }
}

/// Every joint: between the world and a rod, between a rod and a body on which another rod stands, and in a loop; with a
/// cable through all of it, driven by its tension or by its length.
#[test]
fn tangent_of_robots_is_the_derivative_of_their_residual() {
    let axis = Vector3::new(0.6, 0.0, 0.8);
    let kinds = [
        JointKind::Fixed,
        JointKind::Revolute { axis },
        JointKind::Prismatic { axis },
        JointKind::Cylindrical { axis },
        JointKind::Universal { first: Vector3::z(), second: axis },
        JointKind::Spherical,
        JointKind::Planar { normal: axis },
        JointKind::Free,
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        for (length_driven, strained) in [(false, 0), (true, 0), (false, 1), (true, 2), (false, 3)] {
            let mut random = Random(100 + number as u64);
            let plain = scene(&Discretization::default(), true, false, &mut random);
            let rod = |name: &str, base: Option<Frame>, tip: Option<Frame>| Rod {
                name: name.into(),
                base,
                tip,
                discretization: match name {
                    // Rods on strain bases among splines: what carries others, what closes a loop, what stands on its tip.
                    "stem" | "stay" if strained == 1 => strain_bases().remove(3),
                    "branch" | "loop" if strained == 2 => strain_bases().remove(1),
                    _ if strained == 3 => strain_bases().remove(2),
                    // Elements among splines.
                    "loop" | "stay" => Discretization::LinearStrain { resolution: Resolution::Spans(2) },
                    _ => {
                        Discretization::Spline { degree: 2, resolution: Resolution::Spans(2), form: StrainForm::Mixed }
                    }
                },
                ..plain.rods[0].clone()
            };
            let body = |mount: Mount| Body {
                name: "body".into(),
                inertia: Inertia { mass: 0.3, centre: Vector3::new(0.1, 0.2, -0.1), ..Inertia::default() },
                mount,
                frames: vec![],
                solids: vec![],
                ..Body::default()
            };
            // world – joint 0 – rod 0 – (at 0.6) joint 1 – body 0 – rod 1; rod 2 from the tip of rod 0 to joint 2 on the
            // free body 1, which rod 3 holds to the world.
            let on_body = Frame::body(0).at(pose(&mut random));
            let free = Frame::body(1).at(pose(&mut random));
            let mut scene = Scene {
                rods: vec![
                    rod("stem", Some(Frame::joint(0).at(pose(&mut random))), None),
                    rod("branch", Some(on_body), None),
                    rod("loop", Some(Frame::rod(0, 1.7)), Some(Frame::joint(2))),
                    rod("stay", None, Some(free)),
                ],
                bodies: vec![body(Mount::On(Frame::joint(1))), body(Mount::Free(pose(&mut random)))],
                joints: vec![
                    joint(kind, Frame::world(pose(&mut random)), &mut random),
                    joint(kind, Frame::rod(0, 0.6).at(pose(&mut random)), &mut random),
                    joint(kind, Frame::body(1).at(pose(&mut random)), &mut random),
                ],
                closures: vec![Closure {
                    name: "closure".into(),
                    a: Frame::world(pose(&mut random)),
                    b: Frame::rod(3, 0.0).at(pose(&mut random)),
                }],
                cables: vec![Cable {
                    name: "cable".into(),
                    points: vec![
                        Frame::world(pose(&mut random)),
                        Frame::rod(0, 0.6).at(pose(&mut random)),
                        Frame::body(0).at(pose(&mut random)),
                        Frame::rod(1, 1.7),
                    ],
                    drive: if length_driven { CableDrive::Length(1.0) } else { CableDrive::Tension(2.0) },
                    stiffness: Some(30.0),
                }],
                loads: vec![],
                ..plain.clone()
            };
            scene.frame_loads = vec![
                FrameLoad {
                    name: "rope".into(),
                    on: Frame::body(1).at(pose(&mut random)),
                    kind: FrameLoadKind::Toward { point: random.vector() * 3.0, size: 1.5 },
                },
                FrameLoad {
                    name: "push".into(),
                    on: Frame::joint(1).at(pose(&mut random)),
                    kind: FrameLoadKind::Wrench {
                        axes: if number % 2 == 0 { LoadFrame::World } else { LoadFrame::Body },
                        wrench: Wrench::new(random.vector(), random.vector()),
                    },
                },
            ];
            scene.loops = LoopMethod::Constraints;
            let worst = tangent_error(&scene, &mut random);
            assert!(worst < DIFFERENCES, "{kind:?}, cable by length {length_driven}, strained {strained}: {worst:e}");
        }
    }
}

/// Three tubes of different reach, curved in both directions, of which one is held at the entry.
fn tubes(held: bool, relative: Relative, random: &mut Random) -> Rod {
    let tube = |number: usize, insertion: f64, random: &mut Random| Tube {
        name: format!("tube{number}"),
        material: Material::from_poisson(1.0, 0.3).with_density(1.0),
        inner_diameter: 0.02 * number as f64,
        outer_diameter: 0.02 * (number as f64 + 0.9),
        bending_stiffness: Some(2.0 + random.next()),
        torsion_stiffness: Some(1.5 + random.next()),
        length: insertion + if held && number > 0 { 0.0 } else { 0.4 + 0.1 * (3 - number) as f64 },
        curved_length: 0.6 * insertion,
        curvature: vec![
            (0.0, nalgebra::Vector2::new(random.next(), random.next()) * 2.0),
            (0.5 * insertion, nalgebra::Vector2::new(random.next(), random.next()) * 2.0),
        ],
        insertion,
        rotation: random.next(),
    };
    let tubes = vec![tube(0, 1.7, random), tube(1, 1.0, random), tube(2, 1.3, random)];
    let spline = Discretization::Spline { degree: 3, resolution: Resolution::Spans(3), form: StrainForm::Mixed };
    TubeSet { tubes, relative }.rod("robot", Frame::world(pose(random)), spline)
}

#[test]
fn tangent_of_tubes_is_the_derivative_of_their_residual() {
    let all = [
        (1, false, Relative::Torsion),
        (2, true, Relative::Torsion),
        (3, false, Relative::Torsion),
        (1, true, Relative::General),
        (3, false, Relative::General),
    ];
    for (seed, held, relative) in all {
        let mut random = Random(300 + seed);
        let conservative = seed < 3;
        let plain = scene(&Discretization::default(), conservative, false, &mut random);
        let mut scene = Scene { rods: vec![tubes(held, relative, &mut random)], ..plain };
        scene.bodies = vec![Body { name: "tip".into(), mount: Mount::On(Frame::rod(0, 1.7)), ..Body::default() }];
        let worst = tangent_error(&scene, &mut random);
        assert!(worst < DIFFERENCES, "{relative:?}, held {held}, conservative {conservative}: {worst:e}");
    }
}

/// What the tubes exert is the slope of their energy.
#[test]
fn tubes_exert_the_slope_of_their_energy() {
    use lissome_mech::contribution::Force;
    let both = [Relative::Torsion, Relative::General];
    for (held, relative) in [false, true].into_iter().flat_map(|held| both.map(|relative| (held, relative))) {
        let mut random = Random(310 + u64::from(held));
        let scene = Scene { rods: vec![tubes(held, relative, &mut random)], ..Scene::default() };
        scene.validate().unwrap();
        let system = System::compile(&scene).unwrap();
        let (state, inputs) = (perturbed(&system, &mut random), system.inputs_at(0.0));
        let own = &system.kinds().tubes[0];
        let mut forces = vec![lissome_lie::dual::DualVector::zero(); system.layout().moving_nodes()];
        own.exert(&system.at(&state, &inputs), &mut forces, &mut lissome_mech::sink::NoTangent);
        for _ in 0..4 {
            let x = DVector::from_fn(system.unknowns(), |_, _| random.next());
            let step = system.step_of(x.as_slice());
            let poses = step.poses.iter().zip(&forces).map(|(z, f)| f.wrench().to_vector().dot(&z.to_vector()));
            // The first pose follows the angle at the entry; what acts on it acts on that.
            let entry = system.joints().iter().find(|joint| joint.tube.is_some_and(|angle| angle.tube == 0)).unwrap();
            let turn = step.joint(entry.index)[0] * forces[Slot::new(0)].wrench().moment.x;
            let angles = system
                .joints()
                .iter()
                .map(|joint| forces[joint.node].wrench().to_vector().dot(step.joint(joint.index)));
            let power = poses.sum::<f64>() + angles.sum::<f64>() + turn;
            let h = 1e-5;
            let energy = |h: f64| own.potential(&system.at(&moved(&system, &state, &x, h), &inputs));
            let slope = (energy(h) - energy(-h)) / (2.0 * h);
            assert!((slope + power).abs() < 1e-7 * slope.abs().max(1.0), "held {held}: {slope} {power}");
        }
    }
}
