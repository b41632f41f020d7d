//! Edges, rims and axes of bodies and obstacles: where two of them cross, and where a rim lies lowest on a surface.
//!
//! Both are stationary values L(y, z) over places y that follow the motion z of the two sides: lengths along the curves and,
//! where two of them cross, the normal (see `lissome_geometry::ridge`). So the gap has the gradient of L at the places, and its second
//! derivative takes −c L_yy⁻¹ cᵀ with c = ∂²L/∂y∂z. Slip counts between the two pieces of material that touched when it was last
//! counted; of a rim on a surface it is that of a wheel, with the centre of the rim and the arm from there to the place.

use super::carrier::{Carrier, Spot};
use super::ground::{Ground, Ridges};
use super::surface::Surface;
use super::{Contact, Meeting, Touch};
use crate::contribution::At;
use crate::index::{Node, Slot};
use crate::sink::BlockSink;
use crate::state::State;
use lissome_geometry::pairs::nearest_of_segments;
use lissome_geometry::ridge::{Crossing, crossing};
use lissome_geometry::{Nearest, Ridge};
use lissome_lie::{Pose, Twist, skew};
use nalgebra::{Matrix2, Matrix3, Matrix3x6, Matrix4, Matrix6, RowVector6, Vector3, Vector6};

/// Sine of the tilt below which an end lies flat on a surface, so that no place of its rim is lowest.
const FLAT: f64 = 1e-5;
/// Steps of the search for the lowest place, and the part of the radius that it ends with.
const MOST_STEPS: usize = 40;
const SAME: f64 = 1e-13;
/// A step must gain so much of what its slope promises, unless it is shorter than this part of the radius.
const GAIN: f64 = 1e-4;
const CLOSE: f64 = 1e-6;
/// A slope that is none.
const LEVEL: f64 = 1e-6;
/// A rim whose centre is farther, in radii, is far.
const FAR: f64 = 3.0;
/// Places of a way that are looked at for what came through.
const MOST_PLACES: f64 = 64.0;
/// A step of it goes no farther along the rim than this part of the radius.
const LONGEST: f64 = 0.5;

/// Places that follow the motion of both sides.
#[derive(Clone, Copy, Debug)]
pub struct Following {
    /// ∂²L/∂y∂z of each unknown by the motion of what touches, seen from what is touched: by its turn and by its shift.
    rows: [[Vector3<f64>; 2]; 4],
    /// L_yy⁻¹.
    gives: Matrix4<f64>,
    /// Tangent of the first ridge.
    tangent: Vector3<f64>,
    /// Number of the ridge that is crossed, and lengths along both.
    pieces: Pieces,
}

/// Two pieces of material that touch: the number of the ridge, and lengths along both, m.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    which: usize,
    at: [f64; 2],
    normal: Vector3<f64>,
}

impl Pieces {
    fn memory(&self) -> Vector6<f64> {
        let n = &self.normal;
        Vector6::new((self.which + 1) as f64, self.at[0], self.at[1], n.x, n.y, n.z)
    }

    fn read(memory: &Vector6<f64>) -> Option<Self> {
        let which = (memory[0] as usize).checked_sub(1)?;
        Some(Self { which, at: [memory[1], memory[2]], normal: Vector3::new(memory[3], memory[4], memory[5]) })
    }
}

/// The place of a ridge that a slot carries.
fn spot_on(slot: Slot, ridge: &Ridge, s: f64, state: &State) -> Spot {
    let offset = ridge.at(s).position;
    Spot::Point { slot, offset, pose: *state.pose(slot) * Pose::at(offset), radius: ridge.thickness() }
}

impl Contact {
    /// The ridge that touches and those that it may cross.
    fn ridges(&self) -> Option<(Slot, &Ridge, &Ridges)> {
        match (&self.carrier, &self.ground) {
            (Carrier::Ridge { slot, ridge }, Ground::Ridges(other)) => Some((*slot, ridge, other)),
            _ => None,
        }
    }

    /// How a ridge meets those of another solid.
    pub(super) fn meet_ridges(&self, state: &State) -> Meeting {
        let Some((slot, ridge, other)) = self.ridges() else { return Meeting::Nobody };
        let relative = state.pose(other.slot).inverse() * *state.pose(slot);
        let own = ridge.moved(&relative);
        let far = other.list.iter().map(|ridge| least_distance(&own, ridge)).fold(f64::INFINITY, f64::min);
        // A length that what is farther than is not looked at.
        let size = own.ball().1;
        if far > size {
            return Meeting::Far(far);
        }
        let found =
            other.list.iter().enumerate().filter_map(|(k, ridge)| Some((k, crossing(&own, ridge, other.root)?)));
        let found = found.filter(|(_, found)| found.distance > -other.depth);
        let best = found.min_by(|(_, a), (_, b)| a.distance.total_cmp(&b.distance));
        let Some((which, found)) = best else { return Meeting::Far(far.max(0.0)) };
        let spot = spot_on(slot, ridge, found.at[0], state);
        let base = spot_on(other.slot, &other.list[which], found.at[1], state);
        let Some(following) = following_of(which, &found) else { return Meeting::Far(far.max(0.0)) };
        Meeting::Near(Touch {
            spot,
            base,
            places: [0.0; 2],
            relative: base.pose().inverse() * *spot.pose(),
            near: Nearest { distance: found.distance, normal: found.normal, curvature: Matrix3::zeros() },
            gives: Matrix2::zeros(),
            centring: 0.0,
            following: Some(following),
        })
    }

