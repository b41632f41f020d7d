//! Faults as Python exceptions. The classes are written in Python (`lissome/_errors.py`); here they are filled.

use lissome::SimulateError;
use lissome::io::{Diagnostic, Fault, LoadedScene};
use pyo3::prelude::*;

const MODULE: &str = "lissome._errors";

/// The exception that a maker in `lissome._errors` makes of JSON and of the text for people.
fn made(py: Python<'_>, maker: &str, diagnostics: &[Diagnostic]) -> PyErr {
    let json: Vec<String> = diagnostics.iter().map(|one| one.to_json().to_string()).collect();
    let text: String = diagnostics.iter().map(ToString::to_string).collect();
    let make = py.import(MODULE).and_then(|module| module.getattr(maker));
    match make.and_then(|make| make.call1((json, text.trim_end()))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// A scene, a drive or a file that is refused.
pub fn refused(py: Python<'_>, diagnostics: &[Diagnostic]) -> PyErr {
    made(py, "refused", diagnostics)
}

/// One fault that no text is to blame for.
pub fn fault(py: Python<'_>, fault: Fault) -> PyErr {
    refused(py, &[Diagnostic::new(fault)])
}

/// A refusal of the model, at its place in the scene's text.
pub fn simulate(py: Python<'_>, loaded: &LoadedScene, error: &SimulateError) -> PyErr {
    let SimulateError::Invalid(invalid) = error;
    refused(py, &[loaded.diagnose(invalid)])
}

/// A motion that cannot go on.
pub fn halted(py: Python<'_>, complaint: &Diagnostic) -> PyErr {
    made(py, "halted", std::slice::from_ref(complaint))
}

/// A motion that found no equilibrium to begin with.
pub fn no_start(py: Python<'_>) -> PyErr {
    made(py, "no_start", &[])
}
