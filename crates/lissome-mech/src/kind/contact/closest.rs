//! Where two rods come closest: the places s_A on a cell of one and s_B on a window of the other that make
//!
//! ```text
//! φ(s_A, s_B) = |p_A − p_B| − r_A − r_B + ½ k (s_A − s_mid)²
//! ```
//!
//! least. Its least value is the gap that is closed, so that the gradient of that by the motion of the rods is the one at
//! the two places. The last term keeps s_A from wandering where the rods run side by side, as `place` says of one rod on a
//! surface. Where a place is inside its range it follows the motion of the rods: −c φ_ss⁻¹ cᵀ in the second derivative.

use super::LONGEST_STRETCH;
use super::skin::Skin;
use crate::rod::curve::course::Course;
use crate::state::State;
use lissome_geometry::Nearest;
use lissome_geometry::pairs::nearest_of_segments;
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

/// Steps of the search.
const MOST_STEPS: usize = 40;
/// Part of the ranges that the search ends with, and below which steps are taken without a look at what they gain.
const SAME: f64 = 1e-13;
const CLOSE: f64 = 1e-6;
/// A step must gain so much of what its slope promises, and is halved so often at most.
const GAIN: f64 = 1e-4;
const MOST_HALVINGS: usize = 30;
/// A direction along which the value hardly bends is taken to bend by this part of the most.
const FLAT: f64 = 1e-12;
/// Where the value bends down steps are no longer than this part of the ranges: they lead to the least value at hand, not
/// over the next rise.
const CAREFUL: f64 = 0.1;

/// Two places that may touch.
#[derive(Clone, Copy, Debug)]
pub struct Closest {
    /// s_A and s_B, m.
    pub at: Vector2<f64>,
    /// φ, m.
    pub value: f64,
    /// Inverse of its second derivative over the places that follow the motion of the rods; zero for those at an end.
    pub gives: Matrix2<f64>,
    /// How sharply φ rises along A, where B follows, without the term that centres; 1/m.
    pub sharpness: f64,
    /// How steeply it does so from there, where that is an end of A's range.
    pub steepness: f64,
}

impl Closest {
    /// How steeply φ has come to rise along A at a distance from there, m. Of lines that are all but in one plane the distance rises from
    /// the end of one without bending.
    pub fn rise(&self, distance: f64) -> f64 {
        self.steepness + self.sharpness * distance
    }
}

/// φ with its derivatives.
struct Sample {
    value: f64,
    slope: Vector2<f64>,
    second: Matrix2<f64>,
}

/// The search for two rods at a state.
pub struct Search<'a> {
    /// The rod whose cell is looked at.
    pub a: &'a Skin,
    /// The other one; it may be the same.
    pub b: &'a Skin,
    /// Where both are.
    pub state: &'a State,
    /// Ranges of both places, m.
    pub limits: [[f64; 2]; 2],
    /// s_mid, m.
    pub middle: f64,
    /// k, 1/m.
    pub centring: f64,
}

