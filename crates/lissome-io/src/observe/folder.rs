//! The folder of an observation.
//!
//! | file | holds |
//! |---|---|
//! | `scene.toml`, `markers.csv` | what it was made from |
//! | `shape.csv` | along every rod in every frame: pose, strain, internal wrench, each with its band |
//! | `residuals.csv` | every marker in every frame: place, residual, surprise, the force that it implies |
//! | `unknowns.csv` | every unknown in every frame, where there are any |
//! | `observation.json` | the same in a few numbers |
//! | `report.html` | pictures, self-contained |
//! | `manifest.json` | versions, hashes, status |

use super::summary::ObserveSummary;
use crate::columns;
use crate::fault::Fault;
use crate::files::sha256;
use crate::report;
use crate::run_folder::ownership::Entry;
use crate::run_folder::table::push_row;
use crate::run_folder::{self, MANIFEST, MANIFEST_SCHEMA};
use crate::scene::LoadedScene;
use lissome_solve::observe::{Observation, ObservedSample, SampleBand};
use serde_json::json;
use std::path::Path;

/// What the manifest calls an observation.
pub const KIND: &str = "observation";

/// Writes the folder; an earlier result of the same name that nobody touched is replaced. Names of the files.
pub fn write(
    target: &Path,
    loaded: &LoadedScene,
    markers: &str,
    summary: &ObserveSummary<'_>,
) -> Result<Vec<&'static str>, Fault> {
    run_folder::check_target(target)?;
    let scene = loaded.to_toml();
    let observation = summary.observation;
    let mut files: Vec<(&'static str, Vec<u8>)> = vec![
        ("report.html", report::observe::html(summary, &scene).into_bytes()),
        ("shape.csv", shape_csv(observation).into_bytes()),
        ("residuals.csv", residuals_csv(observation).into_bytes()),
        ("observation.json", format!("{:#}\n", summary.to_json()).into_bytes()),
        ("markers.csv", markers.as_bytes().to_vec()),
    ];
    if observation.frames.iter().any(|frame| !frame.unknowns.is_empty()) {
        files.push(("unknowns.csv", unknowns_csv(observation).into_bytes()));
    }
    files.push(("scene.toml", scene.clone().into_bytes()));
    let listed: Vec<_> = files.iter().map(|(name, bytes)| Entry::of(*name, bytes).to_json()).collect();
    let manifest = json!({
        "schema": MANIFEST_SCHEMA,
        "program": "lissome",
        "version": env!("CARGO_PKG_VERSION"),
        "kind": KIND,
        "title": summary.scene.title,
        "scene_sha256": sha256(scene.as_bytes()),
        "markers_sha256": sha256(markers.as_bytes()),
        "frames": observation.frames.len(),
        "status": summary.status(),
        "files": listed,
    });
    let names = files.iter().map(|(name, _)| *name).collect();
    files.push((MANIFEST, format!("{manifest:#}\n").into_bytes()));
    run_folder::place(target, &files)?;
    Ok(names)
}

/// `shape.csv`.
pub fn shape_csv(observation: &Observation) -> String {
    let mut fields: Vec<String> = columns::SAMPLE.iter().map(|name| (*name).to_owned()).collect();
    fields.extend(SampleBand::default().fields().iter().map(|(name, _)| format!("{name}_band")));
    let mut names: Vec<String> = vec!["time".into(), "rod".into()];
    for field in &fields {
        match field.strip_suffix("_band") {
            Some(_) => names.extend(["x", "y", "z"].map(|axis| format!("{field}.{axis}"))),
            None => names.extend(columns::columns("", field)),
        }
    }
    let mut out = names.join(",") + "\n";
    for frame in &observation.frames {
        for rod in &frame.rods {
            for own in &rod.samples {
                push_row(&mut out, &format!("{:?},{}", frame.time, rod.name), &row(own));
            }
        }
    }
    out
}

fn row(own: &ObservedSample) -> Vec<f64> {
    let ObservedSample { sample, band } = own;
    let mut all = vec![sample.s];
    all.extend(sample.pose.position.iter());
    all.extend(sample.pose.rotation.quat_wxyz());
    all.extend(sample.strain.to_vector().iter().chain(sample.stress.to_vector().iter()));
    all.extend(band.fields().iter().flat_map(|(_, own)| [own.x, own.y, own.z]));
    all
}

/// `residuals.csv`.
pub fn residuals_csv(observation: &Observation) -> String {
    let vectors = ["measured", "residual", "turn_residual", "force", "force_band", "moment", "moment_band"];
    let mut names = vec!["time".to_owned(), "marker".to_owned()];
    names.extend(vectors.iter().flat_map(|name| ["x", "y", "z"].map(|axis| format!("{name}.{axis}"))));
    names.extend(["numbers", "surprise", "probability", "outlier"].map(str::to_owned));
    let mut out = names.join(",") + "\n";
    for frame in &observation.frames {
        for own in &frame.markers {
            let all = [
                own.measured,
                own.residual,
                own.turn_residual,
                own.wrench.force,
                own.wrench_band.force,
                own.wrench.moment,
                own.wrench_band.moment,
            ];
            let mut numbers: Vec<f64> = all.iter().flat_map(|own| [own.x, own.y, own.z]).collect();
            let outlier = if own.outlier { 1.0 } else { 0.0 };
            numbers.extend([own.numbers as f64, own.surprise, own.probability, outlier]);
            push_row(&mut out, &format!("{:?},{}", frame.time, own.name), &numbers);
        }
    }
    out
}

/// `unknowns.csv`.
pub fn unknowns_csv(observation: &Observation) -> String {
    let mut out = "time,unknown,unit,value,standard_error,low,high\n".to_owned();
    for frame in &observation.frames {
        for own in &frame.unknowns {
            let numbers = [own.value, own.standard_error, own.value - own.band, own.value + own.band];
            push_row(&mut out, &format!("{:?},{},{}", frame.time, own.path, own.unit), &numbers);
        }
    }
    out
}
