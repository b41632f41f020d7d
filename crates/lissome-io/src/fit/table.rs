//! The data of a fit: a line of names, then a line for each reading.
//!
//! ```text
//! load.tip.force.z (N), arm.tip.position.x (mm), arm.tip.position.z (mm), arm.tip.position.z.sigma (mm)
//! 0.1,                  982.1,                   152.3,                   0.2
//! 0.2,                  ,                        301.9,                   0.2
//! ```
//!
//! An empty cell was not measured. What a column means is found out by whoever knows the scene.

use super::FitFault;
use crate::diagnostic::Diagnostic;
use crate::fault::{Fault, Severity};
use crate::files::read_limited;
use crate::scene::dimension::Dimension;
use crate::scene::{self, LoadedScene, units};
use crate::source::{Source, Span};
use crate::sweep::csv::{self, Field};
use crate::sweep::door::is_of_kind;
use std::ops::Range;
use std::path::Path;

/// Largest table that is read, bytes.
const LIMIT: u64 = 64 << 20;

/// What the user says a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `set:`
    Set,
    /// `measured:`
    Measured,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataColumn {
    /// Its name, without mark and unit.
    pub name: String,
    /// What the user says it is.
    pub mark: Option<Mark>,
    /// Its unit; empty for SI, or where cells have their own.
    pub unit: String,
    span: Range<usize>,
}

/// A table of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataTable {
    /// The columns.
    pub columns: Vec<DataColumn>,
    rows: Vec<Vec<Field>>,
    source: Source,
}

