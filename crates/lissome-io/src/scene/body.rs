//! `[body.NAME]`: what a rigid body weighs, looks like, where its frames are and what carries it.

use super::dimension::Dimension;
use super::document::{Node, Value};
use super::findings::Findings;
use super::frame::{self, Carriers, NamedFrames};
use super::names::is_name;
use super::reader::{Reader, Sign, clip};
use super::{keys, pose, velocity};
use crate::fault::Fault;
use lissome_model::{Body, Inertia, Mount, Outline, Solid};
use nalgebra::{Matrix3, Vector3};

/// Reads the named frames, which others may refer to before the body itself is read.
pub fn read_frames(reader: &Reader<'_>, findings: &mut Findings) -> NamedFrames {
    let Some(entry) = reader.entry("frames") else { return Vec::new() };
    let Value::Table(table) = &entry.node.value else {
        let example = "{ hole = { position = [0, 0, \"6 cm\"] } }";
        let fault = Fault::WrongType { expected: "named tables", found: entry.node.value.kind(), example };
        reader.fault::<()>("frames", fault, findings);
        return Vec::new();
    };
    let mut frames = Vec::new();
    for entry in &table.entries {
        let path = format!("{}.frames.{}", reader.path, clip(&entry.name));
        if !is_name(&entry.name) {
            findings.add::<()>(Fault::BadName { name: clip(&entry.name) }, path, Some(entry.name_span));
            continue;
        }
        let inner = Reader::open_node(&entry.node, keys::CONTROL_POSE, path, Some(entry.name_span), findings);
        frames.push((entry.name.clone(), inner.and_then(|inner| pose::read(&inner, findings))));
    }
    frames
}

/// Reads one body. The name is checked by the caller.
pub fn read(
    name: &str,
    reader: &Reader<'_>,
    frames: &NamedFrames,
    carriers: &Carriers,
    findings: &mut Findings,
) -> Option<Body> {
    let solids = read_solids(reader, findings);
    let inertia = read_inertia(reader, solids.as_deref(), findings);
    let mount = read_mount(reader, carriers, findings);
    let frames = frames.iter().map(|(name, pose)| pose.map(|pose| (name.clone(), pose))).collect::<Option<Vec<_>>>();
    let initial_velocity = velocity::read(reader, findings);
    Some(Body {
        name: name.to_owned(),
        inertia: inertia?,
        mount: mount?,
        frames: frames?,
        solids: solids?,
        initial_velocity: initial_velocity?.unwrap_or_default(),
    })
}

fn read_mount(reader: &Reader<'_>, carriers: &Carriers, findings: &mut Findings) -> Option<Mount> {
    if !reader.not_both("mount", "start", "what carries a body says where it is", findings) {
        return None;
    }
    for key in velocity::KEYS {
        if !reader.not_both("mount", key, "a mounted body begins as what carries it", findings) {
            return None;
        }
    }
    if reader.has("mount") {
        return frame::read(reader, "mount", carriers, findings).map(Mount::On);
    }
    if reader.has("start") {
        let start = reader.table("start", keys::CONTROL_POSE, findings)?;
        return pose::read(&start, findings).map(Mount::Free);
    }
    let fault = Fault::NoneGiven { owner: reader.owner(), choices: &["mount", "start"] };
    findings.add(fault, reader.path.clone(), reader.span)
}

fn read_solids(reader: &Reader<'_>, findings: &mut Findings) -> Option<Vec<Solid>> {
    let Some(entry) = reader.entry("shape") else { return Some(Vec::new()) };
    let readers = match &entry.node.value {
        Value::Array(_) => reader.list("shape", keys::SOLID, findings)?,
        _ => vec![reader.table("shape", keys::SOLID, findings)],
    };
    let solids: Vec<Option<Solid>> =
        readers.into_iter().map(|solid| solid.and_then(|solid| read_solid(&solid, findings))).collect();
    solids.into_iter().collect()
}

