//! A robot at hand.

use crate::arrays::{self, Named};
use crate::equilibrium;
use crate::faults;
use crate::watch::Watch;
use lissome::Snapshot;
use lissome::io::run_folder::{robot, table};
use lissome::io::{Ending, LoadedScene, Summary};
use lissome::robot::{self as at_hand, Settled};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::sync::Arc;

/// A scene compiled once, with its present equilibrium.
#[pyclass(module = "lissome._lissome")]
pub struct Robot {
    loaded: Arc<LoadedScene>,
    robot: at_hand::Robot,
}

/// Lists of numbers under their names.
pub type Lists = Vec<(String, Vec<f64>)>;

impl Robot {
    /// Compiles a scene and settles in it.
    pub fn of(py: Python<'_>, loaded: &Arc<LoadedScene>) -> PyResult<Self> {
        let mut watch = Watch::silent();
        let robot = py.detach(|| at_hand::Robot::new(&loaded.scene, &mut watch));
        watch.result()?;
        let robot = robot.map_err(|error| faults::simulate(py, loaded, &error))?;
        Ok(Self { loaded: loaded.clone(), robot })
    }
}

#[pymethods]
impl Robot {
    #[getter]
    fn drives(&self) -> Vec<String> {
        self.robot.drives()
    }

    fn get(&self, py: Python<'_>, path: &str) -> PyResult<f64> {
        self.robot.get(path).map_err(|one| faults::refused(py, &[*one]))
    }

    fn set(&mut self, py: Python<'_>, path: &str, value: f64) -> PyResult<()> {
        self.robot.set(path, value).map_err(|one| faults::refused(py, &[*one]))
    }

    /// Settles; `None` if it stands in the equilibrium, else the complaint as JSON and as text, and the load factor.
    fn settle(&mut self, py: Python<'_>) -> PyResult<Option<(String, String, f64)>> {
        let mut watch = Watch::silent();
        let robot = &mut self.robot;
        let settled = py.detach(|| robot.settle(&mut watch));
        watch.result()?;
        let settled = settled.map_err(|error| faults::simulate(py, &self.loaded, &error))?;
        let Settled::Nowhere(outcome) = settled else { return Ok(None) };
        let factor = outcome.load_factor();
        let told = lissome::solve::Equilibrium::of_rods(outcome, Vec::new());
        let complaint = Summary::of_equilibrium(self.robot.scene(), &told, Ending::Finished).complaint();
        Ok(complaint.map(|found| (found.to_json().to_string(), found.to_string(), factor)))
    }

    fn forget(&mut self) {
        self.robot.forget();
    }

    #[getter]
    fn settled(&self) -> bool {
        self.robot.is_settled()
    }

    /// The arrays of `samples.npz` and the columns of `path.csv`; `None` if there is no equilibrium.
    #[allow(clippy::type_complexity)]
    fn record<'py>(&mut self, py: Python<'py>) -> Option<(Vec<Named<'py>>, Vec<(String, f64)>, Option<bool>)> {
        let robot = &mut self.robot;
        let found = py.detach(|| robot.record())?;
        let mut all = table::arrays(&found);
        all.extend(robot::arrays(self.robot.scene(), &found));
        let mut row = equilibrium::row(self.robot.scene(), &found);
        for (name, value) in &mut row {
            if let Some(path) = name.strip_prefix("drive.")
                && let Ok(now) = self.robot.get(path)
            {
                *value = now;
            }
        }
        Some((arrays::named(py, &all), row, found.is_stable()))
    }

    /// Positions of every rod at so many places, float32.
    fn draw<'py>(&self, py: Python<'py>, stations: usize) -> Bound<'py, PyByteArray> {
        let mut points = Vec::new();
        self.robot.draw(stations, &mut points);
        let bytes: Vec<u8> = points.iter().flat_map(|x| x.to_ne_bytes()).collect();
        PyByteArray::new(py, &bytes)
    }

    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        of: Vec<String>,
        by: Vec<String>,
    ) -> PyResult<Option<(Bound<'py, PyByteArray>, usize)>> {
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        let found = self.robot.jacobian(&of, &by).map_err(|one| faults::refused(py, &[*one]))?;
        Ok(found.map(|matrix| (arrays::bytes(py, matrix.transpose().as_slice()), matrix.ncols())))
    }

    fn grab(&mut self, py: Python<'_>, rod: &str, s: f64) -> PyResult<()> {
        self.robot.grab(rod, s).map_err(|error| faults::simulate(py, &self.loaded, &error))
    }

    fn pull(&mut self, py: Python<'_>, force: [f64; 3]) -> PyResult<bool> {
        self.robot.pull(force).map_err(|error| faults::simulate(py, &self.loaded, &error))
    }

    fn release(&mut self, py: Python<'_>) -> PyResult<()> {
        self.robot.release().map_err(|error| faults::simulate(py, &self.loaded, &error))
    }

    fn snapshot(&self) -> Option<Lists> {
        self.robot.snapshot().map(|snapshot| snapshot.lists)
    }

    fn restore(&mut self, lists: Lists) -> bool {
        self.robot.restore(&Snapshot { lists })
    }
}
