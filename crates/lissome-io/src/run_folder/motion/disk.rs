//! Files that appear whole: written beside their name, then renamed.

use crate::fault::Fault;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Where a motion is written. A budget of bytes stands in for a disk that fills up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk {
    budget: Option<u64>,
}

impl Disk {
    /// With room for so many bytes and no more: how tests fill a disk up.
    pub fn with_budget(bytes: u64) -> Self {
        Self { budget: Some(bytes) }
    }

    /// Writes a file under a temporary name and renames it. An old file of that name stays until then.
    pub fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Fault> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = Path::new(&partial);
        let result = self.spend(bytes).and_then(|room| {
            let mut file = fs::File::create(partial)?;
            file.write_all(&bytes[..room])?;
            // A full disk may only show itself here.
            file.sync_all()?;
            if room < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { fs::rename(partial, path) }
        });
        result.map_err(|error| {
            let _ = fs::remove_file(partial);
            refused(path, &error)
        })
    }

    /// Adds lines to a file.
    pub fn append(&mut self, path: &Path, text: &str) -> Result<(), Fault> {
        let result = self.spend(text.as_bytes()).and_then(|room| {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(&text.as_bytes()[..room])?;
            if room < text.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        });
        result.map_err(|error| refused(path, &error))
    }

    /// How many of the bytes still fit.
    fn spend(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = &mut self.budget else { return Ok(bytes.len()) };
        let room = (*left).min(bytes.len() as u64);
        *left -= room;
        Ok(room as usize)
    }
}

fn refused(path: &Path, error: &io::Error) -> Fault {
    Fault::CannotWrite { path: path.display().to_string(), reason: error.to_string() }
}
