//! From the document to the model: reads every table, collecting mistakes, then passes the scene through the
//! model's own door.

use super::dimension::Dimension;
use super::document::{Document, Table, Value};
use super::findings::Findings;
use super::reader::{Reader, clip};
use super::section::Materials;
use super::{job, keys, load, material, rod};
use crate::fault::Fault;
use crate::size::jumps;
use crate::source::Span;
use lissome_model::{Invalid, Load, LoadKind, NaturalShape, Problem, Scene};
use nalgebra::Vector3;
use std::collections::HashSet;

/// Strongest gravity that is not taken for a slip of the unit, m/s².
const PLAUSIBLE_GRAVITY: f64 = 100.0;

/// Lowers a document; `None` if errors were found.
pub fn lower(document: &Document, findings: &mut Findings) -> Option<Scene> {
    let top = Span::new(0, 0..0);
    let scene = Reader::open(&document.root, keys::SCENE, "", Some(top), findings);
    check_schema(&scene, findings);
    let title = scene.text("title", findings).map(clip).unwrap_or_default();
    let gravity = read_gravity(&scene, findings);
    let materials = read_materials(&scene, findings);
    let rods: Vec<_> = family(&scene, "rod", findings)
        .into_iter()
        .map(|(name, table, span)| {
            let reader = Reader::open(table, keys::ROD, format!("rod.{name}"), Some(span), findings);
            (name, rod::read(name, &reader, &materials, findings))
        })
        .collect();
    if rods.is_empty() && !scene.has("rod") {
        findings.add::<()>(Fault::NoRod, "rod", Some(top));
    } else if rods.is_empty() {
        scene.fault::<()>("rod", Fault::NoRod, findings);
    }
    let names = load::RodNames {
        rods: rods.iter().map(|(name, rod)| ((*name).to_owned(), rod.as_ref().map(|r| r.length))).collect(),
    };
    let loads: Vec<_> = family(&scene, "load", findings)
        .into_iter()
        .map(|(name, table, span)| {
            let reader = Reader::open(table, keys::LOAD, format!("load.{name}"), Some(span), findings);
            load::read(name, &reader, &names, findings)
        })
        .collect();
    let job = job::read(&scene, findings);
    warn_unused_materials(document, findings);

    let rods = rods.into_iter().map(|(_, rod)| rod).collect::<Option<Vec<_>>>();
    let loads = loads.into_iter().collect::<Option<Vec<_>>>();
    let scene = Scene { title, gravity: gravity?, rods: rods?, loads: loads?, job: job?, ..Scene::default() };
    if findings.has_errors() {
        return None;
    }
    if let Err(invalid) = scene.validate() {
        let (fault, span) = fault_of(&invalid, document);
        return findings.add(fault, invalid.path, span);
    }
    if let Some((path, reason)) = fixed_knots_conflict(&scene) {
        let help = "move the load to an end, make the section even, or give the shape by curvature";
        return findings.add(Fault::Contradiction { reason, help }, path.clone(), document.locate(&path));
    }
    Some(scene)
}

/// Control poses fix a rod's knots, so nothing may make its stress jump inside: the path to blame, and why.
fn fixed_knots_conflict(scene: &Scene) -> Option<(String, String)> {
    for (index, rod) in scene.rods.iter().enumerate() {
        if !matches!(rod.natural, NaturalShape::ControlPoses(_)) || jumps(scene, index).is_empty() {
            continue;
        }
        if !rod.profile.steps().is_empty() {
            let reason = "the section steps, but the shape's control poses leave no room for a jump".into();
            return Some((format!("rod.{}.section", rod.name), reason));
        }
        let inside = |load: &&Load| match load.kind {
            LoadKind::Point { at, .. } => {
                load.rod == index && jumps(scene, index).iter().any(|s| (s - at).abs() < 1e-6 * rod.length)
            }
            LoadKind::Distributed { .. } => false,
        };
        if let Some(load) = scene.loads.iter().find(inside) {
            let reason = "a point load inside the rod, but the shape's control poses leave no room for a jump".into();
            return Some((format!("load.{}.at", load.name), reason));
        }
    }
    None
}

