//! Values of `[job]` that have a default.

use super::dimension::Dimension;
use super::findings::Findings;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::StaticsJob;

/// What the key says if it is there, else `default`; nothing if it is refused.
pub fn given<T>(
    job: &Reader<'_>,
    name: &str,
    default: T,
    read: impl FnOnce(&mut Findings) -> Option<T>,
    findings: &mut Findings,
) -> Option<T> {
    if job.has(name) { read(findings) } else { Some(default) }
}

/// A whole number above zero, or its default.
pub fn positive_count(job: &Reader<'_>, name: &str, default: usize, findings: &mut Findings) -> Option<usize> {
    match job.count(name, findings) {
        Some(0) => job.fault(name, Fault::NotPositive { value: 0.0 }, findings),
        None if job.has(name) => None,
        given => Some(given.unwrap_or(default)),
    }
}

pub fn max_iterations(job: &Reader<'_>, findings: &mut Findings) -> Option<usize> {
    positive_count(job, "max_iterations", StaticsJob::default().max_iterations, findings)
}

/// A quantity above zero, or its default.
pub fn positive(job: &Reader<'_>, name: &str, of: Dimension, default: f64, findings: &mut Findings) -> Option<f64> {
    given(job, name, default, |f| job.quantity(name, of, Sign::Positive, f), findings)
}
