//! Where along its cell a contact point of a rod sits when it may move: at the least gap.
//!
//! On a cell of length h the place s* makes δ(s) + ½ k (s − s_mid)² least, and that least value is the gap that is closed:
//! so its gradient is that of δ at s*, exactly. The second term keeps s* from jumping where the rod lies along the surface;
//! k h = 8e-4 lets it sink in by h/10000 at most, where it touches at the end of a cell, and on rods of few spans k is less. While s* is inside the cell it follows the
//! motion of the rod, which takes λ c cᵀ/(δ_ss + k) from the second derivative of −λδ, with c = d/ds (∂δ/∂z).

use super::carrier::{RodCell, Spot};
use super::ground::Ground;
use super::{Contact, Touch};
use crate::state::State;
use nalgebra::{Matrix3, Vector3};

/// k h on surfaces that are round, at most.
const CENTRING: f64 = 8e-4;
/// How far a rod may sink in for that, of its length; and one that lies across what it touches, whose gap rises on both sides anyway.
pub(super) const SINKS: f64 = 6e-6;
pub(super) const SINKS_ACROSS: f64 = 1e-10;
/// k h between rods, which lie along each other as a rule: with that of surfaces the twisted pair does not settle.
pub(super) const CENTRING_OF_RODS: f64 = 0.01;
/// Steps of the search, and the part of the cell that it ends with.
const MOST_STEPS: usize = 40;
const SAME: f64 = 1e-13;
/// Second derivative of a gap that may have several least values, times the length of the cell, at least.
const LEAST_RISE: f64 = 0.05;
/// A cell is looked at in so many parts where there may be several least gaps.
const PLACES: usize = 8;
/// Part of the cell over which differences are taken.
const DIFFERENCE: f64 = 1e-4;

/// k of a cell: at its end, half its length from the middle, the term is what the rod sinks in by.
fn centring(cell: &RodCell, sinks: f64) -> f64 {
    let h = cell.length();
    (CENTRING / h).min(8.0 * sinks * cell.rod.curve().length() / (h * h))
}

/// Slope and second derivative of what the place minimises; `bend` is ε′, how stretch and shear change along the rod.
fn slopes(cell: &RodCell, centring: f64, touch: &Touch, bend: &Vector3<f64>) -> Option<(f64, f64)> {
    let (near, Spot::Rod { point, .. }) = (&touch.near, &touch.spot) else { return None };
    let r = touch.relative.rotation.matrix();
    let strain = point.strain();
    let tangent: Vector3<f64> = r * strain.stretch;
    let turn: Vector3<f64> = r * (strain.curvature.cross(&strain.stretch) + bend);
    let slope = near.normal.dot(&tangent) - cell.taper() + centring * (touch.places[0] - cell.middle());
    let second = tangent.dot(&(near.curvature * tangent)) + near.normal.dot(&turn) + centring;
    Some((slope, second))
}

/// ε′ at a place, by a difference within the cell.
fn stretch_change(contact: &Contact, cell: &RodCell, touch: &Touch, state: &State) -> Vector3<f64> {
    let [from, to] = cell.cell;
    let way = DIFFERENCE * (to - from);
    let (before, after) = ((touch.places[0] - way).max(from), (touch.places[0] + way).min(to));
    let stretch = |s: f64| match contact.carrier.spot(s, state) {
        Spot::Rod { point, .. } => point.strain().stretch,
        Spot::Point { .. } => Vector3::zeros(),
    };
    (stretch(after) - stretch(before)) / (after - before)
}

/// The contact at the least gap of its cell, where it may sink in by a part of the length; `middle` is the one at its middle.
pub(super) fn least_gap(contact: &Contact, cell: &RodCell, sinks: f64, middle: Touch, state: &State) -> Touch {
    let [from, to] = cell.cell;
    // Along the cell a gap changes by no more than this.
    let stretch = match &middle.spot {
        Spot::Rod { point, .. } => point.strain().stretch.norm() + cell.taper().abs(),
        Spot::Point { .. } => 1.0,
    };
    // A rod that bends may come near to what is convex twice: in motion that would be a jump.
    let once = sinks == SINKS && matches!(&contact.ground, Ground::Surface { surface, .. } if surface.is_round());
    if to <= from || middle.near.distance > stretch * cell.length() {
        return middle;
    }
    let centring = centring(cell, sinks);
    let at = |s: f64| {
        let touch = contact.touch_at(s, state).unwrap_or(middle);
        Touch { centring: 0.5 * centring * (s - cell.middle()).powi(2), ..touch }
    };
    let (start, end) = (at(from), at(to));
    // Where the rod lies on a flat face the least gap may be anywhere along the cell.
    let flat = |touch: &Touch| touch.near.curvature == Matrix3::zeros() && touch.near.normal == middle.near.normal;
    if [&start, &middle, &end].into_iter().all(flat) {
        return middle;
    }
    let bend = stretch_change(contact, cell, &middle, state);
    let slope = |touch: &Touch| slopes(cell, centring, touch, &bend).map_or(0.0, |(slope, _)| slope);
    let gap = |touch: &Touch| touch.near.distance + touch.centring;
    let (mut low, mut high) = (from, to);
    let (mut first, mut last, mut here) = (start, end, middle);
    if !once {
        let place = |k: usize| at(from + (to - from) * k as f64 / PLACES as f64);
        let best = (1..PLACES).map(|k| (k, place(k))).min_by(|(_, a), (_, b)| gap(a).total_cmp(&gap(b)));
        if let Some((k, best)) = best.filter(|(_, best)| gap(best) < gap(&start).min(gap(&end))) {
            (first, last, here) = (place(k - 1), place(k + 1), best);
            (low, high) = (first.places[0], last.places[0]);
        }
    }
    if slope(&first) >= 0.0 || slope(&last) <= 0.0 {
        return [here, first, last].into_iter().min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or(middle);
    }
    for _ in 0..MOST_STEPS {
        let Some((slope, second)) = slopes(cell, centring, &here, &bend) else { return middle };
        if slope < 0.0 {
            low = here.places[0];
        } else {
            high = here.places[0];
        }
        let newton = here.places[0] - slope / second;
        let next = if second > 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let moved = (next - here.places[0]).abs();
        here = at(next);
        if moved <= SAME * (to - from) || high - low <= SAME * (to - from) {
            break;
        }
    }
    let bend = stretch_change(contact, cell, &here, state);
    if let Some((_, second)) = slopes(cell, centring, &here, &bend).filter(|(_, second)| *second > 0.0) {
        // Where it hardly rises the place is anywhere.
        here.gives[(0, 0)] = if once { 1.0 / second } else { 1.0 / second.max(LEAST_RISE / cell.length()) };
    }
    here
}
