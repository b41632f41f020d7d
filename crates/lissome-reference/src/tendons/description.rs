//! What a tendon-driven rod is: segments in a row, tendons with their tensions, dead loads.

use super::routing::Routing;
use crate::OracleError;
use lissome_lie::{Pose, Wrench};
use nalgebra::{Vector3, Vector6};

/// A stretch of rod with one section.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Natural length, in m.
    pub length: f64,
    /// GJ, EI_y, EI_z in N·m², EA, kGA_y, kGA_z in N.
    pub stiffness: Vector6<f64>,
    /// Strain without stress: torsion and curvatures in 1/m, stretch and shears.
    pub natural: Vector6<f64>,
    /// Dead force per natural length in world axes (its weight, above all), in N/m.
    pub line_load: Vector3<f64>,
}

/// A tendon that slides without friction through the rod and is tied to it where its routing ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Tendon {
    /// Where it runs.
    pub routing: Routing,
    /// Its tension, in N.
    pub tension: f64,
}

/// A rod held at its base, with tendons. The motors stand on the base.
#[derive(Clone, Debug, PartialEq)]
pub struct TendonRod {
    /// Where the base is held, `world_from_body`.
    pub base: Pose,
    /// From the base to the tip.
    pub segments: Vec<Segment>,
    /// All tendons.
    pub tendons: Vec<Tendon>,
    /// Dead wrench on the tip in world axes, the moment about the tip.
    pub tip_load: Wrench,
}

/// Strain of a straight rod: no curvature, unit stretch along x.
pub fn straight() -> Vector6<f64> {
    Vector6::new(0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
}

/// Borders nearer to each other than this fraction of the length are one.
const SAME_BORDER: f64 = 1e-9;

impl TendonRod {
    /// Natural length of all segments.
    pub fn length(&self) -> f64 {
        self.segments.iter().map(|segment| segment.length).sum()
    }

    /// Refuses what has no meaning; the message names the quantity.
    pub fn validate(&self) -> Result<(), OracleError> {
        let refuse = |quantity, value| Err(OracleError::OutOfDomain { quantity, value });
        if self.segments.is_empty() {
            return refuse("number of segments of a tendon-driven rod", 0.0);
        }
        for segment in &self.segments {
            if !(segment.length > 0.0 && segment.length.is_finite()) {
                return refuse("length of a segment", segment.length);
            }
            if let Some(stiffness) = segment.stiffness.iter().find(|k| !(**k > 0.0 && k.is_finite())) {
                return refuse("stiffness of a segment", *stiffness);
            }
            let (strain, load) = (segment.natural.sum(), segment.line_load.sum());
            if !strain.is_finite() {
                return refuse("natural strain of a segment", strain);
            }
            if !load.is_finite() {
                return refuse("line load of a segment", load);
            }
        }
        let tip = self.tip_load.moment.sum() + self.tip_load.force.sum();
        if !tip.is_finite() {
            return refuse("load on the tip", tip);
        }
        let length = self.length();
        for tendon in &self.tendons {
            if !(tendon.tension >= 0.0 && tendon.tension.is_finite()) {
                return refuse("tension of a tendon", tendon.tension);
            }
            tendon.routing.validate(length)?;
        }
        Ok(())
    }

    /// Where sections change and tendons begin, kink or end: the strain may jump there. Ends included.
    pub fn borders(&self) -> Vec<f64> {
        let mut at = 0.0;
        let mut all = vec![0.0];
        for segment in &self.segments {
            at += segment.length;
            all.push(at);
        }
        for piece in self.tendons.iter().flat_map(|tendon| &tendon.routing.pieces) {
            all.extend([piece.from, piece.to]);
        }
        sorted_without_twins(all, at)
    }

    /// The borders, and the knots of tables, where only a higher derivative of the strain jumps.
    pub fn cuts(&self) -> Vec<f64> {
        let mut all = self.borders();
        for piece in self.tendons.iter().flat_map(|tendon| &tendon.routing.pieces) {
            if let super::Path::Table(spline) = &piece.path {
                all.extend_from_slice(spline.knots());
            }
        }
        sorted_without_twins(all, self.length())
    }
}

fn sorted_without_twins(mut all: Vec<f64>, length: f64) -> Vec<f64> {
    all.sort_by(f64::total_cmp);
    let mut kept: Vec<f64> = Vec::with_capacity(all.len());
    for s in all {
        if kept.last().is_none_or(|last| s - last > SAME_BORDER * length) {
            kept.push(s);
        }
    }
    // The tip itself, not a border that rounding has put beside it.
    if let Some(last) = kept.last_mut() {
        *last = length;
    }
    kept
}
