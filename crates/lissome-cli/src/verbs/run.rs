//! `lissome run FILE`.

use crate::args::RunArgs;
use crate::console::{OutputMode, refuse};
use crate::exit::Exit;
use crate::job::{self, Settings};
use lissome::io::run_folder::{RunFacts, motion};
use lissome::io::{Diagnostic, Fault, LoadedScene, load, number};
use std::path::{Path, PathBuf};

/// More threads than any machine has.
const MAX_THREADS: usize = 4096;

/// Does the job of a scene file and writes its folder.
pub fn run(args: &RunArgs) -> Exit {
    if let Err(message) = check_numbers(args) {
        return refuse(&[Diagnostic::new(Fault::Usage { message })], args.json);
    }
    let done = if args.resume { resume(args) } else { begin(args) };
    done.unwrap_or_else(|diagnostics| refuse(&diagnostics, args.json))
}

fn begin(args: &RunArgs) -> Result<Exit, Vec<Diagnostic>> {
    let loaded = load(&args.file, &args.overrides)?;
    let out = args.out.clone().unwrap_or_else(|| default_folder(&args.file));
    let headline = format!("lissome {}: {}", env!("CARGO_PKG_VERSION"), title_of(&loaded, &args.file));
    job::run(&loaded, settings(args, &out, &headline))
}

/// `lissome run --resume RUN`.
fn resume(args: &RunArgs) -> Result<Exit, Vec<Diagnostic>> {
    let resumption = motion::resume(&args.file, &args.overrides)?;
    let from = number::with_unit(resumption.record.reached(), "s");
    let title = &resumption.loaded.scene.title;
    let headline = format!("lissome {}: {title}   (resumed at {from})", env!("CARGO_PKG_VERSION"));
    job::resume(&resumption, settings(args, &args.file, &headline))
}

fn settings<'a>(args: &RunArgs, out: &'a Path, headline: &'a str) -> Settings<'a> {
    let facts = RunFacts { threads: args.threads, overrides: args.overrides.clone(), ..RunFacts::default() };
    Settings { out, limit: args.limit, facts, mode: OutputMode::of(args.json, args.quiet), headline }
}

fn check_numbers(args: &RunArgs) -> Result<(), String> {
    if let Some(limit) = args.limit.filter(|l| !(l.is_finite() && *l > 0.0)) {
        return Err(format!("--limit must be a positive number of seconds, not {limit}"));
    }
    if let Some(threads) = args.threads.filter(|n| !(1..=MAX_THREADS).contains(n)) {
        return Err(format!("--threads must be from 1 to {MAX_THREADS}, not {threads}"));
    }
    Ok(())
}

/// `arm.toml` writes `arm.run` in the current folder.
fn default_folder(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_os_string();
    name.push(".run");
    PathBuf::from(name)
}

fn title_of(loaded: &LoadedScene, file: &Path) -> String {
    if loaded.scene.title.is_empty() { file.display().to_string() } else { loaded.scene.title.clone() }
}
