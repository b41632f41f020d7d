//! Writes the folder of a motion while it runs.

use super::columns::Columns;
use super::{Disk, KIND, checkpoint_name, part_name};
use crate::fault::Fault;
use crate::files::{RESULT_LIMIT, read_limited, sha256};
use crate::motion_summary::{MotionSummary, event_json};
use crate::report;
use crate::run_folder::derivatives::{self, DERIVATIVES};
use crate::run_folder::npz::{self, Array};
use crate::run_folder::ownership::{Entry, Ownership};
use crate::run_folder::{self, EVENTS, MANIFEST, MANIFEST_SCHEMA, RunFacts};
use crate::scene::LoadedScene;
use lissome_solve::{MotionEffort, MotionEvent, MotionFrame};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Names of files that there is one of.
const SCENE: &str = "scene.toml";
const REPORT: &str = "report.html";
/// A part is closed when it holds this many frames, or bytes. Where parts end depends on the frames alone, so that a motion
/// that was cut and resumed leaves the same files as one that was not.
const PART_FRAMES: usize = 512;
const PART_BYTES: usize = 8 << 20;

/// What the folder of a motion holds already.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Closed parts.
    pub parts: usize,
    /// Frames in all parts.
    pub frames: usize,
    /// Those of the part that is still open.
    pub open: Columns,
    /// Bytes of the list of events that belong to them.
    pub events: u64,
    /// Number of the checkpoint that knows all this; the other one is written next.
    pub checkpoint: usize,
    /// Times at which the motion was resumed before, s.
    pub resumed: Vec<f64>,
}

/// The folder of a motion under way.
#[derive(Debug)]
pub struct MotionWriter<'a> {
    folder: PathBuf,
    loaded: &'a LoadedScene,
    facts: RunFacts,
    disk: Disk,
    open: Columns,
    /// Events that are not written yet; those that are, by their number of bytes and their hash.
    events: String,
    events_bytes: u64,
    events_hash: Sha256,
    /// Closed parts.
    parts: usize,
    /// Checkpoint that is written next.
    checkpoint: usize,
    /// Frames taken, those before a resumption included.
    frames: usize,
    /// Of the last frame.
    effort: MotionEffort,
    /// What the manifest lists. Files that are written again stand in it twice, as they were and as they will be.
    listed: Vec<Entry>,
    /// Times at which the motion was resumed, s.
    resumed: Vec<f64>,
}

impl<'a> MotionWriter<'a> {
    /// Makes the folder; an earlier run of the same name that nobody touched is replaced.
    pub fn create(target: &Path, loaded: &'a LoadedScene, facts: RunFacts, disk: Disk) -> Result<Self, Fault> {
        let scene = loaded.to_toml().into_bytes();
        let listed = vec![Entry::of(SCENE, &scene)];
        let writer = Self {
            folder: target.to_owned(),
            loaded,
            facts,
            disk,
            open: Columns::default(),
            events: String::new(),
            events_bytes: 0,
            events_hash: Sha256::new(),
            parts: 0,
            checkpoint: 0,
            frames: 0,
            effort: MotionEffort::default(),
            listed,
            resumed: Vec::new(),
        };
        let manifest = writer.manifest("running", &Json::Null);
        run_folder::place(target, &[(SCENE, scene), (MANIFEST, text(&manifest))])?;
        Ok(writer)
    }

