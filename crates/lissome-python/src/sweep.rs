//! Sweeps: the plan and its folder in Rust, so that Python writes the same bytes as the program.

use crate::faults;
use crate::scene::Scene;
use lissome::io::Diagnostic;
use lissome::io::sweep::{CasesTable, Plan, Row, Sweep as Checked, SweepFolder};
use lissome::sweep;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Rows are written this often.
const WRITE_EVERY: Duration = Duration::from_secs(2);

/// A sweep that was checked.
#[pyclass(frozen, module = "lissome._lissome")]
pub struct Sweep {
    checked: Arc<Checked>,
}

/// The folder of a sweep.
#[pyclass(frozen, module = "lissome._lissome")]
pub struct Folder {
    checked: Arc<Checked>,
    folder: Mutex<SweepFolder>,
}

fn refuse(diagnostics: Vec<Diagnostic>) -> PyErr {
    Python::attach(|py| faults::refused(py, &diagnostics))
}

#[pymethods]
impl Sweep {
    /// Over every combination of axes, such as `rod.arm.length=200..400 mm:21`.
    #[staticmethod]
    fn grid(scene: &Scene, axes: Vec<String>, outputs: Vec<String>) -> PyResult<Self> {
        let axes: Vec<(usize, String)> = axes.into_iter().enumerate().collect();
        Self::new(scene, Plan::grid(&axes, Checked::columns_of(&scene.loaded)), &outputs)
    }

    /// Over a Latin hypercube of ranges, such as `rod.arm.length=200..400 mm`.
    #[staticmethod]
    fn latin(scene: &Scene, axes: Vec<String>, samples: usize, seed: u64, outputs: Vec<String>) -> PyResult<Self> {
        let axes: Vec<(usize, String)> = axes.into_iter().enumerate().collect();
        Self::new(scene, Plan::latin(&axes, samples, seed, Checked::columns_of(&scene.loaded)), &outputs)
    }

    /// Over cases: one value a path, as it stands after `path=`.
    #[staticmethod]
    fn cases(scene: &Scene, paths: Vec<String>, rows: Vec<Vec<String>>, outputs: Vec<String>) -> PyResult<Self> {
        if rows.is_empty() || rows.iter().any(|row| row.len() != paths.len()) {
            return Err(PyValueError::new_err("every path needs a value in every case, and there must be a case"));
        }
        let table = CasesTable::new(paths, rows);
        Self::new(scene, Plan::table(table, Checked::columns_of(&scene.loaded)), &outputs)
    }

    /// Over the cases of a file.
    #[staticmethod]
    fn file(scene: &Scene, path: PathBuf, outputs: Vec<String>) -> PyResult<Self> {
        let table = CasesTable::load(&path).map_err(refuse)?;
        Self::new(scene, Plan::table(table, Checked::columns_of(&scene.loaded)), &outputs)
    }

    /// Over the cases that the scene brings along.
    #[staticmethod]
    fn own(scene: &Scene, outputs: Vec<String>) -> PyResult<Self> {
        let columns = Checked::columns_of(&scene.loaded);
        let plan = match scene.loaded.cases().map_err(refuse)? {
            Some(table) => Plan::table(table, columns),
            None => Plan::grid(&[], columns),
        };
        Self::new(scene, plan, &outputs)
    }

    /// Back from [`Self::texts`], on another machine.
    #[staticmethod]
    fn of_texts(scene: String, plan: &str) -> PyResult<Self> {
        let checked = Checked::from_texts("scene.toml", scene, plan).map_err(refuse)?;
        let checked = checked.ok_or_else(|| PyValueError::new_err("this is no plan of a sweep"))?;
        Ok(Self { checked: Arc::new(checked) })
    }

    /// Scene and plan as texts.
    fn texts(&self) -> (String, String) {
        (self.checked.text.clone(), self.checked.plan_text())
    }

    fn __len__(&self) -> usize {
        self.checked.plan.len()
    }

