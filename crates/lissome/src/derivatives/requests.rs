//! The derivatives that the job of a file asks for, at one of its equilibria.

use super::input::Source;
use super::jacobian;
use crate::robot::standing::Standing;
use lissome_io::{Diagnostic, LoadedScene};
use lissome_solve::DerivativeRecord;

/// All of them, where the drives of the file are at that time.
pub(crate) fn requested(
    file: &LoadedScene,
    standing: Standing<'_>,
    at: f64,
) -> Result<Vec<DerivativeRecord>, Box<Diagnostic>> {
    let source = Source { at, ..Source::of(file) };
    let one = |(index, request): (usize, &lissome_io::scene::DerivativeRequest)| {
        let wrt: Vec<&str> = request.wrt.iter().map(String::as_str).collect();
        let found = jacobian(standing, source, &[&request.of], &wrt, None);
        let found = found.map_err(|told| Diagnostic { path: Some(format!("job.derivatives.{index}")), ..*told })?;
        Ok(DerivativeRecord {
            values: found.values.row_iter().map(|row| row.iter().copied().collect()).collect(),
            of: found.of,
            wrt: found.wrt,
            adjoint: found.adjoint,
        })
    };
    file.derivatives.iter().enumerate().map(one).collect()
}
