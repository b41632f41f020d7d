//! Motions of what touches: energy that never rises, momentum that the forces made, nothing inside anything, and how fast
//! something slides or rolls.

use super::Variant;
use super::motion::frames;
use crate::error::CaseError;
use crate::report::Row;
use nalgebra::Vector3;
use serde::Deserialize;

/// A motion of free rods and bodies that hit each other, or obstacles that do not move.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactMotion {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// Mass of all that moves, kg; for accelerations.
    #[serde(default)]
    mass: f64,
    /// How far momentum may change, relative to the largest: of what nothing outside pushes.
    momentum: Option<f64>,
    /// Momentum at the end along a direction, N s.
    leaves: Option<AlongBar>,
    /// How far energy may rise, J, above what it was at any time.
    rise: Option<f64>,
    /// How far something may be inside an obstacle, m.
    sinks: f64,
    /// Force that obstacles exert at the end, N: along a direction, relative.
    force: Option<AlongBar>,
    /// How far the centre of mass is at the end below where it began, m.
    fallen: Option<FallBar>,
    /// Mean acceleration from rest, m/s²; `within` is absolute.
    acceleration: Option<AlongBar>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FallBar {
    /// What stays falls no farther.
    at_most: Option<f64>,
    /// What slides off falls as far.
    at_least: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AlongBar {
    along: [f64; 3],
    expected: f64,
    within: f64,
}

impl ContactMotion {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let frames = frames(&scene, &variant.title("motion"))?;
            let Some(last) = frames.last() else { continue };
            let energy = |k: usize| frames[k].energy.kinetic + frames[k].energy.elastic + frames[k].energy.gravity;
            if let Some(bar) = self.rise {
                let (mut least, mut rise) = (f64::INFINITY, 0.0f64);
                for k in 0..frames.len() {
                    rise = rise.max(energy(k) - least);
                    least = least.min(energy(k));
                }
                rows.push(Row::at_most(variant.title("largest rise of energy / J"), rise, bar));
            }
            let gaps = frames.iter().flat_map(|frame| &frame.contacts).map(|pair| pair.least_gap);
            let deepest = gaps.fold(0.0, f64::min);
            rows.push(Row::at_most(variant.title("how far something is inside / m"), -deepest, self.sinks));
            if let Some(bar) = self.momentum {
                let at = |k: usize| frames[k].momentum.linear;
                let largest = (0..frames.len()).map(|k| at(k).norm()).fold(0.0, f64::max);
                let change = (0..frames.len()).map(|k| (at(k) - at(0)).norm()).fold(0.0, f64::max);
                rows.push(Row::at_most(variant.title("change of momentum, relative"), change / largest, bar));
            }
            if let Some(bar) = &self.leaves {
                let measured = last.momentum.linear.dot(&Vector3::from(bar.along));
                let error = (measured / bar.expected - 1.0).abs();
                let title = variant.title("momentum at the end / (N s), relative");
                rows.push(Row::within(title, bar.expected, measured, error, bar.within));
            }
            if let Some(bar) = &self.force {
                let sum: Vector3<f64> = last.contacts.iter().map(|pair| pair.force()).sum();
                let measured = sum.dot(&Vector3::from(bar.along));
                let error = (measured / bar.expected - 1.0).abs();
                rows.push(Row::within(
                    variant.title("force at the end / N, relative"),
                    bar.expected,
                    measured,
                    error,
                    bar.within,
                ));
            }
            if let Some(bar) = &self.fallen {
                let weight = self.mass * scene.gravity.norm();
                let fallen = (frames[0].energy.gravity - last.energy.gravity) / weight;
                let title = || variant.title("how far the centre of mass has fallen / m");
                rows.extend(bar.at_most.map(|bar| Row::at_most(title(), fallen, bar)));
                rows.extend(bar.at_least.map(|bar| Row::at_least(title(), fallen, bar)));
            }
            if let Some(bar) = &self.acceleration {
                let measured = last.momentum.linear.dot(&Vector3::from(bar.along)) / (self.mass * last.time);
                let error = (measured - bar.expected).abs();
                rows.push(Row::within(
                    variant.title("mean acceleration / (m/s²)"),
                    bar.expected,
                    measured,
                    error,
                    bar.within,
                ));
            }
        }
        Ok(rows)
    }
}
