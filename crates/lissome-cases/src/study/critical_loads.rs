//! The lowest critical loads of a scene whose job is `buckling`.

use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::solve::buckling::CriticalKind;
use lissome::{Answer, Unobserved};
use serde::Deserialize;

/// Critical loads as the whole program finds them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CriticalLoads {
    scene: String,
    /// Words for the loads.
    quantity: String,
    /// The source's values, from the lowest.
    expected: Vec<f64>,
    /// Relative.
    within: f64,
}

impl CriticalLoads {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let what = || CaseError::NotConverged { what: format!("critical loads of {}", self.scene) };
        let scene = template::scene(&format!("{folder}/{}", self.scene), &[])?;
        let Ok(Answer::Buckling(found)) = lissome::run(&scene, &mut Unobserved) else { return Err(what()) };
        let mut rows = Vec::new();
        for (index, expected) in self.expected.iter().enumerate() {
            let load = found.loads.get(index).ok_or_else(what)?;
            let error = (load.factor / expected - 1.0).abs();
            let title = format!("{}, number {}, relative", self.quantity, index + 1);
            rows.push(Row::within(title, *expected, load.factor, error, self.within));
        }
        let others = found.loads.iter().filter(|load| load.kind != CriticalKind::Bifurcation).count() + found.missed;
        let title = format!("{}: loads that are no bifurcations, or were missed", self.quantity);
        rows.push(Row::within(title, 0.0, others as f64, others as f64, 0.0));
        Ok(rows)
    }
}
