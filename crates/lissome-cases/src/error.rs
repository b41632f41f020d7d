//! Why a case cannot be run: its data are at fault, or an oracle gives no answer.

use lissome::SimulateError;
use lissome::model::Invalid;
use lissome_reference::OracleError;
use std::fmt;

/// Why a case cannot be run.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum CaseError {
    /// A case names a file that is not embedded.
    NoSuchFile { path: String },
    /// A `case.toml` that does not read.
    Case { path: String, message: String },
    /// A scene that does not read.
    Scene { path: String, message: String },
    /// A cell that is not the number it should be.
    Cell { path: String, line: usize, column: String, text: String },
    /// A line with more or fewer cells than the header.
    Ragged { path: String, line: usize },
    /// A column that the study needs.
    NoColumn { path: String, column: String },
    /// A `{name}` that nothing fills.
    NoValue { template: String, name: String },
    /// A scene that the model refuses.
    Invalid(Invalid),
    /// An oracle without an answer.
    Oracle(OracleError),
    /// The load at which stability is lost does not lie between these.
    NoChange { low: f64, high: f64 },
    /// A solve that had to converge for the figure to mean anything.
    NotConverged { what: String },
    /// A scene whose job is not one that the study can use.
    WrongJob { what: String, need: &'static str },
    /// End poses without a shape.
    Shape { what: String, message: String },
    /// A study names a part that its scene does not have.
    NoSuchPart { name: String },
    /// A load that the study cannot use: it must keep its direction and act on an end of a rod.
    WrongLoad { name: String },
    /// A list in the data with too few entries.
    TooFew { what: &'static str, found: usize, need: usize },
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchFile { path } => write!(f, "no embedded file `{path}`"),
            Self::Case { path, message } | Self::Scene { path, message } => write!(f, "{path}: {message}"),
            Self::Cell { path, line, column, text } => {
                write!(f, "{path}:{line}: `{text}` in column `{column}` is not a number")
            }
            Self::Ragged { path, line } => write!(f, "{path}:{line}: not as many cells as the header has"),
            Self::NoColumn { path, column } => write!(f, "{path}: no column `{column}`"),
            Self::NoValue { template, name } => write!(f, "nothing fills `{{{name}}}` in `{template}`"),
            Self::Invalid(invalid) => write!(f, "{invalid}"),
            Self::Oracle(error) => write!(f, "oracle: {error}"),
            Self::NoChange { low, high } => write!(f, "stability does not change between loads {low} and {high}"),
            Self::NotConverged { what } => write!(f, "{what}: did not converge"),
            Self::WrongJob { what, need } => write!(f, "{what}: the job of the scene must be {need}"),
            Self::Shape { what, message } => write!(f, "{what}: {message}"),
            Self::NoSuchPart { name } => write!(f, "the scene has no part `{name}`"),
            Self::WrongLoad { name } => write!(f, "load `{name}` must keep its direction and act on an end of a rod"),
            Self::TooFew { what, found, need } => write!(f, "{what}: {found} given, {need} needed"),
        }
    }
}

impl std::error::Error for CaseError {}

impl CaseError {
    /// A shape that had to be found for the figure to mean anything.
    pub fn shape(what: &str, error: &lissome::shape::ShapeError) -> Self {
        Self::Shape { what: what.to_owned(), message: error.to_string() }
    }
}

impl From<Invalid> for CaseError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl From<SimulateError> for CaseError {
    fn from(SimulateError::Invalid(invalid): SimulateError) -> Self {
        Self::Invalid(invalid)
    }
}

impl From<OracleError> for CaseError {
    fn from(error: OracleError) -> Self {
        Self::Oracle(error)
    }
}
