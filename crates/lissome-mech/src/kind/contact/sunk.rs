//! How deep a rod lies in a surface between the points that keep it out.
//!
//! A fixed point keeps the middle of its stretch out; around a bend, over an edge or in a bore the rest of it may lie inside,
//! h²/(8R) deep on a surface of radius R. That is an error of its place, which two divisions need not show: their points may be
//! at the same places.

use super::carrier::Carrier;
use super::{Contact, Ground};
use crate::state::State;
use nalgebra::Vector3;

/// Places of a stretch that are looked at, and of one that is long beside what is thin.
const PLACES: usize = 8;
const MOST_PLACES: f64 = 256.0;

/// A place of a rod that lies in what it touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sunk {
    /// Number of the rod.
    pub rod: usize,
    /// Arc length, m.
    pub s: f64,
    /// m.
    pub depth: f64,
    /// Where it is, world axes, m.
    pub place: Vector3<f64>,
}

impl Contact {
    /// The deepest place of its stretch of a rod, if one lies in a surface.
    pub fn sunk(&self, state: &State) -> Option<Sunk> {
        let (Carrier::Rod(cell), Ground::Surface { frame, surface, .. }) = (&self.carrier, &self.ground) else {
            return None;
        };
        let frame = state.pose(*frame).inverse();
        let gap = |s: f64| {
            let (pose, radius) = self.carrier.glance(s, state);
            Some(surface.gap(&(frame * pose).position, radius)?.distance)
        };
        let beyond_reach = gap(cell.middle()).is_some_and(|gap| gap > super::LONGEST_STRETCH * cell.length());
        if cell.length() == 0.0 || beyond_reach {
            return None;
        }
        // So near to each other that what is thin is not missed between two of them.
        let thin = surface.depth().map_or(cell.length(), |depth| 0.5 * depth);
        let count = (cell.length() / thin).ceil().clamp(PLACES as f64, MOST_PLACES) as usize;
        let places = (0..=count).map(|k| cell.cell[0] + cell.length() * k as f64 / count as f64);
        let place = |s: f64| self.carrier.glance(s, state).0.position;
        let inside = places.filter_map(|s| Some(Sunk { rod: cell.index, s, depth: -gap(s)?, place: place(s) }));
        inside.filter(|place| place.depth > 0.0).max_by(|a, b| a.depth.total_cmp(&b.depth))
    }
}
