//! Efforts along the coordinates of an actuated joint: conjugate to them, so that an effort has a potential −τ·q
//! whatever the joint.

use crate::attach::Attach;
use crate::contribution::{Account, At, Force, push};
use crate::index::{JointIndex, Node};
use crate::inputs::{Input, Inputs};
use crate::joint::{Joint, Subgroup};
use crate::sink::BlockSink;
use lissome_lie::dual::DualVector;
use lissome_model::JointMotion;
use nalgebra::Vector6;

/// Efforts along the coordinates of a joint.
#[derive(Clone, Debug)]
pub struct JointEffort {
    /// The joint.
    pub joint: JointIndex,
    /// Index of the scene's joint.
    pub model: usize,
    /// Its first coordinate among those of the scene's joint.
    pub first: usize,
    /// Its node.
    pub node: Node,
    /// Its motions.
    pub subgroup: Subgroup,
}

impl JointEffort {
    fn effort(&self, inputs: &Inputs) -> Vector6<f64> {
        self.subgroup.own(&inputs.joints[self.model][self.first..])
    }
}

impl Force for JointEffort {
    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        visit(self.node, self.node);
    }

    fn exert(&self, at: &At<'_>, forces: &mut [DualVector], sink: &mut dyn BlockSink) {
        let effort = self.effort(at.inputs) * at.inputs.factor;
        let (along, curvature) = self.subgroup.coordinates(at.state.joint(self.joint), &effort);
        push(forces, self.node, &along.tr_mul(&effort));
        sink.add_symmetric(self.node, self.node, &-curvature);
    }

    fn potential(&self, at: &At<'_>) -> f64 {
        -at.inputs.factor * self.effort(at.inputs).dot(&at.state.joint(self.joint).value)
    }

    fn account(&self) -> Account {
        Account::Applied
    }

    fn input_rate(&self, at: &At<'_>, input: Input, forces: &mut [DualVector]) {
        let mut rate = Vector6::zeros();
        match input {
            Input::Factor => rate = self.effort(at.inputs),
            Input::Joint { joint, coordinate } if joint == self.model => {
                if let Some(own) = coordinate.checked_sub(self.first).filter(|own| *own < self.subgroup.freedom) {
                    rate[own] = at.inputs.factor;
                }
            }
            _ => return,
        }
        let (along, _) = self.subgroup.coordinates(at.state.joint(self.joint), &rate);
        push(forces, self.node, &along.tr_mul(&rate));
    }
}

impl JointEffort {
    /// The efforts of actuated joints.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let of = |joint: &Joint| {
            let model = joint.model.filter(|model| {
                matches!(places.scene().joints[*model].motion, JointMotion::Actuated { .. }) && !joint.driven
            })?;
            Some(Self { joint: joint.index, model, first: joint.first, node: joint.node, subgroup: joint.subgroup })
        };
        places.joints().iter().filter_map(of).collect()
    }
}
