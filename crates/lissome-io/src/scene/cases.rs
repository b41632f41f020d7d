//! `[cases]`: the table of cases that a scene brings along, for `lissome sweep`.
//!
//! ```toml
//! [cases]                                # each key a dotted path, each array its values, case by case
//! rod.arm.tip.position = [[0.3, 0, 0], [0.3, 0.1, 0]]
//! ```
//!
//! or `cases = "ends.csv"`, a file beside the scene.

use super::document::{Document, Node, Table, Value};
use super::findings::Findings;
use super::write;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::source::Span;
use crate::sweep::{CasesTable, SweepFault};
use std::path::Path;

/// A column: its path, where that was written, and its values.
type Column<'d> = (String, Span, &'d [Node]);

/// The cases of a scene, if it has any; files are sought from `folder` on.
pub fn read(document: &Document, folder: &Path) -> Result<Option<CasesTable>, Vec<Diagnostic>> {
    let Some(entry) = document.root.entry("cases") else { return Ok(None) };
    if let Value::Text(file) = &entry.node.value {
        return CasesTable::load(&folder.join(file)).map(Some);
    }
    let refuse = |reason: String, path: String, span| {
        let fault = Fault::Sweep(SweepFault::BadCases { reason });
        Err(vec![Diagnostic::at(fault, Some(path), Some(span), &document.sources)])
    };
    let Value::Table(table) = &entry.node.value else {
        return refuse(format!("{} is no table of cases", entry.node.value.kind()), "cases".into(), entry.node.span);
    };
    let mut columns = Vec::new();
    if let Err((path, span)) = collect(table, "", &mut columns) {
        return refuse("an array with one value for each case is wanted".into(), format!("cases.{path}"), span);
    }
    let Some(count) = columns.first().map(|(_, _, values)| values.len()).filter(|count| *count > 0) else {
        return refuse("there is no case".into(), "cases".into(), entry.node.span);
    };
    if let Some((path, span, values)) = columns.iter().find(|(_, _, values)| values.len() != count) {
        let reason = format!("it has {} values, `{}` has {count}", values.len(), columns[0].0);
        return refuse(reason, format!("cases.{path}"), *span);
    }
    let rows = (0..count).map(|case| columns.iter().map(|(_, _, values)| cell(&values[case])).collect());
    let rows: Vec<Vec<String>> = rows.collect();
    Ok(Some(CasesTable::new(columns.into_iter().map(|(path, _, _)| path).collect(), rows)))
}

/// A value as it would stand after `path=`.
fn cell(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        _ => write::inline(node),
    }
}

/// Every array below a table under its dotted path; else the path and the place of what is none.
fn collect<'d>(table: &'d Table, path: &str, columns: &mut Vec<Column<'d>>) -> Result<(), (String, Span)> {
    for entry in &table.entries {
        let own = if path.is_empty() { entry.name.clone() } else { format!("{path}.{}", entry.name) };
        match &entry.node.value {
            Value::Array(values) => columns.push((own, entry.name_span, values)),
            Value::Table(inner) => collect(inner, &own, columns)?,
            _ => return Err((own, entry.node.span)),
        }
    }
    Ok(())
}

/// Names the file of cases from the root of all folders, so that the scene can be swept from anywhere.
pub fn fix_file(root: &mut Table, folder: &Path) {
    if let Some(Value::Text(file)) = root.entry_mut("cases").map(|entry| &mut entry.node.value)
        && let Ok(whole) = folder.join(&file).canonicalize()
    {
        *file = whole.display().to_string();
    }
}

/// What stands under `cases` is a table or the name of a file; the rest is looked at by whoever sweeps.
pub fn check(root: &Table, findings: &mut Findings) {
    if let Some(entry) = root.entry("cases")
        && !matches!(entry.node.value, Value::Table(_) | Value::Text(_))
    {
        let found = entry.node.value.kind();
        let fault = Fault::WrongType { expected: "a table or a file", found, example: "\"cases.csv\"" };
        findings.add::<()>(fault, "cases", Some(entry.node.span));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn cases(text: &str) -> Result<Option<CasesTable>, Vec<Diagnostic>> {
        read(&Document::parse("x.toml", text.into()).unwrap(), Path::new("."))
    }

    #[test]
    fn columns_are_arrays_under_dotted_paths() {
        assert_eq!(cases("schema = 1\n"), Ok(None));
        let text = "[cases]\nrod.arm.length = [\"200 mm\", 0.3]\nload.tip.force = [[0, 0, 1], \"[0, 0, 2] N\"]\n";
        let table = cases(text).unwrap().unwrap();
        assert_eq!(table.paths, ["rod.arm.length", "load.tip.force"]);
        assert_eq!(table.rows, [["200 mm", "[0, 0, 1]"], ["0.3", "[0, 0, 2] N"]]);
    }

    #[test]
    fn what_is_no_table_of_cases_is_told_with_its_place() {
        for (text, line, column) in [
            ("cases = 3\n", 1, 9),
            ("[cases]\n", 1, 1),
            ("[cases]\na = []\n", 1, 1),
            ("[cases]\na.b = 1\n", 2, 7),
            ("[cases]\na = [1, 2]\nb = [1]\n", 3, 1),
        ] {
            let refused = cases(text).unwrap_err();
            assert_eq!(refused[0].fault.code(), "E0703", "{text:?}");
            assert_eq!(refused[0].place.as_ref().map(|p| (p.line, p.column)), Some((line, column)), "{text:?}");
        }
    }
}
