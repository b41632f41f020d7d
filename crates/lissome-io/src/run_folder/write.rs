//! Writes a run folder whole or not at all.

use super::derivatives::{self, DERIVATIVES};
use super::ownership::{self, Entry};
use super::{EVENTS, MANIFEST, MANIFEST_SCHEMA, OPTIMISED, modes, npz, path, robot, shapes, table};
use crate::branches::fold_curves_csv;
use crate::fault::Fault;
use crate::files::sha256;
use crate::optimum;
use crate::report;
use crate::scene::LoadedScene;
use crate::summary::{Summary, iteration_json};
use lissome_solve::{DerivativeCourse, Status};
use serde_json::{Value as Json, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the program knows beside the answer.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    /// Time of the solve, s; kept out of every file but the manifest.
    pub wall_seconds: f64,
    /// Threads the user allowed.
    pub threads: Option<usize>,
    /// `path=value` arguments.
    pub overrides: Vec<String>,
}

/// Refuses, before any work is done, a target that is there and holds anything but a run as lissome wrote it, or whose
/// folder is not there.
pub fn check_target(target: &Path) -> Result<(), Fault> {
    let shown = || target.display().to_string();
    if target.file_name().is_none() {
        return Err(Fault::CannotWrite { path: shown(), reason: "it has no name of its own".into() });
    }
    if target.symlink_metadata().is_ok() {
        ownership::check_replaceable(target)?;
    }
    let parent = parent_of(target);
    if !parent.is_dir() {
        return Err(Fault::CannotWrite { path: shown(), reason: format!("there is no folder {}", parent.display()) });
    }
    Ok(())
}

/// Writes the folder of an answer. Returns the files' names.
pub fn write(
    target: &Path,
    loaded: &LoadedScene,
    summary: &Summary<'_>,
    facts: &RunFacts,
) -> Result<Vec<String>, Fault> {
    let contents = contents(loaded, summary, facts)?;
    place(target, &contents)?;
    Ok(contents.into_iter().map(|(name, _)| name.to_owned()).collect())
}

