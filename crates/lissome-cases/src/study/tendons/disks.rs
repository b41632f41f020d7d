//! Tendons that go straight from disk to disk, against cables through bodies and against continuous routing.

use super::{scene, solve};
use crate::error::CaseError;
use crate::report::Row;
use crate::slope::log_slope;
use lissome::lie::Pose;
use serde::Deserialize;

/// One tendon, with ever more disks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TendonDisks {
    /// A scene whose only table of tendons is `pull`.
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// The same with a cable through bodies in place of the tendon.
    bodies: String,
    /// How far the two may be apart, parts of the length.
    same: f64,
    /// Numbers of disks.
    counts: Vec<usize>,
    /// Least order in their spacing with which they come nearer to the continuous routing.
    order: f64,
}

impl TendonDisks {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let tip = |name: &str, settings: &[String]| -> Result<(Pose, f64), CaseError> {
            let scene = scene(folder, name, settings)?;
            let found = solve(&scene, None)?;
            match found.outcome.converged() {
                true => Ok((found.rods[0].tip, scene.rods[0].length)),
                false => Err(CaseError::NotConverged { what: scene.title }),
            }
        };
        let with = |more: &[String]| [&self.set[..], more].concat();
        let straight = "tendon.pull.routing=disks".to_owned();
        let (through_bodies, length) = tip(&self.bodies, &self.set)?;
        let (through_disks, _) = tip(&self.scene, &with(std::slice::from_ref(&straight)))?;
        let apart = (through_bodies.position - through_disks.position).norm() / length;
        let turned = (through_bodies.rotation.inverse() * through_disks.rotation).angle();
        let mut rows = vec![
            Row::deviation("disks and bodies: tips apart / L", apart, self.same),
            Row::deviation("disks and bodies: tips turned, rad", turned, self.same),
        ];
        let (continuous, _) = tip(&self.scene, &self.set)?;
        let mut distances = Vec::new();
        for count in &self.counts {
            let settings = with(&[straight.clone(), format!("tendon.pull.disks={count}")]);
            let (found, _) = tip(&self.scene, &settings)?;
            let off = (found.position - continuous.position).norm() / length;
            distances.push((*count as f64, off));
            rows.push(Row::within(format!("{count} disks: off the continuous routing / L"), off, off, 0.0, 0.0));
        }
        let order = -log_slope(distances.into_iter());
        rows.push(Row::at_least("order in the spacing of the disks", order, self.order));
        Ok(rows)
    }
}