    /// Goes on with a folder after what was written before; `time`, s, and `effort` are those of the state that it is resumed at.
    pub fn reopen(
        folder: &Path,
        loaded: &'a LoadedScene,
        facts: RunFacts,
        disk: Disk,
        written: Written,
        (time, effort): (f64, MotionEffort),
    ) -> Result<Self, Fault> {
        let Written { parts, frames, open, events, checkpoint, mut resumed } = written;
        resumed.push(time);
        let cannot = |path: &Path, error: std::io::Error| Fault::CannotWrite {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        // Events after the checkpoint are computed again.
        let path = folder.join(EVENTS);
        let list = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        list.and_then(|file| file.set_len(events)).map_err(|error| cannot(&path, error))?;
        let mut events_hash = Sha256::new();
        events_hash.update(read_limited(&path, RESULT_LIMIT)?);
        let mut writer = Self {
            folder: folder.to_owned(),
            loaded,
            facts,
            disk,
            open,
            events: String::new(),
            events_bytes: events,
            events_hash,
            parts,
            checkpoint: checkpoint + 1,
            frames,
            effort,
            listed: Vec::new(),
            resumed,
        };
        let scene = loaded.to_toml();
        let known = Ownership::read(&folder.join(MANIFEST)).unwrap_or_default();
        writer.listed.extend(known.entries().iter().filter(|entry| entry.name != EVENTS).cloned());
        // Folders of earlier versions list nothing while they run.
        for name in (0..=parts).map(part_name).chain((0..2).map(checkpoint_name)) {
            if !writer.listed.iter().any(|entry| entry.name == name)
                && let Ok(bytes) = read_limited(&folder.join(&name), RESULT_LIMIT)
            {
                writer.listed.push(Entry::of(name, &bytes));
            }
        }
        writer.list(Entry::of(SCENE, scene.as_bytes()));
        writer.list(writer.events_entry());
        writer.write_manifest("running", &Json::Null)?;
        writer.disk.write(&folder.join(SCENE), scene.as_bytes())?;
        // Parts that no checkpoint knows are written again.
        let first = if writer.open.frames() > 0 { parts + 1 } else { parts };
        for later in (first..).map(|part| folder.join(part_name(part))).take_while(|path| path.exists()) {
            std::fs::remove_file(&later).map_err(|error| cannot(&later, error))?;
        }
        Ok(writer)
    }

    /// Takes a frame. True if the part is full: it is closed with the next checkpoint, which must follow.
    pub fn push(&mut self, frame: &MotionFrame) -> bool {
        self.open.push(&self.loaded.scene, frame);
        self.frames += 1;
        self.is_full()
    }

    fn is_full(&self) -> bool {
        self.open.frames() >= PART_FRAMES || self.open.bytes() >= PART_BYTES
    }

    /// Takes an event of the motion.
    pub fn motion_event(&mut self, event: &MotionEvent) {
        self.event(&event_json(event));
    }

    /// Tells of the steps that were halved or rejected since the frame before. Comes before the frame itself.
    pub fn effort_events(&mut self, frame: &MotionFrame) {
        let (before, now) = (std::mem::replace(&mut self.effort, frame.effort), frame.effort);
        for (name, before, now) in [("halved", before.halved, now.halved), ("rejected", before.rejected, now.rejected)]
        {
            if now > before {
                self.event(&json!({ "event": name, "time": frame.time, "steps": now - before }));
            }
        }
    }

    /// Takes an event of the run.
    pub fn event(&mut self, event: &Json) {
        self.events.push_str(&format!("{event}\n"));
    }

    /// Writes all frames and events, and a checkpoint that goes on after the last frame. The list of the manifest comes
    /// first, so that whatever cuts this short, every file in the folder is a listed one.
    pub fn checkpoint(&mut self, snapshot: &[Array]) -> Result<(), Fault> {
        let full = self.is_full();
        let part = match self.open.frames() {
            0 => None,
            _ => Some((part_name(self.parts), archive(self.open.arrays())?)),
        };
        let events = std::mem::take(&mut self.events);
        self.events_hash.update(events.as_bytes());
        self.events_bytes += events.len() as u64;
        let one = |name: &str, value: f64| Array { name: name.into(), shape: vec![], values: vec![value] };
        let mut arrays = vec![
            one("folder.parts", (self.parts + usize::from(full)) as f64),
            one("folder.frames", self.frames as f64),
            one("folder.events", self.events_bytes as f64),
        ];
        arrays.extend_from_slice(snapshot);
        let checkpoint = (checkpoint_name(self.checkpoint), archive(&arrays)?);
        for (name, bytes) in part.iter().chain([&checkpoint]) {
            self.list(Entry::of(name.as_str(), bytes));
        }
        // It grows: what is in the file already is what it begins with.
        self.list_appended();
        self.write_manifest("running", &Json::Null)?;
        if let Some((name, bytes)) = &part {
            self.disk.write(&self.folder.join(name), bytes)?;
        }
        self.disk.append(&self.folder.join(EVENTS), &events)?;
        self.disk.write(&self.folder.join(&checkpoint.0), &checkpoint.1)?;
        self.checkpoint += 1;
        if full {
            // Nothing will be added to it: how it was before is history.
            let name = part_name(self.parts);
            let written = self.listed.iter().rposition(|entry| entry.name == name);
            let mut index = 0;
            self.listed.retain(|entry| {
                index += 1;
                entry.name != name || Some(index - 1) == written
            });
            self.parts += 1;
            self.open = Columns::default();
        }
        Ok(())
    }

    /// Lists a file as it will be, beside how it was listed last.
    fn list(&mut self, entry: Entry) {
        let mut known = self.listed.iter().enumerate().rev().filter(|(_, known)| known.name == entry.name);
        let before = known.nth(1).map(|(index, _)| index);
        if let Some(index) = before {
            self.listed.remove(index);
        }
        if self.listed.last() != Some(&entry) {
            self.listed.push(entry);
        }
    }

    fn events_entry(&self) -> Entry {
        let hash = self.events_hash.clone().finalize();
        let sha256 = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        Entry { name: EVENTS.into(), bytes: self.events_bytes, sha256 }
    }

    fn list_appended(&mut self) {
        self.list(self.events_entry());
    }

    /// The last frames and a checkpoint, report and manifest. Returns the files' names. There is one checkpoint in the end,
    /// always of the same name, and each file is listed once.
    pub fn finish(mut self, summary: &MotionSummary<'_>, snapshot: &[Array]) -> Result<Vec<String>, Fault> {
        if self.checkpoint % 2 == 1 {
            self.checkpoint(snapshot)?;
        }
        self.checkpoint(snapshot)?;
        let mut event = json!({ "event": summary.status(), "time": summary.reached() });
        if let Some(complaint) = summary.complaint() {
            event["diagnostic"] = complaint.to_json();
        }
        let last = format!("{event}\n");
        let page = report::motion::html(summary, &self.loaded.to_toml());
        self.list(Entry::of(REPORT, page.as_bytes()));
        let derivatives = derivatives::csv("time", &summary.motion.record.derivatives);
        if let Some(table) = &derivatives {
            self.list(Entry::of(DERIVATIVES, table.as_bytes()));
        }
        self.write_manifest("running", &Json::Null)?;
        if let Some(table) = &derivatives {
            self.disk.write(&self.folder.join(DERIVATIVES), table.as_bytes())?;
        }
        self.disk.append(&self.folder.join(EVENTS), &last)?;
        self.disk.write(&self.folder.join(REPORT), page.as_bytes())?;
        self.events_hash.update(last.as_bytes());
        self.events_bytes += last.len() as u64;
        self.list_appended();
        let mut names: Vec<String> = vec![REPORT.into(), SCENE.into(), EVENTS.into()];
        names.extend(derivatives.map(|_| DERIVATIVES.into()));
        names.extend((0..self.parts + usize::from(self.open.frames() > 0)).map(part_name));
        names.push(checkpoint_name(0));
        let latest = |name: &String| self.listed.iter().rev().find(|entry| entry.name == *name).cloned();
        self.listed = names.iter().filter_map(latest).collect();
        self.facts.wall_seconds = summary.wall_seconds;
        self.write_manifest(summary.status(), &summary.to_json())?;
        let other = self.folder.join(checkpoint_name(1));
        if other.exists() {
            std::fs::remove_file(&other)
                .map_err(|e| Fault::CannotWrite { path: other.display().to_string(), reason: e.to_string() })?;
        }
        names.push(MANIFEST.into());
        Ok(names)
    }

    /// Writes the last frames, a checkpoint and a manifest that says how it ended, without a report.
    pub fn leave(&mut self, snapshot: &[Array], status: &str, wall_seconds: f64) -> Result<(), Fault> {
        self.checkpoint(snapshot)?;
        self.facts.wall_seconds = wall_seconds;
        self.write_manifest(status, &Json::Null)
    }

    fn write_manifest(&mut self, status: &str, result: &Json) -> Result<(), Fault> {
        let manifest = self.manifest(status, result);
        self.disk.write(&self.folder.join(MANIFEST), &text(&manifest))
    }

    fn manifest(&self, status: &str, result: &Json) -> Json {
        json!({
            "schema": MANIFEST_SCHEMA,
            "program": "lissome",
            "version": env!("CARGO_PKG_VERSION"),
            "kind": KIND,
            "scene_sha256": sha256(self.loaded.to_toml().as_bytes()),
            "title": self.loaded.scene.title,
            "overrides": self.facts.overrides,
            "threads": self.facts.threads,
            "seed": null,
            "status": status,
            "resumed": self.resumed,
            "wall_seconds": self.facts.wall_seconds,
            "result": result,
            "files": self.listed.iter().map(Entry::to_json).collect::<Vec<Json>>(),
        })
    }
}

fn archive(arrays: &[Array]) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    npz::write(&mut bytes, arrays)
        .map_err(|e| Fault::CannotWrite { path: "a part of the motion".into(), reason: e.to_string() })?;
    Ok(bytes)
}

fn text(json: &Json) -> Vec<u8> {
    format!("{json:#}\n").into_bytes()
}
