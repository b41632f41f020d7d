//! The rules of the house: read from `ARCHITECTURE.md`, held against the sources.
//!
//! - [`rust_text`]: a Rust file split into code and comments, test code told apart.
//! - [`page`]: the tables of `ARCHITECTURE.md`.
//! - [`workspace`]: the crates as they are: manifests and sources.
//! - [`imports`]: which crates and modules a file names.
//! - [`rules`]: the checks; each returns its violations, sorted.

pub mod imports;
pub mod page;
pub mod rules;
pub mod rust_text;
pub mod workspace;

use std::fmt;

/// A broken rule, with its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// File relative to the root of the workspace.
    pub file: String,
    /// Line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl Violation {
    /// A violation at a line.
    pub fn new(file: impl Into<String>, line: usize, what: impl Into<String>) -> Self {
        Self { file: file.into(), line, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.what),
            line => write!(f, "{}:{line}: {}", self.file, self.what),
        }
    }
}
