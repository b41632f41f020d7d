//! Why a scene is refused: the dotted path of the quantity, what is wrong with it, how to mend it.

use crate::quantity::{Bounds, Quantity};
use crate::span_limits::SPAN_BYTES;
use std::fmt;

/// One defect of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Invalid {
    /// Dotted path of the quantity, such as `rod.backbone.section.radius`.
    pub path: String,
    /// What is wrong.
    pub problem: Problem,
}

/// The kinds of defect a scene can have.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Problem {
    /// NaN or infinite.
    NotFinite,
    /// Zero or negative where only positive values mean anything.
    NotPositive { value: f64 },
    /// Negative where zero is the least.
    Negative { value: f64 },
    /// Outside an interval, given in words such as `(-1, 0.5]`.
    OutOfRange { value: f64, interval: String },
    /// Too large or too small to compute with; see [`Quantity::bounds`].
    Magnitude { value: f64, quantity: Quantity },
    /// A stiffness or inertia matrix that is not symmetric positive definite.
    NotPositiveDefinite,
    /// A matrix that is not symmetric, or negative in some direction.
    NotPositiveSemidefinite,
    /// Two quantities contradict each other.
    Contradiction { reason: String },
    /// A name that nothing carries.
    UnknownName { name: String, known: Vec<String> },
    /// Too few or too many of something.
    Count { found: usize, need: String },
    /// More spans than fit into memory.
    TooManySpans { found: usize, limit: usize },
    /// Needed here and not given.
    Missing { need: String },
    /// Parts that carry each other in a circle.
    Circle { chain: Vec<String> },
    /// Parts that nothing connects to the world.
    Floating { parts: Vec<String> },
    /// A joint that carries nothing.
    NothingHangs,
    /// A closure between parts that are one rigid piece already.
    RigidAlready { reason: String },
    /// A spring between places that cannot move against each other.
    NothingToStretch { reason: String },
    /// Two points of a cable, counted from 0, that are one.
    Coincident { first: usize },
    /// A table of times that ends or begins inside the run.
    NotCovered { first: f64, last: f64, end: f64 },
    /// Times that do not increase.
    TimesNotInOrder { before: f64, after: f64 },
    /// A quantity with two drives.
    DrivenTwice { other: String },
    /// A rod that does not fit into a bore; radii in m.
    TooThick { part: String, radius: f64, inner: f64 },
    /// A part that begins inside an obstacle: the arc length of the place if it is a rod's, how deep, and where in the world,
    /// m.
    Penetrates { obstacle: String, s: Option<f64>, depth: f64, place: [f64; 3] },
}

impl Invalid {
    /// A defect at a dotted path.
    pub fn new(path: impl Into<String>, problem: Problem) -> Self {
        Self { path: path.into(), problem }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite => write!(f, "must be a finite number"),
            Self::NotPositive { value } => write!(f, "must be positive, not {value}"),
            Self::Negative { value } => write!(f, "must not be negative, found {value}"),
            Self::OutOfRange { value, interval } => write!(f, "must lie in {interval}, not {value}"),
            Self::Magnitude { value, quantity } => {
                let Bounds { name, unit, least, most } = quantity.bounds();
                let size = if value.abs() > most { "large" } else { "small" };
                write!(f, "is {value:e} {unit}, too {size} for a {name}: from {least:e} to {most:e} {unit}")
            }
            Self::NotPositiveDefinite => write!(f, "must be a symmetric positive definite matrix"),
            Self::NotPositiveSemidefinite => write!(f, "must be a symmetric matrix without a negative direction"),
            Self::Contradiction { reason } => write!(f, "{reason}"),
            Self::UnknownName { name, .. } => write!(f, "nothing is called `{name}`"),
            Self::Count { found, need } => write!(f, "has {found} entries; {need}"),
            Self::TooManySpans { found, limit } => {
                let gigabytes = (found * SPAN_BYTES) as f64 / 1e9;
                write!(
                    f,
                    "has {found} spans in all, which would take about {gigabytes:.1} GB; at most {limit} are computed"
                )
            }
            Self::Missing { need } => write!(f, "is missing: {need}"),
            Self::Circle { chain } => write!(f, "is carried by what it carries: {}", chain.join(" on ")),
            Self::Floating { parts } => write!(f, "nothing connects {} to the world", parts.join(", ")),
            Self::NothingHangs => write!(f, "carries nothing"),
            Self::RigidAlready { reason } => write!(f, "closes nothing: {reason}"),
            Self::NothingToStretch { reason } => write!(f, "has nothing to stretch: {reason}"),
            Self::Coincident { first } => write!(f, "points {first} and {} are the same", first + 1),
            Self::NotCovered { first, last, end } => {
                write!(f, "covers {first} to {last}, but the run goes from 0 to {end}")
            }
            Self::TimesNotInOrder { before, after } => write!(f, "{after} comes after {before}"),
            Self::DrivenTwice { other } => write!(f, "is driven by `{other}` already"),
            Self::TooThick { part, radius, inner } => {
                write!(f, "is {inner} m, but `{part}` has a radius of {radius} m and does not fit")
            }
            Self::Penetrates { obstacle, s, depth, place: [x, y, z] } => {
                let along = s.map_or(String::new(), |s| format!(" at s = {s} m"));
                write!(f, "begins inside `{obstacle}`{along}: {depth} m deep at ({x}, {y}, {z}) m")
            }
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.path, self.problem)
    }
}

impl std::error::Error for Invalid {}

/// Checks used by every `validate`. Paths are written out only where something is refused.
pub(crate) mod check {
    use super::{Invalid, Problem};
    use std::fmt::Display;

    /// Finite.
    pub fn finite(path: impl Display, value: f64) -> Result<(), Invalid> {
        if value.is_finite() { Ok(()) } else { Err(Invalid::new(path.to_string(), Problem::NotFinite)) }
    }

    /// Finite and above zero.
    pub fn positive(path: impl Display, value: f64) -> Result<(), Invalid> {
        finite(&path, value)?;
        if value > 0.0 { Ok(()) } else { Err(Invalid::new(path.to_string(), Problem::NotPositive { value })) }
    }

    /// Finite and at least zero.
    pub fn not_negative(path: impl Display, value: f64) -> Result<(), Invalid> {
        finite(&path, value)?;
        if value >= 0.0 { Ok(()) } else { Err(Invalid::new(path.to_string(), Problem::Negative { value })) }
    }
}
