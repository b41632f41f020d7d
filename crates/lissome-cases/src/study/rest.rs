//! Does a robot that was loaded come back to the shape it was drawn in, and without stress?

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use lissome::mech::System;
use lissome::solve::path::advance;
use lissome::solve::statics::{StaticOptions, solve_from_natural};
use serde::Deserialize;

/// The drawn shape against the equilibrium that the unloaded robot returns to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rest {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// The drives' parameter where the robot is loaded; at 0 it is not.
    loaded_at: f64,
    /// Of poses in m and rad, and of the energy left, relative to the loaded robot's.
    tolerance: f64,
}

impl Rest {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            scene.validate()?;
            let system = System::compile(&scene)?;
            let mut work = system.workspace();
            let options = StaticOptions::default();
            let (rest, loaded) = (system.inputs_at(0.0), system.inputs_at(self.loaded_at));
            let start = solve_from_natural(&system, &options, &mut work, &mut |_| true);
            let bent = advance(&system, &start.state, (&rest, &loaded), &options, &mut work, &mut |_| true);
            let back = advance(&system, &bent.state, (&loaded, &rest), &options, &mut work, &mut |_| true);
            if !(start.outcome.converged() && bent.outcome.converged() && back.outcome.converged()) {
                return Err(CaseError::NotConverged { what: variant.name.clone() });
            }
            // Drawn control poses are the unknowns, so the natural state is the drawing itself.
            let drawn = system.natural_state();
            let gap = back.state.poses.iter().zip(&drawn.poses).map(|(a, b)| a.boxminus(b).to_vector().norm());
            let title = variant.title("farthest from the drawn shape after unloading, m or rad");
            rows.push(Row::deviation(title, gap.fold(0.0, f64::max), self.tolerance));
            let left = back.outcome.energy.elastic / bent.outcome.energy.elastic;
            rows.push(Row::deviation(variant.title("elastic energy left of the loaded one"), left, self.tolerance));
        }
        Ok(rows)
    }
}
