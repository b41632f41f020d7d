//! What is looked at while Rust works without Python's lock: Ctrl-C, and a callback that shows progress.
//!
//! Python tells of Ctrl-C to its main thread alone, and only when asked. It is asked every 20 ms, which costs less than a
//! thousandth of the time.

use lissome::{Observer, Progress};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How often Python is asked.
pub const ASK_EVERY: Duration = Duration::from_millis(20);

/// Asks Python whether to stop, and shows it how far the work is.
pub struct Watch {
    asked: Instant,
    progress: Option<Py<PyAny>>,
    /// Where a motion ends, s.
    end: f64,
    done: f64,
    error: Option<PyErr>,
}

impl Watch {
    /// For work that may show its progress: `progress(part, text)`.
    pub fn new(progress: Option<Py<PyAny>>, end: f64) -> Self {
        Self { asked: Instant::now(), progress, end, done: 0.0, error: None }
    }

    /// For work that shows nothing.
    pub fn silent() -> Self {
        Self::new(None, 0.0)
    }

    /// What Python answered, if it was not to go on.
    pub fn result(self) -> PyResult<()> {
        self.error.map_or(Ok(()), Err)
    }

    fn ask(&mut self) -> ControlFlow<()> {
        let asked = Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(progress) => progress.call1(py, (self.done,)).map(|_| ()),
                None => Ok(()),
            }
        });
        match asked {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl Observer for Watch {
    fn see(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        match progress {
            Progress::Sample { index, of, .. } if *of > 0 => self.done = (*index + 1) as f64 / *of as f64,
            Progress::Step { time } if self.end > 0.0 => self.done = time / self.end,
            _ => {}
        }
        if self.error.is_some() {
            return ControlFlow::Break(());
        }
        if self.asked.elapsed() < ASK_EVERY {
            return ControlFlow::Continue(());
        }
        self.asked = Instant::now();
        self.ask()
    }
}
