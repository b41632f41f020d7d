//! `section = { … }`: outlines, tapers, tables along the rod, a core in its sheath, a given stiffness.

use super::dimension::Dimension;
use super::document::{Node, Value};
use super::findings::Findings;
use super::keys;
use super::reader::{Reader, Sign};
use super::stiffness;
use crate::fault::Fault;
use lissome_model::{Layer, Material, Profile, Section, Shape, Station};
use std::collections::HashMap;

/// Materials of the scene by name; `None` for one that was refused.
pub type Materials = HashMap<String, Option<Material>>;

/// What a section falls back on.
struct Context<'a> {
    materials: &'a Materials,
    /// Material of the rod: name and value, if it has one.
    material: Option<Material>,
    /// Outline given for the whole section.
    shape: Option<usize>,
}

/// Reads the profile of a rod of the given length. `material` is the rod's; `Err` says it was given and refused.
pub fn read(
    reader: &Reader<'_>,
    length: Option<f64>,
    material: Option<Material>,
    materials: &Materials,
    findings: &mut Findings,
) -> Option<Profile> {
    let shape = reader.choice("shape", keys::SHAPES, findings);
    if reader.has("shape") && shape.is_none() {
        return None;
    }
    let context = Context { materials, material, shape };
    if reader.has("table") {
        return read_table(reader, length?, &context, findings);
    }
    let [base, tip] = read_ends(reader, &context, findings)?;
    if base == tip { Some(Profile::uniform(base)) } else { Some(Profile::taper(base, tip, length?)) }
}

/// True if the section gives its stiffness, so that the rod needs no material.
pub fn gives_stiffness(reader: &Reader<'_>) -> bool {
    let in_table = |node: &Node| match &node.value {
        Value::Array(items) => {
            items.iter().any(|i| matches!(&i.value, Value::Table(t) if t.get("stiffness").is_some()))
        }
        _ => false,
    };
    reader.has("stiffness") || reader.entry("table").is_some_and(|e| in_table(&e.node))
}

fn read_table(reader: &Reader<'_>, length: f64, context: &Context<'_>, findings: &mut Findings) -> Option<Profile> {
    for key in ["radius", "diameter", "taper", "inner", "outer", "width", "height", "sheath", "stiffness"] {
        if !reader.not_both("table", key, "the table gives the section along the rod", findings) {
            return None;
        }
    }
    let entries = reader.list("table", keys::STATION, findings)?;
    if entries.is_empty() {
        return reader.fault("table", Fault::WrongCount { found: 0, expected: "at least one entry" }, findings);
    }
    let mut stations: Vec<Station> = Vec::new();
    let mut complete = true;
    for entry in entries {
        let station = entry.and_then(|entry| read_station(&entry, length, context, findings).map(|s| (entry, s)));
        let Some((entry, station)) = station else {
            complete = false;
            continue;
        };
        if let Some(before) = stations.last() {
            let (from, to) = (before.s, station.s);
            if to < from {
                entry.fault::<()>("at", Fault::NotInOrder { before: from, after: to }, findings);
                complete = false;
            } else if to > from && !same_kind(&before.section, &station.section) {
                entry.fault::<()>("at", Fault::ShapeChange { from, to }, findings);
                complete = false;
            }
        }
        stations.push(station);
    }
    if !complete {
        return None;
    }
    let (first, last) = (stations.first()?.s, stations.last()?.s);
    let slack = 1e-9 * length;
    if stations.len() > 1 && (first > slack || last < length - slack) {
        return reader.fault("table", Fault::TableCoverage { first, last, length }, findings);
    }
    Some(Profile { stations })
}

fn read_station(entry: &Reader<'_>, length: f64, context: &Context<'_>, findings: &mut Findings) -> Option<Station> {
    let s = if entry.has("at") { entry.station("at", length, findings) } else { entry.missing("at", findings) };
    let own_shape = entry.choice("shape", keys::SHAPES, findings);
    let own_material =
        if entry.has("material") { material_named(entry, context.materials, findings) } else { context.material };
    if (entry.has("shape") && own_shape.is_none()) || (entry.has("material") && own_material.is_none()) {
        return None;
    }
    let context = Context { materials: context.materials, material: own_material, shape: own_shape.or(context.shape) };
    let [section, other_end] = read_ends(entry, &context, findings)?;
    if section != other_end {
        let fault = Fault::WrongCount { found: 2, expected: "one value at each place of a table" };
        return findings.add(fault, entry.path.clone(), entry.span);
    }
    Some(Station { s: s?, section })
}

/// True if dimensions can be linear from one to the other.
fn same_kind(a: &Section, b: &Section) -> bool {
    match (a, b) {
        (Section::Given { .. }, Section::Given { .. }) => true,
        (Section::Layers { layers: a, .. }, Section::Layers { layers: b, .. }) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| std::mem::discriminant(&a.shape) == std::mem::discriminant(&b.shape))
        }
        _ => false,
    }
}

