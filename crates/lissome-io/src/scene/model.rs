//! `model = { … }` of a rod.

use super::dimension::Dimension;
use super::findings::Findings;
use super::keys;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::discretization::{DEFAULT_DEGREE, DEFAULT_ORDER, DEFAULT_TOLERANCE, MAX_DEGREE, MAX_ORDER};
use lissome_model::span_limits::MAX_SPANS;
use lissome_model::{Discretization, NaturalShape, Resolution, StrainForm, StrainFunctions};

/// Reads the model of a rod; the default where there is none.
pub fn read(rod: &Reader<'_>, natural: Option<&NaturalShape>, findings: &mut Findings) -> Option<Discretization> {
    let shape_poses = match natural {
        Some(NaturalShape::ControlPoses(poses)) => Some(poses.len()),
        _ => None,
    };
    if !rod.has("model") {
        return Some(default(shape_poses));
    }
    let model = rod.table("model", keys::MODEL, findings)?;
    for (first, second) in [("spline", "linear_strain"), ("spline", "strain_basis"), ("linear_strain", "strain_basis")]
    {
        if !model.not_both(first, second, "a rod has one model", findings) {
            return None;
        }
    }
    if model.has("strain_basis") {
        return read_strain_basis(&model.table("strain_basis", keys::STRAIN_BASIS, findings)?, findings);
    }
    if model.has("linear_strain") {
        let elements = model.table("linear_strain", keys::LINEAR_STRAIN, findings)?;
        let resolution = read_resolution(&elements, "elements", Some(1), shape_poses, findings);
        return Some(Discretization::LinearStrain { resolution: resolution? });
    }
    if !model.has("spline") {
        return Some(default(shape_poses));
    }
    read_spline(&model.table("spline", keys::SPLINE, findings)?, shape_poses, findings)
}

fn read_strain_basis(basis: &Reader<'_>, findings: &mut Findings) -> Option<Discretization> {
    const LEGENDRE: usize = 2;
    let kind = match basis.choice("functions", keys::STRAIN_FUNCTIONS, findings) {
        Some(kind) => kind,
        None if basis.has("functions") => return None,
        None => LEGENDRE,
    };
    let most = if kind == LEGENDRE { MAX_ORDER } else { 1 };
    let checked = |reader: &Reader<'_>, key: &'static str, least: usize, findings: &mut Findings| {
        let order = reader.count(key, findings)?;
        if (least..=most).contains(&order) {
            return Some(order);
        }
        let interval = match kind {
            LEGENDRE => format!("{least} to {most}: quadrature goes no further"),
            _ => "0 or 1: off or on, the functions are given by `functions`".into(),
        };
        reader.fault(key, Fault::OutOfRange { value: order as f64, interval }, findings)
    };
    let order = match basis.has("order") {
        true => checked(basis, "order", 1, findings)?,
        false => DEFAULT_ORDER.min(most),
    };
    let mut orders = [order; 6];
    if basis.has("orders") {
        let own = basis.table("orders", keys::STRAIN_ORDERS, findings)?;
        for (order, key) in orders.iter_mut().zip(keys::STRAIN_ORDERS) {
            if own.has(key.name) {
                *order = checked(&own, key.name, 0, findings)?;
            }
        }
    }
    let on = orders.map(|order| order > 0);
    let functions = match kind {
        0 => StrainFunctions::Constant { on },
        1 => StrainFunctions::Linear { on },
        _ => StrainFunctions::Legendre { orders },
    };
    let resolution = read_resolution(basis, "segments", Some(1), None, findings)?;
    Some(Discretization::StrainBasis { functions, resolution })
}

fn default(shape_poses: Option<usize>) -> Discretization {
    let Some(poses) = shape_poses else { return Discretization::default() };
    // Control poses of a shape are the unknowns: a spline of as high a degree as they allow.
    let degree = DEFAULT_DEGREE.min(poses - 1);
    Discretization::Spline { degree, resolution: Resolution::Spans(poses - degree), form: StrainForm::Mixed }
}

fn read_spline(spline: &Reader<'_>, shape_poses: Option<usize>, findings: &mut Findings) -> Option<Discretization> {
    let degree = match spline.count("degree", findings) {
        Some(degree) if (1..=MAX_DEGREE).contains(&degree) => Some(degree),
        Some(degree) => {
            let fault = Fault::OutOfRange { value: degree as f64, interval: format!("1 to {MAX_DEGREE}") };
            spline.fault("degree", fault, findings)
        }
        None if spline.has("degree") => None,
        None => Some(DEFAULT_DEGREE),
    };
    let form = match spline.choice("form", keys::FORMS, findings) {
        Some(0) => Some(StrainForm::Mixed),
        Some(_) => Some(StrainForm::Printed),
        None if spline.has("form") => None,
        None => Some(StrainForm::Mixed),
    };
    let resolution = read_resolution(spline, "spans", degree, shape_poses, findings);
    Some(Discretization::Spline { degree: degree?, resolution: resolution?, form: form? })
}

/// How finely; `pieces` is the key that counts spans or elements.
fn read_resolution(
    spline: &Reader<'_>,
    pieces: &'static str,
    degree: Option<usize>,
    shape_poses: Option<usize>,
    findings: &mut Findings,
) -> Option<Resolution> {
    let reason = "each says how finely the rod is divided";
    if !(spline.not_both(pieces, "control_poses", reason, findings)
        && spline.not_both(pieces, "tolerance", reason, findings)
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
        return Some(Resolution::Tolerance(tolerance));
    }
    let key = if spline.has("control_poses") { "control_poses" } else { pieces };
    let given = spline.count(key, findings);
    if spline.has(key) && given.is_none() {
        return None;
    }
    let degree = degree?;
    if let Some(shape) = shape_poses {
        if shape < degree + 1 {
            return spline.fault("degree", Fault::TooFewPoses { found: shape, degree }, findings);
        }
        let model = given.map(|n| if key == pieces { n.saturating_add(degree) } else { n });
        return match model {
            Some(model) if model != shape => spline.fault(key, Fault::PosesDisagree { shape, model }, findings),
            _ => Some(Resolution::Spans(shape - degree)),
        };
    }
    let Some(given) = given else { return Some(Resolution::Tolerance(DEFAULT_TOLERANCE)) };
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
