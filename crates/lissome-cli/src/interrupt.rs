//! What ends the work early: Ctrl-C and a time limit.

use lissome::io::Ending;
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

/// The time since the work began, and how much of it there may be.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    limit: Option<f64>,
}

impl Clock {
    /// Starts now; `limit` in seconds.
    pub fn start(limit: Option<f64>) -> Self {
        Self { start: Instant::now(), limit }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// What asks to stop, if anything does.
    pub fn stop_reason(&self) -> Option<Ending> {
        if INTERRUPTED.load(Ordering::SeqCst) {
            return Some(Ending::Interrupted);
        }
        let seconds = self.limit.filter(|seconds| self.elapsed().as_secs_f64() > *seconds)?;
        Some(Ending::TimeLimit { seconds })
    }
}
