//! Reading files whole, with a limit and a clear refusal.

use crate::fault::Fault;
use crate::nearest::nearest;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// What a run folder is known by, and what is said where a file is wanted and one is given.
const RUN_LIST: &str = "manifest.json";
pub(crate) const FOLDER_OF_RUN: &str = "it is the folder of a run";
/// Largest scene file that is read, bytes: a table of 200,000 stations fits.
pub const SCENE_LIMIT: u64 = 16 << 20;
/// Largest result file that is read back, bytes.
pub const RESULT_LIMIT: u64 = 1 << 30;

/// The whole file, unless it is missing, unreadable, not a file, or larger than `limit`.
pub fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, Fault> {
    let shown = path.display().to_string();
    let cannot = |reason: String| Fault::CannotRead { path: shown.clone(), reason };
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Fault::NotFound { path: shown.clone(), nearest: neighbour(path) },
        _ => cannot(error.to_string()),
    })?;
    if metadata.is_dir() {
        let of_run = path.join(RUN_LIST).is_file();
        return Err(cannot(if of_run { FOLDER_OF_RUN } else { "it is a folder" }.into()));
    }
    if !metadata.is_file() {
        return Err(cannot("it is not a regular file".into()));
    }
    if metadata.len() > limit {
        return Err(Fault::TooLarge { bytes: metadata.len(), limit });
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|error| cannot(error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(Fault::TooLarge { bytes: bytes.len() as u64, limit });
    }
    Ok(bytes)
}

/// The file of the same folder whose name is nearest.
fn neighbour(path: &Path) -> Option<String> {
    // A folder of a million files is not searched for a hint.
    const SEARCHED: usize = 2000;
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .take(SEARCHED)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let found = nearest(wanted, names.iter().map(String::as_str))?;
    Some(path.with_file_name(found).display().to_string())
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
