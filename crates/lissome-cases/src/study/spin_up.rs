//! An arm that is spun up about its root: how far it lags behind, and how far its rotation stretches it.

use super::Variant;
use super::motion::{Bar, frames};
use crate::error::CaseError;
use crate::report::Row;
use lissome::model::Scene;
use lissome::solve::MotionFrame;
use lissome_reference::motion::spin_up::{SpinUp, TipMotion};
use serde::Deserialize;

/// A spin-up manoeuvre of a scene whose first rod is the arm and whose first drive is the angle of its root about z.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpinUpStudy {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// Speed at the end, rad/s.
    speed: f64,
    /// Duration, s.
    duration: f64,
    /// How near the drive of the scene must be to the manoeuvre, rad.
    drive_within: f64,
    /// Displacement across at its largest lag, m, of the source.
    lag: Bar,
    /// Mean stretch at the steady speed, m, of the source.
    stretch: Bar,
    /// Of both beside the oracle's, relative.
    within_relative: f64,
    /// Of the displacement across beside the oracle's at any time, m.
    within: f64,
}

/// The tip seen from the turning root: displacement along and across.
fn seen_from_root(frame: &MotionFrame, length: f64) -> [f64; 2] {
    let tip = frame.rods[0].poses[frame.rods[0].poses.len() - 1].position;
    let (sin, cos) = frame.drives[0].sin_cos();
    [cos * tip.x + sin * tip.y - length, cos * tip.y - sin * tip.x]
}

impl SpinUpStudy {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        let mut known: Option<(SpinUp, Vec<TipMotion>)> = None;
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let arm = self.arm(&scene)?;
            let frames = frames(&scene, &variant.title("motion"))?;
            // The oracle is slow, and variants as a rule have its arm and times in common.
            let same = |(of, exact): &(SpinUp, Vec<TipMotion>)| {
                *of == arm && exact.iter().map(|tip| tip.time).eq(frames.iter().map(|frame| frame.time))
            };
            let exact = match known.take().filter(same) {
                Some((_, exact)) => exact,
                None => arm.tip_motion(&frames.iter().map(|frame| frame.time).collect::<Vec<_>>())?,
            };
            self.compare(&arm, &exact, &frames, variant, &mut rows)?;
            known = Some((arm, exact));
        }
        Ok(rows)
    }

    /// The oracle's arm, with the data of the scene.
    fn arm(&self, scene: &Scene) -> Result<SpinUp, CaseError> {
        if scene.rods.is_empty() || scene.drives.is_empty() {
            return Err(CaseError::TooFew { what: "rods and drives", found: 0, need: 1 });
        }
        let rod = &scene.rods[0];
        let section = rod.profile.at(0.0);
        let (stiffness, mass) = (section.stiffness(), section.mass());
        Ok(SpinUp {
            length: rod.length,
            axial: stiffness[(3, 3)],
            shear: stiffness[(4, 4)],
            bending: stiffness[(2, 2)],
            mass: mass[(3, 3)],
            rotary: mass[(2, 2)],
            speed: self.speed,
            duration: self.duration,
        })
    }

    fn compare(
        &self,
        arm: &SpinUp,
        exact: &[TipMotion],
        frames: &[MotionFrame],
        variant: &Variant,
        rows: &mut Vec<Row>,
    ) -> Result<(), CaseError> {
        let tips: Vec<[f64; 2]> = frames.iter().map(|frame| seen_from_root(frame, arm.length)).collect();
        let drive = frames.iter().map(|frame| (frame.drives[0] - arm.drive(frame.time)[0]).abs()).fold(0.0, f64::max);
        rows.push(Row::deviation(variant.title("drive beside the manoeuvre / rad"), drive, self.drive_within));
        let across = tips.iter().zip(exact).map(|(tip, exact)| (tip[1] - exact.across).abs()).fold(0.0, f64::max);
        let title = variant.title("tip across the arm, at any time, beside the exact / m");
        rows.push(Row::deviation(title, across, self.within));

        let mut add = |what: &str, source: &Bar, exact: f64, measured: f64| {
            let error = (measured - source.expected).abs();
            let title = variant.title(&format!("{what} / m, beside the source's"));
            rows.push(Row::within(title, source.expected, measured, error, source.within));
            let title = variant.title(&format!("{what} / m, beside the exact, relative"));
            rows.push(Row::within(title, exact, measured, (measured / exact - 1.0).abs(), self.within_relative));
        };
        let lag = smallest(&tips.iter().map(|tip| tip[1]).collect::<Vec<_>>())?;
        let exact_lag = smallest(&exact.iter().map(|tip| tip.across).collect::<Vec<_>>())?;
        add("largest lag", &self.lag, exact_lag, lag);
        // The inextensible arm of the oracle bends as this one does: what is left of the displacement along is stretch.
        let steady = tips.iter().zip(exact).filter(|(_, exact)| exact.time >= self.duration);
        let stretches: Vec<f64> = steady.map(|(tip, exact)| tip[0] - exact.along).collect();
        let mean = stretches.iter().sum::<f64>() / stretches.len() as f64;
        add("steady stretch", &self.stretch, arm.steady_stretch()?, mean);
        Ok(())
    }
}

/// The least of evenly spaced values, by the parabola through the least and its neighbours.
fn smallest(values: &[f64]) -> Result<f64, CaseError> {
    let inner = 1..values.len().saturating_sub(1);
    let least = inner.min_by(|i, j| values[*i].total_cmp(&values[*j]));
    let Some(i) = least else { return Err(CaseError::TooFew { what: "frames", found: values.len(), need: 3 }) };
    let (slope, bend) = (0.5 * (values[i + 1] - values[i - 1]), values[i - 1] - 2.0 * values[i] + values[i + 1]);
    Ok(if bend > 0.0 { values[i] - 0.5 * slope * slope / bend } else { values[i] })
}
