//! `[free]`: the drives that an inverse job may change, each under its dotted path.

use super::document::Value;
use super::drive::{Drivable, Found, drivable};
use super::driven_quantity::Quantity;
use super::findings::Findings;
use super::keys;
use super::reader::{Reader, Sign, clip};
use crate::fault::Fault;
use crate::inverse_fault::InverseFault;
use lissome_model::{CableDrive, Drive, DriveTarget, FreeDrive, JointMotion, Scene, Signal};

/// Part of a tube's length that it reaches out at least, and of a thread's length that is left at least.
const LEAST_PART: f64 = 1e-3;

/// Reads every free drive. Those that the scene does not drive yet join its drives, at the value that the scene has.
pub fn read(file: &Reader<'_>, scene: &mut Scene, findings: &mut Findings) -> Option<Vec<FreeDrive>> {
    let entry = file.entry("free");
    let table = match entry.map(|entry| &entry.node.value) {
        Some(Value::Table(table)) if !table.entries.is_empty() => table,
        Some(Value::Table(_)) | None => {
            let fault = Fault::Inverse(InverseFault::NothingFree { known: drivable(scene) });
            return findings.add(fault, "free", entry.map(|entry| entry.name_span).or(file.span_of("job")));
        }
        Some(other) => {
            let example = "[free]\n\"motor.angle\" = { min = \"-30 deg\", max = \"30 deg\" }";
            return file.fault(
                "free",
                Fault::WrongType { expected: "a table", found: other.kind(), example },
                findings,
            );
        }
    };
    let mut free: Vec<Option<FreeDrive>> = Vec::new();
    for entry in &table.entries {
        let path = entry.name.as_str();
        let place = format!("free.{}", clip(path));
        let things = Drivable::of(scene);
        let quantity = match things.find(path) {
            Found::Quantity(quantity) => quantity,
            Found::Nothing => {
                let fault = Fault::NotDrivable { path: clip(path), known: drivable(scene) };
                free.push(findings.add(fault, place, Some(entry.name_span)));
                continue;
            }
            Found::Otherwise { owner, key } => {
                let fault = Fault::NotPrescribed { path: clip(path), owner, key };
                free.push(findings.add(fault, place, Some(entry.name_span)));
                continue;
            }
        };
        let Some(reader) = Reader::open_node(&entry.node, keys::FREE, &place, Some(entry.name_span), findings) else {
            free.push(None);
            continue;
        };
        if reader.has("start") {
            let reason = "a drive begins where the scene or [drive] says";
            let fault = Fault::Clash { first: "kind".into(), second: "start".into(), reason };
            free.push(reader.fault("start", fault, findings));
            continue;
        }
        let driven = scene.drives.iter().position(|drive| drive.target == quantity.target);
        let known = free.iter().flatten().find(|other| Some(other.drive) == driven);
        if let Some(other) = known {
            let fault = Fault::DrivenTwice { path: clip(path), other: scene.drives[other.drive].path.clone() };
            free.push(findings.add(fault, place, Some(entry.name_span)));
            continue;
        }
        let drive = driven.unwrap_or_else(|| {
            let signal = Signal::Constant(present(scene, quantity.target));
            scene.drives.push(Drive { path: path.to_owned(), target: quantity.target, signal });
            scene.drives.len() - 1
        });
        free.push(read_one(&reader, &quantity, scene, drive, findings));
    }
    free.into_iter().collect()
}

