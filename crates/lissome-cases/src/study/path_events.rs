//! Where a path of equilibria is interrupted, by what, and from which energy to which.

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use lissome::solve::Event;
use serde::Deserialize;

/// The events of a path, in order, each with what is expected of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathEvents {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    event: Vec<Expected>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// `fold`, `bifurcation` or `snap`.
    kind: String,
    /// Which drive's value is compared.
    drive: String,
    value: f64,
    /// Of the value, relative.
    within: f64,
    /// Total energies on both sides, J.
    before: Option<f64>,
    after: Option<f64>,
    /// Of the energies, relative.
    #[serde(default)]
    energy_within: f64,
}

impl PathEvents {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let (path, unsolved) = variant.path(&scene, &self.scene)?;
            rows.push(unsolved);
            // The first sample is found along its load, not along the drives.
            let along = path.samples.iter().skip(1).flat_map(|sample| &sample.equilibrium.outcome.events);
            let events: Vec<&Event> = along.collect();
            let count = (events.len(), self.event.len());
            let title = variant.title("number of events");
            rows.push(Row::within(title, count.1 as f64, count.0 as f64, count.0.abs_diff(count.1) as f64, 0.0));
            for (found, expected) in events.into_iter().zip(&self.event) {
                let drive = scene.drives.iter().find(|drive| drive.path == expected.drive);
                let drive = drive.ok_or_else(|| CaseError::NoSuchPart { name: expected.drive.clone() })?;
                let (kind, name) = (&expected.kind, &expected.drive);
                let named = f64::from(u8::from(found.kind.name() == kind));
                rows.push(Row::within(variant.title(&format!("called a {kind}: 1")), 1.0, named, 1.0 - named, 0.0));
                let value = drive.signal.at(found.at);
                let mut compare = |title: String, expected: f64, found: f64, within: f64| {
                    let error = (found / expected - 1.0).abs();
                    rows.push(Row::within(variant.title(&title), expected, found, error, within));
                };
                compare(format!("{name} at the {kind}, relative"), expected.value, value, expected.within);
                let energies =
                    [("before", expected.before, Some(found.before)), ("after", expected.after, found.after)];
                for (side, expected_energy, energy) in energies {
                    let Some(expected_energy) = expected_energy else { continue };
                    let energy = energy.map_or(f64::NAN, |energy| energy.total());
                    compare(format!("energy {side} / J, relative"), expected_energy, energy, expected.energy_within);
                }
            }
        }
        Ok(rows)
    }
}
