//! Reads the folder of a motion back: for exports, and to go on with it.

use super::writer::{EVENTS, Written};
use super::{KIND, checkpoint_name, columns, part_name};
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::files::{RESULT_LIMIT, SCENE_LIMIT, read_limited};
use crate::run_folder::npz::{self, Array};
use crate::run_folder::{MANIFEST, is_run};
use crate::scene::{self, LoadedScene};
use lissome_model::{Job, Scene};
use lissome_solve::dynamics::Snapshot;
use lissome_solve::{MotionEvent, MotionEventKind, MotionFrame, MotionRecord};
use serde_json::Value as Json;
use std::path::Path;

/// A motion in memory.
#[derive(Clone, Debug)]
pub struct StoredMotion {
    /// Its scene.
    pub loaded: LoadedScene,
    /// Every frame of its closed parts.
    pub frames: Vec<MotionFrame>,
    /// `running` if it never came to its end.
    pub status: String,
}

/// What it takes to go on with a motion.
#[derive(Clone, Debug)]
pub struct Resumption {
    /// The scene, with a longer duration if that was asked for.
    pub loaded: LoadedScene,
    /// Everything the next step depends on.
    pub snapshot: Snapshot,
    /// What was written before.
    pub written: Written,
    /// What those parts hold.
    pub record: MotionRecord,
}

/// True if a folder holds a motion.
pub fn is_motion(folder: &Path) -> bool {
    manifest(folder).is_some_and(|manifest| manifest["kind"] == KIND)
}

fn manifest(folder: &Path) -> Option<Json> {
    let bytes = read_limited(&folder.join(MANIFEST), SCENE_LIMIT).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Reads a motion, finished or not.
pub fn read(folder: &Path) -> Result<StoredMotion, Vec<Diagnostic>> {
    let one = |fault: Fault| vec![Diagnostic::new(fault)];
    if !is_run(folder) || !is_motion(folder) {
        return Err(one(Fault::NotARun { path: folder.display().to_string() }));
    }
    let status = manifest(folder).and_then(|m| m["status"].as_str().map(str::to_owned)).unwrap_or_default();
    let loaded = scene::load(&folder.join("scene.toml"), &[])?;
    let mut frames = Vec::new();
    for part in (0..).map(part_name).take_while(|name| folder.join(name).exists()) {
        frames.extend(read_part(folder, &part, &loaded.scene).map_err(one)?);
    }
    Ok(StoredMotion { loaded, frames, status })
}

fn read_part(folder: &Path, name: &str, scene: &Scene) -> Result<Vec<MotionFrame>, Fault> {
    let path = folder.join(name);
    let damaged = |reason: &str| Fault::DamagedRun { path: path.display().to_string(), reason: reason.into() };
    let arrays = npz::read(&read_limited(&path, RESULT_LIMIT)?).map_err(damaged)?;
    columns::frames(scene, &arrays).ok_or_else(|| damaged("its columns are not those of the scene"))
}

/// Looks for the latest checkpoint whose parts are all there. Only the duration may be changed.
pub fn resume(folder: &Path, overrides: &[String]) -> Result<Resumption, Vec<Diagnostic>> {
    let one = |fault: Fault| vec![Diagnostic::new(fault)];
    let shown = folder.display().to_string();
    if !is_run(folder) || !is_motion(folder) {
        return Err(one(Fault::NotARun { path: shown }));
    }
    let before = scene::load(&folder.join("scene.toml"), &[])?;
    let loaded = scene::load(&folder.join("scene.toml"), overrides)?;
    if with_duration_of(&before.scene, &loaded.scene) != loaded.scene {
        return Err(one(Fault::CannotResume { path: shown, reason: "only job.duration may change on the way" }));
    }
    let mut found: Vec<(usize, Vec<Array>)> = (0..2)
        .filter_map(|index| read_limited(&folder.join(checkpoint_name(index)), RESULT_LIMIT).ok())
        .filter_map(|bytes| npz::read(&bytes).ok())
        .filter_map(|arrays| Some((count(&arrays, "folder.frames")?, arrays)))
        .collect();
    found.sort_by_key(|(frames, _)| std::cmp::Reverse(*frames));
    for (frames, snapshot) in found {
        let written = (count(&snapshot, "folder.parts"), count(&snapshot, "folder.checkpoints"));
        let (Some(parts), Some(checkpoints)) = written else { continue };
        let mut record = MotionRecord::of(&loaded.scene);
        let whole = (0..parts).try_for_each(|part| {
            read_part(folder, &part_name(part), &loaded.scene).map(|part| part.iter().for_each(|f| record.push(f)))
        });
        if whole.is_ok() && record.count == frames {
            if record.reached() > loaded.scene.job.end() {
                let reason = "it has gone beyond that duration already";
                return Err(one(Fault::CannotResume { path: shown, reason }));
            }
            read_events(folder, record.reached()).into_iter().for_each(|event| record.push_event(event));
            let lists = snapshot.into_iter().map(|array| (array.name, array.values)).collect();
            // The other checkpoint stays until this one has a successor.
            let written = Written { parts, checkpoints: checkpoints + 1, frames };
            return Ok(Resumption { loaded, snapshot: Snapshot { lists }, written, record });
        }
    }
    Err(one(Fault::CannotResume { path: shown, reason: "it holds no whole checkpoint" }))
}

/// The events of a motion until a time. A line that is no such event, or that was cut off, is passed over.
fn read_events(folder: &Path, until: f64) -> Vec<MotionEvent> {
    let bytes = read_limited(&folder.join(EVENTS), RESULT_LIMIT).unwrap_or_default();
    let event = |line: &str| {
        let json: Json = serde_json::from_str(line).ok()?;
        let kind = MotionEventKind::ALL.into_iter().find(|kind| json["event"] == kind.name())?;
        let (time, value) = (json["time"].as_f64()?, json["value"].as_f64()?);
        Some(MotionEvent { time, kind, part: json["part"].as_str()?.to_owned(), value })
    };
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(event).filter(|event| event.time <= until).collect()
}

fn count(arrays: &[Array], name: &str) -> Option<usize> {
    arrays.iter().find(|array| array.name == name).and_then(|array| array.values.first()).map(|value| *value as usize)
}

/// The scene with another's duration.
fn with_duration_of(scene: &Scene, other: &Scene) -> Scene {
    let mut scene = scene.clone();
    if let (Job::Dynamics(job), Job::Dynamics(wanted)) = (&mut scene.job, &other.job) {
        job.duration = wanted.duration;
    }
    scene
}
