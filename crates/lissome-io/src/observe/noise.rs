//! How exact markers are, as it is stated: `0.5 mm`, `1 deg`, `arm.tip=0.2 mm`.

use super::fault::ObserveFault;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::scene::dimension::Dimension;
use crate::scene::units;

/// Standard deviations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noise {
    /// Of each axis of positions, m; `None` if it is not stated.
    pub position: Option<f64>,
    /// Of rotations about each axis, rad.
    pub rotation: Option<f64>,
    /// Of single markers: name, as it was written, value, and whether it is an angle.
    pub of_markers: Vec<(String, String, f64, bool)>,
}

impl Noise {
    /// Reads what was stated.
    pub fn read(texts: &[String]) -> Result<Self, Box<Diagnostic>> {
        let mut noise = Self::default();
        for text in texts {
            let refuse = |reason: String| {
                let text = text.chars().take(80).collect();
                Box::new(Diagnostic::new(Fault::Observe(ObserveFault::BadNoise { text, reason })))
            };
            let (name, value) = match text.rsplit_once('=') {
                Some((name, value)) => (Some(name.trim()), value.trim()),
                None => (None, text.trim()),
            };
            let quantity = units::parse(value).map_err(|_| refuse("it is not a number with a unit".into()))?;
            if !(quantity.value.is_finite() && quantity.value >= 0.0) {
                return Err(refuse("a standard deviation is a finite number, not below zero".into()));
            }
            let is_angle = match quantity.dimension {
                Dimension::LENGTH => false,
                Dimension::ANGLE => true,
                // Nothing is nothing in any unit.
                _ if !quantity.has_unit && quantity.value == 0.0 => false,
                other => return Err(refuse(format!("it is {}, not a length or an angle", other.name()))),
            };
            match name {
                Some(name) => noise.of_markers.push((name.to_owned(), text.clone(), quantity.value, is_angle)),
                None if is_angle => noise.rotation = Some(quantity.value),
                None => noise.position = Some(quantity.value),
            }
        }
        Ok(noise)
    }
}
