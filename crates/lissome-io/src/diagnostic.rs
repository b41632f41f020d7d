//! A fault with its place, shown to people (with a caret) or to programs (as JSON).

use crate::fault::{Fault, Severity};
use crate::source::{Place, Source, Span};
use serde_json::{Value as Json, json};
use std::fmt;

/// Column at which the place of a diagnostic starts.
const PLACE_COLUMN: usize = 66;
/// Widest line on which the help still stands beside the reason.
const LINE_WIDTH: usize = 110;

/// Something wrong, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What.
    pub fault: Fault,
    /// Dotted path of the thing it concerns, if it has one.
    pub path: Option<String>,
    /// Where it was written, if it was.
    pub place: Option<Place>,
}

impl Diagnostic {
    /// A fault that no text is to blame for.
    pub fn new(fault: Fault) -> Self {
        Self { fault, path: None, place: None }
    }

    /// A fault at a span of one of the sources.
    pub fn at(fault: Fault, path: Option<String>, span: Option<Span>, sources: &[Source]) -> Self {
        let place = span.and_then(|span| sources.get(span.source as usize).map(|source| source.place_of(span)));
        Self { fault, path, place }
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.fault.severity()
    }

    /// What is wrong, in one line.
    pub fn message(&self) -> String {
        let message = self.fault.text().message;
        match &self.path {
            Some(path) if self.fault.speaks_of_path() => format!("`{path}` {message}"),
            _ => message,
        }
    }

    /// For programs; `null` where there is no such thing.
    pub fn to_json(&self) -> Json {
        let words = self.fault.text();
        let place = self.place.as_ref();
        json!({
            "code": self.fault.code(),
            "severity": self.severity().name(),
            "message": self.message(),
            "reason": words.reason,
            "help": words.help,
            "path": self.path,
            "file": place.map(|p| &p.file),
            "line": place.map(|p| p.line),
            "column": place.map(|p| p.column),
            "end_column": place.map(|p| p.end_column),
            "excerpt": place.map(|p| &p.excerpt),
        })
    }
}

impl fmt::Display for Diagnostic {
    /// ```text
    /// error[E0203]: unknown key `yung`                                 --> arm.toml:8:1
    ///   8 | yung   = "60 GPa"
    ///     | ^^^^  expected one of: young, poisson, density, damping   help: did you mean `young`?
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.fault.text();
        let head = format!("{}[{}]: {}", self.severity().name(), self.fault.code(), self.message());
        let Some(place) = &self.place else {
            writeln!(f, "{head}")?;
            if !words.reason.is_empty() {
                writeln!(f, "  {}", words.reason)?;
            }
            return writeln!(f, "  help: {}", words.help);
        };
        writeln!(f, "{head:<PLACE_COLUMN$} --> {}:{}:{}", place.file, place.line, place.column)?;
        let number = place.line.to_string();
        let gutter = " ".repeat(number.len());
        writeln!(f, "  {number} | {}", place.excerpt)?;
        let marks = format!(
            "  {gutter} | {}{}  {}",
            " ".repeat(place.underline_start),
            "^".repeat(place.underline_length),
            words.reason
        );
        let marks = marks.trim_end();
        let help = format!("help: {}", words.help);
        let width = marks.chars().count() + 3 + help.chars().count();
        if width <= LINE_WIDTH { writeln!(f, "{marks}   {help}") } else { writeln!(f, "{marks}\n  {gutter} = {help}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown_key() -> Diagnostic {
        let source = Source { name: "arm.toml".into(), text: "[material.n]\nyung = \"60 GPa\"\n".into() };
        let known = ["young", "poisson", "density", "damping"].map(str::to_owned).to_vec();
        let fault = Fault::UnknownKey { key: "yung".into(), known };
        Diagnostic::at(fault, Some("material.n".into()), Some(Span::new(0, 13..17)), &[source])
    }

    #[test]
    fn shows_code_place_caret_reason_and_help() {
        let text = unknown_key().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("error[E0203]: unknown key `yung` "), "{text}");
        assert!(lines[0].ends_with("--> arm.toml:2:1"), "{text}");
        assert_eq!(lines[1], "  2 | yung = \"60 GPa\"");
        assert_eq!(
            lines[2],
            "    | ^^^^  expected one of: young, poisson, density, damping   help: did you mean `young`?"
        );
    }

    #[test]
    fn tells_programs_the_same() {
        let json = unknown_key().to_json();
        assert_eq!(json["code"], "E0203");
        assert_eq!(json["line"], 2);
        assert_eq!(json["column"], 1);
        assert_eq!(json["help"], "did you mean `young`?");
    }
}
