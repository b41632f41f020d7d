//! Solves a scene with a progress bar, a time limit and a way out by Ctrl-C.

use indicatif::{ProgressBar, ProgressStyle};
use lissome::io::{Diagnostic, Ending, LoadedScene};
use lissome::solve::{Iteration, Recording};
use lissome::{SimulateError, simulate};
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

/// Solves; `show_progress` draws a bar on stderr if that is a terminal.
pub fn solve(loaded: &LoadedScene, limit: Option<f64>, show_progress: bool) -> Result<Solved, Vec<Diagnostic>> {
    let bar = if show_progress { progress_bar() } else { ProgressBar::hidden() };
    let start = Instant::now();
    let mut ending = Ending::Finished;
    let mut iterations = 0u64;
    let mut progress = |iteration: &Iteration| {
        iterations += 1;
        bar.set_position((100.0 * iteration.load_factor).clamp(0.0, 100.0) as u64);
        bar.set_message(format!("iteration {iterations}, residual {:.1e}", iteration.residual));
        if INTERRUPTED.load(Ordering::SeqCst) {
            ending = Ending::Interrupted;
        } else if let Some(seconds) = limit.filter(|seconds| start.elapsed().as_secs_f64() > *seconds) {
            ending = Ending::TimeLimit { seconds };
        }
        ending == Ending::Finished
    };
    let result = simulate(&loaded.scene, &mut progress);
    bar.finish_and_clear();
    match result {
        Ok(recording) => Ok(Solved { recording, ending, elapsed: start.elapsed() }),
        Err(SimulateError::Invalid(invalid)) => Err(vec![loaded.diagnose(&invalid)]),
    }
}

/// Hidden unless stderr is a terminal, and drawn only for work that lasts.
fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(100);
    if let Ok(style) = ProgressStyle::with_template("  statics  [{bar:20}] {percent} % of the load, {msg}") {
        bar.set_style(style.progress_chars("#> "));
    }
    bar
}
