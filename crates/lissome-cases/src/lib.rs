//! The papers' figures and tables as data: each case is a test, a `validate` row and a benchmark.
//!
//! A case is a folder under `cases/` with a `case.toml`, its scenes and its tables; see [`study`] for what a case can ask
//! and `cases/README.md` for the format. Expected numbers and tolerances stand in those files with their source.

mod all_cores;
pub mod benchmark;
pub mod case;
mod embedded;
pub mod error;
mod quantity;
mod random;
mod random_contact;
mod random_motion;
pub mod random_scene;
pub mod report;
mod robot;
mod slope;
mod solved;
pub mod study;
mod table;
mod template;
mod transform;
mod truth;

pub use error::CaseError;
pub use report::{BenchReport, CaseReport, Row};

use case::Case;

/// Names of the cases, in order.
pub fn names() -> Vec<String> {
    embedded::case_names().map(str::to_owned).collect()
}

/// Names of the benchmarks, in order.
pub fn benchmark_names() -> Vec<String> {
    let cases = embedded::case_names().filter_map(|name| Case::read(name).ok());
    cases.flat_map(|case| case.bench.into_iter().map(|bench| bench.name)).collect()
}

/// Runs the cases whose name contains `pattern` (all without one). `progress` hears the name of each as it starts.
pub fn validate(pattern: Option<&str>, progress: &mut dyn FnMut(&str)) -> Vec<CaseReport> {
    let wanted = embedded::case_names().filter(|name| pattern.is_none_or(|pattern| name.contains(pattern)));
    let run = |name: &str| {
        progress(name);
        let rows = match Case::read(name) {
            Ok(case) => case.rows(),
            Err(error) => vec![Row::broken(&error)],
        };
        CaseReport { case: name.to_owned(), rows }
    };
    wanted.map(run).collect()
}

/// Runs the benchmarks whose name contains `pattern` (all without one).
pub fn bench(pattern: Option<&str>) -> Vec<BenchReport> {
    let cases = embedded::case_names().filter_map(|name| Case::read(name).ok().map(|case| (name, case)));
    let benches = cases.flat_map(|(folder, case)| case.bench.into_iter().map(move |bench| (folder, bench)));
    let wanted = benches.filter(|(_, bench)| pattern.is_none_or(|pattern| bench.name.contains(pattern)));
    wanted.flat_map(|(folder, bench)| benchmark::run(folder, &bench)).collect()
}
