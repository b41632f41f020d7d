//! Writes a motion to its folder while it runs.

use crate::interrupt;
use lissome::io::run_folder::motion::{Disk, MotionWriter, Resumption};
use lissome::io::run_folder::{RunFacts, npz};
use lissome::io::{Fault, LoadedScene, MotionSummary};
use lissome::solve::{MotionEffort, MotionEvent, MotionRecord};
use lissome::{OutputState, Snapshot};
use std::path::Path;
use std::time::{Duration, Instant};

/// A checkpoint is written at least this often, if there is a new state, so that a kill costs no more.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);

/// Takes the frames of a motion. The folder is made with the first.
pub struct MotionRecorder<'a> {
    loaded: &'a LoadedScene,
    out: &'a Path,
    facts: RunFacts,
    writer: Option<MotionWriter<'a>>,
    /// What follows the last frame that was taken.
    latest: Vec<npz::Array>,
    /// Events since then. They count once the next frame is there: a run that goes on computes them again.
    events: Vec<MotionEvent>,
    /// When the last checkpoint was written; the first state has one.
    saved: Option<Instant>,
    /// Time of the last frame, s.
    reached: Option<f64>,
}

impl<'a> MotionRecorder<'a> {
    /// For a motion that begins.
    pub fn new(loaded: &'a LoadedScene, out: &'a Path, facts: RunFacts) -> Self {
        let (latest, events) = (Vec::new(), Vec::new());
        Self { loaded, out, facts, writer: None, latest, events, saved: None, reached: None }
    }

    /// For a motion that goes on.
    pub fn resume(resumption: &'a Resumption, out: &'a Path, facts: RunFacts) -> Result<Self, Fault> {
        let Resumption { loaded, snapshot, written, record } = resumption;
        let disk = Disk::default();
        let writer = MotionWriter::reopen(
            out,
            loaded,
            facts.clone(),
            disk,
            written.clone(),
            (record.reached(), last_effort(record)),
        )?;
        Ok(Self {
            writer: Some(writer),
            latest: arrays(snapshot),
            reached: Some(record.reached()),
            ..Self::new(loaded, out, facts)
        })
    }

    /// Takes an event.
    pub fn event(&mut self, event: &MotionEvent) {
        self.events.push(event.clone());
    }

    /// Takes a frame, and writes a checkpoint if the part is full or the last one is old.
    pub fn frame(&mut self, state: &OutputState<'_>) -> Result<(), Fault> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => {
                let writer = MotionWriter::create(self.out, self.loaded, self.facts.clone(), Disk::default())?;
                self.writer.insert(writer)
            }
        };
        self.events.drain(..).for_each(|event| writer.motion_event(&event));
        writer.effort_events(state.frame);
        self.reached = Some(state.frame.time);
        let full = writer.push(state.frame);
        self.latest = arrays(&state.snapshot());
        let _undisturbed = interrupt::files();
        if full || self.saved.is_none_or(|saved| saved.elapsed() > CHECKPOINT_EVERY) {
            writer.checkpoint(&self.latest)?;
            self.saved = Some(Instant::now());
        }
        Ok(())
    }

    /// Writes what is left, without a report, for a program that ends while the motion is still computed. Returns the time
    /// of the last frame, s; `None` if there was none.
    pub fn leave(&mut self, status: &str, wall_seconds: f64) -> Result<Option<f64>, Fault> {
        let Some(writer) = &mut self.writer else { return Ok(None) };
        let _undisturbed = interrupt::files();
        writer.leave(&self.latest, status, wall_seconds)?;
        Ok(self.reached)
    }

    /// Writes what is left, report and manifest. Returns the names of the files; none if there was no frame.
    pub fn finish(self, summary: &MotionSummary<'_>) -> Result<Vec<String>, Fault> {
        let Some(writer) = self.writer else { return Ok(Vec::new()) };
        writer.finish(summary, &self.latest)
    }
}

fn last_effort(record: &MotionRecord) -> MotionEffort {
    record.last.as_ref().map_or(MotionEffort::default(), |frame| frame.effort)
}

fn arrays(snapshot: &Snapshot) -> Vec<npz::Array> {
    let lists = snapshot.lists.iter();
    lists
        .map(|(name, values)| npz::Array { name: name.clone(), shape: vec![values.len()], values: values.clone() })
        .collect()
}
