//! A rod in the bore of another one, as a wire in its sheath: both bend, and each pushes the other.
//!
//! A point of one of the two sees the place of the other's centreline that is nearest to it. With p from there to the point and
//! a = R − r what the bore leaves to the inner rod,
//!
//! ```text
//! δ = (a² − |p|²) / 2a,    ∂δ/∂p = −p/a,    ∂²δ/∂p² = −1/a
//! ```
//!
//! which is the gap where it is small and, as in the bores of obstacles, has a gradient on the axis too. The place follows the motion of both
//! rods: at it δ does not change along the rod, and δ_ss = −(|x′|² − p·x″)/a.
//!
//! The points are those of the inner rod, which see the outer one, and the free ends of the outer one, the mouths of the bore, which
//! see the inner one. A point beyond the other's end sees nothing. Of a wire that tapers the radius at the place counts, not its slope.

use super::carrier::Spot;
use super::ground::{Ground, Neighbour, Partner};
use super::hollow::Hollow;
use super::skin::Skin;
use super::{Contact, Touch};
use crate::state::State;
use lissome_geometry::Nearest;
use nalgebra::{Matrix2, Matrix3, Vector3};

/// Steps of the search for the nearest place, and the part of its range that it ends with.
const MOST_STEPS: usize = 60;
const SAME: f64 = 1e-14;

/// The place of a rod that is nearest to a point.
struct Foot {
    s: f64,
    /// |x′|² − p·x″; nothing where the place does not follow the point.
    rise: Option<f64>,
    /// True if the point lies beyond the end of the rod.
    beyond: bool,
}

impl Contact {
    /// True if it is between a rod and the bore of another one.
    pub fn is_hollow(&self) -> bool {
        matches!(&self.ground, Ground::Rods { near, .. } if near.iter().any(|near| near.hollow.is_some()))
    }

    /// How a point sees a partner that it is in, or that is in it; `None` beyond its end.
    pub(super) fn touch_hollow(
        &self,
        hollow: Hollow,
        partner: &Partner,
        neighbour: &Neighbour,
        state: &State,
    ) -> Option<Touch> {
        let Ground::Rods { own, .. } = &self.ground else { return None };
        let s = own.inside(self.carrier.fixed_place());
        let spot = own.spot(s, state).with_radius(hollow.radius(own, s));
        let other = &neighbour.skin;
        let foot = foot(other, &spot.pose().position, other.window(partner.windows[1]), state);
        if foot.beyond {
            return None;
        }
        let places = [s, foot.s];
        let base = other.spot(foot.s, state);
        let relative = base.pose().inverse() * *spot.pose();
        let a = hollow.clearance([own, other], places);
        let p = relative.position;
        let near = Nearest {
            distance: (a * a - p.norm_squared()) / (2.0 * a),
            normal: -p / a,
            curvature: Matrix3::identity() * (-1.0 / a),
        };
        let gives = Matrix2::new(0.0, 0.0, 0.0, foot.rise.map_or(0.0, |rise| -a / rise));
        Some(Touch { spot, base, places, relative, near, gives, centring: 0.0, following: None })
    }

    /// Looks up where it is along its partner.
    pub fn seat(&self, poses: &State, to: &mut State) {
        let Ground::Rods { own, near, memory } = &self.ground else { return };
        let Some(neighbour) = near.first() else { return };
        let s = own.inside(self.carrier.fixed_place());
        let at = own.pose(s, poses).position;
        let other = &neighbour.skin;
        let mut course = other.course(poses);
        let ends = (0..other.span_count()).map(|span| other.span(span)).flat_map(|[from, to]| [0.5 * (from + to), to]);
        let distance = |s: f64, course: &mut crate::rod::curve::course::Course<'_>| {
            (course.at(other.inside(s)).position - at).norm_squared()
        };
        let first = (distance(0.0, &mut course), 0.0);
        let (_, start) = ends
            .map(|s| (distance(s, &mut course), s))
            .fold(first, |best, next| if next.0 < best.0 { next } else { best });
        let foot = foot(other, &at, other.window(start), poses);
        let known = self.ground.partner(to).map(|(partner, _)| partner);
        let windows = [s, foot.s];
        match (foot.beyond, known) {
            (false, Some(known)) => to.linear[*memory] = Partner { windows, ..known }.memory(),
            (false, None) => {
                let partner = Partner { which: 0, alongside: true, anchors: windows, windows, reach: 0.0 };
                self.take_partner(partner, to);
            }
            (true, Some(_)) => {
                to.linear[*memory] = Partner::nobody(0.0);
                self.forget(to);
            }
            (true, None) => to.linear[*memory] = Partner::nobody(0.0),
        }
    }
}

/// The place of a rod within a window that is nearest to a point.
fn foot(skin: &Skin, at: &Vector3<f64>, [from, to]: [f64; 2], state: &State) -> Foot {
    let mut course = skin.course(state);
    // −p·x′, which rises through nothing at the place, and its derivative.
    let mut slope = |s: f64| {
        let place = course.at(s);
        let p = at - place.position;
        (-p.dot(&place.first), place.first.norm_squared() - p.dot(&place.second))
    };
    for (end, leaves) in [(from, slope(from).0 > 0.0), (to, slope(to).0 < 0.0)] {
        if leaves {
            return Foot { s: end, rise: None, beyond: skin.is_end(end) };
        }
    }
    let (mut low, mut high) = (from, to);
    let mut s = 0.5 * (from + to);
    for _ in 0..MOST_STEPS {
        let (value, rise) = slope(s);
        if value < 0.0 {
            low = s;
        } else {
            high = s;
        }
        let newton = s - value / rise;
        let next = if rise > 0.0 && newton >= low && newton <= high { newton } else { 0.5 * (low + high) };
        let moved = (next - s).abs();
        s = next;
        if moved <= SAME * (to - from) {
            break;
        }
    }
    let rise = slope(s).1;
    Foot { s, rise: (rise > 0.0).then_some(rise), beyond: false }
}

impl Spot {
    fn with_radius(self, own: f64) -> Self {
        match self {
            Self::Rod { first, point, .. } => Self::Rod { first, point, radius: own },
            Self::Point { slot, offset, pose, .. } => Self::Point { slot, offset, pose, radius: own },
        }
    }
}
