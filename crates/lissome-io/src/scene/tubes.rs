//! `[tubes.NAME]`: concentric tubes, one table `[tubes.NAME.tube.TUBE]` for each, from the innermost outward.

use super::dimension::Dimension;
use super::document::Value;
use super::findings::Findings;
use super::frame::{self, Carriers};
use super::names::family;
use super::reader::{Reader, Sign};
use super::section::{self, Materials};
use super::{keys, model};
use crate::fault::Fault;
use lissome_model::{Frame, Material, Relative, Rod, Tube, TubeSet};
use nalgebra::Vector2;

/// Reads one tube set as the rod that it is. The name is checked by the caller.
pub fn read(
    name: &str,
    reader: &Reader<'_>,
    materials: &Materials,
    carriers: &Carriers,
    findings: &mut Findings,
) -> Option<Rod> {
    let material = match reader.has("material") {
        true => section::material_named(reader, materials, findings).map(Some),
        false => Some(None),
    };
    let entry = match reader.has("entry") {
        true => frame::read(reader, "entry", carriers, findings),
        false => Some(Frame::world(lissome_lie::Pose::identity())),
    };
    let tip = match reader.has("tip") {
        true => frame::read(reader, "tip", carriers, findings).map(Some),
        false => Some(None),
    };
    let discretization = model::read(reader, None, findings);
    let relative = read_relative(reader, findings);
    let material = material?;
    let tubes: Vec<Option<Tube>> = read_members(reader, findings)?
        .iter()
        .map(|(name, tube)| read_tube(name, tube, material, materials, findings))
        .collect();
    let tubes: Vec<Tube> = tubes.into_iter().collect::<Option<_>>()?;
    let rod = TubeSet { tubes, relative: relative? }.rod(name, entry?, discretization?);
    Some(Rod { tip: tip?, ..rod })
}

/// How far the innermost tube reaches, for those who refer to the set before it is read.
pub fn read_length(reader: &Reader<'_>) -> Option<f64> {
    let (_, first) = read_members(reader, &mut Findings::default())?.into_iter().next()?;
    first.quantity("insertion", Dimension::LENGTH, Sign::Positive, &mut Findings::default())
}

fn read_members<'d>(reader: &Reader<'d>, findings: &mut Findings) -> Option<Vec<(&'d str, Reader<'d>)>> {
    let Some(entry) = reader.entry("tube") else { return reader.missing("tube", findings) };
    if !matches!(entry.node.value, Value::Table(_)) {
        let example = "[tubes.robot.tube.inner]";
        let fault = Fault::WrongType { expected: "named tables", found: entry.node.value.kind(), example };
        return reader.fault("tube", fault, findings);
    }
    Some(family(reader, "tube", keys::TUBE, findings))
}

/// How tubes move against each other.
fn read_relative(reader: &Reader<'_>, findings: &mut Findings) -> Option<Relative> {
    match reader.choice("relative", keys::RELATIVE, findings) {
        Some(1) => Some(Relative::General),
        None if reader.has("relative") => None,
        _ => Some(Relative::Torsion),
    }
}

fn read_tube(
    name: &str,
    reader: &Reader<'_>,
    shared: Option<Material>,
    materials: &Materials,
    findings: &mut Findings,
) -> Option<Tube> {
    let material = match (reader.has("material"), shared) {
        (true, _) => section::material_named(reader, materials, findings),
        (false, Some(shared)) => Some(shared),
        (false, None) => reader.missing("material", findings),
    };
    let optional = |key: &str, dimension, sign, findings: &mut Findings| match reader.has(key) {
        true => reader.quantity(key, dimension, sign, findings).map(Some),
        false => Some(None),
    };
    let inner_diameter = reader.required("inner_diameter", Dimension::LENGTH, Sign::NotNegative, findings);
    let outer_diameter = reader.required("outer_diameter", Dimension::LENGTH, Sign::Positive, findings);
    let bending_stiffness = optional("bending_stiffness", Dimension::BENDING_STIFFNESS, Sign::Positive, findings);
    let torsion_stiffness = optional("torsion_stiffness", Dimension::BENDING_STIFFNESS, Sign::Positive, findings);
    let length = reader.required("length", Dimension::LENGTH, Sign::Positive, findings);
    let curved_length = optional("curved_length", Dimension::LENGTH, Sign::NotNegative, findings);
    let insertion = reader.required("insertion", Dimension::LENGTH, Sign::Positive, findings);
    let rotation = optional("rotation", Dimension::ANGLE, Sign::Any, findings);
    let curved_length = curved_length?;
    let curvature = read_curvature(reader, curved_length, findings);
    Some(Tube {
        name: name.to_owned(),
        material: material?,
        inner_diameter: inner_diameter?,
        outer_diameter: outer_diameter?,
        bending_stiffness: bending_stiffness?,
        torsion_stiffness: torsion_stiffness?,
        length: length?,
        curved_length: curved_length.unwrap_or(0.0),
        curvature: curvature?,
        insertion: insertion?,
        rotation: rotation?.unwrap_or(0.0),
    })
}

/// Natural curvature: one for the whole curved part, or a table along it.
fn read_curvature(
    reader: &Reader<'_>,
    curved_length: Option<f64>,
    findings: &mut Findings,
) -> Option<Vec<(f64, Vector2<f64>)>> {
    if !reader.not_both("curvature", "curvature_table", "each gives the whole curvature", findings) {
        return None;
    }
    if reader.has("curvature") {
        let [y, z] = reader.pair("curvature", Dimension::CURVATURE, findings)?;
        return Some(vec![(0.0, Vector2::new(y, z))]);
    }
    if !reader.has("curvature_table") {
        return Some(Vec::new());
    }
    let Some(length) = curved_length else { return reader.missing("curved_length", findings) };
    let mut table: Vec<(f64, Vector2<f64>)> = Vec::new();
    for entry in reader.list("curvature_table", keys::TUBE_BEND, findings)? {
        let entry = entry?;
        let at = if entry.has("at") { entry.station("at", length, findings) } else { entry.missing("at", findings) };
        let curvature = match entry.has("curvature") {
            true => entry.pair("curvature", Dimension::CURVATURE, findings),
            false => entry.missing("curvature", findings),
        };
        let (after, [y, z]) = (at?, curvature?);
        if let Some((before, _)) = table.last().copied().filter(|(before, _)| *before > after) {
            return entry.fault("at", Fault::NotInOrder { before, after }, findings);
        }
        table.push((after, Vector2::new(y, z)));
    }
    Some(table)
}
