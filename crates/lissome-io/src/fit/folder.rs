//! The folder of a fit.
//!
//! | file | holds |
//! |---|---|
//! | `fit.json` | numbers with errors, correlations, outputs, outliers, what cannot be told |
//! | `residuals.csv` | every measured value with what is predicted |
//! | `fitted.toml` | the scene with the numbers found; can be run |
//! | `scene.toml` | the scene that the fit began with |
//! | `report.html` | tables and plots, self-contained |
//! | `manifest.json` | versions, hashes, status |

use super::FitAnswer;
use crate::fault::Fault;
use crate::files::sha256;
use crate::report;
use crate::run_folder::ownership::Entry;
use crate::run_folder::{self, MANIFEST, MANIFEST_SCHEMA};
use crate::scene::LoadedScene;
use crate::summary::Ending;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::Path;

/// What the manifest calls a fit.
pub const KIND: &str = "fit";

/// `residuals.csv`.
pub fn residuals_csv(answer: &FitAnswer) -> String {
    let mut text = String::from("row,line,time,output,measured,predicted,residual,sigma,standardised,outlier\n");
    for point in &answer.points {
        let time = point.time.map_or_else(String::new, |time| format!("{time:?}"));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{},{},{time},{},{:?},{:?},{:?},{:?},{:?},{}",
            point.row,
            point.line,
            answer.outputs[point.output].name,
            point.measured,
            point.predicted(),
            point.residual,
            point.sigma,
            point.standardised,
            u8::from(point.outlier),
        );
    }
    text
}

/// Writes the folder whole or not at all; an earlier one of the same name that nobody touched is replaced. Returns the files' names.
pub fn write(
    target: &Path,
    loaded: &LoadedScene,
    answer: &FitAnswer,
    ending: Ending,
    wall_seconds: f64,
) -> Result<Vec<&'static str>, Fault> {
    let scene = loaded.to_toml();
    let result = answer.to_json(ending);
    let mut files: Vec<(&'static str, Vec<u8>)> = vec![
        ("report.html", report::fit::html(loaded, answer, ending).into_bytes()),
        ("fit.json", format!("{result:#}\n").into_bytes()),
        ("residuals.csv", residuals_csv(answer).into_bytes()),
        ("fitted.toml", answer.fitted_scene.clone().into_bytes()),
        ("scene.toml", scene.clone().into_bytes()),
    ];
    let names = files.iter().map(|(name, _)| *name).collect();
    let list: Vec<Json> = files.iter().map(|(name, bytes)| Entry::of(*name, bytes).to_json()).collect();
    let manifest = json!({
        "schema": MANIFEST_SCHEMA,
        "program": "lissome",
        "version": env!("CARGO_PKG_VERSION"),
        "kind": KIND,
        "title": loaded.scene.title,
        "scene_sha256": sha256(scene.as_bytes()),
        "status": answer.status(ending),
        "wall_seconds": wall_seconds,
        "files": list,
    });
    files.push((MANIFEST, format!("{manifest:#}\n").into_bytes()));
    run_folder::place(target, &files)?;
    Ok(names)
}
