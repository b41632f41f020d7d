//! What Python can ask of a scene.

use crate::equilibrium::Equilibrium;
use crate::faults;
use crate::motion::Motion;
use crate::robot::Robot;
use crate::run::Run;
use crate::scene::Scene;
use crate::watch::Watch;
use lissome::io::scene::drivable;
use lissome::robot::{Judgement, Solved, solve, with_drives};
use pyo3::prelude::*;

#[pymethods]
impl Scene {
    fn to_toml(&self) -> String {
        self.loaded.to_toml()
    }

    #[getter]
    fn title(&self) -> &str {
        &self.loaded.scene.title
    }

    #[getter]
    fn job(&self) -> &'static str {
        self.loaded.scene.job.name()
    }

    /// Paths that the scene drives.
    #[getter]
    fn drives(&self) -> Vec<String> {
        self.loaded.scene.drives.iter().map(|drive| drive.path.clone()).collect()
    }

    /// Paths that can be driven.
    #[getter]
    fn drivable(&self) -> Vec<String> {
        drivable(&self.loaded.scene)
    }

    /// Names of the parts, family by family.
    fn names(&self) -> Vec<(&'static str, Vec<String>)> {
        let scene = &self.loaded.scene;
        vec![
            ("rod", scene.rods.iter().map(|part| part.name.clone()).collect()),
            ("body", scene.bodies.iter().map(|part| part.name.clone()).collect()),
            ("joint", scene.joints.iter().map(|part| part.name.clone()).collect()),
            ("cable", scene.cables.iter().map(|part| part.name.clone()).collect()),
            ("tendon", scene.tendons.iter().map(|part| part.name.clone()).collect()),
            ("spring", scene.springs.iter().map(|part| part.name.clone()).collect()),
            (
                "contact",
                scene
                    .contact_pairs()
                    .map(|(part, obstacle)| format!("{}.{}", part.name(scene), obstacle.name(scene)))
                    .collect(),
            ),
        ]
    }

    /// Warnings of the reader, as JSON.
    fn warnings(&self) -> Vec<String> {
        self.loaded.warnings.iter().map(|warning| warning.to_json().to_string()).collect()
    }

    /// The equilibrium with drives held at values.
    fn solve(&self, py: Python<'_>, drives: Vec<(String, f64)>, eigenvalue: bool) -> PyResult<Equilibrium> {
        let judgement = if eigenvalue { Judgement::Eigenvalue } else { Judgement::Sign };
        let held_at: Vec<(&str, f64)> = drives.iter().map(|(path, value)| (path.as_str(), *value)).collect();
        let held = with_drives(&self.loaded.scene, &held_at).map_err(|one| faults::refused(py, &[*one]))?;
        let mut watch = Watch::silent();
        let solved = py.detach(|| solve(&held, judgement, &mut watch));
        watch.result()?;
        let solved: Solved = solved.map_err(|error| faults::simulate(py, &self.loaded, &error))?;
        Ok(Equilibrium::of(solved, self.loaded.clone(), drives))
    }

    /// Does the job.
    #[pyo3(signature = (progress=None))]
    fn run(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Run> {
        Run::of(py, &self.loaded, progress)
    }

    /// A robot that stands in the equilibrium of the scene.
    fn robot(&self, py: Python<'_>) -> PyResult<Robot> {
        Robot::of(py, &self.loaded)
    }

    /// A motion by hand.
    fn start(&self, py: Python<'_>) -> PyResult<Motion> {
        Motion::of(py, &self.loaded)
    }
}
