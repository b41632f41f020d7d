//! What touches: a stretch of a rod, or a point, an edge or a rim of a body.

use crate::index::{Node, Slot};
use crate::rod::Rod;
use crate::rod::curve::kernel::PointBasis;
use crate::rod::curve::point_at::PointAt;
use crate::sink::BlockSink;
use crate::state::State;
use lissome_geometry::Ridge;
use lissome_lie::{Pose, Wrench, skew};
use nalgebra::{Matrix3x6, Matrix6, Vector3};
use std::sync::Arc;

/// Part of a stretch by which its end is seen from inside.
const INSIDE: f64 = 1e-12;

/// A distance is small beside this part of the length of a ridge: solids that are near have many that will not meet.
const RIDGE_NEAR: f64 = 0.05;

/// What touches.
#[derive(Clone, Debug)]
pub enum Carrier {
    /// A place of a rod within one of its spans.
    Rod(RodCell),
    /// A point of what a slot carries.
    Point {
        /// The slot.
        slot: Slot,
        /// Where the point is on it, m.
        offset: Vector3<f64>,
        /// Radius of the ball around it, m.
        radius: f64,
    },
    /// An edge, a rim or an axis of what a slot carries.
    Ridge {
        /// The slot.
        slot: Slot,
        /// Where it is on it.
        ridge: Box<Ridge>,
    },
}

/// A stretch of a rod within one span.
#[derive(Clone, Debug)]
pub struct RodCell {
    /// The rod.
    pub rod: Arc<Rod>,
    /// Number of the rod in the scene.
    pub index: usize,
    /// Slot of its first control pose.
    pub first: Slot,
    /// From where to where, m; both the same for an end of the rod.
    pub cell: [f64; 2],
    /// Its radius at both ends, m.
    pub radii: [f64; 2],
    /// Knot span and basis functions of the middle, which is looked at all the time.
    fixed: (usize, PointBasis),
}

impl RodCell {
    /// The stretch `cell` of a rod whose first control pose has a slot.
    pub fn new(rod: Arc<Rod>, index: usize, first: Slot, cell: [f64; 2], radii: [f64; 2]) -> Self {
        let last = cell[1] - INSIDE * (cell[1] - cell[0]);
        let fixed = rod.curve().basis_of(f64::min(0.5 * (cell[0] + cell[1]), last));
        Self { rod, index, first, cell, radii, fixed }
    }

    /// The middle, where a fixed point sits, m.
    pub fn middle(&self) -> f64 {
        0.5 * (self.cell[0] + self.cell[1])
    }

    /// m.
    pub fn length(&self) -> f64 {
        self.cell[1] - self.cell[0]
    }

    /// The end of the stretch, seen from inside it: it moves with the poses of this span.
    pub fn last(&self) -> f64 {
        self.cell[1] - INSIDE * self.length()
    }

    fn own_poses<'a>(&self, state: &'a State) -> &'a [Pose] {
        let first = self.first.index();
        &state.poses[first..first + self.rod.curve().pose_count()]
    }

    fn point(&self, s: f64, state: &State) -> PointAt {
        let (s, curve, own) = (s.min(self.last()), self.rod.curve(), self.own_poses(state));
        match s == self.middle() {
            true => curve.point_with((self.fixed.0, &self.fixed.1), s, own),
            false => curve.point_at(s, own),
        }
    }

    fn pose(&self, s: f64, state: &State) -> Pose {
        let (s, curve, own) = (s.min(self.last()), self.rod.curve(), self.own_poses(state));
        match s == self.middle() {
            true => curve.pose_with((self.fixed.0, &self.fixed.1), own),
            false => curve.pose_of(s, own),
        }
    }

    fn radius(&self, s: f64) -> f64 {
        if self.length() == 0.0 {
            return self.radii[0];
        }
        let part = (s - self.cell[0]) / self.length();
        self.radii[0] + (self.radii[1] - self.radii[0]) * part
    }

    /// The same of all points of the stretch.
    pub fn taper(&self) -> f64 {
        if self.length() == 0.0 { 0.0 } else { (self.radii[1] - self.radii[0]) / self.length() }
    }

    /// Indices of the control poses that move it.
    fn poses(&self) -> std::ops::RangeInclusive<usize> {
        let curve = self.rod.curve();
        let first = curve.knot_vector().find_span(self.middle()) - curve.degree();
        first..=first + curve.degree()
    }
}

