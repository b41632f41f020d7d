//! Robots that other code is compared with: those of the papers, and one small tree and one small loop per joint.

use super::description::{Anchor, Body, Cable, CableDrive, Joint, Load, Mount, Network, Rod, RodSection};
use super::joints::JointKind;
use crate::quaternion::Quaternion;
use lissome_lie::{Pose, Rotation, Wrench};
use nalgebra::{Matrix6, Vector3, Vector6};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// The rotation by |a| about a.
fn turned(a: Vector3<f64>) -> Rotation {
    Quaternion::from_rotation_vector(&a).to_rotation()
}

/// Turns the x axis of a rod to the world's z.
fn upright() -> Rotation {
    turned(Vector3::y() * -FRAC_PI_2)
}

/// Index of the platform among the bodies of [`six_rod_robot`].
pub const PLATFORM: usize = 0;

/// The continuum parallel robot of [cfpr2025, section VI]: three motors on a circle of 50 mm, each with two rods of
/// 200 mm at ±15 mm along its axis, which is tangent to the circle; a platform of the same circle; `pull` (N) at the
/// platform's centre over a pulley at (0.1, 0, 0.6). Joint m is motor m, negative angles tilt the rods inward.
pub fn six_rod_robot(angles: [f64; 3], pull: f64) -> Network {
    const CIRCLE: f64 = 0.05;
    const SPREAD: f64 = 0.015;
    const LENGTH: f64 = 0.2;
    let section = RodSection::round(0.5e-3, 1.13e10, 0.3);
    let mut network =
        Network { bodies: vec![Body::massless(Pose::at(Vector3::new(0.0, 0.0, LENGTH)))], ..Network::default() };
    for (m, angle) in angles.into_iter().enumerate() {
        let (sine, cosine) = (TAU * m as f64 / 3.0).sin_cos();
        let centre = Vector3::new(cosine, sine, 0.0) * CIRCLE;
        let tangent = Vector3::new(-sine, cosine, 0.0);
        let motor = network.bodies.len();
        network.bodies.push(Body::massless(Pose::at(centre)));
        network.joints.push(Joint::driven(
            Mount::ground(Pose::at(centre)),
            Mount::body(motor, Pose::identity()),
            JointKind::Revolute(tangent),
            &[angle],
        ));
        for side in [SPREAD, -SPREAD] {
            let base = Mount::body(motor, Pose::new(upright(), tangent * side));
            let tip = Mount::body(PLATFORM, Pose::new(upright(), centre + tangent * side));
            network.rods.push(Rod::uniform(LENGTH, section, base, Some(tip)));
        }
    }
    if pull != 0.0 {
        let target = Vector3::new(0.1, 0.0, 0.6);
        network.loads.push(Load::Toward { body: PLATFORM, at: Vector3::zeros(), target, force: pull });
    }
    network
}

/// Motor angles of sample 1 … 11 of [cfpr2025, eq. (39)]: rest, then ten phases.
pub fn motor_angles(sample: usize) -> [f64; 3] {
    if sample <= 1 {
        return [0.0; 3];
    }
    let phase = TAU * (sample - 2) as f64 / 10.0;
    [0.0, 1.0, 2.0].map(|m| -PI / 12.0 * ((phase + TAU * m / 3.0).sin() + 1.0))
}

/// The cable-driven arm of [xun2025, section 8.1, table 6]: a rod of 1 m tapered from 4 cm to 2 cm, ten massless plates,
/// one cable through holes 6 cm above the axis (+z) at the base and in every plate. Body k is plate k + 1.
pub fn cable_arm(tension: f64) -> Network {
    const PLATES: usize = 10;
    const PITCH: f64 = 0.1;
    let radius = |s: f64| 0.04 - 0.02 * s;
    let hole = Vector3::new(0.0, 0.0, 0.06);
    let mut network = Network::default();
    let mut points = vec![Anchor::ground(hole)];
    for k in 0..PLATES {
        let before = PITCH * k as f64;
        network.bodies.push(Body::massless(Pose::at(Vector3::new(PITCH * (k + 1) as f64, 0.0, 0.0))));
        let base = if k == 0 { Mount::ground(Pose::identity()) } else { Mount::body(k - 1, Pose::identity()) };
        let section = move |s: f64| RodSection::round(radius(before + s), 1e6, 0.45);
        network.rods.push(Rod::varying(PITCH, section, base, Some(Mount::body(k, Pose::identity()))));
        points.push(Anchor::body(k, hole));
    }
    network.cables.push(Cable { points, drive: CableDrive::Tension(tension) });
    network
}

/// Length of the rods of [`chiral_column`], m.
pub const CHIRAL_ROD: f64 = 0.8;

