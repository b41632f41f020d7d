//! Who a file belongs to. Of what is in a folder, lissome replaces and removes only what it wrote itself: files that a
//! manifest lists with their hash and that nobody changed since. Whatever else stands in the way is refused by name.
//!
//! `run` keeps the list in the manifest of the run folder, `export` in [`EXPORT_LIST`] beside what it wrote.

use super::MANIFEST;
use crate::fault::Fault;
use crate::files::{SCENE_LIMIT, read_limited, sha256};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The list of an export, beside the files that it wrote.
pub const EXPORT_LIST: &str = "export.json";
/// Names in a message.
const SHOWN: usize = 5;

/// A file as it was written. While a motion runs, a name may stand in the list twice, before and after it is written
/// again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name in the folder.
    pub name: String,
    /// Size.
    pub bytes: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

impl Entry {
    /// Of a file with these contents.
    pub fn of(name: impl Into<String>, contents: &[u8]) -> Self {
        Self { name: name.into(), bytes: contents.len() as u64, sha256: sha256(contents) }
    }

    /// As manifests list it.
    pub fn to_json(&self) -> Json {
        json!({ "name": self.name, "bytes": self.bytes, "sha256": self.sha256 })
    }

    fn read(json: &Json) -> Option<Self> {
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        Some(Self { name: text("name")?, bytes: json["bytes"].as_u64()?, sha256: text("sha256")? })
    }

    /// True if the file begins with what was written; with nothing after it, unless it may have grown.
    fn fits(&self, path: &Path, may_grow: bool) -> io::Result<bool> {
        let length = path.metadata()?.len();
        if length < self.bytes || (length > self.bytes && !may_grow) {
            return Ok(false);
        }
        let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
        let mut file = File::open(path)?.take(self.bytes);
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                count => hash.update(&buffer[..count]),
            }
        }
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(hash == self.sha256)
    }
}

/// What a list of files says about a folder.
#[derive(Clone, Debug, Default)]
pub struct Ownership {
    entries: Vec<Entry>,
    /// The work that writes the folder has not come to its end: lists of events grow, and a file may be half there under
    /// its temporary name.
    running: bool,
}

impl Ownership {
    /// As a manifest says; `None` if it is not lissome's.
    pub fn read(manifest: &Path) -> Option<Self> {
        let bytes = read_limited(manifest, SCENE_LIMIT).ok()?;
        Self::of(&serde_json::from_slice(&bytes).ok()?)
    }

    /// As a manifest says; `None` if it is not lissome's.
    pub fn of(manifest: &Json) -> Option<Self> {
        let files = manifest["files"].as_array().filter(|_| manifest["program"] == "lissome")?;
        let entries = files.iter().filter_map(Entry::read).collect();
        Some(Self { entries, running: manifest["status"] == "running" })
    }

    /// Adds files, or what has become of them.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            self.entries.retain(|known| known.name != entry.name);
            self.entries.push(entry);
        }
    }

    /// What is listed.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// True if a file is as it was written.
    pub fn owns(&self, path: &Path) -> bool {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
        // A link is somebody's, wherever it leads.
        if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return false;
        }
        let may_grow = self.running && name == super::EVENTS;
        let listed = self.entries.iter().any(|entry| entry.name == name && entry.fits(path, may_grow).unwrap_or(false));
        let half_written = name.strip_suffix(".partial").is_some_and(|whole| {
            whole == MANIFEST || self.entries.iter().any(|entry| entry.name == whole) || is_part_of_motion(whole)
        });
        listed || (self.running && half_written)
    }
}

fn is_part_of_motion(name: &str) -> bool {
    name == "report.html" || ["motion-", "checkpoint-"].iter().any(|word| name.starts_with(word))
}

/// Refuses a folder that holds anything that lissome did not write, or that was changed since.
pub fn check_replaceable(folder: &Path) -> Result<(), Fault> {
    let shown = || folder.display().to_string();
    let Some(ownership) = Ownership::read(&folder.join(MANIFEST)) else {
        return Err(Fault::AlreadyThere { path: shown() });
    };
    let cannot = |error: io::Error| Fault::CannotRead { path: shown(), reason: error.to_string() };
    let mut foreign = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != MANIFEST && !ownership.owns(&entry.path()) {
            foreign.push(name);
        }
    }
    if foreign.is_empty() { Ok(()) } else { Err(refusal(folder, foreign)) }
}

/// Refuses to write over files that lissome did not write into a folder, or that were changed since.
pub fn check_writable<'n>(folder: &Path, names: impl Iterator<Item = &'n str>) -> Result<(), Fault> {
    let ownership = Ownership::read(&folder.join(EXPORT_LIST)).unwrap_or_default();
    let in_the_way = |name: &&str| {
        let path = folder.join(name);
        path.symlink_metadata().is_ok() && !ownership.owns(&path)
    };
    let foreign: Vec<String> = names.filter(in_the_way).map(str::to_owned).collect();
    if foreign.is_empty() { Ok(()) } else { Err(refusal(folder, foreign)) }
}

fn refusal(folder: &Path, mut names: Vec<String>) -> Fault {
    names.sort();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    Fault::NotOurs { path: folder.display().to_string(), names, more }
}

/// Removes what lissome wrote from a folder, then the folder. Anything else stays where it is, and is an error.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    // Whoever made the folder a link keeps what it leads to.
    if folder.symlink_metadata()?.is_symlink() {
        return fs::remove_file(folder);
    }
    let ownership = Ownership::read(&folder.join(MANIFEST)).unwrap_or_default();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if ownership.owns(&path) {
            fs::remove_file(path)?;
        }
    }
    // The list goes last: should the removal be cut short, what is left can still be told from other files.
    let rest = fs::read_dir(folder)?.count();
    if rest == 1 && folder.join(MANIFEST).is_file() {
        fs::remove_file(folder.join(MANIFEST))?;
    }
    fs::remove_dir(folder)
}

#[cfg(test)]
#[path = "ownership_tests.rs"]
mod tests;
