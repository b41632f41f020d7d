//! What can be wrong with a fit, and what is to be told of one, with codes and words.

use crate::fault_text::{FaultText, list, words};
use crate::held_shares;
use crate::number::significant;

/// What is wrong with a fit, or worth telling of it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum FitFault {
    BadData { reason: String },
    UnknownColumn { name: String, nearest: Option<String> },
    Ambiguous { name: String },
    WrongUnit { name: String, found: String, expected: String, example: &'static str },
    TooFewData { numbers: usize, data: usize },
    BadFree { reason: String },
    BadNoise { reason: String },
    NoAnswer { row: usize, reason: String },
    WrongJob { reason: &'static str, help: &'static str },
    Untold { combination: String, error: f64 },
    Outliers { rows: Vec<String>, count: usize },
    AtLimit { path: String },
    NoiseDiffers { ratio: f64 },
    Unfinished { reason: &'static str },
    Stopped { rounds: usize, seconds: Option<f64> },
    HeldShares { tendons: Vec<String> },
}

impl FitFault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadData { .. } => "E0741",
            Self::UnknownColumn { .. } => "E0742",
            Self::Ambiguous { .. } => "E0743",
            Self::WrongUnit { .. } => "E0744",
            Self::TooFewData { .. } => "E0745",
            Self::BadFree { .. } => "E0746",
            Self::BadNoise { .. } => "E0747",
            Self::NoAnswer { .. } => "E0748",
            Self::WrongJob { .. } => "E0749",
            Self::Untold { .. } => "W0741",
            Self::Outliers { .. } => "W0742",
            Self::AtLimit { .. } => "W0743",
            Self::NoiseDiffers { .. } => "W0744",
            Self::Unfinished { .. } => "W0745",
            Self::Stopped { .. } => "W0746",
            Self::HeldShares { .. } => "W0747",
        }
    }

    /// The words for people.
    pub(crate) fn text(&self) -> FaultText {
        match self {
            Self::BadData { reason } => words(
                "the data cannot be read",
                reason,
                "the first line names what each row sets and what was measured; every other line is one row of numbers",
            ),
            Self::UnknownColumn { name, nearest } => words(
                format!("column `{name}` is neither an output nor something to set"),
                "outputs are called as derivatives call them, settings as an override does",
                match nearest {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "name an output such as arm.tip.position.x, a setting such as load.tip.force.z, or `time`"
                        .into(),
                },
            ),
            Self::Ambiguous { name } => words(
                format!("column `{name}` could be a setting or a measurement"),
                "the scene has an output of that name, and a number too",
                format!("write `set:{name}` or `measured:{name}`"),
            ),
            Self::WrongUnit { name, found, expected, example } => words(
                format!("column `{name}` is {expected}"),
                format!("its unit is that of {found}"),
                format!("write the unit in parentheses after the name; a value looks like {example}"),
            ),
            Self::TooFewData { numbers, data } => words(
                format!("{numbers} numbers cannot be told from {data} measured values"),
                "there must be at least as many measured values as free numbers, and one more for standard errors without stated noise",
                "measure more, or free fewer numbers",
            ),
            Self::BadFree { reason } => words(
                "what is to be found is not clear",
                reason,
                "write --free PATH,PATH or --free \"PATH=LOW..HIGH UNIT\", each path a number that the scene file writes",
            ),
            Self::BadNoise { reason } => words(
                "the noise is not clear",
                reason,
                "write --noise position=0.1mm,rotation=0.1deg, or name an output: --noise arm.tip.position=0.1mm",
            ),
            Self::NoAnswer { row, reason } => words(
                format!("the scene of row {row} has no answer to compare with"),
                reason,
                "begin nearer with other values in the scene, or look at the row with `lissome run` and its settings",
            ),
            Self::WrongJob { reason, help } => words("the data and the job of the scene do not fit", *reason, *help),
            Self::Untold { combination, error } => words(
                format!("the data cannot tell {combination}"),
                match error.is_finite() {
                    true => format!(
                        "along this combination the standard error is {} % of the numbers themselves",
                        significant(100.0 * error, 2)
                    ),
                    false => "no measured value changes along this combination".into(),
                },
                "measure something that depends on it, or free fewer numbers",
            ),
            Self::Outliers { rows, count } => words(
                format!("{count} measured values lie far out: {}", list(rows)),
                "noise alone makes one of all of them lie so far in one fit of a hundred",
                "look at these readings; --loss huber or --loss cauchy keep them from pulling",
            ),
            Self::AtLimit { path } => words(
                format!("`{path}` ended at its limit"),
                "the data pull it beyond; the errors of the others are those with it held there",
                "widen the limit if it may lie beyond",
            ),
            Self::NoiseDiffers { ratio } => words(
                format!("what is left is {} times the stated noise", significant(*ratio, 3)),
                match *ratio > 1.0 {
                    true => "the model does not explain the data to their noise; the standard errors are too small",
                    false => "the noise is stated too large; the standard errors are too large",
                },
                "state the noise as it is, leave it out to have it estimated, or look at the residuals",
            ),
            Self::Unfinished { reason } => words(
                "the fit did not come to its end",
                *reason,
                "begin nearer, give limits, or raise --max-rounds; errors and intervals are those of the last point",
            ),
            Self::HeldShares { tendons } => held_shares::text(
                tendons,
                "standard errors are off by such a part, and the search may end beside the least sum of squares",
                "begin again from the fitted scene, and compare with numbers beside those that were found",
            ),
            Self::Stopped { rounds, seconds } => words(
                match seconds {
                    Some(seconds) => format!("the time limit of {seconds} s ended the fit after {rounds} rounds"),
                    None => format!("the fit was interrupted after {rounds} rounds"),
                },
                "the best point until then is kept; it is no least one",
                "raise --limit, or begin from the fitted scene",
            ),
        }
    }
}
