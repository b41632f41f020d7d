//! How the program ends.

use std::process::ExitCode;

/// Exit codes, documented in docs/reference/cli.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Ok,
    /// A bug of ours.
    Bug,
    /// What we were given is wrong.
    BadInput,
    /// It ran, but met no equilibrium, broke its energy balance, or a case failed.
    NoAnswer,
    /// A limit was hit.
    Limit,
    /// Interrupted by a signal, results kept.
    Interrupted,
}

impl Exit {
    /// By the status of a run's summary.
    pub fn of_status(status: &str) -> Self {
        match status {
            "converged" | "finished" => Self::Ok,
            "limit" => Self::Limit,
            "interrupted" => Self::Interrupted,
            _ => Self::NoAnswer,
        }
    }

    /// The number the shell sees.
    pub fn number(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Bug => 1,
            Self::BadInput => 2,
            Self::NoAnswer => 3,
            Self::Limit => 4,
            Self::Interrupted => crate::signal::exit_number(),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}
