//! How fast the tip's position and rotation come to rest as a rod is divided more finely.

use crate::error::CaseError;
use crate::report::Row;
use crate::slope::log_slope;
use crate::solved::Solved;
use crate::template;
use crate::truth;
use lissome::lie::Pose;
use lissome::solve::StaticOptions;
use serde::Deserialize;

/// Orders of the tip's two errors in the number of pieces, each within a bar of the theory's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refinement {
    scene: String,
    /// Words for what is refined.
    name: String,
    /// Settings `path=value` of the scene with `{pieces}` to fill.
    set: Vec<String>,
    pieces: Vec<usize>,
    /// The order of the method.
    order: f64,
    /// How far the observed orders may be from it.
    within: f64,
}

impl Refinement {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        if self.pieces.len() < 2 {
            return Err(CaseError::TooFew { what: "sizes", found: self.pieces.len(), need: 2 });
        }
        let scene = format!("{folder}/{}", self.scene);
        let truth = truth::follow_from_natural(&template::scene(&scene, &[])?)?.tip();
        let tips = self.pieces.iter().map(|n| self.tip(&scene, *n)).collect::<Result<Vec<_>, _>>()?;
        let position = |tip: &Pose| (tip.position - truth.position).norm();
        let rotation = |tip: &Pose| (truth.rotation.inverse() * tip.rotation).angle();
        Ok(vec![
            self.row("position, m", tips.iter().map(position).collect()),
            self.row("rotation, rad", tips.iter().map(rotation).collect()),
        ])
    }

    fn row(&self, what: &str, errors: Vec<f64>) -> Row {
        let order = -log_slope(self.pieces.iter().map(|n| *n as f64).zip(errors.iter().copied()));
        let list = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(", ");
        let words = format!(
            "{}, {} pieces: order of the tip's {what} (errors {})",
            self.name,
            list(&mut self.pieces.iter().map(usize::to_string)),
            list(&mut errors.iter().map(|error| format!("{error:.1e}"))),
        );
        Row::within(words, self.order, order, (order - self.order).abs(), self.within)
    }

    fn tip(&self, scene: &str, pieces: usize) -> Result<Pose, CaseError> {
        let settings = template::fill_all(&self.set, &|name| (name == "pieces").then(|| pieces.to_string()))?;
        let solved = Solved::new(template::scene(scene, &settings)?, &StaticOptions::default())?;
        Ok(solved.converged(&format!("{}, {pieces} pieces", self.name))?.tip())
    }
}
