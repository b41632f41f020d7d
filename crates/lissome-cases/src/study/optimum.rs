//! Numbers that an optimisation finds, beside published and analytic optima.

use crate::error::CaseError;
use crate::report::Row;
use lissome::io::scene;
use lissome::{Answer, Unobserved};
use serde::Deserialize;

/// A scene whose job is to optimise, and what it should find.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Optimise {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    expect: Vec<Expect>,
    /// Relative.
    within: f64,
}

/// One figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// `objective`, `ratio` (to that at the start), or the path of a free number.
    of: String,
    quantity: String,
    value: f64,
}

impl Optimise {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let path = format!("{folder}/{}", self.scene);
        let refused = |told: Vec<lissome::io::Diagnostic>| CaseError::Scene {
            path: path.clone(),
            message: told.first().map_or_else(String::new, ToString::to_string),
        };
        let text = crate::embedded::text(&path)?.to_owned();
        let file = scene::parse(&path, text, &self.set).map_err(refused)?;
        let Answer::Statics(found) = lissome::run_file(&file, &mut Unobserved).map_err(refused)? else {
            return Err(CaseError::WrongJob { what: path, need: "an optimisation" });
        };
        let Some(record) = &found.optimum else {
            return Err(CaseError::WrongJob { what: path, need: "an optimisation with an equilibrium to begin with" });
        };
        let mut rows = vec![Row::at_most(format!("{}: conditions of a minimum", self.scene), record.kkt, KKT)];
        rows.push(Row::at_most(format!("{}: violation of constraints", self.scene), record.violation, VIOLATION));
        for Expect { of, quantity, value } in &self.expect {
            let start = record.rounds.first().map_or(f64::NAN, |first| first.objective);
            let measured = match of.as_str() {
                "objective" => record.objective,
                "ratio" => record.objective / start,
                free => record.free.iter().find(|own| own.path == free).map_or(f64::NAN, |own| own.value),
            };
            let error = (measured / value - 1.0).abs();
            let error = if error.is_nan() { f64::INFINITY } else { error };
            rows.push(Row::within(format!("{quantity}, relative"), *value, measured, error, self.within));
        }
        Ok(rows)
    }
}

/// What the program promises where it says that a search converged.
const KKT: f64 = 1e-4;
const VIOLATION: f64 = 1e-6;
