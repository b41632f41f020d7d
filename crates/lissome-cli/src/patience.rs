//! Work that is asked to stop has a moment to do so by itself, and is left where it is if it does not.

use crate::console::{OutputMode, complain, say_json};
use crate::exit::Exit;
use crate::interrupt::{self, Clock};
use lissome::io::{Diagnostic, Ending, Fault};
use serde_json::json;
use std::convert::Infallible;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time that work has to notice that it should stop, by the clock of the processor: on a busy machine it comes later to it.
const GRACE: Duration = Duration::from_millis(100);
/// However busy the machine is, it has no longer than this.
const LONGEST_GRACE: Duration = Duration::from_millis(900);
/// How often it is looked whether work that should stop does.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Stack of the thread that works, bytes: what the main thread has on most systems.
const STACK: usize = 8 << 20;

/// Begun when work was first asked to stop: whatever it does after that shares the moment that it has.
static PATIENCE: OnceLock<Patience> = OnceLock::new();

/// Does work that keeps its results in a thread of its own. If it does not stop when it should, `leave` writes what there is and
/// ends the program.
pub fn patiently<T: Send>(clock: Clock, leave: impl Fn(Ending) -> Infallible, work: impl FnOnce() -> T + Send) -> T {
    interrupt::begin_work();
    std::thread::scope(|scope| {
        let (done, finished) = channel();
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
            let answer = work();
            // Whoever waits for it may be gone.
            let _ = done.send(());
            answer
        });
        let worker = worker.expect("the system starts one thread");
        while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(LOOK_EVERY) {
            let Some(ending) = clock.stop_reason() else { continue };
            if PATIENCE.get_or_init(Patience::begin).is_over() {
                leave(ending);
            }
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Ends the program in the middle of something that cannot be cut short; nothing is written.
pub fn cut_short(ending: Ending, clock: Clock, mode: OutputMode) -> Infallible {
    let (exit, status) = match ending {
        Ending::TimeLimit { .. } => (Exit::Limit, "limit"),
        _ => (Exit::Interrupted, "interrupted"),
    };
    let diagnostic = Diagnostic::new(Fault::CutShort { seconds: clock.elapsed().as_secs_f64() });
    if mode == OutputMode::Json {
        say_json(&json!({ "status": status, "errors": [diagnostic.to_json()], "warnings": [] }));
    } else {
        complain(diagnostic.to_string().trim_end());
    }
    interrupt::end(exit)
}

/// The time since work was asked to stop.
struct Patience {
    asked: Instant,
    worked: Option<Duration>,
}

impl Patience {
    /// From now on.
    fn begin() -> Self {
        Self { asked: Instant::now(), worked: processor_time() }
    }

    /// True if the work had the time to notice.
    fn is_over(&self) -> bool {
        let since = self.asked.elapsed();
        let worked = processor_time().zip(self.worked).map_or(since, |(now, then)| now.saturating_sub(then));
        since > GRACE && (worked > GRACE || since > LONGEST_GRACE)
    }
}

/// Time that all threads of the program have worked; `None` where the system does not say.
#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).ok().map(Duration::from)
}

/// Time that all threads of the program have worked; `None` where the system does not say.
#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}
