//! `[joint.NAME]` and `[closure.NAME]`: how things can move against each other.

use super::dimension::Dimension;
use super::document::{Node, Value};
use super::drive::Driven;
use super::findings::Findings;
use super::frame::{self, Carriers};
use super::joint_limits;
use super::keys;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::{Coordinate, Frame, Joint, JointKind, JointMotion};
use nalgebra::Vector3;

/// Keys that prescribe coordinates.
const VALUES: [&str; 3] = ["angle", "travel", "value"];
/// Keys that act along coordinates.
const EFFORTS: [&str; 3] = ["torque", "force", "effort"];

/// One quantity per coordinate of a joint, by what it measures.
#[derive(Clone, Copy)]
struct Unit {
    angle: Dimension,
    distance: Dimension,
    sign: Sign,
}

const VALUE: Unit = Unit { angle: Dimension::ANGLE, distance: Dimension::LENGTH, sign: Sign::Any };
const EFFORT: Unit = Unit { angle: Dimension::MOMENT, distance: Dimension::FORCE, sign: Sign::Any };
const STIFFNESS: Unit =
    Unit { angle: Dimension::ROTARY_STIFFNESS, distance: Dimension::FORCE_PER_LENGTH, sign: Sign::NotNegative };
const RATE: Unit = Unit { angle: Dimension::SPIN, distance: Dimension::VELOCITY, sign: Sign::Any };
const DAMPING: Unit =
    Unit { angle: Dimension::ROTARY_DAMPING, distance: Dimension::LINEAR_DAMPING, sign: Sign::NotNegative };

type Coordinates = &'static [(&'static str, Coordinate)];

/// Reads one joint. The name is checked by the caller.
pub fn read(
    name: &str,
    reader: &Reader<'_>,
    carriers: &Carriers,
    driven: &Driven,
    findings: &mut Findings,
) -> Option<Joint> {
    let parent = frame::required(reader, "parent", carriers, findings);
    if !reader.has("kind") {
        return reader.missing("kind", findings);
    }
    read_motion(name, reader, parent, driven, findings)
}

/// The two sides of a closure, and the joint between them if it is articulated: it sits on the first side.
pub type ReadClosure = (Frame, Frame, Option<Joint>);

/// True if a closure leaves its sides some motion, so that it makes a joint.
pub fn is_articulated(reader: &Reader<'_>) -> bool {
    let fixed = |node: &Node| matches!(&node.value, Value::Text(kind) if kind == "fixed");
    reader.entry("kind").is_some_and(|entry| !fixed(&entry.node))
}

/// Reads one closure. The name is checked by the caller.
pub fn read_closure(
    name: &str,
    reader: &Reader<'_>,
    carriers: &Carriers,
    driven: &Driven,
    findings: &mut Findings,
) -> Option<ReadClosure> {
    let a = frame::required(reader, "a", carriers, findings);
    let b = frame::required(reader, "b", carriers, findings);
    if is_articulated(reader) {
        let joint = read_motion(name, reader, a, driven, findings)?;
        return Some((a?, b?, Some(joint)));
    }
    let of_joints = ["axis", "axes", "start", "rate", "stiffness", "rest", "damping", "limits", "restitution"];
    for key in of_joints.iter().chain(&VALUES).chain(&EFFORTS) {
        if reader.has(key) {
            let reason = "a fixed closure cannot move; give `kind`";
            let fault = Fault::Clash { first: "kind".into(), second: (*key).into(), reason };
            return reader.fault(key, fault, findings);
        }
    }
    Some((a?, b?, None))
}

