//! One solve per line of a table; its columns fill the scene and say what should come out.

use crate::error::CaseError;
use crate::quantity::{Measured, Quantity};
use crate::report::Row;
use crate::solved::Solved;
use crate::table::{Line, Table};
use crate::template;
use crate::truth::TruePoses;
use lissome::solve::StaticOptions;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Bars on figures, each by its name.
type Bars = BTreeMap<Quantity, f64>;

/// One solve per line of a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equilibrium {
    scene: String,
    /// Columns: `name`; those that `set` uses; `points`, a table of true poses; expected figures. A cell may be empty.
    table: String,
    /// Settings `path=value` of the scene with `{column}` to fill.
    #[serde(default)]
    set: Vec<String>,
    /// |measured − expected| at most.
    #[serde(default)]
    within: Bars,
    /// |measured − expected|/|expected| at most.
    #[serde(default)]
    within_relative: Bars,
    #[serde(default)]
    at_most: Bars,
    #[serde(default)]
    at_least: Bars,
}

impl Equilibrium {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let table = Table::read(&format!("{folder}/{}", self.table))?;
        let mut rows = Vec::new();
        for line in table.lines() {
            self.line(folder, &line, &mut rows)?;
        }
        Ok(rows)
    }

    fn line(&self, folder: &str, line: &Line<'_>, rows: &mut Vec<Row>) -> Result<(), CaseError> {
        let name = line.cell("name").unwrap_or("");
        let settings = template::fill_all(&self.set, &|column| line.cell(column).map(str::to_owned))?;
        let scene = template::scene(&format!("{folder}/{}", self.scene), &settings)?;
        let solved = Solved::new(scene, &StaticOptions::default())?.converged(name)?;
        let points = line.cell("points").map(|file| TruePoses::from_table(&format!("{folder}/{file}"))).transpose()?;
        let measured = Measured::new(&solved, points);
        let title = |quantity: Quantity| format!("{name}: {}", quantity.words());

        for (quantity, tolerance) in &self.within {
            let Some(expected) = line.number(quantity.column())? else { continue };
            let Some(figure) = measured.figure(*quantity, expected)? else { continue };
            rows.push(Row::within(title(*quantity), expected, figure, (figure - expected).abs(), *tolerance));
        }
        for (quantity, tolerance) in &self.within_relative {
            let Some(expected) = line.number(quantity.column())? else { continue };
            let Some(figure) = measured.figure(*quantity, expected)? else { continue };
            let error = (figure / expected - 1.0).abs();
            rows.push(Row::within(format!("{}, relative", title(*quantity)), expected, figure, error, *tolerance));
        }
        for (quantity, bar) in &self.at_most {
            let Some(figure) = measured.figure(*quantity, 0.0)? else { continue };
            rows.push(match quantity.is_deviation() {
                true => Row::deviation(title(*quantity), figure, *bar),
                false => Row::at_most(format!("{}, at most", title(*quantity)), figure, *bar),
            });
        }
        for (quantity, bar) in &self.at_least {
            let Some(figure) = measured.figure(*quantity, 0.0)? else { continue };
            rows.push(Row::at_least(format!("{}, at least", title(*quantity)), figure, *bar));
        }
        Ok(())
    }
}
