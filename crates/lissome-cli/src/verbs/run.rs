//! `lissome run FILE`, and the part of it that `demo` shares.

use crate::args::RunArgs;
use crate::console::{complain, refuse, say, say_json, show};
use crate::exit::Exit;
use crate::solving::{self, Solved};
use lissome::SimulateError;
use lissome::io::report::number;
use lissome::io::run_folder::{self, RunFacts};
use lissome::io::size::Size;
use lissome::io::{Diagnostic, Fault, LoadedScene, Severity, Summary, load};
use lissome::model::Job;
use lissome::solve::RodRecord;
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
        say(&scene_line(loaded));
    }
    let solved = solving::solve(loaded, limit, voice == Voice::People)?;
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
            say(&statics_line(&summary, &solved));
            super::shape::say_shapes(&facts.shapes);
            complain_about(&summary);
            say(&format!("  checks   {}", checks(&summary)));
            let shown = ["report.html", "samples.csv", "scene.toml"];
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
    json["wall_seconds"] = json!(solved.elapsed.as_secs_f64());
    json["out"] = json!(out.display().to_string());
    json
}

fn scene_line(loaded: &LoadedScene) -> String {
    let scene = &loaded.scene;
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let mut what = format!("{}, {}", plural(scene.rods.len(), "rod"), plural(scene.loads.len(), "load"));
    if scene.gravity.norm() > 0.0 {
        what.push_str(", gravity");
    }
    let model = match (&scene.job, scene.rods.len()) {
        (Job::Shape(_), _) => "shape from the poses of both ends".into(),
        (_, 1) => Size::of(scene, 0).words(),
        _ => String::new(),
    };
    format!("  scene    {what:<36} {model}").trim_end().to_owned()
}

fn statics_line(summary: &Summary<'_>, solved: &Solved) -> String {
    let outcome = &summary.recording.outcome;
    let time = number::with_unit(solved.elapsed.as_secs_f64(), "s");
    let how = match summary.status() {
        "converged" => "converged in",
        "fold" => "met a fold after",
        "limit" => "stopped by the limit after",
        "interrupted" => "interrupted after",
        _ => "not converged after",
    };
    let iterations = outcome.iterations();
    let how = format!("{how} {iterations} iteration{}, {time}", if iterations == 1 { "" } else { "s" });
    let tip = match summary.recording.rods.as_slice() {
        [rod] => format!("tip {}   ", number::vector(rod.tip.position.as_slice(), "m")),
        _ => String::new(),
    };
    let stability = outcome.stability.map_or(String::new(), |s| {
        let word = if s.stable { "stable" } else { "unstable" };
        format!("{word} (smallest relative stiffness {})", number::significant(s.smallest_eigenvalue, 3))
    });
    let job = if matches!(summary.scene.job, Job::Shape(_)) { "shape" } else { "statics" };
    format!("  {job:<8} {how:<36} {tip}{stability}").trim_end().to_owned()
}

fn checks(summary: &Summary<'_>) -> String {
    let recording = summary.recording;
    let finite = recording.rods.iter().all(|rod| {
        rod.tip.is_finite()
            && rod.base_wrench.is_finite()
            && rod.samples.iter().all(|s| s.pose.is_finite() && s.strain.is_finite() && s.stress.is_finite())
    });
    let energy = number::with_unit(recording.outcome.energy.elastic, "J");
    let residual = number::significant(recording.outcome.residual, 2);
    let finite = if finite { "all finite" } else { "NOT all finite" };
    let error = recording.rods.iter().map(RodRecord::discretisation_error).fold(0.0, f64::max);
    let advice = if error > COARSE { "; more spans would change the shape" } else { "" };
    let error = number::significant(error, 2);
    format!(
        "residual {residual}, discretisation about {error} of the length{advice}, elastic energy {energy}, {finite}"
    )
}

/// Above this estimated error a run says that its rods are divided too coarsely.
const COARSE: f64 = 1e-3;

fn exit_of(summary: &Summary<'_>) -> Exit {
    match summary.status() {
        "converged" => Exit::Ok,
        "limit" => Exit::Limit,
        "interrupted" => Exit::Interrupted,
        _ => Exit::NoAnswer,
    }
}
