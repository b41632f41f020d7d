//! Why an oracle gives no answer.

use lissome_model::Invalid;
use std::fmt;

/// Why an oracle gives no answer.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum OracleError {
    /// The scene itself is refused.
    Invalid(Invalid),
    /// The scene has fewer rods.
    NoSuchRod { rod: usize, count: usize },
    /// The natural shape is a spline, which would need the discretisation that is to be checked.
    SplineShape { rod: String },
    /// A cantilever has exactly one held end, a clamped rod two.
    WrongSupports { rod: String, held_ends: usize, need: usize },
    /// The integrator cannot resolve the equations near s (in m).
    StepTooSmall { s: f64, step: f64 },
    /// The linearised rod is exactly singular up to one of its cuts: the state is critical, its index undefined.
    SingularCut { cut: usize },
    /// The rod is not a set of tubes whose entry stands in the world.
    NotTubes { rod: String },
    /// Newton's method stopped short of an equilibrium; the full load is a load factor of 1.
    NotConverged { load_factor: f64, iterations: usize, residual: f64 },
    /// A straight rod is bent by loads that are not along its axis; the moment is in N·m.
    NotAxial { rod: String, moment: f64 },
    /// A bracket whose ends have the same sign.
    NoSignChange { low: f64, high: f64 },
    /// A network names a body that it has not.
    NoSuchBody { body: usize, count: usize },
    /// A joint of a network is given another number of coordinates than its kind has.
    WrongCoordinates { joint: usize, given: usize, need: usize },
    /// A cable needs two points.
    ShortCable { cable: usize, points: usize },
    /// The stiffness of a rod of a network is not positive definite at s (in m).
    NotStiff { rod: usize, s: f64 },
    /// A network cannot start from the solution of one with other parts.
    OtherParts { part: &'static str, here: usize, there: usize },
    /// An argument outside the domain of a closed form.
    OutOfDomain { quantity: &'static str, value: f64 },
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => write!(f, "{invalid}"),
            Self::NoSuchRod { rod, count } => write!(f, "no rod {rod}: the scene has {count}"),
            Self::SplineShape { rod } => {
                write!(f, "rod `{rod}` has its natural shape drawn by control poses, which the oracle does not read")
            }
            Self::WrongSupports { rod, held_ends, need } => {
                write!(f, "rod `{rod}` has {held_ends} held ends, this oracle needs {need}")
            }
            Self::StepTooSmall { s, step } => write!(f, "integration stuck at s = {s} m with a step of {step} m"),
            Self::SingularCut { cut } => write!(f, "the linearised rod is singular at shooting cut {cut}"),
            Self::NotTubes { rod } => write!(f, "rod `{rod}` is not a set of tubes with its entry in the world"),
            Self::NotConverged { load_factor, iterations, residual } => write!(
                f,
                "no equilibrium found at load factor {load_factor}: residual {residual:e} after {iterations} iterations"
            ),
            Self::NotAxial { rod, moment } => {
                write!(f, "rod `{rod}` is not straight under its loads: they cause a moment of {moment} N·m")
            }
            Self::NoSignChange { low, high } => write!(f, "no sign change between {low} and {high}"),
            Self::NoSuchBody { body, count } => write!(f, "no body {body}: the network has {count}"),
            Self::WrongCoordinates { joint, given, need } => {
                write!(f, "joint {joint} of the network has {need} coordinates, not {given}")
            }
            Self::ShortCable { cable, points } => {
                write!(f, "cable {cable} of the network has {points} points, needs 2")
            }
            Self::NotStiff { rod, s } => {
                write!(f, "the stiffness of rod {rod} of the network is not positive definite at s = {s} m")
            }
            Self::OtherParts { part, here, there } => {
                write!(f, "a network of {here} {part} cannot start from a solution with {there}")
            }
            Self::OutOfDomain { quantity, value } => write!(f, "{quantity} = {value} is outside the closed form"),
        }
    }
}

impl std::error::Error for OracleError {}

impl From<Invalid> for OracleError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}