/// A section at the base and at the tip of the rod; equal if it does not taper.
fn read_ends(reader: &Reader<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<[Section; 2]> {
    if reader.has("stiffness") {
        return stiffness::read(reader, context.shape.is_some(), findings);
    }
    for key in ["mass_per_length", "rotary_inertia", "damping"] {
        if reader.has(key) {
            let reason = "an outline takes its mass and damping from the material";
            let fault = Fault::Clash { first: "shape".into(), second: key.into(), reason };
            return reader.fault(key, fault, findings);
        }
    }
    let shapes = read_outline(reader, context, findings);
    let sheath = match reader.table("sheath", keys::SHEATH, findings) {
        Some(sheath) => Some(read_sheath(&sheath, shapes.as_ref(), context.materials, findings)?),
        None if reader.has("sheath") => return None,
        None => None,
    };
    let shear_factor = match reader.quantity("shear_factor", Dimension::NONE, Sign::Positive, findings) {
        None if reader.has("shear_factor") => return None,
        given => given.unwrap_or(1.0),
    };
    let (shapes, material) = (shapes?, context.material?);
    let section = |end: usize| {
        let mut layers = vec![Layer { shape: shapes[end], material }];
        layers.extend(sheath.map(|rings| rings[end]));
        Section::Layers { layers, shear_factor }
    };
    Some([section(0), section(1)])
}

/// Keys that belong to each of [`keys::SHAPES`].
const OUTLINE_KEYS: [&[&str]; 3] = [&["radius", "diameter", "taper"], &["inner", "outer"], &["width", "height"]];

fn read_outline(reader: &Reader<'_>, context: &Context<'_>, findings: &mut Findings) -> Option<[Shape; 2]> {
    let Some(shape) = context.shape else { return reader.missing("shape", findings) };
    for (other, foreign) in OUTLINE_KEYS.iter().enumerate().filter(|(i, _)| *i != shape) {
        if let Some(key) = foreign.iter().find(|key| reader.has(key)) {
            let fault = Fault::Clash {
                first: format!("shape = \"{}\"", keys::SHAPES[shape]),
                second: (*key).into(),
                reason: match other {
                    0 => "it belongs to a circle",
                    1 => "it belongs to an annulus",
                    _ => "it belongs to a rectangle",
                },
            };
            return reader.fault(key, fault, findings);
        }
    }
    let mut dimension = |name: &'static str| {
        if reader.has(name) {
            reader.tapered(name, Dimension::LENGTH, Sign::Positive, findings)
        } else {
            reader.missing(name, findings)
        }
    };
    match shape {
        0 => read_radii(reader, findings).map(|r| r.map(|radius| Shape::Circle { radius })),
        1 => {
            let (inner, outer) = (dimension("inner"), dimension("outer"));
            let (inner, outer) = (inner?, outer?);
            for (inner, outer) in inner.into_iter().zip(outer) {
                if inner >= outer {
                    return reader.fault("inner", Fault::InnerNotInside { inner, outer }, findings);
                }
            }
            Some([0, 1].map(|i| Shape::Annulus { inner: inner[i], outer: outer[i] }))
        }
        _ => {
            let (width, height) = (dimension("width"), dimension("height"));
            let (width, height) = (width?, height?);
            Some([0, 1].map(|i| Shape::Rectangle { width: width[i], height: height[i] }))
        }
    }
}

/// Radii of a circle at base and tip, from `radius`, `diameter` or `taper`.
fn read_radii(reader: &Reader<'_>, findings: &mut Findings) -> Option<[f64; 2]> {
    let same = "both give the size of the circle";
    if !(reader.not_both("radius", "diameter", same, findings)
        && reader.not_both("radius", "taper", same, findings)
        && reader.not_both("diameter", "taper", same, findings))
    {
        return None;
    }
    if reader.has("diameter") {
        return reader.tapered("diameter", Dimension::LENGTH, Sign::Positive, findings).map(|d| d.map(|x| 0.5 * x));
    }
    if let Some(entry) = reader.entry("taper") {
        if !matches!(entry.node.value, Value::Array(_)) {
            let found = entry.node.value.kind();
            let expected = "two radii, at base and tip";
            let fault = Fault::WrongType { expected, found, example: "[\"30 mm\", \"15 mm\"]" };
            return reader.fault("taper", fault, findings);
        }
        return reader.tapered("taper", Dimension::LENGTH, Sign::Positive, findings);
    }
    if reader.has("radius") {
        return reader.tapered("radius", Dimension::LENGTH, Sign::Positive, findings);
    }
    reader.missing("radius", findings)
}

fn read_sheath(
    sheath: &Reader<'_>,
    core: Option<&[Shape; 2]>,
    materials: &Materials,
    findings: &mut Findings,
) -> Option<[Layer; 2]> {
    let material = if sheath.has("material") {
        material_named(sheath, materials, findings)
    } else {
        sheath.missing("material", findings)
    };
    let outer = if sheath.has("outer") {
        sheath.tapered("outer", Dimension::LENGTH, Sign::Positive, findings)
    } else {
        sheath.missing("outer", findings)
    };
    let (core, material, outer) = (core?, material?, outer?);
    let ring = |end: usize| match core[end] {
        Shape::Circle { radius } => Some((radius, outer[end])),
        Shape::Annulus { outer: edge, .. } => Some((edge, outer[end])),
        Shape::Rectangle { .. } => None,
    };
    let (Some(base), Some(tip)) = (ring(0), ring(1)) else {
        return findings.add(Fault::RectangleSheath, sheath.path.clone(), sheath.span);
    };
    for (inner, outer) in [base, tip] {
        if inner >= outer {
            return sheath.fault("outer", Fault::InnerNotInside { inner, outer }, findings);
        }
    }
    Some([base, tip].map(|(inner, outer)| Layer { shape: Shape::Annulus { inner, outer }, material }))
}

/// The material that the key `material` names; `None` if there is none, or it was refused.
pub fn material_named(reader: &Reader<'_>, materials: &Materials, findings: &mut Findings) -> Option<Material> {
    let name = reader.text("material", findings)?;
    match materials.get(name) {
        Some(material) => *material,
        None => {
            let mut known: Vec<String> = materials.keys().cloned().collect();
            known.sort();
            let fault = Fault::UnknownName { family: "material", name: super::reader::clip(name), known };
            reader.fault("material", fault, findings)
        }
    }
}
