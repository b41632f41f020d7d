//! `velocity` and `spin`: how a body or a rod begins to move.

use super::dimension::Dimension;
use super::findings::Findings;
use super::reader::Reader;
use lissome_model::InitialVelocity;
use nalgebra::Vector3;

/// Its keys.
pub const KEYS: [&str; 2] = ["velocity", "spin"];

/// `Some(None)` if neither is given, `None` if one was refused.
pub fn read(reader: &Reader<'_>, findings: &mut Findings) -> Option<Option<InitialVelocity>> {
    if !KEYS.iter().any(|key| reader.has(key)) {
        return Some(None);
    }
    let mut vector = |key: &str, dimension| match reader.has(key) {
        true => reader.vector(key, dimension, findings),
        false => Some(Vector3::zeros()),
    };
    let (velocity, spin) = (vector("velocity", Dimension::VELOCITY), vector("spin", Dimension::SPIN));
    Some(Some(InitialVelocity { velocity: velocity?, spin: spin? }))
}