impl DataTable {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let bytes = read_limited(path, LIMIT).map_err(|fault| vec![Diagnostic::new(fault)])?;
        let name = path.display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(&name, text).map_err(|diagnostic| vec![*diagnostic]),
            Err(error) => {
                let byte = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let span = Some(Span::new(0, byte..byte + 1));
                Err(vec![Diagnostic::at(Fault::NotUtf8 { byte }, None, span, &[Source { name, text }])])
            }
        }
    }

    /// Reads a text; `name` stands for the file in messages.
    pub fn parse(name: &str, text: String) -> Result<Self, Box<Diagnostic>> {
        let source = Source { name: name.to_owned(), text };
        let mut table = Self { columns: Vec::new(), rows: Vec::new(), source };
        let text = table.source.text.clone();
        // Spreadsheets begin their files with a mark of the encoding.
        let mut offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        for line in text[offset..].split_inclusive('\n') {
            let (start, whole) = (offset, line.trim_end_matches(['\n', '\r']));
            offset += line.len();
            if whole.trim().is_empty() || whole.trim_start().starts_with('#') {
                continue;
            }
            let fields = csv::fields(whole, start)
                .map_err(|span| table.refuse(span, "a double quote is not closed, or something follows it".into()))?;
            if table.columns.is_empty() {
                table.columns = table.read_header(fields)?;
                continue;
            }
            if fields.len() != table.columns.len() {
                let (found, wanted) = (fields.len(), table.columns.len());
                let reason = format!("this line has {found} values, the first has {wanted} names");
                return Err(table.refuse(start..start + whole.len(), reason));
            }
            table.rows.push(fields);
        }
        let end = table.source.text.len();
        if table.columns.is_empty() {
            return Err(table.refuse(0..0, "the file is empty".into()));
        }
        if table.rows.is_empty() {
            return Err(table.refuse(end..end, "there is no row below the first line".into()));
        }
        Ok(table)
    }

    fn read_header(&self, fields: Vec<Field>) -> Result<Vec<DataColumn>, Box<Diagnostic>> {
        let mut columns: Vec<DataColumn> = Vec::new();
        for (index, field) in fields.into_iter().enumerate() {
            let text = field.text.as_str();
            // A unit stands apart, so that the place of `arm.at(0.5)` is none.
            let (name, unit) =
                match text.rsplit_once(" (").and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?))) {
                    Some((name, unit)) => (name.trim(), unit.trim()),
                    None => (text, ""),
                };
            let (mark, name) = match (name.strip_prefix("set:"), name.strip_prefix("measured:")) {
                (Some(rest), _) => (Some(Mark::Set), rest.trim()),
                (_, Some(rest)) => (Some(Mark::Measured), rest.trim()),
                _ => (None, name),
            };
            if name.is_empty() {
                return Err(self.refuse(field.span, format!("column {} has no name", index + 1)));
            }
            if columns.iter().any(|other| other.name == name && other.mark == mark) {
                return Err(self.refuse(field.span, format!("column `{name}` is there twice")));
            }
            columns.push(DataColumn { name: name.to_owned(), mark, unit: unit.to_owned(), span: field.span });
        }
        Ok(columns)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there is no row; tables that are read have at least one.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The text of a cell.
    pub fn text(&self, row: usize, column: usize) -> &str {
        &self.rows[row][column].text
    }

    /// Line of a row in the file, from 1.
    pub fn line(&self, row: usize) -> usize {
        let start = self.rows[row].first().map_or(0, |field| field.span.start);
        self.source.place(start, start).line
    }

    fn refuse(&self, span: Range<usize>, reason: String) -> Box<Diagnostic> {
        self.complain(span, FitFault::BadData { reason })
    }

    fn complain(&self, span: Range<usize>, fault: FitFault) -> Box<Diagnostic> {
        let sources = std::slice::from_ref(&self.source);
        Box::new(Diagnostic::at(Fault::Fit(fault), None, Some(Span::new(0, span)), sources))
    }

    /// A fault at the name of a column.
    pub fn refuse_column(&self, column: usize, fault: FitFault) -> Box<Diagnostic> {
        self.complain(self.columns[column].span.clone(), fault)
    }

    /// A fault at a cell.
    pub fn refuse_cell(&self, row: usize, column: usize, reason: String) -> Box<Diagnostic> {
        self.refuse(self.rows[row][column].span.clone(), reason)
    }

    /// A diagnostic about a value of a cell, or with `name` about its column, at its place.
    pub fn place(&self, mut diagnostic: Diagnostic, row: usize, column: usize, name: bool) -> Diagnostic {
        let span = if name { &self.columns[column].span } else { &self.rows[row][column].span };
        diagnostic.place = Some(self.source.place(span.start, span.end));
        diagnostic
    }

    /// Refuses the unit of a column that measures something else.
    pub fn check_unit(&self, column: usize, dimension: Dimension) -> Result<(), Box<Diagnostic>> {
        let own = &self.columns[column];
        if own.unit.is_empty() {
            return Ok(());
        }
        match units::parse(&format!("1 {}", own.unit)) {
            Ok(quantity) if dimension.accepts(quantity.dimension) => Ok(()),
            Ok(quantity) => Err(self.wrong_unit(column, quantity.dimension, dimension)),
            Err(_) => {
                Err(self.complain(own.span.clone(), FitFault::BadData { reason: format!("`{}` is no unit", own.unit) }))
            }
        }
    }

    fn wrong_unit(&self, column: usize, found: Dimension, expected: Dimension) -> Box<Diagnostic> {
        let name = self.columns[column].name.clone();
        let (found, example) = (found.name(), expected.example());
        self.refuse_column(column, FitFault::WrongUnit { name, found, expected: expected.name(), example })
    }

    /// The number in a cell, SI; `None` if it is empty.
    pub fn number(&self, row: usize, column: usize, dimension: Dimension) -> Result<Option<f64>, Box<Diagnostic>> {
        let text = self.text(row, column);
        if text.is_empty() {
            return Ok(None);
        }
        let refuse = |reason: String| Err(self.refuse_cell(row, column, reason));
        let Ok(quantity) = units::parse(text) else { return refuse(format!("`{}` is no number", clip(text))) };
        if !quantity.value.is_finite() {
            return refuse("it is not a finite number".into());
        }
        let unit = &self.columns[column].unit;
        match (quantity.has_unit, unit.is_empty()) {
            (true, false) => refuse("its unit stands in the first line already".into()),
            (true, true) if !dimension.accepts(quantity.dimension) => {
                refuse(format!("it is {}; wanted is {}", quantity.dimension.name(), dimension.name()))
            }
            (false, false) => Ok(units::parse(&format!("{text} {unit}")).ok().map(|quantity| quantity.value)),
            _ => Ok(Some(quantity.value)),
        }
    }

    /// What a cell would be written as after `path=`, with the unit of its column.
    pub fn assignment(&self, row: usize, column: usize) -> Result<String, Box<Diagnostic>> {
        let (text, own) = (self.text(row, column), &self.columns[column]);
        if text.is_empty() {
            let reason = format!("`{}` is not set in this row; only measured values may be missing", own.name);
            return Err(self.refuse_cell(row, column, reason));
        }
        let unit = if own.unit.is_empty() { String::new() } else { format!(" {}", own.unit) };
        Ok(format!("{}={text}{unit}", own.name))
    }
}

