//! Which knots a rod gets: the one rule.
//!
//! The stress or the strain may jump at a point load, at an attachment and at a step of the section or of the natural
//! shape. A knot of multiplicity p stands at each such place, so that a control pose lies there and the stress functions
//! may jump.

use lissome_lie::knots::{Break, KnotError, open_uniform_knots};
use lissome_model::{Invalid, NaturalShape, Problem, Rod};

/// Two places nearer than this fraction of the length, to each other or to an end, are one.
const COINCIDENT: f64 = 1e-8;

/// The open knot vector of a curve of this degree with about `spans` spans. `breaks` are the places where it may jump, in
/// any order; those at the ends do not count, and those that coincide count once.
pub fn knots(degree: usize, spans: usize, length: f64, breaks: &[f64]) -> Result<Vec<f64>, KnotError> {
    let breaks: Vec<Break> =
        interior(length, breaks.to_vec()).into_iter().map(|at| Break { at, multiplicity: degree }).collect();
    let mut knots = Vec::new();
    open_uniform_knots(degree, length, spans, &breaks, &mut knots)?;
    Ok(knots)
}

/// Those of the places that lie inside a curve, in order and each once.
fn interior(length: f64, mut at: Vec<f64>) -> Vec<f64> {
    let near = COINCIDENT * length;
    at.retain(|s| *s > near && *s < length - near);
    at.sort_by(f64::total_cmp);
    at.dedup_by(|a, b| *a - *b < near);
    at
}

/// The knots of a rod. `breaks` are the places of loads and attachments; steps of the rod itself come besides.
pub(super) fn knots_of(rod: &Rod, path: &str, breaks: &[f64]) -> Result<Vec<f64>, Invalid> {
    let degree = rod.discretization.degree();
    let spans = match (&rod.natural, rod.discretization.resolution()) {
        (NaturalShape::ControlPoses(poses), _) => poses.len() - degree,
        (_, resolution) => resolution.spans(),
    };
    let all: Vec<f64> = breaks.iter().copied().chain(rod.profile.steps()).chain(rod.natural.steps()).collect();
    if matches!(rod.natural, NaturalShape::ControlPoses(_)) && !interior(rod.length, all.clone()).is_empty() {
        return Err(Invalid::new(
            format!("{path}.shape"),
            Problem::Contradiction {
                reason: "control poses fix the knots, so loads must sit at the ends and sections must not step".into(),
            },
        ));
    }
    knots(degree, spans, rod.length, &all).map_err(|error| {
        Invalid::new(format!("{path}.model.spline"), Problem::Contradiction { reason: error.to_string() })
    })
}
