//! A rod across a straight edge: of a box, or of a mesh.
//!
//! An edge is a line of no thickness, which a rod touches at one place wherever it crosses it, at rest and in motion, with friction and
//! without. That place s* makes the distance of the rod's axis from the edge stationary, so that the gap
//!
//! ```text
//! δ = σ|p(s*) − q| − r,    q the nearest place of the edge,    σ = −1 where the axis is behind the edge
//! ```
//!
//! has the gradient of that at s*, and goes on through zero: its normal is the one across both, out of the solid. As s* follows the motion,
//! the second derivative takes −c δ_ss⁻¹ cᵀ, as in `place`. The edge ends at corners, where the distance is that from the corner.
//!
//! No point of a solid may be inside a rod, so that the condition holds whatever the rod does. It counts where the normal lies between those of
//! the two faces (see `edge_search`): beyond, the rod lies on one of them, and its points have it.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | s* | place of the rod that is nearest to the edge | `Place::s` |
//! | s⁰ | place that slip counts from | `Crossed::anchor` |

use super::Touch;
use super::carrier::Spot;
use super::skin::Skin;
use super::surface::Surface;
use crate::index::{Block, Slot};
use crate::rod::curve::course::Course;
use crate::state::State;
use lissome_geometry::ridge::Leaning;
use lissome_geometry::{Nearest, Ridge};
use lissome_lie::Pose;
use lissome_model::Toucher;
use nalgebra::{Matrix2, Vector3, Vector6};
use std::sync::Arc;

/// A rod may bend over so many edges within a span: both of the end of a plate.
pub(super) const EDGES_OF_A_SPAN: usize = 2;
/// Steps of the search, and the part of the range that it ends with.
const MOST_STEPS: usize = 60;
const SAME: f64 = 1e-14;
/// The slope of the gap that is none.
const KINK: f64 = 1e-6;
/// Where the distance bends down a step is this part of the range.
const CAREFUL: f64 = 0.1;

/// Edges of a solid, for a stretch of a rod that may lie across one of them.
#[derive(Clone, Debug)]
pub struct Edges {
    /// Whose they are.
    pub of: Toucher,
    /// What carries them.
    pub slot: Slot,
    /// The rod.
    pub own: Arc<Skin>,
    /// The stretch that looks for them, m; whoever was found goes on beyond it.
    pub cell: [f64; 2],
    /// The solid, in axes of the slot.
    pub surface: Arc<Surface>,
    /// The edges, in axes of the slot.
    pub list: Arc<[Ridge]>,
    /// How deep the solid is, m.
    pub depth: f64,
    /// Where it is remembered which one is crossed.
    pub memory: Block,
}

/// The edge that a stretch lies across at present.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossed {
    /// Number in the list.
    pub which: usize,
    /// Place that slip counts from, m.
    pub anchor: f64,
    /// Place around which the nearest one is looked for, m.
    pub window: f64,
}

impl Crossed {
    fn read(memory: &Vector6<f64>) -> Option<Self> {
        let which = (memory[0] as usize).checked_sub(1)?;
        Some(Self { which, anchor: memory[1], window: memory[2] })
    }

    pub(super) fn memory(self) -> Vector6<f64> {
        Vector6::new((self.which + 1) as f64, self.anchor, self.window, 0.0, 0.0, 0.0)
    }
}

/// Where a rod is nearest to an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// m.
    pub s: f64,
    /// In axes of what carries the edge, m.
    pub position: Vector3<f64>,
    /// Tangent of the rod.
    pub tangent: Vector3<f64>,
    /// How its axis is to the edge.
    pub leaning: Leaning,
    /// Second derivative of the gap along the rod, 1/m.
    pub second: f64,
    /// True if it would go on beyond its range.
    pub held: bool,
    /// True if it follows the motion of the rod.
    pub follows: bool,
}

impl Place {
    /// Where it is on the edge.
    pub fn foot(&self) -> Vector3<f64> {
        self.leaning.near.point(&self.position)
    }
}

impl Edges {
    /// What is crossed at a state.
    pub fn crossed(&self, state: &State) -> Option<Crossed> {
        Crossed::read(state.block(self.memory)).filter(|crossed| crossed.which < self.list.len())
    }

