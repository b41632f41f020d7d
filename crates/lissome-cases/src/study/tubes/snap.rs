//! The snap itself: a base turned at a constant rate, in motion.

use crate::error::CaseError;
use crate::report::Row;
use crate::study::Variant;
use crate::study::motion::{frames, quantity};
use lissome::solve::MotionFrame;
use lissome_reference::tubes::{TubeRobot, solve};
use serde::Deserialize;

/// The time over which the tip is looked at in the end, s.
const SWINGING: f64 = 1.0;

/// A motion over a fold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeSnap {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// The same motion with steps that shrink.
    variant: Vec<Variant>,
    /// Angle of the bases at the fold, rad, and how far from it the snap may be.
    fold: f64,
    within: f64,
    /// Distance of the tip in the end, in the mean, from the equilibrium there, parts of the length.
    at_rest: f64,
    /// Unaccounted energy over what was turned over.
    balance: f64,
}

impl TubeSnap {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        let mut snaps = Vec::new();
        for variant in &self.variant {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let frames = frames(&scene, &variant.title("snap"))?;
            let snap = fastest(&frames);
            let off = (snap - self.fold).abs();
            let title = variant.title("base when the tip is fastest / rad");
            rows.push(Row::within(title, self.fold, snap, off, self.within));
            snaps.push(snap);
            let last = &frames[frames.len() - 1];
            let exact = solve(&TubeRobot::from_scene(&scene, 0, last.time)?)?.tip();
            let apart = (mean_tip(&frames, last.time - SWINGING) - exact.position).norm() / scene.rods[0].length;
            rows.push(Row::deviation(
                variant.title("mean of the last second, from the far branch / L"),
                apart,
                self.at_rest,
            ));
            let balance = quantity("balance_error", &frames)?;
            rows.push(Row::at_most(variant.title("energy unaccounted for, of the turnover"), balance, self.balance));
        }
        // Each halving of the step moves the snap by less, down to the distance between two frames.
        let moved: Vec<f64> = snaps.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        if let [.., before, last] = moved.as_slice() {
            rows.push(Row::at_most("the last halving of the step moves the snap by / rad", *last, before.max(5e-3)));
        }
        Ok(rows)
    }
}

fn tip(frame: &MotionFrame) -> Option<nalgebra::Vector3<f64>> {
    Some(frame.rods.first()?.poses.last()?.position)
}

/// Where the tip is from a time on, in the mean: what is behind the entry does not damp, and lets it swing for long.
fn mean_tip(frames: &[MotionFrame], from: f64) -> nalgebra::Vector3<f64> {
    let tips: Vec<_> = frames.iter().filter(|frame| frame.time >= from).filter_map(tip).collect();
    tips.iter().sum::<nalgebra::Vector3<f64>>() / tips.len() as f64
}

/// Value of the first drive in the middle of the interval over which the tip moves fastest.
fn fastest(frames: &[MotionFrame]) -> f64 {
    let speed = |pair: &[MotionFrame]| match (tip(&pair[0]), tip(&pair[1])) {
        (Some(a), Some(b)) => (b - a).norm() / (pair[1].time - pair[0].time),
        _ => 0.0,
    };
    let mut best = (0.0, f64::NAN);
    for pair in frames.windows(2) {
        if speed(pair) > best.0 {
            best = (speed(pair), 0.5 * (pair[0].drives[0] + pair[1].drives[0]));
        }
    }
    best.1
}
