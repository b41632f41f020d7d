//! What ends the work early: Ctrl-C, a request to terminate, a terminal that hangs up, and a time limit.
//!
//! Work that has results to keep is told and given a moment to stop by itself; what it cannot stop within (a large
//! factorisation) is left where it is (see `patience`). Anything else ends at once. Nothing ends while files are put in place.

use crate::exit::Exit;
use crate::signal;
use lissome::io::Ending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Work is under way that keeps its results when it is asked to stop.
static WORKING: AtomicBool = AtomicBool::new(false);
/// Held while files are written.
static FILES: Mutex<()> = Mutex::new(());

/// Watches for signals, from now on, in a thread of its own. Must be called before any other thread is started.
#[cfg(unix)]
pub fn watch_interrupts() {
    use nix::sys::signal::{SigSet, Signal};
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    // Blocked everywhere, they wait for the thread that asks for them. Where that is refused, they just end the program.
    if signals.thread_block().is_err() {
        return;
    }
    std::thread::spawn(move || {
        while let Ok(signal) = signals.wait() {
            asked_to_stop(signal as u8);
        }
    });
}

/// Watches for Ctrl-C. Without a handler (an odd platform) it just ends the program.
#[cfg(not(unix))]
pub fn watch_interrupts() {
    let _ = ctrlc::set_handler(|| asked_to_stop(signal::CTRL_C));
}

/// The first request lets work that keeps results stop by itself; the second, or one in the absence of such work, ends the
/// program at once.
fn asked_to_stop(signal: u8) {
    let first = signal::note(signal);
    if first && WORKING.load(Ordering::SeqCst) {
        return;
    }
    end(Exit::Interrupted);
}

/// Ends the program, but not while files are written.
pub fn end(exit: Exit) -> ! {
    let _files = files();
    std::process::exit(i32::from(exit.number()))
}

/// Held while files are put in place: nothing ends the program then.
pub fn files() -> MutexGuard<'static, ()> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that work is under way, from now until the program ends, that keeps its results when it is asked to stop.
pub fn begin_work() {
    WORKING.store(true, Ordering::SeqCst);
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
        if signal::came() {
            return Some(Ending::Interrupted);
        }
        let seconds = self.limit.filter(|seconds| self.elapsed().as_secs_f64() > *seconds)?;
        Some(Ending::TimeLimit { seconds })
    }
}