    /// The place of a range of the rod that is nearest to an edge, from a start on; `frame` takes from the world to the axes of the edges.
    pub(super) fn nearest(
        &self,
        edge: &Ridge,
        [low, high]: [f64; 2],
        start: f64,
        frame: &Pose,
        course: &mut Course<'_>,
    ) -> Option<Place> {
        let width = high - low;
        let mut look = |s: f64| {
            let at = course.at(s);
            let (position, tangent) = (frame.transform(&at.position), frame.rotation.rotate(&at.first));
            let bent = frame.rotation.rotate(&at.second);
            let leaning = edge.leaning(&position)?;
            let Nearest { distance, normal, curvature } = leaning.near;
            let taper = self.own.taper(s);
            // |d| times the slope of the gap, which has no kink where the rod comes through the edge.
            let slope = distance * (normal.dot(&tangent) - taper);
            let turned = curvature * tangent;
            let rise = distance * (tangent.dot(&turned) + normal.dot(&bent)) + normal.dot(&tangent).powi(2);
            let second = tangent.dot(&turned) + normal.dot(&bent);
            Some((slope, rise, Place { s, position, tangent, leaning, second, held: false, follows: true }))
        };
        let (mut slope, mut rise, mut here) = look(start.clamp(low, high))?;
        // On both sides of the place, as far as they are known.
        let (mut before, mut after) = (None, None);
        for _ in 0..MOST_STEPS {
            match slope < 0.0 {
                true => before = Some(here.s),
                false => after = Some(here.s),
            }
            let newton = here.s + if rise > 0.0 { -slope / rise } else { -slope.signum() * CAREFUL * width };
            let next = match (before, after) {
                (Some(one), Some(two)) if newton <= f64::min(one, two) || newton >= f64::max(one, two) => {
                    0.5 * (one + two)
                }
                _ => newton.clamp(low, high),
            };
            let moved = (next - here.s).abs();
            here.held = next != newton && (next == low || next == high) && moved <= SAME * width;
            if moved <= SAME * width {
                break;
            }
            (slope, rise, here) = look(next)?;
        }
        // Where pieces of the rod meet at an angle the place stays between them.
        here.follows = !here.held && slope.abs() <= KINK * here.leaning.near.distance.abs() && here.second.is_finite();
        Some(here)
    }

    /// How the rod is to the edge that it crosses.
    pub fn touch(&self, state: &State) -> Option<Touch> {
        self.touch_at(&self.crossed(state)?, state)
    }

    /// The same of an edge that is known.
    pub(super) fn touch_at(&self, crossed: &Crossed, state: &State) -> Option<Touch> {
        let place = self.place(crossed, state)?;
        let (spot, base) = (self.own.spot(place.s, state), Spot::of(self.slot, state));
        let relative = base.pose().inverse() * *spot.pose();
        let near = place.leaning.near.less(spot.radius());
        let follows = place.follows && place.second != 0.0;
        let gives = Matrix2::new(if follows { 1.0 / place.second } else { 0.0 }, 0.0, 0.0, 0.0);
        Some(Touch { spot, base, places: [place.s, 0.0], relative, near, gives, centring: 0.0, following: None })
    }

    /// Where the rod is nearest to an edge that is known.
    pub(super) fn place(&self, crossed: &Crossed, state: &State) -> Option<Place> {
        let frame = state.pose(self.slot).inverse();
        let mut course = self.own.course(state);
        let (window, edge) = (self.own.window(crossed.window), self.list.get(crossed.which)?);
        self.nearest(edge, window, crossed.window, &frame, &mut course)
    }

    /// The two places that slip counts at.
    pub(super) fn grip_places(&self, state: &State) -> Option<[Spot; 2]> {
        let crossed = self.crossed(state)?;
        Some([self.own.spot(crossed.anchor, state), Spot::of(self.slot, state)])
    }

    /// Normal of the edge at a place.
    pub(super) fn normal_at(&self, at: &Vector3<f64>, state: &State) -> Option<Vector3<f64>> {
        Some(self.list.get(self.crossed(state)?.which)?.leaning(at)?.near.normal)
    }
}
