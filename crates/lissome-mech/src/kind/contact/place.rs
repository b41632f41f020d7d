//! Where along its cell a contact point of a rod sits when it may move: at the least gap.
//!
//! On a cell of length h the place s* makes δ(s) + ½ k (s − s_mid)² least, and that least value is the gap that is closed:
//! so its gradient is that of δ at s*, exactly. The second term keeps s* from jumping where the rod lies along the surface;
//! k h = 0.01 lets it sink in by h/800 at most, where it touches at the end of a cell. While s* is inside the cell it follows the
//! motion of the rod, which takes λ c cᵀ/(δ_ss + k) from the second derivative of −λδ, with c = d/ds (∂δ/∂z).

use super::carrier::{RodCell, Spot};
use super::{Contact, Touch};
use crate::index::{Node, Slot};
use crate::sink::BlockSink;
use crate::state::State;
use lissome_geometry::Nearest;
use nalgebra::{Matrix6, RowVector6, Vector3};

/// k h.
const CENTRING: f64 = 0.01;
/// Steps of the search, and the part of the cell that it ends with.
const MOST_STEPS: usize = 40;
const SAME: f64 = 1e-13;
/// Part of the cell over which differences are taken.
const DIFFERENCE: f64 = 1e-4;

/// Slope and second derivative of what the place minimises; `bend` is ε′, how stretch and shear change along the rod.
fn slopes(cell: &RodCell, touch: &Touch, bend: &Vector3<f64>) -> Option<(f64, f64)> {
    let (near, Spot::Rod { point, .. }) = (touch.near?, &touch.spot) else { return None };
    let r = touch.relative.rotation.matrix();
    let tangent: Vector3<f64> = r * point.strain.stretch;
    let turn: Vector3<f64> = r * (point.strain.curvature.cross(&point.strain.stretch) + bend);
    let centring = CENTRING / cell.length();
    let slope = near.normal.dot(&tangent) - cell.taper() + centring * (touch.s - cell.middle());
    let second = tangent.dot(&(near.curvature * tangent)) + near.normal.dot(&turn) + centring;
    Some((slope, second))
}

/// ε′ at a place, by a difference within the cell.
fn stretch_change(contact: &Contact, cell: &RodCell, touch: &Touch, state: &State) -> Vector3<f64> {
    let [from, to] = cell.cell;
    let way = DIFFERENCE * (to - from);
    let (before, after) = ((touch.s - way).max(from), (touch.s + way).min(to));
    let stretch = |s: f64| match contact.carrier.spot(s, state) {
        Spot::Rod { point, .. } => point.strain.stretch,
        Spot::Point { .. } => Vector3::zeros(),
    };
    (stretch(after) - stretch(before)) / (after - before)
}

/// The contact at the least gap of its cell; `middle` is the one at its middle.
pub(super) fn least_gap(contact: &Contact, cell: &RodCell, middle: Touch, state: &State) -> Touch {
    let [from, to] = cell.cell;
    let Some(near) = middle.near.filter(|_| to > from) else { return middle };
    // Along the cell a gap changes by no more than this.
    let stretch = match &middle.spot {
        Spot::Rod { point, .. } => point.strain.stretch.norm() + cell.taper().abs(),
        Spot::Point { .. } => 1.0,
    };
    if near.distance > stretch * cell.length() {
        return middle;
    }
    let at = |s: f64| {
        let touch = contact.touch_at(s, state);
        Touch { centring: 0.5 * CENTRING / cell.length() * (s - cell.middle()).powi(2), ..touch }
    };
    let (start, end) = (at(from), at(to));
    let bend = stretch_change(contact, cell, &middle, state);
    let slope = |touch: &Touch| slopes(cell, touch, &bend).map_or(0.0, |(slope, _)| slope);
    let gap = |touch: &Touch| touch.near.map_or(f64::INFINITY, |near| near.distance + touch.centring);
    if slope(&start) >= 0.0 || slope(&end) <= 0.0 {
        return if gap(&start) <= gap(&end) { start } else { end };
    }
    let (mut low, mut high) = (from, to);
    let mut here = middle;
    for _ in 0..MOST_STEPS {
        let Some((slope, second)) = slopes(cell, &here, &bend) else { return middle };
        if slope < 0.0 {
            low = here.s;
        } else {
            high = here.s;
        }
        let newton = here.s - slope / second;
        let next = if second > 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let moved = (next - here.s).abs();
        here = at(next);
        if moved <= SAME * (to - from) || high - low <= SAME * (to - from) {
            break;
        }
    }
    let bend = stretch_change(contact, cell, &here, state);
    here.moves = slopes(cell, &here, &bend).filter(|(_, second)| *second > 0.0).map(|(_, second)| 1.0 / second);
    here
}

/// Adds `weight` c cᵀ, c = d/ds (∂δ/∂z) at a point that moves along its rod.
pub(super) fn add_following(touch: &Touch, near: &Nearest, weight: f64, frame: Slot, sink: &mut impl BlockSink) {
    let Spot::Rod { first, point, .. } = &touch.spot else { return };
    let r = touch.relative.rotation.matrix();
    let tangent: Vector3<f64> = r * point.strain.stretch;
    // δν·p′ + ν·δp′ with δp′ = R(ω × ε + δε), all in axes of the obstacle.
    let turned = (near.curvature * tangent).transpose() * r;
    let normal = near.normal.transpose() * r;
    let swung = point.strain.stretch.cross(&normal.transpose()).transpose();
    let row = |m: usize| -> RowVector6<f64> {
        let (j, d) = (point.jacobian(m), point.strain_jacobian(m));
        turned * j.fixed_rows::<3>(3) + swung * j.fixed_rows::<3>(0) + normal * d.fixed_rows::<3>(3)
    };
    let mut on_frame = RowVector6::zeros();
    let x = touch.relative.position;
    let bent = near.curvature * tangent;
    // The obstacle moves by −v − ω × x, and with it ν turns against the tangent.
    on_frame.fixed_columns_mut::<3>(3).copy_from(&-bent.transpose());
    let turn = x.cross(&bent) + tangent.cross(&near.normal);
    on_frame.fixed_columns_mut::<3>(0).copy_from(&-turn.transpose());
    let mut nodes: Vec<(Node, RowVector6<f64>)> = Vec::with_capacity(8);
    nodes.extend(point.poses().enumerate().map(|(m, pose)| (first.after(pose).node(), row(m))));
    nodes.push((frame.node(), on_frame));
    for (i, (a, left)) in nodes.iter().enumerate() {
        for (b, right) in &nodes[..=i] {
            let block: Matrix6<f64> = left.transpose() * right * weight;
            sink.add_symmetric(*a, *b, &block);
        }
    }
}
