//! How outputs of an equilibrium, or of a motion at its end, change with numbers of its scene, beside closed forms.

use crate::error::CaseError;
use crate::report::Row;
use lissome::Unobserved;
use lissome::derivatives::{Source, of_motion};
use lissome::io::{LoadedScene, scene};
use lissome::model::Job;
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
        if matches!(file.scene.job, Job::Dynamics(_)) {
            return self.rows_of_motion(&file, &refused);
        }
        let at = solve(&file.scene, Judgement::Sign, &mut Unobserved)?;
        let source = Source::of(&file);
        let mut rows = Vec::new();
        for Expect { of, wrt, value } in &self.expect {
            let found = at.derivatives(source, &[of], &[wrt]).map_err(|told| refused(told.to_string()))?;
            let measured = found.values[(0, 0)];
            let error = (measured / value - 1.0).abs();
            rows.push(Row::within(format!("{of} by {wrt}, relative"), *value, measured, error, self.within));
        }
        Ok(rows)
    }

    /// Of the last moment of a motion.
    fn rows_of_motion(&self, file: &LoadedScene, refused: &dyn Fn(String) -> CaseError) -> Result<Vec<Row>, CaseError> {
        let unique = |name: fn(&Expect) -> &str| {
            let mut names: Vec<&str> = self.expect.iter().map(name).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        let (of, wrt) = (unique(|expect| &expect.of), unique(|expect| &expect.wrt));
        let (_, found) = of_motion(file, &of, &wrt, None, &mut Unobserved)
            .map_err(|told| refused(told.first().map_or_else(String::new, ToString::to_string)))?;
        let row = |Expect { of: own, wrt: by, value }: &Expect| {
            let place = (of.iter().position(|name| name == own)?, wrt.iter().position(|name| name == by)?);
            let measured = *found.jacobians.last()?.get(place)?;
            let error = (measured / value - 1.0).abs();
            Some(Row::within(format!("{own} by {by}, relative"), *value, measured, error, self.within))
        };
        let rows: Option<Vec<Row>> = self.expect.iter().map(row).collect();
        rows.ok_or_else(|| refused("the motion did not reach its end".into()))
    }
}
