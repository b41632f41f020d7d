//! Closures: the far end of a rod whose near end is held, brought to a prescribed pose.
//!
//! The chain stays open in its coordinates, and the end is tied by c = log(g_aim⁻¹ g_n) = 0 with a multiplier ρ, the
//! wrench that the holder takes. The multiplier acts on the chain like a load −T₊(c)ᵀ ρ, so that the increments see it
//! swept back like any other, and its second derivative ρ·∂²c stands in the tangent.

use crate::sink::BlockSink;
use crate::{State, System, Workspace};
use lissome_lie::Pose;
use lissome_lie::dual::{DualVector, InverseMap};
use lissome_model::NaturalShape;
use nalgebra::Vector6;

/// One tied end.
#[derive(Clone, Copy, Debug)]
pub struct Closure {
    /// Index of the rod.
    pub rod: usize,
    /// Index of the tied pose among all poses.
    pub pose: usize,
    /// Where it is to be in the end; a state may aim at a pose on the way there.
    pub target: Pose,
    /// Block of the multiplier.
    pub block: usize,
}

impl Closure {
    /// c = log(aim⁻¹ g): what is left to close.
    fn gap(&self, state: &State, aim: &Pose) -> DualVector {
        state.poses[self.pose].boxminus(aim).into()
    }
}

impl System {
    /// The multipliers as loads on the tied poses, with their tangent and the constraint rows.
    pub(crate) fn add_closures(&self, state: &State, loads: &mut [DualVector], sink: &mut impl BlockSink) {
        for ((closure, rho), aim) in self.closures.iter().zip(&state.reactions).zip(&state.aims) {
            let inverse = InverseMap::at(closure.gap(state, aim));
            let rho = crate::element::spline::tangent::covector(rho);
            let plus = inverse.plus();
            loads[closure.pose] = loads[closure.pose] - plus.apply_transpose(&rho);
            let Some(block) = self.pose_block[closure.pose] else { continue };
            let (curvature, _) = inverse.derivatives(&rho);
            sink.add_symmetric(block, block, &(curvature * plus).symmetric_part().covector_map());
            sink.add_symmetric(closure.block, block, &plus.twist_map());
        }
    }

    /// −c on the right-hand side; returns the size of the gap in the units of a scaled step.
    pub(crate) fn fill_closure_rows(&self, state: &State, right_hand_side: &mut [f64]) -> f64 {
        let mut largest: f64 = 0.0;
        for (closure, aim) in self.closures.iter().zip(&state.aims) {
            let gap = closure.gap(state, aim).twist();
            largest = largest.max(gap.angular.norm()).max(gap.linear.norm() / self.rods[closure.rod].length);
            right_hand_side[6 * closure.block..][..6].copy_from_slice((-gap).to_vector().as_slice());
        }
        largest
    }

    /// ν·|c|: what open closures cost in the merit of a step, with weights just above the multipliers of the last solve.
    pub fn closure_merit(&self, from: &State, at: &State, work: &Workspace) -> f64 {
        let multipliers = from.reactions.iter().zip(&work.reaction_step);
        let closures = self.closures.iter().zip(&from.aims).zip(multipliers);
        closures
            .map(|((closure, aim), (rho, step))| {
                let (gap, expected) = (closure.gap(at, aim), rho + step);
                let weight = |v: nalgebra::Vector3<f64>| PENALTY * v.norm();
                weight(expected.fixed_rows::<3>(0).into_owned()) * gap.re.norm()
                    + weight(expected.fixed_rows::<3>(3).into_owned()) * gap.du.norm()
            })
            .sum()
    }

    /// ρ·δc = −ρ·c along the last solved step: the part of the load slope that is the multipliers'.
    pub fn closure_slope(&self, state: &State) -> f64 {
        let closures = self.closures.iter().zip(&state.aims).zip(&state.reactions);
        -closures.map(|((closure, aim), rho)| closure.gap(state, aim).twist().to_vector().dot(rho)).sum::<f64>()
    }

    /// Least elastic energy of any shape that is wound the long way round, J, where such a bound is known: a single
    /// straight rod without loads. Its rotations make a path on SO(3) of length at least 2π − |w|, w the rotation between
    /// its ends, so ∫½κᵀKκ ≥ ½ K_min (2π − |w|)²/L.
    pub fn long_winding_energy(&self) -> Option<f64> {
        let [closure] = self.closures.as_slice() else { return None };
        let [rod] = self.rods.as_slice() else { return None };
        let unloaded = self.pose_loads.is_empty() && self.line_loads[0].at_points.is_empty();
        if !unloaded || rod.model.natural != NaturalShape::Straight {
            return None;
        }
        let base = rod.model.base?.pose;
        let long_way = std::f64::consts::TAU - (base.rotation.inverse() * closure.target.rotation).angle();
        let softest = rod
            .points
            .iter()
            .map(|q| q.stiffness.fixed_view::<3, 3>(0, 0).into_owned().symmetric_eigenvalues().min())
            .fold(f64::INFINITY, f64::min);
        Some(0.5 * softest * long_way * long_way / rod.length)
    }

    /// Aims every tied end at a fraction of the way from where it is in `start` to its target.
    pub fn aim(&self, start: &State, fraction: f64, state: &mut State) {
        for (aim, closure) in state.aims.iter_mut().zip(&self.closures) {
            let from = start.poses[closure.pose];
            *aim = if fraction >= 1.0 {
                closure.target
            } else {
                from.boxplus(&(closure.target.boxminus(&from) * fraction))
            };
        }
    }

    /// Moves the multipliers along the last solved step.
    pub(crate) fn move_reactions(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        for ((to, from), step) in to.reactions.iter_mut().zip(&from.reactions).zip(&work.reaction_step) {
            *to = from + step * fraction;
        }
    }

    /// Reads Δρ out of the last solution.
    pub(crate) fn read_reaction_step(&self, work: &mut Workspace) {
        for (step, closure) in work.reaction_step.iter_mut().zip(&self.closures) {
            *step = Vector6::from_column_slice(&work.solution[6 * closure.block..][..6]);
        }
    }
}

/// Weight of an open closure over its multiplier; anything above one makes the Newton step a descent.
const PENALTY: f64 = 1.5;
