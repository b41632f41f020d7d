//! The folder of a sweep: rows arrive in parts, each whole or not at all, and become one table when all are there.
//!
//! | file | holds |
//! |---|---|
//! | `scene.toml` | the scene with the values that all cases share |
//! | `plan.json` | the cases and the columns |
//! | `part-00000.csv` … | rows in the order in which they came, while the sweep is not finished; the last line is their hash |
//! | `table.csv`, `table.npz`, `report.html` | all rows in the order of the cases, when it is finished |
//! | `manifest.json` | versions, hashes, status |

use super::SweepFault;
use super::row::{Row, Sweep};
use super::table::{self, SweepTable};
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::files::{RESULT_LIMIT, SCENE_LIMIT, read_limited, sha256};
use crate::report;
use crate::run_folder::ownership::{Entry, Ownership};
use crate::run_folder::{self, MANIFEST, MANIFEST_SCHEMA, npz};
use serde_json::{Value as Json, json};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What the manifest calls a sweep.
pub const KIND: &str = "sweep";
const SCENE: &str = "scene.toml";
const PLAN: &str = "plan.json";
const HASH: &str = "# sha256 ";

/// The folder of a sweep under way.
#[derive(Debug)]
pub struct SweepFolder {
    folder: PathBuf,
    /// The row of each case that is done.
    rows: Vec<Option<String>>,
    /// Cases whose rows no part holds yet.
    waiting: Vec<usize>,
    done: usize,
    next_part: usize,
    /// Parts that hold rows of this sweep.
    parts: Vec<PathBuf>,
}

/// What became of a sweep.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The table.
    pub table: SweepTable,
    /// Names of the files written.
    pub files: Vec<&'static str>,
}

impl SweepFolder {
    /// Refuses, before any work is done, a target that holds an unfinished sweep or anything that is not lissome's.
    pub fn check_target(target: &Path) -> Result<(), Fault> {
        let manifest = read_json(&target.join(MANIFEST));
        if manifest
            .is_some_and(|json| json["program"] == "lissome" && json["kind"] == KIND && json["status"] != "finished")
        {
            return Err(Fault::Sweep(SweepFault::Unfinished { path: target.display().to_string() }));
        }
        run_folder::check_target(target)
    }

    /// Makes the folder; an earlier result of the same name that is finished and that nobody touched is replaced.
    pub fn create(target: &Path, sweep: &Sweep) -> Result<Self, Fault> {
        Self::check_target(target)?;
        let files = vec![(SCENE, sweep.text.clone().into_bytes()), (PLAN, sweep.plan_text().into_bytes())];
        let listed = files.iter().map(|(name, bytes)| Entry::of(*name, bytes)).collect::<Vec<_>>();
        let manifest = manifest(sweep, "running", &listed, &Json::Null);
        let files: Vec<_> = files.into_iter().chain([(MANIFEST, manifest)]).collect();
        run_folder::place(target, &files)?;
        Ok(Self::empty(target, sweep.plan.len()))
    }

    fn empty(folder: &Path, cases: usize) -> Self {
        let rows = vec![None; cases];
        Self { folder: folder.to_owned(), rows, waiting: Vec::new(), done: 0, next_part: 0, parts: Vec::new() }
    }

    /// Opens the folder of a sweep that was begun, with the rows that it has.
    pub fn open(folder: &Path) -> Result<(Self, Sweep), Vec<Diagnostic>> {
        let one = |fault: Fault| vec![Diagnostic::new(fault)];
        let shown = folder.display().to_string();
        let manifest = read_limited(&folder.join(MANIFEST), SCENE_LIMIT).ok();
        let manifest = manifest.and_then(|bytes| serde_json::from_slice::<Json>(&bytes).ok());
        let Some(manifest) = manifest.filter(|json| json["program"] == "lissome") else {
            return Err(one(Fault::NotARun { path: shown }));
        };
        let refuse = |reason: &'static str| Err(one(Fault::CannotResume { path: shown.clone(), reason }));
        if manifest["kind"] != KIND {
            return refuse("it is no sweep; `lissome run --resume` goes on with a motion");
        }
        if manifest["version"] != env!("CARGO_PKG_VERSION") {
            return refuse("another version of lissome began it, whose rows may differ");
        }
        let text = |name: &str| -> Result<String, Vec<Diagnostic>> {
            let path = folder.join(name);
            let bytes = read_limited(&path, RESULT_LIMIT).map_err(one)?;
            let damaged =
                |_| one(Fault::DamagedRun { path: path.display().to_string(), reason: "it is not text".into() });
            String::from_utf8(bytes).map_err(damaged)
        };
        let (scene_text, plan_text) = (text(SCENE)?, text(PLAN)?);
        if manifest["scene_sha256"] != sha256(scene_text.as_bytes()) {
            return refuse("its scene.toml was changed, so that its rows would not belong together");
        }
        if manifest["plan_sha256"] != sha256(plan_text.as_bytes()) {
            return refuse("its plan.json was changed, so that its rows would not belong together");
        }
        let name = folder.join(SCENE).display().to_string();
        let Some(sweep) = Sweep::from_texts(&name, scene_text, &plan_text)? else {
            return refuse("its plan.json is not one of this version");
        };
        let mut opened = Self::empty(folder, sweep.plan.len());
        opened.read_parts(&sweep).map_err(one)?;
        if manifest["status"] == "finished" {
            opened.read_table(&sweep).map_err(one)?;
        }
        Ok((opened, sweep))
    }

