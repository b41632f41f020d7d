//! Whether something came through an obstacle on its way from one state to another.
//!
//! Equilibria of both may be flawless, one on each side of a bar. A point came through if the straight way between its two
//! places, seen from the obstacle, leads deeper into it than half of what it is thick.

use super::Contact;
use super::carrier::Carrier;
use super::ground::Ground;
use super::surface::Surface;
use crate::index::Slot;
use crate::state::State;

/// Places of the way that are looked at.
const PLACES: usize = 16;
/// Places of one stretch of a rod that are looked at.
const MOST_IN_A_CELL: f64 = 32.0;

impl Contact {
    /// True if its point came through its obstacle.
    pub fn crosses(&self, from: &State, to: &State) -> bool {
        let Ground::Surface { frame, surface, .. } = &self.ground else { return self.ridges_cross(from, to) };
        let Some(depth) = surface.depth() else { return false };
        // So near to each other that none of what the obstacle is thick passes between two of them.
        let apart = 0.5 * depth;
        let places: Vec<f64> = match &self.carrier {
            Carrier::Rod(cell) => {
                let count = (cell.length() / apart).ceil().clamp(1.0, MOST_IN_A_CELL) as usize;
                (0..count).map(|k| cell.cell[0] + cell.length() * (k as f64 + 0.5) / count as f64).collect()
            }
            Carrier::Point { .. } | Carrier::Ridge { .. } => vec![0.0],
        };
        places.into_iter().any(|s| self.place_crosses(s, [from, to], *frame, surface, depth))
    }

    /// The same of one place of it.
    fn place_crosses(&self, s: f64, ends: [&State; 2], frame: Slot, surface: &Surface, depth: f64) -> bool {
        let [(start, radius), (end, _)] = ends.map(|state| {
            let (pose, radius) = self.carrier.glance(s, state);
            ((state.pose(frame).inverse() * pose).position, radius)
        });
        let allowed = 0.5 * (depth + radius);
        let way = end - start;
        let gap = |part: f64| surface.gap(&(start + way * part), radius).map_or(f64::INFINITY, |near| near.distance);
        // Whoever is farther from it than the way is long does not meet it.
        if way.norm() <= allowed || gap(0.0) > way.norm() {
            return false;
        }
        (1..PLACES).any(|k| gap(k as f64 / PLACES as f64) < -allowed)
    }
}
