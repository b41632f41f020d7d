//! `[spring.NAME]`: a spring and a damper between two frames.

use super::dimension::Dimension;
use super::document::{Node, Value};
use super::findings::Findings;
use super::frame::{self, Carriers};
use super::keys;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::spring::is_positive_semidefinite;
use lissome_model::{Spring, SpringLaw};
use nalgebra::{Matrix6, Vector3};

/// Keys of a spring along a line.
const ALONG_A_LINE: [&str; 3] = ["stiffness", "rest_length", "damping"];

/// A matrix of a bushing: the keys of its diagonal, that of the whole, and the dimensions of its entries.
struct Part {
    turn: &'static str,
    shift: &'static str,
    matrix: &'static str,
    of_turns: Dimension,
    between: Dimension,
    of_shifts: Dimension,
}

const STIFFNESS: Part = Part {
    turn: "turn",
    shift: "shift",
    matrix: "stiffness_matrix",
    of_turns: Dimension::ROTARY_STIFFNESS,
    between: Dimension::FORCE,
    of_shifts: Dimension::FORCE_PER_LENGTH,
};

const DAMPING: Part = Part {
    turn: "turn_damping",
    shift: "shift_damping",
    matrix: "damping_matrix",
    of_turns: Dimension::ROTARY_DAMPING,
    between: Dimension::BUSHING_DAMPING,
    of_shifts: Dimension::LINEAR_DAMPING,
};

/// Reads one spring. The name is checked by the caller.
pub fn read(name: &str, reader: &Reader<'_>, carriers: &Carriers, findings: &mut Findings) -> Option<Spring> {
    let a = frame::required(reader, "a", carriers, findings);
    let b = frame::required(reader, "b", carriers, findings);
    for key in ALONG_A_LINE {
        if !reader.not_both("bushing", key, "a spring acts along a line or is a bushing", findings) {
            return None;
        }
    }
    let law = if reader.has("bushing") { read_bushing(reader, findings) } else { read_line(reader, findings) };
    let spring = Spring { name: name.to_owned(), a: a?, b: b?, law: law? };
    if !spring.is_elastic() && !spring.is_damped() {
        findings.add::<()>(Fault::IdleSpring { name: name.to_owned() }, reader.path.clone(), reader.span);
    }
    Some(spring)
}

fn read_line(reader: &Reader<'_>, findings: &mut Findings) -> Option<SpringLaw> {
    if !reader.has("stiffness") && !reader.has("damping") {
        let fault = Fault::NoneGiven { owner: reader.owner(), choices: &["stiffness", "damping", "bushing"] };
        return findings.add(fault, reader.path.clone(), reader.span);
    }
    if reader.has("rest_length") && !reader.has("stiffness") {
        return reader.missing("stiffness", findings);
    }
    let mut quantity = |key: &str, dimension| match reader.has(key) {
        true => reader.quantity(key, dimension, Sign::NotNegative, findings).map(Some),
        false => Some(None),
    };
    let stiffness = quantity("stiffness", Dimension::FORCE_PER_LENGTH);
    let rest_length = quantity("rest_length", Dimension::LENGTH);
    let damping = quantity("damping", Dimension::LINEAR_DAMPING);
    Some(SpringLaw::Line {
        stiffness: stiffness?.unwrap_or(0.0),
        rest_length: rest_length?,
        damping: damping?.unwrap_or(0.0),
    })
}

fn read_bushing(reader: &Reader<'_>, findings: &mut Findings) -> Option<SpringLaw> {
    let bushing = reader.table("bushing", keys::BUSHING, findings)?;
    let given = keys::BUSHING.iter().any(|key| bushing.has(key.name));
    if !given {
        let fault = Fault::NoneGiven { owner: bushing.owner(), choices: &["turn", "shift", "stiffness_matrix"] };
        return findings.add(fault, bushing.path.clone(), bushing.span);
    }
    let stiffness = read_part(&bushing, &STIFFNESS, findings);
    let damping = read_part(&bushing, &DAMPING, findings);
    Some(SpringLaw::Bushing { stiffness: stiffness?, damping: damping? })
}

/// A diagonal by turns and shifts, or a whole matrix.
fn read_part(bushing: &Reader<'_>, part: &Part, findings: &mut Findings) -> Option<Matrix6<f64>> {
    let reason = "the matrix says it all";
    if !(bushing.not_both(part.matrix, part.turn, reason, findings)
        && bushing.not_both(part.matrix, part.shift, reason, findings))
    {
        return None;
    }
    if bushing.has(part.matrix) {
        return read_matrix(bushing, part, findings);
    }
    let turn = read_three(bushing, part.turn, part.of_turns, findings);
    let shift = read_three(bushing, part.shift, part.of_shifts, findings);
    let (turn, shift) = (turn?, shift?);
    Some(Matrix6::from_diagonal(&nalgebra::Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z)))
}

/// One value for each axis of the frame `a`, or one for all three; zero if absent.
fn read_three(bushing: &Reader<'_>, key: &str, dimension: Dimension, findings: &mut Findings) -> Option<Vector3<f64>> {
    let Some(entry) = bushing.entry(key) else { return Some(Vector3::zeros()) };
    let vector = match &entry.node.value {
        Value::Array(_) => bushing.vector(key, dimension, findings)?,
        // A string may hold a vector too.
        Value::Text(text) if text.trim_start().starts_with('[') => bushing.vector(key, dimension, findings)?,
        _ => Vector3::repeat(bushing.quantity(key, dimension, Sign::Any, findings)?),
    };
    match vector.iter().copied().find(|x| *x < 0.0) {
        Some(value) => bushing.fault(key, Fault::Negative { value }, findings),
        None => Some(vector),
    }
}

fn read_matrix(bushing: &Reader<'_>, part: &Part, findings: &mut Findings) -> Option<Matrix6<f64>> {
    const EXPECTED: &str = "six rows of six";
    let items = |node: &Node, findings: &mut Findings| -> Option<Vec<Node>> {
        let fault = match &node.value {
            Value::Array(items) if items.len() == 6 => return Some(items.clone()),
            Value::Array(items) => Fault::WrongCount { found: items.len(), expected: EXPECTED },
            other => Fault::WrongType { expected: EXPECTED, found: other.kind(), example: "[[5, 0, 0, 0, 0, 0], …]" },
        };
        findings.add(fault, bushing.join(part.matrix), Some(node.span))
    };
    let mut matrix = Matrix6::zeros();
    let mut complete = true;
    for (i, row) in items(&bushing.entry(part.matrix)?.node, findings)?.iter().enumerate() {
        for (j, entry) in items(row, findings)?.iter().enumerate() {
            let dimension = match (i < 3, j < 3) {
                (true, true) => part.of_turns,
                (false, false) => part.of_shifts,
                _ => part.between,
            };
            match bushing.quantity_of(part.matrix, entry, dimension, Sign::Any, findings) {
                Some(value) => matrix[(i, j)] = value,
                None => complete = false,
            }
        }
    }
    if !complete {
        return None;
    }
    if !is_positive_semidefinite(&matrix) {
        return bushing.fault(part.matrix, Fault::NotPositiveSemidefinite, findings);
    }
    Some(matrix)
}
