//! Reads the folder of a motion back: for exports, and to go on with it.

use super::columns::{self, Columns};
use super::writer::Written;
use super::{KIND, checkpoint_name, part_name};
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::files::{RESULT_LIMIT, SCENE_LIMIT, read_limited, sha256};
use crate::run_folder::npz::{self, Array};
use crate::run_folder::ownership::Ownership;
use crate::run_folder::{EVENTS, MANIFEST, is_run};
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

/// Reads a motion, finished or not. Parts that the manifest lists and that are gone or were changed are refused.
pub fn read(folder: &Path) -> Result<StoredMotion, Vec<Diagnostic>> {
    let one = |fault: Fault| vec![Diagnostic::new(fault)];
    let Some(manifest) = manifest(folder).filter(|manifest| is_run(folder) && manifest["kind"] == KIND) else {
        return Err(one(Fault::NotARun { path: folder.display().to_string() }));
    };
    let status = manifest["status"].as_str().unwrap_or_default().to_owned();
    let loaded = scene::load(&folder.join("scene.toml"), &[])?;
    let ownership = Ownership::of(&manifest).unwrap_or_default();
    let running = status == "running";
    let mut frames = Vec::new();
    let parts: Vec<String> = (0..).map(part_name).take_while(|name| folder.join(name).exists()).collect();
    if !running {
        let gone = ownership.entries().iter().find(|entry| !folder.join(&entry.name).is_file());
        if let Some(entry) = gone.filter(|entry| entry.name.starts_with("motion-")) {
            let path = folder.join(&entry.name).display().to_string();
            return Err(one(Fault::DamagedRun { path, reason: "it is gone".into() }));
        }
    }
    for part in &parts {
        let path = folder.join(part);
        if !ownership.entries().is_empty() && !ownership.owns(&path) {
            let reason = "it is not what the manifest lists: it was changed, or belongs to another run".into();
            return Err(one(Fault::DamagedRun { path: path.display().to_string(), reason }));
        }
        let (arrays, _) = read_part(folder, part).map_err(one)?;
        frames.extend(frames_of(folder, part, &loaded.scene, &arrays).map_err(one)?);
    }
    if frames.is_empty() {
        let (path, reason) = (folder.display().to_string(), "it holds no state of the motion".into());
        return Err(one(Fault::DamagedRun { path, reason }));
    }
    Ok(StoredMotion { loaded, frames, status })
}

fn damaged(folder: &Path, name: &str, reason: &str) -> Fault {
    Fault::DamagedRun { path: folder.join(name).display().to_string(), reason: reason.into() }
}

/// The arrays of a part, and the number of its frames.
fn read_part(folder: &Path, name: &str) -> Result<(Vec<Array>, usize), Fault> {
    let bytes = read_limited(&folder.join(name), RESULT_LIMIT)?;
    let arrays = npz::read(&bytes).map_err(|reason| damaged(folder, name, reason))?;
    let frames = arrays.iter().find(|array| array.name == "time").map_or(0, |array| array.values.len());
    Ok((arrays, frames))
}

fn frames_of(folder: &Path, name: &str, scene: &Scene, arrays: &[Array]) -> Result<Vec<MotionFrame>, Fault> {
    let frames = columns::frames(scene, arrays);
    frames.ok_or_else(|| damaged(folder, name, "its columns are not those of the scene"))
}

/// Looks for the latest checkpoint whose parts are all there. Only the duration may be changed, by an override: the scene in
/// the folder and the program must be those that began.
pub fn resume(folder: &Path, overrides: &[String]) -> Result<Resumption, Vec<Diagnostic>> {
    let one = |fault: Fault| vec![Diagnostic::new(fault)];
    let shown = folder.display().to_string();
    let refuse = |reason: &'static str| one(Fault::CannotResume { path: shown.clone(), reason });
    let Some(manifest) = manifest(folder).filter(|manifest| is_run(folder) && manifest["kind"] == KIND) else {
        return Err(one(Fault::NotARun { path: shown }));
    };
    if manifest["version"] != env!("CARGO_PKG_VERSION") {
        return Err(refuse("another version of lissome began it, whose steps may differ"));
    }
    let text = read_limited(&folder.join("scene.toml"), SCENE_LIMIT).map_err(one)?;
    // While a resumption with a longer duration begins, the list holds the scene before and after.
    let ownership = Ownership::of(&manifest).unwrap_or_default();
    if manifest["scene_sha256"] != sha256(&text) && !ownership.owns(&folder.join("scene.toml")) {
        return Err(refuse("its scene.toml was changed: a motion goes on with the scene that it began with"));
    }
    let before = scene::load(&folder.join("scene.toml"), &[])?;
    let loaded = scene::load(&folder.join("scene.toml"), overrides)?;
    if with_duration_of(&before.scene, &loaded.scene) != loaded.scene {
        return Err(refuse("only job.duration may change on the way"));
    }
    let mut found: Vec<(usize, usize, Vec<Array>)> = (0..2)
        .filter_map(|index| Some((index, read_limited(&folder.join(checkpoint_name(index)), RESULT_LIMIT).ok()?)))
        .filter_map(|(index, bytes)| Some((index, npz::read(&bytes).ok()?)))
        .filter_map(|(index, arrays)| Some((index, count(&arrays, "folder.frames")?, arrays)))
        .collect();
    found.sort_by_key(|(_, frames, _)| std::cmp::Reverse(*frames));
    for (index, frames, snapshot) in found {
        let Some(parts) = count(&snapshot, "folder.parts") else { continue };
        let owns = |name: &str| ownership.entries().is_empty() || ownership.owns(&folder.join(name));
        let mut record = MotionRecord::of(&loaded.scene);
        let mut open = Columns::default();
        let whole = (0..=parts).try_for_each(|part| {
            let (name, missing) = (part_name(part), frames.saturating_sub(record.count));
            if missing == 0 {
                return Some(());
            }
            let (arrays, held) = read_part(folder, &name).ok().filter(|_| owns(&name))?;
            // What was written after the checkpoint is computed again.
            let kept = Columns::of(arrays, held.min(missing))?;
            frames_of(folder, &name, &loaded.scene, kept.arrays()).ok()?.iter().for_each(|frame| record.push(frame));
            if part == parts {
                open = kept;
            }
            Some(())
        });
        if whole.is_some() && record.count == frames {
            if record.reached() > loaded.scene.job.end() {
                return Err(refuse("it has gone beyond that duration already"));
            }
            read_events(folder, record.reached()).into_iter().for_each(|event| record.push_event(event));
            let events = match count(&snapshot, "folder.events") {
                Some(bytes) => bytes as u64,
                // Folders of earlier versions do not say: all lines are kept.
                None => folder.join(EVENTS).metadata().map_or(0, |found| found.len()),
            };
            let resumed =
                manifest["resumed"].as_array().map_or(Vec::new(), |all| all.iter().filter_map(Json::as_f64).collect());
            let written = Written { parts, frames, open, events, checkpoint: index, resumed };
            // What the checkpoint says of the folder is no part of the motion.
            let of_motion = snapshot.into_iter().filter(|array| !array.name.starts_with("folder."));
            let lists = of_motion.map(|array| (array.name, array.values)).collect();
            return Ok(Resumption { loaded, snapshot: Snapshot { lists }, written, record });
        }
    }
    Err(refuse("it holds no whole checkpoint"))
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
