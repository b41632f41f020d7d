//! Magnitudes: the door that holds every number of a scene against the table of quantities.

mod door;
mod ratios;

use crate::Quantity;
use crate::invalid::{Invalid, Problem};
use nalgebra::Vector3;

/// Holds a number against its row. Numbers that are not finite are refused elsewhere, with their own words.
fn size(path: impl FnOnce() -> String, quantity: Quantity, value: f64) -> Result<(), Invalid> {
    if !value.is_finite() || quantity.permits(value) {
        return Ok(());
    }
    Err(Invalid::new(path(), Problem::Magnitude { value, quantity }))
}

/// The same for a vector: its largest component decides, so that rounding in the others does no harm.
fn vector(path: impl FnOnce() -> String, quantity: Quantity, value: &Vector3<f64>) -> Result<(), Invalid> {
    size(path, quantity, value.amax())
}
