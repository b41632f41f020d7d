//! What a derivative by one number of a scene costs, beside the solve of that scene.

use super::{Benchmark, PRODUCTS, Timing, measure};
use crate::error::CaseError;
use crate::report::BenchReport;
use lissome::Unobserved;
use lissome::derivatives::Source;
use lissome::io::scene;
use lissome::robot::{Judgement, Solved, solve};
use std::hint::black_box;

/// One column by every number of the scene that there is a derivative by, their mean over the whole way from the scene to its answer.
/// What is done once for all columns (the tangent and its factor) is left out.
pub(super) fn time_columns(folder: &str, bench: &Benchmark, of: &[String]) -> Result<BenchReport, CaseError> {
    let path = format!("{folder}/{}", bench.scene);
    let refused = |message: String| CaseError::Scene { path: path.clone(), message };
    let file = scene::parse(&path, crate::embedded::text(&path)?.to_owned(), &bench.set)
        .map_err(|told| refused(told.first().map_or_else(String::new, ToString::to_string)))?;
    let whole = || solve(black_box(&file.scene), Judgement::Sign, &mut Unobserved);
    let at: Solved = whole()?;
    let source = Source::of(&file);
    let of: Vec<&str> = of.iter().map(String::as_str).collect();
    let by = |wrt: &[&str]| at.derivatives(source, &of, wrt);
    let paths = file.number_paths();
    let mut smooth: Vec<&str> = paths.iter().map(String::as_str).filter(|path| by(&[path]).is_ok()).collect();
    smooth.sort_unstable();
    let none = by(&[]).map_err(|told| refused(told.to_string()))?;
    let columns = by(&smooth).map_err(|told| refused(told.to_string()))?.wrt.len();
    if columns == 0 {
        return Err(CaseError::TooFew { what: "numbers to differentiate by", found: 0, need: 1 });
    }
    black_box(none);
    let (alone, start) = (measure(1, &mut { whole }), measure(1, &mut || by(&[])));
    let all = measure(1, &mut || by(&smooth));
    // Each in products of its own minute.
    let products = |timing: &Timing| timing.solve / timing.calibration * PRODUCTS as f64;
    let column = (products(&all) - products(&start)) / columns as f64;
    Ok(BenchReport {
        name: bench.name.clone(),
        median_seconds: (all.solve - start.solve) / columns as f64,
        calibration_seconds: all.calibration,
        products: column / products(&alone),
        bar: bench.bar,
        unit: "×",
        note: format!(
            "a column costs {column:.0} products, a solve {:.0}, the start of all columns {:.0}; mean of {columns} columns by all numbers of the file",
            products(&alone),
            products(&start),
        ),
    })
}