/// A place of a carrier at a state: a section of a rod, or a point of a body.
// It lives on the stack within one evaluation, and rods are what touches as a rule.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug)]
pub enum Spot {
    /// Of a rod.
    Rod {
        /// Slot of the rod's first control pose.
        first: Slot,
        /// The place.
        point: PointAt,
        /// m.
        radius: f64,
    },
    /// Of what a slot carries.
    Point {
        /// The slot.
        slot: Slot,
        /// Where the point is on it.
        offset: Vector3<f64>,
        /// Pose with the axes of the slot at the point.
        pose: Pose,
        /// m.
        radius: f64,
    },
}

impl Carrier {
    /// The place at arc length s; of points there is only one, of ridges the middle is meant.
    pub fn spot(&self, s: f64, state: &State) -> Spot {
        match self {
            Self::Rod(cell) => Spot::Rod { first: cell.first, point: cell.point(s, state), radius: cell.radius(s) },
            Self::Point { slot, offset, radius } => {
                let pose = *state.pose(*slot) * Pose::at(*offset);
                Spot::Point { slot: *slot, offset: *offset, pose, radius: *radius }
            }
            Self::Ridge { slot, ridge } => {
                let offset = ridge.ball().0;
                let pose = *state.pose(*slot) * Pose::at(offset);
                Spot::Point { slot: *slot, offset, pose, radius: ridge.thickness() }
            }
        }
    }

    /// Pose and radius of that place alone, which cost less.
    pub fn glance(&self, s: f64, state: &State) -> (Pose, f64) {
        match self {
            Self::Rod(cell) => (cell.pose(s, state), cell.radius(s)),
            Self::Point { slot, offset, radius } => (*state.pose(*slot) * Pose::at(*offset), *radius),
            Self::Ridge { slot, ridge } => (*state.pose(*slot) * Pose::at(ridge.ball().0), ridge.thickness()),
        }
    }

    /// What a distance is small beside, m: the radius of a rod, how far the point of a body is from its middle, a part of a ridge.
    pub fn size(&self, radius: f64) -> f64 {
        match self {
            // That of a bore is negative.
            Self::Rod(_) => radius.abs(),
            Self::Point { offset, .. } => radius.max(offset.norm()),
            Self::Ridge { ridge, .. } => RIDGE_NEAR * ridge.ball().1,
        }
    }

    /// Arc length of the fixed point.
    pub fn fixed_place(&self) -> f64 {
        match self {
            Self::Rod(cell) => cell.middle(),
            Self::Point { .. } | Self::Ridge { .. } => 0.0,
        }
    }

    /// Stiffness that weighs a slip at rest against a force, N/m: what a rod resists with if it is stretched, which is much
    /// more than `firmness`, what it resists with if it is bent. A slip that is taken for small sticks where it should slide.
    pub fn grip(&self, firmness: f64) -> f64 {
        match self {
            Self::Rod(cell) => firmness.max(cell.rod.curve().soft_stretching() / cell.rod.curve().length()),
            Self::Point { .. } | Self::Ridge { .. } => firmness,
        }
    }

    /// True of an edge, a rim or an axis.
    pub fn is_ridge(&self) -> bool {
        matches!(self, Self::Ridge { .. })
    }

    /// Nodes that move it.
    pub fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        match self {
            Self::Rod(cell) => cell.poses().for_each(|pose| visit(cell.first.after(pose).node())),
            Self::Point { slot, .. } | Self::Ridge { slot, .. } => visit(slot.node()),
        }
    }
}

