//! Limits of joints in the unit that the user gave them in.

use super::document::{Node, Value};
use super::units;
use crate::fault::Fault;
use lissome_model::Coordinate;

/// A value that is not within its limits, in the unit in which `limits` are written; SI where they are plain numbers.
pub fn beyond(
    limits: &Node,
    (index, count): (usize, usize),
    of: Coordinate,
    value: f64,
    (low, high): (f64, f64),
) -> Fault {
    let (factor, unit) = unit_of(limits, index, count).unwrap_or_else(|| plain(of));
    let shown = |x: f64| rounded(x / factor);
    let interval = format!("[{}, {}] {unit}, the joint's limits", shown(low), shown(high));
    Fault::OutOfRange { value: shown(value), interval }
}

/// That the limits are in the wrong order, in their own unit.
pub fn disordered(pair: &Node, of: Coordinate, (low, high): (f64, f64)) -> Fault {
    let (factor, unit) = unit_of(pair, 0, 1).unwrap_or_else(|| plain(of));
    let (low, high) = (rounded(low / factor), rounded(high / factor));
    let reason = format!("the lower limit {low} {unit} is not below the upper {high} {unit}");
    Fault::Contradiction { reason, help: "write [low, high]" }
}

fn plain(of: Coordinate) -> (f64, String) {
    let unit = match of {
        Coordinate::Angle => "rad",
        Coordinate::Distance => "m",
    };
    (1.0, unit.into())
}

/// The factor to SI and the name of the unit that limits are written in.
fn unit_of(limits: &Node, index: usize, count: usize) -> Option<(f64, String)> {
    let Value::Array(items) = &limits.value else { return None };
    if count > 1
        && let Some(own) = items.get(index)
        && matches!(own.value, Value::Array(_))
    {
        return unit_of(own, 0, 1);
    }
    items.iter().find_map(|item| match &item.value {
        Value::Text(text) => {
            let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || "+-. _eE".contains(c)).trim();
            let factor = units::parse(&format!("1 {unit}")).ok()?.value;
            (!unit.is_empty()).then(|| (factor, unit.to_owned()))
        }
        // One pair for every coordinate, or the only coordinate's pair in an array.
        Value::Array(_) => unit_of(item, 0, 1),
        _ => None,
    })
}

/// Without what the conversion to SI and back adds in the last digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.11e}").parse().unwrap_or(x)
}
