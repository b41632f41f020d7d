//! Poses in a scene: where frames sit on their carriers, and the control poses of a natural shape.

use super::dimension::Dimension;
use super::findings::Findings;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_lie::{Pose, Rotation};
use nalgebra::Vector3;

/// How far from one the length of a quaternion may be: it is typed with a few digits, and normalised.
const QUATERNION_SLACK: f64 = 1e-3;

/// Keys of which one says how a frame is turned, before its roll.
const TURNS: [&str; 3] = ["tangent", "quat_wxyz", "rotvec"];

/// Reads `{ position, tangent or quat_wxyz or rotvec, roll }`.
pub fn read(reader: &Reader<'_>, findings: &mut Findings) -> Option<Pose> {
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
