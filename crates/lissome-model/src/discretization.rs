//! How a rod becomes unknowns: which elements, how many.

use crate::invalid::{Invalid, Problem, check};
use crate::span_limits::MAX_SPANS;
use std::fmt::Arguments;

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
    /// Strains as sums of given functions of arc length, whose coefficients are the unknowns: poses follow.
    StrainBasis {
        /// Which functions.
        functions: StrainFunctions,
        /// How many segments.
        resolution: Resolution,
    },
}

/// Functions of arc length that the strains of a rod are sums of, on each of its segments. Strains come in the order of a
/// strain vector: twist, bending about y and z, stretch, shear along y and z. One that is off keeps its natural value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrainFunctions {
    /// Constants: piecewise constant strain, of second order in the length of a segment.
    Constant {
        /// Which strains are on.
        on: [bool; 6],
    },
    /// Straight lines, continuous from one segment to the next but where loads or attachments let the stress jump: fourth
    /// order.
    Linear {
        /// Which strains are on.
        on: [bool; 6],
    },
    /// Legendre polynomials: a strain of order n has the first n of them, 0 is off.
    Legendre {
        /// Number of polynomials of each strain.
        orders: [usize; 6],
    },
}

impl StrainFunctions {
    /// Number of functions of each strain that a segment has at most.
    pub fn orders(&self) -> [usize; 6] {
        match self {
            Self::Constant { on } => on.map(usize::from),
            Self::Linear { on } => on.map(|on| 2 * usize::from(on)),
            Self::Legendre { orders } => *orders,
        }
    }

    /// Word for it in a scene.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Constant { .. } => "constant",
            Self::Linear { .. } => "linear",
            Self::Legendre { .. } => "legendre",
        }
    }
}

impl Discretization {
    /// Degree of the curve through the control poses: elements of linear strain hang on the chain of degree one. Strains of
    /// a basis are continuous as those of a curve of this degree are.
    pub fn degree(&self) -> usize {
        match self {
            Self::Spline { degree, .. } => *degree,
            Self::StrainBasis { functions: StrainFunctions::Linear { .. }, .. } => 2,
            Self::LinearStrain { .. } | Self::StrainBasis { .. } => 1,
        }
    }

    /// How finely the rod is divided.
    pub fn resolution(&self) -> &Resolution {
        match self {
            Self::Spline { resolution, .. }
            | Self::LinearStrain { resolution }
            | Self::StrainBasis { resolution, .. } => resolution,
        }
    }

    /// The same, to be changed.
    pub fn resolution_mut(&mut self) -> &mut Resolution {
        match self {
            Self::Spline { resolution, .. }
            | Self::LinearStrain { resolution }
            | Self::StrainBasis { resolution, .. } => resolution,
        }
    }

    /// True if stresses are unknowns of their own: not those of the printed form, nor those of strain coordinates.
    pub fn has_independent_stress(&self) -> bool {
        !matches!(self, Self::Spline { form: StrainForm::Printed, .. } | Self::StrainBasis { .. })
    }

    /// Pieces that a tolerance starts with where other models start with this many: a segment counts as often as it has
    /// polynomials.
    pub fn starting_pieces(&self, others: usize) -> usize {
        match self {
            Self::StrainBasis { functions: StrainFunctions::Legendre { orders }, .. } => {
                others.div_ceil(orders.iter().copied().fold(1, usize::max))
            }
            _ => others,
        }
    }

    pub(crate) fn validate(&self, path: Arguments<'_>) -> Result<(), Invalid> {
        let (model, pieces) = self.keys();
        let refuse = |key: &str, value: f64, interval: String| {
            Err(Invalid::new(format!("{path}.{model}.{key}"), Problem::OutOfRange { value, interval }))
        };
        let degree = self.degree();
        if !(1..=MAX_DEGREE).contains(&degree) {
            return refuse("degree", degree as f64, format!("1..{MAX_DEGREE}"));
        }
        if let Self::StrainBasis { functions, resolution } = self {
            let orders = functions.orders();
            let highest = orders.into_iter().fold(0, usize::max);
            if highest > MAX_ORDER {
                return refuse("orders", highest as f64, format!("0..{MAX_ORDER}: quadrature goes no further"));
            }
            if highest == 0 {
                let reason = "switches every strain off: such a rod is rigid, use a body".into();
                return Err(Invalid::new(format!("{path}.{model}.orders"), Problem::Contradiction { reason }));
            }
            let segments = match resolution {
                Resolution::Spans(segments) => *segments,
                Resolution::Knots(inner) => inner.len() + 1,
                Resolution::Tolerance(_) => 1,
            };
            let coordinates = segments.saturating_mul(orders.iter().sum());
            if coordinates > MAX_COORDINATES {
                let interval =
                    format!("1..{}: all of its strains are coupled", MAX_COORDINATES / orders.iter().sum::<usize>());
                return refuse(pieces, segments as f64, interval);
            }
        }
        match *self.resolution() {
            Resolution::Spans(n) if !(1..=MAX_SPANS).contains(&n) => {
                refuse(pieces, n as f64, format!("1..{MAX_SPANS}"))
            }
            Resolution::Tolerance(relative) => {
                check::positive(format_args!("{path}.{model}.tolerance"), relative)?;
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
            Self::StrainBasis { .. } => ("strain_basis", "segments"),
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
/// Most functions that a strain may have on one segment.
pub const MAX_ORDER: usize = 16;
/// Functions of a strain of Legendre polynomials that does not say.
pub const DEFAULT_ORDER: usize = 4;
/// Most strain coordinates of a rod: each couples with each.
pub const MAX_COORDINATES: usize = 1500;
impl Default for Discretization {
    fn default() -> Self {
        Self::Spline {
            degree: DEFAULT_DEGREE,
            resolution: Resolution::Tolerance(DEFAULT_TOLERANCE),
            form: StrainForm::Mixed,
        }
    }
}