    /// The part of a step that may be taken before a ridge whose gap is no smaller than `least` could pass those of another
    /// solid.
    pub(super) fn ridge_fraction(&self, least: f64, motion: impl Fn(Node) -> Vector6<f64>) -> f64 {
        let Some((slot, ridge, other)) = self.ridges() else { return 1.0 };
        let way = |slot: Slot, (centre, radius): (Vector3<f64>, f64)| {
            let step = motion(slot.node());
            let [turn, shift] = [0, 3].map(|first| step.fixed_rows::<3>(first).into_owned());
            (shift + turn.cross(&centre)).norm() + turn.norm() * radius
        };
        let others = other.list.iter().map(|ridge| way(other.slot, ridge.ball())).fold(0.0, f64::max);
        let (size, allowed) = (way(slot, ridge.ball()) + others, least + 0.5 * other.depth);
        if size > allowed { allowed / size } else { 1.0 }
    }

    /// True if a ridge came through one of those that it may cross, on the screw from one state to another as seen from them: deeper
    /// than half of what the thinner solid is.
    pub(super) fn ridges_cross(&self, from: &State, to: &State) -> bool {
        let Some((slot, ridge, other)) = self.ridges() else { return false };
        let [start, end] = [from, to].map(|state| state.pose(other.slot).inverse() * *state.pose(slot));
        let change = end.boxminus(&start);
        let (centre, radius) = ridge.ball();
        let way = (end.transform(&centre) - start.transform(&centre)).norm() + change.angular.norm() * radius;
        let reach =
            other.list.iter().map(|two| least_distance(&ridge.moved(&start), two)).fold(f64::INFINITY, f64::min);
        // Whoever is farther from it than the way is long does not meet it.
        if way <= 0.5 * other.depth || reach > way {
            return false;
        }
        let places = (way / (0.5 * other.depth)).ceil().min(MOST_PLACES) as usize;
        (1..places).any(|k| {
            let own =
                ridge.moved(&start.boxplus(&Twist::from_vector(&(change.to_vector() * (k as f64 / places as f64)))));
            let found = other.list.iter().filter_map(|two| crossing(&own, two, other.root));
            // What lies deeper by far is on the other side.
            found.map(|found| -found.distance / other.depth).any(|deep| deep > 0.5 && deep < 2.0)
        })
    }

    /// The lowest place of a rim on a surface; `None` where the end lies flat on it, and its points have it.
    pub(super) fn touch_rim(&self, state: &State) -> Option<Touch> {
        let (Carrier::Ridge { slot, ridge }, Ground::Surface { frame, surface, .. }) = (&self.carrier, &self.ground)
        else {
            return None;
        };
        let base = Spot::of(*frame, state);
        let relative = base.pose().inverse() * *state.pose(*slot);
        let own = ridge.moved(&relative);
        let Lowest { s, near, tangent, rise } = lowest(&own, surface)?;
        let spot = spot_on(*slot, ridge, s, state);
        let mut following = None;
        if rise > 0.0 {
            let mut rows = [[Vector3::zeros(); 2]; 4];
            rows[0] = [tangent.cross(&near.normal), near.curvature * tangent];
            let mut gives = Matrix4::zeros();
            gives[(0, 0)] = 1.0 / rise;
            following = Some(Following {
                rows,
                gives,
                tangent,
                pieces: Pieces { which: 0, at: [s, 0.0], normal: near.normal },
            });
        }
        let relative = base.pose().inverse() * *spot.pose();
        Some(Touch { spot, base, places: [0.0; 2], relative, near, gives: Matrix2::zeros(), centring: 0.0, following })
    }

    /// The two places that slip counts from: pieces of material of two ridges; the centre of a rim, and what it is on.
    pub(super) fn ridge_places(&self, state: &State) -> Option<[Spot; 2]> {
        self.ridge_places_by(state, state)
    }

