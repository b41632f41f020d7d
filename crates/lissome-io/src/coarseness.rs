//! Whether an estimated error of a rod or of a frequency is worth a warning.

use crate::fault::Fault;
use crate::moment::Moment;
use lissome_model::{Rod, Scene};
use lissome_solve::accuracy::COARSE;
use lissome_solve::accuracy::modes::FREQUENCY_TOLERANCE;

/// The warning about a rod with an estimated error, of its length or in rad, and how far it exceeds what is allowed; at a
/// parameter of a path or a time of a motion. A tolerance allows so many times itself, a number of spans [`COARSE`]. An answer
/// without an estimate is worth one too.
pub fn fault(rod: &Rod, error: f64, times: f64, at: Option<Moment>) -> Option<(f64, Fault)> {
    let tolerance = rod.tolerance();
    let excess =
        if error.is_nan() { f64::INFINITY } else { error / tolerance.map_or(COARSE, |tolerance| times * tolerance) };
    (excess > 1.0).then(|| (excess, Fault::Coarse { rod: rod.name.clone(), error, tolerance, at }))
}

/// The warning about a mode whose frequency has an estimated relative error.
pub fn of_mode(scene: &Scene, mode: usize, error: f64) -> Option<Fault> {
    let tolerance = scene.rods.iter().filter_map(Rod::tolerance).reduce(f64::min);
    let fine = error <= tolerance.map_or(COARSE, |tolerance| FREQUENCY_TOLERANCE * tolerance);
    (!fine).then_some(Fault::CoarseMode { mode, error, open: tolerance.is_some() })
}