/// The chiral structure of [xun2025, section 8.3, table 8]: on the ground four upright rods on a circle, a plate (body 0), four
/// more, a plate (body 1) that slides along z and does not turn. A dead `torque` about z turns body 0, `push` (N) presses
/// body 1 down. Rods 0 to 3 are the lower ones, each 90° from the last. The paper gives no circle.
pub fn chiral_column(circle: f64, torque: f64, push: f64) -> Network {
    let section = RodSection::round(0.04, 1e5, 0.45);
    let plate = |k: usize| Pose::at(Vector3::new(0.0, 0.0, CHIRAL_ROD * (k + 1) as f64));
    let mut network =
        Network { bodies: vec![Body::massless(plate(0)), Body::massless(plate(1))], ..Network::default() };
    for k in 0..2 {
        for quarter in 0..4 {
            let turn = turned(Vector3::z() * (FRAC_PI_2 * f64::from(quarter)));
            let around = Quaternion::from_rotation(&turn);
            let (q, p) = (around.times(Quaternion::from_rotation(&upright())), around.matrix() * Vector3::x() * circle);
            let foot = Pose::new(q.to_rotation(), p);
            let base = if k == 0 { Mount::ground(foot) } else { Mount::body(k - 1, foot) };
            network.rods.push(Rod::uniform(CHIRAL_ROD, section, base, Some(Mount::body(k, foot))));
        }
    }
    let guide = JointKind::Prismatic(Vector3::z());
    network.joints.push(Joint::free(Mount::ground(plate(1)), Mount::body(1, Pose::identity()), guide));
    let twist = Wrench::new(Vector3::z() * torque, Vector3::zeros());
    network.loads = vec![Load::dead(0, Vector3::zeros(), twist), push_on(1, Vector3::z() * -push)];
    network
}

/// The strip of [xun2025, table 9]: 1 mm thick along z, 20 mm wide, 5 GPa, Poisson's ratio 0.3, torsion by St. Venant.
pub fn finger_strip() -> RodSection {
    const WIDTH: f64 = 0.02;
    const THICKNESS: f64 = 1e-3;
    /// Torsion constant of this rectangle, m⁴.
    const TORSION: f64 = 6.456_666_776e-12;
    let young = 5e9;
    let shear = young / (2.0 * 1.3);
    let area = WIDTH * THICKNESS;
    let weak = area * THICKNESS * THICKNESS / 12.0;
    let strong = area * WIDTH * WIDTH / 12.0;
    RodSection::straight(Matrix6::from_diagonal(&Vector6::new(
        shear * TORSION,
        young * weak,
        young * strong,
        young * area,
        shear * area,
        shear * area,
    )))
}

/// A finger after [xun2025, section 8.4]: a bone of 40 mm held at its root, two strips of 20 mm, bones of 30 and 25 mm, one
/// cable 10 mm below the axis (−z) from the root through both ends of every bone. The strips are arcs of the given
/// curvatures (1/m, about y: positive ones bend down); body k is bone k + 2, its frame at its near end.
pub fn finger(tension: f64, curvatures: [f64; 2]) -> Network {
    const STRIP: f64 = 0.02;
    const FIRST: f64 = 0.04;
    const BONES: [f64; 2] = [0.03, 0.025];
    const DEPTH: f64 = -0.01;
    let hole = |x: f64| Vector3::new(x, 0.0, DEPTH);
    let mut network = Network::default();
    let mut points = vec![Anchor::ground(hole(0.0)), Anchor::ground(hole(FIRST))];
    let mut root = Mount::ground(Pose::at(Vector3::new(FIRST, 0.0, 0.0)));
    // Where the natural arcs put the bones: by turn about y and position in the plane.
    let (mut turn, mut end) = (0.0, Vector3::new(FIRST, 0.0, 0.0));
    for k in 0..2 {
        let curvature = curvatures[k];
        // The chord of the arc points half its turn down.
        let half = 0.5 * curvature * STRIP;
        let chord = STRIP * if half == 0.0 { 1.0 } else { half.sin() / half };
        end += Vector3::new((turn + half).cos(), 0.0, -(turn + half).sin()) * chord;
        turn += 2.0 * half;
        network.bodies.push(Body::massless(Pose::new(turned(Vector3::y() * turn), end)));
        end += Vector3::new(turn.cos(), 0.0, -turn.sin()) * BONES[k];
        let section = finger_strip().with_curvature(Vector3::y() * curvature);
        network.rods.push(Rod::uniform(STRIP, section, root, Some(Mount::body(k, Pose::identity()))));
        points.extend([Anchor::body(k, hole(0.0)), Anchor::body(k, hole(BONES[k]))]);
        root = Mount::body(k, Pose::at(Vector3::new(BONES[k], 0.0, 0.0)));
    }
    network.cables.push(Cable { points, drive: CableDrive::Tension(tension) });
    network
}