    /// Rows of cases, in their order: number and line of the table. Each is solved alone.
    fn solve(&self, py: Python<'_>, cases: Vec<usize>, threads: usize) -> PyResult<Vec<(usize, String)>> {
        if cases.iter().any(|case| *case >= self.checked.plan.len()) {
            return Err(PyValueError::new_err("a case of that number is not in the plan"));
        }
        let mut rows = Vec::with_capacity(cases.len());
        watched(py, &self.checked, &cases, threads, &mut |row| {
            rows.extend(row.map(|row| (row.case, row.line)));
            Ok(())
        })?;
        rows.sort_unstable();
        Ok(rows)
    }

    /// Makes the folder.
    fn create(&self, path: PathBuf) -> PyResult<Folder> {
        let folder = SweepFolder::create(&path, &self.checked).map_err(|fault| refuse(vec![Diagnostic::new(fault)]))?;
        Ok(Folder { checked: self.checked.clone(), folder: Mutex::new(folder) })
    }
}

impl Sweep {
    fn new(scene: &Scene, plan: Result<Plan, Vec<Diagnostic>>, outputs: &[String]) -> PyResult<Self> {
        let plan = plan.map_err(refuse)?;
        let checked = Checked::new((*scene.loaded).clone(), plan, &[], outputs).map_err(refuse)?;
        Ok(Self { checked: Arc::new(checked) })
    }
}

/// Opens the folder of a sweep that was begun.
#[pyfunction]
pub fn open_sweep(path: PathBuf) -> PyResult<(Sweep, Folder)> {
    let (folder, checked) = SweepFolder::open(&path).map_err(refuse)?;
    let checked = Arc::new(checked);
    Ok((Sweep { checked: checked.clone() }, Folder { checked, folder: Mutex::new(folder) }))
}

#[pymethods]
impl Folder {
    /// Numbers of the cases without a row.
    fn missing(&self) -> Vec<usize> {
        self.lock().missing()
    }

    /// Takes rows that were solved elsewhere, and writes them.
    fn add(&self, rows: Vec<(usize, String)>) -> PyResult<()> {
        let mut folder = self.lock();
        rows.into_iter().for_each(|(case, line)| folder.add(Row { case, line }));
        self.write(&mut folder)
    }

    /// Solves what is missing on so many threads; `progress(part)` is called now and then. Ctrl-C keeps the rows found.
    #[pyo3(signature = (threads, progress=None))]
    fn run(&self, py: Python<'_>, threads: usize, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let (missing, mut written) = (self.missing(), Instant::now());
        let of = self.checked.plan.len().max(1) as f64;
        let worked = watched(py, &self.checked, &missing, threads, &mut |row| {
            let mut folder = self.lock();
            if let Some(row) = row {
                folder.add(row);
            } else if let Some(progress) = &progress {
                let part = folder.done() as f64 / of;
                Python::attach(|py| progress.call1(py, (part,)).map(|_| ()))?;
            }
            if written.elapsed() < WRITE_EVERY {
                return Ok(());
            }
            written = Instant::now();
            self.write(&mut folder)
        });
        self.write(&mut self.lock())?;
        worked
    }

    /// Makes the table.
    fn finish(&self) -> PyResult<()> {
        let finished = self.lock().finish(&self.checked);
        finished.map(|_| ()).map_err(|fault| refuse(vec![Diagnostic::new(fault)]))
    }
}

impl Folder {
    fn lock(&self) -> std::sync::MutexGuard<'_, SweepFolder> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, folder: &mut SweepFolder) -> PyResult<()> {
        folder.flush(&self.checked).map_err(|fault| refuse(vec![Diagnostic::new(fault)]))
    }
}

/// Solves cases without Python's lock; `each` sees rows, and `None` now and then, when Python is asked for Ctrl-C.
fn watched(
    py: Python<'_>,
    checked: &Arc<Checked>,
    cases: &[usize],
    threads: usize,
    each: &mut (dyn FnMut(Option<Row>) -> PyResult<()> + Send),
) -> PyResult<()> {
    let mut asked = Ok(());
    py.detach(|| {
        sweep::run(checked, cases, threads, &mut |row| {
            let now_and_then = row.is_none();
            let seen = each(row);
            if asked.is_ok() {
                asked = seen;
            }
            if asked.is_ok() && now_and_then {
                asked = Python::attach(|py| py.check_signals());
            }
            if asked.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    });
    asked
}
