//! Arrays across the border: a name, a shape and the bytes of numbers, which Python makes a numpy array of without a copy.

use lissome::io::run_folder::npz::Array;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// A named array for Python.
pub type Named<'py> = (String, Vec<usize>, Bound<'py, PyByteArray>);

/// The bytes of numbers.
pub fn bytes<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyByteArray> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    PyByteArray::new(py, &bytes)
}

/// Arrays under their names.
pub fn named<'py>(py: Python<'py>, arrays: &[Array]) -> Vec<Named<'py>> {
    arrays.iter().map(|array| (array.name.clone(), array.shape.clone(), bytes(py, &array.values))).collect()
}

/// Numbers out of bytes that Python made of an array.
pub fn numbers(bytes: &[u8]) -> PyResult<Vec<f64>> {
    let (whole, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(PyValueError::new_err("an array of float64 has eight bytes a number"));
    }
    Ok(whole.iter().map(|eight| f64::from_ne_bytes(*eight)).collect())
}