/// Every kind of joint, with axes z, or x then y.
pub fn joint_kinds() -> [(&'static str, JointKind); 8] {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    [
        ("fixed", JointKind::Fixed),
        ("revolute", JointKind::Revolute(z)),
        ("prismatic", JointKind::Prismatic(z)),
        ("cylindrical", JointKind::Cylindrical(z)),
        ("universal", JointKind::Universal(x, y)),
        ("spherical", JointKind::Spherical),
        ("planar", JointKind::Planar(x, y)),
        ("free", JointKind::Free),
    ]
}

/// Length of the rods of [`joint_tree`] and [`joint_loop`], m.
pub const JOINT_ROD: f64 = 0.3;

/// Their rod: 4 mm thick, 1 GPa, EI/L² = 0.14 N.
pub fn joint_rod_section() -> RodSection {
    RodSection::round(2e-3, 1e9, 0.3)
}

/// The joint's frame in the axes of the bodies it joins, oblique so that no component of a wrench is idle.
pub fn joint_frame() -> Pose {
    Pose::new(turned(Vector3::new(0.3, -0.5, 0.4)), Vector3::zeros())
}

/// Springs of a joint: 0.05 N·m/rad about, 20 N/m along, slack at zero.
fn springs(kind: &JointKind) -> Vec<f64> {
    let all = [0.05, 0.05, 0.05, 20.0, 20.0, 20.0];
    match kind {
        JointKind::Prismatic(_) => vec![20.0],
        JointKind::Cylindrical(_) => vec![0.05, 20.0],
        JointKind::Planar(..) => vec![0.05, 20.0, 20.0],
        other => all[..other.freedoms()].to_vec(),
    }
}

fn push_on(body: usize, force: Vector3<f64>) -> Load {
    Load::dead(body, Vector3::zeros(), Wrench::new(Vector3::zeros(), force))
}

/// A tree: a rod along x from the ground to body 0, the joint with springs to body 1, a rod on along x to body 2, which
/// is pushed by (−0.02, 0.05, 0.08) N.
pub fn joint_tree(kind: JointKind) -> Network {
    let at = |x: f64| Pose::at(Vector3::new(x, 0.0, 0.0));
    let section = joint_rod_section();
    let own = Mount::body;
    Network {
        bodies: vec![Body::massless(at(JOINT_ROD)), Body::massless(at(JOINT_ROD)), Body::massless(at(2.0 * JOINT_ROD))],
        rods: vec![
            Rod::uniform(JOINT_ROD, section, Mount::ground(Pose::identity()), Some(own(0, Pose::identity()))),
            Rod::uniform(JOINT_ROD, section, own(1, Pose::identity()), Some(own(2, Pose::identity()))),
        ],
        joints: vec![
            Joint::free(own(0, joint_frame()), own(1, joint_frame()), kind)
                .with_spring(&springs(&kind), &vec![0.0; kind.freedoms()]),
        ],
        loads: vec![push_on(2, Vector3::new(-0.02, 0.05, 0.08))],
        ..Network::default()
    }
}

/// A loop: a rod along x from the ground to body 0, a rod along y from the ground to body 1 at the same point, and the
/// joint between the two, without springs unless it is free. Body 0 is pushed by (0.03, −0.05, 0.1) N at its origin, body 1
/// by (0.04, −0.06, 0.05) N at (0.06, −0.04, 0.1) m from its own.
pub fn joint_loop(kind: JointKind) -> Network {
    let along_y = turned(Vector3::z() * FRAC_PI_2);
    let corner = Pose::at(Vector3::new(JOINT_ROD, 0.0, 0.0));
    let section = joint_rod_section();
    let below = Mount::ground(Pose::new(along_y, corner.position - Vector3::y() * JOINT_ROD));
    let joint = Joint::free(Mount::body(0, joint_frame()), Mount::body(1, joint_frame()), kind);
    let joint = match kind {
        JointKind::Free => joint.with_spring(&springs(&kind), &[0.0; 6]),
        _ => joint,
    };
    let off_centre = Wrench::new(Vector3::zeros(), Vector3::new(0.04, -0.06, 0.05));
    Network {
        bodies: vec![Body::massless(corner), Body::massless(corner)],
        rods: vec![
            Rod::uniform(JOINT_ROD, section, Mount::ground(Pose::identity()), Some(Mount::body(0, Pose::identity()))),
            Rod::uniform(JOINT_ROD, section, below, Some(Mount::body(1, Pose::new(along_y, Vector3::zeros())))),
        ],
        joints: vec![joint],
        loads: vec![
            push_on(0, Vector3::new(0.03, -0.05, 0.1)),
            Load::dead(1, Vector3::new(0.06, -0.04, 0.1), off_centre),
        ],
        ..Network::default()
    }
}
