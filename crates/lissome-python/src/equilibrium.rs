//! An equilibrium and what can be asked of it.

use crate::arrays::{self, Named};
use crate::faults;
use crate::scene::Scene;
use lissome::derivatives::Source;
use lissome::io::report::view;
use lissome::io::run_folder::{self, RunFacts, path, robot, table};
use lissome::io::{Ending, LoadedScene, Summary, columns};
use lissome::model;
use lissome::robot::Solved;
use lissome::solve::PathSample;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Fields of `samples.csv`, each with its columns.
#[pyfunction]
pub fn sample_fields() -> Vec<(&'static str, Vec<String>)> {
    columns::SAMPLE.iter().map(|field| (*field, columns::columns("", field).collect())).collect()
}

/// Columns of a row of `path.csv` that tell of the path, not of the equilibrium.
const OF_THE_PATH: usize = 4;

/// An equilibrium, or how far the search for it came.
#[pyclass(frozen, module = "lissome._lissome")]
pub struct Equilibrium {
    solved: Solved,
    /// The numbers in full, once they are asked for.
    told: OnceLock<lissome::solve::Equilibrium>,
    /// The scene it was solved from, and the drives that were held.
    loaded: Arc<LoadedScene>,
    drives: Vec<(String, f64)>,
}

/// The columns of `path.csv` of one equilibrium.
pub fn row(scene: &model::Scene, equilibrium: &lissome::solve::Equilibrium) -> Vec<(String, f64)> {
    let drives = scene.drives.iter().map(|drive| drive.signal.at(0.0)).collect();
    let equilibrium = equilibrium.clone();
    let sample = PathSample { at: 0.0, drives, branch: 0, arc: 0.0, sought: None, friction: None, equilibrium };
    path::row(scene, 0, &sample).split_off(OF_THE_PATH)
}

impl Equilibrium {
    /// Of what was solved.
    pub fn of(solved: Solved, loaded: Arc<LoadedScene>, drives: Vec<(String, f64)>) -> Self {
        Self { solved, told: OnceLock::new(), loaded, drives }
    }

    fn summary(&self) -> Summary<'_> {
        Summary::of_equilibrium(&self.solved.scene, &self.solved.equilibrium, Ending::Finished)
    }

    fn told(&self) -> &lissome::solve::Equilibrium {
        self.told.get_or_init(|| self.solved.in_full())
    }

    fn summary_in_full(&self) -> Summary<'_> {
        Summary::of_equilibrium(&self.solved.scene, self.told(), Ending::Finished)
    }
}

#[pymethods]
impl Equilibrium {
    /// The arrays of `samples.npz`.
    fn arrays<'py>(&self, py: Python<'py>) -> Vec<Named<'py>> {
        let told = py.detach(|| self.told());
        let mut all = table::arrays(told);
        all.extend(robot::arrays(&self.solved.scene, told));
        arrays::named(py, &all)
    }

    /// The columns of `path.csv`.
    fn columns(&self) -> Vec<(String, f64)> {
        row(&self.solved.scene, &self.solved.equilibrium)
    }

    /// What `lissome run --json` says, with the complaint and the warnings.
    fn summary_json(&self) -> (String, Option<(String, String)>, Vec<String>) {
        let summary = self.summary_in_full();
        let complaint = summary.complaint().map(|found| (found.to_json().to_string(), found.to_string()));
        let warnings = summary.warnings().iter().map(|found| found.to_json().to_string()).collect();
        (summary.to_json().to_string(), complaint, warnings)
    }

    #[getter]
    fn status(&self) -> &'static str {
        self.summary().status()
    }

    #[getter]
    fn stable(&self) -> Option<bool> {
        self.solved.equilibrium.is_stable()
    }

    /// The smallest eigenvalue of the stiffness, computed when it is asked for.
    fn smallest_eigenvalue(&self, py: Python<'_>) -> Option<f64> {
        py.detach(|| self.solved.stability()).map(|stability| stability.smallest_eigenvalue)
    }

    /// How outputs change with numbers of the scene, row by row, and how many columns there are; `None` where that is not known.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        of: Vec<String>,
        by: Vec<String>,
    ) -> PyResult<Option<(Bound<'py, PyByteArray>, usize)>> {
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        let drives: Vec<(&str, f64)> = self.drives.iter().map(|(path, value)| (path.as_str(), *value)).collect();
        let source = Source { drives: &drives, ..Source::of(&self.loaded) };
        let found = py.detach(|| match self.solved.jacobian(&of, &by) {
            // Poses by drives need no differences.
            Ok(found) => Ok(found),
            Err(_) => self.solved.derivatives(source, &of, &by).map(|found| Some(found.values)),
        });
        let found = found.map_err(|one| faults::refused(py, &[*one]))?;
        Ok(found.map(|matrix| (arrays::bytes(py, matrix.transpose().as_slice()), matrix.ncols())))
    }

    /// Derivatives of a weighted sum of outputs by numbers, each with its path.
    fn vjp(&self, py: Python<'_>, of: Vec<String>, weights: Vec<f64>, by: Vec<String>) -> PyResult<Vec<(String, f64)>> {
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        let drives: Vec<(&str, f64)> = self.drives.iter().map(|(path, value)| (path.as_str(), *value)).collect();
        let source = Source { drives: &drives, ..Source::of(&self.loaded) };
        let found = py.detach(|| self.solved.vjp(source, &of, &weights, &by));
        found.map_err(|one| faults::refused(py, &[*one]))
    }

    /// A picture, SVG.
    fn svg(&self) -> Option<String> {
        let plane = view::planes(&self.solved.scene).first()?;
        Some(view::draw(&self.summary(), *plane).standalone())
    }

    /// Writes the run folder of a scene whose equilibrium this is.
    fn save(&self, py: Python<'_>, folder: PathBuf, scene: &Scene, overrides: Vec<String>) -> PyResult<Vec<String>> {
        let facts = RunFacts { overrides, ..RunFacts::default() };
        let written = py.detach(|| {
            let summary = Summary { scene: &scene.loaded.scene, ..self.summary_in_full() };
            run_folder::write(&folder, &scene.loaded, &summary, &facts)
        });
        written.map_err(|fault| faults::fault(py, fault))
    }
}
