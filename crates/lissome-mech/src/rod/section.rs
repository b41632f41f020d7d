//! The section of a rod at one arc length: the one place where a profile becomes numbers.

use lissome_model::{Profile, Section};
use nalgebra::{Matrix6, Vector6};

/// The section at one arc length. What it is asked for is computed then: a torsion constant may be a long series.
#[derive(Clone, Debug)]
pub struct SectionAt {
    section: Section,
}

/// Stiffness of a section and its inverse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// K, (moment, force) per (curvature, stretch).
    pub stiffness: Matrix6<f64>,
    /// K⁻¹.
    pub flexibility: Matrix6<f64>,
}

/// The diagonal of a matrix that has nothing beside it: most sections do not couple strains with each other.
pub fn uncoupled(matrix: &Matrix6<f64>) -> Option<Vector6<f64>> {
    let diagonal = matrix.diagonal();
    (matrix.as_slice() == Matrix6::from_diagonal(&diagonal).as_slice()).then_some(diagonal)
}

impl Elastic {
    /// Of a section with this diagonal and nothing beside it.
    pub fn uncoupled(stiffness: &Vector6<f64>) -> Self {
        let flexibility = Matrix6::from_diagonal(&stiffness.map(f64::recip));
        Self { stiffness: Matrix6::from_diagonal(stiffness), flexibility }
    }
}

impl SectionAt {
    /// The section of a profile at arc length s.
    pub fn read(profile: &Profile, s: f64) -> Self {
        Self { section: profile.at(s) }
    }

    /// K, (moment, force) per (curvature, stretch).
    pub fn stiffness(&self) -> Matrix6<f64> {
        self.section.stiffness()
    }

    /// K and K⁻¹.
    pub fn elastic(&self) -> Elastic {
        let stiffness = self.stiffness();
        if let Some(diagonal) = uncoupled(&stiffness) {
            return Elastic::uncoupled(&diagonal);
        }
        let flexibility = stiffness.try_inverse().expect("a validated stiffness is positive definite");
        Elastic { stiffness, flexibility }
    }

    /// Θ = K⁻¹K_v, the relaxation times of the Kelvin–Voigt material, s.
    pub fn relaxation(&self) -> Matrix6<f64> {
        let viscosity = self.section.viscosity();
        // Most materials do not damp: their stiffness need not be inverted.
        if viscosity == Matrix6::zeros() { viscosity } else { self.elastic().flexibility * viscosity }
    }

    /// M_s, mass per length, (angular, linear) momentum per (angular, linear) velocity.
    pub fn mass(&self) -> Matrix6<f64> {
        self.section.mass()
    }

    /// Mass per length, kg/m.
    pub fn line_density(&self) -> f64 {
        self.mass()[(3, 3)]
    }
}
