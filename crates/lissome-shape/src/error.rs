//! Why there is no shape: the violated relation, with its numbers.

use lissome_model::Invalid;
use std::fmt;

/// How far RᵀR may be from I, and a quaternion's length from 1: data written with six digits pass, mistakes do not.
pub const ROTATION_TOLERANCE: f64 = 1e-5;

/// One of the two held ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// s = 0.
    Base,
    /// s = length.
    Tip,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Base => "base",
            Self::Tip => "tip",
        })
    }
}

/// Why a shape could not be given.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeError {
    /// The rod itself is refused.
    Rod(Invalid),
    /// A pose holds a NaN or an infinity.
    NotFinite {
        /// Whose pose.
        end: End,
    },
    /// A matrix that is no rotation.
    NotARotation {
        /// Whose pose.
        end: End,
        /// Largest entry of |RᵀR − I|.
        defect: f64,
        /// det R; −1 for a reflection.
        determinant: f64,
    },
    /// A quaternion whose length is not one.
    NotAUnitQuaternion {
        /// Whose pose.
        end: End,
        /// Its length.
        norm: f64,
    },
    /// The ends are farther apart than the rod is long.
    TooFarApart {
        /// Between the ends, m.
        distance: f64,
        /// Of the rod, m.
        length: f64,
    },
    /// The ends are as far apart as the rod is long, but do not point along the straight line between them.
    Taut {
        /// Of the rod, m.
        length: f64,
        /// Largest angle of an end's tangent with the line, rad.
        misalignment: f64,
    },
    /// The given total rotation is not one of those that lead from the base to the tip.
    WindingMismatch {
        /// Angle between exp(winding) and the relative rotation of the ends, rad.
        angle: f64,
    },
    /// A polynomial degree that is not offered.
    Degree {
        /// What was asked.
        found: usize,
    },
    /// Too many or too few segments.
    Segments {
        /// What was asked.
        found: usize,
        /// Least that the steps of the section allow.
        least: usize,
        /// Most that are offered.
        most: usize,
    },
    /// The energy has no minimum among these polynomials, or none was found.
    NoPolynomial {
        /// Their degree.
        degree: usize,
        /// Their number.
        segments: usize,
        /// Iterations spent on the last attempt.
        iterations: usize,
        /// Tip misfit over the length where it stopped.
        residual: f64,
    },
    /// Asked of an approximate shape what only an equilibrium has.
    NotAnEquilibrium {
        /// How the shape was found.
        method: crate::Method,
    },
    /// No equilibrium within the iterations allowed; says where the search stood.
    NotConverged {
        /// Iterations spent in all.
        iterations: usize,
        /// Remaining misfit of the ends (rad, and position over length).
        residual: f64,
    },
    /// The equilibrium is (nearly) a fold: an arbitrarily small motion of the ends has no neighbouring shape.
    NearFold {
        /// See [`crate::Stability::fold_margin`].
        margin: f64,
        /// Remaining misfit of the ends (rad, and position over length).
        residual: f64,
    },
}

/// A number with six digits, as people write it.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded: f64 = format!("{:.5e}", self.0).parse().unwrap_or(self.0);
        match rounded.abs() {
            size if size != 0.0 && !(1e-4..1e6).contains(&size) => write!(f, "{rounded:e}"),
            _ => write!(f, "{rounded}"),
        }
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rod(invalid) => invalid.fmt(f),
            Self::NotFinite { end } => write!(f, "the {end} pose has a number that is not finite"),
            Self::NotARotation { end, defect, determinant } => write!(
                f,
                "the {end} matrix is no rotation: |RᵀR − I| = {defect:.3e} (must be below {:e}), det R = {determinant:.6}",
                ROTATION_TOLERANCE
            ),
            Self::NotAUnitQuaternion { end, norm } => write!(
                f,
                "the {end} quaternion has length {}, not 1 (tolerance {:e})",
                Short(*norm),
                ROTATION_TOLERANCE
            ),
            Self::TooFarApart { distance, length } => write!(
                f,
                "the ends are {} m apart, the rod is {} m long: {} m too far for a rod that does not stretch",
                Short(*distance),
                Short(*length),
                Short(distance - length)
            ),
            Self::Taut { length, misalignment } if *misalignment == 0.0 => write!(
                f,
                "the rod is straight between ends {} m apart, its whole length: it cannot follow them any farther apart, and its tension is not determined",
                Short(*length)
            ),
            Self::Taut { length, misalignment } => write!(
                f,
                "the ends are {} m apart, as far as the rod is long: only the straight rod fits, but an end points {:.4}° off that line",
                Short(*length),
                misalignment.to_degrees()
            ),
            Self::WindingMismatch { angle } => write!(
                f,
                "the given winding ends {:.6}° away from the relative rotation of the two ends",
                angle.to_degrees()
            ),
            Self::Degree { found } => write!(f, "degree {found} is not offered; 3, 4 and 5 are"),
            Self::Segments { found, least, most } => {
                write!(f, "{found} segments asked; this rod takes {least} to {most}")
            }
            Self::NoPolynomial { degree, segments, iterations, residual } => write!(
                f,
                "no least energy found over {segments} polynomial(s) of degree {degree} in {iterations} iterations (tip off by {residual:.3e} of the length): more segments or the exact method may find a shape"
            ),
            Self::NotAnEquilibrium { method } => {
                write!(f, "a shape by the {} method is no equilibrium: its derivative is not defined", method.name())
            }
            Self::NotConverged { iterations, residual } => {
                write!(f, "no equilibrium found in {iterations} iterations; the ends still miss by {residual:.3e}")
            }
            Self::NearFold { margin, residual } => {
                write!(f, "the rod is about to snap: fold margin {margin:.3e}, the ends still miss by {residual:.3e}")
            }
        }
    }
}

impl std::error::Error for ShapeError {}

impl From<Invalid> for ShapeError {
    fn from(invalid: Invalid) -> Self {
        Self::Rod(invalid)
    }
}
