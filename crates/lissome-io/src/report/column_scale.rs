//! Units of columns that are drawn.

use super::course::{Column, Unit};
use crate::number::{self, Scaled};

/// The name of an axis with its unit.
pub fn labelled(name: &str, scaled: &Scaled) -> String {
    if scaled.unit.is_empty() { name.to_owned() } else { format!("{name} / {}", scaled.unit) }
}

/// A unit that suits all columns, which measure the same.
pub fn scaling(columns: &[&Column]) -> Scaled {
    let largest = columns.iter().flat_map(|c| &c.values).filter(|x| x.is_finite()).fold(0.0_f64, |m, x| m.max(x.abs()));
    match columns.first().map(|column| column.unit) {
        Some(Unit::Angle) => Scaled { unit: "°".into(), factor: 1f64.to_degrees() },
        Some(Unit::Length) => number::scale(largest, "m"),
        Some(Unit::Force) => number::scale(largest, "N"),
        Some(Unit::Moment) => number::scale(largest, "N·m"),
        Some(Unit::Factor) | None => Scaled { unit: String::new(), factor: 1.0 },
    }
}
