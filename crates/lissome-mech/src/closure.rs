//! Closures: two frames that are one, which makes a tree of rods and bodies a mechanism with loops.
//!
//! A chain stays open in its coordinates, and its far end is tied by c = log((g_F g_aim)⁻¹ g) = 0 with a multiplier ρ,
//! the wrench that the frame F takes. The multiplier acts like a load −T₊(c)ᵀ ρ on the tied pose and T₋(c)ᵀ ρ on the
//! frame, so that the increments see it swept back like any other, and its second derivative ρ·∂²c stands in the
//! tangent. Two ways to solve for it:
//!
//! - *constraint*: ρ is an unknown of its own, six more rows.
//! - *embedding*: δc = −c is solved for the tied pose, δ = Ad_{g⁻¹g_F} δ_F − c, which then has no unknowns of its own,
//!   and ρ drops out of the equations; its step follows from the row of the tied pose afterwards.
//!
//! Both take the same steps. An articulated closure ties to the frame after a joint.

use crate::element::spline::tangent::covector;
use crate::sink::BlockSink;
use crate::{State, System, Workspace};
use lissome_lie::dual::{DualMatrix, DualVector, ExpMap, InverseMap};
use lissome_lie::{Pose, Wrench, skew};
use lissome_model::NaturalShape;
use nalgebra::{Matrix6, Vector6};

/// Two frames that are one.
#[derive(Clone, Debug)]
pub struct Closure {
    /// Its dotted path in the scene.
    pub path: String,
    /// The rod whose far end it ties, if it is one.
    pub rod: Option<usize>,
    /// Slot that is tied.
    pub tied: usize,
    /// Slot it is tied to.
    pub frame: usize,
    /// Node of the multiplier; `None` if the tied pose is embedded.
    pub node: Option<usize>,
    /// Length that distances are compared with, m.
    pub length: f64,
    /// Stiffness that opposes the gap beside the multiplier (moment per rad, force per m), where no elastic rod gives the
    /// tied parts one: ½ cᵀ W c, nothing at the solution.
    pub penalty: Option<(f64, f64)>,
}

impl Closure {
    /// W c.
    pub(crate) fn opposed(&self, gap: &DualVector) -> Vector6<f64> {
        let (turn, shift) = self.penalty.unwrap_or_default();
        let gap = gap.twist();
        Wrench::new(gap.angular * turn, gap.linear * shift).to_vector()
    }

    /// c = log((frame · aim)⁻¹ g): what is left to close.
    pub(crate) fn gap(&self, state: &State, aim: &Pose) -> DualVector {
        state.poses[self.tied].boxminus(&(state.poses[self.frame] * *aim)).into()
    }
}

/// Ad of a pose as a dual matrix.
fn adjoint(pose: &Pose) -> DualMatrix {
    let r = pose.rotation.matrix();
    DualMatrix { re: r, du: skew(&pose.position) * r }
}

impl System {
    /// Part of the steps of embedded ends that is decided: they close their gaps.
    pub(crate) fn fill_decided(&self, state: &State, decided: &mut [Option<Vector6<f64>>]) {
        for (closure, aim) in self.closures.iter().zip(&state.aims) {
            if closure.node.is_none() {
                decided[closure.tied] = Some(-closure.gap(state, aim).twist().to_vector());
            }
        }
    }

    /// Δρ of an embedded end from the row of the tied pose, T₊ᵀ(ρ + Δρ) = −(what holds it open) − Σ blocks · steps.
    pub(crate) fn embedded_reaction_step(&self, index: usize, state: &State, work: &Workspace) -> Vector6<f64> {
        let closure = &self.closures[index];
        let step = |node: usize| match node.checked_sub(self.sources.len()) {
            None => work.pose_step[node].to_vector(),
            Some(_) => self.read(node, &work.solution),
        };
        let rows = work.rows.iter().filter(|row| row.row == closure.tied);
        let open = rows.fold(-work.node_rows[closure.tied], |sum, row| sum + row.block * step(row.column));
        let gap = closure.gap(state, &state.aims[index]);
        -ExpMap::at(gap).dexp_transpose_apply(&covector(&open)).wrench().to_vector()
    }

