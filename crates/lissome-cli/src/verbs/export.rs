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
        for name in names {
            say(&format!("wrote {name}"));
        }
    }
    Exit::Ok
}

/// `arm.run` is exported to `arm.export` in the current folder.
fn default_folder(run: &Path) -> PathBuf {
    let mut name = run.file_stem().unwrap_or_default().to_os_string();
    name.push(".export");
    PathBuf::from(name)
}
