//! How outputs of an equilibrium change with numbers of its scene, beside closed forms.

use crate::error::CaseError;
use crate::report::Row;
use lissome::Unobserved;
use lissome::derivatives::Source;
use lissome::io::scene;
use lissome::robot::{Judgement, solve};
use serde::Deserialize;

/// Derivatives by their dotted paths.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derivatives {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    expect: Vec<Expect>,
    /// Relative.
    within: f64,
}

/// One derivative.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    of: String,
    wrt: String,
    value: f64,
}

impl Derivatives {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let path = format!("{folder}/{}", self.scene);
        let refused = |message: String| CaseError::Scene { path: path.clone(), message };
        let text = crate::embedded::text(&path)?.to_owned();
        let file = scene::parse(&path, text, &self.set)
            .map_err(|told| refused(told.first().map_or_else(String::new, ToString::to_string)))?;
        let at = solve(&file.scene, Judgement::Sign, &mut Unobserved)?;
        let source = Source { file: Some(&file), drives: &[] };
        let mut rows = Vec::new();
        for Expect { of, wrt, value } in &self.expect {
            let found = at.derivatives(source, &[of], &[wrt]).map_err(|told| refused(told.to_string()))?;
            let measured = found.values[(0, 0)];
            let error = (measured / value - 1.0).abs();
            rows.push(Row::within(format!("{of} by {wrt}, relative"), *value, measured, error, self.within));
        }
        Ok(rows)
    }
}
