//! What the jump of a tendon's slope costs where a method leaves it out.

use super::{scene, set_tensions, solve, words};
use crate::error::CaseError;
use crate::report::Row;
use lissome_reference::tendons::newtonian::{self, Jump};
use lissome_reference::tendons::{TendonRod, total_stress};
use serde::Deserialize;

/// Load cases of a robot whose tendons kink.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TendonJump {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// Load cases, N.
    tensions: Vec<Vec<f64>>,
    /// Error without the jump, of the length, and how far from it.
    ignored: [f64; 2],
    /// How far the exact jump may be off, m.
    exact: f64,
    /// How far the program may be off, m.
    within: f64,
}

impl TendonJump {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut scene = scene(folder, &self.scene, &self.set)?;
        let mut rows = Vec::new();
        for tensions in &self.tensions {
            set_tensions(&mut scene, tensions);
            let rod = TendonRod::from_scene(&scene, 0.0)?;
            let truth = total_stress::solve(&rod)?;
            let length = rod.length();
            let off = |jump: Jump| Ok::<f64, CaseError>(newtonian::solve(&rod, jump)?.tip_difference(&truth).0);
            let title = |what: &str| format!("{}, {what}", words(tensions));
            let [expected, tolerance] = self.ignored;
            let ignored = off(Jump::Ignored)? / length;
            let error = (ignored - expected).abs();
            rows.push(Row::within(title("no jump: tip off / L"), expected, ignored, error, tolerance));
            let linearised = off(Jump::Linearised)?;
            rows.push(Row::within(title("linearised jump: tip off, mm"), 1e3 * linearised, 1e3 * linearised, 0.0, 0.0));
            rows.push(Row::deviation(title("exact jump: tip off, mm"), 1e3 * off(Jump::Exact)?, 1e3 * self.exact));
            let ours = solve(&scene, None)?;
            if !ours.outcome.converged() {
                return Err(CaseError::NotConverged { what: title("default settings") });
            }
            let off = (ours.rods[0].tip.position - truth.tip().position).norm();
            rows.push(Row::deviation(title("default settings: tip off, mm"), 1e3 * off, 1e3 * self.within));
        }
        Ok(rows)
    }
}
