//! `lissome sweep FILE`.

use crate::args::SweepArgs;
use crate::console::{OutputMode, complain, refuse, say, say_json, show};
use crate::exit::Exit;
use crate::interrupt::{self, Clock};
use indicatif::{ProgressBar, ProgressStyle};
use lissome::io::number::significant;
use lissome::io::sweep::folder::Finished;
use lissome::io::sweep::{Axis, CasesTable, Plan, Sweep, SweepFault, SweepFolder};
use lissome::io::{Diagnostic, Ending, Fault, load};
use lissome::sweep;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows are written this often; the first sooner, so that little of a short sweep is lost too.
const WRITE_EVERY: Duration = Duration::from_secs(2);
const FIRST_WRITE: Duration = Duration::from_millis(50);
/// More threads than any machine has.
const MAX_THREADS: usize = 4096;

/// Solves every case of a sweep and writes its folder.
pub fn run(args: &SweepArgs) -> Exit {
    if let Err(message) = check_arguments(args) {
        return refuse(&[Diagnostic::new(Fault::Usage { message })], args.json);
    }
    let done = if args.resume { resume(args) } else { begin(args) };
    done.unwrap_or_else(|diagnostics| refuse(&diagnostics, args.json))
}

fn check_arguments(args: &SweepArgs) -> Result<(), String> {
    if let Some(limit) = args.limit.filter(|l| !(l.is_finite() && *l > 0.0)) {
        return Err(format!("--limit must be a positive number of seconds, not {limit}"));
    }
    if let Some(threads) = args.threads.filter(|n| !(1..=MAX_THREADS).contains(n)) {
        return Err(format!("--threads must be from 1 to {MAX_THREADS}, not {threads}"));
    }
    if args.resume && !args.arguments.is_empty() {
        return Err("--resume goes on with the plan of the folder; it takes no axes and no values".into());
    }
    Ok(())
}

fn begin(args: &SweepArgs) -> Result<Exit, Vec<Diagnostic>> {
    let numbered = || args.arguments.iter().cloned().enumerate();
    let axes: Vec<(usize, String)> = numbered().filter(|(_, argument)| Axis::is_meant(argument)).collect();
    let fixed: Vec<String> =
        numbered().filter(|(_, argument)| !Axis::is_meant(argument)).map(|(_, argument)| argument).collect();
    let base = load(&args.file, &fixed)?;
    let columns = Sweep::columns_of(&base);
    let own = if args.cases.is_none() && args.latin.is_none() && axes.is_empty() { base.cases()? } else { None };
    let plan = match (&args.cases, args.latin) {
        (Some(_), _) if !axes.is_empty() => {
            let message = "cases come from a table or from axes, not from both".into();
            return Err(vec![Diagnostic::new(Fault::Usage { message })]);
        }
        (Some(file), _) => Plan::table(CasesTable::load(file)?, columns)?,
        (None, Some(samples)) => Plan::latin(&axes, samples, args.seed, columns)?,
        (None, None) => match own {
            Some(table) => Plan::table(table, columns)?,
            None => Plan::grid(&axes, columns)?,
        },
    };
    let out = args.out.clone().unwrap_or_else(|| default_folder(&args.file));
    SweepFolder::check_target(&out).map_err(one)?;
    let sweep = Arc::new(Sweep::new(base, plan, &fixed, &args.output)?);
    let folder = {
        let _undisturbed = interrupt::files();
        SweepFolder::create(&out, &sweep).map_err(one)?
    };
    work(args, &out, &sweep, folder)
}

/// `lissome sweep --resume FOLDER`.
fn resume(args: &SweepArgs) -> Result<Exit, Vec<Diagnostic>> {
    let (folder, sweep) = SweepFolder::open(&args.file)?;
    work(args, &args.file, &Arc::new(sweep), folder)
}

/// `arm.toml` writes `arm.sweep` in the current folder.
fn default_folder(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_os_string();
    name.push(".sweep");
    PathBuf::from(name)
}

fn one(fault: Fault) -> Vec<Diagnostic> {
    vec![Diagnostic::new(fault)]
}