/// Puts a folder of these files in place, whole or not at all; an earlier run of the same name that nobody touched is replaced
/// in one rename.
pub fn place(target: &Path, files: &[(&'static str, Vec<u8>)]) -> Result<(), Fault> {
    check_target(target)?;
    let partial = sibling(target, "partial");
    let result = write_files(&partial, files).and_then(|()| swap_in(&partial, target));
    result.map_err(|error| {
        // What is left of the attempt is ours alone: the name holds our process id.
        let _ = fs::remove_dir_all(&partial);
        Fault::CannotWrite { path: target.display().to_string(), reason: error.to_string() }
    })
}

fn parent_of(target: &Path) -> &Path {
    target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary name beside the target, so that renaming never crosses a file system.
fn sibling(target: &Path, word: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    parent_of(target).join(format!("{name}.{word}-{}", std::process::id()))
}

/// Every file of the folder, by its name.
pub fn contents(
    loaded: &LoadedScene,
    summary: &Summary<'_>,
    facts: &RunFacts,
) -> Result<Vec<(&'static str, Vec<u8>)>, Fault> {
    let equilibrium = summary.equilibrium;
    let scene_toml = loaded.to_toml();
    let archive = |name: &str, arrays: &[npz::Array]| {
        let mut bytes = Vec::new();
        let written = npz::write(&mut bytes, arrays);
        written.map(|()| bytes).map_err(|e| Fault::CannotWrite { path: name.into(), reason: e.to_string() })
    };
    let mut arrays = table::arrays(equilibrium);
    arrays.extend(robot::arrays(summary.scene, equilibrium));
    let mut files: Vec<(&'static str, Vec<u8>)> = vec![
        ("report.html", report::page::html(summary, &scene_toml).into_bytes()),
        ("samples.csv", table::samples_csv(equilibrium).into_bytes()),
        ("samples.npz", archive("samples.npz", &arrays)?),
        ("control_poses.csv", table::control_poses_csv(equilibrium).into_bytes()),
        ("history.csv", table::history_csv(summary.iterations()).into_bytes()),
        (EVENTS, events(summary).into_bytes()),
        ("scene.toml", scene_toml.clone().into_bytes()),
    ];
    files.extend(robot::tables(summary.scene, equilibrium).into_iter().map(|(name, text)| (name, text.into_bytes())));
    files.extend(modes::tables(summary).into_iter().map(|(name, text)| (name, text.into_bytes())));
    if let Some((job, record)) = optimum::of(summary.scene, equilibrium) {
        files.push(("rounds.csv", optimum::csv(record).into_bytes()));
        let values: Vec<f64> = record.free.iter().map(|own| own.value).collect();
        if let Ok(optimised) = loaded.with_values(&job.free, &values, false) {
            files.push((OPTIMISED, optimised.to_toml().into_bytes()));
        }
    }
    if !summary.fold_curves.is_empty() {
        files.push(("fold_curve.csv", fold_curves_csv(summary.scene, summary.fold_curves).into_bytes()));
    }
    let samples = summary.path;
    if !samples.is_empty() {
        files.push(("path.csv", path::csv(summary.scene, samples).into_bytes()));
        files.push(("path_samples.csv", path::samples_csv(samples).into_bytes()));
        files.push(("path_control_poses.csv", path::control_poses_csv(samples).into_bytes()));
        files.push(("path.npz", archive("path.npz", &path::arrays(summary.scene, samples))?));
        let derivatives = derivatives::csv("parameter", &DerivativeCourse::of_path(samples));
        files.extend(derivatives.map(|text| (DERIVATIVES, text.into_bytes())));
    }
    if !summary.shapes.is_empty() {
        files.push(("shapes.csv", shapes::csv(summary.shapes).into_bytes()));
        files.push(("shapes.json", format!("{:#}\n", shapes::json(summary.shapes)).into_bytes()));
    }
    let list: Vec<Json> = files.iter().map(|(name, bytes)| Entry::of(*name, bytes).to_json()).collect();
    let manifest = json!({
        "schema": MANIFEST_SCHEMA,
        "program": "lissome",
        "version": env!("CARGO_PKG_VERSION"),
        "scene_sha256": sha256(scene_toml.as_bytes()),
        "title": loaded.scene.title,
        "overrides": facts.overrides,
        "threads": facts.threads,
        "seed": null,
        "status": summary.status(),
        "wall_seconds": facts.wall_seconds,
        "result": summary.to_json(),
        "files": list,
    });
    files.push((MANIFEST, format!("{manifest:#}\n").into_bytes()));
    Ok(files)
}

/// One line an event: each change of load, or each sample of a path, then the end.
fn events(summary: &Summary<'_>) -> String {
    let outcome = &summary.equilibrium.outcome;
    let mut lines = Vec::new();
    for (index, sample) in summary.path.iter().enumerate() {
        let outcome = &sample.equilibrium.outcome;
        lines.push(json!({
            "event": "sample",
            "sample": index,
            "parameter": sample.at,
            "converged": outcome.converged(),
            "iterations": outcome.iterations(),
            "steps": outcome.load_steps,
            "residual": outcome.residual,
            "stable": sample.equilibrium.is_stable(),
        }));
    }
    let mut last = None;
    let loads = if summary.path.is_empty() { outcome.history.as_slice() } else { &[] };
    for (index, iteration) in loads.iter().enumerate() {
        let now = iteration.load_factor;
        if last != Some(now) {
            let mut event = iteration_json(index + 1, iteration);
            event["event"] = json!("load");
            lines.push(event);
        }
        last = Some(now);
    }
    lines.extend(summary.events_json());
    let mut end =
        json!({ "event": summary.status(), "iteration": summary.iterations().count(), "residual": outcome.residual });
    if let Status::Fold { load_factor, s, .. } = outcome.status {
        end["load_factor"] = json!(load_factor);
        end["s"] = json!(s);
    }
    if let Some(complaint) = summary.complaint().or_else(|| summary.warnings().into_iter().next()) {
        end["diagnostic"] = complaint.to_json();
    }
    lines.push(end);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn write_files(folder: &Path, files: &[(&'static str, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir(folder)?;
    for (name, bytes) in files {
        let mut file = fs::File::create(folder.join(name))?;
        io::Write::write_all(&mut file, bytes)?;
        // A full disk may only show itself here.
        file.sync_all()?;
    }
    Ok(())
}

/// Puts the finished folder in place. An old run steps aside first and comes back if that fails.
fn swap_in(partial: &Path, target: &Path) -> io::Result<()> {
    if target.symlink_metadata().is_err() {
        return fs::rename(partial, target);
    }
    let old = sibling(target, "partial-old");
    fs::rename(target, &old)?;
    if let Err(error) = fs::rename(partial, target) {
        fs::rename(&old, target)?;
        return Err(error);
    }
    ownership::remove(&old)
}