    /// The same at the poses of one state by the memory of another.
    pub(super) fn ridge_places_by(&self, state: &State, memory: &State) -> Option<[Spot; 2]> {
        match (&self.carrier, &self.ground) {
            (Carrier::Ridge { slot, ridge }, Ground::Ridges(other)) => {
                let Pieces { which, at, .. } = Pieces::read(memory.block(other.memory))?;
                let base = spot_on(other.slot, other.list.get(which)?, at[1], state);
                Some([spot_on(*slot, ridge, at[0], state), base])
            }
            (Carrier::Ridge { slot, ridge }, Ground::Surface { frame, .. }) => {
                let offset = ridge.ball().0;
                let pose = *state.pose(*slot) * Pose::at(offset);
                Some([Spot::Point { slot: *slot, offset, pose, radius: 0.0 }, Spot::of(*frame, state)])
            }
            _ => None,
        }
    }

    /// The normal of the two pieces of material when they were remembered.
    pub(super) fn remembered_normal(&self, state: &State) -> Option<Vector3<f64>> {
        let (_, _, other) = self.ridges()?;
        Some(Pieces::read(state.block(other.memory))?.normal)
    }

    /// Remembers the pieces of material that touch at a state, or are nearest to each other.
    pub(super) fn remember_pieces(&self, at: &At<'_>, to: &mut State) {
        let Some((slot, ridge, other)) = self.ridges() else { return };
        let pieces = match self.meet_ridges(at.state) {
            Meeting::Near(Touch { following: Some(following), .. }) => following.pieces,
            _ => {
                let relative = at.state.pose(other.slot).inverse() * *at.state.pose(slot);
                nearest_pieces(&ridge.moved(&relative), &other.list)
            }
        };
        to.linear[other.memory] = pieces.memory();
    }
}

/// What the motion of two ridges that cross takes from the second derivative.
fn following_of(which: usize, found: &Crossing) -> Option<Following> {
    let mut rows = [[Vector3::zeros(); 2]; 4];
    for (row, direction) in rows.iter_mut().zip(&found.across) {
        row[1] = *direction;
    }
    rows[2][0] = found.tangents[0].cross(&found.normal);
    // In axes of what is touched its own ridge stays where it is.
    let gives = found.second.try_inverse()?;
    Some(Following {
        rows,
        gives,
        tangent: found.tangents[0],
        pieces: Pieces { which, at: found.at, normal: found.normal },
    })
}

/// Ends of a line; of a rim its centre, twice.
fn ends(ridge: &Ridge) -> ([Vector3<f64>; 2], f64) {
    match ridge {
        Ridge::Line { middle, along, half, radius, .. } => ([middle - along * *half, middle + along * *half], *radius),
        Ridge::Rim { centre, radius, .. } => ([*centre; 2], *radius),
    }
}

/// Two ridges are no closer than this, m.
fn least_distance(a: &Ridge, b: &Ridge) -> f64 {
    let ((one, first), (two, second)) = (ends(a), ends(b));
    nearest_of_segments(&[one, two]).0 - first - second
}

/// The pieces of material of two ridges that are nearest to each other.
fn nearest_pieces(own: &Ridge, others: &[Ridge]) -> Pieces {
    let pieces = others.iter().enumerate().map(|(which, other)| {
        let ((one, _), (two, _)) = (ends(own), ends(other));
        let (_, [_, part]) = nearest_of_segments(&[one, two]);
        let near = two[0] + (two[1] - two[0]) * part;
        let first = own.near(&near);
        let second = other.near(&own.at(first).position);
        let apart = own.at(first).position - other.at(second).position;
        (apart.norm(), Pieces { which, at: [first, second], normal: apart.try_normalize(0.0).unwrap_or(Vector3::z()) })
    });
    let nearest = pieces.min_by(|(a, _), (b, _)| a.total_cmp(b));
    nearest.expect("a group of ridges has one at least").1
}

/// The lowest place of a rim.
struct Lowest {
    s: f64,
    near: Nearest,
    tangent: Vector3<f64>,
    /// Second derivative of the distance along the rim, 1/m.
    rise: f64,
}

/// The place of a rim that is nearest to a surface, from the one toward it on. `None` where there is no surface, or where the
/// end lies flat on it.
fn lowest(rim: &Ridge, surface: &Surface) -> Option<Lowest> {
    let Ridge::Rim { centre, axis, start, radius } = rim else { return None };
    let side = axis.cross(start);
    let above = surface.gap(centre, 0.0)?;
    let toward = -above.normal;
    let seen = [toward.dot(start), toward.dot(&side)];
    if seen[0].hypot(seen[1]) < FLAT {
        return None;
    }
    let look = |s: f64| {
        let place = rim.at(s);
        let near = surface.gap(&place.position, 0.0)?;
        let slope = near.normal.dot(&place.first);
        let rise = place.first.dot(&(near.curvature * place.first)) + near.normal.dot(&place.second);
        Some((slope, Lowest { s, near, tangent: place.first, rise }))
    };
    let (mut slope, mut here) = look(radius * seen[1].atan2(seen[0]))?;
    // What is far needs no exact place.
    let steps = if above.distance > FAR * radius { 0 } else { MOST_STEPS };
    for _ in 0..steps {
        let longest = LONGEST * radius;
        let step = if here.rise > 0.0 { -slope / here.rise } else { -longest * slope.signum() };
        let mut step = step.clamp(-longest, longest);
        let mut next = look(here.s + step)?;
        // Near the place distances no longer tell two of them apart.
        while step.abs() > CLOSE * radius && next.1.near.distance > here.near.distance + GAIN * slope * step {
            step *= 0.5;
            next = look(here.s + step)?;
        }
        (slope, here) = next;
        if step.abs() <= SAME * radius {
            break;
        }
    }
    // Where two sides of a surface meet it stays on their edge.
    if slope.abs() > LEVEL {
        here.rise = 0.0;
    }
    Some(here)
}