/// Solves what has no row yet, and makes the table if that is all.
fn work(args: &SweepArgs, out: &Path, sweep: &Arc<Sweep>, mut folder: SweepFolder) -> Result<Exit, Vec<Diagnostic>> {
    let mode = OutputMode::of(args.json, args.quiet);
    if mode != OutputMode::Json {
        show(&sweep.base.warnings);
    }
    let (missing, had) = (folder.missing(), folder.done());
    if mode == OutputMode::Screen {
        let title = &sweep.base.scene.title;
        let again = if had > 0 { format!("   ({had} done before)") } else { String::new() };
        say(&format!("lissome {}: {title}", env!("CARGO_PKG_VERSION")));
        say(&format!("  sweep    {} cases over {}{again}", sweep.plan.len(), sweep.plan.paths().join(", ")));
    }
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let clock = Clock::start(args.limit);
    let bar = Progress::new(mode == OutputMode::Screen, had, sweep.plan.len());
    let (mut written, mut pause) = (Instant::now(), FIRST_WRITE);
    let (mut ending, mut fault) = (None, None);
    interrupt::begin_work();
    sweep::run(sweep, &missing, threads, &mut |row| {
        if let Some(row) = row {
            folder.add(row);
            bar.show(folder.done());
        }
        if written.elapsed() >= pause && fault.is_none() {
            let _undisturbed = interrupt::files();
            fault = folder.flush(sweep).err();
            (written, pause) = (Instant::now(), WRITE_EVERY.min(2 * pause));
        }
        let asked = clock.stop_reason();
        if asked.is_none() && fault.is_none() {
            return ControlFlow::Continue(());
        }
        // Cases under way are left where they are; the rows of all others are kept.
        ending = asked;
        ControlFlow::Break(())
    });
    bar.clear();
    if let Some(fault) = fault {
        return Err(one(fault));
    }
    if folder.done() < sweep.plan.len() {
        return Ok(stopped(args, out, sweep, &mut folder, ending, &clock));
    }
    let _undisturbed = interrupt::files();
    let finished = folder.finish(sweep).map_err(one)?;
    report(mode, out, sweep, &finished, &clock);
    Ok(if finished.table.answered() > 0 { Exit::Ok } else { Exit::NoAnswer })
}

/// Keeps the rows there are, and says how to go on.
fn stopped(
    args: &SweepArgs,
    out: &Path,
    sweep: &Sweep,
    folder: &mut SweepFolder,
    ending: Option<Ending>,
    clock: &Clock,
) -> Exit {
    let written = {
        let _undisturbed = interrupt::files();
        folder.flush(sweep)
    };
    let (done, of) = (folder.done(), sweep.plan.len());
    let (exit, status, fault) = match (written, ending) {
        (Err(fault), _) => (Exit::BadInput, "error", fault),
        (Ok(()), Some(Ending::TimeLimit { seconds })) => {
            (Exit::Limit, "limit", Fault::Sweep(SweepFault::Limit { seconds, done, of }))
        }
        (Ok(()), _) => (Exit::Interrupted, "interrupted", Fault::Sweep(SweepFault::Interrupted { done, of })),
    };
    let diagnostic = Diagnostic::new(fault);
    if args.json {
        say_json(&json!({
            "status": status,
            "cases": of,
            "done": done,
            "out": out.display().to_string(),
            "errors": [diagnostic.to_json()],
            "warnings": [],
            "wall_seconds": clock.elapsed().as_secs_f64(),
        }));
    } else {
        complain(diagnostic.to_string().trim_end());
    }
    exit
}

fn report(mode: OutputMode, out: &Path, sweep: &Sweep, finished: &Finished, clock: &Clock) {
    let (cases, answered) = (sweep.plan.len(), finished.table.answered());
    let seconds = clock.elapsed().as_secs_f64();
    let counts = &finished.table.counts;
    match mode {
        OutputMode::Quiet => {}
        OutputMode::Json => say_json(&json!({
            "status": "finished",
            "cases": cases,
            "done": cases,
            "answered": answered,
            "counts": counts,
            "columns": finished.table.columns,
            "out": out.display().to_string(),
            "errors": [],
            "warnings": sweep.base.warnings.iter().map(Diagnostic::to_json).collect::<Vec<_>>(),
            "wall_seconds": seconds,
        })),
        OutputMode::Screen => {
            let ends: Vec<String> =
                counts.iter().map(|(status, count)| format!("{count} {}", status.replace('_', " "))).collect();
            say(&format!("  cases    {}   in {} s", ends.join(", "), significant(seconds, 3)));
            say(&format!("  wrote    {}/   {}", out.display(), finished.files.join("  ")));
        }
    }
}

/// A bar on stderr that counts cases and tells the time left.
struct Progress {
    bar: ProgressBar,
    begun: Instant,
    had: usize,
    of: usize,
}

impl Progress {
    fn new(shown: bool, had: usize, of: usize) -> Self {
        let bar = if shown { ProgressBar::new(of as u64) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("  sweep    [{bar:20}] {pos} of {len} cases, {msg}") {
            bar.set_style(style.progress_chars("#> "));
        }
        bar.set_position(had as u64);
        Self { bar, begun: Instant::now(), had, of }
    }

    fn show(&self, done: usize) {
        self.bar.set_position(done as u64);
        // Those that were there before took no time now.
        let each = self.begun.elapsed().as_secs_f64() / (done - self.had).max(1) as f64;
        let left = each * (self.of - done) as f64;
        self.bar.set_message(match left {
            s if s < 90.0 => format!("{s:.0} s left"),
            s if s < 5400.0 => format!("{:.0} min left", s / 60.0),
            s => format!("{:.1} h left", s / 3600.0),
        });
    }

    fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
