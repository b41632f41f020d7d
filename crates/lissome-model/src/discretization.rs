//! How a rod becomes unknowns: which elements, how many.

use crate::invalid::{Invalid, Problem, check};

/// How a rod's curve depends on its unknowns.
#[derive(Clone, Debug, PartialEq)]
pub enum Discretization {
    /// Cumulative B-spline on SE(3).
    Spline {
        /// Polynomial degree, 1 to 5.
        degree: usize,
        /// How many spans.
        resolution: Resolution,
        /// Where the stress lives.
        form: StrainForm,
    },
    /// A chain of elements whose strain varies along straight lines [cfpr2025, section 2]: fourth order, no element knows more than
    /// its two ends.
    LinearStrain {
        /// How many elements.
        resolution: Resolution,
    },
}

impl Discretization {
    /// Degree of the curve through the control poses: elements of linear strain hang on the chain of degree one.
    pub fn degree(&self) -> usize {
        match self {
            Self::Spline { degree, .. } => *degree,
            Self::LinearStrain { .. } => 1,
        }
    }

    /// How finely the rod is divided.
    pub fn resolution(&self) -> &Resolution {
        match self {
            Self::Spline { resolution, .. } | Self::LinearStrain { resolution } => resolution,
        }
    }

    /// The same, to be changed.
    pub fn resolution_mut(&mut self) -> &mut Resolution {
        match self {
            Self::Spline { resolution, .. } | Self::LinearStrain { resolution } => resolution,
        }
    }

    /// False if the stress is condensed at the quadrature points.
    pub fn has_independent_stress(&self) -> bool {
        !matches!(self, Self::Spline { form: StrainForm::Printed, .. })
    }

    pub(crate) fn validate(&self, path: &str) -> Result<(), Invalid> {
        let (model, pieces) = self.keys();
        let refuse = |key: &str, value: f64, interval: String| {
            Err(Invalid::new(format!("{path}.{model}.{key}"), Problem::OutOfRange { value, interval }))
        };
        let degree = self.degree();
        if !(1..=MAX_DEGREE).contains(&degree) {
            return refuse("degree", degree as f64, format!("1..{MAX_DEGREE}"));
        }
        match *self.resolution() {
            Resolution::Spans(n) if !(1..=MAX_SPANS).contains(&n) => {
                refuse(pieces, n as f64, format!("1..{MAX_SPANS}"))
            }
            Resolution::Tolerance(relative) => {
                check::positive(&format!("{path}.{model}.tolerance"), relative)?;
                if (1e-10..=0.1).contains(&relative) {
                    Ok(())
                } else {
                    refuse("tolerance", relative, "[1e-10, 0.1]".into())
                }
            }
            Resolution::Knots(ref knots) if knots.len() >= MAX_SPANS => {
                refuse(pieces, knots.len() as f64 + 1.0, format!("1..{MAX_SPANS}"))
            }
            Resolution::Spans(_) | Resolution::Knots(_) => Ok(()),
        }
    }

    /// Its key in a scene, and the key that counts its pieces.
    fn keys(&self) -> (&'static str, &'static str) {
        match self {
            Self::Spline { .. } => ("spline", "spans"),
            Self::LinearStrain { .. } => ("linear_strain", "elements"),
        }
    }
}

/// How finely a rod is divided.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    /// This many knot spans (control poses = spans + degree on a rod without inner breaks), evenly.
    Spans(usize),
    /// As many as it takes, where it takes them, for the poses anywhere along the rod to err by less than this: positions
    /// as a part of the length, and turns in rad. What is compiled with it as it stands gets the starting division,
    /// [`crate::Rod::starting_knots`]; who solves for it replaces it by knots.
    Tolerance(f64),
    /// Spans between these arc lengths inside the rod, m, in order.
    Knots(Vec<f64>),
}

/// Where the stress of a spline rod lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrainForm {
    /// In the derivative spline space: does not lock. The default.
    Mixed,
    /// At the quadrature points, as printed in the paper: locks when slender.
    Printed,
}

/// Degree of a spline that does not say.
pub const DEFAULT_DEGREE: usize = 3;
/// Tolerance of a rod that does not say how finely it is divided: part of its length, and rad.
pub const DEFAULT_TOLERANCE: f64 = 1e-5;
/// Spans that a tolerance starts with on a straight rod without jumps, where nothing refines it.
pub const STARTING_SPANS: usize = 12;
/// Highest spline degree offered.
pub const MAX_DEGREE: usize = 5;
/// More spans than this is taken for a mistake.
pub const MAX_SPANS: usize = 200_000;

impl Default for Discretization {
    fn default() -> Self {
        Self::Spline {
            degree: DEFAULT_DEGREE,
            resolution: Resolution::Tolerance(DEFAULT_TOLERANCE),
            form: StrainForm::Mixed,
        }
    }
}
