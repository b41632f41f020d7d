//! Models of a rod that touches something side by side: how far each is from a finer one.

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use lissome::solve::RodRecord;
use lissome::{Answer, Unobserved};
use serde::Deserialize;

/// One scene with several models of its rod.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactModels {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// What the others are compared with.
    reference: Variant,
    /// Each with the largest mean distance from it along the rod, m, as its `position`.
    variant: Vec<Variant>,
    /// Name of the variant that must be nearer than those named after it.
    #[serde(default)]
    nearer: Vec<String>,
}

impl ContactModels {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let rod = |variant: &Variant| -> Result<RodRecord, CaseError> {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let what = variant.title("contact");
            let last = match lissome::run(&scene, &mut Unobserved)? {
                answer if !answer.succeeded() => return Err(CaseError::NotConverged { what }),
                Answer::Statics(found) => Some(found),
                Answer::Path(path) => path.samples.into_iter().last().map(|sample| sample.equilibrium),
                _ => return Err(CaseError::WrongJob { what, need: "statics or path" }),
            };
            let rods = last.map(|last| last.rods).unwrap_or_default();
            rods.into_iter().next().ok_or(CaseError::TooFew { what: "rods", found: 0, need: 1 })
        };
        let reference = rod(&self.reference)?;
        let mut rows = Vec::new();
        let mut errors = Vec::new();
        for variant in &self.variant {
            let error = mean_distance(&rod(variant)?, &reference);
            if let Some(bar) = variant.position {
                rows.push(Row::deviation(variant.title("mean distance from the reference / m"), error, bar));
            }
            errors.push((variant.name.as_str(), error));
        }
        let error_of = |name: &String| errors.iter().find(|(other, _)| other == name).map(|(_, error)| *error);
        if let Some((best, others)) = self.nearer.split_first() {
            for other in others {
                let (Some(near), Some(far)) = (error_of(best), error_of(other)) else { continue };
                rows.push(Row::at_most(format!("{best} over {other}: mean distance"), near / far, 1.0));
            }
        }
        Ok(rows)
    }
}

/// Mean over the arc length of how far the axes of two rods are apart, m: both have samples at the same places.
fn mean_distance(one: &RodRecord, other: &RodRecord) -> f64 {
    let pairs = one.samples.iter().zip(&other.samples);
    let apart: Vec<f64> = pairs.map(|(a, b)| (a.pose.position - b.pose.position).norm()).collect();
    let inner: f64 = apart.windows(2).map(|ends| 0.5 * (ends[0] + ends[1])).sum();
    inner / apart.len().saturating_sub(1).max(1) as f64
}
