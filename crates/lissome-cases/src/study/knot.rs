//! A knotted rod that is pulled: the radius of its loop goes with the inverse root of the tension.

use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::solve::MotionFrame;
use lissome::{Answer, Progress};
use serde::Deserialize;
use std::ops::ControlFlow;

/// A motion at whose end a rod with a loop is at rest under a load that pulls it straight.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knot {
    scene: String,
    /// Bending stiffness of the rod, N·m².
    bending: f64,
    /// Tensions at the ends of the runs, N, with what is set for each.
    tensions: Vec<Pull>,
    /// How far 2 T R²/B may be from one.
    within: f64,
    /// Deepest that the rod may enter itself, m.
    sinks: f64,
}

/// One tension.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pull {
    force: f64,
    set: Vec<String>,
}

/// Sections whose curvature is above this part of the largest belong to the loop.
const OF_THE_LOOP: f64 = 0.5;

impl Knot {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for pull in &self.tensions {
            let what = format!("{} N", pull.force);
            let scene = template::scene(&format!("{folder}/{}", self.scene), &pull.set)?;
            let (mut last, mut deepest) = (None, 0.0f64);
            let answer = lissome::run(&scene, &mut |progress: &Progress<'_>| {
                if let Progress::Frame(state) = progress {
                    let gaps = state.frame.contacts.iter().map(|pair| pair.least_gap);
                    deepest = gaps.filter(|gap| gap.is_finite()).fold(deepest, f64::min);
                    last = Some(state.frame.clone());
                }
                ControlFlow::Continue(())
            })?;
            if !matches!(answer, Answer::Dynamics(_)) {
                return Err(CaseError::WrongJob { what, need: "dynamics" });
            }
            let (true, Some(last)) = (answer.succeeded(), last) else { return Err(CaseError::NotConverged { what }) };
            let radius = self.radius(&last).ok_or(CaseError::NotConverged { what: what.clone() })?;
            let law = 2.0 * pull.force * radius * radius / self.bending;
            rows.push(Row::within(format!("{what}: 2 T R²/B"), 1.0, law, (law - 1.0).abs(), self.within));
            rows.push(Row::at_most(format!("{what}: how deep it enters itself / m"), -deepest, self.sinks));
        }
        Ok(rows)
    }

    /// Length of the loop over the angle that it turns by.
    fn radius(&self, frame: &MotionFrame) -> Option<f64> {
        let rod = frame.rods.first()?;
        let curvature: Vec<f64> =
            rod.stress.iter().map(|stress| stress.moment.y.hypot(stress.moment.z) / self.bending).collect();
        let largest = curvature.iter().copied().fold(0.0, f64::max);
        let of_the_loop: Vec<f64> = curvature.into_iter().filter(|k| *k > OF_THE_LOOP * largest).collect();
        Some(of_the_loop.len() as f64 / of_the_loop.iter().sum::<f64>())
    }
}
