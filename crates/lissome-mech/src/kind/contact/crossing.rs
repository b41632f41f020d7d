//! Whether something came through an obstacle on its way from one state to another.
//!
//! Equilibria of both may be flawless, one on each side of a bar. A point came through if the straight way between its two
//! places, seen from the obstacle, leads deeper into it than half of what it is thick.

use super::Contact;
use super::ground::Ground;
use crate::state::State;

/// Places of the way that are looked at.
const PLACES: usize = 16;

impl Contact {
    /// True if its point came through its obstacle.
    pub fn crosses(&self, from: &State, to: &State) -> bool {
        let Ground::Surface { frame, surface, .. } = &self.ground else { return false };
        let Some(depth) = surface.depth() else { return false };
        let place = |state: &State| {
            let (pose, radius) = self.carrier.glance(self.carrier.fixed_place(), state);
            ((state.pose(*frame).inverse() * pose).position, radius)
        };
        let ((start, radius), (end, _)) = (place(from), place(to));
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
