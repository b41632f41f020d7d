//! `lissome run FILE`, and the part of it that `demo` shares.

use super::motion::{self, Done};
use super::screen;
use crate::args::RunArgs;
use crate::console::{complain, refuse, say, say_json, show};
use crate::exit::Exit;
use crate::solving::{self, Solved};
use lissome::SimulateError;
use lissome::io::run_folder::{self, RunFacts};
use lissome::io::{Diagnostic, Fault, LoadedScene, Severity, Summary, load};
use lissome::model::Job;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// More threads than any machine has.
const MAX_THREADS: usize = 4096;

/// How a run is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A screen for people.
    People,
    /// Complaints only.
    Quiet,
    /// JSON only.
    Json,
}

/// Solves a scene file and writes its folder.
pub fn run(args: &RunArgs) -> Exit {
    let voice = match (args.json, args.quiet) {
        (true, _) => Voice::Json,
        (_, true) => Voice::Quiet,
        _ => Voice::People,
    };
    if let Err(message) = check_numbers(args) {
        return refuse(&[Diagnostic::new(Fault::Usage { message })], args.json);
    }
    if args.resume {
        return motion::resume(args, voice).unwrap_or_else(|diagnostics| refuse(&diagnostics, args.json));
    }
    let loaded = match load(&args.file, &args.overrides) {
        Ok(loaded) => loaded,
        Err(diagnostics) => return refuse(&diagnostics, args.json),
    };
    let out = args.out.clone().unwrap_or_else(|| default_folder(&args.file));
    let facts = RunFacts { threads: args.threads, overrides: args.overrides.clone(), ..RunFacts::default() };
    let headline = format!("lissome {}: {}", env!("CARGO_PKG_VERSION"), title_of(&loaded, &args.file));
    let done = solve_and_write(&loaded, &out, args.limit, facts, voice, &headline);
    match done {
        Ok(exit) => exit,
        Err(diagnostics) => refuse(&diagnostics, args.json),
    }
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

/// Solves, writes the folder and reports; `Err` if the scene is refused or the folder cannot be written.
pub fn solve_and_write(
    loaded: &LoadedScene,
    out: &Path,
    limit: Option<f64>,
    facts: RunFacts,
    voice: Voice,
    headline: &str,
) -> Result<Exit, Vec<Diagnostic>> {
    let one = |fault: Fault| vec![Diagnostic::new(fault)];
    run_folder::check_target(out).map_err(one)?;
    if voice != Voice::Json {
        show(&loaded.warnings);
    }
    if voice == Voice::People {
        say(headline);
        say(&screen::scene_line(&loaded.scene));
    }
    let solved = match loaded.scene.job {
        Job::Dynamics(_) => match motion::run(loaded, out, limit, &facts, voice)? {
            Done::Ended(exit) => return Ok(exit),
            Done::NoStart(solved) => *solved,
        },
        _ => solving::solve(loaded, limit, voice == Voice::People)?,
    };
    let shapes = match lissome::shapes(&loaded.scene) {
        Ok(shapes) => shapes,
        Err(SimulateError::Invalid(invalid)) => return Err(vec![loaded.diagnose(&invalid)]),
    };
    let summary = Summary { scene: &loaded.scene, recording: &solved.recording, ending: solved.ending };
    let facts = RunFacts { wall_seconds: solved.elapsed.as_secs_f64(), shapes, ..facts };
    let files = run_folder::write(out, loaded, &summary, &facts).map_err(one)?;
    match voice {
        Voice::Json => say_json(&result_json(loaded, &summary, &solved, out)),
        Voice::Quiet => complain_about(&summary),
        Voice::People => {
            say(&screen::outcome_line(&summary, &solved));
            super::shape::say_shapes(&facts.shapes);
            screen::robot_lines(&summary).iter().for_each(|line| say(line));
            complain_about(&summary);
            say(&format!("  checks   {}", screen::checks(&summary)));
            let table = if summary.recording.path.is_empty() { "samples.csv" } else { "path.csv" };
            let shown = ["report.html", table, "scene.toml"];
            let more = files.len() - shown.len();
            say(&format!("  wrote    {}/   {}  and {more} more", out.display(), shown.join("  ")));
        }
    }
    Ok(exit_of(&summary))
}

fn complain_about(summary: &Summary<'_>) {
    if let Some(complaint) = summary.complaint() {
        complain(complaint.to_string().trim_end());
    }
}

fn result_json(loaded: &LoadedScene, summary: &Summary<'_>, solved: &Solved, out: &Path) -> Json {
    let mut json = summary.to_json();
    let complaint = summary.complaint();
    let of = |severity: Severity| complaint.iter().filter(move |c| c.severity() == severity).map(Diagnostic::to_json);
    let errors: Vec<Json> = of(Severity::Error).collect();
    let warnings: Vec<Json> = loaded.warnings.iter().map(Diagnostic::to_json).chain(of(Severity::Warning)).collect();
    json["errors"] = json!(errors);
    json["warnings"] = json!(warnings);
    json["unknowns"] = json!(crate::solving::unknowns(&loaded.scene));
    json["wall_seconds"] = json!(solved.elapsed.as_secs_f64());
    json["out"] = json!(out.display().to_string());
    json
}

fn exit_of(summary: &Summary<'_>) -> Exit {
    match summary.status() {
        "converged" => Exit::Ok,
        "limit" => Exit::Limit,
        "interrupted" => Exit::Interrupted,
        _ => Exit::NoAnswer,
    }
}
