//! The job of a scene, done as the program does it, and its run folder.

use crate::arrays::{self, Named};
use crate::faults;
use crate::watch::Watch;
use lissome::io::report::view;
use lissome::io::run_folder::motion::columns::Columns;
use lissome::io::run_folder::motion::{self, Disk, MotionWriter};
use lissome::io::run_folder::{self, RunFacts, npz, path, robot, table};
use lissome::io::{Diagnostic, Ending, Fault, LoadedScene, MotionSummary, Summary};
use lissome::solve::{MotionEvent, MotionFrame};
use lissome::{Answer, Observer, Progress, Snapshot};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// What came of a job.
#[pyclass(frozen, module = "lissome._lissome")]
pub struct Run {
    loaded: Arc<LoadedScene>,
    /// Of an optimisation the scene with the numbers that it found; else the same.
    found: Arc<LoadedScene>,
    answer: Answer,
    seen: Frames,
    wall_seconds: f64,
}

/// Every frame of a motion, with the events before it, and what follows the last.
#[derive(Default)]
struct Frames {
    frames: Vec<(MotionFrame, Vec<MotionEvent>)>,
    events: Vec<MotionEvent>,
    last: Option<Snapshot>,
}

/// Keeps the frames of a motion and lets another look at everything.
struct Keeper<'a, O> {
    seen: Frames,
    other: &'a mut O,
}

impl<O: Observer> Observer for Keeper<'_, O> {
    fn see(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        match progress {
            Progress::Event(event) => self.seen.events.push((*event).clone()),
            Progress::Frame(state) => {
                let events = std::mem::take(&mut self.seen.events);
                self.seen.frames.push((state.frame.clone(), events));
                self.seen.last = Some(state.snapshot());
            }
            _ => {}
        }
        self.other.see(progress)
    }
}

/// Does the job of a scene, seen by an observer.
pub fn done<O: Observer>(loaded: &Arc<LoadedScene>, observer: &mut O) -> Result<Run, Vec<Diagnostic>> {
    let begin = Instant::now();
    let mut keeper = Keeper { seen: Frames::default(), other: observer };
    let answer = lissome::run_file(loaded, &mut keeper)?;
    let wall_seconds = begin.elapsed().as_secs_f64();
    let found = match loaded.at_optimum(answer.equilibrium()) {
        Cow::Borrowed(_) => loaded.clone(),
        Cow::Owned(found) => Arc::new(found),
    };
    Ok(Run { loaded: loaded.clone(), found, answer, seen: keeper.seen, wall_seconds })
}

impl Run {
    /// Does the job of a scene.
    pub fn of(py: Python<'_>, loaded: &Arc<LoadedScene>, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        let mut watch = Watch::new(progress, loaded.scene.job.end());
        let run = py.detach(|| done(loaded, &mut watch));
        watch.result()?;
        run.map_err(|diagnostics| faults::refused(py, &diagnostics))
    }

    fn summary(&self) -> Option<Summary<'_>> {
        Summary::of(&self.found.scene, &self.answer, Ending::Finished)
    }

    fn motion(&self) -> Option<MotionSummary<'_>> {
        let Answer::Dynamics(motion) = &self.answer else { return None };
        let (scene, wall_seconds) = (&self.loaded.scene, self.wall_seconds);
        Some(MotionSummary { scene, motion, ending: Ending::Finished, wall_seconds })
    }

    fn all_arrays(&self) -> Vec<npz::Array> {
        let scene = &self.found.scene;
        match (&self.answer, self.answer.equilibrium()) {
            (Answer::Dynamics(_), _) => {
                let mut columns = Columns::default();
                self.seen.frames.iter().for_each(|(frame, _)| columns.push(scene, frame));
                columns.arrays().to_vec()
            }
            (Answer::Path(found), _) => path::arrays(scene, &found.samples),
            (_, Some(equilibrium)) => {
                let mut all = table::arrays(equilibrium);
                all.extend(robot::arrays(scene, equilibrium));
                all
            }
            (_, None) => Vec::new(),
        }
    }

    fn write(&self, folder: &std::path::Path, facts: RunFacts) -> Result<Vec<String>, Fault> {
        if let Some(summary) = self.summary() {
            return run_folder::write(folder, &self.loaded, &summary, &facts);
        }
        let Some(summary) = self.motion() else { return Ok(Vec::new()) };
        let lists = self.seen.last.iter().flat_map(|snapshot| &snapshot.lists);
        let last: Vec<npz::Array> = lists
            .map(|(name, values)| npz::Array { name: name.clone(), shape: vec![values.len()], values: values.clone() })
            .collect();
        let mut writer = MotionWriter::create(folder, &self.loaded, facts, Disk::default())?;
        for (frame, events) in &self.seen.frames {
            events.iter().for_each(|event| writer.motion_event(event));
            writer.effort_events(frame);
            if writer.push(frame) {
                writer.checkpoint(&last)?;
            }
        }
        writer.finish(&summary, &last)
    }
}

