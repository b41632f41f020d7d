//! The judgement of a step where multipliers act: closures, cables of given length, limits of joints.
//!
//! Let c be what they are to close, ρ⁺ = ρ + Δρ the multipliers that the last solve expects and W a stiffness. A step is
//! judged by V + ρ⁺·c + ½ cᵀWc. Since δV = ρ⁺·c − δᵀHδ along a Newton step and δc = −c, its slope is −δᵀHδ − cᵀWc, a
//! descent. And since ρ·∂²c stands in H, the gap of second order that a long step opens is not held against it, as it
//! would be by |c| alone: that cut every step along a soft direction of a loop short. An elastic cable counts as rods
//! do: ½ T² ℓ₀/EA with its tension moving linearly, and c the misfit of its stretch.

use crate::{State, System, Workspace};
use lissome_lie::Wrench;
use nalgebra::Vector6;

/// W over the stiffness of what is closed: a third of it takes half as many iterations more on random end poses, three
/// times as much changes little.
const FIRMNESS: f64 = 3.0;

/// One scalar condition.
#[derive(Clone, Copy, Debug)]
struct Condition {
    /// What is left to close at the state asked for.
    open: f64,
    /// ρ⁺.
    expected: f64,
    /// Δρ.
    step: f64,
    /// W.
    stiffness: f64,
    /// Energy beside.
    energy: f64,
}

impl System {
    /// ρ⁺·c + ½ cᵀWc at a state, multipliers and active sets those of `from` and its last solve.
    pub fn open_merit(&self, from: &State, at: &State, work: &Workspace) -> f64 {
        let closures: f64 = (0..self.closures.len())
            .map(|i| {
                let gap = self.closures[i].gap(at, &from.aims[i]);
                let expected = from.reactions[i] + work.reaction_step[i];
                let (turn, shift) = self.closure_stiffness(i, &expected);
                let opposed = self.closures[i].opposed(&gap).dot(&gap.twist().to_vector());
                gap.twist().to_vector().dot(&expected)
                    + 0.5 * (turn * gap.re.norm_squared() + shift * gap.du.norm_squared() + opposed)
            })
            .sum();
        let mut others = 0.0;
        self.conditions(from, at, work, |c| {
            others += c.expected * c.open + 0.5 * c.stiffness * c.open * c.open + c.energy;
        });
        closures + others
    }

    /// Its slope along the last solved step, less what of it stands in the slope of the loads already.
    pub fn open_slope(&self, state: &State, work: &Workspace) -> f64 {
        let closures: f64 = (0..self.closures.len())
            .map(|i| {
                let gap = self.closures[i].gap(state, &state.aims[i]);
                let step = work.reaction_step[i];
                let (turn, shift) = self.closure_stiffness(i, &(state.reactions[i] + step));
                gap.twist().to_vector().dot(&step) + turn * gap.re.norm_squared() + shift * gap.du.norm_squared()
            })
            .sum();
        let mut others = 0.0;
        self.conditions(state, state, work, |c| others += c.step * c.open + c.stiffness * c.open * c.open);
        -closures - others
    }

    /// W of a closure, for turns and shifts: of the size of what its rod resists with, or of what it carries.
    fn closure_stiffness(&self, index: usize, expected: &Vector6<f64>) -> (f64, f64) {
        let length = self.closures[index].length;
        let Wrench { moment, force } = Wrench::from_vector(expected);
        let turn = FIRMNESS * (self.force_scale * length + moment.norm() + force.norm() * length);
        (turn, turn / (length * length))
    }

    /// Cables and limits.
    fn conditions(&self, from: &State, at: &State, work: &Workspace, mut visit: impl FnMut(Condition)) {
        let inputs = &work.inputs;
        for (i, cable) in self.cables.iter().enumerate() {
            if cable.node.is_none() || !self.is_taut(i, from, inputs) {
                continue;
            }
            let target = cable.target(inputs);
            let compliance = cable.compliance * target;
            let (tension, step) = (at.tensions[i], work.tension_step[i]);
            let expected = from.tensions[i] + step;
            visit(Condition {
                open: cable.length(at) - target - compliance * tension,
                expected,
                step,
                stiffness: (self.force_scale + expected.abs()) / cable.natural_length,
                energy: 0.5 * compliance * tension * tension,
            });
        }
        for (j, joint) in self.joints.iter().enumerate().filter(|(_, joint)| joint.limit_node.is_some()) {
            let scale = self.joint_scale(joint);
            for i in 0..joint.freedom {
                let Some(limit) = joint.touched(&from.joints[j], i, scale[i]) else { continue };
                // The force at a limit pushes along its coordinate: −f stands for ρ.
                let (force, step) = (from.joints[j].limit_force[i], work.limit_step[j][i]);
                visit(Condition {
                    open: at.joints[j].value[i] - limit,
                    expected: -(force + step),
                    step: -step,
                    stiffness: scale[i],
                    energy: 0.0,
                });
            }
        }
    }
}
