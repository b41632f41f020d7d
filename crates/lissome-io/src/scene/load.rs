//! `[load.NAME]`.

use super::dimension::Dimension;
use super::findings::Findings;
use super::frame::{self, Carriers};
use super::keys;
use super::reader::{Reader, Sign, clip};
use crate::fault::Fault;
use lissome_lie::Wrench;
use lissome_model::{FrameLoad, FrameLoadKind, Load, LoadFrame, LoadKind};
use nalgebra::Vector3;

/// A load on a rod or on a frame.
pub enum ReadLoad {
    /// On a rod.
    Rod(Load),
    /// On a frame.
    Frame(FrameLoad),
}

const POINT_KEYS: [&str; 3] = ["at", "force", "moment"];
const DISTRIBUTED_KEYS: [&str; 4] = ["from", "to", "force_per_length", "moment_per_length"];

/// Reads one load.
pub fn read(name: &str, reader: &Reader<'_>, carriers: &Carriers, findings: &mut Findings) -> Option<ReadLoad> {
    if reader.has("on") {
        return read_on_frame(name, reader, carriers, findings).map(ReadLoad::Frame);
    }
    for key in ["toward", "size"] {
        if reader.has(key) && !reader.has("rod") {
            return reader.missing("on", findings);
        }
        if !reader.not_both("rod", key, "a pull toward a point acts on a frame: write `on`", findings) {
            return None;
        }
    }
    read_on_rod(name, reader, carriers, findings).map(ReadLoad::Rod)
}

/// A load on a frame: a wrench, or a pull of constant size toward a point.
fn read_on_frame(name: &str, reader: &Reader<'_>, carriers: &Carriers, findings: &mut Findings) -> Option<FrameLoad> {
    for key in ["rod", "at"].iter().chain(&DISTRIBUTED_KEYS) {
        if !reader.not_both("on", key, "the frame says where it acts", findings) {
            return None;
        }
    }
    let on = frame::read(reader, "on", carriers, findings);
    let kind = if reader.has("toward") || reader.has("size") {
        for key in ["force", "moment", "frame"] {
            if !reader.not_both("toward", key, "a pull toward a point has a size only", findings) {
                return None;
            }
        }
        let point = match reader.has("toward") {
            true => reader.vector("toward", Dimension::LENGTH, findings),
            false => reader.missing("toward", findings),
        };
        let size = reader.required("size", Dimension::FORCE, Sign::NotNegative, findings);
        FrameLoadKind::Toward { point: point?, size: size? }
    } else {
        let axes = read_axes(reader, findings);
        if !reader.has("force") && !reader.has("moment") {
            let choices = &["force", "moment", "toward"];
            return findings.add(Fault::NoneGiven { owner: reader.owner(), choices }, reader.path.clone(), reader.span);
        }
        let moment = read_vector(reader, "moment", Dimension::MOMENT, findings);
        let force = read_vector(reader, "force", Dimension::FORCE, findings);
        FrameLoadKind::Wrench { axes: axes?, wrench: Wrench::new(moment?, force?) }
    };
    let zero = match kind {
        FrameLoadKind::Wrench { wrench, .. } => wrench == Wrench::zero(),
        FrameLoadKind::Toward { size, .. } => size == 0.0,
    };
    if zero {
        findings.add::<()>(Fault::NoLoad { name: name.to_owned() }, reader.path.clone(), reader.span);
    }
    Some(FrameLoad { name: name.to_owned(), on: on?, kind })
}

fn read_axes(reader: &Reader<'_>, findings: &mut Findings) -> Option<LoadFrame> {
    match reader.choice("frame", keys::FRAMES, findings) {
        Some(0) => Some(LoadFrame::World),
        Some(_) => Some(LoadFrame::Body),
        None if reader.has("frame") => None,
        None => Some(LoadFrame::World),
    }
}

fn read_on_rod(name: &str, reader: &Reader<'_>, carriers: &Carriers, findings: &mut Findings) -> Option<Load> {
    let rod = read_rod(reader, carriers, findings);
    let frame = read_axes(reader, findings);
    let reason = "one load is either at a point or along a stretch";
    for point in POINT_KEYS {
        for distributed in DISTRIBUTED_KEYS {
            if !reader.not_both(point, distributed, reason, findings) {
                return None;
            }
        }
    }
    let distributed = DISTRIBUTED_KEYS.iter().any(|key| reader.has(key));
    let (moment, force) = if distributed { ("moment_per_length", "force_per_length") } else { ("moment", "force") };
    if !reader.has(moment) && !reader.has(force) {
        let choices: &[&str] =
            if distributed { &["force_per_length", "moment_per_length"] } else { &["force", "moment"] };
        return findings.add(Fault::NoneGiven { owner: reader.owner(), choices }, reader.path.clone(), reader.span);
    }
    let (moment_unit, force_unit) = if distributed {
        (Dimension::MOMENT_PER_LENGTH, Dimension::FORCE_PER_LENGTH)
    } else {
        (Dimension::MOMENT, Dimension::FORCE)
    };
    let moment = read_vector(reader, moment, moment_unit, findings);
    let force = read_vector(reader, force, force_unit, findings);
    if !distributed && !reader.has("at") {
        return reader.missing("at", findings);
    }
    let (rod, length) = rod?;
    let length = length?;
    let wrench = Wrench::new(moment?, force?);
    let kind = if distributed {
        let end = |key: &str, default: f64, findings: &mut Findings| match reader.has(key) {
            true => reader.station(key, length, findings),
            false => Some(default),
        };
        let (from, to) = (end("from", 0.0, findings), end("to", length, findings));
        let (from, to) = (from?, to?);
        if from >= to {
            return reader.fault("to", Fault::NotInOrder { before: from, after: to }, findings);
        }
        LoadKind::Distributed { from, to, per_length: wrench }
    } else {
        LoadKind::Point { at: reader.station("at", length, findings)?, wrench }
    };
    if wrench == Wrench::zero() {
        findings.add::<()>(Fault::NoLoad { name: name.to_owned() }, reader.path.clone(), reader.span);
    }
    Some(Load { name: name.to_owned(), rod, frame: frame?, kind })
}

fn read_vector(reader: &Reader<'_>, key: &str, dimension: Dimension, findings: &mut Findings) -> Option<Vector3<f64>> {
    if reader.has(key) { reader.vector(key, dimension, findings) } else { Some(Vector3::zeros()) }
}

fn read_rod(reader: &Reader<'_>, rods: &Carriers, findings: &mut Findings) -> Option<(usize, Option<f64>)> {
    if !reader.has("rod") {
        return reader.missing("rod", findings);
    }
    let name = reader.text("rod", findings)?;
    match rods.rods.iter().position(|(known, _)| known == name) {
        Some(index) => Some((index, rods.rods[index].1)),
        None => {
            let known = rods.rods.iter().map(|(name, _)| name.clone()).collect();
            let fault = Fault::UnknownName { family: "rod", name: clip(name), known };
            reader.fault("rod", fault, findings)
        }
    }
}
