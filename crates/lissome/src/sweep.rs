//! Solves the cases of a sweep on all cores, each alone and from nothing: rows depend neither on the number of threads nor on
//! their order.

use crate::observer::Progress;
use crate::{SimulateError, simulate};
use lissome_io::sweep::{Extremes, Row, Sweep, outputs};
use lissome_io::{Diagnostic, Ending, MotionSummary, Severity, Summary};
use lissome_solve::Answer;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Stack of a thread that solves, bytes.
const STACK: usize = 8 << 20;
/// How often the caller is asked whether to go on.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Solves one case. A case that is refused or has no answer is a row too; `None` only if `stop` said so meanwhile.
pub fn solve_case(sweep: &Sweep, case: usize, stop: &AtomicBool) -> Option<Row> {
    // A bug in one case is a row of its own, and not the end of all others.
    let solved = catch_unwind(AssertUnwindSafe(|| solve(sweep, case, stop)));
    match solved {
        Ok(row) => row,
        Err(_) => Some(sweep.row(case, &[], "bug", "")),
    }
}

fn solve(sweep: &Sweep, case: usize, stop: &AtomicBool) -> Option<Row> {
    let refused = |diagnostics: &[Diagnostic]| {
        let first = diagnostics.iter().find(|diagnostic| diagnostic.severity() == Severity::Error);
        Some(sweep.row(case, &[], "refused", first.map_or("", |diagnostic| diagnostic.fault.code())))
    };
    let loaded = match sweep.scene(case) {
        Ok(loaded) => loaded,
        Err(diagnostics) => return refused(&diagnostics),
    };
    let scene = &loaded.scene;
    let mut extremes = Extremes::default();
    let mut observer = |progress: &Progress<'_>| {
        if let Progress::Frame(state) = progress {
            extremes.see(scene, state.frame);
        }
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let answer = simulate::run(scene, &mut observer);
    if stop.load(Ordering::Relaxed) {
        // It may have been cut short; it is solved again by whoever goes on.
        return None;
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(SimulateError::Invalid(invalid)) => return refused(&[loaded.diagnose(&invalid)]),
    };
    let (status, complaint) = match (Summary::of(scene, &answer, Ending::Finished), &answer) {
        (Some(summary), _) => (summary.status(), summary.complaint()),
        (None, Answer::Dynamics(motion)) => {
            let summary = MotionSummary { scene, motion, ending: Ending::Finished, wall_seconds: 0.0 };
            (summary.status(), summary.complaint())
        }
        (None, _) => ("not_converged", None),
    };
    let code = complaint.as_ref().map_or("", |diagnostic| diagnostic.fault.code());
    Some(sweep.row(case, &outputs::values(scene, &answer, &extremes), status, code))
}

/// Solves cases on so many threads. `watch` is given each row as it comes, and `None` a hundred times a second, however fast
/// the rows come. Once it breaks, no case is begun any more and it is called no more; those under way are left to themselves
/// until they notice.
pub fn run(sweep: &Arc<Sweep>, cases: &[usize], threads: usize, watch: &mut dyn FnMut(Option<Row>) -> ControlFlow<()>) {
    let (send, rows) = channel();
    let shared = Arc::new(Shared { cases: cases.to_vec(), next: AtomicUsize::new(0), stop: AtomicBool::new(false) });
    for _ in 0..threads.min(cases.len()).max(1) {
        let (send, shared, sweep) = (send.clone(), shared.clone(), sweep.clone());
        let worker = move || {
            while let Some(case) = shared.cases.get(shared.next.fetch_add(1, Ordering::Relaxed)) {
                if shared.stop.load(Ordering::Relaxed) {
                    break;
                }
                let Some(row) = solve_case(&sweep, *case, &shared.stop) else { break };
                // Whoever waits for it may be gone.
                let _ = send.send(row);
            }
        };
        let started = std::thread::Builder::new().stack_size(STACK).spawn(worker);
        started.expect("the system starts a thread for each core");
    }
    drop(send);
    let mut looked = Instant::now();
    loop {
        let row = match rows.recv_timeout(LOOK_EVERY.saturating_sub(looked.elapsed())) {
            Err(RecvTimeoutError::Disconnected) => break,
            row => row.ok(),
        };
        let mut go_on = if row.is_some() { watch(row) } else { ControlFlow::Continue(()) };
        if go_on.is_continue() && looked.elapsed() >= LOOK_EVERY {
            looked = Instant::now();
            go_on = watch(None);
        }
        if go_on.is_break() {
            shared.stop.store(true, Ordering::Relaxed);
            break;
        }
    }
}

/// What the threads of a sweep have in common.
struct Shared {
    cases: Vec<usize>,
    next: AtomicUsize,
    stop: AtomicBool,
}
