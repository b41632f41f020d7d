//! From increments to control poses: Ψ_i = log(g_i⁻¹ g_{i+1}), ∂Ψ_i = T₊ z_{i+1} − T₋ z_i.
//!
//! K = Tᵀ K_Ψ T + Σ λ_i·∂²Ψ_i, done band by band. Which λ goes into the second term decides the kind of Newton
//! iteration: the gradient itself for Newton on the poses, the back-swept loads for Newton on the increments.

use super::{Curve, Held};
use crate::rod::RodNodes;
use crate::sink::BlockSink;
use lissome_lie::dual::{DualMatrix, DualVector, ExpMap, InverseMap};
use lissome_lie::{Pose, Twist};

/// T± of every increment.
#[derive(Clone, Debug)]
pub struct PoseMap {
    /// T₊: by the far pose.
    pub plus: Vec<DualMatrix>,
    /// T₋: by the near pose (enters with a minus).
    pub minus: Vec<DualMatrix>,
    inverse: Vec<InverseMap>,
}

impl PoseMap {
    /// For a rod with `increments` increments.
    pub fn new(increments: usize) -> Self {
        Self {
            plus: vec![DualMatrix::identity(); increments],
            minus: vec![DualMatrix::identity(); increments],
            inverse: vec![InverseMap::at(DualVector::zero()); increments],
        }
    }

    /// Evaluates T± at the increments.
    pub fn fill(&mut self, psi: &[DualVector]) {
        for (i, psi) in psi.iter().enumerate() {
            let inverse = InverseMap::at(*psi);
            self.plus[i] = inverse.plus();
            self.minus[i] = inverse.minus();
            self.inverse[i] = inverse;
        }
    }

    /// Tᵀ λ at pose l.
    pub fn pull_back(&self, lambda: &[DualVector], l: usize) -> DualVector {
        let mut r = DualVector::zero();
        if l > 0 {
            r += self.plus[l - 1].apply_transpose(&lambda[l - 1]);
        }
        if l < lambda.len() {
            r = r - self.minus[l].apply_transpose(&lambda[l]);
        }
        r
    }

    /// T δ at increment i.
    pub fn push_forward(&self, delta: &[Twist], i: usize) -> DualVector {
        self.plus[i].apply(&delta[i + 1].into()) - self.minus[i].apply(&delta[i].into())
    }
}

impl Curve {
    /// λ with Tᵀλ = W on the poses beyond the one it stands on: the loads swept back from the far end, for Newton on the
    /// increments. Returns what arrives at the pose it stands on, whose own load is not counted.
    pub fn sweep_loads(&self, psi: &[DualVector], loads: &[DualVector], lambda: &mut [DualVector]) -> DualVector {
        let n = self.increments();
        match self.held() {
            Held::Tip => {
                let mut l = loads[0];
                for i in 0..n {
                    // T₋⁻¹ = dexp_{−Ψ}
                    lambda[i] = -ExpMap::at(-psi[i]).dexp_transpose_apply(&l);
                    let carried = ExpMap::at(-psi[i]).transport_transpose(&l);
                    l = if i + 1 < n { loads[i + 1] + carried } else { carried };
                }
                l
            }
            Held::Base => {
                let mut l = loads[n];
                for i in (0..n).rev() {
                    let map = ExpMap::at(psi[i]);
                    lambda[i] = map.dexp_transpose_apply(&l);
                    let carried = map.transport_transpose(&l);
                    l = if i > 0 { loads[i] + carried } else { carried };
                }
                l
            }
        }
    }

    /// Σ λ_i·∂²Ψ_i in exponential coordinates of the poses.
    pub(in crate::rod) fn add_curvature_of_increments(
        &self,
        map: &PoseMap,
        lambda: &[DualVector],
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        for i in 0..self.increments() {
            let (n_plus, n_minus) = map.inverse[i].derivatives(&lambda[i]);
            if let Some(far) = nodes.pose[i + 1] {
                sink.add_symmetric(far, far, &(n_plus * map.plus[i]).symmetric_part().covector_map());
                if let Some(near) = nodes.pose[i] {
                    sink.add_symmetric(far, near, &((n_plus * map.minus[i]) * -1.0).covector_map());
                }
            }
            if let Some(near) = nodes.pose[i] {
                sink.add_symmetric(near, near, &(n_minus * map.minus[i]).symmetric_part().covector_map());
            }
        }
    }

    /// TᵀK_ΨT of a symmetric band in the increments, lower half: entry `i * p + d` couples i with i − d.
    pub(in crate::rod) fn add_banded(
        &self,
        band: &[DualMatrix],
        map: &PoseMap,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        let p = self.degree();
        let n = self.increments();
        let k_psi = |i: usize, k: usize| {
            if k <= i { band[i * p + (i - k)] } else { band[k * p + (k - i)].transpose() }
        };
        // Rows of Tᵀ K_Ψ for one pose: increments l − p … l + p − 1, at most 2p ≤ 10 of them.
        let mut row = [DualMatrix::zero(); 10];
        for l in 0..=n {
            let Some(row_node) = nodes.pose[l] else { continue };
            let from = l.saturating_sub(p);
            let to = (l + p).min(n);
            for k in from..to {
                let mut u = DualMatrix::zero();
                if l > 0 && (l - 1).abs_diff(k) < p {
                    u += map.plus[l - 1].transpose_mul(&k_psi(l - 1, k));
                }
                if l < n && l.abs_diff(k) < p {
                    u = u - map.minus[l].transpose_mul(&k_psi(l, k));
                }
                row[k - from] = u;
            }
            for m in from..=l {
                let Some(column_node) = nodes.pose[m] else { continue };
                let mut block = DualMatrix::zero();
                if m > from {
                    block += row[m - 1 - from] * map.plus[m - 1];
                }
                if m < to {
                    block = block - row[m - from] * map.minus[m];
                }
                sink.add_symmetric(row_node, column_node, &block.covector_map());
            }
        }
    }

    /// Moves every increment from Ψ by `fraction` of its step (pairs Ψ, ΔΨ) and integrates the chain again from the
    /// held end.
    pub fn retract_increments(&self, increments: &[(DualVector, DualVector)], fraction: f64, poses: &mut [Pose]) {
        let moved = |i: usize| (increments[i].0 + increments[i].1 * fraction).twist();
        let n = self.increments();
        match self.held() {
            Held::Tip => {
                for i in (0..n).rev() {
                    poses[i] = poses[i + 1] * Pose::exp(&-moved(i));
                }
            }
            Held::Base => {
                for i in 0..n {
                    poses[i + 1] = poses[i] * Pose::exp(&moved(i));
                }
            }
        }
    }
}
