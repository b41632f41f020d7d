//! What a sweep goes through: every case by its number.

use super::axis::Axis;
use super::cases::CasesTable;
use super::fault::SweepFault;
use super::latin::hypercube;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use serde_json::{Value as Json, json};

/// Cases of one sweep; all their rows are held in memory.
pub const MOST_CASES: usize = 1_000_000;

/// The cases of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Every value of each axis with every value of the others; the first axis changes slowest.
    Grid(Vec<Axis>),
    /// A Latin hypercube.
    Latin {
        /// Ranges.
        axes: Vec<Axis>,
        /// Number of cases.
        samples: usize,
        /// What the places follow from.
        seed: u64,
        /// Where each case stands on each axis, from 0 to 1.
        places: Vec<Vec<f64>>,
    },
    /// Cases from a file.
    Table(CasesTable),
}

impl Plan {
    /// Every combination of the axes that these arguments are; the number is that of the argument, from 0.
    pub fn grid(arguments: &[(usize, String)], columns: usize) -> Result<Self, Vec<Diagnostic>> {
        let axes = read_axes(arguments, true)?;
        let cases: f64 = axes.iter().map(|axis| axis.count.unwrap_or(1) as f64).product();
        check_count(cases, columns + axes.len())?;
        Ok(Self::Grid(axes))
    }

    /// A Latin hypercube over the ranges that these arguments are.
    pub fn latin(
        arguments: &[(usize, String)],
        samples: usize,
        seed: u64,
        columns: usize,
    ) -> Result<Self, Vec<Diagnostic>> {
        let axes = read_axes(arguments, false)?;
        check_count(samples as f64, columns + axes.len())?;
        if samples == 0 {
            let message = "--latin needs at least one case".into();
            return Err(vec![Diagnostic::new(Fault::Usage { message })]);
        }
        let places = hypercube(axes.len(), samples, seed);
        Ok(Self::Latin { axes, samples, seed, places })
    }

    /// The cases of a table.
    pub fn table(table: CasesTable, columns: usize) -> Result<Self, Vec<Diagnostic>> {
        check_count(table.rows.len() as f64, columns + table.paths.len())?;
        Ok(Self::Table(table))
    }

    /// Number of cases.
    pub fn len(&self) -> usize {
        match self {
            Self::Grid(axes) => axes.iter().map(|axis| axis.count.unwrap_or(1)).product(),
            Self::Latin { samples, .. } => *samples,
            Self::Table(table) => table.rows.len(),
        }
    }

    /// True if there is no case; plans that are read have at least one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The axes; none of a table.
    pub fn axes(&self) -> &[Axis] {
        match self {
            Self::Grid(axes) | Self::Latin { axes, .. } => axes,
            Self::Table(_) => &[],
        }
    }

    /// Dotted paths of what changes.
    pub fn paths(&self) -> Vec<&str> {
        match self {
            Self::Table(table) => table.paths.iter().map(String::as_str).collect(),
            _ => self.axes().iter().map(|axis| axis.path.as_str()).collect(),
        }
    }

    /// The values of a case, one for each path, as they stand after `path=`.
    pub fn values(&self, case: usize) -> Vec<String> {
        match self {
            Self::Grid(axes) => {
                let mut rest = case;
                let mut values: Vec<String> = axes
                    .iter()
                    .rev()
                    .map(|axis| {
                        let count = axis.count.unwrap_or(1);
                        let index = rest % count;
                        rest /= count;
                        axis.text(axis.nth(index))
                    })
                    .collect();
                values.reverse();
                values
            }
            Self::Latin { axes, places, .. } => {
                axes.iter().zip(places).map(|(axis, places)| axis.text(axis.at(places[case]))).collect()
            }
            Self::Table(table) => table.rows[case].clone(),
        }
    }

    /// A case as arguments of `run`.
    pub fn assignments(&self, case: usize) -> Vec<String> {
        self.paths().into_iter().zip(self.values(case)).map(|(path, value)| format!("{path}={value}")).collect()
    }

    /// As `plan.json` keeps it: texts, so that it is read back to the bit.
    pub fn to_json(&self) -> Json {
        let arguments = || self.axes().iter().map(|axis| axis.argument.as_str()).collect::<Vec<_>>();
        match self {
            Self::Grid(_) => json!({ "kind": "grid", "axes": arguments() }),
            Self::Latin { samples, seed, .. } => {
                json!({ "kind": "latin", "axes": arguments(), "samples": samples, "seed": seed })
            }
            Self::Table(table) => json!({ "kind": "table", "paths": table.paths, "rows": table.rows }),
        }
    }

