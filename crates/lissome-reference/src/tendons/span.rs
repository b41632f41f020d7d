//! A stretch of rod on which every tendon that runs along it is smooth.

use super::description::{Segment, TendonRod};
use super::routing::Piece;
use nalgebra::Vector3;

/// A tendon on a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strand<'a> {
    /// Which tendon of the rod.
    pub tendon: usize,
    /// Tension under the load factor.
    pub tension: f64,
    pub piece: &'a Piece,
}

/// Rod and tendons between two cuts, under a load factor.
#[derive(Clone, Debug)]
pub(super) struct Span<'a> {
    pub from: f64,
    pub to: f64,
    pub segment: &'a Segment,
    pub strands: Vec<Strand<'a>>,
    /// Dead force per length in world axes.
    pub line_load: Vector3<f64>,
    /// Total internal force at `to` in world axes: all dead forces beyond.
    force_at_end: Vector3<f64>,
}

impl Span<'_> {
    /// Total internal force (rod and tendons) in world axes. Dead loads make it known beforehand.
    pub fn total_force(&self, s: f64) -> Vector3<f64> {
        self.force_at_end + self.line_load * (self.to - s)
    }

    /// The strand of a tendon, if it runs here.
    pub fn strand(&self, tendon: usize) -> Option<&Strand<'_>> {
        self.strands.iter().find(|strand| strand.tendon == tendon)
    }
}

/// Spans between the given cuts, from the base to the tip; `load_factor` multiplies tensions and loads.
pub(super) fn spans<'a>(rod: &'a TendonRod, cuts: &[f64], load_factor: f64) -> Vec<Span<'a>> {
    let mut spans: Vec<Span<'a>> = cuts
        .windows(2)
        .map(|ends| {
            let middle = 0.5 * (ends[0] + ends[1]);
            let segment = segment_at(rod, middle);
            let strands = rod.tendons.iter().enumerate().filter_map(|(tendon, t)| {
                let piece = t.routing.piece_at(middle)?;
                Some(Strand { tendon, tension: load_factor * t.tension, piece })
            });
            Span {
                from: ends[0],
                to: ends[1],
                segment,
                strands: strands.collect(),
                line_load: segment.line_load * load_factor,
                force_at_end: Vector3::zeros(),
            }
        })
        .collect();
    let mut beyond = rod.tip_load.force * load_factor;
    for span in spans.iter_mut().rev() {
        span.force_at_end = beyond;
        beyond += span.line_load * (span.to - span.from);
    }
    spans
}

fn segment_at(rod: &TendonRod, s: f64) -> &Segment {
    let mut end = 0.0;
    for segment in &rod.segments {
        end += segment.length;
        if s < end {
            return segment;
        }
    }
    rod.segments.last().expect("a validated rod has a segment")
}
