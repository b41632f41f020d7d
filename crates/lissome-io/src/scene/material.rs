//! `[material.NAME]`.

use super::dimension::Dimension;
use super::findings::Findings;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::Material;

/// Softest and stiffest solids anyone builds with, Pa.
const PLAUSIBLE_MODULUS: std::ops::RangeInclusive<f64> = 1e3..=2e12;
/// Aerogel to a little beyond osmium, kg/m³.
const PLAUSIBLE_DENSITY: std::ops::RangeInclusive<f64> = 1.0..=25_000.0;

/// Reads one material.
pub fn read(reader: &Reader<'_>, findings: &mut Findings) -> Option<Material> {
    let young = reader.required("young", Dimension::PRESSURE, Sign::Positive, findings);
    let density = reader.quantity("density", Dimension::DENSITY, Sign::Positive, findings);
    let damping = reader.quantity("damping", Dimension::TIME, Sign::NotNegative, findings);
    if (reader.has("density") && density.is_none()) || (reader.has("damping") && damping.is_none()) {
        read_shear(reader, young, findings);
        return None;
    }
    let shear = read_shear(reader, young, findings)?;
    let young = young?;
    if !PLAUSIBLE_MODULUS.contains(&young) {
        reader.fault::<()>("young", Fault::ImplausibleModulus { value: young }, findings);
    }
    if let Some(value) = density.filter(|d| !PLAUSIBLE_DENSITY.contains(d)) {
        reader.fault::<()>("density", Fault::ImplausibleDensity { value }, findings);
    }
    Some(Material { young, shear, density, damping: damping.unwrap_or(0.0) })
}

fn read_shear(reader: &Reader<'_>, young: Option<f64>, findings: &mut Findings) -> Option<f64> {
    if !reader.not_both("poisson", "shear", "the shear modulus follows from Poisson's ratio", findings) {
        return None;
    }
    if reader.has("shear") {
        return reader.quantity("shear", Dimension::PRESSURE, Sign::Positive, findings);
    }
    if !reader.has("poisson") {
        let fault = Fault::NoneGiven { owner: reader.owner(), choices: &["poisson", "shear"] };
        return findings.add(fault, reader.path.clone(), reader.span);
    }
    let poisson = reader.quantity("poisson", Dimension::NONE, Sign::Any, findings)?;
    if !(poisson > -1.0 && poisson <= 0.5) {
        let fault = Fault::OutOfRange { value: poisson, interval: "(-1, 0.5]".into() };
        return reader.fault("poisson", fault, findings);
    }
    Some(Material::from_poisson(young?, poisson).shear)
}