/// Everything but where the joint sits.
fn read_motion(
    name: &str,
    reader: &Reader<'_>,
    parent: Option<Frame>,
    driven: &Driven,
    findings: &mut Findings,
) -> Option<Joint> {
    let kind = read_kind(reader, findings)?;
    let coordinates = kind.coordinates();
    let mut list = |key: &str, unit| match reader.has(key) {
        true => read_list(reader, key, coordinates, unit, findings),
        false => Some(Vec::new()),
    };
    let (stiffness, rest, damping) = (list("stiffness", STIFFNESS), list("rest", VALUE), list("damping", DAMPING));
    let initial_rate = list("rate", RATE);
    let limits = read_limits(reader, coordinates, findings);
    let restitution = read_restitution(reader, findings);
    let motion = read_who_decides(name, reader, coordinates, driven, findings);
    if let (Some(limits), Some(motion), Some(entry)) = (&limits, &motion, reader.entry("limits")) {
        let (values, keys) = match motion {
            JointMotion::Driven { value } => (value, &VALUES[..]),
            JointMotion::Free { start } | JointMotion::Actuated { start, .. } => (start, &["start"][..]),
        };
        // Where nothing is said, zero is meant: then the limits are to blame.
        let key = keys.iter().find(|key| reader.has(key)).unwrap_or(&"limits");
        for (index, ((value, range), (_, of))) in values.iter().zip(limits).zip(coordinates).enumerate() {
            if let Some((low, high)) = range.filter(|(low, high)| !(*low..=*high).contains(value)) {
                let of_which = (index, coordinates.len());
                let fault = joint_limits::beyond(&entry.node, of_which, *of, *value, (low, high));
                return reader.fault(key, fault, findings);
            }
        }
    }
    Some(Joint {
        name: name.to_owned(),
        kind,
        parent: parent?,
        motion: motion?,
        stiffness: stiffness?,
        rest: rest?,
        damping: damping?,
        limits: limits?,
        restitution: restitution?,
        initial_rate: initial_rate?,
    })
}

fn read_kind(reader: &Reader<'_>, findings: &mut Findings) -> Option<JointKind> {
    let kind = keys::JOINTS[reader.choice("kind", keys::JOINTS, findings)?];
    let refuse = |key: &str, reason: &'static str, findings: &mut Findings| -> Option<()> {
        if !reader.has(key) {
            return Some(());
        }
        let fault = Fault::Clash { first: "kind".into(), second: key.into(), reason };
        reader.fault(key, fault, findings)
    };
    if kind == "universal" {
        refuse("axis", "a universal joint has two: write `axes = [[1, 0, 0], [0, 1, 0]]`", findings)?;
        let [first, second] = read_axes(reader, findings)?;
        return Some(JointKind::Universal { first, second });
    }
    refuse("axes", "only a universal joint has two axes", findings)?;
    if matches!(kind, "fixed" | "spherical" | "free") {
        refuse("axis", "this kind has no axis", findings)?;
    }
    let axis = match reader.has("axis") {
        true => {
            let axis = reader.vector("axis", Dimension::NONE, findings)?;
            direction(&axis).or_else(|| reader.fault("axis", Fault::NoDirection { what: "axis" }, findings))?
        }
        false => Vector3::z(),
    };
    Some(match kind {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis },
        "prismatic" => JointKind::Prismatic { axis },
        "cylindrical" => JointKind::Cylindrical { axis },
        "spherical" => JointKind::Spherical,
        "planar" => JointKind::Planar { normal: axis },
        _ => JointKind::Free,
    })
}

fn direction(axis: &Vector3<f64>) -> Option<Vector3<f64>> {
    axis.try_normalize(f64::MIN_POSITIVE)
}

fn read_axes(reader: &Reader<'_>, findings: &mut Findings) -> Option<[Vector3<f64>; 2]> {
    let Some(entry) = reader.entry("axes") else { return Some([Vector3::x(), Vector3::y()]) };
    let expected = "two vectors of three numbers";
    let Value::Array(items) = &entry.node.value else {
        let example = "[[1, 0, 0], [0, 1, 0]]";
        return reader.fault("axes", Fault::WrongType { expected, found: entry.node.value.kind(), example }, findings);
    };
    let read = |node: &Node, findings: &mut Findings| -> Option<Vector3<f64>> {
        let axis = reader.vector_of("axes", node, Dimension::NONE, findings)?;
        direction(&axis).or_else(|| reader.fault("axes", Fault::NoDirection { what: "axis" }, findings))
    };
    let [first, second] = items.as_slice() else {
        return reader.fault("axes", Fault::WrongCount { found: items.len(), expected }, findings);
    };
    Some([read(first, findings)?, read(second, findings)?])
}

