//! How many unknowns a scene has, and of which kind.

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use lissome::mech::System;
use lissome::model::{Body, FrameOf, Mount, Scene};
use serde::Deserialize;

/// Rows of the system of a scene.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// The fewest and most rows that a model in absolute poses may have: six for each control pose and body, six for each end
    /// of a rod that is tied to a body, and as many for each body as its carrier holds.
    absolute_rows: [usize; 2],
}

impl Size {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            scene.validate()?;
            let system = System::compile(&scene)?;
            let poses: usize = system.rods().iter().map(|rod| rod.curve().pose_count()).sum();
            let ends: usize = scene.rods.iter().map(|rod| rod.base.iter().chain(&rod.tip).count()).sum();
            let held: usize = scene.bodies.iter().map(|body| held_freedoms(&scene, body)).sum();
            let absolute = 6 * (poses + scene.bodies.len() + ends) + held;
            let [fewest, most] = self.absolute_rows;
            let title = variant.title("rows of the same model in absolute poses with every joint a constraint");
            rows.push(Row::at_least(format!("{title}, at least"), absolute as f64, fewest as f64));
            rows.push(Row::at_most(format!("{title}, at most"), absolute as f64, most as f64));
            let stresses = 6 * system.stress_blocks();
            let displacements = system.unknowns() - stresses;
            let title = variant.title("rows of ours without the stresses, at most that");
            rows.push(Row::at_most(title, displacements as f64, absolute as f64));
            let title = variant.title("rows of ours, stresses included, at most twice that");
            rows.push(Row::at_most(title, system.unknowns() as f64, 2.0 * absolute as f64));
        }
        Ok(rows)
    }
}

/// Freedoms that the carrier of a body takes from it.
fn held_freedoms(scene: &Scene, body: &Body) -> usize {
    match body.mount {
        Mount::Free(_) => 0,
        Mount::On(frame) => match frame.of {
            FrameOf::Joint(joint) => 6 - scene.joints[joint].freedom(),
            _ => 6,
        },
    }
}