    /// The multipliers as loads on tied poses and frames, with their tangent and the constraint rows.
    pub(crate) fn add_closures(&self, state: &State, loads: &mut [DualVector], sink: &mut impl BlockSink) {
        for ((closure, rho), aim) in self.closures.iter().zip(&state.reactions).zip(&state.aims) {
            let gap = closure.gap(state, aim);
            let inverse = InverseMap::at(gap);
            let rho = covector(&(rho + closure.opposed(&gap)));
            let carried = adjoint(&aim.inverse());
            let (plus, minus) = (inverse.plus(), inverse.minus() * carried);
            loads[closure.tied] = loads[closure.tied] - plus.apply_transpose(&rho);
            loads[closure.frame] += minus.apply_transpose(&rho);
            let (far, near) = inverse.derivatives(&rho);
            let (tied, frame) = (closure.tied, closure.frame);
            sink.add_symmetric(tied, tied, &(far * plus).symmetric_part().covector_map());
            sink.add_symmetric(tied, frame, &((far * minus) * -1.0).covector_map());
            let on_frame = carried.transpose_mul(&(near * minus)).symmetric_part();
            sink.add_symmetric(frame, frame, &on_frame.covector_map());
            if let Some((turn, shift)) = closure.penalty {
                let weight = Matrix6::from_diagonal(&Vector6::new(turn, turn, turn, shift, shift, shift));
                let (far, near) = (plus.twist_map(), (minus * -1.0).twist_map());
                sink.add_symmetric(tied, tied, &far.tr_mul(&(weight * far)));
                sink.add_symmetric(tied, frame, &far.tr_mul(&(weight * near)));
                sink.add_symmetric(frame, frame, &near.tr_mul(&(weight * near)));
            }
            if let Some(node) = closure.node {
                sink.add_symmetric(node, tied, &plus.twist_map());
                sink.add_symmetric(node, frame, &(minus * -1.0).twist_map());
            }
        }
    }

    /// −c on the right-hand side; returns the size of the largest gap in the units of a scaled step.
    pub(crate) fn fill_closure_rows(&self, state: &State, right_hand_side: &mut [Vector6<f64>]) -> f64 {
        let mut largest: f64 = 0.0;
        for (closure, aim) in self.closures.iter().zip(&state.aims) {
            let gap = closure.gap(state, aim).twist();
            largest = largest.max(gap.angular.norm()).max(gap.linear.norm() / closure.length);
            if let Some(node) = closure.node {
                right_hand_side[node] = (-gap).to_vector();
            }
        }
        largest
    }

    /// Largest gap that is left: rad, and m.
    pub fn largest_gap(&self, state: &State) -> (f64, f64) {
        let gaps = self.closures.iter().zip(&state.aims).map(|(closure, aim)| closure.gap(state, aim));
        gaps.fold((0.0, 0.0), |(turn, shift), gap| (gap.re.norm().max(turn), gap.du.norm().max(shift)))
    }

    /// Least elastic energy of any shape that is wound the long way round, J, where such a bound is known: a single
    /// straight rod without loads. Its rotations make a path on SO(3) of length at least 2π − |w|, w the rotation between
    /// its ends, so ∫½κᵀKκ ≥ ½ K_min (2π − |w|)²/L.
    pub fn long_winding_energy(&self) -> Option<f64> {
        let [_] = self.closures.as_slice() else { return None };
        let [rod] = self.rods.as_slice() else { return None };
        let unloaded = self.pose_loads.is_empty() && self.line_loads[0].is_empty() && self.cables.is_empty();
        if !unloaded || rod.model.natural != NaturalShape::Straight {
            return None;
        }
        let (base, tip) = (rod.model.base?.world_pose()?, rod.model.tip?.world_pose()?);
        let long_way = std::f64::consts::TAU - (base.rotation.inverse() * tip.rotation).angle();
        let softest = rod
            .points
            .iter()
            .map(|q| q.stiffness.fixed_view::<3, 3>(0, 0).into_owned().symmetric_eigenvalues().min())
            .fold(f64::INFINITY, f64::min);
        Some(0.5 * softest * long_way * long_way / rod.length)
    }

    /// Aims every tied pose at a fraction of the way from where it is on its frame in `start` to the frame itself.
    pub fn aim(&self, start: &State, fraction: f64, state: &mut State) {
        for (aim, closure) in state.aims.iter_mut().zip(&self.closures) {
            let open = start.poses[closure.tied].boxminus(&start.poses[closure.frame]);
            *aim = if fraction >= 1.0 { Pose::identity() } else { Pose::exp(&(open * (1.0 - fraction))) };
        }
    }

    /// Moves the multipliers along the last solved step.
    pub(crate) fn move_reactions(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        for ((to, from), step) in to.reactions.iter_mut().zip(&from.reactions).zip(&work.reaction_step) {
            *to = from + step * fraction;
        }
    }
}
