//! A long rod, twisted and slackened, throws one loop: end moment, tension and greatest tilt beside the closed form.

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use lissome::lie::{Pose, Wrench};
use lissome::model::Scene;
use lissome::{Answer, Unobserved};
use lissome_reference::analytic::writhe::{LocalisedLoop, LongRod};
use nalgebra::Vector3;
use serde::Deserialize;

/// A scene whose first rod begins along x and ends, by whatever job, twisted and slackened.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalisedLoopStudy {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// By which the ends have approached, m.
    slack: f64,
    /// Turns of one end against the other.
    turns: f64,
    /// End moment over B/L and tension over B/L² of the source.
    moment: f64,
    tension: f64,
    /// Greatest tilt of the source, rad.
    tilt: f64,
    /// Of moment and tension, relative.
    within: f64,
    /// Of the tilt, relative.
    tilt_within: f64,
}

impl LocalisedLoopStudy {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let Some(rod) = scene.rods.first() else {
                return Err(CaseError::TooFew { what: "rods", found: 0, need: 1 });
            };
            let stiffness = rod.profile.at(0.0).stiffness();
            let long = LongRod { length: rod.length, bending: stiffness[(1, 1)], torsion: stiffness[(0, 0)] };
            let exact = long.localised_loop(self.slack, std::f64::consts::TAU * self.turns)?;
            let (poses, end) = last_shape(&scene, &variant.title("loop"))?;
            let (moment_unit, force_unit) = (long.bending / long.length, long.bending / long.length.powi(2));
            let tilt = greatest_tilt(&poses)?;
            let LocalisedLoop { moment, tension, largest_tilt, .. } = exact;
            let figures = [
                ("end moment / (B/L)", end.moment.x / moment_unit, [self.moment, moment / moment_unit], self.within),
                ("tension / (B/L²)", end.force.x / force_unit, [self.tension, tension / force_unit], self.within),
                ("greatest tilt / rad", tilt, [self.tilt, largest_tilt], self.tilt_within),
            ];
            for (what, measured, expected, within) in figures {
                for (whose, expected) in ["source's", "closed form's"].into_iter().zip(expected) {
                    let title = variant.title(&format!("{what}, beside the {whose}, relative"));
                    rows.push(Row::within(title, expected, measured, (measured / expected - 1.0).abs(), within));
                }
            }
        }
        Ok(rows)
    }
}

/// Evenly spaced poses of the first rod where its job ends, and the wrench inside its last section, section axes.
fn last_shape(scene: &Scene, what: &str) -> Result<(Vec<Pose>, Wrench), CaseError> {
    let answer = lissome::run(scene, &mut Unobserved)?;
    if !answer.succeeded() {
        return Err(CaseError::NotConverged { what: what.to_owned() });
    }
    let shape = match &answer {
        Answer::Dynamics(motion) => motion.record.last.as_ref().and_then(|frame| {
            let rod = frame.rods.first()?;
            Some((rod.poses.clone(), *rod.stress.last()?))
        }),
        _ => answer.equilibrium().and_then(|found| {
            let samples = &found.rods.first()?.samples;
            Some((samples.iter().map(|sample| sample.pose).collect(), samples.last()?.stress))
        }),
    };
    shape.ok_or(CaseError::TooFew { what: "rods", found: 0, need: 1 })
}

/// The greatest angle between the rod and x, from evenly spaced poses.
///
/// Between the stations the loop has the form 1/sin(ϑ/2) = y = c cosh((s − s₀)/w) of the closed form; three neighbours give
/// y₋ + y₊ = 2 y cosh(Δ/w), the odd part c sinh likewise, and the least c of y = √(even² − odd²).
fn greatest_tilt(poses: &[Pose]) -> Result<f64, CaseError> {
    let tilt = |pose: &Pose| pose.rotation.rotate(&Vector3::x()).x.clamp(-1.0, 1.0).acos();
    let tilts: Vec<f64> = poses.iter().map(tilt).collect();
    let inner = 1..tilts.len().saturating_sub(1);
    let Some(i) = inner.max_by(|i, j| tilts[*i].total_cmp(&tilts[*j])) else {
        return Err(CaseError::TooFew { what: "stations", found: tilts.len(), need: 3 });
    };
    let [before, here, after] = [tilts[i - 1], tilts[i], tilts[i + 1]].map(|tilt| 1.0 / (0.5 * tilt).sin());
    let growth = (before + after) / (2.0 * here);
    let odd2 = if growth > 1.0 { (after - before).powi(2) / (4.0 * (growth * growth - 1.0)) } else { 0.0 };
    Ok(2.0 * (1.0 / (here * here - odd2).sqrt()).min(1.0).asin())
}
