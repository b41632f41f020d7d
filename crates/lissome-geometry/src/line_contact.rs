//! Stretches along which two curves run side by side.
//!
//! Where two curves are nearly parallel, the place of least distance says little: it jumps along them with the smallest
//! change. Such an approach is a stretch, from where they come within a reach of each other to where they part or turn
//! away from each other, and forces on it are spread along it.

use crate::curve::{Curve, foot_within, nearest_on};
use crate::pairs::Approach;

/// Curves that meet at less than this angle run side by side: 25°.
pub const NEARLY_PARALLEL: f64 = 0.906_307_787_036_65;

/// Steps of a walk in each cell, and bisections of its last one.
const STEPS_PER_CELL: f64 = 4.0;
const BISECTIONS: usize = 50;

/// A stretch of two curves side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// From where to where on the first, growing.
    pub first: [f64; 2],
    /// What lies opposite on the second; falling if they run in opposite directions.
    pub second: [f64; 2],
}

/// The stretch around an approach along which two curves are within `reach` and nearly parallel; `None` if they cross at a
/// larger angle. `apart` leaves out places of one curve that are nearer than that along it; zero for two curves.
pub fn line_contact(a: &impl Curve, b: &impl Curve, near: &Approach, reach: f64, apart: f64) -> Option<Stretch> {
    if near.cosine.abs() < NEARLY_PARALLEL || near.distance > reach {
        return None;
    }
    let mut ends = [(near.at[0], near.at[1]); 2];
    for (end, sense) in ends.iter_mut().zip([-1.0, 1.0]) {
        *end = walk(a, b, near.at, sense, reach, apart);
    }
    let [(first, opposite), (last, opposite_last)] = ends;
    Some(Stretch { first: [first, last], second: [opposite, opposite_last] })
}

/// How far one can go from a place on the first curve.
fn walk(a: &impl Curve, b: &impl Curve, from: [f64; 2], sense: f64, reach: f64, apart: f64) -> (f64, f64) {
    let range = a.range();
    let pace = sense * (range[1] - range[0]) / (a.cells() as f64 * STEPS_PER_CELL);
    let mut here = (from[0], from[1]);
    let last = if sense < 0.0 { range[0] } else { range[1] };
    while here.0 != last {
        let next = here.0 + pace;
        let next = if (last - next) * sense <= 0.0 { last } else { next };
        match opposite(a, b, next, here.1, reach, apart) {
            Some(there) => here = (next, there),
            None => return edge(a, b, here, next, reach, apart),
        }
    }
    here
}

/// Where a stretch ends between a place that belongs to it and one that does not.
fn edge(a: &impl Curve, b: &impl Curve, inside: (f64, f64), outside: f64, reach: f64, apart: f64) -> (f64, f64) {
    let (mut inside, mut outside) = (inside, outside);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (inside.0 + outside);
        match opposite(a, b, middle, inside.1, reach, apart) {
            Some(there) => inside = (middle, there),
            None => outside = middle,
        }
    }
    inside
}

/// The place of the second curve opposite to one of the first, near an earlier one; `None` where they do not run side by
/// side.
fn opposite(a: &impl Curve, b: &impl Curve, s: f64, earlier: f64, reach: f64, apart: f64) -> Option<f64> {
    let point = a.at(s);
    let [first, last] = b.range();
    let foot = match apart > 0.0 {
        // Its own neighbourhood is always nearest: look around the last place only.
        true => {
            let cell = (last - first) / b.cells() as f64;
            foot_within(b, &point.position, [(earlier - cell).max(first), (earlier + cell).min(last)])
        }
        false => nearest_on(b, &point.position),
    };
    let cosine = point.first.normalize().dot(&foot.point.first.normalize());
    let belongs = !foot.at_end && foot.distance <= reach && cosine.abs() >= NEARLY_PARALLEL;
    (belongs && (apart == 0.0 || (foot.s - s).abs() >= apart)).then_some(foot.s)
}
