//! What is seen of the work while it goes on, and how to stop it.

use lissome_solve::dynamics::Snapshot;
use lissome_solve::observe::Observation;
use lissome_solve::{Iteration, MotionEvent, MotionFrame, PathSample};
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

/// Sees everything that happens during a job, in order. What it saw stays valid if it stops the work.
pub trait Observer {
    /// Sees one thing; `ControlFlow::Break(())` stops the work.
    fn see(&mut self, progress: &Progress<'_>) -> ControlFlow<()>;
}

impl<F: FnMut(&Progress<'_>) -> ControlFlow<()>> Observer for F {
    fn see(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self(progress)
    }
}

/// The observer for work that nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn see(&mut self, _: &Progress<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// One thing that happened.
#[derive(Clone, Copy)]
pub enum Progress<'p> {
    /// A Newton iteration of a search for an equilibrium.
    Iteration(&'p Iteration),
    /// A sample of a path.
    Sample {
        /// Its number, from 0.
        index: usize,
        /// How many were asked for; 0 where a path by its length has as many as it takes.
        of: usize,
        /// The sample.
        sample: &'p PathSample,
    },
    /// A step of a motion was taken.
    Step {
        /// Its end, s.
        time: f64,
    },
    /// Something happened in a motion.
    Event(&'p MotionEvent),
    /// A motion reached an output time, or its last good state if it cannot go on.
    Frame(&'p OutputState<'p>),
    /// A frame of markers was looked at: the last of these.
    Observed(&'p Observation),
}

/// A motion at an output time.
pub struct OutputState<'p> {
    /// The numbers to record.
    pub frame: &'p MotionFrame,
    /// Taken where the run last paused.
    pub(crate) last_pause: &'p Snapshot,
}

impl OutputState<'_> {
    /// Everything that what follows depends on; [`crate::resume`] goes on from it to the bit.
    pub fn snapshot(&self) -> Snapshot {
        self.last_pause.reaching(self.frame.time)
    }
}

/// An observer that several closures of a solver share. It remembers that it was asked to stop.
pub(crate) struct Watch<'a> {
    observer: RefCell<&'a mut dyn Observer>,
    stopped: Cell<bool>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(observer: &'a mut dyn Observer) -> Self {
        Self { observer: RefCell::new(observer), stopped: Cell::new(false) }
    }

    /// Shows something; false once the observer has asked to stop.
    pub(crate) fn show(&self, progress: &Progress<'_>) -> bool {
        if self.observer.borrow_mut().see(progress).is_break() {
            self.stopped.set(true);
        }
        !self.stopped.get()
    }

    /// Shows a Newton iteration.
    pub(crate) fn iteration(&self, iteration: &Iteration) -> bool {
        self.show(&Progress::Iteration(iteration))
    }

    /// True once the observer has asked to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped.get()
    }
}