/// The fault and place that a refusal of the model stands for.
pub fn fault_of(invalid: &Invalid, document: &Document) -> (Fault, Option<Span>) {
    let path = &invalid.path;
    let name = || path.split('.').nth(1).unwrap_or_default().to_owned();
    let fault = match &invalid.problem {
        Problem::NotFinite => Fault::NotFinite { value: f64::NAN },
        Problem::NotPositive { value } => Fault::NotPositive { value: *value },
        Problem::Negative { value } => Fault::Negative { value: *value },
        Problem::OutOfRange { value, interval } => Fault::OutOfRange { value: *value, interval: interval.clone() },
        Problem::NotPositiveDefinite => Fault::NotPositiveDefinite,
        Problem::UnknownName { name, known } => {
            Fault::UnknownName { family: "rod", name: name.clone(), known: known.clone() }
        }
        Problem::Missing { .. } if path.ends_with(".material") => Fault::NoDensity { rod: name() },
        Problem::Missing { .. } if path.ends_with(".base") => Fault::NothingHolds { rod: name() },
        other => Fault::Contradiction { reason: format!("`{path}` {other}"), help: "see docs/reference/scene.md" },
    };
    (fault, document.locate(path))
}

fn check_schema(scene: &Reader<'_>, findings: &mut Findings) {
    if !scene.has("schema") {
        return scene.fault::<()>("schema", Fault::MissingSchema, findings).unwrap_or_default();
    }
    if let Some(version) = scene.count("schema", findings).filter(|version| *version != 1) {
        scene.fault::<()>("schema", Fault::UnsupportedSchema { found: version.to_string() }, findings);
    }
}

fn read_gravity(scene: &Reader<'_>, findings: &mut Findings) -> Option<Vector3<f64>> {
    if !scene.has("world") {
        return Some(Vector3::zeros());
    }
    let world = scene.table("world", keys::WORLD, findings)?;
    if !world.has("gravity") {
        return Some(Vector3::zeros());
    }
    let gravity = world.vector("gravity", Dimension::ACCELERATION, findings)?;
    if gravity.norm() > PLAUSIBLE_GRAVITY {
        world.fault::<()>("gravity", Fault::ImplausibleGravity { value: gravity.norm() }, findings);
    }
    Some(gravity)
}

fn read_materials(scene: &Reader<'_>, findings: &mut Findings) -> Materials {
    family(scene, "material", findings)
        .into_iter()
        .map(|(name, table, span)| {
            let reader = Reader::open(table, keys::MATERIAL, format!("material.{name}"), Some(span), findings);
            (name.to_owned(), material::read(&reader, findings))
        })
        .collect()
}

/// The named tables of a family, with the place of each name; bad names and values that are not tables are reported.
fn family<'d>(scene: &Reader<'d>, name: &str, findings: &mut Findings) -> Vec<(&'d str, &'d Table, Span)> {
    let Some(entry) = scene.entry(name) else { return Vec::new() };
    let Value::Table(tables) = &entry.node.value else {
        let fault = Fault::WrongType {
            expected: "named tables",
            found: entry.node.value.kind(),
            example: "[rod.arm], [material.steel], [load.tip]",
        };
        findings.add::<()>(fault, name, Some(entry.node.span));
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in &tables.entries {
        let path = format!("{name}.{}", clip(&entry.name));
        if !is_name(&entry.name) {
            findings.add::<()>(Fault::BadName { name: clip(&entry.name) }, path, Some(entry.name_span));
            continue;
        }
        match &entry.node.value {
            Value::Table(table) => found.push((entry.name.as_str(), table, entry.name_span)),
            other => {
                let example = "a table such as [rod.arm]";
                let fault = Fault::WrongType { expected: "a table", found: other.kind(), example };
                findings.add::<()>(fault, path, Some(entry.name_span));
            }
        }
    }
    found
}

/// Names make dotted paths and file names.
fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn warn_unused_materials(document: &Document, findings: &mut Findings) {
    let Some(Value::Table(materials)) = document.root.get("material").map(|node| &node.value) else { return };
    let mut used = HashSet::new();
    collect_materials(&document.root, &mut used);
    for entry in materials.entries.iter().filter(|entry| !used.contains(entry.name.as_str())) {
        let fault = Fault::UnusedMaterial { name: clip(&entry.name) };
        findings.add::<()>(fault, format!("material.{}", clip(&entry.name)), Some(entry.name_span));
    }
}

/// Every text given as `material = "…"` anywhere below a table.
fn collect_materials<'d>(table: &'d Table, used: &mut HashSet<&'d str>) {
    for entry in &table.entries {
        match &entry.node.value {
            Value::Text(text) if entry.name == "material" => {
                used.insert(text.as_str());
            }
            Value::Table(inner) => collect_materials(inner, used),
            Value::Array(items) => {
                for item in items {
                    if let Value::Table(inner) = &item.value {
                        collect_materials(inner, used);
                    }
                }
            }
            _ => {}
        }
    }
}
