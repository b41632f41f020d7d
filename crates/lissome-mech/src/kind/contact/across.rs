//! A rod across something thin and round: a post, a ball, a bar.
//!
//! What a rod touches along a stretch it touches with a point that is fixed to each of its spans. What is thin beside a span it
//! touches at one place, which may be anywhere between two such points; so there the point of the span **moves** to the least gap,
//! at rest and in motion, with friction and without. As between rods that cross, slip is counted at the piece of material that
//! touched when it was last counted.
//!
//! Which of the two it is, is a memory of the state: it is asked before a step and, at rest, after every iteration, and stays what it
//! is while the point presses.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | s* | place of the least gap of a stretch | `Touch::places` |
//! | s⁰ | place that slip counts from | `Lie::Across` |

use super::carrier::{Carrier, RodCell};
use super::grip::Slip;
use super::ground::Ground;
use super::lie::{Across, Lie};
use super::sunk::Sunk;
use super::{Contact, LONGEST_STRETCH, Touch, place};
use crate::state::State;
use lissome_lie::Pose;

/// A rod lies across a surface where the gap rises on both sides of its least by this part of the way, half a span: on what is
/// round, where spans are longer than 0.4 of its radius.
const RISES: f64 = 0.1;
/// It goes on to lie across it while the gap rises by this part of that.
const BLUNT: f64 = 0.5;
/// Each stretch is looked at in so many places, and both beside it.
const PLACES: usize = 8;
/// Of half a span so much is there at least on both sides: at the end of a rod is a point of its own.
const LEAST_WAY: f64 = 0.1;

impl Contact {
    pub(super) fn across(&self) -> Option<&Across> {
        match &self.ground {
            Ground::Surface { across, .. } => across.as_ref(),
            Ground::Rods { .. } | Ground::Ridges(_) | Ground::Edges(_) => None,
        }
    }

    /// True of a stretch of a rod that may lie across what it touches.
    pub fn may_lie_across(&self) -> bool {
        self.across().is_some()
    }

    /// How it lies to its surface at a state.
    pub(super) fn lie(&self, state: &State) -> Lie {
        self.across().map_or(Lie::Along, |across| Lie::read(state.block(across.memory)))
    }

    pub(super) fn lies_across(&self, state: &State) -> bool {
        matches!(self.lie(state), Lie::Across(_))
    }

    /// Remembers the place that slip counts from.
    pub(super) fn anchor_across(&self, s: f64, to: &mut State) {
        if let Some(across) = self.across() {
            to.linear[across.memory] = Lie::Across(s).memory();
        }
    }

    /// Looks how it lies at the poses of one state, for the memory of another. What presses goes on as it did; where it lies along the
    /// surface after all, before a time step only: then it parts from it by a little, which at rest would go round in circles.
    pub fn look_across(&self, poses: &State, moves: bool, to: &mut State) {
        let (Some(across), Carrier::Rod(cell)) = (self.across(), &self.carrier) else { return };
        let known = self.lie(to);
        let presses = self.presses(to.block(self.multiplier.block));
        let stays = match known {
            Lie::Unknown => false,
            Lie::Along => presses,
            Lie::Across(_) => presses && !moves,
        };
        if stays {
            return;
        }
        let lies_across = matches!(known, Lie::Across(_));
        let sharp = if lies_across { BLUNT * RISES } else { RISES };
        let touch = self.has_crest(cell, across, sharp, poses).then(|| self.least_touch(moves, poses)).flatten();
        match touch {
            Some(_) if lies_across => {}
            // What has sunk in between its points stays with them: to be pushed out at once would be a blow.
            Some(touch) if touch.near.distance >= 0.0 => {
                to.linear[across.memory] = Lie::Across(touch.places[0]).memory();
                self.anchor_where(&touch.relative, to);
            }
            _ => to.linear[across.memory] = Lie::Along.memory(),
        }
    }

    /// Where a stretch that lies across its surface is inside.
    pub(super) fn sunk_across(&self, state: &State) -> Option<Sunk> {
        let (Some(across), Carrier::Rod(cell)) = (self.across(), &self.carrier) else { return None };
        let crest = self.has_crest(cell, across, RISES, state);
        let touch = crest.then(|| self.least_touch(true, state)).flatten()?;
        let [s, depth] = [touch.places[0], -touch.near.distance];
        (depth > 0.0).then(|| Sunk { rod: cell.index, s, depth, place: touch.spot.pose().position })
    }

    /// True if on a stretch, or on one beside it, the gap has a least value that rises by a part of the way on both sides.
    fn has_crest(&self, cell: &RodCell, across: &Across, sharp: f64, state: &State) -> bool {
        let Ground::Surface { frame, surface, .. } = &self.ground else { return false };
        let (length, end) = (cell.length(), across.own.inside(f64::INFINITY));
        let frame = state.pose(*frame).inverse();
        let gap = |s: f64| {
            let at = (frame * across.own.pose(s, state)).position;
            surface.gap(&at, across.own.radius(s)).map_or(f64::INFINITY, |near| near.distance)
        };
        if gap(cell.middle()) > 1.5 * LONGEST_STRETCH * length {
            return false;
        }
        let place = |k: usize| (cell.cell[0] + length * (k as f64 / PLACES as f64 - 1.0)).clamp(0.0, end);
        let least = (0..=3 * PLACES).map(|k| (place(k), gap(place(k)))).min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((s, least)) = least else { return false };
        let rises = |to: f64| {
            let (to, way) = (to.clamp(0.0, end), 0.5 * length);
            (to - s).abs() >= LEAST_WAY * way && gap(to) - least > sharp * (to - s).abs()
        };
        rises(s - 0.5 * length) && rises(s + 0.5 * length)
    }

    /// At the least gap of its stretch.
    pub(super) fn least_touch(&self, moves: bool, state: &State) -> Option<Touch> {
        let Carrier::Rod(cell) = &self.carrier else { return None };
        let middle = self.touch_at(self.carrier.fixed_place(), state)?;
        let sinks = if moves { place::SINKS_ACROSS } else { place::SINKS };
        Some(place::least_gap(self, cell, sinks, middle, state))
    }

    /// Slip of the place that it is counted at, on a surface that a rod lies across: directions are those where it was counted from.
    pub(super) fn slip_across(&self, relative: &Pose, radius: f64, state: &State) -> Slip {
        let anchor = self.anchored(state).unwrap_or(*relative);
        let normal = match &self.ground {
            Ground::Surface { surface, .. } => surface.gap(&anchor.position, radius).map(|near| near.normal),
            Ground::Edges(edges) => edges.normal_at(&anchor.position, state),
            Ground::Rods { .. } | Ground::Ridges(_) => None,
        };
        let normal = normal.unwrap_or_else(nalgebra::Vector3::z);
        Slip::new(relative, &anchor, &normal, &normal, radius)
    }
}
