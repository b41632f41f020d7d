//! The door through which every scene passes before it is computed.

use crate::contact_record;
use crate::error::SimulateError;
use lissome_model::Scene;

/// Refuses what [`crate::run`] would refuse before it begins: a scene that cannot be, and parts that begin inside an obstacle.
pub fn check(scene: &Scene) -> Result<(), SimulateError> {
    scene.validate()?;
    Ok(contact_record::validate_start(scene)?)
}
