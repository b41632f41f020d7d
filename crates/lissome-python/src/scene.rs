//! A scene that was read; what Python can ask of it stands in `scene_methods`.

use crate::faults;
use lissome::io::{self, Diagnostic, LoadedScene};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A scene; it never changes.
#[pyclass(frozen, module = "lissome._lissome")]
pub struct Scene {
    pub loaded: Arc<LoadedScene>,
}

impl Scene {
    fn of(py: Python<'_>, read: Result<LoadedScene, Vec<Diagnostic>>) -> PyResult<Self> {
        match read {
            Ok(loaded) => Ok(Self { loaded: Arc::new(loaded) }),
            Err(diagnostics) => Err(faults::refused(py, &diagnostics)),
        }
    }
}

/// Reads a scene file.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf, overrides: Vec<String>) -> PyResult<Scene> {
    Scene::of(py, py.detach(|| io::load(&path, &overrides)))
}

/// Reads the text of a scene; `name` stands for the file in messages.
#[pyfunction]
pub fn parse(py: Python<'_>, name: &str, text: String, overrides: Vec<String>) -> PyResult<Scene> {
    Scene::of(py, py.detach(|| io::scene::parse(name, text, &overrides)))
}

/// Names and texts of the scenes that are shipped.
#[pyfunction]
pub fn templates() -> Vec<(&'static str, &'static str)> {
    lissome::templates::TEMPLATES.iter().map(|template| (template.name, template.text)).collect()
}
