//! Tables, pictures and animations out of a run folder, in formats other programs read.

pub mod glb;
pub mod motion;
mod natural;
#[cfg(test)]
mod tests;
pub mod vtk;

use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::files::{RESULT_LIMIT, read_limited};
use crate::report;
use crate::run_folder::{self, modes, robot};
use std::fs;
use std::path::{Path, PathBuf};

/// What a run can be turned into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated tables.
    Csv,
    /// NumPy arrays.
    Npz,
    /// Pictures.
    Svg,
    /// glTF 2.0, animated.
    Glb,
    /// A series for ParaView.
    Vtk,
}

/// Names of the formats, in the order of [`Format`].
pub const FORMATS: [(&str, Format); 5] =
    [("csv", Format::Csv), ("npz", Format::Npz), ("svg", Format::Svg), ("glb", Format::Glb), ("vtk", Format::Vtk)];

/// Files that every run has.
const ALWAYS: [&str; 4] = ["samples.csv", "control_poses.csv", "history.csv", "samples.npz"];
/// Tables that only paths have.
const PATH_TABLES: [&str; 3] = ["path.csv", "path_samples.csv", "path_control_poses.csv"];

/// Reads a list such as `csv,svg`.
pub fn parse_formats(list: &str) -> Result<Vec<Format>, Fault> {
    list.split(',')
        .map(|name| {
            let name = name.trim();
            FORMATS.iter().find(|(known, _)| *known == name).map(|(_, format)| *format).ok_or_else(|| {
                Fault::UnknownFormat { name: name.to_owned(), known: FORMATS.iter().map(|(n, _)| *n).collect() }
            })
        })
        .collect()
}

/// Exports a run into a folder, which is made if it is not there. Files that are there already are refused unless
/// `replace`. Returns the files written.
pub fn export(run: &Path, formats: &[Format], into: &Path, replace: bool) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let files = if run_folder::motion::is_motion(run) { motion::files(run, formats)? } else { still(run, formats)? };
    if let Some((name, _)) = files.iter().find(|(name, _)| !replace && into.join(name).exists()) {
        let path = into.join(name).display().to_string();
        return Err(vec![Diagnostic::new(Fault::WouldReplace { path })]);
    }
    fs::create_dir_all(into).map_err(|error| cannot(into, &error))?;
    let mut written = Vec::new();
    for (name, bytes) in files {
        let path = into.join(&name);
        // Each file appears whole: written beside its name, then renamed.
        let partial = into.join(format!("{name}.partial-{}", std::process::id()));
        let result = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, &path));
        if let Err(error) = result {
            let _ = fs::remove_file(&partial);
            return Err(cannot(&path, &error));
        }
        written.push(path);
    }
    Ok(written)
}

/// Files of a run that does not move: names and contents.
fn still(run: &Path, formats: &[Format]) -> Result<Vec<(String, Vec<u8>)>, Vec<Diagnostic>> {
    let stored = run_folder::read(run)?;
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for format in formats {
        // Tables are the run's own files, which reading it has proven sound: the same bits.
        let own: Vec<&str> = match format {
            Format::Csv => {
                [&["samples.csv", "control_poses.csv", "history.csv"], &robot::FILES[..], &modes::FILES, &PATH_TABLES]
                    .concat()
            }
            Format::Npz => vec!["samples.npz", "path.npz"],
            Format::Svg => Vec::new(),
            Format::Glb | Format::Vtk => {
                let format = if *format == Format::Glb { "glb" } else { "vtk" };
                return Err(vec![Diagnostic::new(Fault::NothingMoves { path: run.display().to_string(), format })]);
            }
        };
        for name in own.into_iter().filter(|name| ALWAYS.contains(name) || run.join(name).is_file()) {
            let bytes = read_limited(&run.join(name), RESULT_LIMIT).map_err(|fault| vec![Diagnostic::new(fault)])?;
            files.push((name.to_owned(), bytes));
        }
        if *format == Format::Csv {
            let designed = natural::tables(&stored.loaded.scene);
            files.extend(designed.into_iter().map(|(name, text)| (name.to_owned(), text.into_bytes())));
        }
        if *format == Format::Svg {
            for picture in report::pictures(&stored.summary()) {
                files.push((format!("{}.svg", picture.name), picture.svg.standalone().into_bytes()));
            }
        }
    }
    Ok(files)
}

fn cannot(path: &Path, error: &std::io::Error) -> Vec<Diagnostic> {
    vec![Diagnostic::new(Fault::CannotWrite { path: path.display().to_string(), reason: error.to_string() })]
}
