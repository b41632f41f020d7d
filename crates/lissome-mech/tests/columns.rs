//! Columns of the inputs against finite differences of the residual, for every path that a drive may have.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_mech::{CurvatureOf, Input, Inputs, State, System, Workspace};
use lissome_model::*;
use nalgebra::{DVector, Vector3};

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
    fn pose(&mut self) -> Pose {
        Pose::new(Rotation::exp(&self.vector()), self.vector())
    }
}

/// world – driven joint – rod – actuated joint – body – driven joint – rod that ends on a free body held by a third rod;
/// loads of every sort, cables by tension, length and pull, gravity.
fn robot(kind: JointKind, discretization: Discretization, loops: LoopMethod, random: &mut Random) -> Scene {
    let coordinates = kind.coordinates().len();
    let list = |random: &mut Random| (0..coordinates).map(|_| 0.6 * random.next()).collect::<Vec<f64>>();
    let section = Section::circle(0.02, Material::from_poisson(2e5, 0.4).with_density(900.0));
    let rod = |name: &str, base: Option<Frame>, tip: Option<Frame>| Rod {
        name: name.into(),
        length: 1.1,
        profile: Profile::uniform(section.clone()),
        natural: NaturalShape::curved(Vector3::new(0.2, 0.5, -0.3)),
        base,
        tip,
        discretization: discretization.clone(),
        turns: Vector3::zeros(),
        laid: Vec::new(),
        initial_velocity: None,
        tubes: None,
    };
    let body = |name: &str, mount: Mount| Body {
        name: name.into(),
        inertia: Inertia { mass: 0.3, centre: Vector3::new(0.1, 0.2, -0.1), ..Inertia::default() },
        mount,
        ..Body::default()
    };
    let joint = |name: &str, parent: Frame, motion: JointMotion| Joint {
        name: name.into(),
        kind,
        parent,
        motion,
        stiffness: vec![0.7; coordinates],
        ..Joint::default()
    };
    let cable = |name: &str, points: Vec<Frame>, drive: CableDrive| Cable {
        name: name.into(),
        points,
        drive,
        stiffness: Some(40.0),
    };
    let wrench = |random: &mut Random| Wrench::new(random.vector() * 0.1, random.vector());
    Scene {
        gravity: random.vector() * 9.0,
        joints: vec![
            joint("base", Frame::world(random.pose()), JointMotion::Driven { value: list(random) }),
            joint(
                "wrist",
                Frame::rod(0, 1.1).at(random.pose()),
                JointMotion::Actuated { start: list(random), effort: list(random) },
            ),
            joint("crank", Frame::body(0).at(random.pose()), JointMotion::Driven { value: list(random) }),
        ],
        bodies: vec![body("hand", Mount::On(Frame::joint(1))), body("plate", Mount::Free(random.pose()))],
        rods: vec![
            rod("stem", Some(Frame::joint(0).at(random.pose())), None),
            rod("branch", Some(Frame::joint(2)), Some(Frame::body(1).at(random.pose()))),
            rod("stay", Some(Frame::world(random.pose())), Some(Frame::body(1))),
        ],
        loads: vec![
            Load {
                name: "tip".into(),
                rod: 0,
                frame: LoadFrame::Body,
                kind: LoadKind::Point { at: 1.1, wrench: wrench(random) },
            },
            Load {
                name: "wind".into(),
                rod: 1,
                frame: LoadFrame::World,
                kind: LoadKind::Distributed { from: 0.2, to: 0.9, per_length: wrench(random) },
            },
        ],
        frame_loads: vec![
            FrameLoad {
                name: "push".into(),
                on: Frame::body(0).at(random.pose()),
                kind: FrameLoadKind::Wrench { axes: LoadFrame::World, wrench: wrench(random) },
            },
            FrameLoad {
                name: "rope".into(),
                on: Frame::body(1).at(random.pose()),
                kind: FrameLoadKind::Toward { point: random.vector() * 3.0, size: 1.5 },
            },
        ],
        cables: vec![
            cable("given", vec![Frame::world(random.pose()), Frame::rod(0, 1.1)], CableDrive::Tension(1.3)),
            cable("drawn", vec![Frame::body(0), Frame::body(1), Frame::joint(2)], CableDrive::Length(0.4)),
            cable("pulled", vec![Frame::world(random.pose()), Frame::body(1)], CableDrive::Pull(0.5)),
        ],
        loops,
        ..Scene::default()
    }
}

