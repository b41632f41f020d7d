//! `lissome export RUN`.

use crate::args::ExportArgs;
use crate::console::{refuse, say, say_json};
use crate::exit::Exit;
use crate::interrupt;
use lissome::io::{Diagnostic, export};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Turns a run folder into tables and pictures.
pub fn run(args: &ExportArgs) -> Exit {
    let out = args.out.clone().unwrap_or_else(|| default_folder(&args.run));
    let written = export::parse_formats(&args.to)
        .map_err(|fault| vec![Diagnostic::new(fault)])
        .and_then(|formats| export::contents(&args.run, &formats))
        .and_then(|files| {
            let _undisturbed = interrupt::files();
            export::write(files, &out, args.force)
        });
    let files = match written {
        Ok(files) => files,
        Err(diagnostics) => return refuse(&diagnostics, args.json),
    };
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    if args.json {
        say_json(&json!({ "status": "ok", "files": names }));
    } else {
        say(&summary(&out, &files));
    }
    Exit::Ok
}

/// Names in the summary.
const SHOWN: usize = 12;

/// One line: the folder, the first names, and how many more there are; a series is told by its first and last file.
fn summary(out: &Path, files: &[PathBuf]) -> String {
    let names: Vec<&str> = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.').to_owned();
    let series = |name: &str| stem(name).trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let mut told: Vec<String> = Vec::new();
    let mut start = 0;
    while start < names.len() {
        let is_numbered = stem(names[start]) != series(names[start]);
        let same = names[start..].iter().take_while(|name| series(name) == series(names[start]));
        let count = if is_numbered { same.count() } else { 1 };
        told.push(match count {
            1 => names[start].to_owned(),
            _ => format!("{} … {}", names[start], names[start + count - 1]),
        });
        start += count;
    }
    let more = told.len().saturating_sub(SHOWN);
    told.truncate(SHOWN);
    let more = if more > 0 { format!("  and {more} more") } else { String::new() };
    format!("wrote {}/   {}{more}", out.display(), told.join("  "))
}

/// `arm.run` is exported to `arm.export` in the current folder.
fn default_folder(run: &Path) -> PathBuf {
    let mut name = run.file_stem().unwrap_or_default().to_os_string();
    name.push(".export");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_thousand_files_are_one_line() {
        let files = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<PathBuf>>();
        let mut all = files(&["out/motion.glb", "out/motion.pvd"]);
        all.extend((0..3000).map(|i| PathBuf::from(format!("out/motion-{i:05}.vtp"))));
        all.push("out/motion.csv".into());
        let line = summary(Path::new("out"), &all);
        assert_eq!(line, "wrote out/   motion.glb  motion.pvd  motion-00000.vtp … motion-02999.vtp  motion.csv");
        let many: Vec<PathBuf> = ('a'..='z').map(|c| PathBuf::from(format!("{c}.svg"))).collect();
        assert!(summary(Path::new("out"), &many).ends_with("l.svg  and 14 more"));
    }
}
