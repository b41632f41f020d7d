//! Whether something came through an obstacle on its way from one state to another, or is about to.
//!
//! Equilibria of both may be flawless, one on each side of a bar. A point came through if the straight way between its two
//! places, seen from the obstacle, leads deeper into it than half of what it is thick. What goes slowly is seen on its way: a rod
//! whose points pass an edge or a plate on both sides is run through where it lies as deep between them.

use super::Contact;
use super::carrier::Carrier;
use super::ground::Ground;
use super::sunk::Sunk;
use super::surface::Surface;
use crate::index::Slot;
use crate::state::State;

/// From one look to the next it is this part of the way at least.
const SHORTEST_LOOK: f64 = 1.0 / 256.0;
/// Places of one stretch of a rod that are looked at.
const MOST_IN_A_CELL: f64 = 256.0;

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

    /// Where the axis of a rod is nearly in the middle of what a stretch touches, between the points that keep it out.
    pub fn run_through(&self, state: &State) -> Option<Sunk> {
        let (Ground::Surface { surface, .. }, Carrier::Rod(cell)) = (&self.ground, &self.carrier) else { return None };
        // A stretch that is shorter than what it touches is thick does not reach over it.
        let depth = surface.depth().filter(|depth| cell.length() > *depth)?;
        self.sunk(state).filter(|sunk| sunk.depth > cell.radii[0] + 0.5 * depth)
    }

    /// Where a stretch of a rod came to lie in the middle of something, or through it, on the way from one state to another.
    pub fn ran_through(&self, from: &State, to: &State) -> Option<Sunk> {
        let (Ground::Surface { surface, .. }, Carrier::Rod(cell)) = (&self.ground, &self.carrier) else { return None };
        let depth = surface.depth().filter(|depth| cell.length() > *depth)?;
        if let Some(sunk) = self.run_through(to) {
            return self.run_through(from).is_none().then_some(sunk);
        }
        self.crosses(from, to).then(|| {
            let s = cell.middle();
            Sunk { rod: cell.index, s, depth: depth + cell.radii[0], place: self.carrier.glance(s, to).0.position }
        })
    }

    /// Where a rod is in something between the points that keep it out: where the middle of that is in it, or where it lies across.
    pub fn inside_between(&self, state: &State) -> Option<Sunk> {
        self.run_through(state).or_else(|| self.sunk_across(state))
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
        // No gap changes faster than the place, so that nothing between two looks is deeper.
        let mut part = 0.0;
        while part < 1.0 {
            let left = gap(part) + allowed;
            if left < 0.0 {
                return true;
            }
            part += (left / way.norm()).max(SHORTEST_LOOK);
        }
        false
    }
}
