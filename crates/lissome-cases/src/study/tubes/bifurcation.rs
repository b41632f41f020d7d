//! Equal and opposite tubes pushed out of their entry: straight until they turn away from each other.

use super::pair::pair_of;
use super::{angle_at_end, negative_directions, set_of, stationary};
use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::mech::System;
use lissome::mech::index::RodIndex;
use lissome::model::Scene;
use lissome::solve::StaticOptions;
use lissome::solve::statics;
use lissome_reference::analytic::tube_pair::bifurcation_on_insertion;
use serde::Deserialize;
use std::f64::consts::PI;

/// Halvings of the bracket: to a thousandth of a per cent of it.
const HALVINGS: usize = 16;

/// Where opposite tubes begin to turn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeBifurcation {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// Insertions between which it lies, m.
    between: [f64; 2],
    /// Of the insertion, relative.
    within: f64,
    /// Of the straight shape: how far off the axis it may be, parts of the length.
    straight: f64,
}

impl TubeBifurcation {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        let pair = pair_of(&scene)?;
        let length = set_of(&scene)?.tubes[1].length;
        let exact = bifurcation_on_insertion(pair.coupling, length).ok_or(CaseError::TooFew {
            what: "bifurcations of the closed form",
            found: 0,
            need: 1,
        })?;
        let [mut low, mut high] = self.between;
        let (mut off_axis, mut turned): (f64, f64) = (0.0, 0.0);
        let mut falls = |insertion: f64| -> Result<bool, CaseError> {
            let at = pushed(&scene, insertion);
            let system = System::compile(&at)?;
            let inputs = system.inputs_at(0.0);
            let solution = stationary(&system, &system.natural_state(), &inputs, "opposite tubes")?;
            let off = |y: f64, z: f64| y.hypot(z) / insertion;
            for sample in system.sample(RodIndex::new(0), &solution.state, 11) {
                off_axis = off_axis.max(off(sample.pose.position.y, sample.pose.position.z));
            }
            turned = turned.max((angle_at_end(&system, &at, &solution.state)? - PI).abs());
            Ok(negative_directions(&solution) > 0)
        };
        if falls(low)? || !falls(high)? {
            return Err(CaseError::NoChange { low, high });
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if falls(middle)? { high = middle } else { low = middle }
        }
        let found = 0.5 * (low + high);
        let error = (found / exact - 1.0).abs();
        // Beyond it a search that does not stop at saddles finds tubes that have turned.
        let beyond = pushed(&scene, self.between[1]);
        let system = System::compile(&beyond)?;
        let options = StaticOptions::default();
        let settled = statics::solve_from_natural(&system, &options, &mut system.workspace(), &mut |_| true);
        let away = (angle_at_end(&system, &beyond, &settled.state)? - PI).abs();
        Ok(vec![
            Row::within("opposite tubes: insertion at the bifurcation / m", exact, found, error, self.within),
            Row::deviation("opposite tubes: off the axis / L, at any insertion", off_axis, self.straight),
            Row::deviation("opposite tubes: angle off π at the end / rad", turned, self.straight),
            Row::at_least("beyond the bifurcation, left to itself: turned away / rad", away, 0.1),
        ])
    }
}

/// Both tubes pushed out alike.
fn pushed(scene: &Scene, insertion: f64) -> Scene {
    let mut scene = scene.clone();
    for tube in 0..2 {
        scene.insert_tube(0, tube, insertion);
    }
    scene
}