fn read_solid(solid: &Reader<'_>, findings: &mut Findings) -> Option<Solid> {
    let pose = pose::read(solid, findings);
    let reason = "one entry is one shape; give a list for several";
    if !(solid.not_both("box", "cylinder", reason, findings)
        && solid.not_both("box", "sphere", reason, findings)
        && solid.not_both("cylinder", "sphere", reason, findings))
    {
        return None;
    }
    let outline = if solid.has("box") {
        let size = solid.vector("box", Dimension::LENGTH, findings)?;
        if let Some(value) = size.iter().copied().find(|edge| *edge <= 0.0) {
            return solid.fault("box", Fault::NotPositive { value }, findings);
        }
        Outline::Box { size }
    } else if solid.has("cylinder") {
        let cylinder = solid.table("cylinder", keys::CYLINDER, findings)?;
        let radius = cylinder.required("radius", Dimension::LENGTH, Sign::Positive, findings);
        let length = cylinder.required("length", Dimension::LENGTH, Sign::Positive, findings);
        Outline::Cylinder { radius: radius?, length: length? }
    } else if solid.has("sphere") {
        let sphere = solid.table("sphere", keys::SPHERE, findings)?;
        Outline::Sphere { radius: sphere.required("radius", Dimension::LENGTH, Sign::Positive, findings)? }
    } else {
        let fault = Fault::NoneGiven { owner: solid.owner(), choices: &["box", "cylinder", "sphere"] };
        return findings.add(fault, solid.path.clone(), solid.span);
    };
    Some(Solid { pose: pose?, outline })
}

/// Mass, centre and inertia: given, or those of the shape at an even density.
fn read_inertia(reader: &Reader<'_>, solids: Option<&[Solid]>, findings: &mut Findings) -> Option<Inertia> {
    for key in ["mass", "centre", "inertia"] {
        if !reader.not_both("density", key, "they follow from the density and the shape", findings) {
            return None;
        }
    }
    if reader.has("density") {
        let density = reader.quantity("density", Dimension::DENSITY, Sign::Positive, findings);
        if !reader.has("shape") {
            return reader.missing("shape", findings);
        }
        return Some(Inertia::of_solids(solids?, density?));
    }
    if !reader.has("mass") {
        for key in ["centre", "inertia"] {
            if reader.has(key) {
                return reader.missing("mass", findings);
            }
        }
        return Some(Inertia::default());
    }
    let mass = reader.quantity("mass", Dimension::MASS, Sign::NotNegative, findings);
    let centre = match reader.has("centre") {
        true => Some(reader.vector("centre", Dimension::LENGTH, findings)?),
        false => None,
    };
    let about_centre = match reader.has("inertia") {
        true => Some(read_matrix(reader, findings)?),
        false => None,
    };
    let (mass, solids) = (mass?, solids?);
    let even = Inertia::of_solids(solids, 1.0);
    let of_shape = if even.mass > 0.0 { even.about_centre * (mass / even.mass) } else { Matrix3::zeros() };
    // About another centre than its own the shape says nothing: a point mass.
    let otherwise = if centre.is_none() { of_shape } else { Matrix3::zeros() };
    Some(Inertia { mass, centre: centre.unwrap_or(even.centre), about_centre: about_centre.unwrap_or(otherwise) })
}

fn read_matrix(reader: &Reader<'_>, findings: &mut Findings) -> Option<Matrix3<f64>> {
    const EXPECTED: &str = "three principal values or three rows of three";
    let node = &reader.entry("inertia")?.node;
    let Value::Array(rows) = &node.value else {
        let fault = Fault::WrongType { expected: EXPECTED, found: node.value.kind(), example: "[2e-5, 1e-5, 1e-5]" };
        return reader.fault("inertia", fault, findings);
    };
    let three = |items: &[Node], findings: &mut Findings| -> Option<Vector3<f64>> {
        if items.len() != 3 {
            let fault = Fault::WrongCount { found: items.len(), expected: EXPECTED };
            return reader.fault("inertia", fault, findings);
        }
        let read = |item: &Node, findings: &mut Findings| {
            reader.quantity_of("inertia", item, Dimension::INERTIA, Sign::Any, findings)
        };
        let values: Vec<Option<f64>> = items.iter().map(|item| read(item, findings)).collect();
        Some(Vector3::new(values[0]?, values[1]?, values[2]?))
    };
    if rows.iter().any(|row| matches!(row.value, Value::Array(_))) && rows.len() == 3 {
        let mut matrix = Matrix3::zeros();
        for (i, row) in rows.iter().enumerate() {
            let Value::Array(items) = &row.value else {
                let fault = Fault::WrongType { expected: EXPECTED, found: row.value.kind(), example: "[1e-5, 0, 0]" };
                return findings.add(fault, reader.join("inertia"), Some(row.span));
            };
            matrix.set_row(i, &three(items, findings)?.transpose());
        }
        return Some(matrix);
    }
    three(rows, findings).map(|diagonal| Matrix3::from_diagonal(&diagonal))
}