fn read_one(
    reader: &Reader<'_>,
    key: &str,
    node: &Node,
    of: Coordinate,
    unit: Unit,
    findings: &mut Findings,
) -> Option<f64> {
    let dimension = match of {
        Coordinate::Angle => unit.angle,
        Coordinate::Distance => unit.distance,
    };
    reader.quantity_of(key, node, dimension, unit.sign, findings)
}

/// An array with one quantity for each coordinate; without array, the same for all, if they measure the same.
fn read_list(
    reader: &Reader<'_>,
    key: &str,
    coordinates: Coordinates,
    unit: Unit,
    findings: &mut Findings,
) -> Option<Vec<f64>> {
    let node = &reader.entry(key)?.node;
    let wrong_count = |found: usize| Fault::WrongCount { found, expected: "one for each coordinate of the joint" };
    match &node.value {
        Value::Array(items) if items.len() == coordinates.len() => {
            let values: Vec<Option<f64>> = items
                .iter()
                .zip(coordinates)
                .map(|(item, (_, of))| read_one(reader, key, item, *of, unit, findings))
                .collect();
            values.into_iter().collect()
        }
        Value::Array(items) => reader.fault(key, wrong_count(items.len()), findings),
        _ => match coordinates {
            [(_, of), rest @ ..] if rest.iter().all(|(_, other)| other == of) => {
                let value = read_one(reader, key, node, *of, unit, findings)?;
                Some(vec![value; coordinates.len()])
            }
            _ => reader.fault(key, wrong_count(1), findings),
        },
    }
}

fn read_limits(
    reader: &Reader<'_>,
    coordinates: Coordinates,
    findings: &mut Findings,
) -> Option<Vec<Option<(f64, f64)>>> {
    let Some(entry) = reader.entry("limits") else { return Some(Vec::new()) };
    let expected = "[low, high] for each coordinate";
    let Value::Array(items) = &entry.node.value else {
        let example = "[\"-60 deg\", \"60 deg\"]";
        let fault = Fault::WrongType { expected, found: entry.node.value.kind(), example };
        return reader.fault("limits", fault, findings);
    };
    let nested = items.iter().any(|item| matches!(&item.value, Value::Array(_)))
        || items.iter().all(|item| matches!(&item.value, Value::Text(text) if text == "none"));
    let pairs: Vec<&Node> = if nested { items.iter().collect() } else { vec![&entry.node] };
    if pairs.len() != coordinates.len() {
        return reader.fault("limits", Fault::WrongCount { found: pairs.len(), expected }, findings);
    }
    let mut limits = Vec::new();
    for (pair, (_, of)) in pairs.into_iter().zip(coordinates) {
        let ends = match &pair.value {
            Value::Text(text) if text == "none" => {
                limits.push(None);
                continue;
            }
            Value::Array(ends) => ends.as_slice(),
            _ => &[],
        };
        let [low, high] = ends else {
            return reader.fault("limits", Fault::WrongCount { found: ends.len(), expected }, findings);
        };
        let low = read_one(reader, "limits", low, *of, VALUE, findings);
        let high = read_one(reader, "limits", high, *of, VALUE, findings);
        let (low, high) = (low?, high?);
        if low >= high {
            return reader.fault("limits", joint_limits::disordered(pair, *of, (low, high)), findings);
        }
        limits.push(Some((low, high)));
    }
    Some(limits)
}

/// Part of its speed that a coordinate keeps when it runs into a limit.
fn read_restitution(reader: &Reader<'_>, findings: &mut Findings) -> Option<f64> {
    if !reader.has("restitution") {
        return Some(0.0);
    }
    let value = reader.quantity("restitution", Dimension::NONE, Sign::NotNegative, findings)?;
    if value > 1.0 {
        return reader.fault("restitution", Fault::OutOfRange { value, interval: "[0, 1]".into() }, findings);
    }
    if !reader.has("limits") {
        return reader.missing("limits", findings);
    }
    Some(value)
}

