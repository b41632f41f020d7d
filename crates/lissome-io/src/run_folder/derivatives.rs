//! `derivatives.csv`: those that the job of a motion or of a path asks for.

use super::table::push_row;
use lissome_solve::DerivativeCourse;

/// The file.
pub(super) const DERIVATIVES: &str = "derivatives.csv";

/// A row for each time or parameter, a column for each pair of an output and a number; nothing if none were asked for.
pub(super) fn csv(axis: &str, all: &[DerivativeCourse]) -> Option<String> {
    let places = &all.first()?.at;
    let pairs = |own: &DerivativeCourse| -> Vec<String> {
        own.of.iter().flat_map(|of| own.wrt.iter().map(move |wrt| format!("d {of} / d {wrt}"))).collect()
    };
    let mut out = format!("{axis},{}\n", all.iter().flat_map(pairs).collect::<Vec<_>>().join(","));
    for (index, place) in places.iter().enumerate() {
        let row: Vec<f64> = all.iter().flat_map(|own| own.values[index].iter().copied()).collect();
        push_row(&mut out, &format!("{place:?}"), &row);
    }
    Some(out)
}