fn residual(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> DVector<f64> {
    system.evaluate(state, inputs, work);
    -DVector::from_column_slice(work.right_hand_side())
}

/// The state where driven joints stand as the inputs say, everything that is solved for as it is.
fn placed(system: &System, state: &State, inputs: &Inputs) -> State {
    let mut moved = state.clone();
    system.place_followers(inputs, &mut moved);
    for closure in system.kinds().closures.iter().filter(|closure| closure.gap.is_some()) {
        // An embedded end keeps its place on its frame.
        let on_frame = state.pose(closure.frame).inverse() * *state.pose(closure.tied);
        moved.poses[closure.tied] = *moved.pose(closure.frame) * on_frame;
    }
    moved
}

fn inputs_of(scene: &Scene) -> Vec<Input> {
    let joint = |joint: usize| {
        let coordinates = scene.joints[joint].kind.coordinates().len();
        (0..coordinates).map(move |coordinate| Input::Joint { joint, coordinate })
    };
    let joints = (0..scene.joints.len()).flat_map(joint);
    let loads = (0..scene.loads.len()).map(Input::Load);
    let frame_loads = (0..scene.frame_loads.len()).map(Input::FrameLoad);
    let cables = (0..scene.cables.len()).map(Input::Cable);
    [Input::Factor, Input::Gravity].into_iter().chain(loads).chain(frame_loads).chain(cables).chain(joints).collect()
}

#[test]
fn columns_of_the_inputs_are_derivatives_of_the_residual() {
    let axis = Vector3::new(0.6, 0.0, 0.8);
    let kinds = [
        JointKind::Revolute { axis },
        JointKind::Prismatic { axis },
        JointKind::Cylindrical { axis },
        JointKind::Universal { first: Vector3::z(), second: axis },
        JointKind::Spherical,
        JointKind::Planar { normal: axis },
        JointKind::Free,
    ];
    let resolution = || Resolution::Spans(2);
    let models = [
        Discretization::Spline { degree: 3, resolution: resolution(), form: StrainForm::Mixed },
        Discretization::Spline { degree: 2, resolution: resolution(), form: StrainForm::Printed },
        Discretization::LinearStrain { resolution: resolution() },
        Discretization::StrainBasis {
            functions: StrainFunctions::Legendre { orders: [2, 3, 3, 1, 2, 1] },
            resolution: resolution(),
        },
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        for (model, loops) in models.iter().flat_map(|m| [(m, LoopMethod::Constraints), (m, LoopMethod::Embedding)]) {
            let mut random = Random(11 + number as u64);
            let scene = robot(kind, model.clone(), loops, &mut random);
            scene.validate().unwrap();
            let system = System::compile(&scene).unwrap();
            let mut work = system.workspace();
            let inputs = system.inputs_at(0.0).with_factor(0.8);
            let mut state = system.natural_state();
            for block in &mut state.linear {
                *block = nalgebra::Vector6::from_fn(|_, _| random.next());
            }
            // Blocks of strain coordinates are what their joints hold.
            system.settle(&mut state);
            for cable in &system.kinds().length_cables {
                // Taut, so that their lengths count.
                state.linear[cable.multiplier.block][0] = 5.0;
            }
            system.refresh_dependent_stress(&mut state, &mut work);
            for input in inputs_of(&scene) {
                system.assemble(&state, &inputs, CurvatureOf::Poses, &mut work);
                system.assemble_input_column(&state, &inputs, input, &mut work);
                let exact = -DVector::from_column_slice(work.right_hand_side());
                let h = 1e-5;
                let mut at = |change: f64| {
                    let mut changed = inputs.clone();
                    changed.set(input, inputs.get(input) + change);
                    residual(&system, &placed(&system, &state, &changed), &changed, &mut work)
                };
                let finite = (at(h) - at(-h)) / (2.0 * h);
                let scale = exact.amax();
                let error = (&finite - &exact).amax() / scale;
                // Central differences: h² truncation and 1e-16/h round-off of residuals a hundred times as large.
                assert!(scale > 0.0 && error < 1e-7, "{kind:?} {model:?} {loops:?} {input:?}: {error:e} of {scale:e}");
            }
        }
    }
}

/// The step that answers a column is the derivative of the equilibrium.
#[test]
fn the_step_of_a_column_is_the_derivative_of_the_equilibrium() {
    let mut random = Random(5);
    let model = Discretization::Spline { degree: 3, resolution: Resolution::Spans(3), form: StrainForm::Mixed };
    let mut scene = robot(JointKind::Revolute { axis: Vector3::y() }, model, LoopMethod::Constraints, &mut random);
    // A cantilever on a driven hinge: one Newton iteration from its own equilibrium is exact to second order.
    scene.bodies.clear();
    scene.joints.truncate(1);
    scene.rods.truncate(1);
    scene.loads.truncate(1);
    scene.frame_loads.clear();
    scene.cables.truncate(1);
    let system = System::compile(&scene).unwrap();
    let mut work = system.workspace();
    let mut solve = |inputs: &Inputs, start: &State| {
        let mut state = placed(&system, start, inputs);
        for _ in 0..60 {
            system.assemble(&state, inputs, CurvatureOf::Poses, &mut work);
            system.factor(&mut work).unwrap();
            system.solve(&state, &mut work);
            let fraction = (0.2 / system.step_size(&work)).min(1.0);
            let mut next = state.clone();
            system.retract_poses(&state, fraction, work.step(), &mut next);
            state = next;
        }
        state
    };
    let inputs = system.inputs_at(0.0).with_factor(0.1);
    let state = solve(&inputs, &system.natural_state());
    for input in [Input::Factor, Input::Load(0), Input::Cable(0), Input::Joint { joint: 0, coordinate: 0 }] {
        let h = 1e-5;
        let at = |change: f64, solve: &mut dyn FnMut(&Inputs, &State) -> State| {
            let mut changed = inputs.clone();
            changed.set(input, inputs.get(input) + change);
            solve(&changed, &state)
        };
        let (plus, minus) = (at(h, &mut solve), at(-h, &mut solve));
        let mut work = system.workspace();
        system.assemble(&state, &inputs, CurvatureOf::Poses, &mut work);
        system.factor(&mut work).unwrap();
        system.assemble_input_column(&state, &inputs, input, &mut work);
        let step = system.solve_input_column(&state, &mut work);
        for (slot, exact) in step.poses.iter().enumerate() {
            let finite = plus.poses[slot].boxminus(&minus.poses[slot]) * (0.5 / h);
            let error = (finite - *exact).to_vector().amax();
            assert!(error < 1e-7 * (1.0 + exact.to_vector().amax()), "{input:?}, slot {slot}: {error:e}");
        }
    }
}

/// New values in an old layout give the same bits as a new compilation.
#[test]
fn new_values_need_no_new_layout() {
    for loops in [LoopMethod::Constraints, LoopMethod::Embedding] {
        let mut random = Random(3);
        let model = Discretization::Spline { degree: 3, resolution: Resolution::Spans(3), form: StrainForm::Mixed };
        let scene = robot(JointKind::Spherical, model, loops, &mut random);
        let mut changed = scene.clone();
        changed.gravity *= 0.5;
        for rod in &mut changed.rods {
            let material = Material::from_poisson(3e5, 0.3).with_density(700.0);
            rod.profile = Profile::uniform(Section::circle(0.025, material));
            rod.natural = NaturalShape::curved(Vector3::new(-0.1, 0.3, 0.2));
        }
        changed.joints[1].stiffness = vec![1.1; 3];
        changed.joints[2].parent.pose = random.pose();
        changed.bodies[0].inertia.mass = 0.7;
        changed.cables[1].stiffness = Some(70.0);
        let (mut system, fresh) = (System::compile(&scene).unwrap(), System::compile(&changed).unwrap());
        let mut work = system.workspace();
        system.set_values(&changed).unwrap();
        let inputs = system.inputs_at(0.0);
        let state = system.natural_state();
        assert_eq!(state, fresh.natural_state());
        system.assemble(&state, &inputs, CurvatureOf::Increments, &mut work);
        let mut other = fresh.workspace();
        fresh.assemble(&state, &inputs, CurvatureOf::Increments, &mut other);
        assert_eq!(work.right_hand_side(), other.right_hand_side());
        let x: Vec<f64> = (0..system.unknowns()).map(|i| (i as f64).sin()).collect();
        let (mut y, mut z) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        work.multiply(&x, &mut y);
        other.multiply(&x, &mut z);
        assert_eq!(y, z);
        // Another structure is refused.
        changed.rods[0].discretization =
            Discretization::Spline { degree: 3, resolution: Resolution::Spans(4), form: StrainForm::Mixed };
        assert!(system.set_values(&changed).is_err());
    }
}

/// Sections of a rod of tubes lengthen with their insertions while control poses, angles and stresses stay: the column of an
/// insertion against the residual of systems whose tubes are pushed a little, at a state that is no equilibrium.
#[test]
fn columns_of_insertions_are_derivatives_of_the_residual() {
    [Relative::Torsion, Relative::General].into_iter().for_each(check_insertion_columns);
}

fn check_insertion_columns(relative: Relative) {
    let mut random = Random(77);
    let tube = |number: usize, insertion: f64, random: &mut Random| Tube {
        name: format!("tube{number}"),
        material: Material::from_poisson(1.0, 0.3).with_density(1.0),
        inner_diameter: 0.02 * number as f64,
        outer_diameter: 0.02 * (number as f64 + 0.9),
        bending_stiffness: Some(2.0 + random.next()),
        torsion_stiffness: Some(1.5 + random.next()),
        length: insertion + 0.4 + 0.1 * (3 - number) as f64,
        curved_length: 0.6 * insertion,
        // A slope along the tube, which slides past the points, and a step.
        curvature: vec![
            (0.0, nalgebra::Vector2::new(random.next(), random.next())),
            (0.3 * insertion, nalgebra::Vector2::new(random.next(), random.next())),
            (0.3 * insertion, nalgebra::Vector2::new(random.next(), random.next())),
        ],
        insertion,
        rotation: random.next(),
    };
    let tubes = vec![tube(0, 1.7, &mut random), tube(1, 1.0, &mut random), tube(2, 1.3, &mut random)];
    let spline = Discretization::Spline { degree: 3, resolution: Resolution::Spans(5), form: StrainForm::Mixed };
    let wrench = Wrench::new(random.vector() * 0.1, random.vector());
    let scene = Scene {
        gravity: random.vector() * 0.3,
        rods: vec![TubeSet { tubes, relative }.rod("robot", Frame::world(random.pose()), spline)],
        bodies: vec![Body { name: "tip".into(), mount: Mount::On(Frame::rod(0, 1.7)), ..Body::default() }],
        loads: vec![Load {
            name: "wind".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Distributed { from: 0.9, to: 1.6, per_length: wrench },
        }],
        ..Scene::default()
    };
    scene.validate().unwrap();
    let system = System::compile(&scene).unwrap();
    let mut work = system.workspace();
    let inputs = system.inputs_at(0.0);
    let mut state = system.natural_state();
    for block in &mut state.linear {
        *block = nalgebra::Vector6::from_fn(|_, _| random.next());
    }
    for joint in system.joints().iter().filter(|joint| !joint.driven) {
        let angle = state.joint(joint.index).value[0] + 0.3 * random.next();
        state.joints[joint.index] = joint.subgroup.at(&nalgebra::Vector6::ith(0, angle));
    }
    system.settle(&mut state);
    for number in 0..3 {
        let input = Input::TubeInsertion { rod: 0, tube: number };
        system.assemble(&state, &inputs, CurvatureOf::Poses, &mut work);
        system.assemble_input_column(&state, &inputs, input, &mut work);
        let exact = -DVector::from_column_slice(work.right_hand_side());
        let h = 1e-6;
        let at = |change: f64| {
            let mut pushed = scene.clone();
            pushed.insert_tube(0, number, inputs.get(input) + change);
            let mut there = system.clone();
            there.set_values(&pushed).unwrap();
            residual(&there, &state, &there.inputs_at(0.0), &mut there.workspace())
        };
        let finite = (at(h) - at(-h)) / (2.0 * h);
        let error = (&finite - &exact).amax() / exact.amax();
        // The shortest section is 10 mm long: truncation is (h/ℓ)², 1e-8.
        assert!(exact.amax() > 0.0 && error < 1e-7, "{relative:?}, tube {number}: {error:e} of {:e}", exact.amax());
    }
}
