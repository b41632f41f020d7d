//! Springs and dampers along the coordinates of a joint.

use crate::attach::Attach;
use crate::contribution::{Account, At, Force, push};
use crate::damping::Damper;
use crate::index::{JointIndex, Node};
use crate::joint::{Joint, Subgroup};
use crate::sink::BlockSink;
use crate::state::State;
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix6, Vector6};

/// Springs along the coordinates of a joint: ½ (q − q₀)ᵀ k (q − q₀), and dampers beside them.
#[derive(Clone, Debug)]
pub struct JointSpring {
    /// The joint.
    pub joint: JointIndex,
    /// Its node.
    pub node: Node,
    /// Its motions.
    pub subgroup: Subgroup,
    /// k.
    pub stiffness: Vector6<f64>,
    /// q₀.
    pub rest: Vector6<f64>,
    /// Damping along the coordinates.
    pub damping: Vector6<f64>,
}

impl Force for JointSpring {
    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        visit(self.node, self.node);
    }

    fn exert(&self, at: &At<'_>, forces: &mut [DualVector], sink: &mut dyn BlockSink) {
        if self.stiffness == Vector6::zeros() {
            return;
        }
        let state = at.state.joint(self.joint);
        let pull = (state.value - self.rest).component_mul(&self.stiffness);
        let (along, curvature) = self.subgroup.coordinates(state, &pull);
        push(forces, self.node, &-along.tr_mul(&pull));
        if !sink.is_wanted() {
            return;
        }
        let stiffness = along.tr_mul(&(Matrix6::from_diagonal(&self.stiffness) * along)) + curvature;
        sink.add_symmetric(self.node, self.node, &stiffness);
    }

    fn potential(&self, at: &At<'_>) -> f64 {
        let stretch = at.state.joint(self.joint).value - self.rest;
        0.5 * stretch.component_mul(&self.stiffness).dot(&stretch)
    }

    fn account(&self) -> Account {
        Account::Stored
    }
}

impl Damper for JointSpring {
    fn resistance(&self) -> Matrix6<f64> {
        Matrix6::from_diagonal(&self.damping)
    }

    fn travelled(&self, before: &State, after: &State) -> Vector6<f64> {
        self.subgroup.slipped(before.joint(self.joint), after.joint(self.joint))
    }

    fn jacobian(&self, state: &State, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        let (along, _) = self.subgroup.slip(state.joint(self.joint), &Vector6::zeros());
        visit(self.node, &along);
    }

    fn curvature(&self, state: &State, force: &Vector6<f64>, sink: &mut dyn BlockSink) {
        if !self.subgroup.commutes {
            let (_, curvature) = self.subgroup.slip(state.joint(self.joint), force);
            sink.add_symmetric(self.node, self.node, &curvature);
        }
    }
}

impl JointSpring {
    /// The springs and dampers of joints that are not driven.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let of = |joint: &Joint| {
            let model = &places.scene().joints[joint.model?];
            let own = |list: &[f64]| joint.subgroup.own(list.get(joint.first..).unwrap_or_default());
            Some(Self {
                joint: joint.index,
                node: joint.node,
                subgroup: joint.subgroup,
                stiffness: own(&model.stiffness),
                rest: own(&model.rest),
                damping: own(&model.damping),
            })
        };
        let free = places.joints().iter().filter(|joint| !joint.driven);
        free.filter_map(of)
            .filter(|spring| spring.stiffness != Vector6::zeros() || spring.damping != Vector6::zeros())
            .collect()
    }
}
