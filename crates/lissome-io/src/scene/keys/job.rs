//! Keys of `[job]`, and the words that they take.

use super::{Key, Kind, key};
use crate::scene::dimension::Dimension;

/// What can be computed.
pub const JOBS: &[&str] =
    &["statics", "path", "dynamics", "modes", "buckling", "shape", "fold-curve", "inverse", "optimise"];
/// Time integrators.
pub const SCHEMES: &[&str] = &["robust", "conserving", "symplectic", "explicit", "euler", "tr-bdf2"];
/// Where a motion begins.
pub const STARTS: &[&str] = &["equilibrium", "natural"];
/// Where the search for critical loads begins.
pub const BUCKLING_STARTS: &[&str] = &["unloaded", "loaded"];
/// How a shape from end poses is found.
pub const METHODS: &[&str] = &["printed", "cubic", "quartic", "quintic", "exact"];
/// How one clamped rod with tendons is solved, instead of the program's own way.
pub const TENDON_METHODS: &[&str] = &["lagrangian", "newtonian", "total-stress"];
/// Both.
const ALL_METHODS: &[&str] =
    &["printed", "cubic", "quartic", "quintic", "exact", "lagrangian", "newtonian", "total-stress"];
/// Which way round a rod goes between its ends.
pub const WINDINGS: &[&str] = &["least", "shortest", "longest", "unwrapped"];
/// What a path does at an event.
pub const ON_EVENT: &[&str] = &["jump", "stop", "follow"];
/// What a path goes along.
pub const FOLLOW: &[&str] = &["drives", "arclength"];
/// Which way a branch is followed from its first equilibrium.
pub const DIRECTIONS: &[&str] = &["forward", "backward", "both"];
/// Which branches are followed.
pub const BRANCHES: &[&str] = &["main", "all"];

/// One entry of `derivatives`.
pub const DERIVATIVE: &[Key] = &[
    key("of", Kind::Text, "\"rod.arm.tip.position\"", "an output, called as in results"),
    key("wrt", Kind::Names("number"), "[\"material.silicone.young\"]", "numbers of the scene, by their dotted paths"),
];

/// `[job]`.
pub const JOB: &[Key] = &[
    key("kind", Kind::Choice(JOBS), "\"statics\"", "what to compute"),
    key("max_iterations", Kind::Count, "2000", "all but dynamics and shape: Newton iterations for one equilibrium"),
    key(
        "derivatives",
        Kind::List(DERIVATIVE),
        "[{ of = \"rod.arm.tip.position\", wrt = [\"load.tip.force\"] }]",
        "statics, dynamics: how outputs change with numbers of the scene",
    ),
    key("minimise", Kind::Text, "\"arm.mass\"", "optimise: a formula of outputs and free numbers that is made least"),
    key("maximise", Kind::Text, "\"smallest_eigenvalue\"", "optimise: one that is made greatest, instead"),
    key(
        "constraints",
        Kind::Names("comparison"),
        "[\"arm.volume <= 2e-5\"]",
        "optimise: comparisons of formulas (<=, >=, =) that are to hold",
    ),
    key("rounds", Kind::Count, "200", "optimise: steps at most; 200 by default"),
    key("stable", Kind::Flag, "false", "optimise: keep to stable equilibria; true by default"),
    key(
        "samples",
        Kind::Count,
        "11",
        "path, inverse: number of equilibria, both ends included; 11, or 1 for targets that stay",
    ),
    key(
        "end",
        Kind::Quantity(Dimension::TIME),
        "1",
        "path, inverse: the time of drives and targets runs from 0 to this; 1 by default",
    ),
    key("on_event", Kind::Choice(ON_EVENT), "\"jump\"", "path: where a branch ends; jump to another by default"),
    key(
        "follow",
        Kind::Choice(FOLLOW),
        "\"arclength\"",
        "path: along the drives (default), or branches by their length",
    ),
    key(
        "start_at",
        Kind::Quantity(Dimension::TIME),
        "0.5",
        "path by arclength: the drives' time at which it begins; 0 by default",
    ),
    key(
        "direction",
        Kind::Choice(DIRECTIONS),
        "\"both\"",
        "path by arclength: which way from there; forward by default",
    ),
    key(
        "branches",
        Kind::WordOrCount(BRANCHES),
        "\"all\"",
        "path by arclength: branches to switch to at bifurcations; main (none) by default",
    ),
    key(
        "over",
        Kind::Text,
        "\"motor.angle\"",
        "fold-curve: the drive over which folds are followed, from its beginning to its end",
    ),
    key("max_steps", Kind::Count, "400", "path by arclength: steps along each branch; 400 by default"),
    key(
        "longest_step",
        Kind::Quantity(Dimension::NONE),
        "0.05",
        "path by arclength, fold-curve: longest step, of the range of the drives' time or mean rad; 0.05 by default",
    ),
    key("duration", Kind::Quantity(Dimension::TIME), "\"4 s\"", "dynamics: from 0 to this"),
    key("output_rate", Kind::Quantity(Dimension::FREQUENCY), "\"100 Hz\"", "dynamics: recorded states a second"),
    key("scheme", Kind::Choice(SCHEMES), "\"robust\"", "dynamics: time integrator; robust by default"),
    key("step", Kind::Quantity(Dimension::TIME), "\"5 ms\"", "dynamics: a fixed step, instead of a tolerance"),
    key("tolerance", Kind::Quantity(Dimension::NONE), "1e-4", "dynamics: error of one step; 1e-4 by default"),
    key("start", Kind::Choice(STARTS), "\"equilibrium\"", "dynamics: where it begins"),
    key("release", Kind::Names("load"), "[\"tip\"]", "dynamics: loads that hold the start and are then gone"),
    key("count", Kind::Count, "6", "modes, buckling: how many, from the lowest; 6 and 3 by default"),
    key("from", Kind::Choice(BUCKLING_STARTS), "\"unloaded\"", "buckling: which equilibrium it begins with"),
    key(
        "method",
        Kind::Choice(ALL_METHODS),
        "\"exact\"",
        "shape: how it is found, exact by default; statics: a classical method for one rod with tendons",
    ),
    key("functions", Kind::OneOrSix, "[5, 7, 7, 3, 3, 3]", "statics, lagrangian: polynomials for each strain"),
    key("nodes", Kind::Count, "10", "statics, lagrangian: Chebyshev nodes on each segment; 10 by default"),
    key("segments", Kind::Count, "4", "shape: polynomial pieces; as few as the section's steps allow by default"),
    key("stretching", Kind::Flag, "true", "shape: may the rod stretch and shear; false by default"),
    key(
        "winding",
        Kind::Choice(WINDINGS),
        "\"least\"",
        "statics, path, shape: which way round; least energy by default",
    ),
    key("all", Kind::Flag, "true", "shape: look for every equilibrium; false by default"),
];