fn read_one(
    reader: &Reader<'_>,
    quantity: &Quantity,
    scene: &Scene,
    drive: usize,
    findings: &mut Findings,
) -> Option<FreeDrive> {
    let start = scene.drives[drive].signal.at(0.0);
    let usual = usual_limits(scene, quantity.target, start);
    let number = |key: &str, default: f64, sign: Sign, findings: &mut Findings| match reader.has(key) {
        true => reader.quantity(key, quantity.dimension, sign, findings),
        false => Some(default),
    };
    let (low, high) =
        (number("min", usual.0, quantity.sign, findings)?, number("max", usual.1, quantity.sign, findings)?);
    if let Some((key, value)) = [("min", low), ("max", high)]
        .into_iter()
        .find(|(_, value)| value.is_finite() && (*value < usual.0 || *value > usual.1))
    {
        let interval = format!("[{}, {}], what it can be", usual.0, usual.1);
        return reader.fault(key, Fault::OutOfRange { value, interval }, findings);
    }
    if low >= high {
        let fault = Fault::OutOfRange { value: high, interval: format!("above {low}, its least value") };
        return reader.fault("max", fault, findings);
    }
    if !(low..=high).contains(&start) {
        let path = &scene.drives[drive].path;
        let reason = format!("`{path}` begins at {start}, outside of [{low}, {high}]");
        let help = "widen `min` and `max`, or begin between them";
        return findings.add(Fault::Contradiction { reason, help }, reader.path.clone(), reader.span);
    }
    let rest = match quantity.target {
        DriveTarget::JointEffort { .. } => 0.0,
        DriveTarget::Cable(_) | DriveTarget::Tendon(_) if quantity.sign == Sign::NotNegative => 0.0,
        _ => start,
    };
    let rest = number("rest", rest, Sign::Any, findings)?;
    let weight = match reader.has("weight") {
        true => reader.quantity("weight", super::dimension::Dimension::NONE, Sign::NotNegative, findings)?,
        false => 1.0,
    };
    Some(FreeDrive { drive, limits: (low, high), weight, rest })
}

/// What the scene says of a quantity without its drives.
pub(super) fn present(scene: &Scene, target: DriveTarget) -> f64 {
    let tube = |rod: usize, tube: usize| scene.rods[rod].tubes.as_ref().map(|set| &set.tubes[tube]);
    match target {
        DriveTarget::JointValue { joint, coordinate } => match &scene.joints[joint].motion {
            JointMotion::Driven { value } => value.get(coordinate).copied().unwrap_or(0.0),
            _ => 0.0,
        },
        DriveTarget::JointEffort { joint, coordinate } => match &scene.joints[joint].motion {
            JointMotion::Actuated { effort, .. } => effort.get(coordinate).copied().unwrap_or(0.0),
            _ => 0.0,
        },
        DriveTarget::Cable(cable) => scene.cables[cable].drive.value(),
        DriveTarget::Tendon(tendon) => scene.tendons[tendon].drive.value(),
        DriveTarget::Load(_) | DriveTarget::FrameLoad(_) | DriveTarget::Gravity => 1.0,
        DriveTarget::TubeRotation { rod, tube: own } => tube(rod, own).map_or(0.0, |tube| tube.rotation),
        DriveTarget::TubeInsertion { rod, tube: own } => tube(rod, own).map_or(0.0, |tube| tube.insertion),
    }
}

/// Between which values a quantity can be at all.
pub(super) fn usual_limits(scene: &Scene, target: DriveTarget, start: f64) -> (f64, f64) {
    const OPEN: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
    let thread = |drive: &CableDrive| match drive.name() {
        "tension" => (0.0, f64::INFINITY),
        "length" => (LEAST_PART * start, f64::INFINITY),
        _ => OPEN,
    };
    match target {
        DriveTarget::JointValue { joint, coordinate } => {
            scene.joints[joint].limits.get(coordinate).copied().flatten().unwrap_or(OPEN)
        }
        DriveTarget::Cable(cable) => thread(&scene.cables[cable].drive),
        DriveTarget::Tendon(tendon) => thread(&scene.tendons[tendon].drive),
        DriveTarget::TubeInsertion { rod, tube } => {
            let length = scene.rods[rod].tubes.as_ref().map_or(start, |set| set.tubes[tube].length);
            (LEAST_PART * length, length)
        }
        _ => OPEN,
    }
}
