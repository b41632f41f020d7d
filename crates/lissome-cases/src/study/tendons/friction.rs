//! Friction along a tendon: the law of the rope on a bollard, and the loop of an arm that is pulled and let go.

use super::{scene, solve};
use crate::error::CaseError;
use crate::report::Row;
use lissome::model::NaturalShape;
use lissome::{Answer, Unobserved};
use nalgebra::Vector3;
use serde::Deserialize;

/// An arc, and a cycle of tension.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TendonFriction {
    /// A rod that is an arc of a circle, with one parallel tendon that hardly bends it.
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// A path that pulls until 1, lets go until 2 and pulls again until 3.
    cycle: String,
    /// How far the ratio of tensions may be off.
    within: f64,
    /// Settings with few samples of the path.
    coarse: Vec<String>,
    /// Settings with many.
    fine: Vec<String>,
    /// How far tips may be apart that should be one, parts of the length.
    same: f64,
    /// How far the loop is open at least, parts of the length.
    open: f64,
}

impl TendonFriction {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = vec![self.along_an_arc(folder)?];
        let length = scene(folder, &self.cycle, &[])?.rods[0].length;
        let (coarse, fine) = (self.tips(folder, &self.coarse)?, self.tips(folder, &self.fine)?);
        let apart = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).norm() / length;
        let samples = coarse.iter().zip(&fine).map(|(a, b)| apart(a, b)).fold(0.0, f64::max);
        rows.push(Row::at_least("let go: tip off where it began / L", apart(&coarse[0], &coarse[2]), self.open));
        rows.push(Row::deviation("pulled again: tip off where it was / L", apart(&coarse[1], &coarse[3]), self.same));
        rows.push(Row::deviation("few and many samples: tips apart / L", samples, self.same));
        Ok(rows)
    }

    fn along_an_arc(&self, folder: &str) -> Result<Row, CaseError> {
        let scene = scene(folder, &self.scene, &self.set)?;
        let curvature = match &scene.rods[0].natural {
            NaturalShape::Curvature(table) => table[0].1.norm(),
            _ => return Err(CaseError::NoSuchPart { name: "arc of a circle".into() }),
        };
        let found = solve(&scene, None)?;
        let missing = || CaseError::NotConverged { what: scene.title.clone() };
        let tendon = found.tendons.first().filter(|_| found.outcome.converged()).ok_or_else(missing)?;
        let run = tendon.runs.first().ok_or_else(missing)?;
        let off = run.s.iter().zip(&run.tension).map(|(s, tension)| {
            let expected = (-scene.tendons[0].friction * curvature * s).exp();
            (tension / tendon.tension / expected - 1.0).abs()
        });
        let off = off.fold(0.0, f64::max);
        Ok(Row::deviation("tension along an arc over e^(−μκs), off by", off, self.within))
    }

    /// The tip at times 0, 1, 2 and 3.
    fn tips(&self, folder: &str, settings: &[String]) -> Result<Vec<Vector3<f64>>, CaseError> {
        let scene = scene(folder, &self.cycle, settings)?;
        let Answer::Path(path) = lissome::run(&scene, &mut Unobserved)? else {
            return Err(CaseError::WrongJob { what: scene.title, need: "path" });
        };
        let tip = |time: f64| {
            let at = path.samples.iter().find(|sample| (sample.at - time).abs() < 1e-9);
            let found = at.filter(|sample| sample.equilibrium.outcome.converged());
            let tip = found.map(|sample| sample.equilibrium.rods[0].tip.position);
            tip.ok_or_else(|| CaseError::NotConverged { what: format!("{} at {time}", scene.title) })
        };
        [0.0, 1.0, 2.0, 3.0].into_iter().map(tip).collect()
    }
}
