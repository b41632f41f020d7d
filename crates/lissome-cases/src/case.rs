//! A case as its `case.toml` describes it.

use crate::benchmark::Benchmark;
use crate::embedded;
use crate::error::CaseError;
use crate::report::Row;
use crate::study::Study;
use serde::Deserialize;

/// A case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// One line for people.
    pub title: String,
    /// Where the numbers come from, by bibliography keys.
    pub source: String,
    /// What it asks.
    #[serde(default)]
    pub study: Vec<Study>,
    /// What it times.
    #[serde(default)]
    pub bench: Vec<Benchmark>,
    #[serde(skip)]
    folder: String,
}

impl Case {
    /// Reads an embedded case.
    pub fn read(name: &str) -> Result<Self, CaseError> {
        let path = format!("{name}/case.toml");
        let case: Self = toml::from_str(embedded::text(&path)?)
            .map_err(|error| CaseError::Case { path, message: error.to_string() })?;
        Ok(Self { folder: name.to_owned(), ..case })
    }

    /// Asks every question. One that cannot be asked is a row that fails.
    pub fn rows(&self) -> Vec<Row> {
        let ask = |study: &Study| study.rows(&self.folder).unwrap_or_else(|error| vec![Row::broken(&error)]);
        self.study.iter().flat_map(ask).collect()
    }
}
