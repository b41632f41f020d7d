//! Where two smooth curves, or a curve and itself, come close: every local minimum of their distance within a reach.
//!
//! Cells whose chords are farther apart than the reach and both sagittas are left out. In each pair of cells that is left
//! the search starts from the nearest places of the chords and goes down by Newton's method on ½|a(s) − b(t)|², held to a
//! box a little larger than the two cells, with a step that always comes nearer. What ends on the border of that box
//! belongs to other cells, or is no minimum. Minima found twice are told once. None is missed whose distance is less than
//! the radii of curvature of both curves; beyond that a pair of cells may hold several.

use crate::curve::{Curve, CurvePoint};
use nalgebra::{Matrix2, Vector2, Vector3};

/// A local minimum of the distance of two curves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Parameters on both.
    pub at: [f64; 2],
    /// Distance of the two places, m.
    pub distance: f64,
    /// From the second to the first, unit; zero if they cut each other.
    pub direction: Vector3<f64>,
    /// Cosine of the angle between the curves there; 1 and −1 if they are parallel.
    pub cosine: f64,
}

/// Steps of a search, and halvings of one.
const MOST_STEPS: usize = 60;
const MOST_HALVINGS: usize = 40;
/// A search may leave its cells by this part of them.
const BEYOND: f64 = 0.5;
/// Minima nearer to each other than this part of a cell are one.
const SAME_PLACE: f64 = 1e-6;
/// Steps below this part of a cell are those of Newton's method as they are.
const NEAR: f64 = 1e-5;
/// A parameter is known to this part of its cell.
const SAME: f64 = 1e-14;
/// Smallest part of the square of a diagonal that a determinant of Newton's matrix must have.
const SINGULAR: f64 = 1e-12;

/// Every local minimum of the distance of two curves that is less than `reach`; appended to `out`.
pub fn closest_pairs(a: &impl Curve, b: &impl Curve, reach: f64, out: &mut Vec<Approach>) {
    let first = out.len();
    for i in 0..a.cells() {
        for j in 0..b.cells() {
            search(a, b, [a.cell(i), b.cell(j)], reach, 0.0, first, out);
        }
    }
}

/// The same of a curve with itself: places that are less than `apart` from each other along it do not count. The first
/// parameter is the smaller one.
pub fn closest_pairs_with_itself(curve: &impl Curve, apart: f64, reach: f64, out: &mut Vec<Approach>) {
    let first = out.len();
    for i in 0..curve.cells() {
        for j in i..curve.cells() {
            let cells = [curve.cell(i), curve.cell(j)];
            if cells[1][1] - cells[0][0] >= apart {
                search(curve, curve, cells, reach, apart, first, out);
            }
        }
    }
}

/// The two places of a search.
struct Places {
    at: Vector2<f64>,
    a: CurvePoint,
    b: CurvePoint,
    off: Vector3<f64>,
}

impl Places {
    fn new(a: &impl Curve, b: &impl Curve, at: Vector2<f64>) -> Self {
        let (a, b) = (a.at(at.x), b.at(at.y));
        Self { at, a, b, off: a.position - b.position }
    }

    fn square(&self) -> f64 {
        self.off.norm_squared()
    }

    /// Gradient of ½|a − b|².
    fn gradient(&self) -> Vector2<f64> {
        Vector2::new(self.off.dot(&self.a.first), -self.off.dot(&self.b.first))
    }

    /// Its second derivative, and that of the chords alone.
    fn matrices(&self) -> [Matrix2<f64>; 2] {
        let (aa, bb) = (self.a.first.norm_squared(), self.b.first.norm_squared());
        let ab = -self.a.first.dot(&self.b.first);
        let straight = Matrix2::new(aa, ab, ab, bb);
        let bent = Matrix2::new(self.off.dot(&self.a.second), 0.0, 0.0, -self.off.dot(&self.b.second));
        [straight + bent, straight]
    }
}

#[allow(clippy::too_many_arguments)]
fn search(
    a: &impl Curve,
    b: &impl Curve,
    cells: [[f64; 2]; 2],
    reach: f64,
    apart: f64,
    first: usize,
    out: &mut Vec<Approach>,
) {
    let [[a0, a1], [b0, b1]] = cells;
    let chords = [[a.at(a0).position, a.at(a1).position], [b.at(b0).position, b.at(b1).position]];
    let (near, parts) = nearest_of_segments(&chords);
    if near - a.sagitta(a0, a1) - b.sagitta(b0, b1) > reach {
        return;
    }
    let widths = Vector2::new(a1 - a0, b1 - b0);
    let limits = [limit(a, cells[0]), limit(b, cells[1])];
    let middle = [a0 + widths.x * parts[0], b0 + widths.y * parts[1]];
    // Where a curve ends it may be nearest though the search from the middle leads away from there.
    let ends = [end_within(a, cells[0]), end_within(b, cells[1])];
    let starts = [
        Some(middle),
        ends[0].map(|end| [end, middle[1]]),
        ends[1].map(|end| [middle[0], end]),
        ends[0].zip(ends[1]).map(|(a, b)| [a, b]),
    ];
    for start in starts.into_iter().flatten() {
        let Some(found) = descend(a, b, Vector2::from(start), &limits, &widths) else { continue };
        let distance = found.square().sqrt();
        let neighbours = apart > 0.0 && found.at.y - found.at.x < apart;
        let same = |other: &Approach| (0..2).all(|k| (other.at[k] - found.at[k]).abs() <= SAME_PLACE * widths[k]);
        if distance > reach
            || neighbours
            || !is_minimum(a, b, &found, &limits, &widths)
            || out[first..].iter().any(same)
        {
            continue;
        }
        let direction = found.off.try_normalize(0.0).unwrap_or_default();
        let cosine = found.a.first.normalize().dot(&found.b.first.normalize());
        out.push(Approach { at: [found.at.x, found.at.y], distance, direction, cosine });
    }
}

