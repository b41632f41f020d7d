//! Contacts: their tangent against finite differences of what they exert, with and without friction, on obstacles that move.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation};
use lissome_mech::index::Slot;
use lissome_mech::kind::contact::law::Phase;
use lissome_mech::passing::{INSIDE, Strands};
use lissome_mech::{CurvatureOf, Inputs, State, System};
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
}

/// A rod, a ball and an obstacle that a joint carries.
fn scene(shape: ObstacleShape, friction: f64, random: &mut Random) -> Scene {
    let section = Section::circle(0.02, Material::from_poisson(2e5, 0.4).with_density(900.0));
    let rod = Rod {
        name: "rod".into(),
        length: 0.7,
        profile: Profile::uniform(section),
        natural: NaturalShape::Straight,
        base: Some(Frame::world(Pose::identity())),
        tip: None,
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(2), form: StrainForm::Mixed },
        turns: Vector3::zeros(),
        laid: Vec::new(),
        initial_velocity: None,
        tubes: None,
    };
    let ball = Body {
        name: "ball".into(),
        inertia: Inertia { mass: 0.3, ..Inertia::default() },
        mount: Mount::Free(random.pose()),
        solids: vec![Solid { pose: random.pose(), outline: Outline::Sphere { radius: 0.05 } }],
        ..Body::default()
    };
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
        bodies: vec![ball],
        obstacles: vec![Obstacle { name: "o".into(), shape, frame: Frame::joint(0).at(random.pose()) }],
        touching: Touching { friction, ..Touching::default() },
        ..Scene::default()
    }
}

fn moved(system: &System, state: &State, x: &DVector<f64>, h: f64) -> State {
    let mut out = state.clone();
    system.retract_poses(state, h, &system.step_of(x.as_slice()), &mut out);
    out
}

