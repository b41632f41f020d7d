//! Springs between frames: their tangent, and the damping of a step, against finite differences.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation};
use lissome_mech::index::Slot;
use lissome_mech::{CurvatureOf, State, System};
use lissome_model::*;
use nalgebra::{DVector, Matrix6, Vector3, Vector6};

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
    fn definite(&mut self) -> Matrix6<f64> {
        let x = Matrix6::from_fn(|_, _| self.next());
        Matrix6::identity() * 2.0 + x * x.transpose()
    }
}

/// Two bodies and a rod on a joint with springs between all of them and the world.
fn scene(law: SpringLaw, random: &mut Random) -> Scene {
    let section = Section::circle(0.02, Material::from_poisson(2e5, 0.4).with_density(900.0));
    let rod = Rod {
        name: "rod".into(),
        length: 0.7,
        profile: Profile::uniform(section),
        natural: NaturalShape::Straight,
        base: Some(Frame::joint(0)),
        tip: None,
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(2), form: StrainForm::Mixed },
        turns: Vector3::zeros(),
        laid: Vec::new(),
        initial_velocity: None,
        tubes: None,
    };
    let body = |random: &mut Random| Body {
        name: "body".into(),
        inertia: Inertia { mass: 0.3, centre: random.vector() * 0.1, ..Inertia::default() },
        mount: Mount::Free(random.pose()),
        ..Body::default()
    };
    let spring = |a: Frame, b: Frame| Spring { name: "spring".into(), a, b, law };
    let joint = Joint {
        name: "joint".into(),
        kind: JointKind::Spherical,
        parent: Frame::world(random.pose()),
        motion: JointMotion::Free { start: vec![0.1, 0.2, -0.3] },
        ..Joint::default()
    };
    Scene {
        rods: vec![rod],
        joints: vec![joint],
        bodies: vec![body(random), body(random)],
        springs: vec![
            spring(Frame::world(random.pose()), Frame::body(0).at(random.pose())),
            spring(Frame::body(0), Frame::rod(0, 0.7).at(random.pose())),
            spring(Frame::body(1).at(random.pose()), Frame::joint(0)),
            spring(Frame::body(1), Frame::body(0).at(random.pose())),
        ],
        ..Scene::default()
    }
}

fn laws(random: &mut Random) -> Vec<SpringLaw> {
    vec![
        SpringLaw::Line { stiffness: 3.0, rest_length: Some(0.4), damping: 0.7 },
        SpringLaw::Line { stiffness: 2.0, rest_length: Some(0.0), damping: 0.0 },
        SpringLaw::Line { stiffness: 5.0, rest_length: None, damping: 0.2 },
        SpringLaw::Bushing { stiffness: random.definite(), damping: random.definite() },
        SpringLaw::Axes { stiffness: Vector3::new(3.0, 0.0, 7.0) },
    ]
}

fn moved(system: &System, state: &State, x: &DVector<f64>, h: f64) -> State {
    let mut out = state.clone();
    system.retract_poses(state, h, &system.step_of(x.as_slice()), &mut out);
    out
}

#[test]
fn the_tangent_of_springs_is_the_derivative_of_their_force() {
    let random = &mut Random(4);
    for law in laws(random) {
        let system = System::compile(&scene(law, random)).unwrap();
        let mut work = system.workspace();
        let inputs = system.inputs_at(0.0);
        let n = system.unknowns();
        let start = DVector::from_fn(n, |_, _| random.next());
        let state = moved(&system, &system.natural_state(), &start, 0.3);
        system.assemble(&state, &inputs, CurvatureOf::Poses, &mut work);
        let at = -DVector::from_column_slice(work.right_hand_side());
        for _ in 0..4 {
            let x = DVector::from_fn(n, |_, _| random.next());
            system.assemble(&state, &inputs, CurvatureOf::Poses, &mut work);
            let mut y = vec![0.0; n];
            work.multiply(x.as_slice(), &mut y);
            let mut exact = DVector::from_vec(y);
            // The derivative of the left-trivialised residual has ½Mx(r) beside the tangent in exponential coordinates.
            let layout = system.layout();
            let bracket = |node, subspace: &Matrix6<f64>, exact: &mut DVector<f64>| {
                let Some(group) = layout.own_group(node) else { return };
                let rows = layout.rows(group);
                let read = |v: &DVector<f64>| {
                    Vector6::from_fn(|i, _| v.as_slice()[rows.clone()].get(i).copied().unwrap_or(0.0))
                };
                let covector = lissome_lie::Wrench::from_vector(&(subspace * read(&at)));
                let mx = lissome_lie::dual::DualVector::from(covector).skew().covector_map() * 0.5;
                let more = subspace.tr_mul(&(mx * (subspace * read(&x))));
                rows.clone().zip(more.iter()).for_each(|(row, more)| exact[row] += more);
            };
            for slot in Slot::first(state.poses.len()) {
                bracket(slot.node(), &Matrix6::identity(), &mut exact);
            }
            for joint in system.joints() {
                bracket(joint.node, &joint.subgroup.subspace, &mut exact);
            }
            let h = 1e-5;
            let mut residual = |change: f64| {
                system.assemble(&moved(&system, &state, &x, change), &inputs, CurvatureOf::Poses, &mut work);
                -DVector::from_column_slice(work.right_hand_side())
            };
            let finite = (residual(h) - residual(-h)) / (2.0 * h);
            let error = (&finite - &exact).amax() / exact.amax();
            assert!(error < 1e-7, "{law:?}: {error:e}");
        }
    }
}

/// What springs store is what their forces give back.
#[test]
fn the_force_of_springs_is_the_slope_of_their_energy() {
    let random = &mut Random(9);
    for law in laws(random) {
        let mut scene = scene(law, random);
        // Bodies alone: nothing but springs stores anything.
        scene.rods.clear();
        scene.springs.remove(1);
        let system = System::compile(&scene).unwrap();
        let mut work = system.workspace();
        let inputs = system.inputs_at(0.0);
        let n = system.unknowns();
        let state = moved(&system, &system.natural_state(), &DVector::from_fn(n, |_, _| random.next()), 0.2);
        let x = DVector::from_fn(n, |_, _| random.next());
        system.evaluate(&state, &inputs, &mut work);
        let slope = -DVector::from_column_slice(work.right_hand_side()).dot(&x);
        let h = 1e-5;
        let mut energy =
            |change: f64| system.potentials(&moved(&system, &state, &x, change), &inputs, &mut work).elastic;
        let finite = (energy(h) - energy(-h)) / (2.0 * h);
        assert!((finite - slope).abs() < 1e-7 * slope.abs().max(1.0), "{law:?}: {finite} {slope}");
    }
}
