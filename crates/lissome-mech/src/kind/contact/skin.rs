//! A rod as something to touch: its curve and its radius.

use super::carrier::Spot;
use crate::index::{Node, Slot};
use crate::rod::Rod;
use crate::rod::curve::course::Course;
use crate::state::State;
use lissome_lie::Pose;
use std::sync::Arc;

/// Part of a span by which the end of a window is seen from inside.
const INSIDE: f64 = 1e-9;

/// A rod as something to touch.
#[derive(Clone, Debug)]
pub struct Skin {
    /// The rod.
    pub rod: Arc<Rod>,
    /// Its number in the scene.
    pub index: usize,
    /// Slot of its first control pose.
    pub first: Slot,
    /// Where its spans end, m, and its radius at both ends of each, m.
    spans: Vec<SkinSpan>,
    /// The largest radius, m.
    thickest: f64,
}

#[derive(Clone, Copy, Debug)]
struct SkinSpan {
    from: f64,
    to: f64,
    radii: [f64; 2],
}

impl Skin {
    /// Of a rod with a radius at every place.
    pub fn new(rod: Arc<Rod>, index: usize, first: Slot, radius: impl Fn(f64) -> f64) -> Self {
        let spans = rod.pieces().into_iter().map(|[from, to]| SkinSpan { from, to, radii: [from, to].map(&radius) });
        let spans: Vec<SkinSpan> = spans.collect();
        let thickest = spans.iter().flat_map(|span| span.radii).fold(0.0, f64::max);
        Self { rod, index, first, spans, thickest }
    }

    /// Number of spans.
    pub fn span_count(&self) -> usize {
        self.spans.len()
    }

    /// From where to where a span goes, m.
    pub fn span(&self, span: usize) -> [f64; 2] {
        [self.spans[span].from, self.spans[span].to]
    }

    /// The span that holds a place.
    pub fn span_at(&self, s: f64) -> usize {
        self.spans.partition_point(|span| span.to <= s).min(self.spans.len() - 1)
    }

    /// m.
    pub fn radius(&self, s: f64) -> f64 {
        let span = &self.spans[self.span_at(s)];
        span.radii[0] + (span.radii[1] - span.radii[0]) * (s - span.from) / (span.to - span.from)
    }

    /// How the radius changes along the rod.
    pub fn taper(&self, s: f64) -> f64 {
        let span = &self.spans[self.span_at(s)];
        (span.radii[1] - span.radii[0]) / (span.to - span.from)
    }

    /// The largest radius, m.
    pub fn thickest(&self) -> f64 {
        self.thickest
    }

    /// The span of a place with its neighbours: from where to where, m. What touches there may slide so far before its
    /// partners are looked up again.
    pub fn window(&self, s: f64) -> [f64; 2] {
        let span = self.span_at(s);
        let last = &self.spans[(span + 1).min(self.spans.len() - 1)];
        // The end of the last span is seen from inside it.
        [self.spans[span.saturating_sub(1)].from, last.to - INSIDE * (last.to - last.from)]
    }

    /// True if the window of a place ends at a border that is none of the rod's own ends.
    pub fn leaves_window(&self, window_of: f64, s: f64) -> bool {
        let ([low, high], ends) = (self.window(window_of), [self.spans[0].from, self.spans[self.spans.len() - 1].to]);
        let close = 2.0 * INSIDE * (high - low);
        s <= low + close && low > ends[0] || s >= high - close && high < ends[1] - close
    }

    /// A place seen from inside the rod, as the end of its last span is.
    pub fn inside(&self, s: f64) -> f64 {
        let last = &self.spans[self.spans.len() - 1];
        s.min(last.to - INSIDE * (last.to - last.from))
    }

    /// True if a place is an end of the rod.
    pub fn is_end(&self, s: f64) -> bool {
        s <= self.spans[0].from || s >= self.inside(f64::INFINITY)
    }

    fn own_poses<'a>(&self, state: &'a State) -> &'a [Pose] {
        let first = self.first.index();
        &state.poses[first..first + self.rod.curve().pose_count()]
    }

    /// Where the curve runs.
    pub fn course<'a>(&'a self, state: &'a State) -> Course<'a> {
        Course::new(self.rod.curve(), self.own_poses(state))
    }

    /// Pose of a place.
    pub fn pose(&self, s: f64, state: &State) -> Pose {
        self.rod.curve().pose_of(s, self.own_poses(state))
    }

    /// A place of the rod with its Jacobians.
    pub fn spot(&self, s: f64, state: &State) -> Spot {
        let point = self.rod.point_at(s, self.own_poses(state));
        Spot::Rod { first: self.first, point, radius: self.radius(s) }
    }

    /// Nodes that move the places of a stretch.
    pub fn nodes(&self, from: f64, to: f64, visit: &mut dyn FnMut(Node)) {
        let curve = self.rod.curve();
        let knots = curve.knot_vector();
        let (low, high) = (knots.find_span(from) - curve.degree(), knots.find_span(to));
        (low..=high).for_each(|pose| visit(self.first.after(pose).node()));
    }
}
