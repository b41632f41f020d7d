//! A rod across something thin: a post, an edge, the rim of a plate.
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
use super::skin::Skin;
use super::surface::Surface;
use super::{Contact, LONGEST_STRETCH, Touch, place};
use crate::contribution::At;
use crate::index::{Block, Slot};
use crate::state::State;
use lissome_lie::Pose;
use nalgebra::Vector6;
use std::sync::Arc;

/// A rod lies across a surface where the gap rises on both sides of its least by this part of the way, half a span: on what is
/// round, where spans are longer than 0.4 of its radius.
const RISES: f64 = 0.1;
/// What is closer to the end of a stretch than this part of it is at the end.
const AT_THE_END: f64 = 1e-9;

/// What a stretch of a rod needs where it may lie across a surface.
#[derive(Clone, Debug)]
pub struct Across {
    /// Its rod.
    pub own: Arc<Skin>,
    /// Where it is remembered how it lies.
    pub memory: Block,
}

/// How a stretch of a rod lies to a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lie {
    /// Nobody has looked.
    Unknown,
    /// Along it: its point is in its middle.
    Along,
    /// Across it; with the place that slip counts from, m.
    Across(f64),
}

impl Lie {
    fn read(memory: &Vector6<f64>) -> Self {
        match memory[0] as i32 {
            1 => Self::Along,
            2 => Self::Across(memory[1]),
            _ => Self::Unknown,
        }
    }

    fn memory(self) -> Vector6<f64> {
        let (code, anchor) = match self {
            Self::Unknown => (0.0, 0.0),
            Self::Along => (1.0, 0.0),
            Self::Across(anchor) => (2.0, anchor),
        };
        Vector6::new(code, anchor, 0.0, 0.0, 0.0, 0.0)
    }
}

impl Contact {
    pub(super) fn across(&self) -> Option<&Across> {
        match &self.ground {
            Ground::Surface { across, .. } => across.as_ref(),
            Ground::Rods { .. } => None,
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

    /// Looks how it lies at the poses of one state, for the memory of another. What presses goes on as it did.
    pub fn look_across(&self, at: &At<'_>, to: &mut State) {
        let (Ground::Surface { frame, surface, across: Some(across), .. }, Carrier::Rod(cell)) =
            (&self.ground, &self.carrier)
        else {
            return;
        };
        let known = self.lie(to);
        if known != Lie::Unknown && self.presses(to.block(self.multiplier.block)) {
            return;
        }
        match self.crest(cell, across, (*frame, surface), at.state) {
            None => to.linear[across.memory] = Lie::Along.memory(),
            Some(touch) => {
                if !matches!(known, Lie::Across(_)) {
                    to.linear[across.memory] = Lie::Across(touch.places[0]).memory();
                    self.anchor_where(&touch.relative, to);
                }
            }
        }
    }

    /// Where a stretch touches at its least gap, if it lies across the surface there.
    fn crest(
        &self,
        cell: &RodCell,
        across: &Across,
        (frame, surface): (Slot, &Surface),
        state: &State,
    ) -> Option<Touch> {
        let middle = self.touch_at(cell.middle(), state)?;
        if middle.near.distance > LONGEST_STRETCH * cell.length() {
            return None;
        }
        let touch = place::least_gap(self, cell, middle, state);
        let [s, end] = [touch.places[0], cell.rod.curve().length()];
        // At the border of two stretches the second has it.
        let close = AT_THE_END * cell.length();
        if s >= cell.cell[1] - close {
            return None;
        }
        let frame = state.pose(frame).inverse();
        let rises = |side: f64| {
            let there = (s + side * 0.5 * cell.length()).clamp(0.0, across.own.inside(end));
            let way = (there - s).abs();
            let at = (frame * across.own.pose(there, state)).position;
            let gap = surface.gap(&at, across.own.radius(there)).map_or(f64::INFINITY, |near| near.distance);
            way > close && gap - touch.near.distance > RISES * way
        };
        (rises(-1.0) && rises(1.0)).then_some(touch)
    }

    /// At the least gap of its stretch.
    pub(super) fn least_touch(&self, state: &State) -> Option<Touch> {
        let Carrier::Rod(cell) = &self.carrier else { return None };
        Some(place::least_gap(self, cell, self.touch_at(cell.middle(), state)?, state))
    }

    /// Slip of the place that it is counted at, on a surface that a rod lies across: directions are those where it was counted from.
    pub(super) fn slip_across(&self, relative: &Pose, radius: f64, state: &State) -> Slip {
        let anchor = self.anchored(state).unwrap_or(*relative);
        let normal = match &self.ground {
            Ground::Surface { surface, .. } => surface.gap(&anchor.position, radius).map(|near| near.normal),
            Ground::Rods { .. } => None,
        };
        let normal = normal.unwrap_or_else(nalgebra::Vector3::z);
        Slip::new(relative, &anchor, &normal, &normal, radius)
    }
}
