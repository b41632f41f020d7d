//! A given 6×6 stiffness instead of an outline.

use super::dimension::Dimension;
use super::document::{Node, Value};
use super::findings::Findings;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::Section;
use nalgebra::{Matrix6, Vector3, Vector6};

/// Reads the section at the base and at the tip; `has_shape` says that an outline is named too.
pub fn read(reader: &Reader<'_>, has_shape: bool, findings: &mut Findings) -> Option<[Section; 2]> {
    for key in ["diameter", "taper", "inner", "outer", "width", "height", "sheath", "shear_factor"] {
        if !reader.not_both("stiffness", key, "a given stiffness needs no outline", findings) {
            return None;
        }
    }
    if has_shape && !reader.not_both("stiffness", "shape", "a given stiffness needs no outline", findings) {
        return None;
    }
    let stiffness = read_stiffness(reader, findings);
    let radius = if reader.has("radius") {
        reader.tapered("radius", Dimension::LENGTH, Sign::Positive, findings)
    } else {
        Some([0.0; 2])
    };
    let rotary = read_rotary_inertia(reader, findings);
    let mut optional = |name: &str, dimension| {
        let value = reader.quantity(name, dimension, Sign::NotNegative, findings);
        if reader.has(name) { value } else { Some(0.0) }
    };
    let (mass, damping) =
        (optional("mass_per_length", Dimension::MASS_PER_LENGTH), optional("damping", Dimension::TIME));
    let (stiffness, radius, mass, damping, rotary) = (stiffness?, radius?, mass?, damping?, rotary?);
    let section = |radius: f64| {
        let inertia = rotary.unwrap_or_else(|| disc_inertia(mass, radius));
        let mass = Vector6::new(inertia.x, inertia.y, inertia.z, mass, mass, mass);
        Section::Given { stiffness, mass: Matrix6::from_diagonal(&mass), damping, radius }
    };
    Some(radius.map(section))
}

/// `Some(None)` if it is not given, `None` if it was refused.
fn read_rotary_inertia(reader: &Reader<'_>, findings: &mut Findings) -> Option<Option<Vector3<f64>>> {
    if !reader.has("rotary_inertia") {
        return Some(None);
    }
    let inertia = reader.vector("rotary_inertia", Dimension::ROTARY_MASS, findings)?;
    match inertia.iter().find(|value| **value <= 0.0) {
        Some(value) => reader.fault("rotary_inertia", Fault::NotPositive { value: *value }, findings),
        None => Some(Some(inertia)),
    }
}

/// Rotary inertia per length of a full disc with the given mass per length; none without a radius.
fn disc_inertia(mass: f64, radius: f64) -> Vector3<f64> {
    Vector3::new(0.5, 0.25, 0.25) * mass * radius * radius
}

/// The matrix: six diagonal entries, or six rows of six.
fn read_stiffness(reader: &Reader<'_>, findings: &mut Findings) -> Option<Matrix6<f64>> {
    let node = &reader.entry("stiffness")?.node;
    let rows = match &node.value {
        Value::Array(items) if items.len() == 6 => items,
        Value::Array(items) => {
            let fault = Fault::WrongCount { found: items.len(), expected: "six diagonal entries or six rows of six" };
            return reader.fault("stiffness", fault, findings);
        }
        other => {
            let expected = "six diagonal entries or six rows of six";
            let fault = Fault::WrongType { expected, found: other.kind(), example: "[0.1, 0.2, 0.2, 1e4, 1e3, 1e3]" };
            return reader.fault("stiffness", fault, findings);
        }
    };
    // Moments per curvature, forces per stretch, and their coupling.
    let dimension = |i: usize, j: usize| match usize::from(i < 3) + usize::from(j < 3) {
        2 => Dimension::BENDING_STIFFNESS,
        1 => Dimension::MOMENT,
        _ => Dimension::FORCE,
    };
    let mut matrix = Matrix6::zeros();
    let mut complete = true;
    let mut set = |i: usize, j: usize, node: &Node, sign: Sign, findings: &mut Findings| match reader.quantity_of(
        "stiffness",
        node,
        dimension(i, j),
        sign,
        findings,
    ) {
        Some(value) => matrix[(i, j)] = value,
        None => complete = false,
    };
    for (i, row) in rows.iter().enumerate() {
        match &row.value {
            Value::Array(entries) if entries.len() == 6 => {
                for (j, entry) in entries.iter().enumerate() {
                    set(i, j, entry, Sign::Any, findings);
                }
            }
            Value::Array(entries) => {
                let fault = Fault::WrongCount { found: entries.len(), expected: "six entries in each row" };
                return findings.add(fault, reader.path.clone(), Some(row.span));
            }
            _ => set(i, i, row, Sign::Positive, findings),
        }
    }
    if !complete {
        return None;
    }
    let asymmetry = (matrix - matrix.transpose()).amax();
    if asymmetry > 1e-9 * matrix.amax() || matrix.cholesky().is_none() {
        return reader.fault("stiffness", Fault::NotPositiveDefinite, findings);
    }
    Some(matrix)
}
