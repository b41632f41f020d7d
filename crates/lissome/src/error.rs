//! Why there is no answer at all.

use lissome_model::Invalid;
use std::fmt;

/// Why a scene could not be simulated at all.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulateError {
    /// The scene is refused.
    Invalid(Invalid),
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
        }
    }
}

impl std::error::Error for SimulateError {}

impl From<Invalid> for SimulateError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}
