//! Collects what is wrong while a scene is read, so that one run tells of several mistakes.

use super::document::Document;
use crate::diagnostic::Diagnostic;
use crate::fault::{Fault, Severity};
use crate::source::Span;

/// A file full of nonsense is not worth more findings than this.
const MOST: usize = 40;

/// Faults found so far.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<(Fault, String, Option<Span>)>,
    errors: usize,
}

impl Findings {
    /// Notes a fault of the thing at a dotted path. Returns `None`, so that readers can end with it.
    pub fn add<T>(&mut self, fault: Fault, path: impl Into<String>, span: Option<Span>) -> Option<T> {
        self.errors += usize::from(fault.severity() == Severity::Error);
        // What several parts share through `like` is wrong once.
        let known = span.is_some() && self.list.iter().any(|(other, _, at)| *at == span && *other == fault);
        if self.list.len() < MOST && !known {
            self.list.push((fault, path.into(), span));
        }
        None
    }

    /// True if an error was found.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The faults with their places, in the order of the text, errors before warnings.
    pub fn into_diagnostics(mut self, document: &Document) -> Vec<Diagnostic> {
        self.list.sort_by_key(|(fault, _, span)| {
            (fault.severity() == Severity::Warning, span.map_or((0, 0), |s| (s.source, s.start)))
        });
        self.list
            .into_iter()
            .map(|(fault, path, span)| Diagnostic::at(fault, Some(path), span, &document.sources))
            .collect()
    }
}
