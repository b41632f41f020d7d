//! Tables, pictures and animations out of a run folder, in formats other programs read.

pub mod glb;
pub mod motion;
mod natural;
#[cfg(test)]
mod rest_pose_tests;
#[cfg(test)]
mod tests;
pub mod vtk;

use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::files::{RESULT_LIMIT, read_limited};
use crate::report;
use crate::run_folder::ownership::{EXPORT_LIST, Entry, Ownership, check_writable};
use crate::run_folder::{self, modes, robot};
use crate::still_frame;
use crate::summary::Summary;
use lissome_solve::MotionFrame;
use serde_json::{Value as Json, json};
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
    /// glTF 2.0; motions and paths are animated.
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

/// Exports a run into a folder, which is made if it is not there. Files that an export wrote there and nobody changed are
/// replaced; others of the same names are refused unless `replace`. Returns the files written.
pub fn export(run: &Path, formats: &[Format], into: &Path, replace: bool) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    write(contents(run, formats)?, into, replace)
}

/// Names and contents of the files that a run is exported to.
pub fn contents(run: &Path, formats: &[Format]) -> Result<Vec<(String, Vec<u8>)>, Vec<Diagnostic>> {
    if run_folder::motion::is_motion(run) { motion::files(run, formats) } else { still(run, formats) }
}

/// Writes exported files into a folder, as [`export`] does.
pub fn write(files: Vec<(String, Vec<u8>)>, into: &Path, replace: bool) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let one = |fault: Fault| vec![Diagnostic::new(fault)];
    if !replace {
        check_writable(into, files.iter().map(|(name, _)| name.as_str())).map_err(one)?;
    }
    fs::create_dir_all(into).map_err(|error| cannot(into, &error))?;
    // The list is there before the files: whatever cuts the export short, what it wrote can be told from other files.
    let mut list = Ownership::read(&into.join(EXPORT_LIST)).unwrap_or_default();
    list.extend(files.iter().map(|(name, bytes)| Entry::of(name.as_str(), bytes)));
    let entries: Vec<Json> = list.entries().iter().map(Entry::to_json).collect();
    let list = json!({ "program": "lissome", "version": env!("CARGO_PKG_VERSION"), "files": entries });
    put(&into.join(EXPORT_LIST), format!("{list:#}\n").as_bytes())?;
    let mut written = Vec::new();
    for (name, bytes) in files {
        let path = into.join(&name);
        put(&path, &bytes)?;
        written.push(path);
    }
    Ok(written)
}

/// Writes a file that appears whole: written beside its name, then renamed.
fn put(path: &Path, bytes: &[u8]) -> Result<(), Vec<Diagnostic>> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".partial-{}", std::process::id()));
    let partial = PathBuf::from(partial);
    fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path)).map_err(|error| {
        let _ = fs::remove_file(&partial);
        cannot(path, &error)
    })
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
                files.extend(shown(run, &stored.summary(), *format)?);
                continue;
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

/// A path plays in this time, s.
const PATH_SECONDS: f64 = 8.0;

/// Equilibria as a model or a series: a path is an animation, from sample to sample.
fn shown(run: &Path, summary: &Summary<'_>, format: Format) -> Result<Vec<(String, Vec<u8>)>, Vec<Diagnostic>> {
    let scene = summary.scene;
    let mut frames: Vec<MotionFrame> = match summary.path {
        [] => vec![still_frame::of_equilibrium(scene, summary.equilibrium)],
        path => path.iter().map(still_frame::of_sample).collect(),
    };
    frames.retain(still_frame::can_be_shown);
    if frames.is_empty() {
        let format = if format == Format::Glb { "glb" } else { "vtk" };
        return Err(vec![Diagnostic::new(Fault::NothingToShow { path: run.display().to_string(), format })]);
    }
    // Along branches the parameter goes back and forth, and times must rise: then samples are counted.
    let rises = frames.windows(2).all(|pair| pair[0].time < pair[1].time);
    let (first, last) = (frames[0].time, frames[frames.len() - 1].time);
    let count = frames.len();
    for (index, frame) in frames.iter_mut().enumerate() {
        let part = if rises { (frame.time - first) / (last - first) } else { index as f64 / (count - 1).max(1) as f64 };
        frame.time = match (format, rises) {
            (Format::Glb, _) if count > 1 => PATH_SECONDS * part,
            (_, true) => frame.time,
            (_, false) => index as f64,
        };
    }
    let frames: Vec<&MotionFrame> = frames.iter().collect();
    let name = if summary.path.is_empty() { "equilibrium" } else { "path" };
    Ok(match format {
        Format::Glb => vec![(format!("{name}.glb"), glb::bytes(scene, &frames))],
        _ => motion::series(scene, name, &frames),
    })
}

fn cannot(path: &Path, error: &std::io::Error) -> Vec<Diagnostic> {
    vec![Diagnostic::new(Fault::CannotWrite { path: path.display().to_string(), reason: error.to_string() })]
}