impl Search<'_> {
    fn sample(&self, at: &Vector2<f64>, [on_a, on_b]: &mut [Course<'_>; 2]) -> Sample {
        let (a, b) = (on_a.at(at[0]), on_b.at(at[1]));
        let apart = a.position - b.position;
        let distance = apart.norm().max(f64::MIN_POSITIVE);
        let normal = apart / distance;
        let off = at[0] - self.middle;
        let across = |u: &Vector3<f64>, v: &Vector3<f64>| (u.dot(v) - normal.dot(u) * normal.dot(v)) / distance;
        let mixed = -across(&a.first, &b.first);
        Sample {
            value: distance - self.a.radius(at[0]) - self.b.radius(at[1]) + 0.5 * self.centring * off * off,
            slope: Vector2::new(
                normal.dot(&a.first) - self.a.taper(at[0]) + self.centring * off,
                -normal.dot(&b.first) - self.b.taper(at[1]),
            ),
            second: Matrix2::new(
                across(&a.first, &a.first) + normal.dot(&a.second) + self.centring,
                mixed,
                mixed,
                across(&b.first, &b.first) - normal.dot(&b.second),
            ),
        }
    }

    /// The least φ near a start.
    pub fn closest(&self, start: [f64; 2]) -> Closest {
        let limits = &self.limits;
        let within = |at: Vector2<f64>| Vector2::from_fn(|k, _| at[k].clamp(limits[k][0], limits[k][1]));
        let widths = [0, 1].map(|k| limits[k][1] - limits[k][0]);
        let mut at = within(Vector2::from(start));
        let mut courses = [self.a.course(self.state), self.b.course(self.state)];
        let mut here = self.sample(&at, &mut courses);
        for _ in 0..MOST_STEPS {
            let step = downhill(&here, self.held(&at, &here.slope));
            let ends = |way: &Vector2<f64>| (0..2).all(|k| way[k].abs() <= SAME * widths[k]);
            if ends(&step) {
                break;
            }
            let mut part = self.part_within(&at, &step);
            if here.second.determinant() <= 0.0 {
                let longest = (0..2).map(|k| step[k].abs() / widths[k].max(f64::MIN_POSITIVE)).fold(0.0, f64::max);
                part = part.min(CAREFUL / longest.max(f64::MIN_POSITIVE));
            }
            let mut moved = Vector2::zeros();
            for _ in 0..MOST_HALVINGS {
                let next = within(at + step * part);
                moved = next - at;
                let small = (0..2).all(|k| moved[k].abs() <= CLOSE * widths[k]);
                let trial = self.sample(&next, &mut courses);
                if small || trial.value <= here.value + GAIN * here.slope.dot(&moved) {
                    (at, here) = (next, trial);
                    break;
                }
                part *= 0.5;
            }
            if ends(&moved) {
                break;
            }
        }
        let held = self.held(&at, &here.slope);
        let own = here.second;
        let (free, determinant) = (held.map(|held| !held), own.determinant());
        let gives = match free {
            [true, true] if own[(1, 1)] > 0.0 && determinant > 0.0 => own.try_inverse().unwrap_or_default(),
            [true, false] if own[(0, 0)] > 0.0 => Matrix2::new(1.0 / own[(0, 0)], 0.0, 0.0, 0.0),
            [false, true] if own[(1, 1)] > 0.0 => Matrix2::new(0.0, 0.0, 0.0, 1.0 / own[(1, 1)]),
            _ => Matrix2::zeros(),
        };
        let followed = if free[1] && own[(1, 1)] > 0.0 { own[(0, 1)] * own[(0, 1)] / own[(1, 1)] } else { 0.0 };
        let slope = here.slope[0] - self.centring * (at[0] - self.middle);
        let steepness = if held[0] { slope.abs() } else { 0.0 };
        Closest { at, value: here.value, gives, sharpness: own[(0, 0)] - self.centring - followed, steepness }
    }

    /// How much of a step stays within the ranges; all of it where a place is at an end already.
    fn part_within(&self, at: &Vector2<f64>, step: &Vector2<f64>) -> f64 {
        let part = |k: usize| {
            let [low, high] = self.limits[k];
            let room = if step[k] > 0.0 { high - at[k] } else { at[k] - low };
            if step[k] == 0.0 || room <= 0.0 { 1.0 } else { (room / step[k].abs()).min(1.0) }
        };
        part(0).min(part(1))
    }

    /// Places at an end of their range that would leave it.
    fn held(&self, at: &Vector2<f64>, slope: &Vector2<f64>) -> [bool; 2] {
        [0, 1].map(|k| {
            let [low, high] = self.limits[k];
            low == high || at[k] <= low && slope[k] >= 0.0 || at[k] >= high && slope[k] <= 0.0
        })
    }
}

/// A step that leads downhill: Newton's, and against the slope where that leads uphill.
fn downhill(here: &Sample, held: [bool; 2]) -> Vector2<f64> {
    let (own, slope) = (&here.second, &here.slope);
    let alone = |k: usize| {
        if held[k] {
            return 0.0;
        }
        // Without a positive second derivative: as far as the scale of the distance says.
        -slope[k] / own[(k, k)].abs().max(f64::MIN_POSITIVE)
    };
    if held != [false, false] {
        return Vector2::new(alone(0), alone(1));
    }
    let [(steep, along), (flat, across)] = principal(own);
    let least = (FLAT * steep.abs()).max(f64::MIN_POSITIVE);
    -(along * (along.dot(slope) / steep.abs().max(least)) + across * (across.dot(slope) / flat.abs().max(least)))
}

