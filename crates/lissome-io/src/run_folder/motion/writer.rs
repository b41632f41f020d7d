//! Writes the folder of a motion while it runs.

use super::columns::Columns;
use super::{Disk, KIND, checkpoint_name, part_name};
use crate::fault::Fault;
use crate::files::{RESULT_LIMIT, read_limited, sha256};
use crate::motion_summary::{MotionSummary, event_json};
use crate::report;
use crate::run_folder::npz::{self, Array};
use crate::run_folder::{self, MANIFEST, MANIFEST_SCHEMA, RunFacts};
use crate::scene::LoadedScene;
use lissome_solve::{MotionEvent, MotionFrame};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// A part is closed when it holds this many frames, or bytes.
const PART_FRAMES: usize = 512;
const PART_BYTES: usize = 8 << 20;
/// Name of the list of events.
pub(super) const EVENTS: &str = "events.jsonl";

/// What the folder of a motion holds already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// Closed parts.
    pub parts: usize,
    /// Checkpoints written.
    pub checkpoints: usize,
    /// Frames in the parts.
    pub frames: usize,
}

/// The folder of a motion under way.
#[derive(Debug)]
pub struct MotionWriter<'a> {
    folder: PathBuf,
    loaded: &'a LoadedScene,
    facts: RunFacts,
    disk: Disk,
    open: Columns,
    events: String,
    /// Closed parts, and checkpoints written.
    parts: usize,
    checkpoints: usize,
    /// Frames taken, those before a resumption included.
    frames: usize,
}

impl<'a> MotionWriter<'a> {
    /// Makes the folder; an earlier run of the same name is replaced.
    pub fn create(target: &Path, loaded: &'a LoadedScene, facts: RunFacts, disk: Disk) -> Result<Self, Fault> {
        let manifest = manifest(loaded, &facts, "running", &Json::Null, &[]);
        let files = [("scene.toml", loaded.to_toml().into_bytes()), (MANIFEST, text(&manifest))];
        run_folder::place(target, &files)?;
        let folder = target.to_owned();
        let open = Columns::default();
        Ok(Self { folder, loaded, facts, disk, open, events: String::new(), parts: 0, checkpoints: 0, frames: 0 })
    }

    /// Goes on with a folder after what was written before.
    pub fn reopen(
        folder: &Path,
        loaded: &'a LoadedScene,
        facts: RunFacts,
        mut disk: Disk,
        Written { parts, checkpoints, frames }: Written,
    ) -> Result<Self, Fault> {
        let manifest = manifest(loaded, &facts, "running", &Json::Null, &[]);
        disk.write(&folder.join("scene.toml"), loaded.to_toml().as_bytes())?;
        disk.write(&folder.join(MANIFEST), &text(&manifest))?;
        // Parts that no checkpoint knows are written again.
        for later in (parts..).map(|part| folder.join(part_name(part))).take_while(|path| path.exists()) {
            std::fs::remove_file(&later)
                .map_err(|e| Fault::CannotWrite { path: later.display().to_string(), reason: e.to_string() })?;
        }
        let (folder, open) = (folder.to_owned(), Columns::default());
        Ok(Self { folder, loaded, facts, disk, open, events: String::new(), parts, checkpoints, frames })
    }

    /// Takes a frame. True if the part is full and should be closed.
    pub fn push(&mut self, frame: &MotionFrame) -> bool {
        self.open.push(&self.loaded.scene, frame);
        self.frames += 1;
        self.open.frames() >= PART_FRAMES || self.open.bytes() >= PART_BYTES
    }

    /// Takes an event of the motion.
    pub fn motion_event(&mut self, event: &MotionEvent) {
        self.event(&event_json(event));
    }

    /// Takes an event of the run.
    pub fn event(&mut self, event: &Json) {
        self.events.push_str(&format!("{event}\n"));
    }

    /// Closes the open part and writes a checkpoint that goes on after its last frame.
    pub fn close_part(&mut self, snapshot: &[Array]) -> Result<(), Fault> {
        if self.open.frames() > 0 {
            let path = self.folder.join(part_name(self.parts));
            self.write_archive(&path, self.open.arrays().to_vec())?;
            self.parts += 1;
            self.open = Columns::default();
        }
        let events = std::mem::take(&mut self.events);
        self.disk.append(&self.folder.join(EVENTS), &events)?;
        let one = |name: &str, value: usize| Array { name: name.into(), shape: vec![], values: vec![value as f64] };
        let mut arrays = vec![one("folder.parts", self.parts), one("folder.frames", self.frames)];
        arrays.push(one("folder.checkpoints", self.checkpoints));
        arrays.extend_from_slice(snapshot);
        let path = self.folder.join(checkpoint_name(self.checkpoints));
        self.write_archive(&path, arrays)?;
        self.checkpoints += 1;
        Ok(())
    }

    fn write_archive(&mut self, path: &Path, arrays: Vec<Array>) -> Result<(), Fault> {
        let mut bytes = Vec::new();
        npz::write(&mut bytes, &arrays)
            .map_err(|e| Fault::CannotWrite { path: path.display().to_string(), reason: e.to_string() })?;
        self.disk.write(path, &bytes)
    }

    /// Writes report and manifest. The last part must be closed. Returns the files' names.
    pub fn finish(mut self, summary: &MotionSummary<'_>) -> Result<Vec<String>, Fault> {
        let mut event = json!({ "event": summary.status(), "time": summary.reached() });
        if let Some(complaint) = summary.complaint() {
            event["diagnostic"] = complaint.to_json();
        }
        self.event(&event);
        let events = std::mem::take(&mut self.events);
        self.disk.append(&self.folder.join(EVENTS), &events)?;
        let page = report::motion::html(summary, &self.loaded.to_toml());
        self.disk.write(&self.folder.join("report.html"), page.as_bytes())?;
        let mut names: Vec<String> = vec!["report.html".into(), "scene.toml".into(), EVENTS.into()];
        names.extend((0..self.parts).map(part_name));
        names.extend((0..self.checkpoints.min(2)).map(checkpoint_name));
        let list = names
            .iter()
            .map(|name| {
                let bytes = read_limited(&self.folder.join(name), RESULT_LIMIT)?;
                Ok(json!({ "name": name, "bytes": bytes.len(), "sha256": sha256(&bytes) }))
            })
            .collect::<Result<Vec<Json>, Fault>>()?;
        self.facts.wall_seconds = summary.wall_seconds;
        let manifest = manifest(self.loaded, &self.facts, summary.status(), &summary.to_json(), &list);
        self.disk.write(&self.folder.join(MANIFEST), &text(&manifest))?;
        names.push(MANIFEST.into());
        Ok(names)
    }
}

fn text(json: &Json) -> Vec<u8> {
    format!("{json:#}\n").into_bytes()
}

fn manifest(loaded: &LoadedScene, facts: &RunFacts, status: &str, result: &Json, files: &[Json]) -> Json {
    json!({
        "schema": MANIFEST_SCHEMA,
        "program": "lissome",
        "version": env!("CARGO_PKG_VERSION"),
        "kind": KIND,
        "scene_sha256": sha256(loaded.to_toml().as_bytes()),
        "title": loaded.scene.title,
        "overrides": facts.overrides,
        "threads": facts.threads,
        "seed": null,
        "status": status,
        "wall_seconds": facts.wall_seconds,
        "result": result,
        "files": files,
    })
}