/// Prescribed if a value is given, pushed if an effort is, else free. Drives of all its coordinates say it too.
fn read_who_decides(
    name: &str,
    reader: &Reader<'_>,
    coordinates: Coordinates,
    driven: &Driven,
    findings: &mut Findings,
) -> Option<JointMotion> {
    for value in VALUES {
        for effort in EFFORTS {
            if !reader.not_both(value, effort, "a joint is prescribed or pushed", findings) {
                return None;
            }
        }
        let reason = "a prescribed joint moves as it is prescribed";
        if !(reader.not_both(value, "start", reason, findings) && reader.not_both(value, "rate", reason, findings)) {
            return None;
        }
    }
    let zeros = vec![0.0; coordinates.len()];
    let start = match reader.has("start") {
        true => read_list(reader, "start", coordinates, VALUE, findings),
        false => Some(zeros.clone()),
    };
    let given = |keys: &[&str]| keys.iter().any(|key| reader.has(key));
    if given(&VALUES) {
        let value = read_named(reader, coordinates, ["angle", "travel", "value"], VALUE, true, findings)?;
        return Some(JointMotion::Driven { value });
    }
    if given(&EFFORTS) {
        let effort = read_named(reader, coordinates, ["torque", "force", "effort"], EFFORT, false, findings)?;
        return Some(JointMotion::Actuated { effort, start: start? });
    }
    if let [(coordinate, _), ..] = coordinates
        && coordinates.iter().all(|(coordinate, _)| driven.has(name, coordinate))
        && !reader.has("start")
    {
        if reader.has("rate") {
            let reason = "its drive says how it moves";
            let fault = Fault::Clash { first: format!("drive.{name}.{coordinate}"), second: "rate".into(), reason };
            return reader.fault("rate", fault, findings);
        }
        return Some(JointMotion::Driven { value: zeros });
    }
    if let [(_, of)] = coordinates {
        let effort = match of {
            Coordinate::Angle => "torque",
            Coordinate::Distance => "force",
        };
        if driven.has(name, effort) || driven.has(name, "effort") {
            return Some(JointMotion::Actuated { effort: zeros, start: start? });
        }
    }
    Some(JointMotion::Free { start: start? })
}

/// Reads `angle` and `travel` (or `torque` and `force`) of a joint that has one of each at most, or the array for all.
fn read_named(
    reader: &Reader<'_>,
    coordinates: Coordinates,
    [for_angle, for_distance, for_all]: [&'static str; 3],
    unit: Unit,
    every: bool,
    findings: &mut Findings,
) -> Option<Vec<f64>> {
    let same = "one of them says it";
    if !(reader.not_both(for_all, for_angle, same, findings) && reader.not_both(for_all, for_distance, same, findings))
    {
        return None;
    }
    if reader.has(for_all) {
        return read_list(reader, for_all, coordinates, unit, findings);
    }
    let counted = [(for_angle, Coordinate::Angle), (for_distance, Coordinate::Distance)]
        .map(|(key, of)| (key, coordinates.iter().filter(|(_, other)| *other == of).count()));
    for (key, count) in counted {
        if reader.has(key) && count != 1 {
            let reason = match count {
                0 => "this kind of joint has no such coordinate",
                _ => "this kind of joint has several such coordinates: give them all in an array",
            };
            let fault = Fault::Clash { first: "kind".into(), second: key.into(), reason };
            return reader.fault(key, fault, findings);
        }
    }
    for (key, count) in counted {
        match count {
            1 if every && !reader.has(key) => return reader.missing(key, findings),
            2.. if every => return reader.missing(for_all, findings),
            _ => {}
        }
    }
    let mut values = Vec::new();
    for (_, of) in coordinates {
        let key = match of {
            Coordinate::Angle => for_angle,
            Coordinate::Distance => for_distance,
        };
        values.push(match reader.entry(key) {
            Some(entry) => read_one(reader, key, &entry.node, *of, unit, findings),
            None => Some(0.0),
        });
    }
    values.into_iter().collect()
}
