//! A rod that is pushed into something: how the largest force on its base grows with friction, and whether it gets through.

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use nalgebra::Vector3;
use serde::Deserialize;

/// Paths along which the base of the first rod is pushed, one for each friction.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InsertionForce {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    variant: Vec<Variant>,
    /// Direction in which the base pushes back; its length counts.
    along: [f64; 3],
    /// For each variant after the first: its largest force over that of the first, and how far off it may be, relative.
    #[serde(default)]
    ratios: Vec<f64>,
    within: Option<f64>,
    /// The tip of the rod stays within this distance from where it begins, m: it sticks.
    sticks: Option<f64>,
    /// Some place of the rod is at least this far from the line of the push, before the tip, m: it buckles.
    buckles: Option<f64>,
    /// How far anything may be inside an obstacle, m.
    sinks: f64,
}

impl InsertionForce {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        let mut largest = Vec::new();
        for variant in &self.variant {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let (path, solved) = variant.path(&scene, "a rod that is pushed")?;
            rows.push(solved);
            let along = Vector3::from(self.along);
            let rods = || path.samples.iter().filter_map(|sample| sample.equilibrium.rods.first());
            largest.push(rods().map(|rod| rod.base_wrench.force.dot(&along)).fold(0.0, f64::max));
            let pairs = path.samples.iter().flat_map(|sample| &sample.equilibrium.contacts);
            let deepest = pairs.map(|pair| pair.contact.least_gap).fold(0.0, f64::min);
            rows.push(Row::at_most(variant.title("how far something is inside / m"), -deepest, self.sinks));
            let (Some(first), Some(last)) = (rods().next(), rods().next_back()) else { continue };
            if let Some(bar) = self.sticks {
                let way = (last.tip.position - first.tip.position).norm();
                rows.push(Row::at_most(variant.title("how far the tip goes / m"), way, bar));
            }
            if let Some(bar) = self.buckles {
                let base = last.samples.first().map_or(Vector3::zeros(), |sample| sample.pose.position);
                let aside = |at: Vector3<f64>| (at - base - along * along.dot(&(at - base))).norm();
                let farthest = last.samples.iter().map(|sample| aside(sample.pose.position)).fold(0.0, f64::max);
                rows.push(Row::at_least(variant.title("how far the rod bows out / m"), farthest, bar));
            }
        }
        let Some((first, others)) = largest.split_first() else { return Ok(rows) };
        let within = self.within.unwrap_or(f64::INFINITY);
        for ((variant, force), expected) in self.variant[1..].iter().zip(others).zip(&self.ratios) {
            let measured = force / first;
            let title = format!("{} over {}: largest force, relative", variant.name, self.variant[0].name);
            rows.push(Row::within(title, *expected, measured, (measured / expected - 1.0).abs(), within));
        }
        Ok(rows)
    }
}
