//! How fast the tip error falls with the number of spans, and how far it lies below another form's.

use crate::error::CaseError;
use crate::report::Row;
use crate::slope::log_slope;
use crate::solved::Solved;
use crate::template;
use crate::truth;
use lissome::solve::StaticOptions;
use nalgebra::Vector3;
use serde::Deserialize;

/// Order of the tip error in the number of spans.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    scene: String,
    /// Settings `path=value` of the scene with `{degree}` and `{control_poses}` to fill.
    set: Vec<String>,
    /// Words for the form that is tested.
    form: String,
    degrees: Vec<usize>,
    control_poses: Vec<usize>,
    /// The order must be at least the degree plus this.
    order_above_degree: f64,
    /// Errors below this, m, have arrived: no order is asked of them.
    floor: f64,
    against: Option<Against>,
}

/// Another form of the same rod.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Against {
    form: String,
    set: Vec<String>,
    control_poses: usize,
    /// At least so many times farther from the truth.
    times: f64,
}

impl Order {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = format!("{folder}/{}", self.scene);
        let truth = truth::follow_from_natural(&template::scene(&scene, &[])?)?.tip().position;
        let mut rows = Vec::new();
        for degree in &self.degrees {
            let error = |settings: &[String], poses: usize| tip_error(&scene, settings, *degree, poses, &truth);
            let name = format!("{}, degree {degree}", self.form);
            let errors = self.control_poses.iter().map(|n| error(&self.set, *n)).collect::<Result<Vec<_>, _>>()?;
            rows.push(self.order_row(&name, *degree, &errors)?);
            if let Some(other) = &self.against {
                let (ours, theirs) = (error(&self.set, other.control_poses)?, error(&other.set, other.control_poses)?);
                let quantity = format!(
                    "{name}, {} poses: tip error of the {} form over this one's, at least",
                    other.control_poses, other.form
                );
                rows.push(Row::at_least(quantity, theirs / ours, other.times));
            }
        }
        Ok(rows)
    }

    /// The slope of ln(error) over ln(spans), by least squares over the sizes that have not arrived, and the first that
    /// has.
    fn order_row(&self, name: &str, degree: usize, errors: &[f64]) -> Result<Row, CaseError> {
        let arrived = errors.iter().position(|error| *error <= self.floor).unwrap_or(errors.len().saturating_sub(1));
        let asked = &errors[..=arrived];
        if asked.len() < 2 {
            return Err(CaseError::TooFew { what: "sizes before the tip arrives", found: asked.len(), need: 2 });
        }
        let spans = self.control_poses.iter().map(|poses| (poses - degree) as f64);
        let order = -log_slope(spans.zip(asked.iter().copied()));
        let list = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(", ");
        let words = format!(
            "{name}, {} poses (tip errors {} m): tip order, at least",
            list(&mut self.control_poses.iter().take(asked.len()).map(usize::to_string)),
            list(&mut asked.iter().map(|error| format!("{error:.1e}"))),
        );
        Ok(Row::at_least(words, order, degree as f64 + self.order_above_degree))
    }
}

fn tip_error(
    scene: &str,
    settings: &[String],
    degree: usize,
    control_poses: usize,
    truth: &Vector3<f64>,
) -> Result<f64, CaseError> {
    let settings = template::fill_all(settings, &|name| match name {
        "degree" => Some(degree.to_string()),
        "control_poses" => Some(control_poses.to_string()),
        _ => None,
    })?;
    let solved = Solved::new(template::scene(scene, &settings)?, &StaticOptions::default())?
        .converged(&format!("degree {degree}, {control_poses} poses"))?;
    Ok((solved.tip().position - truth).norm())
}
