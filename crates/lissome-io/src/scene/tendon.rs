//! `[tendon.NAME]`: tendons inside rods, and families of them.

use super::dimension::Dimension;
use super::document::Value;
use super::drive::Driven;
use super::findings::Findings;
use super::frame::Carriers;
use super::keys;
use super::reader::{Reader, Sign, clip};
use super::routing;
use crate::fault::Fault;
use lissome_lie::{Pose, Rotation};
use lissome_model::{Cable, CableDrive, Disks, Frame, Sliding, Tendon, TendonRun};
use std::f64::consts::TAU;

/// More members of a family than this are taken for a slip.
const MOST_MEMBERS: usize = 100;
/// Radius of disks over the distance of their farthest hole, where it is not given.
const DISK_MARGIN: f64 = 1.25;
/// What can be prescribed at the motor of a tendon.
const PRESCRIBED: [&str; 3] = super::cable::PRESCRIBED;

/// What a table of a tendon lowers to: tendons along their curves, or cables from disk to disk.
#[derive(Debug, Default)]
pub struct ReadTendons {
    /// Members whose routing is continuous.
    pub tendons: Vec<Tendon>,
    /// Members that go straight from disk to disk.
    pub cables: Vec<Cable>,
    /// The disks.
    pub disks: Vec<Disks>,
}

/// Reads one table: a tendon, or a family of them. The name is checked by the caller.
pub fn read(
    name: &str,
    reader: &Reader<'_>,
    carriers: &Carriers,
    driven: &Driven,
    findings: &mut Findings,
) -> Option<ReadTendons> {
    let names = member_names(name, reader, findings);
    let runs = read_runs(reader, carriers, findings);
    let members = names.as_ref().map_or(1, Vec::len);
    let drives = read_drives(names.as_deref().unwrap_or_default(), reader, driven, findings);
    let stiffness = optional(reader, "stiffness", Dimension::FORCE, Sign::Positive, findings);
    let friction = optional(reader, "friction", Dimension::NONE, Sign::NotNegative, findings);
    let angle = optional(reader, "angle", Dimension::ANGLE, Sign::Any, findings);
    let sliding = match reader.choice("sliding", keys::SLIDINGS, findings) {
        Some(1) => Some(Sliding::Released),
        None if reader.has("sliding") => None,
        _ => Some(Sliding::Pulled),
    };
    let straight = match reader.choice("routing", keys::ROUTINGS, findings) {
        None if reader.has("routing") => None,
        choice => Some(choice == Some(1)),
    };
    let (names, runs, drives) = (names?, runs?, drives?);
    let (stiffness, friction, sliding, straight) = (stiffness?, friction?.unwrap_or(0.0), sliding?, straight?);
    let disks = read_disks(name, reader, &runs, findings)?;
    let mut found = ReadTendons { disks, ..ReadTendons::default() };
    if straight && !suits_disks(reader, &found.disks, friction, findings) {
        return None;
    }
    let turn = |k: usize| angle.flatten().unwrap_or(0.0) + TAU * k as f64 / members as f64;
    for (k, (name, drive)) in names.into_iter().zip(drives).enumerate() {
        let turned = |run: &TendonRun| TendonRun { routing: run.routing.turned(turn(k)), ..run.clone() };
        let runs: Vec<TendonRun> = runs.iter().map(turned).collect();
        match straight {
            true => found.cables.push(Cable { name, points: through_disks(&runs, &found.disks), drive, stiffness }),
            false => found.tendons.push(Tendon { name, runs, drive, stiffness, friction, sliding }),
        }
    }
    Some(found)
}

fn optional(
    reader: &Reader<'_>,
    key: &str,
    dimension: Dimension,
    sign: Sign,
    findings: &mut Findings,
) -> Option<Option<f64>> {
    match reader.has(key) {
        true => reader.quantity(key, dimension, sign, findings).map(Some),
        false => Some(None),
    }
}

/// The name itself, or with `count` those of the members: NAME.1, NAME.2, …
fn member_names(name: &str, reader: &Reader<'_>, findings: &mut Findings) -> Option<Vec<String>> {
    if !reader.has("count") {
        return Some(vec![name.to_owned()]);
    }
    match reader.count("count", findings)? {
        count if (1..=MOST_MEMBERS).contains(&count) => Some((1..=count).map(|k| format!("{name}.{k}")).collect()),
        count => {
            let fault = Fault::OutOfRange { value: count as f64, interval: format!("1 to {MOST_MEMBERS}") };
            reader.fault("count", fault, findings)
        }
    }
}

fn read_runs(reader: &Reader<'_>, carriers: &Carriers, findings: &mut Findings) -> Option<Vec<TendonRun>> {
    if !reader.has("runs") {
        return Some(vec![read_run(reader, carriers, findings)?]);
    }
    let own = ["rod", "from", "to", "radius", "turns", "pitch", "position", "table", "pieces"];
    if !own.iter().all(|key| reader.not_both("runs", key, "each run says that itself", findings)) {
        return None;
    }
    let entries = reader.list("runs", keys::RUN, findings)?;
    if entries.is_empty() {
        return reader.fault("runs", Fault::WrongCount { found: 0, expected: "at least one run" }, findings);
    }
    let mut runs = Vec::new();
    for entry in entries {
        let entry = entry?;
        let run = read_run(&entry, carriers, findings);
        let angle = optional(&entry, "angle", Dimension::ANGLE, Sign::Any, findings);
        let (run, angle) = (run?, angle?.unwrap_or(0.0));
        runs.push(TendonRun { routing: run.routing.turned(angle), ..run });
    }
    Some(runs)
}

