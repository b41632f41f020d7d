//! Folds and bifurcations between two points of an arc, found to the digits that the equations have.
//!
//! With the arc at h along the tangent of the first point:
//!
//! - **fold**: the tangent's part along t changes its sign, a smooth function of h with a simple zero there;
//! - **bifurcation**: the number of negative directions changes and that part does not: the eigenvalue nearest to zero passes
//!   through it, a smooth function of h too.
//!
//! Both by secants within a bracket. At a bifurcation K is singular along the arc and no border of the tangent cures that, so
//! the trials stand beside the place, and the secant's own word is the answer.

use crate::arclength::{Station, Trial};
use crate::continuation::Continuation;

/// Trials for one event.
const TRIALS: usize = 24;
/// A fold is found where the tangent is this much across t; t itself then errs by the square.
const ACROSS: f64 = 1e-6;
/// Brackets narrower than this part of the step end a search; two changes within it are one that is double.
const NARROW: f64 = 1e-4;
/// Ends of a bracket that are nearer than this part of the step cannot be told apart.
const TOGETHER: f64 = 1e-10;
/// Secants nearer to each other than this part of the step agree.
const AGREE: f64 = 1e-6;
/// How far from a fold stability is counted, in parts of the step: at the fold itself an eigenvalue is zero, and beside a
/// symmetric crossing it grows as the square of the distance only.
const BESIDE: f64 = 0.02;
/// How far beside the secant's word a trial stands, in parts of the bracket.
const ASIDE: f64 = 0.1;