/// The gap of two rods between ranges of both is no smaller than this, m: from a place in each, and how long they are; or
/// from the lines along them there, how far they bend away from those, and a radius for how much more they may bend
/// elsewhere.
pub(super) fn least_distance(own: &Skin, other: &Skin, ranges: &[[f64; 2]; 2], at: &[f64; 2], state: &State) -> f64 {
    let courses = [own.course(state).at(at[0]), other.course(state).at(at[1])];
    let radii = own.thickest() + other.thickest();
    let longest = |k: usize| (ranges[k][1] - ranges[k][0]) * LONGEST_STRETCH * courses[k].first.norm().max(1.0);
    let by_length = (courses[0].position - courses[1].position).norm() - longest(0) - longest(1);
    let line = |k: usize| ranges[k].map(|s| courses[k].position + courses[k].first * (s - at[k]));
    let bent = |k: usize| {
        let farthest = ranges[k].iter().map(|s| (s - at[k]).abs()).fold(0.0, f64::max);
        courses[k].second.norm() * farthest * farthest
    };
    let by_lines = nearest_of_segments(&[line(0), line(1)]).0 - bent(0) - bent(1) - own.thickest();
    by_length.max(by_lines) - radii
}

/// The gap between balls around the origin and a point, whose radii add up to `radius`.
pub(super) fn between(at: &Vector3<f64>, radius: f64) -> Nearest {
    let distance = at.norm();
    let normal = if distance > 0.0 { at / distance } else { Vector3::y() };
    let curvature = (Matrix3::identity() - normal * normal.transpose()) / distance.max(f64::MIN_POSITIVE);
    Nearest { distance: distance - radius, normal, curvature }
}

/// Eigenvalues of a symmetric matrix with their directions, the one of largest magnitude first.
fn principal(matrix: &Matrix2<f64>) -> [(f64, Vector2<f64>); 2] {
    let (mean, half) = (0.5 * matrix.trace(), 0.5 * (matrix[(0, 0)] - matrix[(1, 1)]));
    let apart = half.hypot(matrix[(0, 1)]);
    let steep = if mean >= 0.0 { mean + apart } else { mean - apart };
    // Of the two rows that are orthogonal to the direction, the longer one.
    let rows =
        [Vector2::new(matrix[(0, 1)], steep - matrix[(0, 0)]), Vector2::new(steep - matrix[(1, 1)], matrix[(0, 1)])];
    let row = if rows[0].norm_squared() >= rows[1].norm_squared() { rows[0] } else { rows[1] };
    let along = row.try_normalize(0.0).unwrap_or_else(Vector2::x);
    let across = Vector2::new(-along[1], along[0]);
    // The smaller one from the product: as a difference it would drown.
    let flat = if steep == 0.0 { 0.0 } else { matrix.determinant() / steep };
    [(steep, along), (flat, across)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_downhill() {
        let numbers = [-3.0, -1.0, -1e-9, 0.0, 1e-12, 0.5, 1.0, 40.0];
        for (a, b, c) in triples(&numbers) {
            let second = Matrix2::new(a, b, b, c);
            let [(steep, along), (flat, across)] = principal(&second);
            let again = along * along.transpose() * steep + across * across.transpose() * flat;
            let size = second.amax();
            assert!((again - second).amax() <= 1e-14 * size, "{second} {again}");
            assert!(steep.abs() * (1.0 + 1e-14) >= flat.abs());
            let slope = Vector2::new(0.3, -0.7);
            let here = Sample { value: 0.0, slope, second };
            let step = downhill(&here, [false, false]);
            assert!(step.dot(&slope) < 0.0, "{second}: {step}");
            if steep > 0.0 && flat > 1e-6 * steep {
                assert!((second * step + slope).amax() < 1e-8, "where the value is convex the step is Newton's");
            }
        }
    }

    fn triples(numbers: &[f64]) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let pairs = numbers.iter().flat_map(move |a| numbers.iter().map(move |b| (*a, *b)));
        pairs.flat_map(move |(a, b)| numbers.iter().map(move |c| (a, b, *c)))
    }
}