impl Spot {
    /// The origin of what a slot carries.
    pub fn of(slot: Slot, state: &State) -> Self {
        Self::Point { slot, offset: Vector3::zeros(), pose: *state.pose(slot), radius: 0.0 }
    }

    /// Its pose in the world.
    pub fn pose(&self) -> &Pose {
        match self {
            Self::Rod { point, .. } => &point.pose,
            Self::Point { pose, .. } => pose,
        }
    }

    /// Radius there, m.
    pub fn radius(&self) -> f64 {
        match self {
            Self::Rod { radius, .. } | Self::Point { radius, .. } => *radius,
        }
    }

    /// Visits the nodes that move it.
    pub fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        match self {
            Self::Rod { first, point, .. } => point.poses().for_each(|pose| visit(first.after(pose).node())),
            Self::Point { slot, .. } => visit(slot.node()),
        }
    }

    /// Visits the nodes that move it, with its motion by theirs.
    pub fn visit(&self, mut visit: impl FnMut(Node, &Matrix6<f64>)) {
        match self {
            Self::Rod { first, point, .. } => {
                let motion = point.motion();
                for (m, pose) in point.poses().enumerate() {
                    visit(first.after(pose).node(), &motion.jacobian(m));
                }
            }
            Self::Point { slot, offset, .. } => visit(slot.node(), &shifted(offset)),
        }
    }

    /// Visits the nodes that move it, with rows by its motion turned into rows by theirs.
    pub fn visit_rows(&self, rows: &Matrix3x6<f64>, mut visit: impl FnMut(Node, &Matrix3x6<f64>)) {
        match self {
            Self::Rod { first, point, .. } => {
                let own = first.after(*point.poses().start());
                point.visit_rows(rows, &mut |m, rows| visit(own.after(m).node(), rows));
            }
            Self::Point { slot, offset, .. } if *offset == Vector3::zeros() => visit(slot.node(), rows),
            Self::Point { slot, offset, .. } => visit(slot.node(), &(rows * shifted(offset))),
        }
    }

    /// False if nothing that a sink keeps moves it.
    pub fn is_moved(&self, sink: &dyn BlockSink) -> bool {
        match self {
            Self::Rod { .. } => true,
            Self::Point { slot, .. } => sink.is_moved(slot.node()),
        }
    }

    /// Adds Jᵀ B J over the nodes that move it, and what a body wrench on it adds by its second-order motion: both terms of
    /// the second derivative of a function of its pose, B the one in its own exponential coordinates.
    pub fn add_second(&self, second: &Matrix6<f64>, wrench: &Wrench, symmetric: bool, sink: &mut dyn BlockSink) {
        match self {
            Self::Rod { first, point, .. } => {
                let (order, motion) = (point.second_order(wrench), point.motion());
                let nodes = point.poses().map(|pose| first.after(pose).node());
                for (l, row) in nodes.clone().enumerate() {
                    let pulled = motion.pulled_rows(second, l);
                    let columns = if symmetric { l + 1 } else { point.poses().count() };
                    for (m, column) in nodes.clone().enumerate().take(columns) {
                        let block = motion.columns(&pulled, m) + order.block(l, m);
                        match symmetric {
                            true => sink.add_symmetric(row, column, &block),
                            false => sink.add_general(row, column, &block),
                        }
                    }
                }
            }
            Self::Point { slot, offset, .. } => {
                let j = shifted(offset);
                // Its exponential coordinates are linear in those of what carries it.
                let block = j.tr_mul(&(second * j));
                match symmetric {
                    true => sink.add_symmetric(slot.node(), slot.node(), &block),
                    false => sink.add_general(slot.node(), slot.node(), &block),
                }
            }
        }
    }
}

/// Motion of a point at an offset, in the axes of what carries it, by the motion of that.
fn shifted(offset: &Vector3<f64>) -> Matrix6<f64> {
    let mut j = Matrix6::identity();
    j.fixed_view_mut::<3, 3>(3, 0).copy_from(&-skew(offset));
    j
}
