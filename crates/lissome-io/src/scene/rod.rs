//! `[rod.NAME]`.

use super::dimension::Dimension;
use super::findings::Findings;
use super::frame::{self, Carriers};
use super::reader::{Reader, Sign};
use super::section::Materials;
use super::{keys, natural, section};
use crate::fault::Fault;
use lissome_model::rod::{MAX_DEGREE, MAX_SPANS};
use lissome_model::{Discretization, Frame, NaturalShape, Resolution, Rod, StrainForm};

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
    let discretization = read_model(reader, natural.as_ref(), findings);
    let rod = Rod {
        name: name.to_owned(),
        length: length?,
        profile: profile?,
        natural: natural?,
        base: base?,
        tip: tip?,
        discretization: discretization?,
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

fn read_model(reader: &Reader<'_>, natural: Option<&NaturalShape>, findings: &mut Findings) -> Option<Discretization> {
    let shape_poses = match natural {
        Some(NaturalShape::ControlPoses(poses)) => Some(poses.len()),
        _ => None,
    };
    let spline = match reader.table("model", keys::MODEL, findings) {
        Some(model) if model.has("spline") => Some(model.table("spline", keys::SPLINE, findings)?),
        Some(_) => None,
        None if reader.has("model") => return None,
        None => None,
    };
    let Discretization::Spline { degree: default_degree, resolution: default_resolution, form: default_form } =
        Discretization::default();
    let Some(spline) = spline else {
        let degree = shape_poses.map_or(default_degree, |poses| default_degree.min(poses - 1));
        let resolution = shape_poses.map_or(default_resolution, |poses| Resolution::Spans(poses - degree));
        return Some(Discretization::Spline { degree, resolution, form: default_form });
    };
    let degree = match spline.count("degree", findings) {
        Some(degree) if (1..=MAX_DEGREE).contains(&degree) => Some(degree),
        Some(degree) => {
            let fault = Fault::OutOfRange { value: degree as f64, interval: format!("1 to {MAX_DEGREE}") };
            spline.fault("degree", fault, findings)
        }
        None if spline.has("degree") => None,
        None => Some(default_degree),
    };
    let form = match spline.choice("form", keys::FORMS, findings) {
        Some(0) => Some(StrainForm::Mixed),
        Some(_) => Some(StrainForm::Printed),
        None if spline.has("form") => None,
        None => Some(default_form),
    };
    let resolution = read_resolution(&spline, degree, shape_poses, default_resolution, findings);
    Some(Discretization::Spline { degree: degree?, resolution: resolution?, form: form? })
}

fn read_resolution(
    spline: &Reader<'_>,
    degree: Option<usize>,
    shape_poses: Option<usize>,
    default: Resolution,
    findings: &mut Findings,
) -> Option<Resolution> {
    let reason = "each says how fine the spline is";
    if !(spline.not_both("spans", "control_poses", reason, findings)
        && spline.not_both("spans", "tolerance", reason, findings)
        && spline.not_both("control_poses", "tolerance", reason, findings))
    {
        return None;
    }
    if spline.has("tolerance") {
        let tolerance = spline.quantity("tolerance", Dimension::NONE, Sign::Positive, findings)?;
        if !(1e-10..=0.1).contains(&tolerance) {
            let fault = Fault::OutOfRange { value: tolerance, interval: "[1e-10, 0.1]".into() };
            return spline.fault("tolerance", fault, findings);
        }
        if shape_poses.is_some() {
            let reason = "the shape's own control poses are the unknowns".into();
            let fault = Fault::Contradiction { reason, help: "leave `tolerance` out" };
            return spline.fault("tolerance", fault, findings);
        }
        return Some(Resolution::tolerance(tolerance));
    }
    let key = if spline.has("control_poses") { "control_poses" } else { "spans" };
    let given = spline.count(key, findings);
    if spline.has(key) && given.is_none() {
        return None;
    }
    let degree = degree?;
    if let Some(shape) = shape_poses {
        if shape < degree + 1 {
            return spline.fault("degree", Fault::TooFewPoses { found: shape, degree }, findings);
        }
        let model = given.map(|n| if key == "spans" { n.saturating_add(degree) } else { n });
        return match model {
            Some(model) if model != shape => spline.fault(key, Fault::PosesDisagree { shape, model }, findings),
            _ => Some(Resolution::Spans(shape - degree)),
        };
    }
    let Some(given) = given else { return Some(default) };
    let spans = match key {
        "control_poses" if given < degree + 1 => {
            return spline.fault(key, Fault::TooFewPoses { found: given, degree }, findings);
        }
        "control_poses" => given - degree,
        _ if given == 0 => return spline.fault(key, Fault::NotPositive { value: 0.0 }, findings),
        _ => given,
    };
    if spans > MAX_SPANS {
        return spline.fault(key, Fault::TooManySpans { found: spans, limit: MAX_SPANS }, findings);
    }
    Some(Resolution::Spans(spans))
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
    let Discretization::Spline { form, .. } = rod.discretization;
    if form == StrainForm::Printed && slenderness > PRINTED_FORM_SLENDERNESS {
        reader.fault::<()>("model", Fault::PrintedFormLocks { slenderness }, findings);
    }
}
