//! What reaches the terminal: answers on stdout, complaints and progress on stderr, or JSON alone.

use crate::exit::Exit;
use lissome::io::{Diagnostic, Severity};
use serde_json::{Value as Json, json};
use std::io::Write;

/// Where an answer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputMode {
    /// A screen for people.
    Screen,
    /// Complaints only.
    Quiet,
    /// JSON only.
    Json,
}

impl OutputMode {
    /// By the flags `--json` and `--quiet`.
    pub fn of(json: bool, quiet: bool) -> Self {
        match (json, quiet) {
            (true, _) => Self::Json,
            (_, true) => Self::Quiet,
            _ => Self::Screen,
        }
    }
}

/// Prints to stdout; a closed pipe (`| head`) is no error.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints to stderr.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints JSON to stdout.
pub fn say_json(json: &Json) {
    say(&format!("{json:#}"));
}

/// Shows diagnostics; as JSON they are the whole answer. Returns the exit code for bad input.
pub fn refuse(diagnostics: &[Diagnostic], as_json: bool) -> Exit {
    if as_json {
        let of = |severity: Severity| {
            diagnostics.iter().filter(|d| d.severity() == severity).map(Diagnostic::to_json).collect::<Vec<_>>()
        };
        say_json(&json!({
            "status": "error",
            "errors": of(Severity::Error),
            "warnings": of(Severity::Warning),
        }));
    } else {
        show(diagnostics);
        let errors = diagnostics.iter().filter(|d| d.severity() == Severity::Error).count();
        if errors > 1 {
            complain(&format!("{errors} errors"));
        }
    }
    Exit::BadInput
}

/// Shows diagnostics for people.
pub fn show(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        complain(diagnostic.to_string().trim_end());
    }
}