    /// Takes the rows of all parts.
    fn read_parts(&mut self, sweep: &Sweep) -> Result<(), Fault> {
        let shown = self.folder.display().to_string();
        let cannot = |error: std::io::Error| Fault::CannotRead { path: shown.clone(), reason: error.to_string() };
        for entry in fs::read_dir(&self.folder).map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            let Some(number) = path.file_name().and_then(|name| part_number(name.to_str()?)) else { continue };
            self.next_part = self.next_part.max(number + 1);
            let damaged = |reason: &str| Fault::DamagedRun {
                path: path.display().to_string(),
                reason: format!("{reason}; remove it, and its cases are solved again"),
            };
            let text = String::from_utf8(read_limited(&path, RESULT_LIMIT)?).map_err(|_| damaged("it is not text"))?;
            let (body, hash) = text.rsplit_once(HASH).ok_or_else(|| damaged("its last line is not its hash"))?;
            if hash.trim_end() != sha256(body.as_bytes()) {
                return Err(damaged("it was changed since it was written"));
            }
            self.take(sweep, body).ok_or_else(|| damaged("its rows are not those of this sweep"))?;
            self.parts.push(path);
        }
        Ok(())
    }

    /// Takes the rows of a table that was finished.
    fn read_table(&mut self, sweep: &Sweep) -> Result<(), Fault> {
        let path = self.folder.join("table.csv");
        let damaged = || Fault::DamagedRun {
            path: path.display().to_string(),
            reason: "it is not the table of this sweep".into(),
        };
        let text = String::from_utf8(read_limited(&path, RESULT_LIMIT)?).map_err(|_| damaged())?;
        self.take(sweep, &text).ok_or_else(damaged)
    }

    /// Takes rows under a header.
    fn take(&mut self, sweep: &Sweep, text: &str) -> Option<()> {
        let mut lines = text.lines();
        lines.next().filter(|header| *header == sweep.header())?;
        for line in lines {
            let case: usize = line.split(',').next()?.parse().ok()?;
            let row = self.rows.get_mut(case)?;
            self.done += usize::from(row.is_none());
            *row = Some(line.to_owned());
        }
        Some(())
    }

    /// Numbers of the cases that have no row yet.
    pub fn missing(&self) -> Vec<usize> {
        self.rows.iter().enumerate().filter(|(_, row)| row.is_none()).map(|(case, _)| case).collect()
    }

    /// Cases that have a row.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Takes a row; [`Self::flush`] writes it.
    pub fn add(&mut self, row: Row) {
        if let Some(place) = self.rows.get_mut(row.case).filter(|place| place.is_none()) {
            *place = Some(row.line);
            self.waiting.push(row.case);
            self.done += 1;
        }
    }

    /// Writes the rows that came since the last part as a part of their own.
    pub fn flush(&mut self, sweep: &Sweep) -> Result<(), Fault> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let lines: Vec<&str> = self.waiting.iter().filter_map(|case| self.rows[*case].as_deref()).collect();
        let body = table::csv(sweep, &lines);
        let text = format!("{body}{HASH}{}\n", sha256(body.as_bytes()));
        loop {
            let path = self.folder.join(part_name(self.next_part));
            self.next_part += 1;
            // Somebody else may go on with the same sweep: its parts are not written over.
            if write_new(&path, text.as_bytes())? {
                self.parts.push(path);
                break;
            }
        }
        self.waiting.clear();
        Ok(())
    }

    /// Makes the table when every case has its row. Parts go last: until then the work can be taken up again.
    pub fn finish(&mut self, sweep: &Sweep) -> Result<Finished, Fault> {
        self.flush(sweep)?;
        let shown = self.folder.display().to_string();
        let lines: Option<Vec<&str>> = self.rows.iter().map(Option::as_deref).collect();
        let damaged = |reason: &str| Fault::DamagedRun { path: shown.clone(), reason: reason.into() };
        let lines = lines.ok_or_else(|| damaged("a case has no row"))?;
        let read = SweepTable::read(sweep, &lines).ok_or_else(|| damaged("a row is not one of this sweep"))?;
        let mut archive = Vec::new();
        npz::write(&mut archive, &read.arrays())
            .map_err(|error| Fault::CannotWrite { path: "table.npz".into(), reason: error.to_string() })?;
        let files = [
            ("table.csv", table::csv(sweep, &lines).into_bytes()),
            ("table.npz", archive),
            ("report.html", report::sweep::html(sweep, &read).into_bytes()),
        ];
        for (name, bytes) in &files {
            let path = self.folder.join(name);
            // One that is there is from an end that was cut short, to the byte, or it is somebody's.
            if path.symlink_metadata().is_ok() && fs::read(&path).ok().as_deref() != Some(bytes) {
                return Err(Fault::NotOurs { path: shown, names: vec![(*name).to_owned()], more: 0 });
            }
            replace(&path, bytes)?;
        }
        let known = [(SCENE, sweep.text.as_bytes().to_vec()), (PLAN, sweep.plan_text().into_bytes())];
        let listed: Vec<Entry> = known.iter().chain(&files).map(|(name, bytes)| Entry::of(*name, bytes)).collect();
        replace(&self.folder.join(MANIFEST), &manifest(sweep, "finished", &listed, &json!(read.counts)))?;
        for part in self.parts.drain(..) {
            // One that cannot be removed is read again by the next resumption, and does no harm.
            let _ = fs::remove_file(part);
        }
        self.remove_half_written();
        Ok(Finished { table: read, files: vec!["report.html", "table.csv", "table.npz"] })
    }
}