fn read_run(reader: &Reader<'_>, carriers: &Carriers, findings: &mut Findings) -> Option<TendonRun> {
    let name = match reader.has("rod") {
        true => reader.text("rod", findings)?,
        false => return reader.missing("rod", findings),
    };
    let Some(rod) = carriers.rod(name) else {
        let known = carriers.rods.iter().map(|(known, _)| known.clone()).collect();
        return reader.fault("rod", Fault::UnknownName { family: "rod", name: clip(name), known }, findings);
    };
    // What is wrong with the rod was told of the rod.
    let length = carriers.rods[rod].1?;
    let mut station = |key: &str, default: f64| match reader.has(key) {
        true => reader.station(key, length, findings),
        false => Some(default),
    };
    let (from, to) = (station("from", 0.0), station("to", length));
    let (from, to) = (from?, to?);
    if to <= from {
        return reader.fault("to", Fault::NotInOrder { before: from, after: to }, findings);
    }
    let routing = routing::read(reader, from, to, length, findings)?;
    Some(TendonRun { rod, from, to, routing })
}

/// What is prescribed at the motor of each member.
fn read_drives(
    names: &[String],
    reader: &Reader<'_>,
    driven: &Driven,
    findings: &mut Findings,
) -> Option<Vec<CableDrive>> {
    let reason = "a tendon is pulled in one way";
    if !(reader.not_both("tension", "length", reason, findings)
        && reader.not_both("tension", "pull", reason, findings)
        && reader.not_both("length", "pull", reason, findings))
    {
        return None;
    }
    // A drive says it as well.
    let is_driven = |key: &str| names.iter().any(|name| driven.has(name, key));
    let says = |key: &str| reader.has(key) || (!PRESCRIBED.iter().any(|k| reader.has(k)) && is_driven(key));
    let kinds = [
        ("tension", Dimension::FORCE, Sign::NotNegative, CableDrive::Tension(0.0)),
        // The drive gives the length at every time; this one is only a place to hold.
        ("length", Dimension::LENGTH, Sign::Positive, CableDrive::Length(1.0)),
        ("pull", Dimension::LENGTH, Sign::Any, CableDrive::Pull(0.0)),
    ];
    let Some((key, dimension, sign, drive)) = kinds.into_iter().find(|(key, ..)| says(key)) else {
        let fault = Fault::NoneGiven { owner: reader.owner(), choices: &PRESCRIBED };
        return findings.add(fault, reader.path.clone(), reader.span);
    };
    let values = match reader.entry(key).map(|entry| &entry.node) {
        None => vec![drive.value(); names.len()],
        Some(node) => match &node.value {
            Value::Array(items) if items.len() == names.len() => {
                let read = |item| reader.quantity_of(key, item, dimension, sign, findings);
                let values: Vec<Option<f64>> = items.iter().map(read).collect();
                values.into_iter().collect::<Option<_>>()?
            }
            Value::Array(items) => {
                let fault =
                    Fault::WrongCount { found: items.len(), expected: "one value, or one for each of the family" };
                return reader.fault(key, fault, findings);
            }
            _ => vec![reader.quantity_of(key, node, dimension, sign, findings)?; names.len()],
        },
    };
    Some(values.into_iter().map(|value| drive.with(value)).collect())
}

/// Disks along each run, if there are any.
fn read_disks(name: &str, reader: &Reader<'_>, runs: &[TendonRun], findings: &mut Findings) -> Option<Vec<Disks>> {
    let radius = optional(reader, "disk_radius", Dimension::LENGTH, Sign::Positive, findings)?;
    if !reader.has("disks") {
        return match radius {
            Some(_) => reader.missing("disks", findings),
            None => Some(Vec::new()),
        };
    }
    let count = reader.count("disks", findings)?;
    if !(1..=Disks::MOST).contains(&count) {
        let fault = Fault::OutOfRange { value: count as f64, interval: format!("1 to {}", Disks::MOST) };
        return reader.fault("disks", fault, findings);
    }
    let far = runs.iter().map(|run| run.routing.largest_distance(run.from, run.to)).fold(0.0, f64::max);
    if let Some(radius) = radius.filter(|radius| *radius < far) {
        let reason = format!("disks of radius {radius} m have no room for a hole {far} m from the axis");
        let fault = Fault::Contradiction { reason, help: "make the disks larger, or leave `disk_radius` out" };
        return reader.fault("disk_radius", fault, findings);
    }
    let radius = radius.unwrap_or(DISK_MARGIN * far);
    Some(runs.iter().map(|run| Disks::along(name, run, count, radius)).collect())
}

/// A tendon that goes straight from disk to disk is a cable: it needs disks, and has no friction.
fn suits_disks(reader: &Reader<'_>, disks: &[Disks], friction: f64, findings: &mut Findings) -> bool {
    if disks.is_empty() {
        reader.missing::<()>("disks", findings);
        return false;
    }
    if friction > 0.0 {
        let reason = "friction acts along a curve; from disk to disk a tendon slides freely";
        let fault = Fault::Clash { first: "routing".into(), second: "friction".into(), reason };
        reader.fault::<()>("friction", fault, findings);
        return false;
    }
    true
}

/// The holes where a tendon enters its first rod and those of all disks.
fn through_disks(runs: &[TendonRun], disks: &[Disks]) -> Vec<Frame> {
    let hole = |run: &TendonRun, s: f64| {
        Frame::rod(run.rod, s).at(Pose::new(Rotation::identity(), run.routing.at(s).position))
    };
    let first = runs.first().map(|run| hole(run, run.from));
    // Where a run goes over into the next there is a disk already, the last of its rod.
    let others = runs.iter().zip(disks).flat_map(|(run, disks)| disks.places.iter().map(move |s| hole(run, *s)));
    first.into_iter().chain(others).collect()
}
