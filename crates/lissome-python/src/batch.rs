//! Many equilibria or jobs at once on all cores. Each is found alone, from nothing, so that no number depends on the number of
//! threads or on the order in which they are done.

use crate::arrays;
use crate::equilibrium;
use crate::faults;
use crate::run::{self, Run};
use crate::scene::Scene;
use crate::watch::ASK_EVERY;
use lissome::Progress;
use lissome::io::{Diagnostic, Ending, LoadedScene, Summary};
use lissome::robot::{Judgement, solve, with_drives};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Stack of a thread that works, bytes: what the main thread has on most systems.
const STACK: usize = 8 << 20;

/// One equilibrium of a batch: its columns, how it ended, and the code of what is wrong with it.
struct Row {
    names: Arc<Vec<String>>,
    values: Vec<f64>,
    status: &'static str,
    code: String,
}

/// Lists of names that rows share, so that ten thousand rows do not hold them ten thousand times.
#[derive(Default)]
struct Headers(Mutex<Vec<Arc<Vec<String>>>>);

impl Headers {
    fn shared(&self, names: Vec<String>) -> Arc<Vec<String>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.iter().find(|own| ***own == names) {
            return same.clone();
        }
        let new = Arc::new(names);
        known.push(new.clone());
        new
    }
}

/// Does `one` for every index on a pool of threads, asks Python for Ctrl-C meanwhile, and shows it how many are done. The work
/// owns what it needs: whoever presses Ctrl-C does not wait until each thread has seen it.
fn on_all_cores<T: Send + 'static>(
    py: Python<'_>,
    count: usize,
    threads: usize,
    progress: Option<Py<PyAny>>,
    one: impl Fn(usize, &AtomicBool) -> T + Send + Sync + 'static,
) -> PyResult<Vec<T>> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let pool = pool.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let shared = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
    let (done, wait) = channel();
    let seen = shared.clone();
    let worker = std::thread::spawn(move || {
        let (stop, finished) = &*shared;
        let work = || {
            let each = (0..count).into_par_iter().map(|index| {
                let answer = (!stop.load(Ordering::Relaxed)).then(|| one(index, stop));
                finished.fetch_add(1, Ordering::Relaxed);
                answer
            });
            each.collect::<Vec<Option<T>>>()
        };
        let all = pool.install(work);
        // Whoever waits for it may be gone.
        let _ = done.send(());
        all
    });
    let all = py.detach(move || {
        let (stop, finished) = &*seen;
        while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(ASK_EVERY) {
            let asked = Python::attach(|py| {
                py.check_signals()?;
                let part = finished.load(Ordering::Relaxed) as f64 / count.max(1) as f64;
                progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (part,)).map(|_| ()))
            });
            if let Err(error) = asked {
                stop.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    Ok(all.into_iter().flatten().collect())
}

fn observer(stop: &AtomicBool) -> impl FnMut(&Progress<'_>) -> ControlFlow<()> + '_ {
    |_| if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn row(
    loaded: &LoadedScene,
    drives: &[(&str, f64)],
    headers: &Headers,
    stop: &AtomicBool,
) -> Result<Row, Box<Diagnostic>> {
    let held = with_drives(&loaded.scene, drives)?;
    let solved = match solve(&held, Judgement::Sign, &mut observer(stop)) {
        Ok(solved) => solved,
        Err(lissome::SimulateError::Invalid(invalid)) => {
            let (names, code) = (headers.shared(Vec::new()), loaded.diagnose(&invalid).fault.code().to_owned());
            return Ok(Row { names, values: Vec::new(), status: "refused", code });
        }
    };
    let summary = Summary::of_equilibrium(&held, &solved.equilibrium, Ending::Finished);
    let code = summary.complaint().map_or(String::new(), |found| found.fault.code().to_owned());
    let (names, values) = equilibrium::row(&held, &solved.equilibrium).into_iter().unzip();
    Ok(Row { names: headers.shared(names), values, status: summary.status(), code })
}

/// Names of the columns, all numbers row by row, and of each row its status and code.
type Batch<'py> = (Vec<String>, Bound<'py, PyByteArray>, Vec<&'static str>, Vec<String>);

/// Equilibria of one scene for many values of its drives, `values` row by row; columns of `path.csv`.
#[pyfunction]
#[pyo3(signature = (scene, names, values, threads, progress=None))]
pub fn solve_batch<'py>(
    py: Python<'py>,
    scene: &Scene,
    names: Vec<String>,
    values: &[u8],
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Batch<'py>> {
    let values = arrays::numbers(values)?;
    let width = names.len();
    if width == 0 || !values.len().is_multiple_of(width) {
        return Err(PyValueError::new_err("a row of the values must have one for each drive"));
    }
    let model = &scene.loaded.scene;
    // Every value is checked before any work is done.
    for drives in values.chunks(width) {
        let drives: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(drives.iter().copied()).collect();
        with_drives(model, &drives).map_err(|one| faults::refused(py, &[*one]))?;
    }
    let (headers, loaded) = (Headers::default(), scene.loaded.clone());
    let rows = on_all_cores(py, values.len() / width, threads, progress, move |index, stop| {
        let own = &values[index * width..(index + 1) * width];
        let drives: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(own.iter().copied()).collect();
        row(&loaded, &drives, &headers, stop)
    })?;
    let rows = rows.into_iter().collect::<Result<Vec<Row>, Box<Diagnostic>>>();
    let rows = rows.map_err(|one| faults::refused(py, &[*one]))?;
    let widest = rows.iter().map(|row| &row.names).max_by_key(|names| names.len());
    let columns: Vec<String> = widest.map_or(Vec::new(), |names| names.to_vec());
    let mut numbers = Vec::with_capacity(rows.len() * columns.len());
    for row in &rows {
        // A search that failed early has fewer columns, in the same order.
        let mut own = row.names.iter().zip(&row.values).peekable();
        numbers.extend(columns.iter().map(|name| match own.next_if(|(known, _)| *known == name) {
            Some((_, value)) => *value,
            None => f64::NAN,
        }));
    }
    let status = rows.iter().map(|row| row.status).collect();
    let codes = rows.into_iter().map(|row| row.code).collect();
    Ok((columns, arrays::bytes(py, &numbers), status, codes))
}

/// The jobs of many scenes.
#[pyfunction]
#[pyo3(signature = (scenes, threads, progress=None))]
pub fn run_batch(
    py: Python<'_>,
    scenes: Vec<PyRef<'_, Scene>>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Run>> {
    let loaded: Vec<_> = scenes.iter().map(|scene| scene.loaded.clone()).collect();
    let runs = on_all_cores(py, loaded.len(), threads, progress, move |index, stop| {
        run::done(&loaded[index], &mut observer(stop))
    })?;
    runs.into_iter().map(|run| run.map_err(|diagnostics| faults::refused(py, &diagnostics))).collect()
}