#[pymethods]
impl Run {
    /// The arrays of `samples.npz`, `path.npz` or of the parts of a motion, joined.
    fn arrays<'py>(&self, py: Python<'py>) -> Vec<Named<'py>> {
        arrays::named(py, &py.detach(|| self.all_arrays()))
    }

    /// Every file of the run folder but that of a motion, by its name.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let Some(summary) = self.summary() else { return Ok(Vec::new()) };
        let files = py.detach(|| run_folder::contents(&self.loaded, &summary, &RunFacts::default()));
        let files = files.map_err(|fault| faults::fault(py, fault))?;
        Ok(files.into_iter().map(|(name, bytes)| (name.to_owned(), PyBytes::new(py, &bytes))).collect())
    }

    /// What `lissome run --json` says, with the complaint and the warnings.
    fn summary_json(&self) -> (String, Option<(String, String)>, Vec<String>) {
        let told = |found: Diagnostic| (found.to_json().to_string(), found.to_string());
        let list = |found: Vec<Diagnostic>| found.iter().map(|one| one.to_json().to_string()).collect();
        match (self.summary(), self.motion()) {
            (Some(own), _) => (own.to_json().to_string(), own.complaint().map(told), list(own.warnings())),
            (None, Some(own)) => (own.to_json().to_string(), own.complaint().map(told), list(own.warnings())),
            (None, None) => (String::from("{}"), None, Vec::new()),
        }
    }

    #[getter]
    fn status(&self) -> &'static str {
        match (self.summary(), self.motion()) {
            (Some(summary), _) => summary.status(),
            (None, Some(motion)) => motion.status(),
            (None, None) => "",
        }
    }

    #[getter]
    fn succeeded(&self) -> bool {
        self.answer.succeeded()
    }

    #[getter]
    fn wall_seconds(&self) -> f64 {
        self.wall_seconds
    }

    /// A picture of the last equilibrium, SVG.
    fn svg(&self) -> Option<String> {
        let plane = view::planes(&self.found.scene).first()?;
        Some(view::draw(&self.summary()?, *plane).standalone())
    }

    /// Writes the run folder.
    fn save(&self, py: Python<'_>, folder: PathBuf, overrides: Vec<String>) -> PyResult<Vec<String>> {
        let facts = RunFacts { overrides, wall_seconds: self.wall_seconds, ..RunFacts::default() };
        py.detach(|| self.write(&folder, facts)).map_err(|fault| faults::fault(py, fault))
    }
}

/// Refuses a folder that is no run as lissome wrote it; true if it is one of a motion.
#[pyfunction]
pub fn check_run(py: Python<'_>, folder: PathBuf) -> PyResult<bool> {
    let checked = py.detach(|| match motion::is_motion(&folder) {
        true => motion::read(&folder).map(|_| true),
        false => run_folder::read(&folder).map(|_| false),
    });
    checked.map_err(|diagnostics| faults::refused(py, &diagnostics))
}
