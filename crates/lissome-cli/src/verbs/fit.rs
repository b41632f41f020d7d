//! `lissome fit SCENE DATA`.

use crate::args::FitArgs;
use crate::console::{OutputMode, refuse, say, say_json, show};
use crate::exit::Exit;
use crate::interrupt::{self, Clock};
use crate::patience::{cut_short, patiently};
use crate::screen::fit as screen;
use indicatif::{ProgressBar, ProgressStyle};
use lissome::Progress;
use lissome::fit::{Fit, FitOptions, Loss, loss_named};
use lissome::io::fit::{DataTable, FitAnswer, folder};
use lissome::io::{Diagnostic, Ending, Fault, LoadedScene, load, run_folder};
use serde_json::json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Fits numbers of a scene to data and writes a folder.
pub fn run(args: &FitArgs) -> Exit {
    work(args).unwrap_or_else(|diagnostics| refuse(&diagnostics, args.json))
}

fn usage(message: String) -> Vec<Diagnostic> {
    vec![Diagnostic::new(Fault::Usage { message })]
}

/// How much what lies far out counts: a name, perhaps with a width.
fn loss(text: &str) -> Result<Loss, Vec<Diagnostic>> {
    loss_named(text).ok_or_else(|| {
        usage(format!("--loss is square, huber or cauchy, the last two perhaps with a width (huber=2), not `{text}`"))
    })
}

fn work(args: &FitArgs) -> Result<Exit, Vec<Diagnostic>> {
    if let Some(limit) = args.limit.filter(|l| !(l.is_finite() && *l > 0.0)) {
        return Err(usage(format!("--limit must be a positive number of seconds, not {limit}")));
    }
    let options = FitOptions {
        free: args.free.clone(),
        noise: args.noise.clone(),
        loss: loss(&args.loss)?,
        max_rounds: args.max_rounds,
    };
    let loaded = load(&args.file, &args.overrides)?;
    let data = DataTable::load(&args.data)?;
    let out = args.out.clone().unwrap_or_else(|| default_folder(&args.file));
    run_folder::check_target(&out).map_err(|fault| vec![Diagnostic::new(fault)])?;
    let mode = OutputMode::of(args.json, args.quiet);
    if mode != OutputMode::Json {
        show(&loaded.warnings);
    }
    let mut fit = Fit::new(&loaded, &data, &options)?;
    if mode == OutputMode::Screen {
        say(&format!("lissome {}: {}", env!("CARGO_PKG_VERSION"), loaded.scene.title));
        say(&format!("  fit      {} from {} measured values", fit.paths().join(", "), fit.measured()));
    }
    let clock = Clock::start(args.limit);
    let (answer, ending) = watched(&mut fit, clock, mode)?;
    let seconds = clock.elapsed().as_secs_f64();
    let files = {
        let _undisturbed = interrupt::files();
        folder::write(&out, &loaded, &answer, ending, seconds).map_err(|fault| vec![Diagnostic::new(fault)])?
    };
    report(mode, &loaded, &answer, ending, (&out, &files, seconds));
    Ok(Exit::of_status(answer.status(ending)))
}

/// `arm.toml` writes `arm.fit` in the current folder.
fn default_folder(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_os_string();
    name.push(".fit");
    PathBuf::from(name)
}

/// Does the work in a thread of its own, and leaves it there if it does not stop when it should.
fn watched(fit: &mut Fit, clock: Clock, mode: OutputMode) -> Result<(FitAnswer, Ending), Vec<Diagnostic>> {
    let bar = if mode == OutputMode::Screen { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("  fit      {spinner} {msg}") {
        bar.set_style(style);
    }
    let ended: Mutex<Option<Ending>> = Mutex::new(None);
    let give_up = |ending| {
        bar.finish_and_clear();
        cut_short(ending, clock, mode)
    };
    let answer = patiently(clock, give_up, || {
        let (mut iterations, mut steps) = (0_u64, 0_u64);
        fit.run(&mut |progress: &Progress<'_>| {
            match progress {
                Progress::Iteration(_) => iterations += 1,
                Progress::Step { .. } => steps += 1,
                _ => {}
            }
            if (iterations + steps).is_multiple_of(64) {
                bar.set_message(format!("{iterations} iterations, {steps} steps"));
                bar.tick();
            }
            match clock.stop_reason() {
                None => ControlFlow::Continue(()),
                Some(ending) => {
                    *ended.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(ending);
                    ControlFlow::Break(())
                }
            }
        })
    });
    bar.finish_and_clear();
    let ending = ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok((answer?, ending.unwrap_or(Ending::Finished)))
}

fn report(
    mode: OutputMode,
    loaded: &LoadedScene,
    answer: &FitAnswer,
    ending: Ending,
    (out, files, seconds): (&Path, &[&'static str], f64),
) {
    let warnings = answer.warnings(ending);
    match mode {
        OutputMode::Quiet => show(&warnings),
        OutputMode::Json => {
            let mut json = answer.to_json(ending);
            let all = loaded.warnings.iter().chain(&warnings).map(Diagnostic::to_json);
            json["warnings"] = all.collect();
            json["errors"] = json!([]);
            json["out"] = json!(out.display().to_string());
            json["files"] = json!(files);
            json["wall_seconds"] = json!(seconds);
            say_json(&json);
        }
        OutputMode::Screen => {
            screen::lines(answer, ending, seconds).iter().for_each(|line| say(line));
            show(&warnings);
            say(&format!("  wrote    {}/   {}", out.display(), files.join("  ")));
        }
    }
}
