//! The general relative rotation of tubes against rotation about the tangent alone.

use super::set_of;
use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::lie::Pose;
use lissome::model::{Relative, Scene};
use lissome::{Answer, Unobserved};
use serde::Deserialize;

/// Tubes that may tilt, and the same that may not, at several diameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeTilt {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// Factors on all diameters; stiffness in bending and torsion goes with their fourth power, loads with it.
    thicker: Vec<f64>,
    /// Distance of the tips over (r/L)², at every thickness.
    within: f64,
}

impl TubeTilt {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        let mut rows = Vec::new();
        for factor in self.thicker.iter().copied() {
            let [parallel, tilting] = [Relative::Torsion, Relative::General].map(|r| self.tip(&scene, factor, r));
            let (parallel, tilting) = (parallel?, tilting?);
            let length = scene.rods[0].length;
            let radius =
                set_of(&scene)?.tubes.iter().map(|tube| 0.5 * factor * tube.outer_diameter).fold(0.0, f64::max);
            let ratio = radius / length;
            let apart = (parallel.position - tilting.position).norm() / length;
            let title = format!("general and torsional form, r/L = 1/{:.0}: tips apart / L, over (r/L)²", 1.0 / ratio);
            rows.push(Row::deviation(title, apart / (ratio * ratio), self.within));
        }
        Ok(rows)
    }

    fn tip(&self, scene: &Scene, factor: f64, relative: Relative) -> Result<Pose, CaseError> {
        let mut scene = scene.clone();
        let rod = &mut scene.rods[0];
        let mut set = set_of_rod(rod.tubes.take())?;
        for tube in &mut set.tubes {
            tube.inner_diameter *= factor;
            tube.outer_diameter *= factor;
        }
        set.relative = relative;
        let entry = rod.base.unwrap_or_else(|| lissome::model::Frame::world(Pose::identity()));
        *rod = set.rod(rod.name.clone(), entry, rod.discretization.clone());
        for load in &mut scene.loads {
            if let lissome::model::LoadKind::Point { wrench, .. } = &mut load.kind {
                *wrench = *wrench * factor.powi(4);
            }
        }
        let Answer::Statics(found) = lissome::run(&scene, &mut Unobserved)? else {
            return Err(CaseError::WrongJob { what: self.scene.clone(), need: "statics" });
        };
        if !found.outcome.converged() {
            return Err(CaseError::NotConverged { what: self.scene.clone() });
        }
        Ok(found.rods[0].tip)
    }
}

fn set_of_rod(set: Option<lissome::model::TubeSet>) -> Result<lissome::model::TubeSet, CaseError> {
    set.ok_or_else(|| CaseError::NoSuchPart { name: "tubes".to_owned() })
}