/// Largest error of the tangent's first rows against differences of the residual.
fn tangent_error(system: &System, state: &State, inputs: &Inputs, rows: usize, random: &mut Random) -> f64 {
    let mut work = system.workspace();
    let n = system.unknowns();
    let mut worst = 0.0f64;
    system.assemble(state, inputs, CurvatureOf::Poses, &mut work);
    let at = -DVector::from_column_slice(work.right_hand_side());
    for _ in 0..3 {
        let x = DVector::from_fn(n, |_, _| random.next());
        system.assemble(state, inputs, CurvatureOf::Poses, &mut work);
        let mut y = vec![0.0; n];
        work.multiply(x.as_slice(), &mut y);
        let mut exact = DVector::from_vec(y);
        let layout = system.layout();
        let bracket = |node, subspace: &Matrix6<f64>, exact: &mut DVector<f64>| {
            let Some(group) = layout.own_group(node) else { return };
            let rows = layout.rows(group);
            let read =
                |v: &DVector<f64>| Vector6::from_fn(|i, _| v.as_slice()[rows.clone()].get(i).copied().unwrap_or(0.0));
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
        let h = 1e-6;
        let mut residual = |change: f64| {
            system.assemble(&moved(system, state, &x, change), inputs, CurvatureOf::Poses, &mut work);
            -DVector::from_column_slice(work.right_hand_side())
        };
        let finite = (residual(h) - residual(-h)) / (2.0 * h);
        let error = (finite.rows(0, rows) - exact.rows(0, rows)).amax() / exact.rows(0, rows).amax();
        worst = worst.max(error);
    }
    worst
}

/// What a contact exerts changes as its tangent says; the conditions themselves change as their rows do.
#[test]
fn the_tangent_of_contacts_is_the_derivative_of_what_they_exert() {
    let random = &mut Random(4);
    let bend = BoreAxis {
        pieces: vec![
            BorePiece::Straight { length: 2.0 },
            BorePiece::Arc { radius: 6.0, angle: 1.0, toward: 0.7 },
            BorePiece::Straight { length: 2.0 },
        ],
    };
    let shapes = [
        ObstacleShape::Plane,
        ObstacleShape::Sphere { radius: 0.4 },
        ObstacleShape::Capsule { radius: 0.3, length: 3.0 },
        ObstacleShape::Cylinder { radius: 0.3, length: 4.0 },
        ObstacleShape::Bore { axis: bend, radius: 4.0 },
    ];
    let fixed_or_moving = |shape| [(shape, 0.0, 1e-3), (shape, 0.4, 1e-3), (shape, 0.0, 0.0)];
    for (shape, friction, duration) in shapes.iter().flat_map(fixed_or_moving) {
        let system = System::compile(&scene(shape.clone(), friction, random)).unwrap();
        let mut inputs = system.inputs_at(0.0);
        // Within a time step points are fixed to the rod.
        inputs.duration = duration;
        let n = system.unknowns();
        let start = DVector::from_fn(n, |_, _| random.next());
        let mut state = moved(&system, &system.natural_state(), &start, 0.2);
        system.anchor_contacts(&mut state, &inputs, Phase::Free);
        system.press_contacts(&mut state, &Vector3::new(5e6, 3e6, -2e6));
        // Rows of slip are linearised about no slip: only what contacts exert is compared there.
        let rows = if friction > 0.0 { n - 3 * 4 } else { n };
        let error = tangent_error(&system, &state, &inputs, rows, random);
        assert!(error < 1e-6, "{shape:?} {friction} {duration}: {error:e}");
    }
}

/// Edges, rims and axes of two solids, one of them on a joint: places follow on both, and where edges cross the normal too.
#[test]
fn the_tangent_of_edges_and_rims_is_the_derivative_of_what_they_exert() {
    let random = &mut Random(5);
    let boxed = Outline::Box { size: Vector3::new(1.0, 0.8, 0.6) };
    let round = Outline::Cylinder { radius: 0.4, length: 0.9 };
    let pairs = [
        (boxed, ObstacleShape::Box { size: Vector3::new(0.7, 0.9, 0.8) }),
        (boxed, ObstacleShape::Capsule { radius: 0.3, length: 1.0 }),
        (boxed, ObstacleShape::Cylinder { radius: 0.4, length: 0.8 }),
        (round, ObstacleShape::Cylinder { radius: 0.3, length: 1.0 }),
        (round, ObstacleShape::Capsule { radius: 0.3, length: 1.0 }),
        (round, ObstacleShape::Plane),
    ];
    for (outline, shape) in pairs {
        let mut followed = 0;
        for (k, friction) in (0..600).map(|k| (k, if k % 2 == 0 { 0.0 } else { 0.4 })) {
            let mut scene = scene(shape.clone(), friction, random);
            scene.rods.clear();
            scene.bodies[0].solids = vec![Solid { pose: Pose::identity(), outline }];
            // The two lie close to each other, or in each other a little.
            scene.joints[0].parent = Frame::world(Pose::identity());
            scene.obstacles[0].frame = Frame::joint(0).at(Pose::new(Rotation::exp(&random.vector()), Vector3::zeros()));
            let away = random.vector().normalize() * (0.85 + 0.15 * random.next());
            scene.bodies[0].mount = Mount::Free(Pose::new(Rotation::exp(&(random.vector() * 2.0)), away));
            let system = System::compile(&scene).unwrap();
            let mut inputs = system.inputs_at(0.0);
            inputs.duration = 1e-3;
            let n = system.unknowns();
            let state = system.natural_state();
            let start = DVector::from_fn(n, |_, _| random.next());
            let mut state = moved(&system, &state, &start, 0.02);
            system.anchor_contacts(&mut state, &inputs, Phase::Free);
            let ridges: Vec<bool> = (system.kinds().contacts.iter()).map(|own| own.carrier.is_ridge()).collect();
            let points = ridges.iter().filter(|ridge| !**ridge).count();
            let met = system.contact_states(&state, &inputs);
            // The distance of a rim from a box has kinks inside of it, and bends without bound at its edges, which ridges have.
            let least = if outline == round || matches!(shape, ObstacleShape::Cylinder { .. }) { 1e-3 } else { -1.0 };
            if met.len() == points || met.iter().any(|met| met.gap < least) {
                continue;
            }
            followed += met.len() - points;
            system.press_contacts(&mut state, &Vector3::new(5e3, 3e3, -2e3));
            let rows = if friction > 0.0 { n - 3 * ridges.len() } else { n };
            let error = tangent_error(&system, &state, &inputs, rows, random);
            assert!(error < 1e-5, "{outline:?} {shape:?} {friction} {k}: {error:e}");
        }
        assert!(followed >= 10, "{outline:?} {shape:?}: {followed}");
    }
}

/// Two rods that cross, or one that comes back to itself.
fn pair(itself: bool, friction: f64) -> Scene {
    let section = Section::circle(0.02, Material::from_poisson(2e5, 0.4).with_density(900.0));
    let rod = |name: &str, base: Pose, natural: NaturalShape| Rod {
        name: name.into(),
        length: 0.7,
        profile: Profile::uniform(section.clone()),
        natural,
        base: Some(Frame::world(base)),
        tip: None,
        discretization: Discretization::Spline { degree: 3, resolution: Resolution::Spans(5), form: StrainForm::Mixed },
        turns: Vector3::zeros(),
        laid: Vec::new(),
        initial_velocity: None,
        tubes: None,
    };
    let across = Pose::new(Rotation::exp(&Vector3::new(0.0, 0.3, 1.2)), Vector3::new(0.3, -0.3, 0.05));
    let ring = NaturalShape::curved(Vector3::new(0.6, 0.0, 11.0));
    let rods = match itself {
        true => vec![rod("ring", Pose::identity(), ring)],
        false => vec![rod("one", Pose::identity(), NaturalShape::Straight), rod("two", across, NaturalShape::Straight)],
    };
    let of = [Toucher::Rod(0), Toucher::Rod(rods.len() - 1)];
    let pairs = vec![TouchingPair { of, stretches: [None; 2], friction: Some(friction), touches: true, bore: None }];
    Scene { rods, touching: Touching { pairs, ..Touching::default() }, ..Scene::default() }
}

/// The same for rods that touch each other or themselves: places follow on both.
#[test]
fn the_tangent_of_rods_that_touch_is_the_derivative_of_what_they_exert() {
    let random = &mut Random(7);
    for (itself, friction, duration) in
        [(false, 0.0, 0.0), (false, 0.0, 1e-3), (false, 0.3, 1e-3), (true, 0.0, 0.0), (true, 0.3, 1e-3)]
    {
        let system = System::compile(&pair(itself, friction)).unwrap();
        let mut inputs = system.inputs_at(0.0);
        inputs.duration = duration;
        let n = system.unknowns();
        let start = DVector::from_fn(n, |_, _| random.next());
        let mut state = moved(&system, &system.natural_state(), &start, 0.03);
        system.meet(&mut state, 0.2);
        system.anchor_contacts(&mut state, &inputs, Phase::Free);
        let met = system.contact_states(&state, &inputs).len();
        assert!(met > 0, "they meet");
        system.press_contacts(&mut state, &Vector3::new(5e3, 3e3, -2e3));
        let rows = if friction > 0.0 { n - 3 * system.kinds().contacts.len() } else { n };
        let error = tangent_error(&system, &state, &inputs, rows, random);
        assert!(error < 1e-5, "{itself} {friction} {duration}, {met} meet: {error:e}");
    }
}

/// A rod in the bore of another one, both bent: the places of both follow.
#[test]
fn the_tangent_of_a_rod_in_a_rod_is_the_derivative_of_what_they_exert() {
    let random = &mut Random(11);
    for (friction, duration) in [(0.0, 0.0), (0.0, 1e-3), (0.3, 1e-3)] {
        let mut scene = pair(false, friction);
        // Off the axis and at an angle, the inner one longer: its points, and the mouth of the other.
        scene.rods[0].base = Some(Frame::world(Pose::new(
            Rotation::exp(&Vector3::new(0.0, 0.05, 0.04)),
            Vector3::new(0.02, -0.01, 0.015),
        )));
        scene.rods[1].base = Some(Frame::world(Pose::identity()));
        scene.rods[1].length = 0.5;
        scene.rods[1].profile = Profile::uniform(Section::circle(0.09, Material::from_poisson(2e5, 0.4)));
        scene.touching.pairs[0].bore = Some(0.08);
        let system = System::compile(&scene).unwrap();
        let mut inputs = system.inputs_at(0.0);
        inputs.duration = duration;
        let n = system.unknowns();
        let start = DVector::from_fn(n, |_, _| random.next());
        let mut state = moved(&system, &system.natural_state(), &start, 0.02);
        system.meet(&mut state, 0.0);
        system.anchor_contacts(&mut state, &inputs, Phase::Free);
        let met = system.contact_states(&state, &inputs);
        // Three of the five spans of the inner one are inside, the middle of the fourth too; and the mouth.
        assert!(met.len() >= 4, "{friction} {duration}: {met:?}");
        assert!(met.iter().any(|met| (met.s - 0.5).abs() < 0.1), "the mouth");
        system.press_contacts(&mut state, &Vector3::new(5e3, 3e3, -2e3));
        let rows = if friction > 0.0 { n - 3 * system.kinds().contacts.len() } else { n };
        let error = tangent_error(&system, &state, &inputs, rows, random);
        assert!(error < 1e-5, "{friction} {duration}: {error:e}");
    }
}

/// Rods that go through each other are seen by where they run, however far they move in one step.
#[test]
fn rods_that_pass_through_each_other_are_seen() {
    let scene = pair(false, 0.0);
    let system = System::compile(&scene).unwrap();
    let mut strands = Strands::of(&system);
    let from = system.natural_state();
    // The second rod crosses the first one some centimetres below it.
    let raised = |by: f64| {
        let mut to = from.clone();
        let second = from.poses.len() / 2;
        to.poses[second..].iter_mut().for_each(|pose| pose.position.z += by);
        to
    };
    assert_eq!(strands.passing(&from, &raised(0.0)), None);
    assert_eq!(strands.passing(&from, &raised(-0.5)), None);
    let found = strands.passing(&from, &raised(0.5)).expect("it went through");
    assert_eq!((found.rods, found.closeness < INSIDE), ([0, 1], true));
    let back = strands.passing(&raised(0.5), &from).expect("and back");
    assert!((0..2).all(|k| (back.at[k] - found.at[k]).abs() < 0.05), "{back:?} {found:?}");
}

/// What is far costs a look and no more.
#[test]
fn what_is_far_couples_nothing() {
    let random = &mut Random(9);
    let mut with = scene(ObstacleShape::Plane, 0.4, random);
    let height = |scene: &Scene, up: f64| {
        let mut scene = scene.clone();
        // The rod runs along x, the plane faces z.
        scene.obstacles[0].frame = Frame::world(Pose::at(Vector3::new(0.0, 0.0, -up)));
        scene
    };
    with.bodies.clear();
    let cost = |scene: &Scene| {
        let system = System::compile(scene).unwrap();
        let (state, inputs) = (system.natural_state(), system.inputs_at(0.0));
        let mut work = system.workspace();
        system.assemble(&state, &inputs, CurvatureOf::Poses, &mut work);
        work.block_products()
    };
    let mut without = with.clone();
    without.obstacles.clear();
    let [none, far, near] = [cost(&without), cost(&height(&with, 0.5)), cost(&height(&with, 0.03))];
    assert_eq!(none, far);
    assert!(near > far, "{near} {far}");
}

/// A rod across a post that stands between two of its points, across an edge and over a corner: the place of the least gap follows the
/// rod, slip does not. Nor does it matter whether the axis of the rod is on this side of the edge or behind it.
#[test]
fn the_tangent_of_a_rod_across_something_is_the_derivative_of_what_they_exert() {
    let random = &mut Random(17);
    let post = || ObstacleShape::Cylinder { radius: 0.03, length: 1.0 };
    // Half of its diagonal is as high.
    let bar = || ObstacleShape::Box { size: Vector3::new(1.0, 0.03 * 2.0f64.sqrt(), 0.03 * 2.0f64.sqrt()) };
    let on_its_edge = Rotation::exp(&(Vector3::x() * std::f64::consts::FRAC_PI_4));
    let across = Pose::new(on_its_edge, Vector3::zeros());
    let short = Pose::new(on_its_edge, Vector3::new(-0.503, 0.0, 0.0));
    let both = [(0.0, 1e-3), (0.3, 1e-3), (0.3, 0.0)];
    let at_rest = [(0.0, 0.0), (0.3, 0.0)];
    for (shape, place, depth, cases) in [
        (post(), Pose::identity(), 0.058, &both[..]),
        (bar(), across, 0.058, &both[..]),
        (bar(), across, 0.058, &at_rest[..]),
        (bar(), short, 0.055, &both[..]),
        (bar(), across, 0.022, &at_rest[..]),
    ] {
        for (friction, duration) in cases.iter().copied() {
            let mut scene = pair(false, friction);
            scene.rods.truncate(1);
            scene.touching = Touching { friction, ..Touching::default() };
            // Two thirds along a span, below the rod, which it meets at an angle; a joint carries it.
            let parent = Pose::new(Rotation::exp(&Vector3::new(0.0, 0.2, 1.3)), Vector3::new(0.37, 0.0, -depth));
            scene.joints = vec![Joint {
                name: "joint".into(),
                kind: JointKind::Spherical,
                parent: Frame::world(parent),
                motion: JointMotion::Free { start: vec![0.0, 0.0, 0.0] },
                ..Joint::default()
            }];
            let frame = Frame::joint(0).at(place);
            scene.obstacles = vec![Obstacle { name: "thing".into(), shape: shape.clone(), frame }];
            let system = System::compile(&scene).unwrap();
            let mut inputs = system.inputs_at(0.0);
            inputs.duration = duration;
            let n = system.unknowns();
            let start = DVector::from_fn(n, |_, _| random.next());
            let mut state = moved(&system, &system.natural_state(), &start, 2e-3);
            let poses = state.clone();
            match duration > 0.0 {
                true => system.meet_at(&poses, 0.0, &mut state),
                false => system.meet(&mut state, 0.0),
            }
            system.anchor_contacts(&mut state, &inputs, Phase::Free);
            let met = system.contact_states(&state, &inputs);
            assert!(
                met.iter().any(|met| met.gap < depth - 0.048 && (met.s - 0.37).abs() < 0.01),
                "between two points: {met:?}"
            );
            system.press_contacts(&mut state, &Vector3::new(5e3, 3e3, -2e3));
            let rows = if friction > 0.0 { n - 3 * system.kinds().contacts.len() } else { n };
            let error = tangent_error(&system, &state, &inputs, rows, random);
            assert!(error < 1e-5, "{shape:?} {depth} {friction} {duration}: {error:e}");
        }
    }
}