/// The end of a curve that a cell contains.
fn end_within(curve: &impl Curve, [from, to]: [f64; 2]) -> Option<f64> {
    let [first, last] = curve.range();
    if from <= first { Some(first) } else { (to >= last).then_some(last) }
}

/// A cell and a little more, within the curve.
fn limit(curve: &impl Curve, [from, to]: [f64; 2]) -> [f64; 2] {
    let [first, last] = curve.range();
    let more = BEYOND * (to - from);
    [(from - more).max(first), (to + more).min(last)]
}

/// Down to where no step leads nearer within the limits.
fn descend(
    a: &impl Curve,
    b: &impl Curve,
    start: Vector2<f64>,
    limits: &[[f64; 2]; 2],
    widths: &Vector2<f64>,
) -> Option<Places> {
    let mut here = Places::new(a, b, start);
    for _ in 0..MOST_STEPS {
        let gradient = here.gradient();
        // A coordinate that stands at its limit and would leave it stays.
        let held: [bool; 2] = std::array::from_fn(|k| {
            (here.at[k] <= limits[k][0] && gradient[k] > 0.0) || (here.at[k] >= limits[k][1] && gradient[k] < 0.0)
        });
        let step = downhill(&here.matrices(), &gradient, held);
        let size = step.component_div(widths).amax();
        if size < NEAR && within(&(here.at - step), limits) {
            // Distances no longer tell two places apart; slopes do.
            here = Places::new(a, b, here.at - step);
            if size <= SAME {
                return Some(here);
            }
            continue;
        }
        let mut fraction = 1.0;
        let moved = (0..MOST_HALVINGS).find_map(|_| {
            let to = here.at - step * fraction;
            let to = Vector2::new(to.x.clamp(limits[0][0], limits[0][1]), to.y.clamp(limits[1][0], limits[1][1]));
            fraction *= 0.5;
            let next = Places::new(a, b, to);
            (next.square() < here.square()).then_some(next)
        });
        let Some(next) = moved else { return Some(here) };
        here = next;
    }
    here.off.iter().all(|x| x.is_finite()).then_some(here)
}

fn within(at: &Vector2<f64>, limits: &[[f64; 2]; 2]) -> bool {
    (0..2).all(|k| at[k] >= limits[k][0] && at[k] <= limits[k][1])
}

/// A direction that leads downhill in the coordinates that are not held: Newton's, or without the bend of the curves, or
/// each coordinate by itself where they are parallel.
fn downhill(matrices: &[Matrix2<f64>; 2], gradient: &Vector2<f64>, held: [bool; 2]) -> Vector2<f64> {
    let alone = |k: usize| {
        let own = if matrices[0][(k, k)] > 0.0 { matrices[0][(k, k)] } else { matrices[1][(k, k)] };
        if held[k] || own <= 0.0 { 0.0 } else { gradient[k] / own }
    };
    if held == [false, false] {
        for matrix in matrices {
            let (determinant, scale) = (matrix.determinant(), matrix[(0, 0)] * matrix[(1, 1)]);
            if matrix[(0, 0)] > 0.0 && determinant > SINGULAR * scale {
                return matrix.try_inverse().map_or(*gradient, |inverse| inverse * gradient);
            }
        }
    }
    // Each alone would overshoot together: half of both is downhill for any matrix with a diagonal like that.
    Vector2::new(alone(0), alone(1)) * if held == [false, false] { 0.5 } else { 1.0 }
}

/// True if the search ended on a minimum and not on a border that is none of the curves' own.
fn is_minimum(a: &impl Curve, b: &impl Curve, found: &Places, limits: &[[f64; 2]; 2], widths: &Vector2<f64>) -> bool {
    let ends = [a.range(), b.range()];
    (0..2).all(|k| {
        let close = |x: f64, y: f64| (x - y).abs() <= SAME * widths[k];
        let at = found.at[k];
        let low = !close(at, limits[k][0]) || close(limits[k][0], ends[k][0]);
        let high = !close(at, limits[k][1]) || close(limits[k][1], ends[k][1]);
        low && high
    })
}

/// Distance of two pieces of lines, and where on each, from 0 to 1; of parallel ones the middle of what they share.
pub fn nearest_of_segments([[a0, a1], [b0, b1]]: &[[Vector3<f64>; 2]; 2]) -> (f64, [f64; 2]) {
    let (u, v, w) = (a1 - a0, b1 - b0, a0 - b0);
    let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(&v));
    let (uw, vw) = (u.dot(&w), v.dot(&w));
    let determinant = uu * vv - uv * uv;
    let distance = |s: f64, t: f64| (w + u * s - v * t).norm();
    let on_b = |s: f64| if vv > 0.0 { ((vw + s * uv) / vv).clamp(0.0, 1.0) } else { 0.0 };
    let on_a = |t: f64| if uu > 0.0 { ((t * uv - uw) / uu).clamp(0.0, 1.0) } else { 0.0 };
    let first = if determinant > SINGULAR * uu * vv {
        ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0)
    } else {
        0.5 * (on_a(0.0) + on_a(1.0))
    };
    let t = on_b(first);
    let s = on_a(t);
    (distance(s, t), [s, t])
}
