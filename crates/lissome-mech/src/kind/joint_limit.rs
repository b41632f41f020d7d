//! Limits of a joint's coordinates: while one is at its limit, a force holds it there; while it is not, the force is zero.
//!
//! The condition of a coordinate is q − (the limit it is at) = 0; its multiplier is minus the force along the coordinate:
//! negative at the lower limit, positive at the upper.

use crate::attach::Attach;
use crate::contribution::{At, Condition, Constraint, Multiplier, Part, Scales};
use crate::index::{JointIndex, Node};
use crate::joint::Subgroup;
use crate::sink::BlockSink;
use nalgebra::{Matrix6, Vector6};

/// Limits of a joint's coordinates.
#[derive(Clone, Debug)]
pub struct JointLimit {
    /// The joint of the scene.
    pub part: Part,
    /// The joint.
    pub joint: JointIndex,
    /// Its node.
    pub node: Node,
    /// Its motions.
    pub subgroup: Subgroup,
    /// Range of each coordinate.
    pub ranges: [Option<(f64, f64)>; 6],
    /// Part of the approach speed that a stop gives back.
    pub restitution: f64,
    /// Where the forces are, one a coordinate.
    pub multiplier: Multiplier,
}

impl Constraint for JointLimit {
    fn part(&self) -> Part {
        self.part
    }

    fn multiplier(&self) -> Multiplier {
        self.multiplier
    }

    fn size(&self) -> usize {
        self.subgroup.freedom
    }

    fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        visit(self.node);
    }

    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        visit(self.node, self.node);
    }

    fn is_one_sided(&self) -> bool {
        true
    }

    fn evaluate(&self, at: &At<'_>, multiplier: &Vector6<f64>) -> Condition {
        let value = at.state.joint(self.joint).value;
        // Weighs a distance against a force where the two disagree about who acts.
        let stiffness = self.subgroup.stiffness_scale(at.scales);
        let mut condition = Condition::equality(Vector6::zeros(), 0);
        for i in 0..self.subgroup.freedom {
            let Some((low, high)) = self.ranges[i] else { continue };
            // The nearer limit is the one in question: a force that would pull at it lets go, and does not act at the other.
            let (limit, side) = if value[i] - low < high - value[i] { (low, -1.0) } else { (high, 1.0) };
            let force = -multiplier[i];
            condition.active[i] = side * (force + stiffness[i] * (limit - value[i])) < 0.0;
            condition.open[i] = value[i] - limit;
            condition.sides[i] = Some(side);
        }
        condition
    }

    fn open_like(&self, at: &At<'_>, _: &Vector6<f64>, earlier: &Condition) -> Vector6<f64> {
        let value = at.state.joint(self.joint).value;
        Vector6::from_fn(|i, _| match (self.ranges[i], earlier.sides[i]) {
            (Some((low, _)), Some(side)) if side < 0.0 => value[i] - low,
            (Some((_, high)), _) => value[i] - high,
            (None, _) => 0.0,
        })
    }

    fn jacobian(&self, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        let (along, _) = self.subgroup.coordinates(at.state.joint(self.joint), &Vector6::zeros());
        visit(self.node, &along);
    }

    fn curvature(&self, at: &At<'_>, multiplier: &Vector6<f64>, sink: &mut dyn BlockSink) {
        let (_, curvature) = self.subgroup.coordinates(at.state.joint(self.joint), multiplier);
        sink.add_symmetric(self.node, self.node, &curvature);
    }

    fn unit(&self, scales: &Scales) -> Vector6<f64> {
        self.subgroup.by_coordinate(1.0, scales.length)
    }

    fn firmness(&self, scales: &Scales, _: &Vector6<f64>) -> Vector6<f64> {
        self.subgroup.stiffness_scale(scales)
    }

    fn restitution(&self) -> f64 {
        self.restitution
    }
}

impl JointLimit {
    /// The limits of joints that are not driven.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let joints = places.joints().to_vec();
        let mut limits = Vec::new();
        for joint in joints.iter().filter(|joint| !joint.driven) {
            let Some(index) = joint.model else { continue };
            let model = &places.scene().joints[index];
            let own =
                |i: usize| model.limits.get(joint.first + i).copied().flatten().filter(|_| i < joint.subgroup.freedom);
            let ranges: [Option<(f64, f64)>; 6] = std::array::from_fn(own);
            if ranges.iter().any(Option::is_some) {
                let part = Part::joint(index);
                let restitution = model.restitution;
                let multiplier = places.multiplier(joint.subgroup.freedom);
                limits.push(Self {
                    part,
                    joint: joint.index,
                    node: joint.node,
                    subgroup: joint.subgroup,
                    ranges,
                    restitution,
                    multiplier,
                });
            }
        }
        limits
    }
}
