//! The papers' figures and tables as data: each case is a test, a `validate` row and a benchmark.

pub mod report;

pub use report::{BenchReport, CaseReport, Row};

/// Names of the cases, in order.
pub fn names() -> Vec<String> {
    Vec::new()
}

/// Runs the cases whose name contains `pattern` (all without one). `progress` hears the name of each as it starts.
pub fn validate(pattern: Option<&str>, progress: &mut dyn FnMut(&str)) -> Vec<CaseReport> {
    let _ = (pattern, progress);
    Vec::new()
}

/// Runs the benchmarks whose name contains `pattern` (all without one).
pub fn bench(pattern: Option<&str>) -> Vec<BenchReport> {
    let _ = pattern;
    Vec::new()
}
