//! `[target.NAME]`: what an inverse job aims at.

use super::dimension::Dimension;
use super::document::{Node, Value};
use super::driven_quantity::Quantity;
use super::findings::Findings;
use super::frame::{self, Carriers};
use super::names::family;
use super::reader::{Reader, Sign, clip};
use super::{keys, pose, signal};
use crate::fault::Fault;
use crate::inverse_fault::InverseFault;
use lissome_lie::Rotation;
use lissome_model::{DriveTarget, FrameOf, Job, Scene, Signal, Target, Wanted};
use nalgebra::Vector3;

/// What a target can be given for, of which one table has some.
const WANTED: &[&str] = &["position", "rotation", "rotvec", "direction", "tension", "length", "pull", "force"];
/// Those of a frame.
const OF_FRAMES: [&str; 4] = ["position", "rotation", "rotvec", "direction"];
/// The word that leaves an axis open.
const ANY: &str = "any";

/// Reads every target. `scene` has its parts.
pub fn read(
    file: &Reader<'_>,
    scene: &Scene,
    carriers: &Carriers,
    job: &Job,
    findings: &mut Findings,
) -> Option<Vec<Target>> {
    let tables = family(file, "target", keys::TARGET, findings);
    let read: Vec<Option<Vec<Target>>> =
        tables.iter().map(|(name, reader)| read_one(name, reader, scene, carriers, job, findings)).collect();
    Some(read.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

fn read_one(
    name: &str,
    reader: &Reader<'_>,
    scene: &Scene,
    carriers: &Carriers,
    job: &Job,
    findings: &mut Findings,
) -> Option<Vec<Target>> {
    if !reader.has("of") {
        return reader.missing("of", findings);
    }
    let weight = match reader.has("weight") {
        true => reader.quantity("weight", Dimension::NONE, Sign::Positive, findings)?,
        false => 1.0,
    };
    let given: Vec<&str> = WANTED.iter().copied().filter(|key| reader.has(key)).collect();
    if given.is_empty() {
        let fault = Fault::NoneGiven { owner: reader.owner(), choices: WANTED };
        return findings.add(fault, reader.path.clone(), reader.span);
    }
    for (first, second) in [("rotation", "rotvec"), ("rotation", "direction"), ("rotvec", "direction")] {
        if !reader.not_both(first, second, "both say how it is turned", findings) {
            return None;
        }
    }
    let framed = OF_FRAMES.contains(&given[0]);
    if let Some(other) = given.iter().find(|key| OF_FRAMES.contains(key) != framed) {
        let reason = "one is of a frame, the other of a thread, a spring or a rod's end: make two targets of them";
        let fault = Fault::Clash { first: given[0].into(), second: (*other).into(), reason };
        return reader.fault(other, fault, findings);
    }
    let outputs: Vec<Option<Wanted>> = match framed {
        true => {
            let of = frame::read(reader, "of", carriers, findings)?;
            if of.of == FrameOf::World {
                let fault = Fault::Inverse(InverseFault::StandsStill { name: name.to_owned() });
                return reader.fault("of", fault, findings);
            }
            let read = |key: &&str| {
                Some(match *key {
                    "position" => Wanted::Position { of, axes: axes(reader, key, Dimension::LENGTH, job, findings)? },
                    "rotation" => Wanted::Rotation { of, turn: turn(reader, findings)? },
                    "rotvec" => Wanted::Rotation { of, turn: all_axes(reader, key, Dimension::ANGLE, job, findings)? },
                    _ => Wanted::Direction { of, along: all_axes(reader, key, Dimension::NONE, job, findings)? },
                })
            };
            given.iter().map(read).collect()
        }
        false => given.iter().map(|key| of_part(reader, key, scene, job, findings)).collect(),
    };
    let outputs: Vec<Wanted> = outputs.into_iter().collect::<Option<_>>()?;
    let several = outputs.len() > 1;
    let named = |(output, key): (Wanted, &&str)| Target {
        name: if several { format!("{name}.{key}") } else { name.to_owned() },
        output,
        weight,
    };
    Some(outputs.into_iter().zip(&given).map(named).collect())
}

/// A course of that dimension.
fn course(node: &Node, place: &str, of: Dimension, job: &Job, findings: &mut Findings) -> Option<Signal> {
    // What is driven does not matter to a course.
    let quantity = Quantity { target: DriveTarget::Gravity, dimension: of, sign: Sign::Any };
    signal::read(node, place, &quantity, job, findings)
}

/// Three courses; the word for an open axis gives none.
fn axes(
    reader: &Reader<'_>,
    key: &str,
    of: Dimension,
    job: &Job,
    findings: &mut Findings,
) -> Option<[Option<Signal>; 3]> {
    let node = &reader.entry(key)?.node;
    let Value::Array(items) = &node.value else {
        // A string such as "[0, 0, 1] m".
        let vector = reader.vector(key, of, findings)?;
        return Some([vector.x, vector.y, vector.z].map(|value| Some(Signal::Constant(value))));
    };
    let [x, y, z] = items.as_slice() else {
        let fault = Fault::WrongCount { found: items.len(), expected: "three components" };
        return reader.fault(key, fault, findings);
    };
    let place = reader.join(key);
    let mut read = |node: &Node| match &node.value {
        Value::Text(word) if word == ANY => Some(None),
        _ => course(node, &place, of, job, findings).map(Some),
    };
    let found = [read(x), read(y), read(z)];
    let [x, y, z] = found;
    let three = [x?, y?, z?];
    if three.iter().all(Option::is_none) {
        let fault = Fault::WrongCount { found: 0, expected: "at least one component that is not \"any\"" };
        return reader.fault(key, fault, findings);
    }
    Some(three)
}

/// The same where no axis may be open.
fn all_axes(reader: &Reader<'_>, key: &str, of: Dimension, job: &Job, findings: &mut Findings) -> Option<[Signal; 3]> {
    let [Some(x), Some(y), Some(z)] = axes(reader, key, of, job, findings)? else {
        let fault = Fault::WrongCount { found: 2, expected: "three components, none of them open" };
        return reader.fault(key, fault, findings);
    };
    Some([x, y, z])
}

fn turn(reader: &Reader<'_>, findings: &mut Findings) -> Option<[Signal; 3]> {
    let table = reader.table("rotation", keys::ROTATION, findings)?;
    let rotation: Rotation = pose::read_on_carrier(&table, findings)?.rotation;
    let turn: Vector3<f64> = rotation.log();
    Some([turn.x, turn.y, turn.z].map(Signal::Constant))
}

/// A number of a tendon, cable or spring, or the force at the end of a rod.
fn of_part(reader: &Reader<'_>, key: &str, scene: &Scene, job: &Job, findings: &mut Findings) -> Option<Wanted> {
    let name = reader.text("of", findings)?;
    let unknown = |known: Vec<String>, findings: &mut Findings| {
        let fault = Fault::Inverse(InverseFault::UnknownOutput { name: clip(name), known });
        reader.fault("of", fault, findings)
    };
    let one =
        |of: Dimension, findings: &mut Findings| course(&reader.entry(key)?.node, &reader.join(key), of, job, findings);
    let tendon = scene.tendons.iter().position(|own| own.name == name);
    let cable = scene.cables.iter().position(|own| own.name == name);
    let threads = || {
        let tendons = scene.tendons.iter().map(|own| own.name.clone());
        tendons.chain(scene.cables.iter().map(|own| own.name.clone())).collect::<Vec<String>>()
    };
    match (key, tendon, cable) {
        ("tension", Some(tendon), _) => Some(Wanted::TendonTension { tendon, value: one(Dimension::FORCE, findings)? }),
        ("tension", _, Some(cable)) => Some(Wanted::CableTension { cable, value: one(Dimension::FORCE, findings)? }),
        ("length", Some(tendon), _) => Some(Wanted::TendonLength { tendon, value: one(Dimension::LENGTH, findings)? }),
        ("length", _, Some(cable)) => Some(Wanted::CableLength { cable, value: one(Dimension::LENGTH, findings)? }),
        ("tension" | "length", ..) => unknown(threads(), findings),
        ("pull", ..) => match scene.springs.iter().position(|own| own.name == name) {
            Some(spring) => Some(Wanted::SpringPull { spring, value: one(Dimension::FORCE, findings)? }),
            None => unknown(scene.springs.iter().map(|own| own.name.clone()).collect(), findings),
        },
        _ => {
            let mut ends: Vec<(String, usize, bool)> = Vec::new();
            for (rod, own) in scene.rods.iter().enumerate() {
                let held = [("base", own.base.is_some()), ("tip", own.tip.is_some())];
                let held = held.into_iter().filter(|(_, held)| *held);
                ends.extend(held.map(|(end, _)| (format!("{}.{end}", own.name), rod, end == "base")));
            }
            match ends.iter().find(|end| end.0 == name) {
                Some((_, rod, at_base)) => {
                    let axes = axes(reader, key, Dimension::FORCE, job, findings)?;
                    Some(Wanted::Force { rod: *rod, at_base: *at_base, axes })
                }
                None => unknown(ends.into_iter().map(|end| end.0).collect(), findings),
            }
        }
    }
}
