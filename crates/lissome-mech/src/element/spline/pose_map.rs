//! From increments to control poses: Ψ_i = log(g_i⁻¹ g_{i+1}), ∂Ψ_i = T₊ z_{i+1} − T₋ z_i.
//!
//! K = Tᵀ K_Ψ T + Σ λ_i·∂²Ψ_i, done band by band. Which λ goes into the second term decides the kind of Newton
//! iteration: the gradient itself for Newton on the poses, the back-swept loads for Newton on the increments.

use super::rod::{Held, SplineRod};
use super::tangent::RodScratch;
use crate::index::Node;
use crate::sink::BlockSink;
use lissome_lie::dual::{DualMatrix, DualVector, ExpMap, InverseMap};
use lissome_lie::{Pose, Twist};
use lissome_model::StrainForm;
use nalgebra::Matrix6;

/// T± of every increment.
#[derive(Clone, Debug)]
pub struct PoseMap {
    /// T₊: by the far pose.
    pub plus: Vec<DualMatrix>,
    /// T₋: by the near pose (enters with a minus).
    pub minus: Vec<DualMatrix>,
    inverse: Vec<InverseMap>,
}

/// Where a rod's unknowns stand in the system.
pub struct RodBlocks<'a> {
    /// Block of each control pose; `None` if the pose is prescribed.
    pub pose: &'a [Option<Node>],
    /// Block of each stress coefficient (mixed form).
    pub stress: &'a [Node],
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

impl SplineRod {
    /// λ with Tᵀλ = W on the poses beyond the one it stands on: the loads swept back from the far end, for Newton on the
    /// increments. Returns what arrives at the pose it stands on, whose own load is not counted.
    pub fn sweep_loads(&self, psi: &[DualVector], loads: &[DualVector], lambda: &mut [DualVector]) -> DualVector {
        let n = self.increments();
        match self.held {
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

    /// Adds the tangent in poses (and stresses): geometric and material stiffness, λ·∂²Ψ, coupling.
    pub fn add_tangent(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        lambda: &[DualVector],
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        self.add_curvature_of_increments(map, lambda, blocks, sink);
        self.add_geometric(scratch, map, blocks, sink);
        match self.form {
            StrainForm::Mixed => self.add_coupling(scratch, map, blocks, sink),
            StrainForm::Printed => self.add_material(scratch, map, 1.0, blocks, sink),
        }
    }

    /// Σ λ_i·∂²Ψ_i in exponential coordinates of the poses.
    pub(crate) fn add_curvature_of_increments(
        &self,
        map: &PoseMap,
        lambda: &[DualVector],
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        for i in 0..self.increments() {
            let (n_plus, n_minus) = map.inverse[i].derivatives(&lambda[i]);
            if let Some(far) = blocks.pose[i + 1] {
                sink.add_symmetric(far, far, &(n_plus * map.plus[i]).symmetric_part().covector_map());
                if let Some(near) = blocks.pose[i] {
                    sink.add_symmetric(far, near, &((n_plus * map.minus[i]) * -1.0).covector_map());
                }
            }
            if let Some(near) = blocks.pose[i] {
                sink.add_symmetric(near, near, &(n_minus * map.minus[i]).symmetric_part().covector_map());
            }
        }
    }

    fn add_geometric(&self, scratch: &RodScratch, map: &PoseMap, blocks: &RodBlocks<'_>, sink: &mut impl BlockSink) {
        // A geodesic increment has strain Ψ/h: no curvature of its own.
        if self.degree > 1 {
            self.add_banded(scratch, map, blocks, sink);
        }
    }

    /// TᵀK_ΨT of the symmetric band in `scratch.geometric`.
    pub(crate) fn add_banded(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        let p = self.degree;
        let n = self.increments();
        let k_psi = |i: usize, k: usize| {
            if k <= i { scratch.geometric[i * p + (i - k)] } else { scratch.geometric[k * p + (k - i)].transpose() }
        };
        // Rows of Tᵀ K_Ψ for one pose: increments l − p … l + p − 1, at most 2p ≤ 10 of them.
        let mut row = [DualMatrix::zero(); 10];
        for l in 0..=n {
            let Some(block_row) = blocks.pose[l] else { continue };
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
                let Some(block_column) = blocks.pose[m] else { continue };
                let mut block = DualMatrix::zero();
                if m > from {
                    block += row[m - 1 - from] * map.plus[m - 1];
                }
                if m < to {
                    block = block - row[m - from] * map.minus[m];
                }
                sink.add_symmetric(block_row, block_column, &block.covector_map());
            }
        }
    }

    /// Adds `factor` times the material stiffness of a printed rod.
    pub fn add_material(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        factor: f64,
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        let p = self.degree;
        let n = self.increments();
        let plus: Vec<Matrix6<f64>> = map.plus.iter().map(DualMatrix::twist_map).collect();
        let minus: Vec<Matrix6<f64>> = map.minus.iter().map(DualMatrix::twist_map).collect();
        for i in 0..n {
            for k in i.saturating_sub(p - 1)..=i {
                let block = &scratch.material[i * p + (i - k)];
                let ends = [(i + 1, &plus[i], 1.0), (i, &minus[i], -1.0)];
                let others = [(k + 1, &plus[k], 1.0), (k, &minus[k], -1.0)];
                for (row, t_row, sign_row) in ends {
                    for (column, t_column, sign_column) in others {
                        let (Some(r), Some(c)) = (blocks.pose[row], blocks.pose[column]) else { continue };
                        let value = t_row.tr_mul(&(block * t_column)) * (factor * sign_row * sign_column);
                        if i == k {
                            // Both orders of an off-diagonal pair occur within the loop: keep the lower one.
                            if r >= c {
                                sink.add_symmetric(r, c, &value);
                            }
                        } else if r == c {
                            // This block and its mirror image both land on the diagonal.
                            sink.add_symmetric(r, r, &(value + value.transpose()));
                        } else {
                            sink.add_symmetric(r, c, &value);
                        }
                    }
                }
            }
        }
    }

    fn add_coupling(&self, scratch: &RodScratch, map: &PoseMap, blocks: &RodBlocks<'_>, sink: &mut impl BlockSink) {
        let p = self.degree;
        let n = self.increments();
        for a in 0..n {
            let from = a.saturating_sub(p - 1);
            let to = (a + p).min(n);
            let entry = |k: usize| scratch.coupling[a * (2 * p - 1) + (k + p - 1 - a)];
            for m in from..=to {
                let Some(column) = blocks.pose[m] else { continue };
                let mut block = DualMatrix::zero();
                if m > from {
                    block += entry(m - 1) * map.plus[m - 1];
                }
                if m < to {
                    block = block - entry(m) * map.minus[m];
                }
                sink.add_symmetric(blocks.stress[a], column, &block.twist_map());
            }
        }
    }

    /// Changes the shift of the material stiffness from one value to another.
    pub fn add_shift(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        [from, to]: [f64; 2],
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        match self.form {
            StrainForm::Mixed => self.add_compliance(scratch, 1.0 / (1.0 + from) - 1.0 / (1.0 + to), blocks, sink),
            StrainForm::Printed => self.add_material(scratch, map, to - from, blocks, sink),
        }
    }

    /// Moves every increment from Ψ by `fraction` of its step (pairs Ψ, ΔΨ) and integrates the chain again from the
    /// held end.
    pub fn retract_increments(&self, increments: &[(DualVector, DualVector)], fraction: f64, poses: &mut [Pose]) {
        let moved = |i: usize| (increments[i].0 + increments[i].1 * fraction).twist();
        let n = self.increments();
        match self.held {
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
