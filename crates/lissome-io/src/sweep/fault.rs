//! What can be wrong with a sweep, with codes and words.

use crate::fault_text::{FaultText, did_you_mean, list, words};
use crate::number::{significant, with_unit};

/// Time that the cheapest case takes, s: parsing, compiling and solving a rod.
const LEAST_SECONDS: f64 = 1e-3;
/// Bytes of a number in a table.
const BYTES: f64 = 20.0;
const YEAR: f64 = 365.25 * 86_400.0;

/// What is wrong with a sweep.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum SweepFault {
    BadAxis { reason: String },
    TooManyCases { cases: f64, columns: usize, limit: usize },
    BadCases { reason: String },
    UnknownOutput { name: String, known: Vec<String> },
    Unfinished { path: String },
    SweptTwice { path: String },
    NothingSwept,
    Limit { seconds: f64, done: usize, of: usize },
    Interrupted { done: usize, of: usize },
}

impl SweepFault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Limit { .. } => "E0531",
            Self::Interrupted { .. } => "E0532",
            Self::BadAxis { .. } => "E0701",
            Self::TooManyCases { .. } => "E0702",
            Self::BadCases { .. } => "E0703",
            Self::UnknownOutput { .. } => "E0704",
            Self::Unfinished { .. } => "E0705",
            Self::SweptTwice { .. } => "E0706",
            Self::NothingSwept => "E0707",
        }
    }

    /// The words for people.
    pub(crate) fn text(&self) -> FaultText {
        const GO_ON: &str = "go on with `lissome sweep --resume` and the folder";
        match self {
            Self::BadAxis { reason } => words(
                "this is no axis of a sweep",
                reason,
                "write PATH=\"FROM..TO UNIT:COUNT\", such as rod.arm.length=\"200..400 mm:21\"; with --latin without :COUNT",
            ),
            Self::TooManyCases { cases, columns, limit } => words(
                format!("{} cases are too many for one sweep", significant(*cases, 4)),
                format!(
                    "at {} a case, which is the least, they take {} of one core, and their table {}; at most {limit} are allowed",
                    with_unit(LEAST_SECONDS, "s"),
                    duration(cases * LEAST_SECONDS),
                    with_unit(cases * *columns as f64 * BYTES, "B"),
                ),
                "take fewer values on each axis, or --latin N, which spreads N cases over all axes",
            ),
            Self::BadCases { reason } => words(
                "this is no table of cases",
                reason,
                "the first line names dotted paths, such as rod.arm.length; every other has one value for each, such as 240 mm; \
                 values with commas stand in double quotes",
            ),
            Self::UnknownOutput { name, known } => words(
                format!("no output is called `{name}`"),
                format!("outputs: {}", list(known)),
                did_you_mean(name, known, || "name a column, the beginning of some, or `all`".into()),
            ),
            Self::Unfinished { path } => words(
                format!("`{path}` holds a sweep that is not finished"),
                "its rows would be lost",
                "go on with `lissome sweep --resume` and the folder, choose another with --out, or remove it",
            ),
            Self::SweptTwice { path } => words(
                format!("`{path}` is given twice"),
                "it can have one value in a case",
                "remove one of the two; a path may be written with or without its family, as cable.a.tension and a.tension",
            ),
            Self::NothingSwept => words(
                "there is nothing to sweep over",
                "no argument has the form PATH=\"FROM..TO UNIT:COUNT\"",
                "give an axis such as rod.arm.length=\"200..400 mm:21\", or a table with --cases or as `[cases]` of the scene",
            ),
            Self::Limit { seconds, done, of } => words(
                format!("stopped by the limit of {seconds} s after {done} of {of} cases"),
                "the rows until then are kept",
                GO_ON,
            ),
            Self::Interrupted { done, of } => {
                words(format!("interrupted after {done} of {of} cases"), "the rows until then are kept", GO_ON)
            }
        }
    }
}

/// A time in the unit in which people tell it.
fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 120.0 => (s, "s"),
        s if s < 7200.0 => (s / 60.0, "minutes"),
        s if s < 172_800.0 => (s / 3600.0, "hours"),
        s if s < YEAR => (s / 86_400.0, "days"),
        s => (s / YEAR, "years"),
    };
    format!("{} {unit}", significant(value, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_million_cases_are_told_with_their_price() {
        let fault = SweepFault::TooManyCases { cases: 1e12, columns: 10, limit: 1_000_000 };
        let text = fault.text();
        assert!(text.reason.contains("32 years") && text.reason.contains("200 TB"), "{text:?}");
    }
}
