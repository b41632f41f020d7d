//! Poses in a scene: where frames sit on their carriers, and the control poses of a natural shape.

use super::dimension::Dimension;
use super::findings::Findings;
use super::keys;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_lie::{Pose, Rotation};
use nalgebra::Vector3;

/// How far from one the length of a quaternion may be: it is typed with a few digits, and normalised.
const QUATERNION_SLACK: f64 = 1e-3;

/// Keys of which one says how a frame is turned, before its roll.
const TURNS: [&str; 4] = ["tangent", "quat_wxyz", "rotvec", "euler"];

/// Reads `{ position, tangent or quat_wxyz or rotvec or euler, roll }`.
pub fn read(reader: &Reader<'_>, findings: &mut Findings) -> Option<Pose> {
    let (turned, pose) = (read_turned(reader, findings), read_on_carrier(reader, findings));
    Some(Pose::new(turned?, Vector3::zeros()) * pose?)
}

/// The same without the turn of the whole frame.
pub fn read_on_carrier(reader: &Reader<'_>, findings: &mut Findings) -> Option<Pose> {
    let position = read_or(
        reader,
        "position",
        Some(Vector3::zeros()),
        |r, f| r.vector("position", Dimension::LENGTH, f),
        findings,
    );
    let roll = read_or(reader, "roll", Some(0.0), |r, f| r.quantity("roll", Dimension::ANGLE, Sign::Any, f), findings);
    let rotation = read_rotation(reader, findings);
    let rotation = rotation? * Rotation::exp(&(Vector3::x() * roll?));
    Some(Pose::new(rotation, position?))
}

fn read_rotation(reader: &Reader<'_>, findings: &mut Findings) -> Option<Rotation> {
    for (i, first) in TURNS.iter().enumerate() {
        for second in &TURNS[i + 1..] {
            if !reader.not_both(first, second, "both say where it points", findings) {
                return None;
            }
        }
    }
    if reader.has("rotvec") {
        return reader.vector("rotvec", Dimension::ANGLE, findings).map(|turn| Rotation::exp(&turn));
    }
    if reader.has("euler") {
        let euler = reader.table("euler", keys::EULER, findings)?;
        let sequence = match euler.has("sequence") {
            true => keys::EULER_SEQUENCES[euler.choice("sequence", keys::EULER_SEQUENCES, findings)?],
            false => return euler.missing("sequence", findings),
        };
        let angles = match euler.has("angles") {
            true => euler.vector("angles", Dimension::ANGLE, findings)?,
            false => return euler.missing("angles", findings),
        };
        let turns = sequence.chars().zip(angles.iter()).map(|(letter, angle)| Rotation::exp(&(axis(letter) * *angle)));
        // Later turns are about axes that earlier ones have turned, or about those that stay.
        let moving = sequence.starts_with(|c: char| c.is_ascii_uppercase());
        let all = turns.fold(Rotation::identity(), |all, turn| if moving { all * turn } else { turn * all });
        return Some(all);
    }
    if reader.has("quat_wxyz") {
        let q = reader.quaternion("quat_wxyz", findings)?;
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let unit = (norm - 1.0).abs() <= QUATERNION_SLACK;
        return unit
            .then(|| Rotation::from_quat_wxyz(q))
            .flatten()
            .or_else(|| reader.fault("quat_wxyz", Fault::NotUnitQuaternion { norm }, findings));
    }
    if reader.has("tangent") {
        let tangent = reader.vector("tangent", Dimension::NONE, findings)?;
        return Rotation::from_tangent(&tangent)
            .or_else(|| reader.fault("tangent", Fault::NoDirection { what: "tangent" }, findings));
    }
    Some(Rotation::identity())
}

/// The axis of a letter, large or small.
fn axis(letter: char) -> Vector3<f64> {
    match letter.to_ascii_lowercase() {
        'x' => Vector3::x(),
        'y' => Vector3::y(),
        _ => Vector3::z(),
    }
}

/// The turn of a whole frame about an axis of its carrier, `turned = { about, angle }`; none if it is not given.
pub fn read_turned(reader: &Reader<'_>, findings: &mut Findings) -> Option<Rotation> {
    if !reader.has("turned") {
        return Some(Rotation::identity());
    }
    let turned = reader.table("turned", keys::TURNED, findings)?;
    let about = match turned.has("about") {
        true => keys::AXES[turned.choice("about", keys::AXES, findings)?],
        false => "z",
    };
    let angle = turned.required("angle", Dimension::ANGLE, Sign::Any, findings)?;
    Some(Rotation::exp(&(axis(about.chars().next().unwrap_or('z')) * angle)))
}

/// What the key says if it is there, else `default`.
fn read_or<'d, T>(
    reader: &Reader<'d>,
    name: &str,
    default: Option<T>,
    read: impl FnOnce(&Reader<'d>, &mut Findings) -> Option<T>,
    findings: &mut Findings,
) -> Option<T> {
    if reader.has(name) { read(reader, findings) } else { default }
}
