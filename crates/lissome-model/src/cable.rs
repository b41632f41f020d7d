//! Cables: threads without bending stiffness that run freely through points of bodies and rods.

use crate::Frame;
use crate::invalid::{Invalid, Problem, check};

/// A cable.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Unique name.
    pub name: String,
    /// The points it runs through, in order; only the position of each frame counts.
    pub points: Vec<Frame>,
    /// What is prescribed at its end.
    pub drive: CableDrive,
    /// Axial stiffness EA, N; `None` if it does not stretch. Only a cable driven by its length feels it.
    pub stiffness: Option<f64>,
}

/// What is prescribed at the end of a cable or tendon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CableDrive {
    /// Its tension, N.
    Tension(f64),
    /// Its length without tension, m: it carries tension when its path is longer, and is slack when it is shorter.
    Length(f64),
    /// How much shorter than its path in the beginning it is, m.
    Pull(f64),
}

impl CableDrive {
    /// The number that is prescribed.
    pub fn value(self) -> f64 {
        match self {
            Self::Tension(value) | Self::Length(value) | Self::Pull(value) => value,
        }
    }

    /// The same quantity with another value.
    pub fn with(self, value: f64) -> Self {
        match self {
            Self::Tension(_) => Self::Tension(value),
            Self::Length(_) => Self::Length(value),
            Self::Pull(_) => Self::Pull(value),
        }
    }

    /// The name of what is prescribed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tension(_) => "tension",
            Self::Length(_) => "length",
            Self::Pull(_) => "pull",
        }
    }

    pub(crate) fn validate(self, path: &str) -> Result<(), Invalid> {
        let path = [path, ".", self.name()].concat();
        match self {
            Self::Tension(tension) => check::not_negative(&path, tension),
            Self::Length(length) => check::positive(&path, length),
            Self::Pull(pull) => check::finite(&path, pull),
        }
    }
}

impl Cable {
    /// Refuses cables that cannot exist. Its points are checked with the scene.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        if self.points.len() < 2 {
            let need = "a cable runs through at least two points".into();
            return Err(Invalid::new(format!("{path}.points"), Problem::Count { found: self.points.len(), need }));
        }
        self.drive.validate(path)?;
        if let Some(stiffness) = self.stiffness {
            check::positive(format_args!("{path}.stiffness"), stiffness)?;
        }
        Ok(())
    }
}
