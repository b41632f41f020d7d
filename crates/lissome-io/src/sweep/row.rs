//! A sweep that was accepted, and the rows of its table.

use super::csv::quoted;
use super::plan::Plan;
use super::{door, outputs};
use crate::diagnostic::Diagnostic;
use crate::files::sha256;
use crate::scene::{self, LoadedScene, units};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::fmt::Write as _;

/// A scene, the cases that it is swept over, and the numbers that are kept of each.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The scene with the values that all cases share.
    pub base: LoadedScene,
    /// The same as text.
    pub text: String,
    /// The cases.
    pub plan: Plan,
    /// Columns of the table that an answer fills.
    pub outputs: Vec<String>,
    /// True for each swept path whose values are all numbers.
    numeric: Vec<bool>,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Number of the case, from 0.
    pub case: usize,
    /// The row as it stands in `table.csv`, without a line end.
    pub line: String,
}

impl Sweep {
    /// Checks that every path leads somewhere and that the outputs are there. `fixed` are the assignments that `base` was
    /// read with.
    pub fn new(base: LoadedScene, plan: Plan, fixed: &[String], wanted: &[String]) -> Result<Self, Vec<Diagnostic>> {
        let text = base.to_toml();
        door::check(&base, &text, &plan, fixed)?;
        let known = outputs::names(&base.scene);
        let outputs = outputs::select(&known, wanted).map_err(|fault| vec![Diagnostic::new(fault)])?;
        Ok(Self::of(base, text, plan, outputs))
    }

    /// Back from the texts of the scene and of [`Self::plan_text`], which were checked before; `None` if the plan is none.
    pub fn from_texts(name: &str, text: String, plan_text: &str) -> Result<Option<Self>, Vec<Diagnostic>> {
        let json: Json = serde_json::from_str(plan_text).unwrap_or_default();
        let names = json["outputs"].as_array();
        let outputs: Option<Vec<String>> =
            names.and_then(|names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect());
        let Some((plan, outputs)) = Plan::from_json(&json["plan"]).zip(outputs) else { return Ok(None) };
        let base = scene::parse(name, text.clone(), &[])?;
        Ok(Some(Self::of(base, text, plan, outputs)))
    }

    /// Of parts that were checked before.
    fn of(base: LoadedScene, text: String, plan: Plan, outputs: Vec<String>) -> Self {
        let numeric = match &plan {
            Plan::Table(table) => (0..table.paths.len())
                .map(|column| table.rows.iter().all(|row| units::parse(&row[column]).is_ok()))
                .collect(),
            _ => vec![true; plan.axes().len()],
        };
        Self { base, text, plan, outputs, numeric }
    }

    /// Columns that an answer may fill, before any are chosen.
    pub fn columns_of(base: &LoadedScene) -> usize {
        outputs::names(&base.scene).len()
    }

    /// The scene of a case, or why it is refused.
    pub fn scene(&self, case: usize) -> Result<LoadedScene, Vec<Diagnostic>> {
        scene::parse("scene.toml", self.text.clone(), &self.plan.assignments(case))
    }

    /// Names of all columns, in order.
    pub fn columns(&self) -> Vec<String> {
        let swept = self.plan.paths().into_iter().map(str::to_owned);
        let behind = ["status", "code"].map(str::to_owned);
        std::iter::once("case".to_owned()).chain(swept).chain(self.outputs.iter().cloned()).chain(behind).collect()
    }

    /// Whether each column but `status` and `code` holds numbers.
    pub fn are_numbers(&self) -> Vec<bool> {
        let outputs = self.outputs.iter().map(|_| true);
        std::iter::once(true).chain(self.numeric.iter().copied()).chain(outputs).collect()
    }

    /// The first line of the table.
    pub fn header(&self) -> String {
        self.columns().iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",")
    }

    /// The row of a case. Outputs that are not among `values` are not numbers.
    pub fn row(&self, case: usize, values: &[(String, f64)], status: &str, code: &str) -> Row {
        let mut line = case.to_string();
        for (value, numeric) in self.plan.values(case).iter().zip(&self.numeric) {
            let number = units::parse(value).ok().filter(|_| *numeric);
            // Writing to a String cannot fail.
            let _ = match number {
                Some(quantity) => write!(line, ",{:?}", quantity.value),
                None => write!(line, ",{}", quoted(value)),
            };
        }
        let by_name: HashMap<&str, f64> = values.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        for name in &self.outputs {
            // `{:?}` is the shortest text that reads back to the same bits.
            let _ = write!(line, ",{:?}", by_name.get(name.as_str()).copied().unwrap_or(f64::NAN));
        }
        let _ = write!(line, ",{status},{code}");
        Row { case, line }
    }

    /// `plan.json`: the cases and the columns.
    pub fn plan_text(&self) -> String {
        format!("{:#}\n", json!({ "plan": self.plan.to_json(), "outputs": self.outputs }))
    }

    /// Hashes of the scene and of the plan, by which a sweep is known.
    pub fn hashes(&self) -> [String; 2] {
        [sha256(self.text.as_bytes()), sha256(self.plan_text().as_bytes())]
    }
}
