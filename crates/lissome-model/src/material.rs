//! Linear elastic, isotropic materials.

use crate::invalid::{Invalid, Problem, check};
use std::fmt::Display;

/// What a rod is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus E, Pa.
    pub young: f64,
    /// Shear modulus G, Pa.
    pub shear: f64,
    /// Density ρ, kg/m³; needed only where mass matters.
    pub density: Option<f64>,
    /// Kelvin–Voigt time constant, s: viscous stiffness = damping × elastic stiffness.
    pub damping: f64,
}

impl Material {
    /// From Young's modulus and Poisson's ratio: G = E/(2(1+ν)).
    pub fn from_poisson(young: f64, poisson: f64) -> Self {
        Self { young, shear: young / (2.0 * (1.0 + poisson)), density: None, damping: 0.0 }
    }

    /// From the two moduli.
    pub fn from_moduli(young: f64, shear: f64) -> Self {
        Self { young, shear, density: None, damping: 0.0 }
    }

    /// The same with a density.
    pub fn with_density(self, density: f64) -> Self {
        Self { density: Some(density), ..self }
    }

    /// Poisson's ratio that the two moduli imply.
    pub fn poisson(&self) -> f64 {
        self.young / (2.0 * self.shear) - 1.0
    }

    /// Refuses what no material can be.
    pub fn validate(&self, path: impl Display) -> Result<(), Invalid> {
        check::positive(format_args!("{path}.young"), self.young)?;
        check::positive(format_args!("{path}.shear"), self.shear)?;
        if let Some(density) = self.density {
            check::positive(format_args!("{path}.density"), density)?;
        }
        check::not_negative(format_args!("{path}.damping"), self.damping)?;
        // A scene may give both moduli freely (anisotropic fibres: G is often far below E/2), but
        // Poisson's ratio below −1 would need a negative shear modulus.
        let poisson = self.poisson();
        if poisson <= -1.0 {
            return Err(Invalid::new(
                format!("{path}.poisson"),
                Problem::OutOfRange { value: poisson, interval: "(-1, 0.5]".into() },
            ));
        }
        Ok(())
    }
}
