//! The joints of a system: where they stand, what acts along their coordinates, how slots move with several of them.

use crate::inputs::Inputs;
use crate::joint::CompiledJoint;
use crate::sink::{BlockSink, Node, Term};
use crate::state::JointState;
use crate::{State, System};
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix6, Vector6};

impl System {
    /// Coordinates that a driven joint is to have.
    pub(crate) fn driven_value(&self, joint: &CompiledJoint, inputs: &Inputs) -> Vector6<f64> {
        let values = &inputs.joints[joint.model];
        Vector6::from_fn(|i, _| if i < joint.freedom { values[joint.first + i] } else { 0.0 })
    }

    /// Coordinates of a joint of the scene.
    pub fn joint_values(&self, model: usize, state: &State) -> Vec<f64> {
        let own = self.joints.iter().zip(&state.joints).filter(|(joint, _)| joint.model == model);
        own.flat_map(|(joint, at)| at.value.as_slice()[..joint.freedom].to_vec()).collect()
    }

    /// Puts driven joints where the inputs say, and all that stands on them after.
    pub fn drive(&self, inputs: &Inputs, state: &mut State) {
        let mut moved = false;
        for (joint, at) in self.joints.iter().zip(&mut state.joints) {
            if joint.node.is_none() {
                let driven = joint.at(&self.driven_value(joint, inputs));
                moved |= driven != *at;
                *at = driven;
            }
        }
        if moved {
            self.settle(state);
        }
    }

    /// Springs and efforts: −gradient on the right-hand side, stiffness in the tangent.
    pub(crate) fn add_joints(
        &self,
        state: &State,
        inputs: &Inputs,
        gradients: &mut [Vector6<f64>],
        sink: &mut impl BlockSink,
    ) {
        for ((joint, at), gradient) in self.joints.iter().zip(&state.joints).zip(gradients) {
            let Some(node) = joint.node else { continue };
            let (force, stiffness) = joint.spring(at);
            *gradient = force;
            sink.add_symmetric(node, node, &stiffness);
            if joint.actuated {
                // Conjugate to the coordinates, so that an effort has a potential whatever the joint.
                let effort = self.driven_value(joint, inputs) * inputs.factor;
                let (along, curvature) = joint.coordinates(at, &effort);
                *gradient -= along.tr_mul(&effort);
                sink.add_symmetric(node, node, &-curvature);
            }
            if let Some(limit) = joint.limit_node {
                *gradient -= self.add_limits(joint, at, (node, limit), sink);
            }
        }
    }

    /// Rows and tangent of the limits; returns their force along δ.
    fn add_limits(
        &self,
        joint: &CompiledJoint,
        at: &JointState,
        (node, limit): (usize, usize),
        sink: &mut impl BlockSink,
    ) -> Vector6<f64> {
        let scale = self.joint_scale(joint);
        let mut force = at.limit_force;
        let mut own = Matrix6::zeros();
        for i in 0..joint.freedom {
            if joint.touched(at, i, scale[i]).is_none() {
                // What is left of the force has gone with the next step.
                force[i] = 0.0;
                own[(i, i)] = -1.0;
            }
        }
        let (along, curvature) = joint.coordinates(at, &force);
        let mut rows = -along;
        for i in 0..6 {
            if i >= joint.freedom || own[(i, i)] != 0.0 {
                rows.row_mut(i).fill(0.0);
            }
        }
        sink.add_symmetric(limit, node, &rows);
        sink.add_symmetric(limit, limit, &own);
        sink.add_symmetric(node, node, &-curvature);
        along.tr_mul(&force)
    }

    /// Rows of the limits; returns the largest distance of a touched coordinate from its limit, rad or over the length.
    pub(crate) fn fill_limit_rows(&self, state: &State, right_hand_side: &mut [Vector6<f64>]) -> f64 {
        let mut largest: f64 = 0.0;
        for (joint, at) in self.joints.iter().zip(&state.joints) {
            let Some(node) = joint.limit_node else { continue };
            let scale = self.joint_scale(joint);
            let mut row = Vector6::zeros();
            for i in 0..joint.freedom {
                // While it touches, −δ(value) = value − limit; else the force goes: −Δf = f.
                row[i] = match joint.touched(at, i, scale[i]) {
                    Some(limit) => {
                        let turns = joint.subspace.fixed_view::<3, 1>(0, i).norm_squared() > 0.5;
                        let length = if turns { 1.0 } else { self.length_scale };
                        largest = largest.max((at.value[i] - limit).abs() / length);
                        at.value[i] - limit
                    }
                    None => at.limit_force[i],
                };
            }
            right_hand_side[node] = row;
        }
        largest
    }

    /// Potential of springs and efforts at a state, efforts along their coordinates.
    pub(crate) fn joint_potential(&self, state: &State, inputs: &Inputs) -> f64 {
        let joints = self.joints.iter().zip(&state.joints).filter(|(joint, _)| joint.node.is_some());
        joints
            .map(|(joint, at)| {
                let effort =
                    if joint.actuated { self.driven_value(joint, inputs) * inputs.factor } else { Vector6::zeros() };
                joint.energy(at) - effort.dot(&at.value)
            })
            .sum()
    }

    /// Second derivative of poses that follow through several groups: z = Σ a_i + ½ Σ_{i<j} [a_i, a_j], against the
    /// gradient of the potential there.
    pub(crate) fn add_motion_curvature(
        &self,
        gradient: impl Fn(usize) -> DualVector,
        terms: &[Term],
        mut add: impl FnMut(usize, usize, &Matrix6<f64>),
    ) {
        for slot in self.branching.iter() {
            let Node::Through { first, count } = self.nodes[*slot] else { continue };
            let half = gradient(*slot).skew().covector_map() * -0.5;
            for j in 1..count {
                let right = half * terms[first + j].jacobian;
                for i in 0..j {
                    let block = terms[first + i].jacobian.tr_mul(&right);
                    add(terms[first + i].group, terms[first + j].group, &block);
                }
            }
        }
    }
}