impl SweepFolder {
    /// Removes what processes that were killed left under temporary names.
    fn remove_half_written(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.rsplit_once(".partial-"));
            let ours = name.is_some_and(|(whole, process)| {
                let known = ["table.csv", "table.npz", "report.html", MANIFEST].contains(&whole);
                (known || part_number(whole).is_some()) && process.parse::<u32>().is_ok()
            });
            if ours {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Name of a part.
fn part_name(number: usize) -> String {
    format!("part-{number:05}.csv")
}

fn part_number(name: &str) -> Option<usize> {
    let number = name.strip_prefix("part-")?.strip_suffix(".csv")?.parse().ok()?;
    (part_name(number) == name).then_some(number)
}

fn read_json(path: &Path) -> Option<Json> {
    serde_json::from_slice(&read_limited(path, SCENE_LIMIT).ok()?).ok()
}

fn manifest(sweep: &Sweep, status: &str, files: &[Entry], counts: &Json) -> Vec<u8> {
    let [scene, plan] = sweep.hashes();
    let manifest = json!({
        "schema": MANIFEST_SCHEMA,
        "program": "lissome",
        "version": env!("CARGO_PKG_VERSION"),
        "kind": KIND,
        "title": sweep.base.scene.title,
        "scene_sha256": scene,
        "plan_sha256": plan,
        "cases": sweep.plan.len(),
        "status": status,
        "counts": counts,
        "files": files.iter().map(Entry::to_json).collect::<Vec<_>>(),
    });
    debug_assert!(Ownership::of(&manifest).is_some(), "a manifest of ours is known as one");
    format!("{manifest:#}\n").into_bytes()
}

/// A name beside the file that no other process uses.
fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".partial-{}", std::process::id()));
    PathBuf::from(name)
}

fn write_partial(path: &Path, bytes: &[u8]) -> std::io::Result<PathBuf> {
    let partial = partial(path);
    let mut file = fs::File::create(&partial)?;
    file.write_all(bytes)?;
    // A full disk may only show itself here.
    file.sync_all()?;
    Ok(partial)
}

fn refused(path: &Path, error: &std::io::Error) -> Fault {
    let _ = fs::remove_file(partial(path));
    Fault::CannotWrite { path: path.display().to_string(), reason: error.to_string() }
}

/// Writes a file under a temporary name and renames it.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let written = write_partial(path, bytes).and_then(|partial| fs::rename(partial, path));
    written.map_err(|error| refused(path, &error))
}

/// Writes a file that is not there yet, whole or not at all; false if there is one.
fn write_new(path: &Path, bytes: &[u8]) -> Result<bool, Fault> {
    let partial = write_partial(path, bytes).map_err(|error| refused(path, &error))?;
    // Unlike a rename, a link does not replace.
    let linked = fs::hard_link(&partial, path);
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let _ = fs::remove_file(&partial);
            Ok(false)
        }
        Ok(()) => {
            let _ = fs::remove_file(&partial);
            Ok(true)
        }
        // Some file systems have no links.
        Err(_) if path.symlink_metadata().is_err() => {
            fs::rename(&partial, path).map(|()| true).map_err(|error| refused(path, &error))
        }
        Err(error) => Err(refused(path, &error)),
    }
}