/// An event on an arc.
pub(crate) struct ArcEvent {
    /// Along the tangent of the point before.
    pub h: f64,
    pub t: f64,
    /// How far t may be off.
    pub within: f64,
    pub kind: ArcEventKind,
    /// The equilibrium there, or the nearest that was found.
    pub station: Station,
    /// One beside it, where the motions that nothing resists there can be told from those that nothing resists anywhere.
    pub beside: Station,
    /// Directions in which the potential falls, before and beyond.
    pub negative: (usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArcEventKind {
    Fold,
    Bifurcation {
        /// How many eigenvalues pass through zero at once.
        multiplicity: usize,
    },
}

/// A station at a length along the tangent of the point that the search began with.
type At = (f64, Station);

impl Continuation<'_, '_> {
    /// A point at a given length along the tangent of a station.
    pub fn station_along(&mut self, from: &Station, length: f64) -> Option<(Station, f64)> {
        let Trial::Reached { place, contraction, tangent, negative } =
            self.arc_step(&from.place, &from.tangent, length)
        else {
            return None;
        };
        let negative = match negative {
            Some(negative) => negative,
            None => self.count(&place.state, &place.inputs)?,
        };
        Some((Station { place, tangent, negative }, contraction))
    }

    /// Every event between a station and one that lies at a length along its tangent, in order.
    pub fn arc_events(&mut self, from: &Station, to: &Station, length: f64) -> Vec<ArcEvent> {
        let (first, last) = ((0.0, from.clone()), (length, to.clone()));
        if from.tangent.t * to.tangent.t >= 0.0 {
            return self.bifurcations(from, first, last, length);
        }
        let Some((mut fold, near)) = self.fold(from, first.clone(), last.clone()) else { return Vec::new() };
        // Beside the fold stability is counted at the nearest trial that is far enough from it.
        let clear = |at: &At| (at.0 - fold.h).abs() > BESIDE * length;
        let before = near.iter().filter(|at| at.0 < fold.h && clear(at)).max_by(|a, b| a.0.total_cmp(&b.0));
        let after = near.iter().filter(|at| at.0 > fold.h && clear(at)).min_by(|a, b| a.0.total_cmp(&b.0));
        fold.negative =
            (before.map_or(from.negative, |at| at.1.negative), after.map_or(to.negative, |at| at.1.negative));
        // A branch that turns back and is as stable as before is one that another crosses there, as a symmetric one crosses
        // the branches that leave it to both sides.
        if fold.negative.0 == fold.negative.1 {
            fold.kind = ArcEventKind::Bifurcation { multiplicity: 1 };
        }
        let mut events = match before {
            Some(before) => self.bifurcations(from, first, before.clone(), length),
            None => Vec::new(),
        };
        events.push(fold);
        if let Some(after) = after {
            events.extend(self.bifurcations(from, after.clone(), last, length));
        }
        events
    }

    /// The fold in a bracket, and the trials around it.
    fn fold(&mut self, from: &Station, mut low: At, mut high: At) -> Option<(ArcEvent, Vec<At>)> {
        let negative = (low.1.negative, high.1.negative);
        let mut near = vec![low.clone(), high.clone()];
        let whole = high.0;
        // Regula falsi with the weights of Illinois: the end that stays is trusted half as much.
        let (mut a, mut b) = (low.1.tangent.t, high.1.tangent.t);
        let mut last_side = 0;
        for _ in 0..TRIALS {
            let h = low.0 + (high.0 - low.0) * (a / (a - b)).clamp(0.01, 0.99);
            let Some((station, _)) = self.station_along(from, h) else { break };
            let value = station.tangent.t;
            let found = (h, station);
            near.push(found.clone());
            let side = if value * a > 0.0 { 1 } else { -1 };
            if side > 0 {
                (low, a) = (found, value);
                b *= if last_side == side { 0.5 } else { 1.0 };
            } else {
                (high, b) = (found, value);
                a *= if last_side == side { 0.5 } else { 1.0 };
            }
            last_side = side;
            if value.abs() < ACROSS || high.0 - low.0 < TOGETHER * whole {
                break;
            }
        }
        let best = near.iter().min_by(|a, b| a.1.tangent.t.abs().total_cmp(&b.1.tangent.t.abs()))?.clone();
        // t is a parabola between the ends of the bracket, whose slopes are known; dt/dh is the tangent's part along t.
        let (slope_low, slope_high) = (low.1.tangent.t, high.1.tangent.t);
        let to_top = (high.0 - low.0) * slope_low / (slope_low - slope_high);
        let t = low.1.place.t + 0.5 * to_top * slope_low;
        let within = (0.5 * to_top * slope_low).abs().max((t - best.1.place.t).abs());
        let (h, station) = best;
        let beside = low.1;
        let event = ArcEvent { h, t, within, kind: ArcEventKind::Fold, station, beside, negative };
        Some((event, near))
    }

    /// Changes of the number of negative directions between two stations with no fold between them.
    fn bifurcations(&mut self, from: &Station, low: At, high: At, whole: f64) -> Vec<ArcEvent> {
        if low.1.negative == high.1.negative {
            return Vec::new();
        }
        let (mut low, mut high) = (low, high);
        let (mut a, mut b) = (self.critical(&low.1), self.critical(&high.1));
        let mut word: Option<f64> = None;
        let mut agreed = f64::INFINITY;
        let mut reach = 1.0;
        for _ in 0..TRIALS {
            let width = high.0 - low.0;
            let multiplicity = low.1.negative.abs_diff(high.1.negative);
            if width < NARROW * whole || (multiplicity == 1 && agreed < AGREE * whole) {
                break;
            }
            let secant = a.zip(b).filter(|(a, b)| a * b < 0.0).map(|(a, b)| a / (a - b));
            if let Some(part) = secant {
                let next = low.0 + width * part;
                agreed = word.map_or(f64::INFINITY, |before| (next - before).abs());
                word = Some(next);
            }
            let part = secant.map_or(0.5, |at| if at < 0.5 { at + ASIDE } else { at - ASIDE }) * reach;
            let Some((station, _)) = self.station_along(from, low.0 + width * part) else {
                reach *= 0.7;
                continue;
            };
            reach = 1.0;
            let found = (low.0 + width * part, station);
            if found.1.negative == low.1.negative {
                a = self.critical(&found.1);
                low = found;
            } else if found.1.negative == high.1.negative {
                b = self.critical(&found.1);
                high = found;
            } else {
                // Several, one after the other.
                let mut events = self.bifurcations(from, low, found.clone(), whole);
                events.extend(self.bifurcations(from, found, high, whole));
                return events;
            }
        }
        let h = word.filter(|h| (low.0..=high.0).contains(h)).unwrap_or(0.5 * (low.0 + high.0));
        let t = between(&low, &high, h);
        let nearer = if h - low.0 < high.0 - h { &low } else { &high };
        let error = if word.is_some() { agreed.min(high.0 - low.0) } else { high.0 - low.0 };
        let negative = (low.1.negative, high.1.negative);
        let kind = ArcEventKind::Bifurcation { multiplicity: negative.0.abs_diff(negative.1) };
        let within = error * nearer.1.tangent.t.abs();
        // The end whose eigenvalue has the sign that it should, and is nearer to zero.
        let falls = if negative.1 > negative.0 { 1.0 } else { -1.0 };
        let at_low = a.map(|a| falls * a).filter(|a| *a > 0.0);
        let at_high = b.map(|b| -falls * b).filter(|b| *b > 0.0);
        let beside = match (at_low, at_high) {
            (Some(x), Some(y)) => {
                if x < y {
                    &low
                } else {
                    &high
                }
            }
            (Some(_), None) => &low,
            (None, Some(_)) => &high,
            (None, None) => nearer,
        };
        let beside = beside.1.clone();
        // The corrector may or may not stand the singular point itself.
        let station = match self.station_along(from, h) {
            Some((station, _)) if station.tangent.cosine(&nearer.1.tangent, self.driver.system) > 0.99 => station,
            _ => nearer.1.clone(),
        };
        vec![ArcEvent { h, t, within, kind, station, beside, negative }]
    }

    fn critical(&mut self, at: &Station) -> Option<f64> {
        self.eigenvalue_nearest_to_zero(&at.place.state, &at.place.inputs, at.negative)
    }
}

/// t between two stations: the cubic with their values and slopes.
fn between(low: &At, high: &At, h: f64) -> f64 {
    let width = high.0 - low.0;
    if width <= 0.0 {
        return low.1.place.t;
    }
    let u = (h - low.0) / width;
    let (a, b) = (low.1.place.t, high.1.place.t);
    let chord = b - a;
    // A step along a fixed direction is as long as the arc but for the cosine, which both ends share to second order.
    let mean = 0.5 * (low.1.tangent.t + high.1.tangent.t);
    let stretch = if mean.abs() > 1e-12 { chord / (mean * width) } else { 1.0 };
    let (p, q) = (low.1.tangent.t * stretch * width - chord, chord - high.1.tangent.t * stretch * width);
    a + u * chord + u * (1.0 - u) * ((1.0 - u) * p + u * q)
}
