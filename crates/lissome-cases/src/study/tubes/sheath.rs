//! A straight stiff sheath straightens what is inside, the more the stiffer it is.

use super::{set_of, tube_named};
use crate::error::CaseError;
use crate::report::Row;
use crate::solved::Solved;
use crate::template;
use lissome::solve::StaticOptions;
use serde::Deserialize;

/// A sheath made stiffer and stiffer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeSheath {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// The sheath, straight and held at the entry.
    sheath: String,
    /// Factors on its stiffness, in order.
    stiffer: Vec<f64>,
    /// Of the product of factor and distance off the axis, relative to the last.
    within: f64,
}

impl TubeSheath {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        let sheath = tube_named(&scene, &self.sheath)?;
        let end = set_of(&scene)?.tubes[sheath].insertion;
        let mut products = Vec::new();
        for factor in self.stiffer.iter().copied() {
            let mut stiffer = scene.clone();
            if let Some(tubes) = &mut stiffer.rods[0].tubes {
                let tube = &mut tubes.tubes[sheath];
                tube.bending_stiffness = Some(tube.bending() * factor);
                tube.torsion_stiffness = Some(tube.torsion() * factor);
                stiffer.rods[0].profile = tubes.profile();
            }
            let solved = Solved::new(stiffer, &StaticOptions::default())?.converged("sheath")?;
            let position = solved.samples(&[end])[0].pose.position;
            products.push((factor, factor * position.y.hypot(position.z) / end));
        }
        let last = products.last().map_or(f64::NAN, |(_, product)| *product);
        let row = |(factor, product): &(f64, f64)| {
            let title =
                format!("sheath {factor:e} times as stiff: that times its end off the axis / L, as in the limit");
            Row::within(title, last, *product, (product / last - 1.0).abs(), self.within)
        };
        Ok(products.iter().map(row).collect())
    }
}
