//! `[cable.NAME]`.

use super::dimension::Dimension;
use super::drive::Driven;
use super::findings::Findings;
use super::frame::{self, Carriers};
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::{Cable, CableDrive};

/// What can be prescribed at the end of a cable.
pub const PRESCRIBED: [&str; 3] = ["tension", "length", "pull"];

/// Reads one cable. The name is checked by the caller.
pub fn read(
    name: &str,
    reader: &Reader<'_>,
    carriers: &Carriers,
    driven: &Driven,
    findings: &mut Findings,
) -> Option<Cable> {
    let points = match reader.has("points") {
        true => frame::read_list(reader, "points", carriers, findings),
        false => reader.missing("points", findings),
    };
    if let Some(found) = points.as_ref().map(Vec::len).filter(|n| *n < 2) {
        reader.fault::<()>("points", Fault::WrongCount { found, expected: "two points or more" }, findings);
    }
    let drive = read_drive(name, reader, driven, findings);
    let stiffness = reader.quantity("stiffness", Dimension::FORCE, Sign::Positive, findings);
    if reader.has("stiffness") && stiffness.is_none() {
        return None;
    }
    Some(Cable { name: name.to_owned(), points: points?, drive: drive?, stiffness })
}

fn read_drive(name: &str, reader: &Reader<'_>, driven: &Driven, findings: &mut Findings) -> Option<CableDrive> {
    let reason = "a cable is pulled in one way";
    if !(reader.not_both("tension", "length", reason, findings)
        && reader.not_both("tension", "pull", reason, findings)
        && reader.not_both("length", "pull", reason, findings))
    {
        return None;
    }
    // A drive says it as well.
    let says = |key: &str| reader.has(key) || (!PRESCRIBED.iter().any(|k| reader.has(k)) && driven.has(name, key));
    let value = |key: &str, dimension, sign, beginning: f64, findings: &mut Findings| match reader.has(key) {
        true => reader.quantity(key, dimension, sign, findings),
        false => Some(beginning),
    };
    if says("tension") {
        value("tension", Dimension::FORCE, Sign::NotNegative, 0.0, findings).map(CableDrive::Tension)
    } else if says("length") {
        // The drive gives the length at every time; this one is only a place to hold.
        value("length", Dimension::LENGTH, Sign::Positive, 1.0, findings).map(CableDrive::Length)
    } else if says("pull") {
        value("pull", Dimension::LENGTH, Sign::Any, 0.0, findings).map(CableDrive::Pull)
    } else {
        let fault = Fault::NoneGiven { owner: reader.owner(), choices: &PRESCRIBED };
        findings.add(fault, reader.path.clone(), reader.span)
    }
}
