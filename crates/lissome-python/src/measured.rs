//! Numbers and shapes from measurements: `lissome fit` and `lissome observe`, with their folders.

use crate::faults;
use crate::scene::Scene;
use crate::watch::Watch;
use lissome::fit::{Fit as Fitting, FitOptions, loss_named};
use lissome::io::fit::{DataTable, FitAnswer, folder};
use lissome::io::observe::{MarkerTable, Noise, ObserveSummary, folder as files};
use lissome::io::{Diagnostic, Ending, LoadedScene};
use lissome::observe::{ObserveOptions, observe as look};
use lissome::solve::observe::Observation as Observed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// A table: a file, or a text with a name for messages.
#[derive(FromPyObject)]
pub enum Table {
    Text((String, String)),
    File(PathBuf),
}

fn as_json(found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(|one| one.to_json().to_string()).collect()
}

/// Numbers of a scene from measurements.
#[pyclass(frozen, module = "lissome._lissome")]
pub struct Fit {
    loaded: Arc<LoadedScene>,
    answer: FitAnswer,
    wall_seconds: f64,
}

/// Fits numbers of a scene to a table.
#[pyfunction]
#[pyo3(signature = (scene, table, free, noise, loss, max_rounds))]
pub fn fit(
    py: Python<'_>,
    scene: &Bound<'_, Scene>,
    table: Table,
    free: Vec<String>,
    noise: Vec<String>,
    loss: &str,
    max_rounds: usize,
) -> PyResult<Fit> {
    let loaded = scene.get().loaded.clone();
    let loss = loss_named(loss).ok_or_else(|| {
        PyValueError::new_err(format!(
            "loss is square, huber or cauchy, the last two perhaps with a width (huber=2), not {loss:?}"
        ))
    })?;
    let options = FitOptions { free, noise, loss, max_rounds };
    let mut watch = Watch::silent();
    let begun = Instant::now();
    let answer = py.detach(|| {
        let data = match table {
            Table::Text((name, text)) => DataTable::parse(&name, text).map_err(|one| vec![*one]),
            Table::File(path) => DataTable::load(&path),
        }?;
        Fitting::new(&loaded, &data, &options)?.run(&mut watch)
    });
    watch.result()?;
    let answer = answer.map_err(|diagnostics| faults::refused(py, &diagnostics))?;
    Ok(Fit { loaded, answer, wall_seconds: begun.elapsed().as_secs_f64() })
}

#[pymethods]
impl Fit {
    /// What `lissome fit --json` says, and the warnings.
    fn summary_json(&self) -> (String, Vec<String>) {
        let ending = Ending::Finished;
        (self.answer.to_json(ending).to_string(), as_json(&self.answer.warnings(ending)))
    }

    #[getter]
    fn succeeded(&self) -> bool {
        self.answer.succeeded()
    }

    /// `residuals.csv`.
    fn residuals(&self) -> String {
        folder::residuals_csv(&self.answer)
    }

    /// The scene with the numbers that were found, as a file.
    fn fitted(&self) -> &str {
        &self.answer.fitted_scene
    }

    /// Writes the folder.
    fn save(&self, py: Python<'_>, target: PathBuf) -> PyResult<Vec<&'static str>> {
        let write = || folder::write(&target, &self.loaded, &self.answer, Ending::Finished, self.wall_seconds);
        py.detach(write).map_err(|fault| faults::fault(py, fault))
    }
}

/// A robot as markers saw it.
#[pyclass(frozen, module = "lissome._lissome")]
pub struct Observation {
    loaded: Arc<LoadedScene>,
    observation: Observed,
    of: usize,
    text: String,
}

/// Finds the robot of a scene in a table of markers.
#[pyfunction]
#[pyo3(signature = (scene, table, unknown, noise, energy, keep_outliers))]
pub fn observe(
    py: Python<'_>,
    scene: &Bound<'_, Scene>,
    table: Table,
    unknown: Vec<String>,
    noise: Vec<String>,
    energy: Option<f64>,
    keep_outliers: bool,
) -> PyResult<Observation> {
    let loaded = scene.get().loaded.clone();
    if let Some(energy) = energy.filter(|energy| !(energy.is_finite() && *energy > 0.0)) {
        return Err(PyValueError::new_err(format!("energy is a positive number of joules, not {energy}")));
    }
    let options = ObserveOptions { unknown, energy, keep_outliers };
    let mut watch = Watch::silent();
    let found = py.detach(|| {
        let noise = Noise::read(&noise).map_err(|one| vec![*one])?;
        let (table, text) = match table {
            Table::Text((name, text)) => {
                (MarkerTable::parse(&name, text.clone(), &loaded.scene, &noise).map_err(|one| vec![*one])?, text)
            }
            Table::File(path) => {
                let table = MarkerTable::load(&path, &loaded.scene, &noise)?;
                // It was read a moment ago; where it is gone since, the folder has no copy of it.
                (table, std::fs::read_to_string(&path).unwrap_or_default())
            }
        };
        Ok((look(&loaded, &table, &options, &mut watch)?, table.frames.len(), text))
    });
    watch.result()?;
    let (observation, of, text) = found.map_err(|diagnostics: Vec<Diagnostic>| faults::refused(py, &diagnostics))?;
    Ok(Observation { loaded, observation, of, text })
}

impl Observation {
    fn summary(&self) -> ObserveSummary<'_> {
        let (scene, observation) = (&self.loaded.scene, &self.observation);
        ObserveSummary { scene, observation, of: self.of, ending: Ending::Finished }
    }
}

#[pymethods]
impl Observation {
    /// What `lissome observe --json` says, with the complaint and the warnings.
    fn summary_json(&self) -> (String, Vec<String>) {
        let summary = self.summary();
        let told: Vec<Diagnostic> = summary.complaint().into_iter().chain(summary.warnings()).collect();
        (summary.to_json().to_string(), as_json(&told))
    }

    #[getter]
    fn succeeded(&self) -> bool {
        self.observation.succeeded()
    }

    /// `shape.csv`.
    fn shape(&self, py: Python<'_>) -> String {
        py.detach(|| files::shape_csv(&self.observation))
    }

    /// `residuals.csv`.
    fn residuals(&self) -> String {
        files::residuals_csv(&self.observation)
    }

    /// `unknowns.csv`.
    fn unknowns(&self) -> String {
        files::unknowns_csv(&self.observation)
    }

    /// Writes the folder.
    fn save(&self, py: Python<'_>, target: PathBuf) -> PyResult<Vec<&'static str>> {
        let write = || files::write(&target, &self.loaded, &self.text, &self.summary());
        py.detach(write).map_err(|fault| faults::fault(py, fault))
    }
}