/// Adds `weight` times c L_yy⁻¹ cᵀ.
pub(super) fn add(touch: &Touch, following: &Following, weight: f64, sink: &mut dyn BlockSink) {
    let r = touch.relative.rotation.matrix();
    let x = touch.relative.position;
    let zero = RowVector6::zeros();
    let (mut on_spot, mut on_base) = ([zero; 4], [zero; 4]);
    for (k, [turn, shift]) in following.rows.iter().enumerate() {
        let write = |row: &mut RowVector6<f64>, turn: &Vector3<f64>, shift: &Vector3<f64>| {
            row.fixed_columns_mut::<3>(0).copy_from(&turn.transpose());
            row.fixed_columns_mut::<3>(3).copy_from(&shift.transpose());
        };
        write(&mut on_spot[k], &(r.transpose() * turn), &(r.transpose() * shift));
        // What is touched moves by −v − ω × x as seen from it.
        write(&mut on_base[k], &-(turn + x.cross(shift)), &-shift);
    }
    let mut sides: Vec<(Node, [RowVector6<f64>; 4])> = Vec::with_capacity(2);
    touch.spot.visit(|node, j| sides.push((node, on_spot.map(|row| row * j))));
    touch.base.visit(|node, j| sides.push((node, on_base.map(|row| row * j))));
    let gives = following.gives * weight;
    for (i, (node, rows)) in sides.iter().enumerate() {
        for (other, others) in &sides[..=i] {
            let mut block = Matrix6::zeros();
            for a in 0..4 {
                let row = (0..4).fold(zero, |sum, b| sum + others[b] * gives[(a, b)]);
                block += rows[a].transpose() * row;
            }
            sink.add_symmetric(*node, *other, &block);
        }
    }
}

/// Adds what a force along the surface takes from the arm of a wheel, which follows where the rim is lowest. `along` is minus that
/// force in axes of what is touched.
pub(super) fn add_arm(
    touch: &Touch,
    following: &Following,
    [centre, ground]: [&Spot; 2],
    along: &Vector3<f64>,
    sink: &mut dyn BlockSink,
) {
    let r = touch.relative.rotation.matrix();
    let arm = touch.relative.position - (ground.pose().inverse() * *centre.pose()).position;
    let x = touch.relative.position;
    let [turn, shift] = following.rows[0];
    let tangent = following.tangent;
    // δarm = ω × arm + t δs.
    let swung = -skew(&arm);
    let (mut by_spot, mut by_base) = (Matrix3x6::zeros(), Matrix3x6::zeros());
    let slid = |turn: &Vector3<f64>, shift: &Vector3<f64>| {
        let by = |v: &Vector3<f64>| tangent * v.transpose() * -following.gives[(0, 0)];
        (by(turn), by(shift))
    };
    let (angular, linear) = slid(&turn, &shift);
    by_spot.fixed_columns_mut::<3>(0).copy_from(&((swung + angular) * r));
    by_spot.fixed_columns_mut::<3>(3).copy_from(&(linear * r));
    let (angular, linear) = slid(&-(turn + x.cross(&shift)), &-shift);
    by_base.fixed_columns_mut::<3>(0).copy_from(&(angular - swung));
    by_base.fixed_columns_mut::<3>(3).copy_from(&linear);
    let pull = skew(along);
    let mut moments = [Matrix3x6::zeros(); 2];
    moments[0].fixed_columns_mut::<3>(0).copy_from(&-(pull.transpose() * r));
    moments[1].fixed_columns_mut::<3>(0).copy_from(&pull.transpose());
    for (row, own) in [(centre, &moments[0]), (ground, &moments[1])] {
        row.visit(|node, on_row| {
            let pushed = (own * on_row).transpose();
            for (column, way) in [(&touch.spot, &by_spot), (&touch.base, &by_base)] {
                column.visit(|other, j| sink.add_general(node, other, &(pushed * (way * j))));
            }
        });
    }
}
