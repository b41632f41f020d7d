//! One tube that is held at its entry is a rod.

use crate::error::CaseError;
use crate::report::Row;
use crate::solved::{Solved, evenly};
use crate::template;
use lissome::solve::StaticOptions;
use serde::Deserialize;

/// Two scenes of one rod each that must have the same equilibrium.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeRod {
    /// One tube.
    tube: String,
    /// The rod that it is.
    rod: String,
    /// Parts of the length, and rad.
    within: f64,
}

impl TubeRod {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let solved = |file: &str| {
            let scene = template::scene(&format!("{folder}/{file}"), &[])?;
            Solved::new(scene, &StaticOptions::default())?.converged(file)
        };
        let (tube, rod) = (solved(&self.tube)?, solved(&self.rod)?);
        let arc = evenly(rod.length(), 21);
        let (mut position, mut angle): (f64, f64) = (0.0, 0.0);
        for (a, b) in tube.samples(&arc).iter().zip(rod.samples(&arc)) {
            position = position.max((a.pose.position - b.pose.position).norm() / rod.length());
            angle = angle.max((a.pose.rotation.inverse() * b.pose.rotation).angle());
        }
        Ok(vec![
            Row::deviation("one tube held at its entry, from the rod / L", position, self.within),
            Row::deviation("one tube held at its entry, turned from the rod / rad", angle, self.within),
        ])
    }
}
