//! Tables of the cases: CSV with a header, no quotes; an empty cell means "not given".

use crate::embedded;
use crate::error::CaseError;

/// A table and where it came from.
#[derive(Clone, Debug)]
pub struct Table {
    path: String,
    header: Vec<&'static str>,
    lines: Vec<Vec<&'static str>>,
}

/// One line of a [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    table: &'a Table,
    index: usize,
}

impl Table {
    /// Reads an embedded table.
    pub fn read(path: &str) -> Result<Self, CaseError> {
        Self::parse(path, embedded::text(path)?)
    }

    fn parse(path: &str, text: &'static str) -> Result<Self, CaseError> {
        let mut rows = text.lines().map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
        let header = rows.next().unwrap_or_default();
        let lines: Vec<_> = rows.collect();
        if let Some(index) = lines.iter().position(|cells| cells.len() != header.len()) {
            return Err(CaseError::Ragged { path: path.to_owned(), line: index + 2 });
        }
        Ok(Self { path: path.to_owned(), header, lines })
    }

    /// The lines below the header.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        (0..self.lines.len()).map(|index| Line { table: self, index })
    }
}

impl<'a> Line<'a> {
    /// The cell, unless it is empty or there is no such column.
    pub fn cell(&self, column: &str) -> Option<&'a str> {
        let at = self.table.header.iter().position(|name| *name == column)?;
        Some(self.table.lines[self.index][at]).filter(|text| !text.is_empty())
    }

    /// The number in a cell, if one is given.
    pub fn number(&self, column: &str) -> Result<Option<f64>, CaseError> {
        let Some(text) = self.cell(column) else { return Ok(None) };
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(CaseError::Cell {
                path: self.table.path.clone(),
                line: self.index + 2,
                column: column.to_owned(),
                text: text.to_owned(),
            }),
        }
    }

    /// The number in a cell that must be given.
    pub fn need(&self, column: &str) -> Result<f64, CaseError> {
        let missing = || CaseError::NoColumn { path: self.table.path.clone(), column: column.to_owned() };
        self.number(column)?.ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn reads_cells_and_knows_what_is_missing() {
        let table = Table::parse("t.csv", "name,a,b\none,1.5,\ntwo, 2e-3 ,x\n").unwrap();
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines[0].cell("name"), Some("one"));
        assert_eq!(lines[0].number("a").unwrap(), Some(1.5));
        assert_eq!(lines[0].number("b").unwrap(), None);
        assert_eq!(lines[0].number("c").unwrap(), None);
        assert_eq!(lines[1].need("a").unwrap(), 2e-3);
        assert!(matches!(lines[1].number("b"), Err(CaseError::Cell { line: 3, .. })));
        assert!(matches!(lines[0].need("c"), Err(CaseError::NoColumn { .. })));
        assert!(matches!(Table::parse("t.csv", "a,b\n1\n"), Err(CaseError::Ragged { line: 2, .. })));
    }
}