impl DataTable {
    /// Refuses a column whose name or kind of values the scene of this text cannot be set with; `None` if no path is called so.
    pub fn check_setting(&self, scene: &str, row: usize, column: usize) -> Result<Option<()>, Box<Diagnostic>> {
        let assignment = self.assignment(row, column)?;
        let Err(complaints) = scene::parse("scene.toml", scene.to_owned(), std::slice::from_ref(&assignment)) else {
            return Ok(Some(()));
        };
        let errors = complaints.into_iter().filter(|complaint| complaint.severity() == Severity::Error);
        let Some(complaint) = errors.into_iter().find(is_of_kind) else { return Ok(Some(())) };
        let path_end = assignment.split_once('=').map_or(0, |(path, _)| path.chars().count());
        let of_argument = complaint.place.as_ref().filter(|place| place.file.starts_with("argument "));
        match of_argument.map(|place| place.column > path_end + 1) {
            Some(true) => Err(Box::new(self.place(complaint, row, column, false))),
            _ => Ok(None),
        }
    }

    /// The scene of a row, whose settings stand in these columns.
    pub fn scene(&self, scene: &str, row: usize, settings: &[usize]) -> Result<LoadedScene, Vec<Diagnostic>> {
        let assignments = settings.iter().map(|column| self.assignment(row, *column)).collect::<Result<Vec<_>, _>>();
        let assignments = assignments.map_err(|diagnostic| vec![*diagnostic])?;
        let placed = |complaint: Diagnostic| {
            let number = complaint.place.as_ref().and_then(|place| place.file.strip_prefix("argument ")?.parse().ok());
            match number.and_then(|number: usize| settings.get(number.checked_sub(1)?)) {
                Some(column) => self.place(complaint, row, *column, false),
                None => complaint,
            }
        };
        scene::parse("scene.toml", scene.to_owned(), &assignments)
            .map_err(|complaints| complaints.into_iter().map(placed).collect())
    }
}

/// A text that is shown in a complaint.
fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_marks_units_and_numbers_are_read() {
        let text = "\u{feff}set:a.tension (N), arm.at(0.5).position.x (mm),b\r\n# a remark\r\n3,12.5,4 deg\r\n4,,\r\n";
        let table = DataTable::parse("d.csv", text.into()).unwrap();
        let named: Vec<_> = table.columns.iter().map(|own| (own.name.as_str(), own.mark, own.unit.as_str())).collect();
        assert_eq!(
            named,
            [("a.tension", Some(Mark::Set), "N"), ("arm.at(0.5).position.x", None, "mm"), ("b", None, "")]
        );
        assert_eq!(table.assignment(0, 0).unwrap(), "a.tension=3 N");
        assert!((table.number(0, 1, Dimension::LENGTH).unwrap().unwrap() - 0.0125).abs() < 1e-15);
        assert!((table.number(0, 2, Dimension::ANGLE).unwrap().unwrap() - 4f64.to_radians()).abs() < 1e-15);
        assert_eq!(table.number(1, 1, Dimension::LENGTH).unwrap(), None);
        assert_eq!((table.line(0), table.line(1)), (3, 4));
        assert!(table.check_unit(1, Dimension::LENGTH).is_ok());
        assert_eq!(table.check_unit(1, Dimension::FORCE).unwrap_err().fault.code(), "E0744");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, line, column) in [
            ("", 1, 1),
            ("a,b\n", 2, 1),
            ("a,,c\n1,2,3\n", 1, 3),
            ("a,a\n1,2\n", 1, 3),
            ("a,b\n1,2\n3\n", 3, 1),
            ("a,b\n1,2\n3,4,5\n", 3, 1),
            ("a,b\n1,\"2\n", 2, 3),
        ] {
            let refused = DataTable::parse("d.csv", text.into()).unwrap_err();
            assert_eq!(refused.fault.code(), "E0741", "{text:?}");
            assert_eq!(refused.place.map(|p| (p.line, p.column)), Some((line, column)), "{text:?}");
        }
        for (cell, reason) in [("nan", "finite"), ("x", "no number"), ("3 mm", "first line"), ("1e999", "finite")] {
            let table = DataTable::parse("d.csv", format!("a (mm)\n1\n{cell}\n")).unwrap();
            let refused = table.number(1, 0, Dimension::LENGTH).unwrap_err();
            assert!(refused.fault.text().reason.contains(reason), "{cell}");
            assert_eq!(refused.place.map(|p| (p.line, p.column)), Some((3, 1)));
        }
    }
}
