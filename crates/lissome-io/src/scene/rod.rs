//! `[rod.NAME]`.

use super::dimension::Dimension;
use super::findings::Findings;
use super::frame::{self, Carriers};
use super::reader::{Reader, Sign};
use super::section::Materials;
use super::{keys, model, natural, section, velocity};
use crate::fault::Fault;
use lissome_model::{Discretization, Frame, NaturalShape, Rod, StrainForm};
use nalgebra::Vector3;

/// Below this ratio of length to radius a rod is a lump.
const STOCKY: f64 = 2.0;
/// Above this ratio the printed form loses more than a thousandth of the length at a dozen spans.
const PRINTED_FORM_SLENDERNESS: f64 = 200.0;

/// Reads one rod. The name is checked by the caller.
pub fn read(
    name: &str,
    reader: &Reader<'_>,
    materials: &Materials,
    carriers: &Carriers,
    findings: &mut Findings,
) -> Option<Rod> {
    let length = reader.required("length", Dimension::LENGTH, Sign::Positive, findings);
    let section_reader = match reader.has("section") {
        true => reader.table("section", keys::SECTION, findings),
        false => reader.missing("section", findings),
    };
    let given = section_reader.as_ref().is_some_and(section::gives_stiffness);
    let material = match reader.has("material") {
        true => section::material_named(reader, materials, findings),
        false if given || section_reader.is_none() => None,
        false => reader.missing("material", findings),
    };
    if reader.has("material") && section_reader.as_ref().is_some_and(|s| s.has("stiffness")) {
        let reason = "a given stiffness needs no material";
        let fault = Fault::Clash { first: "section.stiffness".into(), second: "material".into(), reason };
        reader.fault::<()>("material", fault, findings);
    }
    let profile = section_reader.and_then(|s| section::read(&s, length, material, materials, findings));
    let natural = length.and_then(|length| natural::read(reader, length, findings));
    let base = read_end(reader, "base", carriers, findings);
    let tip = read_end(reader, "tip", carriers, findings);
    let turns =
        if reader.has("turns") { reader.vector("turns", Dimension::NONE, findings) } else { Some(Vector3::zeros()) };
    let laid = read_laid(reader, findings);
    let discretization = model::read(reader, natural.as_ref(), findings);
    let initial_velocity = velocity::read(reader, findings);
    let rod = Rod {
        name: name.to_owned(),
        length: length?,
        profile: profile?,
        natural: natural?,
        base: base?,
        tip: tip?,
        turns: turns?,
        laid: laid?,
        discretization: discretization?,
        initial_velocity: initial_velocity?,
        tubes: None,
    };
    warn(&rod, reader, findings);
    Some(rod)
}

/// The natural length alone, for those who refer to the rod before it is read.
pub fn read_length(reader: &Reader<'_>) -> Option<f64> {
    reader.quantity("length", Dimension::LENGTH, Sign::Positive, &mut Findings::default())
}

/// `Some(None)` for a free end, `None` for one that was refused.
fn read_end(reader: &Reader<'_>, name: &str, carriers: &Carriers, findings: &mut Findings) -> Option<Option<Frame>> {
    if reader.has(name) { frame::read(reader, name, carriers, findings).map(Some) } else { Some(None) }
}

/// Points of the line that the rod begins along.
fn read_laid(reader: &Reader<'_>, findings: &mut Findings) -> Option<Vec<Vector3<f64>>> {
    if !reader.has("laid") {
        return Some(Vec::new());
    }
    let (columns, values) = reader.grid("laid", Dimension::LENGTH, findings)?;
    if columns != 3 {
        let fault = Fault::WrongCount { found: columns, expected: "three coordinates of each point" };
        return reader.fault("laid", fault, findings);
    }
    Some(values.chunks_exact(3).map(Vector3::from_column_slice).collect())
}

/// Things that are possible but hardly meant.
fn warn(rod: &Rod, reader: &Reader<'_>, findings: &mut Findings) {
    let radius = rod.profile.stations.iter().map(|s| s.section.outer_radius()).fold(0.0, f64::max);
    let slenderness = rod.length / radius;
    if slenderness < STOCKY {
        reader.fault::<()>("length", Fault::StockyRod { length: rod.length, radius }, findings);
    }
    if let NaturalShape::Curvature(table) = &rod.natural {
        let tightest = table.iter().map(|(_, k)| k.y.hypot(k.z)).fold(0.0, f64::max);
        if tightest * radius > 1.0 {
            reader.fault::<()>("shape", Fault::TightCurvature { curvature: tightest, radius }, findings);
        }
    }
    let printed = matches!(rod.discretization, Discretization::Spline { form: StrainForm::Printed, .. });
    if printed && slenderness > PRINTED_FORM_SLENDERNESS {
        reader.fault::<()>("model", Fault::PrintedFormLocks { slenderness }, findings);
    }
}
