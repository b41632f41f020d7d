//! The border of snapping over insertion: a curve of folds against the closed form.

use super::pair::pair_of;
use super::set_of;
use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::solve::{Answer, FoldPoint};
use lissome_reference::analytic::tube_pair::{bifurcation_on_insertion, snap_border};
use serde::Deserialize;
use std::f64::consts::PI;

/// Two tubes that are pushed out together, the outer one turned until they snap. The scene's first drive is the rotation, its second
/// the insertion.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeBorder {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// Of the rotation at a fold and of the insertion at the cusp, relative.
    within: f64,
    /// Folds that are held against the closed form, at least.
    folds: f64,
}

impl TubeBorder {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        let (pair, length) = (pair_of(&scene)?, set_of(&scene)?.tubes[1].length);
        let Answer::FoldCurve(found) = lissome::run(&scene, &mut lissome::Unobserved)? else {
            return Err(CaseError::WrongJob { what: self.scene.clone(), need: "fold-curve" });
        };
        let points = found.curves.iter().flat_map(|curve| &curve.points);
        let (cusps, folds): (Vec<&FoldPoint>, Vec<&FoldPoint>) = points.partition(|point| point.cusp);
        let mut worst: f64 = 0.0;
        for fold in &folds {
            let [turned, overlap] = [fold.drives[0], fold.drives[1]];
            // Tubes that are turned back snap at the mirror image about half a turn.
            let border = snap_border(pair.coupling, length, &[overlap])?;
            let exact = border.first().map_or(f64::NAN, |(_, plates)| *plates);
            let off = (turned - exact).abs().min((turned - (2.0 * PI - exact)).abs()) / exact;
            worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
        }
        let exact = bifurcation_on_insertion(pair.coupling, length).unwrap_or(f64::NAN);
        let mut rows = vec![
            Row::at_least("folds on the border", folds.len() as f64, self.folds),
            Row::deviation("rotation at the folds, relative", worst, self.within),
            Row::within("cusps", 1.0, cusps.len() as f64, (cusps.len() as f64 - 1.0).abs(), 0.0),
        ];
        if let Some(cusp) = cusps.first() {
            let insertion = cusp.drives[1];
            let off = (insertion / exact - 1.0).abs();
            rows.push(Row::within("insertion where snapping begins / m", exact, insertion, off, self.within));
        }
        Ok(rows)
    }
}
