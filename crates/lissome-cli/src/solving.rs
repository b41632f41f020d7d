//! Solves a scene with a progress bar, a time limit and a way out by Ctrl-C.

use indicatif::{ProgressBar, ProgressStyle};
use lissome::io::{Diagnostic, Ending, LoadedScene};
use lissome::mech::System;
use lissome::model::{Job, PathJob, Resolution, Rod, Scene};
use lissome::simulate::follow;
use lissome::solve::{Iteration, PathSample, Recording};
use lissome::{SimulateError, simulate};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Set by the first Ctrl-C; the second ends the program at once.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Watches for Ctrl-C. Without a handler (a second call, an odd platform) Ctrl-C just ends the program.
pub fn watch_interrupts() {
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(crate::exit::Exit::Interrupted.number()));
        }
    });
}

/// True once Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// The answer and how it came about.
#[derive(Debug)]
pub struct Solved {
    /// The answer.
    pub recording: Recording,
    /// What ended the work.
    pub ending: Ending,
    /// Time it took.
    pub elapsed: Duration,
}

/// Scalar unknowns of a scene's equations; `None` if a tolerance decides, or if there are none to solve.
pub fn unknowns(scene: &Scene) -> Option<usize> {
    let open = |rod: &Rod| matches!(rod.discretization.resolution(), Resolution::Tolerance { .. });
    if scene.rods.iter().any(open) || matches!(scene.job, Job::Shape(_)) {
        return None;
    }
    System::compile(scene).ok().map(|system| system.unknowns())
}

/// What ends the work early.
struct Watch {
    start: Instant,
    limit: Option<f64>,
    ending: Cell<Ending>,
}

impl Watch {
    /// True while nothing asks to stop.
    fn go_on(&self) -> bool {
        if INTERRUPTED.load(Ordering::SeqCst) {
            self.ending.set(Ending::Interrupted);
        } else if let Some(seconds) = self.limit.filter(|seconds| self.start.elapsed().as_secs_f64() > *seconds) {
            self.ending.set(Ending::TimeLimit { seconds });
        }
        self.ending.get() == Ending::Finished
    }
}

/// Solves; `show_progress` draws a bar on stderr if that is a terminal.
pub fn solve(loaded: &LoadedScene, limit: Option<f64>, show_progress: bool) -> Result<Solved, Vec<Diagnostic>> {
    let watch = Watch { start: Instant::now(), limit, ending: Cell::new(Ending::Finished) };
    let result = match &loaded.scene.job {
        Job::Path(job) => solve_path(loaded, job, &watch, show_progress),
        _ => solve_one(loaded, &watch, show_progress),
    };
    match result {
        Ok(recording) => Ok(Solved { recording, ending: watch.ending.get(), elapsed: watch.start.elapsed() }),
        Err(SimulateError::Invalid(invalid)) => Err(vec![loaded.diagnose(&invalid)]),
    }
}

fn solve_one(loaded: &LoadedScene, watch: &Watch, show_progress: bool) -> Result<Recording, SimulateError> {
    let bar = bar(100, "  statics  [{bar:20}] {percent} % of the load, {msg}", show_progress);
    let mut iterations = 0u64;
    let result = simulate(&loaded.scene, &mut |iteration: &Iteration| {
        iterations += 1;
        bar.set_position((100.0 * iteration.load_factor).clamp(0.0, 100.0) as u64);
        bar.set_message(format!("iteration {iterations}, residual {:.1e}", iteration.residual));
        watch.go_on()
    });
    bar.finish_and_clear();
    result
}

fn solve_path(
    loaded: &LoadedScene,
    job: &PathJob,
    watch: &Watch,
    show_progress: bool,
) -> Result<Recording, SimulateError> {
    let template = "  path     [{bar:20}] {pos} of {len} samples, {msg}";
    let bar = bar(job.samples as u64, template, show_progress);
    let iterations = Cell::new(0u64);
    let mut each_iteration = |iteration: &Iteration| {
        iterations.set(iterations.get() + 1);
        bar.set_message(format!("{} iterations, residual {:.1e}", iterations.get(), iteration.residual));
        watch.go_on()
    };
    let result = follow(&loaded.scene, job, &mut each_iteration, &mut |_: &PathSample| {
        bar.inc(1);
        watch.go_on()
    });
    bar.finish_and_clear();
    result.map(|recording| if watch.ending.get() == Ending::Finished { recording } else { finished_part(recording) })
}

/// The path without the sample that was being looked for when the work was stopped; the first is kept whatever it is.
fn finished_part(mut recording: Recording) -> Recording {
    let unfinished = recording.path.last().is_some_and(|sample| !sample.answer.outcome.converged());
    if !unfinished || recording.path.len() < 2 {
        return recording;
    }
    recording.path.pop();
    let mut last = recording.path[recording.path.len() - 1].answer.clone();
    last.path = recording.path;
    last
}

/// Hidden unless stderr is a terminal, and drawn only for work that lasts.
fn bar(length: u64, template: &str, shown: bool) -> ProgressBar {
    if !shown {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("#> "));
    }
    bar
}
