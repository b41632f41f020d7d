//! `shape = …`: the shape of a rod without stress.

use super::dimension::Dimension;
use super::document::Value;
use super::findings::Findings;
use super::reader::Reader;
use super::{keys, pose};
use crate::fault::Fault;
use lissome_lie::Pose;
use lissome_model::NaturalShape;
use nalgebra::Vector3;

/// Beyond this angle the shortest way between two control poses is near to ambiguous (π), rad.
const MAX_TURN: f64 = 3.0;
/// Beyond this angle between control poses the spline is coarse, rad.
const COARSE_TURN: f64 = std::f64::consts::FRAC_PI_2;
/// How the length of the control polygon may differ from the rod's: a spline cuts corners, so its polygon is longer.
const POLYGON_RATIO: std::ops::RangeInclusive<f64> = 0.95..=1.6;

/// Reads the natural shape of a rod of the given length.
pub fn read(rod: &Reader<'_>, length: f64, findings: &mut Findings) -> Option<NaturalShape> {
    let Some(entry) = rod.entry("shape") else { return Some(NaturalShape::Straight) };
    if matches!(entry.node.value, Value::Text(_)) {
        return rod.choice("shape", &["straight"], findings).map(|_| NaturalShape::Straight);
    }
    let shape = rod.table("shape", keys::NATURAL, findings)?;
    let reason = "each gives the whole shape";
    if !(shape.not_both("curvature", "table", reason, findings)
        && shape.not_both("curvature", "control_poses", reason, findings)
        && shape.not_both("table", "control_poses", reason, findings))
    {
        return None;
    }
    if shape.has("curvature") {
        return shape.vector("curvature", Dimension::CURVATURE, findings).map(NaturalShape::curved);
    }
    if shape.has("table") {
        return read_table(&shape, length, findings);
    }
    if shape.has("control_poses") {
        return read_control_poses(&shape, length, findings);
    }
    let choices = &["curvature", "table", "control_poses"];
    findings.add(Fault::NoneGiven { owner: shape.owner(), choices }, shape.path.clone(), shape.span)
}

fn read_table(shape: &Reader<'_>, length: f64, findings: &mut Findings) -> Option<NaturalShape> {
    let entries = shape.list("table", keys::BEND, findings)?;
    if entries.is_empty() {
        return shape.fault("table", Fault::WrongCount { found: 0, expected: "at least one entry" }, findings);
    }
    let mut table: Vec<(f64, Vector3<f64>)> = Vec::new();
    let mut complete = true;
    for entry in entries {
        let Some(entry) = entry else {
            complete = false;
            continue;
        };
        let at = if entry.has("at") { entry.station("at", length, findings) } else { entry.missing("at", findings) };
        let curvature = if entry.has("curvature") {
            entry.vector("curvature", Dimension::CURVATURE, findings)
        } else {
            entry.missing("curvature", findings)
        };
        let (Some(after), Some(curvature)) = (at, curvature) else {
            complete = false;
            continue;
        };
        if let Some((before, _)) = table.last().copied().filter(|(before, _)| *before > after) {
            entry.fault::<()>("at", Fault::NotInOrder { before, after }, findings);
            complete = false;
        }
        table.push((after, curvature));
    }
    complete.then_some(NaturalShape::Curvature(table))
}

fn read_control_poses(shape: &Reader<'_>, length: f64, findings: &mut Findings) -> Option<NaturalShape> {
    let entries = shape.list("control_poses", keys::CONTROL_POSE, findings)?;
    let poses: Vec<Option<Pose>> =
        entries.into_iter().map(|entry| entry.and_then(|entry| pose::read(&entry, findings))).collect();
    shape_of(poses.into_iter().collect::<Option<_>>()?, shape, length, findings)
}

/// Reads some of the control poses of a shape, where the others are known.
pub fn read_some_poses(
    rod: &Reader<'_>,
    known: &[Pose],
    some: impl Iterator<Item = usize>,
    length: f64,
    findings: &mut Findings,
) -> Option<NaturalShape> {
    let shape = rod.table("shape", keys::NATURAL, findings)?;
    let mut poses = known.to_vec();
    for index in some {
        let entry = shape.item("control_poses", index, keys::CONTROL_POSE, findings)?;
        *poses.get_mut(index)? = pose::read(&entry, findings)?;
    }
    shape_of(poses, &shape, length, findings)
}

/// The shape of control poses, if they do not turn too far.
fn shape_of(poses: Vec<Pose>, shape: &Reader<'_>, length: f64, findings: &mut Findings) -> Option<NaturalShape> {
    if poses.len() < 2 {
        let fault = Fault::WrongCount { found: poses.len(), expected: "at least two poses" };
        return shape.fault("control_poses", fault, findings);
    }
    let span_of = |index: usize| match &shape.entry("control_poses")?.node.value {
        Value::Array(items) => items.get(index).map(|item| item.span),
        _ => None,
    };
    let mut polygon = 0.0;
    for (index, w) in poses.windows(2).enumerate() {
        let step = w[1].boxminus(&w[0]);
        polygon += step.linear.norm();
        let angle = step.angular.norm();
        if angle > MAX_TURN {
            return findings.add(Fault::TurnsTooFar { angle }, shape.path.clone(), span_of(index + 1));
        }
        if angle > COARSE_TURN {
            findings.add::<()>(Fault::LargeTurn { angle }, shape.path.clone(), span_of(index + 1));
        }
    }
    if !POLYGON_RATIO.contains(&(polygon / length)) {
        shape.fault::<()>("control_poses", Fault::PolygonLength { polygon, length }, findings);
    }
    Some(NaturalShape::ControlPoses(poses))
}
