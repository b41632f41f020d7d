//! What can be wrong with an optimisation, and what is to be told of its end, with codes and words.

use crate::fault_text::{FaultText, list, words};
use crate::number::significant;

/// What is wrong with an optimisation, or worth telling of it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum OptimiseFault {
    Formula { reason: String, help: String },
    NoObjective,
    NothingFree,
    SeveralNumbers { path: String, parts: Vec<String> },
    Vector { name: String, rows: Vec<String> },
    Undefined { reason: String },
    Overruled { path: String },
    Infeasible { constraints: Vec<String>, violation: f64 },
    Blocked { reason: String },
    Idle,
    Unfinished { rounds: usize, kkt: f64, violation: f64 },
    Stalled { kkt: f64 },
}

impl OptimiseFault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Formula { .. } => "E0761",
            Self::NoObjective => "E0762",
            Self::NothingFree => "E0763",
            Self::SeveralNumbers { .. } => "E0764",
            Self::Vector { .. } => "E0765",
            Self::Undefined { .. } => "E0766",
            Self::Overruled { .. } => "E0767",
            Self::Infeasible { .. } => "W0761",
            Self::Blocked { .. } => "W0762",
            Self::Idle => "W0763",
            Self::Unfinished { .. } => "W0764",
            Self::Stalled { .. } => "W0765",
        }
    }

    /// The words for people.
    pub(crate) fn text(&self) -> FaultText {
        match self {
            Self::Formula { reason, help } => words("the formula cannot be read", reason, help),
            Self::NoObjective => words(
                "an optimisation needs something to make least or greatest",
                "`minimise` and `maximise` are missing",
                "write `minimise = \"FORMULA\"` into [job], such as \"arm.mass\"",
            ),
            Self::NothingFree => words(
                "an optimisation needs numbers that it may change",
                "[free] is missing or empty",
                "write [free] with a line such as \"rod.arm.section.radius\" = { min = \"1 mm\", max = \"5 mm\" }",
            ),
            Self::SeveralNumbers { path, parts } => words(
                format!("`{path}` are several numbers"),
                format!("each is free by its own name: {}", list(parts)),
                "name the ones that may change, each on a line of its own",
            ),
            Self::Vector { name, rows } => words(
                format!("`{name}` is no single number"),
                format!("it has: {}", list(rows)),
                "name one component, or take the norm of all: norm(NAME)",
            ),
            Self::Undefined { reason } => words(
                "the formula has no value where the search begins",
                reason,
                "begin elsewhere, or write the formula so that it has a value there",
            ),
            Self::Overruled { path } => words(
                format!("`{path}` has no part in what is computed"),
                "another value of it would change nothing: something else, such as a drive, stands in its place",
                "name what stands there, for instance `pull.1.tension` instead of `tendon.pull.tension`",
            ),
            Self::Infeasible { constraints, violation } => words(
                "the constraints cannot all hold near what was found",
                format!("violated, by {} of their size at most: {}", significant(*violation, 3), list(constraints)),
                "the answer violates them as little as was found; relax one of them, or widen limits in [free]",
            ),
            Self::Blocked { reason } => words(
                "the search was ended by what stood in its way",
                reason,
                "what was found is the best on this side of it; begin elsewhere, or constrain `smallest_eigenvalue`",
            ),
            Self::Idle => words(
                "the objective does not depend on any free number where the search begins",
                "all of its derivatives by them are zero there",
                "free a number that acts on it, or begin where the robot is not symmetric",
            ),
            Self::Unfinished { rounds, kkt, violation } => words(
                format!("{rounds} rounds were used up before the search came to its end"),
                format!(
                    "conditions of a minimum hold to {}, constraints to {} of their size",
                    significant(*kkt, 2),
                    significant(*violation, 2)
                ),
                "raise `job.rounds`, or run optimised.toml of the run folder, which begins where this ended",
            ),
            Self::Stalled { kkt } => words(
                "no step is better any more, but the conditions of a minimum do not hold to 1e-6",
                format!(
                    "they hold to {}: the objective or a constraint may have a kink here (min, max, abs)",
                    significant(*kkt, 2)
                ),
                "in place of min, max or abs: free `bound = { start = 1 }`, minimise it, and write \"FORMULA <= bound\" for each",
            ),
        }
    }
}
