//! A table of cases: the first line names dotted paths, every other line is a case.

use super::csv::{self, Field};
use super::fault::SweepFault;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::files::read_limited;
use crate::scene::units;
use crate::source::{Source, Span};
use std::ops::Range;
use std::path::Path;

/// Largest table that is read, bytes.
const LIMIT: u64 = 64 << 20;

/// Cases from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CasesTable {
    /// Dotted paths.
    pub paths: Vec<String>,
    /// One value for each path, as it would stand after `path=`.
    pub rows: Vec<Vec<String>>,
    /// The text, and where in it the paths and the values of the first case stand; for complaints.
    origin: Option<Origin>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    source: Source,
    header: Vec<Range<usize>>,
    first: Vec<Range<usize>>,
}

impl CasesTable {
    /// Of paths and rows that a program gives.
    pub fn new(paths: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        Self { paths, rows, origin: None }
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let bytes = read_limited(path, LIMIT).map_err(|fault| vec![Diagnostic::new(fault)])?;
        let name = path.display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(&name, text).map_err(|diagnostic| vec![*diagnostic]),
            Err(error) => {
                let byte = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let fault = Fault::NotUtf8 { byte };
                let source = Source { name, text };
                Err(vec![Diagnostic::at(fault, None, Some(Span::new(0, byte..byte + 1)), &[source])])
            }
        }
    }

    /// Reads a text; `name` stands for the file in messages.
    pub fn parse(name: &str, text: String) -> Result<Self, Box<Diagnostic>> {
        let source = Source { name: name.to_owned(), text };
        let refuse = |span: Range<usize>, reason: String| {
            let fault = Fault::Sweep(SweepFault::BadCases { reason });
            Box::new(Diagnostic::at(fault, None, Some(Span::new(0, span)), std::slice::from_ref(&source)))
        };
        // Spreadsheets begin their files with a mark of the encoding.
        let mut offset = if source.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut header: Option<Vec<Field>> = None;
        let (mut rows, mut first, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        for line in source.text[offset..].split_inclusive('\n') {
            let (start, whole) = (offset, line.trim_end_matches(['\n', '\r']));
            offset += line.len();
            if whole.trim().is_empty() {
                continue;
            }
            let fields = csv::fields(whole, start)
                .map_err(|span| refuse(span, "a double quote is not closed, or something follows it".into()))?;
            let Some(header) = &header else {
                for (index, field) in fields.iter().enumerate() {
                    if field.text.is_empty() {
                        return Err(refuse(field.span.clone(), format!("column {} has no path", index + 1)));
                    }
                }
                kinds = vec![None; fields.len()];
                header = Some(fields);
                continue;
            };
            if fields.len() != header.len() {
                let reason = format!("this line has {} values, the first has {} paths", fields.len(), header.len());
                return Err(refuse(start..start + whole.len(), reason));
            }
            for (field, kind) in fields.iter().zip(&mut kinds) {
                check_cell(field, kind).map_err(|reason| refuse(field.span.clone(), reason))?;
            }
            if rows.is_empty() {
                first = fields.iter().map(|field| field.span.clone()).collect();
            }
            rows.push(fields.into_iter().map(|field| field.text).collect::<Vec<String>>());
        }
        let end = source.text.len();
        let Some(header) = header else { return Err(refuse(0..0, "the file is empty".into())) };
        if rows.is_empty() {
            return Err(refuse(end..end, "there is no case below the first line".into()));
        }
        let paths = header.iter().map(|field| field.text.clone()).collect();
        let header = header.into_iter().map(|field| field.span).collect();
        Ok(Self { paths, rows, origin: Some(Origin { source, header, first }) })
    }

    /// The place of a path, or with `value` that of its first value; `None` of a table that is no file.
    pub(super) fn place(&self, column: usize, value: bool) -> Option<crate::source::Place> {
        let origin = self.origin.as_ref()?;
        let span = if value { origin.first.get(column)? } else { origin.header.get(column)? };
        Some(origin.source.place(span.start, span.end))
    }
}

/// Refuses a cell that is empty, not finite, or measures something else than those above it.
fn check_cell(field: &Field, kind: &mut Option<units::Quantity>) -> Result<(), String> {
    if field.text.is_empty() {
        return Err("a value is missing".into());
    }
    let Ok(quantity) = units::parse(&field.text) else { return Ok(()) };
    if !quantity.value.is_finite() {
        return Err("it is not a finite number".into());
    }
    match kind {
        Some(above) if quantity.has_unit && above.dimension != quantity.dimension => {
            Err(format!("it is {}, those above are {}", quantity.dimension.name(), above.dimension.name()))
        }
        // A bare number is in SI, whatever it measures.
        None if quantity.has_unit => {
            *kind = Some(quantity);
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_table_is_read_with_units_quotes_and_line_ends_of_any_kind() {
        let text = "\u{feff}rod.arm.length, load.tip.force\r\n240 mm,\"[0, 0, 1] N\"\r\n\r\n0.3,\"[0, 0, 2] N\"";
        let table = CasesTable::parse("cases.csv", text.into()).unwrap();
        assert_eq!(table.paths, ["rod.arm.length", "load.tip.force"]);
        assert_eq!(table.rows, [["240 mm", "[0, 0, 1] N"], ["0.3", "[0, 0, 2] N"]]);
        assert_eq!(table.place(1, true).map(|place| (place.line, place.column)), Some((2, 8)));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, line, column) in [
            ("", 1, 1),
            ("a,b\n", 2, 1),
            ("a,,c\n1,2,3\n", 1, 3),
            ("a,b\n1,2\n3\n", 3, 1),
            ("a,b\n1,2\n3,4,5\n", 3, 1),
            ("a,b\n1,\n", 2, 3),
            ("a,b\n1,nan\n", 2, 3),
            ("a,b\n1,inf mm\n", 2, 3),
            ("a,b\n1,1e999\n", 2, 3),
            ("a\n1 mm\n2 N\n", 3, 1),
            ("a,b\n1,\"2\n", 2, 3),
        ] {
            let refused = CasesTable::parse("cases.csv", text.into()).unwrap_err();
            assert_eq!(refused.fault.code(), "E0703", "{text:?}");
            assert_eq!(refused.place.map(|p| (p.line, p.column)), Some((line, column)), "{text:?}");
        }
    }
}