    /// Back from [`Self::to_json`]; `None` if it is none.
    pub fn from_json(json: &Json) -> Option<Self> {
        let texts = |json: &Json| {
            json.as_array()?.iter().map(|text| Some(text.as_str()?.to_owned())).collect::<Option<Vec<String>>>()
        };
        let axes = || Some(texts(&json["axes"])?.into_iter().enumerate().collect::<Vec<_>>());
        match json["kind"].as_str()? {
            "grid" => Self::grid(&axes()?, 0).ok(),
            "latin" => {
                let samples = usize::try_from(json["samples"].as_u64()?).ok()?;
                Self::latin(&axes()?, samples, json["seed"].as_u64()?, 0).ok()
            }
            "table" => {
                let paths = texts(&json["paths"])?;
                let rows = json["rows"].as_array()?.iter().map(texts).collect::<Option<Vec<_>>>()?;
                let whole = !rows.is_empty() && rows.iter().all(|row| row.len() == paths.len());
                whole.then(|| Self::Table(CasesTable::new(paths, rows)))
            }
            _ => None,
        }
    }
}

fn read_axes(arguments: &[(usize, String)], counted: bool) -> Result<Vec<Axis>, Vec<Diagnostic>> {
    if arguments.is_empty() {
        return Err(vec![Diagnostic::new(Fault::Sweep(SweepFault::NothingSwept))]);
    }
    let (mut axes, mut wrong) = (Vec::new(), Vec::new());
    for (index, argument) in arguments {
        match Axis::read(argument, *index, counted) {
            Ok(axis) => axes.push(axis),
            Err(diagnostic) => wrong.push(*diagnostic),
        }
    }
    if wrong.is_empty() { Ok(axes) } else { Err(wrong) }
}

fn check_count(cases: f64, columns: usize) -> Result<(), Vec<Diagnostic>> {
    if cases > MOST_CASES as f64 {
        let fault = SweepFault::TooManyCases { cases, columns, limit: MOST_CASES };
        return Err(vec![Diagnostic::new(Fault::Sweep(fault))]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn arguments(texts: &[&str]) -> Vec<(usize, String)> {
        texts.iter().map(|text| (*text).to_owned()).enumerate().collect()
    }

    #[test]
    fn the_first_axis_of_a_grid_changes_slowest() {
        let plan = Plan::grid(&arguments(&["a.b=0..1 N:2", "c.d=1..3:3"]), 0).unwrap();
        let cases: Vec<String> = (0..plan.len()).map(|case| plan.assignments(case).join(" ")).collect();
        assert_eq!(cases[0], "a.b=0 N c.d=1");
        assert_eq!(cases[1], "a.b=0 N c.d=2");
        assert_eq!(cases[5], "a.b=1 N c.d=3");
    }

    #[test]
    fn plans_are_read_back_as_they_were() {
        let axes = arguments(&["a.b=0.1..0.7 mm", "c.d=-3..1e-3"]);
        let table = CasesTable::new(vec!["a".into()], vec![vec!["1 mm".into()], vec!["[0, 1, 2] N".into()]]);
        for plan in [
            Plan::grid(&arguments(&["a.b=0.1..0.7 mm:9"]), 0).unwrap(),
            Plan::latin(&axes, 20, u64::MAX, 0).unwrap(),
            Plan::Table(table),
        ] {
            let text = plan.to_json().to_string();
            let back = Plan::from_json(&serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!(plan, back);
        }
        for bad in [json!(null), json!({ "kind": "grid", "axes": ["a=1"] }), json!({ "kind": "table", "paths": [] })] {
            assert!(Plan::from_json(&bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn more_cases_than_anyone_can_wait_for_are_refused() {
        let huge = Plan::grid(&arguments(&["a=0..1:1000000", "b=0..1:1000000"]), 5).unwrap_err();
        assert_eq!(huge[0].fault.code(), "E0702");
        assert_eq!(Plan::grid(&[], 0).unwrap_err()[0].fault.code(), "E0707");
        assert_eq!(Plan::latin(&arguments(&["a=0..1"]), 0, 1, 0).unwrap_err()[0].fault.code(), "E0001");
    }
}
